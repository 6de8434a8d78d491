"""Live tables of this process: a cache of their state, which is rebuilt from the database."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Final, NamedTuple, TypeAlias
from uuid import UUID

from django.db.models import Exists, OuterRef, Prefetch, QuerySet, prefetch_related_objects

from games.bots.levels import STEADY
from games.bots.worth import of_sides
from games.engine.actions import UNDO, Action, parse_action
from games.engine.errors import IllegalActionError
from games.engine.game import Game
from games.engine.observation import Observation
from games.engine.rules import RuleSet
from games.engine.shuffle import NOTHING
from games.live import remote_events
from games.live.remote_events import RemoteEvents
from games.models import Game as GameRow
from games.models import GameEvent, Player, Proposal, Seat, SeatRequest, Shuffle, Table
from games.models.proposals import MAX_IN_PRACTICE, MAX_PER_HAND
from games.models.tables import BEFORE_A_GAME
from games.people import traces
from games.shuffle import shared
from games.shuffle.dealing import packs_of
from games.sockets import hub, loop, news
from games.sockets.batching import Batcher
from games.sockets.hub import StoredEvent
from games.talk import rooms
from games.talk.rooms import Room

_Event: TypeAlias = tuple[int, int, str, str | None, datetime, int | None]

#: Most tables a process caches; the least recently used is dropped first.
KEPT: Final = 4096
#: Most tables read and replayed at once.
READ: Final = 20


@dataclass(slots=True)
class Sitter:
    """Occupant of a seat, as stored.

    Attributes:
        player_id: None when the seat is free.
        house: a house player has the seat for good.
        stand_in: a house player plays for the person.
        quick: the player wants house players without delay.
        same_address: another player here has this address, and one of the two is a guest.
        since: when the person sat down or took the seat back.
        missing_since: since when the person has been gone; None while here.
        program_of: name of the owner of the program here, or empty.
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
    missing_since: datetime | None = None
    quick: bool = False
    same_address: bool = False

    @property
    def automatic(self) -> bool:
        return self.house or self.stand_in

    @property
    def here(self) -> bool:
        """Return True if an external player (person or program) has the seat and is not gone."""
        return self.player_id is not None and not self.house and self.missing_since is None


class LiveSeatRequest(NamedTuple):
    request_id: int
    player_id: int
    name: str
    guest: bool
    position: int
    asked: datetime
    refused: bool
    sits_from: datetime | None = None


class SeatChange(NamedTuple):
    """A player who ``CAME``, ``LEFT`` or came ``BACK`` (`games.models.tables`), at a Unix time."""

    what: str
    name: str
    position: int
    at: float


class LiveProposal(NamedTuple):
    """A proposal of the current game; `answered_by` is the name of the player who declined it."""

    proposal_id: int
    kind: str
    position: int
    player_id: int
    name: str
    until: datetime
    deal_number: int
    version: int
    cards: int
    state: str
    agreed: tuple[int, ...]
    answered_by: str


class TableOwner(NamedTuple):
    """What a reserved table belongs to; `rated`: to nothing, its game is a rated quick game.

    solo: `Table.solo`; its deals open at `closes`, in Unix time, at the earliest.
    """

    title: str
    back: str
    rated: bool = False
    solo: bool = False
    closes: float | None = None


class LiveShuffle(NamedTuple):
    """Shuffle of the next game; `commitment` and `commitments` are in hexadecimal.

    match: also the id of the coming game, unless the deals are shared by several tables. Then
    `commitments` and `told` are those of the seats of all tables, this table's from `first` on.
    commitments: by seat, or empty; public once `frozen`, when no more are accepted. told: seats
    that have revealed their number; only this table's are known.
    """

    match: str
    commitment: str
    frozen: bool
    commitments: tuple[str, ...]
    told: tuple[bool, ...]
    first: int = 0

    def asks(self, seat: int) -> str:
        """Return what a seat's browser must send: its ``commitment``, its ``number`` or nothing."""
        place = self.first + seat
        if not self.frozen:
            return "" if self.commitments[place] else "commitment"
        return "number" if self.commitments[place] and not self.told[place] else ""


