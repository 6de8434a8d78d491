"""Bidding: whether to order up, make trump or play alone."""

from __future__ import annotations

from math import inf
from typing import Final

from games.bots.keeping import discard_from
from games.bots.memory import BEATEN_BY
from games.bots.stakes import prospect
from games.bots.worth import WITH_PARTNER, WITHOUT_PARTNER, chances, tricks_of
from games.engine.actions import MAKE, ORDER, PASSED, Action
from games.engine.cards import JOKER, next_suit
from games.engine.observation import FIRST_ROUND, Observation
from games.engine.rules import PACK_MASKS

# The tables below are indexed by how many seats before the dealer a player bids: 0 is the dealer,
# 1 the dealer's right-hand opponent (or the only one), 2 the dealer's partner, 3 the eldest hand.

#: Tricks that the partner is expected to add in the first round and in the second.
FIRST_BASE: Final = (1.52, 1.17, 2.2, 1.17)
SECOND_BASE: Final = (1.62, 1.5, 1.65, 1.65)
#: Adjustment for calling next, the suit of the same colour as the one turned down.
NEXT_BASE: Final = (0.0, 0.25, -0.2, 0.2)
#: Adjustment for a turn-up that no card can beat.
TOP_CARD: Final = (0.0, -0.2, 0.35, -0.2)
#: Tricks added for a maker without a partner: against two opponents, against one.
LONE_BASE: Final = 0.0
HEADS_UP_BASE: Final = 0.55
#: The lowest chance of a march with which to play alone.
MIN_LONE_MARCH: Final = 0.25
#: Points that a borderline hand gains by passing.
FIRST_PASS: Final = (-0.15, 0.35, 0.6, 0.4)
SECOND_PASS: Final = (-0.05, -0.45, 0.0, -0.1)


def bid(observation: Observation) -> Action:
    return max(observation.legal, key=lambda action: _value(observation, action))


def promised(observation: Observation, action: Action) -> float:
    """Return the points expected of a call, not a pass, from the caller's own cards."""
    made, march = _chances(observation, action)
    rules = observation.rules
    low, high = (rules.alone_made, rules.alone_march) if action.alone else (rules.made, rules.march)
    return march * high + (made - march) * low - (1 - made) * rules.euchre


def _value(observation: Observation, action: Action) -> float:
    if action == PASSED:
        table = FIRST_PASS if observation.phase == FIRST_ROUND else SECOND_PASS
        return prospect(observation, table[_before_dealer(observation)], 0)
    made, march = _chances(observation, action)
    rules = observation.rules
    low, high = (rules.alone_made, rules.alone_march) if action.alone else (rules.made, rules.march)
    swept = prospect(observation, high, 0)
    if action.alone and (march < MIN_LONE_MARCH or swept <= prospect(observation, rules.march, 0)):
        return -inf
    return (
        march * swept
        + (made - march) * prospect(observation, low, 0)
        + (1 - made) * prospect(observation, 0, rules.euchre)
    )


def _chances(observation: Observation, action: Action) -> tuple[float, float]:
    """Return the chances that a call takes three tricks, and all five."""
    rules = observation.rules
    trump = action.value if action.kind == MAKE else observation.turned_suit
    if rules.players == 2:
        scale, base = WITHOUT_PARTNER, HEADS_UP_BASE
    elif action.alone:
        scale, base = WITHOUT_PARTNER, LONE_BASE
    else:
        scale, base = WITH_PARTNER, _base(observation, trump)
    hand = _hand_to_play(observation, action, trump)
    return chances(scale, base + tricks_of(rules, scale, trump, hand))


def _before_dealer(observation: Observation) -> int:
    return (observation.dealer - observation.turn) % observation.rules.players


def _base(observation: Observation, trump: int) -> float:
    """Return the tricks expected beyond the maker's hand."""
    place = _before_dealer(observation)
    if observation.phase == FIRST_ROUND:
        return FIRST_BASE[place] + (TOP_CARD[place] if _is_top(observation) else 0)
    is_next = trump == next_suit(observation.turned_suit)
    return SECOND_BASE[place] + (NEXT_BASE[place] if is_next else 0)


def _is_top(observation: Observation) -> bool:
    """Return True if no card outside the player's hand beats the turn-up."""
    trump, card = observation.turned_suit, observation.turn_up
    missing = PACK_MASKS[observation.rules.pack] & ~observation.hand
    return card == JOKER or not missing & BEATEN_BY[trump][trump][card]


def _hand_to_play(observation: Observation, action: Action, trump: int) -> int:
    """Return the hand to play with; the dealer's, after taking the turn-up and discarding."""
    hand = observation.hand
    if action.kind == ORDER and observation.turn == observation.dealer:
        hand |= 1 << observation.turn_up
        hand ^= 1 << discard_from(trump, hand)
    return hand
