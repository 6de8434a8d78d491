"""The tables in play in this process: each kept as it stands, rebuilt from the log when needed.

What is kept here may be forgotten at any moment. Whatever a table's game is, replaying its
events gives the same. The database is asked by way of `loop.in_database`: no request ends
here, so nothing else would ever replace a connection that the server has dropped.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Final, NamedTuple, TypeAlias
from uuid import UUID

from games.engine.actions import parse_action
from games.engine.game import Game
from games.engine.observation import Observation
from games.engine.rules import RuleSet
from games.models import Game as GameRow
from games.models import GameEvent, Player, Seat, SeatRequest, Shuffle, Table
from games.models.tables import BEFORE_A_GAME, BEGUN
from games.shuffle.dealing import auto_cut_of, packs_of
from games.sockets import loop, news
from games.sockets.hub import Heard

_Event: TypeAlias = tuple[int, int, str, str | None, datetime]

#: How many tables a process keeps; the one not used for longest is forgotten first.
KEPT: Final = 4096


@dataclass(slots=True)
class Sitter:
    """Who has a seat, as the database says it.

    Attributes:
        player_id: who, or None when the seat is free.
        name: the player's name, or empty.
        house: whether a house player has the seat for good.
        guest: whether its person has no account.
        stand_in: whether a house player plays for its person.
        cut_for_me: whether the pack is cut for the player.
        since: when its person sat down or took it back.
        last_seen: when its person was last here.
        program: whether a program from outside has the seat.
        program_of: whose program it is, or empty.
    """

    player_id: int | None
    name: str
    house: bool
    guest: bool
    stand_in: bool
    cut_for_me: bool
    since: datetime
    last_seen: datetime
    program: bool = False
    program_of: str = ""

    @property
    def automatic(self) -> bool:
        """Whether a house player acts here."""
        return self.house or self.stand_in


class Asking(NamedTuple):
    """A request for a seat, as the database says it.

    Attributes:
        request_id, player_id, name, guest, position: who asks for which.
        asked: when.
        refused: whether those who play have not let him in.
    """

    request_id: int
    player_id: int
    name: str
    guest: bool
    position: int
    asked: datetime
    refused: bool


class Coming(NamedTuple):
    """Somebody came to the table or left it.

    Attributes:
        what: ``CAME``, ``LEFT`` or ``BACK`` of `games.models.tables`.
        name: who, as he was called then.
        position: to or from which seat.
        at: when, in seconds since 1970.
    """

    what: str
    name: str
    position: int
    at: float


class Reserved(NamedTuple):
    """What a table belongs to whose seats and games are given.

    Attributes:
        title: the table's name.
        back: the path of the page it belongs to.
    """

    title: str
    back: str


class Shuffling(NamedTuple):
    """The shuffle of the next game.

    Attributes:
        match: its id as text, which the game will have.
        commitment: the server's, in hexadecimal.
        frozen: whether the seats' commitments are.
        commitments: those of the seats, in hexadecimal, or empty; shown once they are frozen.
        told: which seats have told their number.
    """

    match: str
    commitment: str
    frozen: bool
    commitments: tuple[str, ...]
    told: tuple[bool, ...]

    def asks(self, seat: int) -> str:
        """What is awaited from a seat's browser: its ``commitment``, its ``number`` or nothing."""
        if not self.frozen:
            return "" if self.commitments[seat] else "commitment"
        return "number" if self.commitments[seat] and not self.told[seat] else ""


@dataclass(slots=True)
class Playing:
    """The present game of a table.

    Attributes:
        id, number: which game it is.
        engine: the game itself.
        keys: the client keys stored in it, each with its seat and version.
        auto_cut: the automatic cut of a deal, numbered from 0.
        moved: when its last event was stored.
    """

    id: UUID
    number: int
    engine: Game
    keys: dict[str, tuple[int, int]]
    auto_cut: Callable[[int], int]
    moved: datetime


