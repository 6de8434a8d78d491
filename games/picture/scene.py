"""Everything about a table except the cards: seats, clock, requests and proposals.

``viewing`` makes these from the live table and ``values`` turns them into the page's values. They
hold nothing that is secret from spectators.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from games.bots.levels import STEADY
from games.engine.claiming import may_claim
from games.engine.observation import CUTTING, NAMING, Observation
from games.engine.rules import RuleSet
from games.engine.scoring import DealRecord
from games.live.state import LiveShuffle, TableOwner

#: Phases of a deal in which no hint can be asked for: nobody has seen a card yet.
BLIND: Final = frozenset((CUTTING, NAMING))
#: Kinds of players in a seat.
PERSON: Final = "person"
GUEST: Final = "guest"
HOUSE: Final = "house"
PROGRAM: Final = "program"
EMPTY: Final = "empty"


class SeatView(NamedTuple):
    """A seat as everybody sees it; `name` is empty if it is free.

    kind: ``PERSON``, ``GUEST``, ``HOUSE``, ``PROGRAM`` or ``EMPTY``. stand_in: a house player is
    playing for the seat's owner. away: the owner has left and not come back. awaited: at a reserved
    table, the owner has not arrived yet. same_address: another player has the same IP address, and
    one of the two is a guest.
    """

    name: str
    kind: str
    stand_in: bool = False
    away: bool = False
    awaited: bool = False
    program_of: str = ""
    auto_cut: bool = False
    same_address: bool = False


class Clock(NamedTuple):
    """The turn clock; `ends` is Unix time, or None if no clock is running."""

    seconds: int
    ends: float | None


class SeatRequest(NamedTuple):
    """A request for a seat; `comes`: between two hands, unless it is refused."""

    request: int
    name: str
    guest: bool
    position: int
    comes: bool = False


class Consent(NamedTuple):
    """The proposal that `awaited` seats must answer before it lapses, in Unix time."""

    proposal: int
    kind: str
    position: int
    awaited: tuple[int, ...]
    until: float = 0


class ProposalEntry(NamedTuple):
    """A proposal of the current game and its outcome, as the log shows it.

    cards: how many of the deal's cards had been played. kind, state: of `Proposal`; open only while
    it can be answered. answered_by: the player who declined it, or empty. card: the one that was
    taken back, or -1. replies: house players' cards were taken back as well.
    """

    deal_number: int
    cards: int
    version: int
    kind: str
    state: str
    name: str
    answered_by: str
    card: int = -1
    replies: bool = False


class Scene(NamedTuple):
    """A table at one moment, the same for every viewer.

    Attributes:
        state: ``gathering``, ``shuffling``, ``playing``, ``finished`` or ``closed``.
        game_number: 1 for the first game at this table, 0 (and no `game_id`) before it.
        wait: if the player in turn is away, the seconds until a house player may be asked to play
            (or, with ``house_after``, will play); 0 if one may be asked now; else None.
        shuffling: the shuffle of the next game, or None before it begins.
        arrivals: sentences about those who have just come or left, latest last.
        house_after: seconds after which a house player steps in for a player who is away; None if
            players must ask for one.
        house_level: how strong house players are here (``games.bots.levels``).
        claimed: the seat that claimed the rest of the hand, which is being played out, or -1.
        resigned: the side that resigned the game, or -1.
        undo: the seats that may propose to undo their last action.
        undone_at: the version of the latest undo in this game, or -1.
        spent: the seats that have used up their proposals for this hand.
        hand_values: tricks that each side's cards were worth in all deals; None until the end.
        sealed: other tables still play these deals, so that the pages of the game are closed.
        delayed: this is the table as it was two hands ago.
        practice: nothing of this game counts.
        alone: the seat of a person whom only house players play with, or -1.
        house_replied: what that person may undo has been answered by house players.
        spectators: how many people without a seat watch, as last counted.
        gained: of a solo table, what each finished deal that counts brought its person's side.
    """

    table_id: int
    rules: RuleSet
    state: str
    open: bool
    seats: tuple[SeatView, ...]
    game_id: str = ""
    game_number: int = 0
    version: int = 0
    records: tuple[DealRecord, ...] = ()
    wait: int | None = None
    reserved: TableOwner | None = None
    clock: Clock | None = None
    shuffling: LiveShuffle | None = None
    requests: tuple[SeatRequest, ...] = ()
    arrival: str = ""
    arrivals: tuple[str, ...] = ()
    house_after: int | None = None
    house_level: str = STEADY
    consent: Consent | None = None
    proposals: tuple[ProposalEntry, ...] = ()
    claimed: int = -1
    resigned: int = -1
    undo: tuple[int, ...] = ()
    undone_at: int = -1
    spent: tuple[int, ...] = ()
    hand_values: tuple[float, float] | None = None
    sealed: bool = False
    delayed: bool = False
    practice: bool = False
    alone: int = -1
    house_replied: bool = False
    spectators: int = 0
    gained: tuple[int, ...] = ()

    @property
    def solo(self) -> bool:
        return self.reserved is not None and self.reserved.solo

    @property
    def veiled(self) -> bool:
        """Return True if a finished deal is gone from its own player's sight until it opens."""
        return self.solo and self.sealed

    @property
    def stamp(self) -> str:
        """The game number and version that a browser's action refers to, such as ``1.17``."""
        return f"{self.game_number}.{self.version}"

    def may_undo(self, seat: int | None) -> bool:
        if seat is None or seat not in self.undo:
            return False
        free = self.reserved is None and self.consent is None and seat not in self.spent
        return free and not self.seats[seat].stand_in


