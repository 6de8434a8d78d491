"""The lobby, new tables, and the actions at a table other than playing."""

import hashlib
from collections.abc import Callable
from contextlib import nullcontext
from datetime import datetime
from typing import TypeAlias

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render, resolve_url
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_POST, require_safe
from django_htmx.http import HttpResponseClientRefresh

from games.access import invitations, opens, remember_invitation, table_for
from games.answers import (
    SeeOther,
    at_a_pace,
    by_script,
    done,
    gone,
    number_in,
    origin_of,
    page_or_part,
    refused,
    throws_in,
)
from games.engine.rules import RULE_SETS
from games.models import Player, Proposal, Table
from games.models.tables import BEGUN
from games.numbers import parse_number
from games.people import identity, limits
from games.people.traces import Origin
from games.seats import consent, lobby, seat_requests, seating, wishes
from games.seats.forms import FREE, HOUSE, ME, NewTableForm
from games.seats.seating import SeatingError

#: The initial values of the form for the links "Friends" and "Practise".
PURPOSES = {
    "friends": {"open": "no", "north": FREE, "east": FREE, "south": ME, "west": FREE},
    "practice": {"open": "no", "north": HOUSE, "east": HOUSE, "south": ME, "west": HOUSE},
}
TOO_MANY_TABLES = "Many tables have been made from your address; try again in ten minutes."


