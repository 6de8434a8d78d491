"""The forms for entering an event; each returns to the event's page."""

from collections.abc import Callable
from functools import wraps

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render, resolve_url
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from games.answers import number_in, page_or_part
from games.models import Player
from tournaments.access import EventAccess, event_of
from tournaments.answers import SeeOther, account_needed, by_script, refused, refused_at
from tournaments.entering import check_in_codes, entering, entry_panel, partners
from tournaments.events.states import UPCOMING
from tournaments.events.timetable import check_in_opens, checking_in
from tournaments.models import Entry
from tournaments.refusals import RefusedError


@require_safe
def entering_now(request: HttpRequest, event_id: int) -> HttpResponse:
    """Return the panel about entering; 204 if it has not changed since the stamp in `seen`.

    Without JavaScript this is the event's page itself.
    """
    access, now = event_of(request, event_id), timezone.now()
    if not by_script(request):
        return redirect("event", event_id)
    stamp = entry_panel.stamp_of(access.event, now)
    if request.GET.get("seen") == stamp or access.event.state not in UPCOMING:
        return HttpResponse(status=204)
    context = {
        "event": access.event,
        "own": access.entry.pk if access.entry else None,
        "panel": entry_panel.panel(access.event, access.player, now),
    }
    return render(request, "tournaments/entering/_entering_live.html", context)


def by_entrant(verb: Callable[..., str]) -> Callable[..., HttpResponse]:
    """Make a view that runs `verb` and returns to the event's page with the words it returns."""

    @require_POST
    @refused_at("event", "event_id")
    @wraps(verb)
    def view(request: HttpRequest, event_id: int, **more: int) -> HttpResponse:
        access = event_of(request, event_id)
        back = resolve_url("event", event_id)
        if access.player is None or access.player.user_id is None:
            return account_needed(request, "Entering an event", back)
        messages.success(request, verb(request, access, access.player, **more))
        return SeeOther(back)

    return view


@by_entrant
def register(_request: HttpRequest, access: EventAccess, player: Player) -> str:
    """Enter alone."""
    return _entered(entering.register(access.event, player, timezone.now()))


@by_entrant
def withdraw(_request: HttpRequest, access: EventAccess, player: Player) -> str:
    """Leave the event, its waiting list or the list of players looking for a partner."""
    entering.withdraw(access.event, player, timezone.now())
    return "You are out of this event."


@by_entrant
def check_in(_request: HttpRequest, access: EventAccess, player: Player) -> str:
    entering.check_in(access.event, player, timezone.now())
    return "You are checked in. Stay on this site: you will be called to your table."


@require_safe
@never_cache
def check_in_card(request: HttpRequest, event_id: int) -> HttpResponse:
    """Show the reader's own code, by which a director checks them in."""
    access, now = event_of(request, event_id), timezone.now()
    event, back = access.event, resolve_url("event", event_id)
    if access.player is None or access.player.user_id is None:
        return account_needed(request, "Your code to check in", back)
    entry = entering.entry_of(event, access.player)
    if entry is None:
        words = f"{access.player.name} has not entered this event, so there is no code to show."
        return refused(request, RefusedError("not entered", words), back)
    context = {
        "event": event,
        "entry": entry,
        "here": check_in_codes.is_here(entry),
        "awaited": event.state in UPCOMING and check_in_codes.is_awaited(event, entry),
        "address": check_in_codes.address_of(entry),
        "opens": None if checking_in(event, now) else check_in_opens(event),
    }
    page, part = (f"tournaments/entering/{one}check_in_card.html" for one in ("", "_"))
    return page_or_part(request, page, part, context)


@require_safe
def find_partner(request: HttpRequest, event_id: int) -> HttpResponse:
    """List the members matching the part of a name in field `partner`, for the script.

    Without JavaScript the event's form offers the same choice as a second step.
    """
    access = event_of(request, event_id)
    if not by_script(request):
        return redirect("event", event_id)
    words = partners.typed_name(request.GET)
    found = partners.search_members(access, words, timezone.now())
    if found is None:
        return HttpResponse(partners.TOO_OFTEN, status=429, content_type="text/plain")
    context = {"event": access.event, "found": found}
    return render(request, "tournaments/entering/_partners_found.html", context)


@by_entrant
def ask_partner(request: HttpRequest, access: EventAccess, player: Player) -> str:
    """Invite a member as one's partner.

    Fields: `partner`, a name or an e-mail address; `player`, the key of the member chosen, which
    takes precedence.
    """
    words, chosen = partners.typed_name(request.POST), number_in(request, "player")
    event, now = access.event, timezone.now()
    if partners.sees_members(access) and chosen is not None:
        partner = partners.member(event, chosen)
        return _asked(partners.invite(event, player, partner, now))
    if not words:
        raise RefusedError("empty", "Enter your partner’s name or e-mail address.", 422)
    return _asked(partners.ask(event, player, words, now))


@by_entrant
def ask_seeker(
    _request: HttpRequest, access: EventAccess, player: Player, *, player_id: int
) -> str:
    """Invite a player who looks for a partner."""
    looking = Player.objects.filter(entries__event=access.event, entries__active=True)
    partner = looking.filter(pk=player_id).first()
    if partner is None:
        raise RefusedError("gone", "This player is no longer looking for a partner.")
    return _asked(partners.invite(access.event, player, partner, timezone.now()))


@by_entrant
def seek_partner(_request: HttpRequest, access: EventAccess, player: Player) -> str:
    """Join the list of players looking for a partner."""
    partners.seek(access.event, player, timezone.now())
    return "You are on the list. Other players can now ask you to be their partner."


@by_entrant
def accept_partner(
    _request: HttpRequest, access: EventAccess, player: Player, *, entry_id: int
) -> str:
    """Accept an invitation."""
    return _entered(partners.accept(access.event, entry_id, player, timezone.now()))


@by_entrant
def decline_partner(
    _request: HttpRequest, access: EventAccess, player: Player, *, entry_id: int
) -> str:
    """Decline an invitation."""
    partners.decline(access.event, entry_id, player)
    return "You have declined."


def _entered(entry: Entry) -> str:
    if entry.state == Entry.State.WAITING:
        return "All places are taken. You are on the waiting list."
    return "You are in."


def _asked(entry: Entry) -> str:
    if entry.invited is None:
        return _entered(entry)
    return f"{entry.invited} has been asked. You are in once they accept."
