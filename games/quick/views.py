"""The button "Play now", and the page of those who are about to sit down."""

import hashlib
from datetime import datetime
from typing import Final, NamedTuple
from urllib.parse import urlsplit

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render, resolve_url
from django.utils import timezone
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe
from django_htmx.http import HttpResponseClientRedirect

from games import rule_words
from games.answers import SeeOther, by_script, origin_of, page_or_part, refused, throws_in
from games.engine.rules import RULE_SETS, RuleSet
from games.models import Player, Seeker
from games.people import avoiding, identity, limits
from games.quick import queue
from games.quick.queue import Wish
from games.seats import wishes
from games.seats.wishes import PACES

TOO_MANY_TABLES: Final = "Many tables have been made from your address; try again in ten minutes."


NOBODY_YET: Final = "Nobody has played with you yet."
NOT_MET: Final = "You have not played with this person."
#: The most digits in a number sent by a form.
MAX_DIGITS: Final = 18


class Place(NamedTuple):
    """A place at the table in the making; `at` is its side of the page; no name: the house."""

    at: str
    name: str
    mine: bool


@require_POST
def play_now(request: HttpRequest) -> HttpResponse:
    """Look for a quick game; fields `rules`, the key of a rule set, and `pace`."""
    rules = RULE_SETS.get(request.POST.get("rules", ""))
    if rules is None:
        words = "There is no such game here; choose one of the list."
        return refused(request, words, 400, resolve_url("lobby"))
    wanted = request.POST.get("pace", PACES[0].key)
    pace = next((one for one in PACES if one.key == wanted), None)
    if pace is None:
        names = " or ".join(one.key for one in PACES)
        return refused(request, f"The pace is {names}.", 400, resolve_url("lobby"))
    if not limits.may_make_table(request):
        return refused(request, TOO_MANY_TABLES, 429, resolve_url("lobby"))
    player = identity.player_of(request) or identity.make_guest(request.session)
    wishes.remember(request.session, rules.key, pace.key)
    where, now = origin_of(request), timezone.now()
    wish = Wish(rules, pace.turn_seconds)
    table = queue.join(player, wish, where, now, throws_in=throws_in(request))
    table = table or queue.look(player, where, now)
    return SeeOther(resolve_url("table", table.pk) if table else resolve_url("quick_seat"))


@require_safe
@never_cache
def seat_page(request: HttpRequest) -> HttpResponse:
    """Show what a player in the queue waits for, and send them to their table once they sit.

    For a script that polls with `seen`, return 204 if nothing has changed.
    """
    player, now = identity.player_of(request), timezone.now()
    if player is None:
        return redirect("lobby")
    table = queue.look(player, origin_of(request), now)
    seeker = Seeker.objects.select_related("table").filter(player=player).first()
    if table is not None or seeker is None:
        to = resolve_url("table", table.pk) if table is not None else resolve_url("lobby")
        return HttpResponseClientRedirect(to) if by_script(request) else redirect(to)
    context = _shown(seeker, player, now)
    seen = hashlib.sha256(repr(context).encode()).hexdigest()[:16]
    if by_script(request) and request.GET.get("seen") == seen:
        return HttpResponse(status=204)
    return page_or_part(
        request, "games/quick/seat.html", "games/quick/_seat.html", context | {"seen": seen}
    )


@require_POST
def start_now(request: HttpRequest) -> HttpResponse:
    player = identity.player_of(request)
    if player is not None:
        queue.start_now(player, timezone.now())
    return SeeOther(resolve_url("quick_seat"))


@require_POST
def leave(request: HttpRequest) -> HttpResponse:
    """Leave the queue, and go back to the lobby; harmless for those who are not in it."""
    player = identity.player_of(request)
    if player is not None:
        queue.leave(player)
    return SeeOther(resolve_url("lobby"))


@require_POST
def avoid(request: HttpRequest) -> HttpResponse:
    """Keep the viewer apart from the player in field `player`, with whom they have played."""
    player = identity.player_of(request)
    if player is None:
        return refused(request, NOBODY_YET, 403, resolve_url("lobby"))
    number = request.POST.get("player", "")
    played = Player.objects.filter(
        game_seats__game__seats__player=player, kind=Player.Kind.PERSON
    ).exclude(pk=player.pk)
    other = played.filter(pk=number).first() if _is_number(number) else None
    if other is None:
        return refused(request, NOT_MET, 404, resolve_url("kept_apart"))
    try:
        avoiding.avoid(player, other)
    except avoiding.TooManyError:
        words = f"You are kept apart from {avoiding.MOST} people; that is the most."
        return refused(request, words, 409, resolve_url("kept_apart"))
    return _back(request)


@require_POST
def meet_again(request: HttpRequest) -> HttpResponse:
    """Take `avoid` back; harmless if there is nothing to take back."""
    player = identity.player_of(request)
    if player is None:
        return refused(request, NOBODY_YET, 403, resolve_url("lobby"))
    number = request.POST.get("player", "")
    if _is_number(number):
        avoiding.meet_again(player, int(number))
    return _back(request)


@require_safe
def kept_apart(request: HttpRequest) -> HttpResponse:
    player = identity.player_of(request)
    if player is None:
        return redirect("you")
    people = [one.other for one in player.avoidances.select_related("other")]
    return render(request, "games/quick/kept_apart.html", {"people": people})


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) <= MAX_DIGITS


def _back(request: HttpRequest) -> HttpResponse:
    """Return to the page of this site that has the form."""
    page = urlsplit(request.headers.get("Referer", ""))
    here = page.netloc == request.get_host() and url_has_allowed_host_and_scheme(page.path, None)
    return SeeOther(page.path if here else resolve_url("kept_apart"))


def _shown(seeker: Seeker, player: Player, now: datetime) -> dict[str, object]:
    rules = RULE_SETS[seeker.rules]
    pace = next(one for one in PACES if one.turn_seconds == seeker.turn_seconds)
    names = ["" for _ in range(rules.players)]
    mine = rules.players // 2
    request = None
    if seeker.table is not None:
        request = seeker.table.requests.filter(player=player).first()
        for one in seeker.table.seats.select_related("player"):
            if one.player is not None and not one.player.house:
                names[one.position] = one.player.name
    if request is not None:
        mine = request.position
    names[mine] = player.name
    return {
        "rules": rule_words.brief(rules),
        "pace": pace.name,
        "people": [name for place, name in enumerate(names) if name and place != mine],
        "places": _places(rules, names, mine),
    }


def _places(rules: RuleSet, names: list[str], mine: int) -> list[Place]:
    """Return the places with the viewer's own at the bottom, in the order of play."""
    sides = {2: "sn", 4: "swne"}[rules.players]
    order = [(mine + turned) % rules.players for turned in range(rules.players)]
    return [
        Place(side, names[place], place == mine) for side, place in zip(sides, order, strict=True)
    ]
