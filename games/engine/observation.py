"""What one seat, or a spectator, may know of a game.

This is the only view code outside the engine gets: pages, sockets, logs and house players all use
it. ``Deal.observe`` builds it as an allow-list, so it holds no card that its viewer has not seen.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from games.engine.actions import Action
from games.engine.rules import RuleSet
from games.engine.scoring import DealResult
from games.engine.tricks import Trick

#: The phases of a deal, in their order.
CUTTING: Final = "cut"
NAMING: Final = "name the joker's suit"
FIRST_ROUND: Final = "first round"
SECOND_ROUND: Final = "second round"
DISCARDING: Final = "discard"
PLAYING: Final = "play"
DONE: Final = "done"

#: Where the turn-up is.
ON_PACK: Final = "on the pack"
TURNED_DOWN: Final = "turned down"
TAKEN: Final = "taken by the dealer"


def turn_up_at(phase: str, made: bool, dealer_sits_out: bool) -> str:
    """Return where the turn-up is; `dealer_sits_out` if a lone player's partner deals."""
    if made:
        return ON_PACK if dealer_sits_out else TAKEN
    return ON_PACK if phase in (CUTTING, NAMING, FIRST_ROUND) else TURNED_DOWN


class Standing(NamedTuple):
    """The score of a game and how far it has got; public.

    `score` includes the current deal once it is done, `deal_number` counts thrown-in deals and
    `deals_counted` only those that count towards a fixed number of deals. `winner` is -1 during
    the game and after a tie.
    """

    score: tuple[int, int] = (0, 0)
    deal_number: int = 1
    deals_counted: int = 0
    over: bool = False
    winner: int = -1


START: Final = Standing()


class Observation(NamedTuple):
    """A deal as one viewer may know it; -1 means that there is no such seat, suit or card.

    Attributes:
        seat: whose view it is, or None for a spectator.
        hand: the viewer's own cards as a set; 0 for a spectator.
        held: how many cards each seat holds.
        turned_suit: the suit the turn-up offers (named by the dealer for a joker).
        calls: (seat, action) of the bidding so far, passes included.
        trump: the trump suit, ``NO_TRUMP`` before it is made.
        sitting_out: the seat of the lone player's partner.
        discard: the card the viewer discarded.
        plays: (seat, card) played to the current trick.
        tricks: the complete tricks of this deal.
        legal: the viewer's legal actions; empty when it is not their turn.
    """

    rules: RuleSet
    seat: int | None
    dealer: int
    phase: str
    turn: int
    hand: int
    held: tuple[int, ...]
    turn_up: int
    turn_up_at: str
    turned_suit: int
    calls: tuple[tuple[int, Action], ...]
    trump: int
    maker: int
    alone: bool
    sitting_out: int
    discard: int
    plays: tuple[tuple[int, int], ...]
    tricks: tuple[Trick, ...]
    legal: tuple[Action, ...]
    result: DealResult | None
    standing: Standing

    @property
    def public(self) -> Observation:
        """Return the spectator's view of the same deal."""
        return self._replace(seat=None, hand=0, discard=-1, legal=())

    @property
    def my_turn(self) -> bool:
        return self.seat is not None and self.turn == self.seat

    @property
    def cards_played(self) -> int:
        return sum(len(trick.plays) for trick in self.tricks) + len(self.plays)

    @property
    def tricks_won(self) -> tuple[int, int]:
        taken = sum(1 for trick in self.tricks if self.rules.side_of(trick.winner) == 0)
        return taken, len(self.tricks) - taken
