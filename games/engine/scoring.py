"""The points of a deal."""

from __future__ import annotations

from functools import lru_cache
from typing import Final, NamedTuple

from games.engine.rules import HAND, RuleSet

#: How a deal can end.
MADE: Final = "made"
MARCH: Final = "march"
ALONE_MADE: Final = "alone"
LONE_MARCH: Final = "lone march"
EUCHRE: Final = "euchre"
SKUNK: Final = "skunk"
THROWN_IN: Final = "thrown in"
FOLDED: Final = "folded"

NEEDED: Final = 3


class DealResult(NamedTuple):
    """How one deal ended; `side` and `makers` are -1 if it was not played."""

    outcome: str
    side: int
    points: int
    makers: int
    tricks: tuple[int, int]


class DealRecord(NamedTuple):
    """One line of the score sheet; public.

    `score` is that after the deal, `defender` who defended alone, or -1.
    """

    number: int
    dealer: int
    maker: int
    trump: int
    alone: bool
    result: DealResult
    score: tuple[int, int]
    defender: int = -1


def thrown_in() -> DealResult:
    return DealResult(THROWN_IN, -1, 0, -1, (0, 0))


def folded() -> DealResult:
    return DealResult(FOLDED, -1, 0, -1, (0, 0))


def stays_with(rules: RuleSet, result: DealResult) -> bool:
    """Return True if the dealer of a hand that was not played deals again.

    A folded hand stays with its dealer in any case, except where every hand counts.
    """
    if result.outcome == FOLDED:
        return not rules.thrown_in_counts
    return result.outcome == THROWN_IN and rules.deal_stays


def score_deal(
    rules: RuleSet, makers: int, tricks: tuple[int, int], *, alone: bool, defended: bool = False
) -> DealResult:
    """Return the result of a deal that was played.

    makers: a side. tricks: by side. defended: a defender played alone against the lone maker.
    """
    taken = tricks[makers]
    if taken < NEEDED:
        if defended:
            euchre = rules.lone_defence
        elif alone and rules.alone_euchre is not None:
            euchre = rules.alone_euchre
        else:
            euchre = rules.euchre
        if taken == 0 and rules.skunk > euchre:
            return DealResult(SKUNK, 1 - makers, rules.skunk, makers, tricks)
        return DealResult(EUCHRE, 1 - makers, euchre, makers, tricks)
    if taken == HAND:
        outcome, points = (LONE_MARCH, rules.alone_march) if alone else (MARCH, rules.march)
    else:
        outcome, points = (ALONE_MADE, rules.alone_made) if alone else (MADE, rules.made)
    return DealResult(outcome, makers, points, makers, tricks)


@lru_cache(maxsize=256)
def results(
    rules: RuleSet, makers: int, *, alone: bool, defended: bool = False
) -> tuple[DealResult, ...]:
    """Return the results of a deal by the number of tricks that the makers take in the end."""
    found = []
    for taken in range(HAND + 1):
        tricks = (taken, HAND - taken) if makers == 0 else (HAND - taken, taken)
        found.append(score_deal(rules, makers, tricks, alone=alone, defended=defended))
    return tuple(found)


def settled(
    rules: RuleSet, makers: int, tricks: tuple[int, int], *, alone: bool, defended: bool = False
) -> bool:
    """Return True if the remaining tricks can no longer change the points of a deal."""
    possible = results(rules, makers, alone=alone, defended=defended)
    ends = possible[tricks[makers] : HAND - tricks[1 - makers] + 1]
    return len({(result.side, result.points) for result in ends}) == 1


def points_possible(rules: RuleSet) -> frozenset[int]:
    """Return every number of points that a deal which is played can be worth."""
    hands = [(False, False), (True, False), (True, True)][: 1 + rules.alone + rules.defend_alone]
    return frozenset(
        result.points
        for alone, defended in hands
        for result in results(rules, 0, alone=alone, defended=defended)
    )
