"""The verbs of a table by plain forms: sit, stand, start, stand in, take back, again, join."""

from collections.abc import Callable
from typing import TypeAlias

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe
from django_htmx.http import HttpResponseClientRefresh

from games.access import invitations, remember_invitation, table_for
from games.models import Player, Table
from games.services import identity, seating
from games.services.seating import SeatingError
from games.views.answers import by_script, done, gone, refused, throws_in

#: How each refusal reads as a status; any other is a conflict with what the others did.
STATUS = {"not seated": 403, "no such seat": 400}
CONFLICT = 409

#: Answers a verb that was done at a table.
Answer: TypeAlias = Callable[[HttpRequest, int], HttpResponse]


@require_POST
def sit(request: HttpRequest, table_id: int) -> HttpResponse:
    """Take the seat of field `seat`; a visitor becomes a guest, whose page is loaded afresh."""
    player = identity.player_of(request)
    table = table_for(player, table_id, invited=invitations(request.session)).table
    seat = request.POST.get("seat", "")
    if not (seat.isascii() and seat.isdigit() and len(seat) == 1):
        return refused(request, "This table has no such seat.", 400, table_id)
    sitter = player or identity.make_guest(request.session)
    response = _answer(
        request, table, lambda: seating.sit(table, sitter, int(seat), throws_in=throws_in(request))
    )
    new_here = player is None and response.status_code < 400
    return HttpResponseClientRefresh() if new_here and by_script(request) else response


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


@require_safe
def join(request: HttpRequest, table_id: int, token: str) -> HttpResponse:
    """Follow an invitation link: from now on this session may see the table."""
    player = identity.player_of(request)
    table = table_for(player, table_id, token=token).table
    if not table.open:
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
        return refused(request, "You have no seat at this table.", 403, table_id)
    return _answer(request, table, lambda: change(table, player), answer)


def _answer(
    request: HttpRequest, table: Table, change: Callable[[], object], answer: Answer = done
) -> HttpResponse:
    try:
        change()
    except SeatingError as error:
        return refused(request, error.message, STATUS.get(error.code, CONFLICT), table.pk)
    return answer(request, table.pk)