@dataclass(slots=True)
class LiveGame:
    """Current game of a table.

    keys: seat and version by client key. auto_cut: the automatic cut of a deal, numbered from 0.
    position: of a solo table, what the choices of its house players follow from (`Packs.position`).
    moved: when its last event was stored. actors: player id of each action still in effect, in
    order; None for a house player or the table.
    """

    id: UUID
    number: int
    engine: Game
    keys: dict[str, tuple[int, int]]
    auto_cut: Callable[[int], int]
    moved: datetime
    position: Callable[[Observation], bytes] | None = None
    worths: tuple[float, float] | None = None
    actors: list[int | None] = field(default_factory=list)

    def record(self, action: Action, player_id: int | None, at: datetime) -> None:
        self.moved = at
        if action.kind == UNDO:
            del self.actors[-action.value :]
        else:
            self.actors.append(player_id)

    @property
    def dealt(self) -> tuple[float, float] | None:
        """Return the expected tricks of both sides from all hands dealt; None during the game.

        It depends on hidden cards and must stay secret while the game goes on.
        """
        if self.worths is None and self.engine.standing.over:
            of_deals = [of_sides(deal.rules, deal.start[0]) for deal in self.engine.deals]
            self.worths = (sum(one for one, _ in of_deals), sum(other for _, other in of_deals))
        return self.worths


