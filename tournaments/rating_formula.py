"""The rating model: skill and its uncertainty, for two sides of changing partners.

The model is Weng and Lin's with full pairings of the Bradley–Terry kind (R. C. Weng, C.-J. Lin, "A
Bayesian approximation method for online ranking", Journal of Machine Learning Research 12, 2011),
in the implementation of openskill. Its parameters are compared in `tests.load.rating_years`, with
the results in `docs/ratings.md`.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import exp, sqrt
from typing import Final, NamedTuple

from openskill.models import BradleyTerryFull

from games.engine.rules import RuleSet

#: The model's version. Increase it with every change that affects ratings: pools rated by another
#: version are rated again from the start.
MODEL: Final = 7
START_MU: Final = 1500.0
#: The standard deviation of strengths in a club of all kinds of players.
START_SIGMA: Final = 90.0
BETA: Final = 240.0
KAPPA: Final = 1e-4
#: Growth of the variance a day: a strength that changes by 25 in a year.
REST_A_DAY: Final = 1.7
#: A rating is settled below this deviation: after about forty games, even if spread over a year.
SETTLED: Final = 80.0
#: Different opponents are counted up to this number.
ENOUGH: Final = 20
#: How the keys of pools end whose games are played with real cards.
IN_ROOM: Final = " in the room"
#: How the keys of pools end whose games are rated quick games.
QUICK: Final = " quick"


class Skill(NamedTuple):
    """A rating: the mean and the standard deviation of a player's strength."""

    mu: float = START_MU
    sigma: float = START_SIGMA

    @property
    def settled(self) -> bool:
        """Whether the deviation is small enough to compare the rating."""
        return self.sigma < SETTLED

    def __str__(self) -> str:
        return f"{round(self.mu)} ± {round(self.sigma)}{'' if self.settled else '?'}"


START: Final = Skill()
Side = Sequence[Skill]


def kind_of(rules: RuleSet) -> str:
    """Return the kind of game of a rule set; each kind has a pool online and one in the room."""
    if rules.players == 2:
        return "heads-up"
    return "joker" if rules.joker else "classic"


def pool_key(rules: RuleSet, *, in_room: bool = False) -> str:
    """Return the pool in which games of a rule set are rated: online, or with real cards."""
    return keys_of(kind_of(rules))[in_room]


def keys_of(kind: str) -> tuple[str, str]:
    """Return the pools of a kind of game: online, and in the room."""
    return f"{kind} online", f"{kind}{IN_ROOM}"


def kind_and_place(key: str) -> tuple[str, bool]:
    """Return the kind of game of a pool, and whether its games are played in the room."""
    in_room = key.endswith(IN_ROOM)
    return key.removesuffix(IN_ROOM).removesuffix(" online").removesuffix(QUICK), in_room


def quick_pool_key(rules: RuleSet) -> str:
    """Return the pool in which rated quick games of a rule set are rated."""
    return f"{kind_of(rules)}{QUICK}"


def is_quick(key: str) -> bool:
    """Return whether a pool is one of quick games, not of events."""
    return key.endswith(QUICK)


def _one(*_arguments: object) -> float:
    """Return openskill's gamma: the same shrinkage whatever the number of sides."""
    return 1.0


_MODEL: Final = BradleyTerryFull(
    mu=START_MU, sigma=START_SIGMA, beta=BETA, tau=0.0, kappa=KAPPA, gamma=_one
)


def after_rest(skill: Skill, days: float) -> Skill:
    """Return a rating after days without a game: less certain, up to the initial deviation."""
    variance = skill.sigma**2 + REST_A_DAY * max(0.0, days)
    return Skill(skill.mu, min(sqrt(variance), max(START_SIGMA, skill.sigma)))


def settled_for(skill: Skill) -> float:
    """Return for how many days without a rated game a rating stays settled; negative: not now."""
    return (SETTLED**2 - skill.sigma**2) / REST_A_DAY


def updated(sides: tuple[Side, Side], winner: int) -> tuple[list[Skill], list[Skill]]:
    """Return the ratings of both sides after a game; `winner` is 0 or 1, or -1 for a tie."""
    ranks = [1.0, 1.0] if winner == -1 else [float(side != winner) for side in (0, 1)]
    teams = [[_MODEL.rating(mu=one.mu, sigma=one.sigma) for one in side] for side in sides]
    first, second = (
        [Skill(one.mu, one.sigma) for one in side] for side in _MODEL.rate(teams, ranks=ranks)
    )
    return first, second


def weighted(before: Skill, after: Skill, weight: float) -> Skill:
    """Return a rating with only a share, `weight` from 0 to 1, of a game's change applied."""
    if weight == 1:
        return after
    variance = before.sigma**2 + weight * (after.sigma**2 - before.sigma**2)
    return Skill(before.mu + weight * (after.mu - before.mu), sqrt(variance))


def expected(sides: tuple[Side, Side]) -> float:
    """Return the chance of side 0 to win a game, from 0 to 1."""
    first, second = (sum(one.mu for one in side) for side in sides)
    variance = sum(one.sigma**2 for side in sides for one in side)
    return 1 / (1 + exp((second - first) / sqrt(variance + 2 * BETA**2)))
