"""The lobby, making a table, and a game at once."""

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

from games import rule_words
from games.access import invitations, opens, remember_invitation, table_for
from games.answers import (
    SeeOther,
    at_a_pace,
    by_script,
    done,
    gone,
    page_or_part,
    refused,
    throws_in,
    where_from,
)
from games.engine.rules import RULE_SETS
from games.models import Player, Proposal, Table
from games.models.tables import BEGUN
from games.people import identity, limits
from games.people.traces import Where
from games.seats import asking, consent, lobby, seating
from games.seats.forms import FREE, HOUSE, ME, NewTableForm
from games.seats.seating import SeatingError

#: What the links "Friends" and "Practise" fill in.
PURPOSES = {
    "friends": {"open": "no", "north": FREE, "east": FREE, "south": ME, "west": FREE},
    "practice": {"open": "no", "north": HOUSE, "east": HOUSE, "south": ME, "west": HOUSE},
}
TOO_MANY_TABLES = "Many tables have been made from your address; try again in ten minutes."


@require_safe
def lobby_page(request: HttpRequest) -> HttpResponse:
    """List the tables; asked again with what was seen, answer 204 while nothing has changed."""
    lists = lobby.lobby_for(identity.player_of(request))
    seen = hashlib.sha256(repr(lists).encode()).hexdigest()[:16]
    if by_script(request) and request.GET.get("seen") == seen:
        return HttpResponse(status=204)
    context = {
        "lists": lists,
        "seen": seen,
        "rule_sets": rule_words.choices(RULE_SETS.values()),
    }
    return page_or_part(request, "games/seats/lobby.html", "games/seats/_tables.html", context)


@require_POST
def play_now(request: HttpRequest) -> HttpResponse:
    """Seat the visitor at a table of their own against house players; field `rules`: a key."""
    rules = RULE_SETS.get(request.POST.get("rules", ""))
    if rules is None:
        words = "There is no such game here; choose one of the list."
        return refused(request, words, 400, resolve_url("lobby"))
    if not limits.may_make_table(request):
        return refused(request, TOO_MANY_TABLES, 429, resolve_url("lobby"))
    table = seating.play_now(_player(request), rules, throws_in=throws_in(request))
    return SeeOther(resolve_url("table", table.pk))


@require_http_methods(["GET", "HEAD", "POST"])
def new_table(request: HttpRequest) -> HttpResponse:
    """Make a table; `for` in the query fills the form for "friends" or for "practice"."""
    if request.method != "POST":
        initial = PURPOSES.get(request.GET.get("for", ""), {})
        return render(
            request, "games/seats/new_table.html", {"form": NewTableForm(initial=initial)}
        )
    form = NewTableForm(request.POST)
    if not form.is_valid():
        return render(request, "games/seats/new_table.html", {"form": form}, status=422)
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
    )
    return SeeOther(resolve_url("table", table.pk))


def _player(request: HttpRequest) -> Player:
    return identity.player_of(request) or identity.make_guest(request.session)


#: How each refusal reads as a status; any other is a conflict with what the others did.
STATUS = {
    "not seated": 403,
    "no such seat": 400,
    "another hand": 403,
    "same person": 403,
    "refused": 403,
    "left": 403,
    "not asked": 403,
    "stood in": 403,
    "too many": 429,
    "too many ask": 429,
}
CONFLICT = 409
NO_SEAT = "You have no seat at this table."
NO_GAME = "Say by its number which game of the table you mean."
#: The most figures in the number of a request.
MOST_DIGITS = 18
TOO_OFTEN = "Many seats have been asked for from your address; try again in ten minutes."
TOO_MANY_GUESTS = "Many guests have come from your address; try again in ten minutes, or log in."

#: Answers a verb that was done at a table.
Answer: TypeAlias = Callable[[HttpRequest, int], HttpResponse]


@require_POST
@at_a_pace
def sit(request: HttpRequest, table_id: int) -> HttpResponse:
    """Take the seat of field `seat`; a visitor becomes a guest, whose page is loaded afresh."""
    return _come(request, table_id, asks=False)


@require_POST
@at_a_pace
def ask(request: HttpRequest, table_id: int) -> HttpResponse:
    """Ask those who play for the seat of field `seat`, or for any if that is left out.

    Who came by the table's link takes it.
    """
    if not limits.may_ask(request):
        return refused(request, TOO_OFTEN, 429, resolve_url("table", table_id))
    return _come(request, table_id, asks=True)


@require_POST
@at_a_pace
def ask_no_more(request: HttpRequest, table_id: int) -> HttpResponse:
    """Take back what was asked."""
    return _verb(request, table_id, asking.withdraw)


