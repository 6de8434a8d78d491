"""Progressive euchre for individuals: players change tables and partners after every round.

Players change "their tables and partners in regular order" (J. W. Keller, "The Game of Euchre",
1887). Clubs differ in who moves where, so that is a setting of the event.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from itertools import product
from random import Random
from typing import Final

from tournaments.formats import fixed_movement
from tournaments.formats.apart import NOBODY, Apart, splits
from tournaments.formats.base import IndividualFormat, Settings, Stage
from tournaments.formats.draw import Draw, DrawnMatch, PlayedMatch, PlayedRound
from tournaments.formats.meetings import as_pair, meetings, played
from tournaments.formats.sitting_out import sat_out

TABLE: Final = 4
Sides = tuple[tuple[int, int], tuple[int, int]]


class Movement(Enum):
    """Who moves where. In all but FIXED, the partners of a round part after it.

    UP: winners go one table up, and stay at the head table; losers stay, and those of the head
    table go to the last table. UP_AND_DOWN: winners as in UP; losers go one table down, and stay at
    the last table. STAY: winners stay; losers go one table down, and from the last to the head
    table. FIXED: everybody moves by their seat, whoever wins (`fixed_movement`).
    """

    UP = "up"
    UP_AND_DOWN = "up and down"
    STAY = "stay"
    FIXED = "fixed"


class Progressive(IndividualFormat):
    key = "progressive"
    name = "Progressive"
    brief = "Winners move up a table and part, so that the best meet at the head table."
    length = "As many as there is time for."
    settings = IndividualFormat.settings | {"movement"}

    def rounds_known(self, settings: Settings) -> bool:
        return Movement(settings.movement) is Movement.FIXED

    def draw(self, stage: Stage) -> Draw:
        movement = Movement(stage.settings.movement)
        if movement is Movement.FIXED:
            return fixed_movement.draw(stage)
        return pair(stage.playing, stage.history, stage.rng(), movement, stage.apart)


def pair(
    entrants: Sequence[int],
    history: Sequence[PlayedRound],
    rng: Random,
    movement: Movement = Movement.UP,
    apart: Apart = NOBODY,
) -> Draw:
    """Draw the next round.

    The first round is seated at random. Those who have sat out least sit out, beginning with the
    last table. Players who are new or have sat out fill the empty places, at random. Players whom
    `apart` keeps from each other change places with others, of near tables if possible. At each
    table the split with the fewest repeats is taken: first of partners who should not be, then of
    partners of the last round, then of partners, then of opponents; equal ones at random. A tie is
    won by the side with more lone hands, else at random. Raises ValueError for fewer than four
    entrants, or one named twice.
    """
    if len(entrants) < TABLE or len(set(entrants)) < len(entrants):
        raise ValueError(f"progressive needs four players or more, each once: {list(entrants)}")
    if history:
        places = _moved(history[-1].matches, movement, rng)
    else:
        places = [rng.sample(entrants, len(entrants))]
    tables, sitting = _seated(places, entrants, history, rng)
    tables = apart.spread(tables) if apart.anybody else tables
    before = meetings(played(history))
    latest = meetings(played(history[-1:]))

    def repeats(sides: Sides) -> tuple[int, int, int, int]:
        """Rate a split by those kept apart, partners of the last round, then met before."""
        partners = [as_pair(*side) for side in sides]
        opponents = [as_pair(*both) for both in product(*sides)]
        return (
            sum(1 for _pair in apart.together(DrawnMatch(0, sides))),
            sum(latest.partners[both] for both in partners),
            sum(before.partners[both] for both in partners),
            sum(before.opponents[both] for both in opponents),
        )

    pairings = []
    for number, table in enumerate(tables, start=1):
        best = min(rng.sample(splits(table), 3), key=repeats)
        pairings.append(DrawnMatch(number, best))
    return Draw(tuple(pairings), sitting)


def _moved(matches: Sequence[PlayedMatch], movement: Movement, rng: Random) -> list[list[int]]:
    """Return who moves to which table, the head table first and winners before losers."""
    last = len(matches) - 1
    winners: list[list[int]] = [[] for _table in matches]
    losers: list[list[int]] = [[] for _table in matches]
    for at, match in enumerate(sorted(matches, key=lambda match: match.pairing.table)):
        won = match.winner
        if won < 0:
            ours, theirs = match.lone_hands
            won = rng.randrange(2) if ours == theirs else int(ours < theirs)
        up, down = _targets(at, last, movement)
        winners[up] += match.pairing.sides[won]
        losers[down] += match.pairing.sides[1 - won]
    return [up + down for up, down in zip(winners, losers, strict=True)]


def _targets(at: int, last: int, movement: Movement) -> tuple[int, int]:
    """Return to which tables winners and losers of table `at` go, all counted from 0."""
    if movement is Movement.STAY:
        return at, at + 1 if at < last else 0
    down = (at or last) if movement is Movement.UP else min(at + 1, last)
    return max(at - 1, 0), down


def _seated(
    places: list[list[int]], entrants: Sequence[int], history: Sequence[PlayedRound], rng: Random
) -> tuple[list[list[int]], tuple[int, ...]]:
    """Return the four players of each table, and those who sit out."""
    present = set(entrants)
    kept = [[one for one in place if one in present] for place in places]
    staying = [one for place in kept for one in place]
    coming = sorted(present.difference(staying), key=entrants.index)
    rng.shuffle(coming)  # or else they would come in the order of their ratings
    sat = sat_out(entrants, history)
    order = [*reversed(staying), *coming]
    sitting = sorted(order, key=lambda one: sat[one].times)[: len(entrants) % TABLE]
    tables = len(entrants) // TABLE
    seated = [[one for one in place if one not in sitting] for place in kept]
    waiting = [one for place in seated[tables:] for one in place]
    waiting += [one for one in coming if one not in sitting]
    waiting += [one for place in seated[:tables] for one in place[TABLE:]]
    seated = [place[:TABLE] for place in seated[:tables]]
    seated += [[] for _new in range(tables - len(seated))]
    free = iter(waiting)
    for place in seated:
        place += [next(free) for _empty in range(TABLE - len(place))]
    return seated, tuple(sorted(sitting, key=entrants.index))
