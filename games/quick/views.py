"""The button "Play now", and the page of those who are about to sit down."""

import hashlib
from datetime import datetime
from typing import Final

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render, resolve_url
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe
from django_htmx.http import HttpResponseClientRedirect

from games import rule_words
from games.answers import (
    SeeOther,
    by_script,
    number_in,
    origin_of,
    page_or_part,
    refused,
    refused_at,
    throws_in,
    to_form,
)
from games.engine.rules import RULE_SETS, RuleSet
from games.models import Player, Seeker
from games.people import avoiding, identity, limits
from games.people.traces import Origin
from games.quick import queue
from games.quick.queue import QuickWish
from games.refusals import Remedy
from games.seats import wishes
from games.seats.wishes import RATED

TOO_MANY_TABLES: Final = "Many tables have been made from your address; try again in ten minutes."


NO_ACCOUNT: Final = "Rated games need an account. Your choice is kept while you log in or make one."
NOBODY_YET: Final = "Nobody has played with you yet."
NOT_MET: Final = "You have not played with this person."
#: Seconds after which the page asks again: while a table is opened within two, and otherwise.
QUICKLY: Final = 1
SLOWLY: Final = 2


@require_POST
@refused_at("lobby")
def play_now(request: HttpRequest) -> HttpResponse:
    """Look for a quick game; fields `rules`, the key of a rule set, `pace` and `kind`.

    Without a pace it is that of last time.
    """
    rules, pace, kind = wishes.chosen(request.POST, request.session)
    known = identity.player_of(request)
    if kind == RATED and (known is None or known.user_id is None):
        wishes.remember(request.session, rules.key, pace.key, kind)
        log_in = Remedy("Log in", f"{resolve_url('account_login')}?next={resolve_url('lobby')}")
        return refused(request, NO_ACCOUNT, 403, resolve_url("lobby"), log_in)
    if not limits.may_make_table(request):
        return refused(request, TOO_MANY_TABLES, 429, resolve_url("lobby"))
    player = known or identity.make_guest(request.session)
    wishes.remember(request.session, rules.key, pace.key, kind)
    where, now = origin_of(request), timezone.now()
    wish = QuickWish(rules, pace.turn_seconds, kind == RATED)
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
    mine, table = queue.advance(player, origin_of(request), now)
    if mine is None:
        to = resolve_url("table", table.pk) if table is not None else resolve_url("lobby")
        return HttpResponseClientRedirect(to) if by_script(request) else redirect(to)
    context = _shown(mine, player, origin_of(request), now)
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
def play_friendly(request: HttpRequest) -> HttpResponse:
    """Look for a friendly game instead of a rated one."""
    player = identity.player_of(request)
    if player is not None:
        queue.play_friendly(player, timezone.now())
    return SeeOther(resolve_url("quick_seat"))


@require_POST
def leave(request: HttpRequest) -> HttpResponse:
    """Leave the queue, and go back to the lobby, or to a table if a seat came first.

    Harmless for those who are not in the queue.
    """
    player = identity.player_of(request)
    table = queue.leave(player) if player is not None else None
    return SeeOther(resolve_url("table", table.pk) if table else resolve_url("lobby"))


@require_POST
@refused_at("kept_apart")
def avoid(request: HttpRequest) -> HttpResponse:
    """Keep the viewer apart from the player in field `player`, with whom they have played."""
    player = identity.player_of(request)
    if player is None:
        return refused(request, NOBODY_YET, 403, resolve_url("lobby"))
    number = number_in(request, "player") or 0
    played = Player.objects.filter(
        game_seats__game__seats__player=player, kind=Player.Kind.PERSON
    ).exclude(pk=player.pk)
    other = played.filter(pk=number).first()
    if other is None:
        return refused(request, NOT_MET, 404, resolve_url("kept_apart"))
    avoiding.avoid(player, other)
    return to_form(request, resolve_url("kept_apart"))


@require_POST
def meet_again(request: HttpRequest) -> HttpResponse:
    """Take `avoid` back; harmless if there is nothing to take back."""
    player = identity.player_of(request)
    if player is None:
        return refused(request, NOBODY_YET, 403, resolve_url("lobby"))
    number = number_in(request, "player")
    if number is not None:
        avoiding.meet_again(player, number)
    return to_form(request, resolve_url("kept_apart"))


@require_safe
def kept_apart(request: HttpRequest) -> HttpResponse:
    player = identity.player_of(request)
    if player is None:
        return redirect("you")
    people = [one.other for one in player.avoidances.select_related("other")]
    return render(request, "games/quick/kept_apart.html", {"people": people})


def _shown(seeker: Seeker, player: Player, where: Origin, now: datetime) -> dict[str, object]:
    rules = RULE_SETS[seeker.rules]
    pace = wishes.pace_of(seeker.turn_seconds)
    names = ["" for _ in range(rules.players)]
    mine = rules.players // 2
    if seeker.table is not None:
        request = seeker.table.requests.filter(player=player).first()
        mine = request.position if request is not None else mine
        for one in seeker.table.seats.select_related("player"):
            if one.player is not None and not one.player.house:
                names[one.position] = one.player.name
    others = [name for place, name in enumerate(names) if name and place != mine]
    names[mine] = player.name
    missing = rules.players - 1 - queue.others_waiting(seeker, now) if seeker.rated else 0
    return {
        "rated": seeker.rated,
        "near": queue.near_waiting(seeker, now),
        "apart": queue.kept_apart_from(seeker, where, now),
        "missing": max(0, missing),
        "rules": rule_words.brief(rules),
        "pace": pace.name,
        "people": others,
        "places": _places(rules, names, mine),
        "every": SLOWLY if seeker.rated or others else QUICKLY,
    }


def _places(rules: RuleSet, names: list[str], mine: int) -> list[tuple[str, str, bool]]:
    """Return the places with the viewer's own at the bottom, in the order of play.

    Each has its side of the page, the name, and whether it is the viewer's. Without a name it is
    the house's, or free if the game is to be rated.
    """
    sides = {2: "sn", 4: "swne"}[rules.players]
    order = [(mine + turned) % rules.players for turned in range(rules.players)]
    return [(side, names[place], place == mine) for side, place in zip(sides, order, strict=True)]