@dataclass(slots=True, eq=False, weakref_slot=True)
class Live:
    """State of a table.

    Attributes:
        playing: the current or last game; None before the first.
        called: when the players of reserved seats were called.
        house_after: seconds of absence after which the house takes over; None: never.
        house_level: how strong its house players are, one of ``games.bots.levels``.
        sealed: other tables still play its deals.
        delayed: whoever has no seat sees a running game two hands later.
        requests: those that are open or were declined in the current game.
        resigned: the side that has resigned the current game, or -1.
        for_practice: nothing of the current game counts; see `Game.for_practice`.
        lock: held while an action is checked and stored.
        timer: triggers the table's next automatic action in this process.
        look: refreshes the page when an absence has lasted long enough or a proposal lapses.
        heard: `hub.subscription` before the last read from the database.
        talk: the rule of `Table.talk`.
        room: what has been said lately; None until somebody is here to hear it.
        remote: events of other processes that are not played on yet.
        unread: changes that have not been read from the database yet. Until they are, nothing is
            shown: somebody may have left their seat, and must not see its next hand.
    """

    table_id: int
    rules: RuleSet
    state: str
    open: bool
    host_id: int
    invite_token: str
    seats: tuple[Sitter, ...]
    playing: LiveGame | None
    reserved: TableOwner | None = None
    called: datetime | None = None
    turn_seconds: int | None = None
    house_after: int | None = None
    house_level: str = STEADY
    sealed: bool = False
    delayed: bool = False
    shuffling: LiveShuffle | None = None
    requests: tuple[LiveSeatRequest, ...] = ()
    seat_changes: tuple[SeatChange, ...] = ()
    proposals: tuple[LiveProposal, ...] = ()
    resigned: int = -1
    for_practice: bool = False
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    timer: asyncio.TimerHandle | None = None
    look: asyncio.TimerHandle | None = None
    heard: tuple[int, int] | None = None
    talk: str = Table.Talk.FREE
    room: Room | None = None
    room_asked: int = 0
    room_read: int = 0
    remote: RemoteEvents = field(default_factory=RemoteEvents)
    unread: int = 0

    @property
    def alone(self) -> bool:
        """Return True if there is no other process."""
        return self.heard == news.ALONE

    def forget_room(self) -> None:
        """Drop what was said at the table, and what is being read of it; it is read again."""
        self.room, self.room_read = None, self.room_asked

    @property
    def stamp(self) -> str:
        """Return the game number and version, such as ``1.17``."""
        playing = self.playing
        return f"{playing.number}.{playing.engine.version}" if playing else "0.0"

    @property
    def last_key(self) -> str | None:
        playing = self.playing
        if playing is None or not playing.keys:
            return None
        key, (_, version) = next(reversed(playing.keys.items()))
        return key if version == playing.engine.version else None

    @property
    def solo(self) -> bool:
        return self.reserved is not None and self.reserved.solo

    @property
    def veiled(self) -> bool:
        """Return True if a finished deal is gone from its own player's sight until it opens."""
        return self.solo and self.sealed

    @property
    def practice(self) -> bool:
        """Return True if nothing of the current game counts, as `Game.practice`."""
        return self.for_practice

    def is_alone_with_the_house(self, seat: int) -> bool:
        """Return True if the seat's person plays here themself, and all others are house players.

        Never at the table of an event, whose games count, and never where a program plays.
        """
        sitter = self.seats[seat]
        person = sitter.player_id is not None and not sitter.automatic and not sitter.program
        others = (one for at, one in enumerate(self.seats) if at != seat)
        return person and self.reserved is None and all(one.house for one in others)

    @property
    def claimed(self) -> int:
        """Return the seat whose claim in the current hand was accepted, or -1."""
        if not self.proposals or self.playing is None:
            return -1
        if self.playing.engine.deal.result is not None:
            return -1
        number = self.playing.engine.standing.deal_number
        for one in self.proposals:
            agreed = one.kind == Proposal.Kind.CLAIM and one.state == Proposal.State.AGREED
            if agreed and one.deal_number == number:
                return one.position
        return -1

    @property
    def quick(self) -> bool:
        people = [one for one in self.seats if one.here and not one.program]
        return bool(people) and all(one.quick for one in people)

    @property
    def undoing(self) -> LiveProposal | None:
        if not self.proposals:
            return None
        made = [one for one in self.proposals if one.kind != Proposal.Kind.LEAVE]
        last = made[-1] if made else None
        if last is None or (last.kind, last.state) != (Proposal.Kind.UNDO, Proposal.State.AGREED):
            return None
        if self.playing is None or self.playing.engine.version != last.version:
            return None
        sitter = self.seats[last.position]
        same = sitter.player_id == last.player_id and not sitter.stand_in
        return last if same and self.since_own_last(last.position) else None

    def undone_by(self, seat: int) -> int:
        """Return how many actions a seat may propose to undo, or 0."""
        playing = self.playing
        if playing is None or self.state != Table.State.PLAYING or self.claimed >= 0:
            return 0
        for one in self.proposals:
            if (one.kind, one.version) == (Proposal.Kind.UNDO, playing.engine.version):
                return 0
        count = self.since_own_last(seat)
        acted = playing.actors[-count:] if count else []
        mine = bool(acted) and acted[0] is not None and acted[0] == self.seats[seat].player_id
        return count if mine and not any(acted[1:]) else 0

    def since_own_last(self, seat: int) -> int:
        """Count the actions since a seat's last own one, inclusive, if they can be undone; else 0.

        Outside events, later actions of house players are undone as well.
        """
        if self.playing is None:
            return 0
        house: Collection[int] = ()
        if self.reserved is None:
            house = [at for at, one in enumerate(self.seats) if one.house]
        return len(self.playing.engine.undone_by(seat, house))

    def acted_lately(self) -> tuple[int, ...]:
        """Return the seats that can have something to undo: all, or the last to act among people.

        Nobody takes back what another person has answered, unless the dealer only discarded.
        """
        if self.playing is None or any(one.house for one in self.seats):
            return tuple(range(len(self.seats)))
        return self.playing.engine.last_to_act

    def proposal(self, now: datetime) -> LiveProposal | None:
        asked = [one for one in self.proposals if one.kind != Proposal.Kind.LEAVE]
        last = asked[-1] if asked else None
        if last is None or self.playing is None or self.state != Table.State.PLAYING:
            return None
        engine = self.playing.engine
        stands = (
            last.version == engine.version
            if last.kind in Proposal.AT_ONCE
            else last.deal_number == engine.standing.deal_number
        )
        return last if last.state == Proposal.State.OPEN and stands and now < last.until else None

    def has_proposed(self, seat: int) -> bool:
        number = self.playing.engine.standing.deal_number if self.playing else 0
        made = sum(
            one.position == seat and one.deal_number == number and one.kind != Proposal.Kind.LEAVE
            for one in self.proposals
        )
        return made >= self.most_proposals(seat)

    def most_proposals(self, seat: int) -> int:
        """Return how many proposals a seat may make in one hand."""
        free = self.practice and self.is_alone_with_the_house(seat)
        return MAX_IN_PRACTICE if free else MAX_PER_HAND

    def awaited(self, proposal: LiveProposal) -> tuple[int, ...]:
        """Return the seats that have yet to agree to a proposal.

        House players agree to everything. A stand-in agrees only to a claim, which changes no
        result: nobody resigns for an absent player.
        """
        if proposal.kind == Proposal.Kind.RESIGN:
            partner = self.rules.partner_of(proposal.position)
            asked = [] if partner is None or self.seats[partner].house else [partner]
        else:
            asked = [
                seat
                for seat, sitter in enumerate(self.seats)
                if seat != proposal.position and not sitter.automatic
            ]
        return tuple(seat for seat in asked if seat not in proposal.agreed)

    def play_on(self, event: StoredEvent) -> None:
        """Apply an event stored by another process, at the version it was decided on.

        Call with the lock held. Raise EngineError if it is not possible here.
        """
        playing = self.playing
        if playing is None:
            raise IllegalActionError("There is no game at this table.")
        engine, action = playing.engine, parse_action(event.action)
        engine.push(action, event.seat if event.seat >= 0 else None)
        playing.record(action, event.player_id, datetime.fromtimestamp(event.at, tz=UTC))
        if event.key is not None:
            playing.keys[event.key] = (event.seat, engine.version)
        self.state = Table.State.FINISHED if engine.standing.over else self.state

    def seat_of(self, player_id: int | None) -> int | None:
        if player_id is None:
            return None
        for position, sitter in enumerate(self.seats):
            if sitter.player_id == player_id:
                return position
        return None


