"""Tables: listing and making them, sitting down, and playing, for programs.

A program sees what its seat sees and acts through the same functions as browsers. People see what
spectators see: those who play in person use the page.
"""

import secrets
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterator
from contextlib import aclosing, contextmanager
from typing import Annotated, Final, Literal, Self

from asgiref.sync import sync_to_async
from django.http.response import HttpResponseBase
from django.utils import timezone
from ninja import Field, Query, Router, Schema, Status
from pydantic import StringConstraints, model_validator

from games.access import Access, invitations, opens, table_for
from games.api import streaming
from games.api.callers import ApiRequest, Caller, scope_needed
from games.api.problems import ApiProblem
from games.api.table_view import SeatName, TableView, table_view
from games.api.values import NO_CONTROLS, RuleSetKey
from games.engine.rules import RULE_SETS, RuleSet
from games.engine.seats import COMPASS
from games.models import Player, Scope, Table
from games.models.tables import HOUSE_AFTER
from games.people import limits, traces
from games.people.traces import Origin
from games.picture.scene import View
from games.play import play, presence
from games.play.play import ActAnswer, Decision
from games.play.views import STATUS as ANSWER_STATUS
from games.programs import programs
from games.programs.programs import ProgramError
from games.seats import consent, lobby, seat_requests, seating
from games.seats.lobby import LobbyTable, SeatInList
from games.seats.seating import SeatingError
from games.sockets import connection_limits

router = Router(tags=["Tables"])
playing = scope_needed(Scope.PLAY)

#: The stream's response in the OpenAPI document: one of these objects per line.
STREAM_RESPONSES: Final = {
    "responses": {
        200: {
            "description": "A line for the table as it stands, again whenever it changes, and "
            '`{"heartbeat": "1.17"}` when nothing has for a while.',
            "content": {
                streaming.MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/TableView"}}
            },
        }
    }
}

#: The first part of a table's `version`.
GameNumber = Annotated[
    int,
    Field(
        description="Of the present game, as in `version`: 1 in `1.17`. For another one nothing "
        "is done, and the answer is 409 with the code `another game`.",
        ge=1,
        lt=2**31,
    ),
]
Word = Annotated[str, StringConstraints(max_length=40, pattern=NO_CONTROLS)]


class Place(Schema):
    """A seat of a table in a list."""

    seat: str
    name: str = Field(description="Empty where nobody has it.")
    house: bool
    program: bool
    guest: bool
    mine: bool

    @staticmethod
    def resolve_seat(seat: SeatInList) -> str:
        return seat.compass


class TableInList(Schema):
    """A table in a list."""

    id: int
    title: str
    rules: str = Field(description="In words, with the goal.")
    host: str
    state: str
    seats: list[Place]
    score: list[int] = Field(description="Of both sides, your own first if you sit there.")
    my_turn: bool

    @staticmethod
    def resolve_id(table: LobbyTable) -> int:
        return table.table_id

    @staticmethod
    def resolve_seats(table: LobbyTable) -> tuple[SeatInList, ...]:
        return table.places


class NewTable(Schema):
    """A table to be made."""

    rules: RuleSetKey
    open: bool = Field(True, description="In the lobby for everybody, or by invitation.")
    seat: SeatName | None = Field(None, description="Your own seat at it, if any.")
    house_after: Literal[12, 30, 60, 120] | None = Field(
        HOUSE_AFTER,
        description="After how many seconds the house plays for somebody who has gone, until they "
        "are back; null: only when it is asked to.",
    )
    house_level: Literal["steady", "strong"] = Field(
        "strong", description="How strong the house players of the table are."
    )
    house_seats: list[SeatName] = Field([], description="Seats for house players.", max_length=4)


class Invitation(Schema):
    """The word that lets somebody in."""

    invitation: Word = Field("", description="Needed at a table by invitation, once.")


class NewRequest(Schema):
    """A seat asked for."""

    seat: SeatName | None = Field(None, description="Which; null for any.")
    invitation: Word = Field("", description="Needed at a table by invitation.")


class RequestAnswer(Schema):
    """Whether somebody is let in."""

    let_in: bool


class NewProposal(Schema):
    """What is proposed to the others."""

    kind: Literal["resign", "claim", "undo"] = Field(
        description="To give the game up for your side; to play the rest of the hand out, whose "
        "result cannot change; to undo what you did last."
    )
    game: GameNumber
    version: int | None = Field(
        None,
        description="Of the game, as in the table’s `version`: 17 in `1.17`. Needed to undo: what "
        "was done before it. For another one nothing is done, and the answer is 409 with the code "
        "`moved on`.",
        ge=0,
        lt=2**31,
    )

    @model_validator(mode="after")
    def _undo_needs_version(self) -> Self:
        if self.kind == "undo" and self.version is None:
            raise ValueError("To undo something, say at which version of the game: version.")
        return self


