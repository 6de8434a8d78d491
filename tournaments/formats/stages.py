"""Two stages: how those who qualify in a format of rounds are paired up for a knock-out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tournaments.formats.draw import Draw


def sides_of(best: Sequence[int], *, individuals: bool) -> dict[int, tuple[int, ...]]:
    """Return the sides of the knock-out in seeding order, by the entrant that stands for each.

    Individuals become partners, the best with the last, the second with the last but one, and so
    on, which makes the sides as equal as the standings can tell. The better one stands for both.
    """
    if individuals:
        return {best[at]: (best[at], best[-1 - at]) for at in range(len(best) // 2)}
    return {one: (one,) for one in best}


def for_sides(drawn: Draw, sides: Mapping[int, tuple[int, ...]]) -> Draw:
    """Replace those who stand for the sides in a draw by everybody on them."""
    return Draw(
        tuple(
            pairing._replace(sides=(sides[pairing.sides[0][0]], sides[pairing.sides[1][0]]))
            for pairing in drawn.pairings
        ),
        tuple(one for captain in drawn.sit_outs for one in sides[captain]),
    )