_tables: OrderedDict[int, Live] = OrderedDict()
_loading: dict[int, asyncio.Future[Live]] = {}


async def get(table_id: int) -> Live:
    """Return a table from the cache or rebuilt; call without the table's lock.

    A cached table is refreshed if messages from other processes may have been missed. Raise
    Table.DoesNotExist.
    """
    live = _tables.get(table_id)
    if live is not None:
        _tables.move_to_end(table_id)
        if not _is_current(live):
            await hub.joined(table_id)
            async with live.lock:
                if not _is_current(live):
                    await refresh(live)
        return live
    loading = _loading.get(table_id)
    if loading is None or loading.get_loop() is not asyncio.get_running_loop():
        loading = _loading[table_id] = asyncio.ensure_future(_load(table_id))
        loading.add_done_callback(lambda _: _loading.pop(table_id, None))
    return await asyncio.shield(loading)


async def listen(live: Live, player_ids: Collection[int | None], *, again: bool = False) -> bool:
    """Have a table know what has been said, and what these people hear of it.

    again: read it even if it knows. Return False if nothing was read.
    """
    asking = {one for one in player_ids if one is not None}
    if live.room is not None:
        if not again and asking <= live.room.known:
            return False
        asking |= live.room.known
    while True:
        live.room_asked += 1
        asked = live.room_asked
        room = await _reading_rooms.ask((live.table_id, frozenset(asking)))
        if asked > live.room_read:  # else what was asked for later has been read before
            live.room, live.room_read = room, asked
        if live.room is not None:
            return True
        # It was forgotten while it was being read: read it again.


_reading_rooms: Final = Batcher[tuple[int, frozenset[int]], Room](rooms.read, most=READ)


async def look_again(table_id: int) -> None:
    """Refresh a cached table from the database; call without its lock.

    The message about a change can arrive later than the page a form redirects to.
    """
    live = _tables.get(table_id)
    if live is not None:
        async with live.lock:
            await refresh(live)