class ProposalAnswer(Schema):
    """Whether you agree."""

    agree: bool


class OfGame(Schema):
    """In which game."""

    game: GameNumber


class Leaving(Schema):
    """How a seat is left."""

    for_good: bool = Field(
        False, description="In a running game: do not come back, and let a house player have it."
    )
    game: GameNumber | None = Field(None, description="Which one, by its number; `for_good` only.")


class NewAction(Schema):
    """What you decide."""

    action: Word = Field(
        description="Such as `pass`, `order alone`, `make H` or `play 9D`; by some rules also "
        "`make NT`, `swap 9C TC 9D`, `fold`, `give 9C`, `best AD`, `defend` or `decline`."
    )
    version: Word = Field(description="The table's version it was decided on.")
    key: Annotated[str, StringConstraints(min_length=1, max_length=36)] | None = Field(
        None, description="Your own name for this decision: sent again it is not done again."
    )


class Done(Schema):
    """What an action led to."""

    version: str = Field(description="The table's, right after the action.")
    table: TableView


@router.get("", response=list[TableInList])
def tables(
    request: ApiRequest,
    open: Annotated[  # noqa: A002
        bool, Query(description="Only those with a seat that can be taken.")
    ] = True,
) -> list[LobbyTable]:
    """The tables of the lobby: your own, those that wait for players, those where a game is on.

    A game at which nobody who plays has been for three minutes is listed to its players alone.
    """
    lists = lobby.lobby_for(request.auth.player)
    lines = (*lists.yours, *lists.waiting, *lists.running)
    return [line for line in lines if line.free or not open]


@router.post("", response={201: TableView}, auth=playing)
async def make_table(request: ApiRequest, body: NewTable) -> Status[TableView]:
    """Make a table; its game begins at once when no seat is free."""
    program, rules = request.auth.acting, RULE_SETS[body.rules]

    @sync_to_async
    def make() -> Table:
        with _problems():
            programs.check_may_sit(program)
            if not limits.may_make_table(request):
                raise ApiProblem(429, "too many tables", "Many tables were made from your address.")
            return seating.make_table(
                program,
                rules,
                open=body.open,
                house_seats=[_position(rules, name) for name in body.house_seats],
                seat=_position(rules, body.seat) if body.seat else None,
                house_after=body.house_after,
                house_level=body.house_level,
            )

    table = await make()
    return Status(201, await _changed(table.pk, request.auth))


@router.get("/{num:table_id}", response=TableView)
async def table(request: ApiRequest, table_id: int, invited: Query[Invitation]) -> TableView:
    """A table: as its seat sees it for a program, as a spectator does for everybody else."""
    await sync_to_async(_reach)(request.auth, table_id, invited.invitation)
    return await _seen(table_id, request.auth)


@router.post("/{num:table_id}/seats/{seat}", response=TableView, auth=playing)
async def sit_down(
    request: ApiRequest, table_id: int, seat: SeatName, body: Invitation
) -> TableView:
    """Take a free seat or a house player's; your own, to play on after a house player has.

    The last free seat taken begins the game. While a game is played this needs the table's
    invitation, else the answer is 409 with the code `ask`: ask for the seat.
    """
    program, where = request.auth.acting, Origin(address=request.auth.address)

    def sit(access: Access) -> None:
        table = access.table
        programs.check_may_sit(program, table)
        position, by_link = _position(table.rules, seat), opens(body.invitation, table)
        seating.sit(table, program, position, where=where, by_link=by_link)

    return await _done(request.auth, table_id, sit, body.invitation)


@router.post("/{num:table_id}/requests", response={201: TableView}, auth=playing)
async def ask_for_seat(request: ApiRequest, table_id: int, body: NewRequest) -> Status[TableView]:
    """Ask those who play for a free seat or a house player's in the running game.

    It counts for five minutes. Who has asked already asks for another seat.
    """
    if not await sync_to_async(limits.may_ask)(request):
        raise ApiProblem(429, "too many ask", "Many seats were asked for from your address.")
    program, where = request.auth.acting, Origin(address=request.auth.address)

    def ask(access: Access) -> None:
        table = access.table
        position = _position(table.rules, body.seat) if body.seat else None
        programs.check_may_sit(program, table)
        seat_requests.ask(table, program, position, where, timezone.now())

    return Status(201, await _done(request.auth, table_id, ask, body.invitation))


