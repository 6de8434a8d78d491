"""What a table shows besides the cards: who sits where, and what may be asked of the table.

Plain values between ``viewing``, which fills them, and ``render``, which draws them. Nothing in
here is secret from anybody who may watch the table.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from games.engine.claiming import may_claim
from games.engine.observation import Observation
from games.engine.rules import RuleSet
from games.engine.scoring import DealRecord
from games.live.state import LiveShuffle, TableOwner

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
        away: the owner has gone and not come back.
        awaited: at a reserved table, the owner has not come since it was opened.
        program_of: whose program it is; empty if nobody's any more, or if it is none.
        cut_for_him: the table cuts the pack for whoever plays here.
        same_address: somebody else at the table has the same address, and one of them is a guest.
    """

    name: str
    kind: str
    stand_in: bool = False
    away: bool = False
    awaited: bool = False
    program_of: str = ""
    cut_for_him: bool = False
    same_address: bool = False


class Clock(NamedTuple):
    """The turn clock.

    Attributes:
        seconds: how long anybody may take.
        ends: when the turn is over, in seconds since 1970, or None when no clock runs.
    """

    seconds: int
    ends: float | None


class Asks(NamedTuple):
    """Somebody who asks for a seat in the running game.

    Attributes:
        request: by which number the request is answered.
        name: who asks.
        guest: whether they have no account.
        position: the seat.
    """

    request: int
    name: str
    guest: bool
    position: int


class Consent(NamedTuple):
    """What is proposed to those who play.

    Attributes:
        proposal: by which number it is answered.
        kind: ``resign``, ``claim`` or ``undo``.
        position: who proposes it.
        awaited: who has still to agree, by position.
        until: until when it can be answered, in seconds since 1970.
    """

    proposal: int
    kind: str
    position: int
    awaited: tuple[int, ...]
    until: float = 0


class Told(NamedTuple):
    """What was proposed in the present game, as its log tells it.

    Attributes:
        deal_number, cards: in which deal, and after how many of its cards.
        version: at which version of the game.
        kind: a ``Proposal.Kind``.
        state: a ``Proposal.State``; still open only while it can be answered.
        name: who proposed it.
        answered_by: the name of whoever declined it, or empty.
        card: the card that was taken back, or -1.
        replies: whether the house took cards back with it.
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
            be now, or None when that seat is not empty; with `house_after`, until it does.
        reserved: what the table belongs to if its seats and games are given.
        clock: how long a turn may take, or None when there is no such limit.
        shuffling: the shuffle of the next game, or None where none is made yet.
        asking: who asks for a seat, in the order in which they did.
        coming: who came or left a moment ago, in a sentence, or empty.
        came: who came or left last, in sentences, the latest last.
        house_after: after how many seconds the house plays for somebody who has gone; None where
            it must be asked to.
        consent: what is proposed and can be answered now, or None.
        told: what was proposed in this game, in order.
        claimed: who claimed the rest of the present hand, which is being played out, or -1.
        resigned: the side that has given the present game up, or -1.
        undo: the seats that may propose to undo their last action.
        undone_at: the version at which something was undone last in this game, or -1.
        spent: the seats that have proposed as often as they may in the present hand.
        worths: the tricks to be expected of both sides from all cards they were dealt, once the
            game is over; else None.
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
    asking: tuple[Asks, ...] = ()
    coming: str = ""
    came: tuple[str, ...] = ()
    house_after: int | None = None
    consent: Consent | None = None
    told: tuple[Told, ...] = ()
    claimed: int = -1
    resigned: int = -1
    undo: tuple[int, ...] = ()
    undone_at: int = -1
    spent: tuple[int, ...] = ()
    worths: tuple[float, float] | None = None

    @property
    def stamp(self) -> str:
        """What a browser decided on: game number and version, such as ``1.17``."""
        return f"{self.game_number}.{self.version}"


class Viewer(NamedTuple):
    """Who is looking.

    Attributes:
        seat: their position, or None for a spectator.
        host: whether they made the table (they may start it, and share its link).
        invite_token: the word of the invitation link, given to seated players only.
        asked: the seat they ask for, or -1.
        refused: whether those who play have not let the viewer in.
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
        observation: what the viewer may know of the cards; None before the first game.
    """

    scene: Scene
    viewer: Viewer
    observation: Observation | None

    @property
    def may_claim(self) -> bool:
        """Whether the viewer can claim the rest of the hand now; it rests on their view alone."""
        scene, seat, seen = self.scene, self.viewer.seat, self.observation
        if scene.state != "playing" or seat is None or seen is None:
            return False
        free = scene.consent is None and scene.claimed < 0 and seat not in scene.spent
        return free and not scene.seats[seat].stand_in and may_claim(seen)

    @property
    def may_undo(self) -> bool:
        """Whether the viewer can propose to undo their last action now."""
        scene, seat = self.scene, self.viewer.seat
        if seat is None or scene.reserved is not None or scene.seats[seat].stand_in:
            return False
        return seat in scene.undo and scene.consent is None and seat not in scene.spent
