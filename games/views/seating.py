"""The verbs of a table by plain forms: sit, ask for a seat, answer that, stand, start and more."""

from collections.abc import Callable
from contextlib import nullcontext
from typing import TypeAlias

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, resolve_url
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe
from django_htmx.http import HttpResponseClientRefresh

from games.access import invitations, opens, remember_invitation, table_for
from games.models import Player, Table
from games.services import asking, identity, limits, seating
from games.services.seating import SeatingError
from games.views.answers import by_script, done, gone, refused, throws_in, where_from

#: How each refusal reads as a status; any other is a conflict with what the others did.
STATUS = {
    "not seated": 403,
    "no such seat": 400,
    "another hand": 403,
    "refused": 403,
    "too many ask": 429,
}
CONFLICT = 409
NO_SEAT = "You have no seat at this table."
#: The most figures in the number of a request.
MOST_DIGITS = 18
TOO_OFTEN = "Many seats have been asked for from your address; try again in ten minutes."
TOO_MANY = "Many guests have come from your address; try again in ten minutes, or log in."

#: Answers a verb that was done at a table.
Answer: TypeAlias = Callable[[HttpRequest, int], HttpResponse]
#: Takes a seat at a table for a player or asks for it: request, table, player, seat, by its link.
Coming: TypeAlias = Callable[[HttpRequest, Table, Player, int | None, bool], None]


@require_POST
def sit(request: HttpRequest, table_id: int) -> HttpResponse:
    """Take the seat of field `seat`; a visitor becomes a guest, whose page is loaded afresh."""
    return _come(request, table_id, _sit)


@require_POST
def ask(request: HttpRequest, table_id: int) -> HttpResponse:
    """Ask those who play for the seat of field `seat`, or for any if that is left out.

    Who came by the table's link takes it.
    """
    if not limits.may_ask(request):
        return refused(request, TOO_OFTEN, 429, resolve_url("table", table_id))
    return _come(request, table_id, _ask)


@require_POST
def ask_no_more(request: HttpRequest, table_id: int) -> HttpResponse:
    """Take back what was asked."""
    return _verb(request, table_id, asking.withdraw)


@require_POST
def answer(request: HttpRequest, table_id: int) -> HttpResponse:
    """Let somebody in who asks for a seat, field `let-in`, or refuse it, field `refuse`."""
    let_in = "let-in" in request.POST
    number = request.POST.get("let-in" if let_in else "refuse", "")
    if not (number.isascii() and number.isdigit() and len(number) <= MOST_DIGITS):
        return refused(
            request, "Say whom to let in or to refuse.", 400, resolve_url("table", table_id)
        )
    now = timezone.now()
    return _verb(
        request,
        table_id,
        lambda table, by: asking.answer(table, by, int(number), let_in=let_in, now=now),
    )


@require_POST
def stand(request: HttpRequest, table_id: int) -> HttpResponse:
    """Leave the table for the home page; the table's own would note that one is there again."""
    return _verb(request, table_id, seating.stand_up, gone)


@require_POST
def start(request: HttpRequest, table_id: int) -> HttpResponse:
    """Fill the free seats with house players and begin."""
    return _verb(request, table_id, seating.start)


@require_POST
def stand_in(request: HttpRequest, table_id: int) -> HttpResponse:
    """Ask a house player to play for the one the table waits for."""
    now = timezone.now()
    return _verb(request, table_id, lambda table, by: seating.ask_stand_in(table, by, now))


@require_POST
def take_back(request: HttpRequest, table_id: int) -> HttpResponse:
    """Play on oneself."""
    return _verb(request, table_id, seating.take_back)


@require_POST
def again(request: HttpRequest, table_id: int) -> HttpResponse:
    """Begin the next game with the same seats."""
    return _verb(request, table_id, seating.again)


def _come(request: HttpRequest, table_id: int, verb: Coming) -> HttpResponse:
    """Let somebody take a seat or ask for one; a visitor becomes a guest if it is done."""
    player = identity.player_of(request)
    access = table_for(player, table_id, invited=invitations(request.session))
    seat = request.POST.get("seat", "")
    if len(seat) > 1 or (seat and not (seat.isascii() and seat.isdigit())):
        return refused(request, "This table has no such seat.", 400, resolve_url("table", table_id))
    if player is None and not limits.may_make_guest(request):
        return refused(request, TOO_MANY, 429, resolve_url("table", table_id))

    def come() -> None:
        known = nullcontext(player) if player else identity.new_guest(request.session)
        by_link = access.host or table_id in invitations(request.session)
        with known as sitter:
            verb(request, access.table, sitter, int(seat) if seat else None, by_link)

    response = _answer(request, access.table, come)
    new_here = player is None and response.status_code < 400
    return HttpResponseClientRefresh() if new_here and by_script(request) else response


def _sit(
    request: HttpRequest, table: Table, player: Player, position: int | None, by_link: bool
) -> None:
    if position is None:
        raise SeatingError("no such seat", "This table has no such seat.")
    seating.sit(
        table,
        player,
        position,
        throws_in=throws_in(request),
        where=where_from(request),
        by_link=by_link,
    )


def _ask(
    request: HttpRequest, table: Table, player: Player, position: int | None, by_link: bool
) -> None:
    if by_link and position is not None:
        _sit(request, table, player, position, by_link)
    else:
        asking.ask(table, player, position, where_from(request), timezone.now())


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