def kept(table_id: int) -> Live | None:
    return _tables.get(table_id)


def heard_by(player_id: int) -> list[int]:
    """Return the tables here at which a player hears, or has heard, what is said."""
    return [
        table_id
        for table_id, live in _tables.items()
        if live.room is not None and player_id in live.room.known
    ]


def keeps(table_id: int) -> bool:
    return table_id in _tables or table_id in _loading


def note_change(table_id: int) -> None:
    """Note that a table has changed in the database; call on the event loop."""
    live = _tables.get(table_id)
    if live is not None:
        live.unread += 1
        live.remote.moved.set()


def _is_current(live: Live) -> bool:
    """Return True if all messages since the last read have been received, and none says to read."""
    if live.unread or live.heard is None:
        return False
    return live.alone or live.heard == hub.subscription(live.table_id)


async def _load(table_id: int) -> Live:
    await hub.joined(table_id)
    heard = hub.subscription(table_id)
    live = await _reading.ask(table_id)
    live.heard = heard
    _tables[table_id] = live
    while len(_tables) > KEPT:
        _tables.popitem(last=False)
    return live


_reading: Final = Batcher[int, Live](
    lambda asked: {one: Table.DoesNotExist() for one in asked} | read_all(asked), most=READ
)


async def refresh(live: Live) -> None:
    """Refresh a table from the database; call with the table's lock held."""
    playing, heard, unread = live.playing, hub.subscription(live.table_id), live.unread
    remote, live.remote.early = live.remote, {}  # what has come is stored, so it is read
    known = (playing.id, playing.engine.version) if playing and not remote.misfit else None
    fresh, events = await loop.in_database(_read_news, live.table_id, known)
    live.state, live.open, live.host_id = fresh.state, fresh.open, fresh.host_id
    live.reserved, live.called = fresh.reserved, fresh.called
    live.turn_seconds, live.house_after = fresh.turn_seconds, fresh.house_after
    live.sealed, live.delayed, live.talk = fresh.sealed, fresh.delayed, fresh.talk
    live.rules = live.rules if live.rules == fresh.rules else fresh.rules  # keep identity
    if [one.player_id for one in live.seats] != [one.player_id for one in fresh.seats]:
        live.forget_room()  # who plays must not hear those who watch
    live.seats, live.shuffling, live.heard = fresh.seats, fresh.shuffling, heard
    live.requests, live.seat_changes = fresh.requests, fresh.seat_changes
    live.proposals, live.resigned = fresh.proposals, fresh.resigned
    live.for_practice = fresh.for_practice
    if fresh.playing is not None or playing is None:
        live.playing = fresh.playing
    else:
        _catch_up(playing, events)
    remote.misfit = False
    live.unread -= unread
    remote_events.play_on(live)
    remote.moved.set()


def forget(table_id: int) -> None:
    live = _tables.pop(table_id, None)
    for timer in (live.timer, live.look) if live is not None else ():
        if timer is not None:
            timer.cancel()


def forget_all() -> None:
    for table_id in list(_tables):
        forget(table_id)
    _loading.clear()


def read(table_id: int) -> Live:
    """Replay a table's latest game from the log, without caching; raise Table.DoesNotExist."""
    live = read_all([table_id]).get(table_id)
    if live is None:
        raise Table.DoesNotExist
    return live


def read_all(table_ids: Collection[int]) -> dict[int, Live]:
    games, lives = _read_rows(table_ids)
    events = _events(games.values())
    for table_id, row in games.items():
        live = lives[table_id]
        live.playing = _rebuild(row, events[row.pk], solo=live.solo)
    return lives


def _read_news(table_id: int, known: tuple[UUID, int] | None) -> tuple[Live, list[_Event]]:
    """Read a table, and the events since a known game and version; all of another game."""
    games, lives = _read_rows([table_id])
    live, row = lives.get(table_id), games.get(table_id)
    if live is None:
        raise Table.DoesNotExist
    if row is None:
        return live, []
    if known is None or row.pk != known[0] or row.version < known[1]:
        live.playing = _rebuild(row, _events([row])[row.pk], solo=live.solo)
        return live, []
    return live, _events([row], known[1])[row.pk]