@router.delete("/{num:table_id}/requests", response={204: None}, auth=playing)
async def ask_no_more(request: ApiRequest, table_id: int) -> Status[None]:
    """Take back what you have asked for."""
    program = request.auth.acting
    await _do(request.auth, table_id, lambda access: seat_requests.withdraw(access.table, program))
    return Status(204, None)


@router.post("/{num:table_id}/requests/{num:request_id}", response=TableView, auth=playing)
async def answer_request(
    request: ApiRequest, table_id: int, request_id: int, body: RequestAnswer
) -> TableView:
    """Let somebody in who asks for a seat at a table where you sit, or refuse it."""
    program, let_in, now = request.auth.acting, body.let_in, timezone.now()
    return await _done(
        request.auth,
        table_id,
        lambda access: seat_requests.answer(
            access.table, program, request_id, let_in=let_in, now=now
        ),
    )


@router.post("/{num:table_id}/proposals", response={201: TableView}, auth=playing)
async def propose(request: ApiRequest, table_id: int, body: NewProposal) -> Status[TableView]:
    """Propose something to those who play; it is done at once where nobody is to be asked.

    One at a time, each seat twice a hand. It counts for a minute, a claim no longer than your turn
    and until you play on, an undo until anybody acts. Games of an event cannot be given up,
    and what is played there stands. The same again changes nothing.
    """
    program = request.auth.acting

    def propose(access: Access) -> None:
        now = timezone.now()
        if body.kind == "undo" and body.version is not None:
            consent.undo(access.table, program, body.game, body.version, now)
        else:
            consent.propose(access.table, program, body.kind, body.game, now)

    return Status(201, await _done(request.auth, table_id, propose))


@router.post("/{num:table_id}/proposals/{num:proposal_id}", response=TableView, auth=playing)
async def answer_proposal(
    request: ApiRequest, table_id: int, proposal_id: int, body: ProposalAnswer
) -> TableView:
    """Agree to what is proposed, or decline it, if you are among those awaited."""
    program, agree, now = request.auth.acting, body.agree, timezone.now()
    return await _done(
        request.auth,
        table_id,
        lambda access: consent.answer(access.table, program, proposal_id, agree=agree, now=now),
    )


@router.delete("/{num:table_id}/proposals", response={204: None}, auth=playing)
async def withdraw_proposal(request: ApiRequest, table_id: int, of: Query[OfGame]) -> Status[None]:
    """Take back what you have proposed."""
    program, now = request.auth.acting, timezone.now()
    await _do(
        request.auth,
        table_id,
        lambda access: consent.withdraw(access.table, program, of.game, now),
    )
    return Status(204, None)


@router.delete("/{num:table_id}/seats/{seat}", response={204: None}, auth=playing)
async def stand_up(
    request: ApiRequest, table_id: int, seat: SeatName, how: Query[Leaving]
) -> Status[None]:
    """Leave the table; during a game the seat stays yours, and a house player may be asked in.

    With `for_good` it does not: a house player has it, and you cannot come back to this game, which
    counts for you as it ends; that needs the number of the `game`. The same again changes nothing.
    """
    program = request.auth.acting
    if how.for_good and how.game is None:
        raise ApiProblem(400, "malformed", "Say by its number which game you leave for good.")

    def stand_up(access: Access) -> None:
        left = how.for_good and access.seat is None
        if not left and access.seat != _position(access.table.rules, seat):
            raise ApiProblem(403, "not seated", f"{seat} is not your seat.")
        if how.for_good and how.game is not None:
            consent.leave(access.table, program, how.game, timezone.now())
        else:
            seating.stand_up(access.table, program)

    await _do(request.auth, table_id, stand_up)
    return Status(204, None)


@router.post("/{num:table_id}/games", response=TableView, auth=playing)
async def begin_game(request: ApiRequest, table_id: int) -> TableView:
    """Begin the first game or another one; house players take the seats that are free.

    A game that is being played is left as it is.
    """
    program = request.auth.acting

    def begin(access: Access) -> None:
        gathers = access.table.state == Table.State.GATHERING
        (seating.start if gathers else seating.again)(access.table, program)

    return await _done(request.auth, table_id, begin)


