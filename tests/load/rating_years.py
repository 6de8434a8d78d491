"""How true ratings are: ``python -m tests.load.rating_years``.

Lets members of known strength play for years and rates their games as the site does. Then it says
who is ranked, how often the true strength lies within 1.96 deviations, and how good the predicted
chances were. A club night has ten games with partners drawn anew for each.

Strengths are normal; they drift by chance from week to week. A game is won by Bradley and Terry's
chance of the true strengths. Everybody begins with the first year; the second is measured apart.
The figures are in ``docs/ratings.md``.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from math import exp, log, sqrt
from random import Random
from typing import Final, NamedTuple

from tournaments import rating_formula as formula
from tournaments.rating_formula import BETA, START, START_MU, Skill

WEEKS: Final = 52
GAMES_A_NIGHT: Final = 10
#: Days after the latest game for which somebody is ranked, as in ``rating_store``.
ACTIVE: Final = 180
LUCK: Final = sqrt(2) * BETA
#: A deviation to both sides of which 95 % of a normal distribution lie.
BAND: Final = 1.96


class Field(NamedTuple):
    """A club.

    Attributes:
        name: what it is called.
        spread: the deviation of its members' strengths.
        drift: by how much a strength changes in a year, as a deviation.
        members: how many it has.
        nights: on how many nights of the year a member comes.
    """

    name: str
    spread: float
    drift: float
    members: int
    nights: int


FIELDS: Final = (
    Field("mixed, every week", 90, 25, 40, 52),
    Field("mixed, forty games a year", 90, 25, 120, 4),
    Field("flat, every week", 35, 10, 40, 52),
    Field("flat, forty games a year", 35, 10, 120, 4),
    Field("wide, every week", 130, 35, 40, 52),
    Field("wide, forty games a year", 130, 35, 120, 4),
)


@dataclass
class Member:
    """A member: how strong in truth, and as rated; `day` is that of the latest game."""

    true: float
    nights: frozenset[int]
    skill: Skill = START
    day: float | None = None

    def rested(self, day: float) -> Skill:
        """The rating as it is on a day."""
        return self.skill if self.day is None else formula.after_rest(self.skill, day - self.day)


@dataclass
class Found:
    """What was measured in a year: of members at its end, and of the chances predicted in it."""

    members: int = 0
    ranked: int = 0
    inside: int = 0
    deviations: float = 0.0
    errors: float = 0.0
    chances: list[tuple[float, bool]] = field(default_factory=list)

    def take(self, member: Member, day: float, middle: float) -> None:
        """Count a member at the end of a year. middle: what true strengths are compared with."""
        skill = member.rested(day)
        error = (skill.mu - START_MU) - (member.true - middle)
        self.members += 1
        self.ranked += skill.settled and member.day is not None and day - member.day < ACTIVE
        self.inside += abs(error) <= BAND * skill.sigma
        self.deviations += skill.sigma
        self.errors += error**2


def lives(of: Field, clubs: int, rng: Random) -> Iterator[tuple[Found, Found]]:
    """Let clubs live for two years each, and tell what was found in each of the years."""
    for _club in range(clubs):
        members = [Member(rng.gauss(0, of.spread), _nights(of, rng)) for _ in range(of.members)]
        first, second = Found(), Found()
        for week in range(2 * WEEKS):
            found = first if week < WEEKS else second
            if week == WEEKS:
                _count(first, members, 7.0 * WEEKS)
                for member in members:
                    member.nights = _nights(of, rng)
            here = [member for member in members if week % WEEKS in member.nights]
            _night(here, 7.0 * week, found.chances, rng)
            for member in members:
                member.true += rng.gauss(0, of.drift / sqrt(WEEKS))
        _count(second, members, 7.0 * 2 * WEEKS)
        yield first, second


def _nights(of: Field, rng: Random) -> frozenset[int]:
    """The weeks in which a member comes: one by chance in each of so many equal parts."""
    part = WEEKS // of.nights
    return frozenset(part * at + rng.randrange(part) for at in range(of.nights))


def _night(
    here: Sequence[Member], day: float, chances: list[tuple[float, bool]], rng: Random
) -> None:
    """Ten games; who is left over by fours sits out."""
    for _game in range(GAMES_A_NIGHT):
        order = rng.sample(list(here), len(here))
        for at in range(0, len(order) - 3, 4):
            _play(order[at : at + 4], day, chances, rng)


def _play(
    four: Sequence[Member], day: float, chances: list[tuple[float, bool]], rng: Random
) -> None:
    north, east = four[:2], four[2:]
    lead = sum(one.true for one in north) - sum(one.true for one in east)
    won = rng.random() < 1 / (1 + exp(-lead / LUCK))
    before = [one.rested(day) for one in north], [one.rested(day) for one in east]
    chances.append((formula.expected(before), won))
    after = formula.updated(before, 0 if won else 1)
    for side, skills in zip((north, east), after, strict=True):
        for one, skill in zip(side, skills, strict=True):
            one.skill, one.day = skill, day


def _count(found: Found, members: Sequence[Member], day: float) -> None:
    middle = sum(one.true for one in members) / len(members)
    for member in members:
        found.take(member, day, middle)


def slope(chances: Sequence[tuple[float, bool]]) -> float:
    """Return by what the predicted odds' logarithm is to be multiplied to fit what happened.

    1 is right, less than 1 overconfident: found by Newton's steps of the logistic regression.
    """
    pairs = [(log(chance / (1 - chance)), won) for chance, won in chances]
    times = 1.0
    for _step in range(20):
        first = second = 0.0
        for odds, won in pairs:
            chance = 1 / (1 + exp(-times * odds))
            first += odds * (won - chance)
            second += odds**2 * chance * (1 - chance)
        times += first / second
    return times


def main(arguments: Sequence[str] | None = None) -> None:
    """Simulate and print."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--clubs", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args(arguments)
    for of in FIELDS:
        rng = Random(asked.seed)
        print(f"{of.name} (strengths ± {of.spread:.0f}, {of.drift:.0f} a year)")
        told = list(lives(of, asked.clubs, rng))
        for name, year in (("first year", 0), ("second year", 1)):
            print(f"  {name}: {_said([pair[year] for pair in told])}")


def _said(found: Sequence[Found]) -> str:
    members = sum(one.members for one in found)
    chances = [pair for one in found for pair in one.chances]
    ranked = sum(one.ranked for one in found) / members
    inside = sum(one.inside for one in found) / members
    deviation = sum(one.deviations for one in found) / members
    error = sqrt(sum(one.errors for one in found) / members)
    return (
        f"{ranked:.0%} ranked, {inside:.1%} within ±{BAND} sigma, sigma {deviation:.0f}, "
        f"error {error:.0f}, {len(chances):,} chances, slope {slope(chances):.2f}"
    )


if __name__ == "__main__":
    main()
