"""What one seat, or a spectator, may know of a game.

This is the only view code outside the engine gets: pages, sockets, logs and house players all use
it. ``Deal.observe`` builds it as an allow-list, so it holds no card that its viewer has not seen.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from games.engine.actions import GIVE, SWAP, Action, without_cards
from games.engine.cards import BIT
from games.engine.rules import RuleSet
from games.engine.scoring import DealResult
from games.engine.tricks import Trick

#: The phases of a deal, in their order.
CUTTING: Final = "cut"
NAMING: Final = "name the joker's suit"
SWAPPING: Final = "farmer's hand"
FOLDING: Final = "fold"
FIRST_ROUND: Final = "first round"
SECOND_ROUND: Final = "second round"
DISCARDING: Final = "discard"
ASKING: Final = "partner's best"
GIVING: Final = "best card"
DEFENDING: Final = "defend alone"
PLAYING: Final = "play"
DONE: Final = "done"

#: Where the turn-up is.
ON_PACK: Final = "on the pack"
TURNED_DOWN: Final = "turned down"
TAKEN: Final = "taken by the dealer"


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

    def after(self, rules: RuleSet, result: DealResult) -> Standing:
        """Return the standing once the current deal has ended."""
        north, east = self.score
        north += result.points if result.side == 0 else 0
        east += result.points if result.side == 1 else 0
        counted = self.deals_counted + (result.makers >= 0 or rules.thrown_in_counts)
        over = is_over(rules, (north, east), counted)
        winner = int(east > north) if over and north != east else -1
        return Standing((north, east), self.deal_number, counted, over, winner)


def is_over(rules: RuleSet, score: tuple[int, int], counted: int) -> bool:
    """Return True if a game has ended at a score, after so many deals that count."""
    if rules.target is not None:
        return max(score) >= rules.target
    return counted == rules.deals


START: Final = Standing()


class Observation(NamedTuple):
    """A deal as one viewer may know it; -1 means that there is no such seat, suit or card.

    Attributes:
        seat: whose view it is, or None for a spectator.
        hand: the viewer's own cards as a set; 0 for a spectator.
        held: how many cards each seat holds.
        turned_suit: the suit the turn-up offers (named by the dealer for a joker).
        calls: (seat, action) of the bidding so far, passes included.
        trump: the trump suit, ``UNNAMED`` before it is made.
        sitting_out: the seats that do not play: the lone maker's partner, then the lone defender's.
        defender: who defends alone.
        answers: (seat, action) of the answers to the other questions of a hand: a farmer's hand,
            folding, the partner's best, defending alone. Where the viewer may not see the cards of
            an action, it has none (``without_cards``).
        folded: the cards of a hand that was folded, as a set.
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
    sitting_out: tuple[int, ...]
    defender: int
    answers: tuple[tuple[int, Action], ...]
    folded: int
    discard: int
    plays: tuple[tuple[int, int], ...]
    tricks: tuple[Trick, ...]
    legal: tuple[Action, ...]
    result: DealResult | None
    standing: Standing

    @property
    def public(self) -> Observation:
        """Return the spectator's view of the same deal."""
        answers = tuple([(seat, without_cards(action)) for seat, action in self.answers])
        return self._replace(seat=None, hand=0, discard=-1, legal=(), answers=answers)

    @property
    def put_away(self) -> int:
        """Return the cards that the viewer knows to be out of play, as a set."""
        cards = BIT[self.discard] if self.discard >= 0 else 0
        for _, action in self.answers:
            if action.kind == SWAP:
                cards |= action.value
            elif action.kind == GIVE and action.value >= 0:
                cards |= BIT[action.value]
        return cards

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