@router.post("/{num:table_id}/actions", response=Done, auth=playing)
async def act(request: ApiRequest, table_id: int, body: NewAction) -> Done:
    """Do something at the table; once this is answered it is stored for good.

    A problem's `code` is `stale`, `out of turn`, `illegal`, `malformed`, `not seated` or `failed`;
    it comes with the `table` as it stands.
    """
    caller = request.auth
    await sync_to_async(_reach)(caller, table_id, "", must_play=True)
    key = body.key or secrets.token_hex(16)
    decision = Decision(body.action, body.version, key)
    answer = await play.to_its_end(play.act(table_id, caller.acting.pk, decision))
    view = await _seen(table_id, caller)
    if answer.kind != play.DONE:
        raise refused(answer, view)
    return Done(version=answer.stamp, table=view)


@router.get("/{num:table_id}/stream", auth=playing, openapi_extra=STREAM_RESPONSES)
async def table_stream(
    request: ApiRequest, table_id: int, invited: Query[Invitation]
) -> HttpResponseBase:
    """The table as your seat sees it, now and whenever it changes, a line of JSON each time.

    Each line is the whole table; whoever reads slowly is not sent what lies between. It ends when
    the token is revoked.
    """
    caller = request.auth
    await sync_to_async(_reach)(caller, table_id, invited.invitation, must_play=True)
    slot = streaming.take_slot(caller.token) if caller.token is not None else None
    if caller.token is None or slot is None:
        raise ApiProblem(
            429, "too many streams", f"A token has {streaming.MAX_STREAMS} streams at most."
        )
    views = streaming.views(table_id, caller.acting, caller.token)
    return streaming.streamed(request, _lines(views, slot))


async def _lines(
    views: AsyncGenerator[View | None, None], slot: connection_limits.ConnectionSlot
) -> AsyncIterator[bytes]:
    """Yield a line for each view that differs from the last, and one for each heartbeat."""
    before: TableView | None = None
    with slot:
        async with aclosing(views):
            async for view in views:
                now = table_view(view) if view is not None else None
                if now is None:
                    version = before.version if before else ""
                    yield f'{{"heartbeat": "{version}"}}\n'.encode()
                elif now != before:
                    before = now
                    yield f"{now.model_dump_json()}\n".encode()


async def _seen(table_id: int, caller: Caller) -> TableView:
    """Return the table as the caller may see it; a program that was away is marked as back."""
    program = _program(caller)
    if program is None:
        return table_view(await play.seen(table_id, None))
    await play.came_back(table_id, program.pk)
    return table_view(await play.seen(table_id, program.pk))


async def _done(
    caller: Caller, table_id: int, verb: Callable[[Access], object], word: str = ""
) -> TableView:
    await _do(caller, table_id, verb, word)
    return await _changed(table_id, caller)


async def _changed(table_id: int, caller: Caller) -> TableView:
    """Load the change that was just stored into this process and return the table."""
    await play.catch_up(table_id)
    return await _seen(table_id, caller)


def _program(caller: Caller) -> Player | None:
    player = caller.player
    return player if player and player.kind == Player.Kind.PROGRAM else None


def _reach(caller: Caller, table_id: int, word: str, *, must_play: bool = False) -> Access:
    """Return the caller's access to a table; note the presence of a program that sits there."""
    access = table_for(caller.player, table_id, token=word, invited=invitations(caller.session))
    if must_play:
        with _problems():
            programs.check_is_program(caller.acting)
    program = _program(caller)
    if program is not None and not access.spectator:
        presence.record_visit(table_id, program.pk)
        traces.record(access.table, program, Origin(address=caller.address))
    return access


@sync_to_async
def _do(caller: Caller, table_id: int, verb: Callable[[Access], object], word: str = "") -> None:
    """Call `verb` with a program's access to a table; `word` is the table's invitation, if any."""
    access = _reach(caller, table_id, word, must_play=True)
    with _problems():
        verb(access)


def _position(rules: RuleSet, name: str) -> int:
    names = COMPASS[rules.players]
    if name not in names:
        raise ApiProblem(422, "no such seat", f"There is no {name} here, but {', '.join(names)}.")
    return names.index(name)


@contextmanager
def _problems() -> Iterator[None]:
    try:
        yield
    except (SeatingError, ProgramError) as error:
        raise ApiProblem(error.status, error.code, error.message) from error


def refused(answer: ActAnswer, view: TableView) -> ApiProblem:
    return ApiProblem(
        ANSWER_STATUS[answer.kind],
        answer.kind,
        answer.message,
        version=answer.stamp,
        table=view.model_dump(mode="json"),
    )
