"""What a table shows besides the cards: who sits where, and what may be asked of the table.

Plain values between ``viewing``, which fills them, and ``render``, which draws them. Nothing in
here is secret from anybody who may watch the table.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from games.engine.observation import Observation
from games.engine.rules import RuleSet
from games.engine.scoring import DealRecord
from games.live.state import Reserved, Shuffling

#: Who has a seat.
PERSON: Final = "person"
GUEST: Final = "guest"
HOUSE: Final = "house"
PROGRAM: Final = "program"
EMPTY: Final = "empty"


class SeatView(NamedTuple):
    """One seat as everybody sees it.

    Attributes:
        name: the player's name; empty when nobody has the seat.
        kind: ``PERSON``, ``GUEST``, ``HOUSE``, ``PROGRAM`` or ``EMPTY``.
        stand_in: a house player plays here for the owner.
        away: the owner has not been seen for a minute.
        awaited: at a reserved table, the owner has not come since it was opened.
        program_of: whose program it is; empty if nobody's any more, or if it is none.
        cut_for_him: the table cuts the pack for whoever plays here.
    """

    name: str
    kind: str
    stand_in: bool = False
    away: bool = False
    awaited: bool = False
    program_of: str = ""
    cut_for_him: bool = False


class Clock(NamedTuple):
    """The turn clock.

    Attributes:
        seconds: how long anybody may take.
        left: seconds left to whoever is in turn, or None when no clock runs.
    """

    seconds: int
    left: float | None


class Asks(NamedTuple):
    """Somebody who asks for a seat in the running game.

    Attributes:
        request: by which number the request is answered.
        name: who asks.
        guest: whether he has no account.
        position: the seat.
    """

    request: int
    name: str
    guest: bool
    position: int


class Scene(NamedTuple):
    """A table at one moment, the same for everybody.

    Attributes:
        table_id: the table's number.
        rules: the rule set.
        state: ``gathering``, ``shuffling``, ``playing``, ``finished`` or ``closed``.
        open: whether it stands in the lobby for everybody.
        seats: by position.
        game_id: the present game's id as text, or empty before the first.
        game_number: 1 for the first game at this table, 0 before it.
        version: the number of events of the present game.
        records: the score sheet so far.
        wait: seconds until a house player may be asked to take the seat in turn, 0 when it may
            be now, or None when that seat is not empty.
        reserved: what the table belongs to if its seats and games are given.
        clock: how long a turn may take, or None when there is no such limit.
        shuffling: the shuffle of the next game, or None where none is made yet.
        asking: who asks for a seat, in the order in which they did.
        coming: who came or left a moment ago, in a sentence, or empty.
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
    reserved: Reserved | None = None
    clock: Clock | None = None
    shuffling: Shuffling | None = None
    asking: tuple[Asks, ...] = ()
    coming: str = ""

    @property
    def stamp(self) -> str:
        """What a browser decided on: game number and version, such as ``1.17``."""
        return f"{self.game_number}.{self.version}"


class Viewer(NamedTuple):
    """Who is looking.

    Attributes:
        seat: his position, or None for a spectator.
        host: whether he made the table (he may start it, and share its link).
        invite_token: the word of the invitation link, given to seated players only.
        asked: the seat he asks for, or -1.
        refused: whether those who play have not let him in.
    """

    seat: int | None
    host: bool = False
    invite_token: str = ""
    asked: int = -1
    refused: bool = False


class View(NamedTuple):
    """All that one viewer is shown.

    Attributes:
        scene: the table.
        viewer: who is looking.
        observation: what he may know of the cards; None before the first game.
    """

    scene: Scene
    viewer: Viewer
    observation: Observation | None
