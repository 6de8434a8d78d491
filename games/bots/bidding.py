"""Bidding: whether to order up, make trump or play alone."""

from __future__ import annotations

from math import inf
from typing import Final, NamedTuple

from games.bots.keeping import discard_from
from games.bots.memory import BEATEN_BY
from games.bots.worth import (
    NO_TRUMP_ALONE,
    NO_TRUMP_WITH_PARTNER,
    WITH_PARTNER,
    WITHOUT_PARTNER,
    chances,
    tricks_of,
)
from games.engine.actions import MAKE, PASSED, Action
from games.engine.cards import HIGH, LOW, UNNAMED, is_joker, next_suit
from games.engine.observation import FIRST_ROUND, Observation
from games.engine.rules import MAKER, RuleSet

# The tables below are indexed by how many seats before the dealer a player bids: 0 is the dealer,
# 1 the dealer's right-hand opponent (or the only one), 2 the dealer's partner, 3 the eldest hand.

#: Tricks that the partner is expected to add in the first round and in the second.
FIRST_BASE: Final = (1.52, 1.17, 2.2, 1.17)
SECOND_BASE: Final = (1.62, 1.5, 1.65, 1.65)
#: Adjustment for calling next, the suit of the same colour as the one turned down.
NEXT_BASE: Final = (0.0, 0.25, -0.2, 0.2)
#: The same in hands without trumps, in which the lead counts for more.
NO_TRUMP_BASE: Final = {HIGH: (1.57, 2.1, 1.5, 2.05), LOW: (1.8, 1.8, 1.8, 1.8)}
#: Adjustment for a turn-up that no card can beat.
TOP_CARD: Final = (0.0, -0.2, 0.35, -0.2)
#: Tricks added for a maker without a partner: against two opponents, against one.
LONE_BASE: Final = 0.2
HEADS_UP_BASE: Final = 0.55
#: Tricks added by the partner's best card, and where a lone maker leads.
PARTNERS_BEST: Final = 1.35
LONE_LEAD: Final = 0.2
#: The lowest chance of a march with which to play alone.
MIN_LONE_MARCH: Final = 0.25
#: Points that a borderline hand gains by passing.
FIRST_PASS: Final = (-0.1, 0.55, 0.75, 0.6)
SECOND_PASS: Final = (-0.05, -0.45, 0.0, -0.1)


class Bidder(NamedTuple):
    """The view of a seat that is to call: what was turned up, and the five cards it holds.

    ``needed`` is the points that its side still needs to win. That is all it knows of the score:
    weighing points by it won 49.9 ± 0.2 % of 12,000 games to 10 against not doing so.
    """

    rules: RuleSet
    dealer: int
    turn_up: int
    turned_suit: int
    seat: int
    hand: int
    is_first_round: bool
    needed: float = inf

    @classmethod
    def of(cls, observation: Observation) -> Bidder:
        rules = observation.rules
        score = observation.standing.score[rules.side_of(observation.turn)]
        return cls(
            rules,
            observation.dealer,
            observation.turn_up,
            observation.turned_suit,
            observation.turn,
            observation.hand,
            observation.phase == FIRST_ROUND,
            inf if rules.target is None else rules.target - score,
        )

    @property
    def can_gain_alone(self) -> bool:
        return min(self.rules.alone_march, self.needed) > self.rules.march

    @property
    def must_be_alone(self) -> bool:
        """Return True for the dealer's partner, where the turn-up may be accepted only alone."""
        if not self.rules.dealers_partner_alone or not self.is_first_round:
            return False
        return self.seat == self.rules.partner_of(self.dealer)


def bid(observation: Observation) -> Action:
    bidder = Bidder.of(observation)
    return max(observation.legal, key=lambda action: value_of(bidder, action))


def ranked(observation: Observation) -> dict[Action, float]:
    """Return the points expected of each legal call, as the rules see it."""
    bidder = Bidder.of(observation)
    return {action: value_of(bidder, action) for action in observation.legal}


def value_of(bidder: Bidder, action: Action) -> float:
    """Return the points expected of a call; -inf for a lone hand that is not worth the risk.

    Points of a pass are those of one whose hand is about as good as a call.
    """
    if action == PASSED:
        table = FIRST_PASS if bidder.is_first_round else SECOND_PASS
        return table[_before_dealer(bidder)]
    if (
        action.alone
        and not bidder.must_be_alone
        and not (bidder.can_gain_alone and march_alone(bidder, action) >= MIN_LONE_MARCH)
    ):
        return -inf
    return points_of_call(bidder, action)


def march_alone(bidder: Bidder, action: Action) -> float:
    """Return the chance that a lone hand takes all five tricks."""
    return _chances(bidder, action)[1]


def promised(observation: Observation, action: Action) -> float:
    """Return the points expected of a call, not a pass, from the caller's own cards."""
    return points_of_call(Bidder.of(observation), action)


def points_of_call(bidder: Bidder, action: Action) -> float:
    made, march = _chances(bidder, action)
    rules = bidder.rules
    low, high, euchre = rules.made, rules.march, rules.euchre
    if action.alone:
        low, high = rules.alone_made, rules.alone_march
        euchre = euchre if rules.alone_euchre is None else rules.alone_euchre
    return march * high + (made - march) * low - (1 - made) * euchre


def _chances(bidder: Bidder, action: Action) -> tuple[float, float]:
    """Return the chances that a call takes three tricks, and all five."""
    rules = bidder.rules
    trump = action.value if action.kind == MAKE else bidder.turned_suit
    if action.alone or rules.players == 2:
        scale = WITHOUT_PARTNER if trump < UNNAMED else NO_TRUMP_ALONE
        base = LONE_BASE + _lone_gain(rules) if action.alone else HEADS_UP_BASE
    else:
        scale = WITH_PARTNER if trump < UNNAMED else NO_TRUMP_WITH_PARTNER
        base = _base(bidder, trump)
    return chances(scale, base + tricks_of(rules, scale, trump, _hand_to_play(bidder, trump)))


def _lone_gain(rules: RuleSet) -> float:
    """Return the tricks that a lone maker gains by the partner's best card and by the lead."""
    return PARTNERS_BEST * rules.partners_best + LONE_LEAD * (rules.lone_lead == MAKER)


def _before_dealer(bidder: Bidder) -> int:
    return (bidder.dealer - bidder.seat) % bidder.rules.players


def _base(bidder: Bidder, trump: int) -> float:
    """Return the tricks expected beyond the maker's hand."""
    place = _before_dealer(bidder)
    if bidder.is_first_round:
        return FIRST_BASE[place] + (TOP_CARD[place] if _is_top(bidder) else 0)
    if trump > UNNAMED:
        return NO_TRUMP_BASE[trump][place]
    is_next = trump == next_suit(bidder.turned_suit)
    return SECOND_BASE[place] + (NEXT_BASE[place] if is_next else 0)


def _is_top(bidder: Bidder) -> bool:
    """Return True if no card outside the player's hand beats the turn-up."""
    trump, card = bidder.turned_suit, bidder.turn_up
    missing = bidder.rules.pack_mask & ~bidder.hand
    return is_joker(card) or not missing & BEATEN_BY[trump][trump][card]


def _hand_to_play(bidder: Bidder, trump: int) -> int:
    """Return the hand to play with; the dealer's, after taking the turn-up and discarding."""
    hand = bidder.hand
    if bidder.is_first_round and bidder.seat == bidder.dealer:
        hand |= 1 << bidder.turn_up
        hand ^= 1 << discard_from(trump, hand)
    return hand