def _read_rows(table_ids: Collection[int]) -> tuple[dict[int, GameRow], dict[int, Live]]:
    """Return the current or last games of some tables by table, and the tables without their games.

    Games are read before seats: if a seat changes hands between two games, its new owner may then
    see the old game, but its old owner never sees the new one.
    """
    later = GameRow.objects.filter(table=OuterRef("table"), number__gt=OuterRef("number"))
    proposals = Prefetch("proposals", _proposals())
    rows = GameRow.objects.filter(~Exists(later), table__in=table_ids).prefetch_related(proposals)
    games = {row.table_id: row for row in rows}
    seats = Seat.objects.select_related("player__owner").order_by("position")
    tables = Table.objects.filter(pk__in=table_ids).select_related("shared_deals")
    tables = tables.defer("shared_deals__secret").prefetch_related(Prefetch("seats", seats))
    open_ones = [table for table in tables if not table.reserved]
    requests = SeatRequest.objects.select_related("player")
    prefetch_related_objects(open_ones, Prefetch("requests", requests), "traces")
    lives = {table.pk: _live(table) for table in tables}
    for table_id, row in games.items():
        lives[table_id].proposals = tuple(map(_proposed, row.proposals.all()))
        lives[table_id].resigned = row.resigned
        lives[table_id].for_practice = row.for_practice
    return games, lives


def _live(table: Table) -> Live:
    seats = table.seats.all()
    sitters = tuple(_sitter(seat) for seat in seats)
    people = {one.player_id for one in sitters if one.player_id is not None and not one.house}
    guests = {one.player_id for one in sitters if one.player_id is not None and one.guest}
    seen = () if table.reserved else table.traces.all()
    near = traces.same_address([one for one in seen if one.player_id in people], guests)
    for one in sitters:
        one.same_address = one.player_id in near
    return Live(
        table_id=table.pk,
        rules=table.rules,
        state=table.state,
        open=table.open,
        host_id=table.host_id,
        invite_token=table.invite_token,
        seats=sitters,
        playing=None,
        reserved=_owner(table),
        called=table.created if table.reserved else None,
        turn_seconds=table.turn_seconds,
        house_after=None if table.reserved else table.house_after,
        house_level=table.house_level,
        sealed=table.sealed,
        delayed=table.delayed,
        talk=table.talk,
        shuffling=_read_shuffle(table, seats) if table.state in BEFORE_A_GAME else None,
        requests=_read_requests(table),
        seat_changes=_read_seat_changes(table, seats),
    )


def _owner(table: Table) -> TableOwner | None:
    if not table.reserved:
        return None
    opens_from = table.shared_deals.opens_from if table.shared_deals is not None else None
    closes = opens_from.timestamp() if opens_from is not None else None
    return TableOwner(table.title, table.back, table.rated, table.solo, closes)


def _read_seat_changes(table: Table, seats: Iterable[Seat]) -> tuple[SeatChange, ...]:
    names = {seat.player_id: seat.player.name for seat in seats if seat.player is not None}
    gone = {player for _what, player, *_where in table.comings} - names.keys()
    if gone:
        names.update(Player.objects.filter(pk__in=gone).values_list("pk", "name"))
    return tuple(
        SeatChange(what, names.get(player, ""), position, at)
        for what, player, position, at in table.comings
    )


def proposals_in(game_id: UUID) -> tuple[LiveProposal, ...]:
    return tuple(map(_proposed, _proposals().filter(game=game_id)))


def _proposals() -> QuerySet[Proposal]:
    return Proposal.objects.order_by("pk").select_related("player", "answered_by")


def _proposed(one: Proposal) -> LiveProposal:
    return LiveProposal(
        one.pk, one.kind, one.position, one.player_id, one.player.name, one.until,
        one.deal_number, one.version, one.cards, one.state, tuple(one.agreed),
        one.answered_by.name if one.answered_by else "",
    )  # fmt: skip


