"""House players at play: what one does, and two against each other.

These play duplicate: the same cards twice, the sides swapped.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import sqrt
from random import Random
from statistics import fmean, stdev

from games.bots.house import choose
from games.engine.actions import Action
from games.engine.deal import Deal
from games.engine.observation import START, Observation, Standing
from games.engine.rules import RuleSet
from games.engine.scoring import EUCHRE, LONE_MARCH, MARCH, SKUNK, THROWN_IN, DealResult

Choose = Callable[[Observation, Random], Action]


def does(deal: Deal, standing: Standing = START) -> str:
    """What the house player in turn does, as text."""
    return str(choose(deal.observe(deal.turn, standing), Random(1)))


@dataclass(frozen=True)
class Record:
    """What one player did against another over many deals.

    Attributes:
        gains: points of the first player less points of the second, one for each pair of deals.
        made: results of the deals in which the first player's side made trump, and if it was alone.
        deals: number of deals played, two for each pair.
        thrown_in: number of deals nobody made trump in.
    """

    gains: list[float]
    made: list[tuple[DealResult, bool]]
    deals: int
    thrown_in: int

    @property
    def points_per_deal(self) -> float:
        """How far the first player is ahead after a deal, on average."""
        return fmean(self.gains)

    @property
    def error(self) -> float:
        """The standard error of ``points_per_deal``."""
        return stdev(self.gains) / sqrt(len(self.gains))

    @property
    def made_good(self) -> float:
        """The share of the calls that took three tricks or more."""
        return 1 - self._share(EUCHRE, SKUNK)

    @property
    def marched(self) -> float:
        """The share of the calls that took all five tricks."""
        return self._share(MARCH, LONE_MARCH)

    @property
    def called_alone(self) -> float:
        """The share of the calls that were played alone."""
        return sum(alone for _, alone in self.made) / len(self.made)

    def _share(self, *outcomes: str) -> float:
        return sum(result.outcome in outcomes for result, _ in self.made) / len(self.made)


def shuffled(rules: RuleSet, rng: Random) -> list[int]:
    """A pack in random order."""
    pack = list(rules.pack_in_order())
    rng.shuffle(pack)
    return pack


def play_out(deal: Deal, sides: tuple[Choose, Choose], rng: Random) -> DealResult:
    """Plays a deal to its end, one player for each side."""
    while deal.result is None:
        deal.apply(sides[deal.rules.side_of(deal.turn)](deal.observe(deal.turn), rng))
    return deal.result


def duplicate(rules: RuleSet, first: Choose, second: Choose, pairs: int, seed: int = 0) -> Record:
    """Plays every deal twice, the first player once on each side.

    Args:
        rules: the rule set.
        first: the player whose record it is.
        second: the other one.
        pairs: how many different deals.
        seed: of the packs and of the players' own chance.
    """
    packs = Random(seed)
    gains, made, thrown = [], [], 0
    for number in range(pairs):
        pack = shuffled(rules, packs)
        gain = 0
        for side in (0, 1):
            deal = Deal.from_pack(rules, number % rules.players, pack)
            sides = (first, second) if side == 0 else (second, first)
            result = play_out(deal, sides, Random(number))
            gain += result.points if result.side == side else -result.points
            if result.makers == side:
                made.append((result, deal.alone))
            thrown += result.outcome == THROWN_IN
        gains.append(gain / 2)
    return Record(gains, made, 2 * pairs, thrown)
