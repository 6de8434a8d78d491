"""The points of a deal."""

from __future__ import annotations

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

NEEDED: Final = 3


class DealResult(NamedTuple):
    """How one deal ended; `side` and `makers` are -1 when it is thrown in."""

    outcome: str
    side: int
    points: int
    makers: int
    tricks: tuple[int, int]


class DealRecord(NamedTuple):
    """One line of the score sheet; public. `score` is that after the deal."""

    number: int
    dealer: int
    maker: int
    trump: int
    alone: bool
    result: DealResult
    score: tuple[int, int]


def thrown_in() -> DealResult:
    return DealResult(THROWN_IN, -1, 0, -1, (0, 0))


def score_deal(rules: RuleSet, makers: int, tricks: tuple[int, int], *, alone: bool) -> DealResult:
    """Return the result of a deal that was played; `makers` is a side, `tricks` are by side."""
    taken = tricks[makers]
    if taken < NEEDED:
        if taken == 0 and rules.skunk != rules.euchre:
            return DealResult(SKUNK, 1 - makers, rules.skunk, makers, tricks)
        return DealResult(EUCHRE, 1 - makers, rules.euchre, makers, tricks)
    if taken == HAND:
        outcome, points = (LONE_MARCH, rules.alone_march) if alone else (MARCH, rules.march)
    else:
        outcome, points = (ALONE_MADE, rules.alone_made) if alone else (MADE, rules.made)
    return DealResult(outcome, makers, points, makers, tricks)


def settled(rules: RuleSet, makers: int, tricks: tuple[int, int], *, alone: bool) -> bool:
    """Return True if the remaining tricks can no longer change the points of a deal."""
    left = HAND - sum(tricks)
    ends = set()
    for taken in range(tricks[makers], tricks[makers] + left + 1):
        final = (taken, HAND - taken) if makers == 0 else (HAND - taken, taken)
        result = score_deal(rules, makers, final, alone=alone)
        ends.add((result.side, result.points))
    return len(ends) == 1