@require_POST
@at_a_pace
def answer(request: HttpRequest, table_id: int) -> HttpResponse:
    """Let somebody in who asks for a seat, field `let-in`, or refuse it, field `refuse`."""
    let_in = "let-in" in request.POST
    number = _number(request.POST.get("let-in" if let_in else "refuse", ""))
    if number is None:
        return refused(
            request, "Say whom to let in or to refuse.", 400, resolve_url("table", table_id)
        )
    now = timezone.now()
    return _verb(
        request,
        table_id,
        lambda table, by: asking.answer(table, by, number, let_in=let_in, now=now),
    )


def _number(text: str) -> int | None:
    """The number of a request, a proposal or a game, as a form sends it."""
    plain = text.isascii() and text.isdigit() and len(text) <= MOST_DIGITS
    return int(text) if plain else None


@require_POST
@at_a_pace
def stand(request: HttpRequest, table_id: int) -> HttpResponse:
    """Leave the table for the home page; the table's own would note that one is there again."""
    return _verb(request, table_id, seating.stand_up, gone)


@require_POST
@at_a_pace
def leave(request: HttpRequest, table_id: int) -> HttpResponse:
    """Leave game `game` for good, for the home page; a house player plays on."""
    return _of_game(request, table_id, consent.leave, gone)


@require_POST
@at_a_pace
def resign(request: HttpRequest, table_id: int) -> HttpResponse:
    """Give game `game` up for one's side; a partner is asked first."""
    return _propose(request, table_id, Proposal.Kind.RESIGN)


@require_POST
@at_a_pace
def claim(request: HttpRequest, table_id: int) -> HttpResponse:
    """Claim the rest of the hand in game `game`, if it is decided; the others are asked first."""
    return _propose(request, table_id, Proposal.Kind.CLAIM)


@require_POST
@at_a_pace
def undo(request: HttpRequest, table_id: int) -> HttpResponse:
    """Propose to undo one's last action, at the table's `version`; the others are asked first."""
    game, _, version = request.POST.get("version", "").partition(".")
    number, at, now = _number(game), _number(version), timezone.now()
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
    """Agree to a proposal, field `agree`, or decline it, field `decline`."""
    agree, now = "agree" in request.POST, timezone.now()
    number = _number(request.POST.get("agree" if agree else "decline", ""))
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
    """Take back what one has proposed in game `game`."""
    return _of_game(request, table_id, consent.withdraw)


def _of_game(
    request: HttpRequest,
    table_id: int,
    change: Callable[[Table, Player, int, datetime], object],
    answer: Answer = done,
) -> HttpResponse:
    """Do something in the game whose number is field `game`, and in no other."""
    number, now = _number(request.POST.get("game", "")), timezone.now()
    if number is None:
        return refused(request, NO_GAME, 400, resolve_url("table", table_id))
    return _verb(request, table_id, lambda table, by: change(table, by, number, now), answer)


@require_POST
@at_a_pace
def start(request: HttpRequest, table_id: int) -> HttpResponse:
    """Fill the free seats with house players and begin."""
    return _verb(request, table_id, seating.start)


@require_POST
@at_a_pace
def stand_in(request: HttpRequest, table_id: int) -> HttpResponse:
    """Ask a house player to play for the one the table waits for."""
    now = timezone.now()
    return _verb(request, table_id, lambda table, by: seating.ask_stand_in(table, by, now))


@require_POST
@at_a_pace
def take_back(request: HttpRequest, table_id: int) -> HttpResponse:
    """Play on oneself."""
    return _verb(request, table_id, seating.take_back)


@require_POST
@at_a_pace
def again(request: HttpRequest, table_id: int) -> HttpResponse:
    """Begin the next game with the same seats."""
    return _verb(request, table_id, seating.again)


def _come(request: HttpRequest, table_id: int, *, asks: bool) -> HttpResponse:
    """Let somebody take a seat, or ask for one unless they came by the table's link.

    A visitor becomes a guest if it is done.
    """
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
        position, where = int(seat) if seat else None, where_from(request)
        with known as sitter:
            if asks and not (by_link and seat):
                asking.ask(access.table, sitter, position, where, timezone.now())
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
    where: Where,
    *,
    by_link: bool,
) -> None:
    """Take a seat; before a game, ask for it if somebody who sits there has the same address."""
    try:
        seating.sit(
            table, player, position, throws_in=throws_in(request), where=where, by_link=by_link
        )
    except SeatingError as error:
        if error.code != "ask" or table.state in BEGUN:
            raise
        if not limits.may_ask(request):
            raise SeatingError("too many ask", TOO_OFTEN) from error
        asking.ask(table, player, position, where, timezone.now())


@require_safe
def join(request: HttpRequest, table_id: int, token: str) -> HttpResponse:
    """Follow an invitation link: from now on this session may see the table, and sit down there."""
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
        status = STATUS.get(error.code, CONFLICT)
        return refused(request, error.message, status, resolve_url("table", table.pk))
    return answer(request, table.pk)
