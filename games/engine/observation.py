"""What one seat, or a spectator, may know of a game: the only view anything outside is given.

An observation is an allow-list built up from nothing (``Deal.observe``); no card is in it that
its viewer has not seen. Pages, sockets, logs and house players all start from it.
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
    """Where everybody saw the turn-up go.

    Args:
        phase: the phase of the deal.
        made: whether its suit was made trump.
        dealer_sits_out: whether the dealer, who would take it up, is skipped.
    """
    if made:
        return ON_PACK if dealer_sits_out else TAKEN
    return ON_PACK if phase in (CUTTING, NAMING, FIRST_ROUND) else TURNED_DOWN


class Standing(NamedTuple):
    """How a game stands; everybody may know it.

    Attributes:
        score: points of side 0 and side 1, the present deal included once it is done.
        deal_number: 1 for the first deal of the game, thrown-in deals counted.
        deals_counted: deals finished that count towards a fixed number of deals.
        over: whether the game has ended.
        winner: the side that won it, or -1 while it is played or when it is tied.
    """

    score: tuple[int, int] = (0, 0)
    deal_number: int = 1
    deals_counted: int = 0
    over: bool = False
    winner: int = -1


#: How a game stands before its first deal.
START: Final = Standing()


class Observation(NamedTuple):
    """A deal as one viewer may know it.

    Attributes:
        rules: the rule set played.
        seat: whose view it is, or None for a spectator.
        dealer: the dealer's seat.
        phase: one of the phases above.
        turn: the seat that must act, or -1 when nobody must.
        hand: the viewer's own cards as a set; 0 for a spectator.
        held: how many cards each seat holds.
        turn_up: the card turned up, or -1 before the deal.
        turn_up_at: where that card is.
        turned_suit: the suit the turn-up offers (named by the dealer for a joker), or -1.
        calls: (seat, action) of the bidding so far, passes included.
        trump: the trump suit, ``NO_TRUMP`` before it is made.
        maker: who made it, or -1.
        alone: whether the maker plays alone.
        sitting_out: the seat that is skipped, or -1.
        discard: the card the viewer discarded, or -1.
        plays: (seat, card) on the table in the present trick.
        tricks: the complete tricks of this deal.
        legal: what the viewer may do now; empty when it is not their turn.
        result: how the deal ended, or None.
        standing: how the game stands around this deal.
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
        """The same deal as a spectator may know it."""
        return self._replace(seat=None, hand=0, discard=-1, legal=())

    @property
    def my_turn(self) -> bool:
        """Whether the viewer must act now."""
        return self.seat is not None and self.turn == self.seat

    @property
    def cards_played(self) -> int:
        """How many cards have been played in this deal."""
        return sum(len(trick.plays) for trick in self.tricks) + len(self.plays)

    @property
    def tricks_won(self) -> tuple[int, int]:
        """Tricks taken by side 0 and side 1."""
        taken = sum(1 for trick in self.tricks if self.rules.side_of(trick.winner) == 0)
        return taken, len(self.tricks) - taken
