"""House players at play: what one does, and two against each other.

These play duplicate: the same cards twice, the sides swapped.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import sqrt
from random import Random
from statistics import fmean, stdev
from typing import Any

from games.bots.house import choose
from games.engine.actions import Action
from games.engine.deal import Deal
from games.engine.observation import START, Observation, Standing
from games.engine.rules import (
    CLASSIC_24,
    DEALER_MAKES,
    MAKER,
    MAKERS_LEFT,
    NO_FACE,
    NO_FACE_OR_SUIT,
    NO_TRUMP_HIGH_OR_LOW,
    RuleSet,
)
from games.engine.scoring import EUCHRE, LONE_MARCH, MARCH, SKUNK, THROWN_IN, DealResult

#: Rule sets with one of the rules that only some clubs play by, and one with nearly all.
_FIELDS: dict[str, dict[str, Any]] = {
    "no-trump": {"no_trump": NO_TRUMP_HIGH_OR_LOW},
    "defend-alone": {"defend_alone": True},
    "lone-defence": {"defend_alone": True, "lone_defence": 6},
    "alone-euchre": {"alone_euchre": 4},
    "all-five": {"alone_made": 0},
    "partners-best": {"partners_best": True},
    "canadian": {"dealers_partner_alone": True},
    "own-trump": {"own_trump": True},
    "near-end": {"no_lone_near_end": True, "target": 10},
    "makers-left": {"lone_lead": MAKERS_LEFT},
    "maker-leads": {"lone_lead": MAKER},
    "farmers-hand": {"farmers_hand": True},
    "fold": {"fold": NO_FACE},
    "fold-32": {"fold": NO_FACE_OR_SUIT, "pack": 32},
    "benny": {"benny": True, "pack": 25, "joker_turned_up": DEALER_MAKES},
    "nearly-all": {
        "no_trump": NO_TRUMP_HIGH_OR_LOW,
        "defend_alone": True,
        "lone_defence": 5,
        "alone_euchre": 3,
        "partners_best": True,
        "dealers_partner_alone": True,
        "own_trump": True,
        "no_lone_near_end": True,
        "lone_lead": MAKER,
        "target": 10,
        "farmers_hand": True,
        "fold": NO_FACE,
    },
}
CLUBS = {key: replace(CLASSIC_24, key=key, **fields) for key, fields in _FIELDS.items()}

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
