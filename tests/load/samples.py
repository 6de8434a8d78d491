"""Games that were never played: scores and what each seat did, by chance but plausible."""

from __future__ import annotations

from dataclasses import astuple, fields
from random import Random
from typing import Any, Final, NamedTuple

from games.engine.rules import RuleSet
from games.records.sums import DealTotals

#: The columns of `Performance` that a sample gives.
COLUMNS: Final = tuple(field.name for field in fields(DealTotals))
#: How often the makers take 0 to 5 tricks, of a hundred deals.
TRICKS: Final = (1, 5, 14, 36, 20, 24)
ALONE: Final = 0.06


class Sample(NamedTuple):
    """A finished game: points by side, and by seat the values of `COLUMNS`."""

    score: tuple[int, int]
    seats: tuple[tuple[Any, ...], ...]

    @property
    def winner(self) -> int:
        """The side that won."""
        return int(self.score[1] > self.score[0])

    def turned(self) -> Sample:
        """The same game with everybody one seat further, so that the other side wins."""
        return Sample(self.score[::-1], (*self.seats[1:], self.seats[0]))


def sample(rules: RuleSet, rng: Random) -> Sample:
    """Return a game by a rule set with a target."""
    totals = [DealTotals() for _ in range(rules.players)]
    score, dealer = [0, 0], 0
    while max(score) < (rules.target or 0):
        side, points = _deal(rules, totals, dealer, rng)
        score[side] += points
        dealer = rules.after(dealer)
    return Sample((score[0], score[1]), tuple(astuple(one) for one in totals))


def _deal(rules: RuleSet, totals: list[DealTotals], dealer: int, rng: Random) -> tuple[int, int]:
    """Play a deal; return which side scores how much."""
    place = rng.choices(range(1, rules.players + 1), (4, 5, 4, 7)[: rules.players])[0]
    maker = (dealer + place) % rules.players
    side = rules.side_of(maker)
    taken = rng.choices(range(6), TRICKS)[0]
    alone = rules.alone and rng.random() < ALONE
    worths = [rng.gauss(1.9, 0.5), rng.gauss(1.9, 0.5)]
    for seat, one in enumerate(totals):
        one.deals += 1
        one.worth += worths[rules.side_of(seat)]
        one.worth_against += worths[1 - rules.side_of(seat)]
        euchred = taken < 3 and rules.side_of(seat) != side
        one.euchres += euchred
        one.lone_euchres += euchred and alone
    mine = totals[maker]
    mine.add_call(place, rng.choices((2, 3, 4), (3, 6, 2))[0])
    mine.made += taken >= 3
    mine.marched += taken == 5
    mine.euchred += taken < 3
    mine.alone += alone
    mine.alone_marched += alone and taken == 5
    if taken < 3:
        return 1 - side, rules.euchre
    if alone:
        return side, rules.alone_march if taken == 5 else rules.alone_made
    return side, rules.march if taken == 5 else rules.made