@dataclass(slots=True, eq=False, weakref_slot=True)
class Live:
    """A table as it stands.

    Attributes:
        table_id: which table.
        rules, state, open, host_id, invite_token: what its row says.
        seats: who sits, by position.
        playing: the present or last game, or None before the first.
        reserved: what it belongs to if its seats are given.
        called: when its players were, if its seats are given.
        turn_seconds: how long somebody may take to act, or None.
        shuffling: the shuffle of the next game, if it is made.
        requests: who asks for a seat in the running game, or was refused one.
        comings: who came or left last.
        lock: held while an action is checked and stored.
        timer: what makes the table act by itself in this process.
        heard: what ``news.hearing`` said before it was last read from the database.
    """

    table_id: int
    rules: RuleSet
    state: str
    open: bool
    host_id: int
    invite_token: str
    seats: tuple[Sitter, ...]
    playing: Playing | None
    reserved: Reserved | None = None
    called: datetime | None = None
    turn_seconds: int | None = None
    shuffling: Shuffling | None = None
    requests: tuple[Asking, ...] = ()
    comings: tuple[Coming, ...] = ()
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    timer: asyncio.TimerHandle | None = None
    heard: int | None = None

    @property
    def stamp(self) -> str:
        """The game number and version, such as ``1.17``."""
        playing = self.playing
        return f"{playing.number}.{playing.engine.version}" if playing else "0.0"

    def seat_of(self, player_id: int | None) -> int | None:
        """The seat a player has here, or None."""
        if player_id is None:
            return None
        for position, sitter in enumerate(self.seats):
            if sitter.player_id == player_id:
                return position
        return None


_tables: OrderedDict[int, Live] = OrderedDict()
_loading: dict[int, asyncio.Future[Live]] = {}


async def get(table_id: int) -> Live:
    """A table as it stands, from memory or else rebuilt; call it without the table's lock.

    What is kept is asked for again where another process's news of it can have been missed.

    Raises:
        Table.DoesNotExist: there is no such table.
    """
    live = _tables.get(table_id)
    if live is not None:
        _tables.move_to_end(table_id)
        if live.heard is None or live.heard != news.hearing():
            async with live.lock:
                await refresh(live)
        return live
    loading = _loading.get(table_id)
    if loading is None:
        loading = _loading[table_id] = asyncio.ensure_future(_load(table_id))
        loading.add_done_callback(lambda _: _loading.pop(table_id, None))
    return await asyncio.shield(loading)


async def look_again(table_id: int) -> None:
    """Bring what is kept of a table up to date with the database; call it without its lock.

    The news of a change may come later than the page to which a plain form leads.
    """
    live = _tables.get(table_id)
    if live is not None:
        async with live.lock:
            await refresh(live)


def kept(table_id: int) -> Live | None:
    """A table if this process keeps it."""
    return _tables.get(table_id)


def keeps(table_id: int) -> bool:
    """Whether this process keeps a table, or is about to."""
    return table_id in _tables or table_id in _loading


def play_on(live: Live, event: Heard) -> bool:
    """Play an event another process has stored; False if that cannot be here.

    Call it with the table's lock held and at the version the event was decided on.
    """
    playing = live.playing
    if playing is None:
        return False
    at = datetime.fromtimestamp(event.at, tz=UTC)
    version = playing.engine.version + 1
    _catch_up(playing, [(version, event.seat, event.action, event.key, at)])
    live.state = Table.State.FINISHED if playing.engine.standing.over else live.state
    return True


async def _load(table_id: int) -> Live:
    heard = news.hearing()
    live = await loop.in_database(_read, table_id)
    live.heard = heard
    _tables[table_id] = live
    while len(_tables) > KEPT:
        _tables.popitem(last=False)
    return live


async def refresh(live: Live) -> None:
    """Bring a table up to date with the database; call it with the table's lock held."""
    playing, heard = live.playing, news.hearing()
    known = (playing.id, playing.engine.version) if playing else None
    fresh, events = await loop.in_database(_read_news, live.table_id, known)
    live.state, live.open, live.host_id = fresh.state, fresh.open, fresh.host_id
    live.turn_seconds = fresh.turn_seconds
    live.rules = live.rules if live.rules == fresh.rules else fresh.rules  # the same one if it can
    live.seats, live.shuffling, live.heard = fresh.seats, fresh.shuffling, heard
    live.requests, live.comings = fresh.requests, fresh.comings
    if fresh.playing is not None or playing is None:
        live.playing = fresh.playing
    else:
        _catch_up(playing, events)


def forget(table_id: int) -> None:
    """Drop what is kept of a table; the next look rebuilds it."""
    live = _tables.pop(table_id, None)
    if live is not None and live.timer is not None:
        live.timer.cancel()


def forget_all() -> None:
    """Drop everything kept."""
    for table_id in list(_tables):
        forget(table_id)
    _loading.clear()


def _read(table_id: int) -> Live:
    """A table with its latest game, rebuilt from the log."""
    row = _latest_game(table_id)
    live = _read_table(table_id)
    if row is not None:
        live.playing = _rebuild(row)
    return live