def _read_requests(table: Table) -> tuple[LiveSeatRequest, ...]:
    if table.reserved or table.state == Table.State.CLOSED:
        return ()
    return tuple(
        LiveSeatRequest(
            one.pk, one.player_id, one.player.name, one.player.guest, one.position, one.asked,
            one.refused, one.sits_from,
        )
        for one in table.requests.all()
    )  # fmt: skip


def _read_shuffle(table: Table, seats: Iterable[Seat]) -> LiveShuffle | None:
    rows = Shuffle.objects.filter(table=table).select_related("table__shared_deals")
    shuffle = rows.defer("secret", "table__shared_deals__secret").first()
    if shuffle is None:
        return None
    owners = {seat.position: seat.player_id for seat in seats}
    thrown = {
        one.position: one
        for one in shuffle.contributions.all()
        if one.player_id == owners[one.position]  # leaves out those of former occupants
    }
    deals, first = shuffle.table.shared_deals, shuffle.table.first_place
    count = deals.seats if deals else len(owners)
    commitments = [""] * count
    told = [False] * count
    for seat, one in thrown.items():
        commitments[first + seat] = bytes(one.commitment).hex()
        told[first + seat] = one.number is not None
    if deals and deals.frozen is not None:
        promised = shared.frozen_commitments(deals)
        commitments = ["" if one == NOTHING else one.hex() for one in promised]
    return LiveShuffle(
        match=str(shuffle.match),
        commitment=bytes(shuffle.commitment).hex(),
        frozen=shuffle.frozen is not None,
        commitments=tuple(commitments),
        told=tuple(told),
        first=first,
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
        missing_since=seat.missing_since,
        quick=player is not None and player.quick,
    )


def _rebuild(row: GameRow, events: Iterable[_Event], *, solo: bool) -> LiveGame:
    packs = packs_of(row)
    engine = Game(row.rules, row.first_dealer, packs)
    position = packs.position if solo else None
    playing = LiveGame(row.pk, row.number, engine, {}, packs.cut, row.moved, position)
    _catch_up(playing, events)
    return playing


def _events(rows: Collection[GameRow], after: int = 0) -> dict[UUID, list[_Event]]:
    found: dict[UUID, list[_Event]] = {row.pk: [] for row in rows}
    later = GameEvent.objects.filter(game__in=found, seq__gt=after).order_by("game", "seq")
    columns = later.values_list("game", "seq", "seat", "action", "client_key", "at", "player")
    for game, seq, seat, action, key, at, player in columns:
        found[game].append((seq, seat, action, key, at, player))
    for row in rows:
        if row.version > after and not found[row.pk]:  # archived
            found[row.pk] = [
                (one.seq, one.seat, one.action, None, one.at, one.player)
                for one in row.stored_events()
                if one.seq > after
            ]
    return found


def stored_before(table_id: int, number: int, player_id: int | None, key: str) -> int | None:
    events = GameEvent.objects.filter(game__table=table_id, game__number=number)
    return events.filter(player=player_id, client_key=key).values_list("seq", flat=True).first()


def _catch_up(playing: LiveGame, events: Iterable[_Event]) -> None:
    for seq, seat, text, key, at, player_id in events:
        if seq == playing.engine.version + 1:
            action = parse_action(text)
            playing.engine.push(action)
            playing.record(action, player_id, at)
            if key is not None:
                playing.keys[key] = (seat, seq)


def played_again(
    row: GameRow,
) -> tuple[list[Observation], dict[int, tuple[Action, ...]]]:
    """Replay a finished game: each deal as a spectator saw it at its end, and `Game.undone`."""
    engine = Game(row.rules, row.first_dealer, packs_of(row))
    views = []
    for _, _, text, *_ in _events([row])[row.pk]:
        engine.push(parse_action(text))
        if engine.deal.result is not None:
            views.append(engine.observe())
    return views, engine.undone