@require_safe
def lobby_page(request: HttpRequest) -> HttpResponse:
    """List the tables; for a script that polls with `seen`, return 204 if nothing has changed."""
    lists = lobby.lobby_for(identity.player_of(request))
    seen = hashlib.sha256(repr(lists).encode()).hexdigest()[:16]
    if by_script(request) and request.GET.get("seen") == seen:
        return HttpResponse(status=204)
    context = {
        "lists": lists,
        "seen": seen,
        "playing": None if by_script(request) else lobby.playing_now(),
        **wishes.for_form(request.session),
    }
    return page_or_part(request, "games/seats/lobby.html", "games/seats/_tables.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
def new_table(request: HttpRequest) -> HttpResponse:
    """Create a table; `for` in the query prefills the form for "friends" or "practice"."""
    if request.method != "POST":
        initial = PURPOSES.get(request.GET.get("for", ""), {})
        return render(
            request, "games/seats/new_table.html", {"form": NewTableForm(initial=initial)}
        )
    form = NewTableForm(request.POST)
    if form.house_rules.asks_again or not form.is_valid():
        status = 200 if form.house_rules.asks_again else 422
        return render(request, "games/seats/new_table.html", {"form": form}, status=status)
    if not limits.may_make_table(request):
        form.add_error(None, TOO_MANY_TABLES)
        return render(request, "games/seats/new_table.html", {"form": form}, status=429)
    table = seating.make_table(
        _player(request),
        form.chosen_rules,
        open=form.cleaned_data["open"],
        house_seats=form.house_seats,
        seat=form.my_seat,
        throws_in=throws_in(request),
        house_after=form.cleaned_data["house_after"],
        house_level=form.cleaned_data["house_level"],
        delayed=form.cleaned_data["delayed"],
    )
    return SeeOther(resolve_url("table", table.pk))


@require_POST
def practise(request: HttpRequest) -> HttpResponse:
    """Start a game with house players, which nobody else sees, by the rules chosen last."""
    if not limits.may_make_table(request):
        return refused(request, TOO_MANY_TABLES, 429, resolve_url("lessons"))
    rules = RULE_SETS[wishes.for_form(request.session)["last_rules"]]
    table = seating.play_now(_player(request), rules, open=False, throws_in=throws_in(request))
    return SeeOther(resolve_url("table", table.pk))


def _player(request: HttpRequest) -> Player:
    return identity.player_of(request) or identity.make_guest(request.session)


NO_SEAT = "You have no seat at this table."
NO_GAME = "Say by its number which game of the table you mean."
TOO_OFTEN = "Many seats have been asked for from your address; try again in ten minutes."
TOO_MANY_GUESTS = "Many guests have come from your address; try again in ten minutes, or log in."

#: Makes the response after a successful action at a table.
Answer: TypeAlias = Callable[[HttpRequest, int], HttpResponse]


@require_POST
@at_a_pace
def sit(request: HttpRequest, table_id: int) -> HttpResponse:
    """Take the seat in field `seat`; a visitor becomes a guest and the page is reloaded."""
    return _come(request, table_id, asks=False)


@require_POST
@at_a_pace
def ask(request: HttpRequest, table_id: int) -> HttpResponse:
    """Request the seat in field `seat`, or any; with the table's link, take it at once."""
    if not limits.may_ask(request):
        return refused(request, TOO_OFTEN, 429, resolve_url("table", table_id))
    return _come(request, table_id, asks=True)


@require_POST
@at_a_pace
def ask_no_more(request: HttpRequest, table_id: int) -> HttpResponse:
    return _verb(request, table_id, seat_requests.withdraw)


@require_POST
@at_a_pace
def answer(request: HttpRequest, table_id: int) -> HttpResponse:
    """Accept (field `let-in`) or refuse (field `refuse`) a seat request."""
    let_in = "let-in" in request.POST
    number = number_in(request, "let-in" if let_in else "refuse")
    if number is None:
        return refused(
            request, "Say whom to let in or to refuse.", 400, resolve_url("table", table_id)
        )
    now = timezone.now()
    return _verb(
        request,
        table_id,
        lambda table, by: seat_requests.answer(table, by, number, let_in=let_in, now=now),
    )


@require_POST
@at_a_pace
def stand(request: HttpRequest, table_id: int) -> HttpResponse:
    """Leave the table and go to the home page: the table's page would count as coming back."""
    return _verb(request, table_id, seating.stand_up, gone)


@require_POST
@at_a_pace
def leave(request: HttpRequest, table_id: int) -> HttpResponse:
    """Leave game `game` to a house player for good, and go to the home page."""
    return _of_game(request, table_id, consent.leave, gone)


@require_POST
@at_a_pace
def resign(request: HttpRequest, table_id: int) -> HttpResponse:
    return _propose(request, table_id, Proposal.Kind.RESIGN)


@require_POST
@at_a_pace
def claim(request: HttpRequest, table_id: int) -> HttpResponse:
    return _propose(request, table_id, Proposal.Kind.CLAIM)


@require_POST
@at_a_pace
def undo(request: HttpRequest, table_id: int) -> HttpResponse:
    """Propose to undo the player's last action at the table's `version`; the others must agree."""
    game, _, version = request.POST.get("version", "").partition(".")
    number, at, now = parse_number(game), parse_number(version), timezone.now()
    if number is None or at is None:
        back = resolve_url("table", table_id)
        return refused(request, "Say at which version of the table, such as 1.17.", 400, back)
    return _verb(request, table_id, lambda table, by: consent.undo(table, by, number, at, now))


def _propose(request: HttpRequest, table_id: int, kind: Proposal.Kind) -> HttpResponse:
    return _of_game(
        request,
        table_id,
        lambda table, by, game, now: consent.propose(table, by, kind, game, now),
    )


@require_POST
@at_a_pace
def consent_to(request: HttpRequest, table_id: int) -> HttpResponse:
    """Agree to (field `agree`) or decline (field `decline`) a proposal."""
    agree, now = "agree" in request.POST, timezone.now()
    number = number_in(request, "agree" if agree else "decline")
    if number is None:
        back = resolve_url("table", table_id)
        return refused(request, "Say to what you agree or what you decline.", 400, back)
    return _verb(
        request,
        table_id,
        lambda table, by: consent.answer(table, by, number, agree=agree, now=now),
    )


@require_POST
@at_a_pace
def withdraw(request: HttpRequest, table_id: int) -> HttpResponse:
    return _of_game(request, table_id, consent.withdraw)


def _of_game(
    request: HttpRequest,
    table_id: int,
    change: Callable[[Table, Player, int, datetime], object],
    answer: Answer = done,
) -> HttpResponse:
    number, now = number_in(request, "game"), timezone.now()
    if number is None:
        return refused(request, NO_GAME, 400, resolve_url("table", table_id))
    return _verb(request, table_id, lambda table, by: change(table, by, number, now), answer)


@require_POST
@at_a_pace
def start(request: HttpRequest, table_id: int) -> HttpResponse:
    return _verb(request, table_id, seating.start)


@require_POST
@at_a_pace
def stand_in(request: HttpRequest, table_id: int) -> HttpResponse:
    now = timezone.now()
    return _verb(request, table_id, lambda table, by: seating.ask_stand_in(table, by, now))


@require_POST
@at_a_pace
def watching(request: HttpRequest, table_id: int) -> HttpResponse:
    """Open the table to everybody, or close it to all but its players and those with its link."""
    chosen = request.POST.get("open", "")
    if chosen not in ("yes", "no"):
        why = "Say whether the table is open: yes or no."
        return refused(request, why, 400, resolve_url("table", table_id))
    return _verb(
        request, table_id, lambda table, by: seating.let_watch(table, by, everybody=chosen == "yes")
    )


@require_POST
@at_a_pace
def take_back(request: HttpRequest, table_id: int) -> HttpResponse:
    return _verb(request, table_id, seating.take_back)


@require_POST
@at_a_pace
def again(request: HttpRequest, table_id: int) -> HttpResponse:
    return _verb(request, table_id, seating.again)


def _come(request: HttpRequest, table_id: int, *, asks: bool) -> HttpResponse:
    """Take a seat, or request one (`asks`) unless the player came by the table's link."""
    player = identity.player_of(request)
    access = table_for(player, table_id, invited=invitations(request.session))
    seat = request.POST.get("seat", "")
    if len(seat) > 1 or (seat and not (seat.isascii() and seat.isdigit())):
        return refused(request, "This table has no such seat.", 400, resolve_url("table", table_id))
    if player is None and not limits.may_make_guest(request):
        return refused(request, TOO_MANY_GUESTS, 429, resolve_url("table", table_id))

    def come() -> None:
        beside = access.table.seats.filter(player__isnull=False)
        names = beside.values_list("player__name", flat=True)
        known = nullcontext(player) if player else identity.new_guest(request.session, names)
        by_link = access.host or table_id in invitations(request.session)
        position, where = int(seat) if seat else None, origin_of(request)
        with known as sitter:
            if asks and not (by_link and seat):
                seat_requests.ask(access.table, sitter, position, where, timezone.now())
            elif position is None:
                raise SeatingError("no such seat", "This table has no such seat.")
            else:
                _sit_or_ask(request, access.table, sitter, position, where, by_link=by_link)

    response = _answer(request, access.table, come)
    new_here = player is None and response.status_code < 400
    return HttpResponseClientRefresh() if new_here and by_script(request) else response


def _sit_or_ask(
    request: HttpRequest,
    table: Table,
    player: Player,
    position: int,
    where: Origin,
    *,
    by_link: bool,
) -> None:
    """Take a seat; between games, request it if a seated player has the same address."""
    try:
        seating.sit(
            table, player, position, throws_in=throws_in(request), where=where, by_link=by_link
        )
    except SeatingError as error:
        if error.code != "ask" or table.state in BEGUN:
            raise
        if not limits.may_ask(request):
            raise SeatingError("too many ask", TOO_OFTEN) from error
        seat_requests.ask(table, player, position, where, timezone.now())


@require_safe
def join(request: HttpRequest, table_id: int, token: str) -> HttpResponse:
    """Follow an invitation link: let this session see the table and sit down there."""
    player = identity.player_of(request)
    table = table_for(player, table_id, token=token).table
    if opens(token, table):
        remember_invitation(request.session, table.pk)
    return redirect("table", table.pk)


def _verb(
    request: HttpRequest,
    table_id: int,
    change: Callable[[Table, Player], object],
    answer: Answer = done,
) -> HttpResponse:
    player = identity.player_of(request)
    table = table_for(player, table_id, invited=invitations(request.session)).table
    if player is None:
        return refused(request, NO_SEAT, 403, resolve_url("table", table_id))
    return _answer(request, table, lambda: change(table, player), answer)


def _answer(
    request: HttpRequest, table: Table, change: Callable[[], object], answer: Answer = done
) -> HttpResponse:
    try:
        change()
    except SeatingError as error:
        return refused(request, error.message, error.status, resolve_url("table", table.pk))
    return answer(request, table.pk)