def _read_news(table_id: int, known: tuple[UUID, int] | None) -> tuple[Live, list[_Event]]:
    """A table, and what has happened since a known game and version.

    The game comes whole if it is another one, else as its later events.
    """
    row = _latest_game(table_id)
    live = _read_table(table_id)
    if row is None or known is None or row.pk != known[0] or row.version < known[1]:
        live.playing = _rebuild(row) if row is not None else None
        return live, []
    return live, _events(row, known[1])


def _read_table(table_id: int) -> Live:
    table = Table.objects.get(pk=table_id)
    seats = Seat.objects.filter(table=table).select_related("player__owner").order_by("position")
    return Live(
        table_id=table.pk,
        rules=table.rules,
        state=table.state,
        open=table.open,
        host_id=table.host_id,
        invite_token=table.invite_token,
        seats=tuple(_sitter(seat) for seat in seats),
        playing=None,
        reserved=Reserved(table.title, table.back) if table.reserved else None,
        called=table.created if table.reserved else None,
        turn_seconds=table.turn_seconds,
        shuffling=_read_shuffle(table, seats) if table.state in BEFORE_A_GAME else None,
        requests=_read_requests(table),
        comings=tuple(Coming(*one) for one in table.comings),
    )


def _read_requests(table: Table) -> tuple[Asking, ...]:
    if table.reserved or table.state not in BEGUN:
        return ()
    requests = SeatRequest.objects.filter(table=table).select_related("player")
    return tuple(
        Asking(
            one.pk, one.player_id, one.player.name, one.player.guest, one.position, one.asked,
            one.refused,
        )
        for one in requests
    )  # fmt: skip


def _read_shuffle(table: Table, seats: Iterable[Seat]) -> Shuffling | None:
    shuffle = Shuffle.objects.filter(table=table).defer("secret").first()
    if shuffle is None:
        return None
    owners = {seat.position: seat.player_id for seat in seats}
    thrown = {
        one.position: one
        for one in shuffle.contributions.all()
        if one.player_id == owners[one.position]  # not of one who has left the seat
    }
    return Shuffling(
        match=str(shuffle.pk),
        commitment=bytes(shuffle.commitment).hex(),
        frozen=shuffle.frozen is not None,
        commitments=tuple(
            bytes(thrown[seat].commitment).hex() if seat in thrown else "" for seat in owners
        ),
        told=tuple(seat in thrown and thrown[seat].number is not None for seat in owners),
    )


def _sitter(seat: Seat) -> Sitter:
    player = seat.player
    return Sitter(
        player_id=seat.player_id,
        name=player.name if player else "",
        house=player is not None and player.kind == Player.Kind.HOUSE,
        guest=player is not None and player.guest,
        stand_in=seat.stand_in,
        cut_for_me=player is None or player.cut_for_me,
        since=seat.since,
        last_seen=seat.last_seen,
        program=player is not None and player.kind == Player.Kind.PROGRAM,
        program_of=player.owner.name if player and player.owner else "",
    )


def _latest_game(table_id: int) -> GameRow | None:
    """A table's present or last game.

    Read it before the seats: a seat that changes hands between games then shows its new owner
    the old game, never its old owner the new one.
    """
    return GameRow.objects.filter(table=table_id).order_by("-number").first()


def _rebuild(row: GameRow) -> Playing:
    engine = Game(row.rules, row.first_dealer, packs_of(row))
    playing = Playing(row.pk, row.number, engine, {}, auto_cut_of(row), row.moved)
    _catch_up(playing, _events(row, 0))
    return playing


def _events(row: GameRow, after: int) -> list[_Event]:
    later = GameEvent.objects.filter(game=row, seq__gt=after).order_by("seq")
    return list(later.values_list("seq", "seat", "action", "client_key", "at"))


def stored_before(table_id: int, number: int, player_id: int | None, key: str) -> int | None:
    """The number of the event a player stored under a key in one of a table's games, or None."""
    events = GameEvent.objects.filter(game__table=table_id, game__number=number)
    return events.filter(player=player_id, client_key=key).values_list("seq", flat=True).first()


def _catch_up(playing: Playing, events: list[_Event]) -> None:
    """Play what has been stored meanwhile; what is known already is skipped."""
    for seq, seat, action, key, at in events:
        if seq == playing.engine.version + 1:
            playing.engine.push(parse_action(action))
            playing.moved = at
            if key is not None:
                playing.keys[key] = (seat, seq)


def deal_ends(row: GameRow) -> list[Observation]:
    """Every finished deal of a game as a spectator saw it when it ended, in order."""
    engine = Game(row.rules, row.first_dealer, packs_of(row))
    views = []
    for _, _, action, _, _ in _events(row, 0):
        engine.push(parse_action(action))
        if engine.deal.result is not None:
            views.append(engine.observe())
    return views
