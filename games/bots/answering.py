"""The questions that only some rules ask: a farmer's hand, folding, and those of lone hands.

The numbers were fitted to deals played out between house players.
"""

from __future__ import annotations

from math import exp, inf
from typing import Final

from games.bots.bidding import Bidder, value_of
from games.bots.keeping import least_needed
from games.bots.memory import highest, remember
from games.bots.worth import NO_TRUMP_ALONE, WITH_PARTNER, WITHOUT_PARTNER, tricks_of
from games.engine.actions import (
    BESTS,
    DECLINED,
    DEFENDS,
    FOLDS,
    GIVES,
    MAKES,
    ORDERS,
    PASSED,
    Action,
)
from games.engine.cards import SUIT_MASK, UNNAMED, cards_in
from games.engine.observation import ASKING, FOLDING, GIVING, SWAPPING, Observation
from games.engine.rules import NEAR_END
from games.engine.scoring import results

#: By whether a defender plays alone: the chances that the lone maker is euchred, and takes all
#: five tricks, as slope and midpoint of logistic curves over the defender's own tricks.
DEFENCE: Final = {False: ((3.8, 3.43), (-1.1, 0.65)), True: ((3.5, 3.6), (-1.5, 1.55))}


def answer(seen: Observation) -> Action:
    """Return the house's answer to a question with at least two legal ones."""
    hand, trump = seen.hand, seen.trump
    if seen.phase == SWAPPING:
        # It always gains: 0.36 ± 0.02 points a deal, and as much with a fair hand; 0.27 ± 0.11
        # with one that would be called as low no trump.
        return max(seen.legal[1:], key=lambda swap: _best_tricks(seen, hand & ~swap.value))
    if seen.phase == FOLDING:
        return DECLINED if is_worth_calling(seen) else FOLDS
    if seen.phase == ASKING:
        memory = remember(seen)
        is_sure = all(memory.is_master(card) for card in cards_in(hand))
        return DECLINED if is_sure else GIVES[least_needed(trump, hand, hand)]
    if seen.phase == GIVING:
        return BESTS[highest(trump, hand)]
    return DEFENDS if gain_of_defence(seen) > 0 else DECLINED


def _best_tricks(seen: Observation, hand: int) -> float:
    return max(tricks_of(seen.rules, WITH_PARTNER, suit, hand) for suit in range(4))


def is_worth_calling(seen: Observation) -> bool:
    """Return True if the house would call with a hand that may be folded.

    All other such hands are worth less than those that the same dealer would deal next; also one
    for low no trump, which is seldom still to be called in the second round: such a hand that is
    not folded loses 0.66 ± 0.01 points.
    """
    rules, bidder = seen.rules, Bidder.of(seen)
    may_be_alone = rules.alone and not (rules.no_lone_near_end and bidder.needed in NEAR_END)
    for suit in range(4):
        is_turned = suit == seen.turned_suit
        takes_up = is_turned and seen.turn == seen.dealer
        if rules.own_trump and not takes_up and not seen.hand & SUIT_MASK[UNNAMED][suit]:
            continue
        bidder = bidder._replace(is_first_round=is_turned)
        calls = (ORDERS if is_turned else MAKES[suit])[bidder.must_be_alone : 1 + may_be_alone]
        passing = value_of(bidder, PASSED)
        if any(value_of(bidder, call) > passing for call in calls):
            return True
    return False


def gain_of_defence(seen: Observation) -> float:
    """Return the points expected from defending alone, less those from defending together.

    -inf where a euchre alone is worth no more, or no more is needed.
    """
    rules, needed = seen.rules, Bidder.of(seen).needed
    scale = WITHOUT_PARTNER if seen.trump < UNNAMED else NO_TRUMP_ALONE
    tricks = tricks_of(rules, scale, seen.trump, seen.hand)
    most, points = [], []
    for alone in (False, True):
        *_, euchred, made, _, marched = results(rules, 0, alone=True, defended=alone)
        euchre, march = (1 / (1 + exp(slope * (even - tricks))) for slope, even in DEFENCE[alone])
        most.append(min(euchred.points, needed))
        points.append(euchre * euchred.points - march * marched.points)
        points[alone] -= (1 - euchre - march) * made.points
    return points[1] - points[0] if most[1] > most[0] else -inf