class Viewer(NamedTuple):
    """Who is looking at a table; `seat` is None for a spectator.

    host: they created the table, so they may start it and share its link. invite_token: only for
    seated players and the host. asked: the seat they have requested, or -1. listener: the id of a
    player who only watches, as each of them may hear something else; else 0.
    """

    seat: int | None
    host: bool = False
    invite_token: str = ""
    asked: int = -1
    refused: bool = False
    listener: int = 0


class Talk(NamedTuple):
    """What one viewer hears (`games.talk.rooms.Heard`), and may say; `why` not more."""

    rows: tuple[dict[str, Any], ...] = ()
    spoken: tuple[str, ...] = ("", "", "", "")
    phrases: bool = False
    free: bool = False
    why: str = ""


class View(NamedTuple):
    """Everything one viewer may see; ``observation`` is None before the first game.

    watching: the names of spectators that the viewer sees.
    """

    scene: Scene
    viewer: Viewer
    observation: Observation | None
    talk: Talk = Talk()
    watching: tuple[str, ...] = ()

    @property
    def may_claim(self) -> bool:
        scene, seat, seen = self.scene, self.viewer.seat, self.observation
        if seat is None or seen is None or not seen.my_turn or scene.state != "playing":
            return False
        if scene.solo:
            return False
        free = scene.consent is None and scene.claimed < 0 and seat not in scene.spent
        return free and not scene.seats[seat].stand_in and may_claim(seen)

    @property
    def rated(self) -> bool:
        """Whether the table's game is a rated quick game."""
        return self.scene.reserved is not None and self.scene.reserved.rated

    @property
    def may_hint(self) -> bool:
        """Return True if the viewer may ask what the house would do (`games.hints`)."""
        scene, seat, seen = self.scene, self.viewer.seat, self.observation
        if seat is None or seen is None or scene.alone != seat or scene.state != "playing":
            return False
        may_choose = len(seen.legal) > 1 and seen.phase not in BLIND
        return seen.my_turn and scene.claimed < 0 and may_choose

    @property
    def may_undo(self) -> bool:
        return self.scene.may_undo(self.viewer.seat)
