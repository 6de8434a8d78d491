"""Two stages: a rotation, progressive, Swiss or round robin, and its best in a knock-out."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from tournaments.formats.draw import Draw, PlayedRound

#: A format or a ranking, with all else it needs already given.
Format = Callable[[Sequence[int], Sequence[PlayedRound]], Draw]
Ranking = Callable[[Sequence[int], Sequence[PlayedRound]], Sequence[int]]


class Stages(NamedTuple):
    """An event of two stages.

    Attributes:
        first: draws the first stage.
        rounds: how many rounds that has.
        ranking: everybody after the first stage, the best first.
        qualifiers: how many of them go on.
        knock_out: draws the second stage, seeded by the ranking.
        individuals: the first stage is one of individuals, so that the knock-out is for
            partnerships made of the qualifiers.
    """

    first: Format
    rounds: int
    ranking: Ranking
    qualifiers: int
    knock_out: Format
    individuals: bool = False


def pair(entrants: Sequence[int], history: Sequence[PlayedRound], stages: Stages) -> Draw:
    """Draws the next round of either stage.

    Args:
        entrants: in seeding order.
        history: the rounds of both stages.
        stages: the event's stages.

    Returns:
        The round; those who did not qualify do not sit out, they have finished.

    Raises:
        ValueError: too few or too many qualifiers, or an odd number of individuals.
    """
    if len(history) < stages.rounds:
        return stages.first(entrants, history)
    sides = qualified(entrants, history, stages)
    return for_sides(stages.knock_out([*sides], history[stages.rounds :]), sides)


def qualified(
    entrants: Sequence[int], history: Sequence[PlayedRound], stages: Stages
) -> dict[int, tuple[int, ...]]:
    """The sides of the knock-out, as of `sides_of`; arguments and errors as of `pair`."""
    count = stages.qualifiers
    sides = count // 2 if stages.individuals else count
    if sides < 2 or count > len(entrants) or (stages.individuals and count % 2):
        what = "individuals" if stages.individuals else "partnerships"
        raise ValueError(f"{count} of {len(entrants)} {what} cannot play a knock-out")
    best = stages.ranking(entrants, history[: stages.rounds])[:count]
    return sides_of(best, individuals=stages.individuals)


def sides_of(best: Sequence[int], *, individuals: bool) -> dict[int, tuple[int, ...]]:
    """The sides of the knock-out in seeding order, by the entrant that stands for each.

    A partnership of qualifiers is the best with the last, the second with the last but one, and
    so on; the better stands for it. That makes the sides as equal as the standings tell.

    Args:
        best: who goes on, the best first; an even number of individuals.
        individuals: they played alone, so that two and two of them become partners.
    """
    if individuals:
        return {best[at]: (best[at], best[-1 - at]) for at in range(len(best) // 2)}
    return {one: (one,) for one in best}


def for_sides(drawn: Draw, sides: Mapping[int, tuple[int, ...]]) -> Draw:
    """A round that was drawn for those who stand for the sides, with everybody of them."""
    return Draw(
        tuple(
            pairing._replace(sides=(sides[pairing.sides[0][0]], sides[pairing.sides[1][0]]))
            for pairing in drawn.pairings
        ),
        tuple(one for captain in drawn.sit_outs for one in sides[captain]),
    )
