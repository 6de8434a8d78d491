"""The Swiss system for partnerships: each round the best of all legal rounds.

A legal round has no rematch, and with an odd number of teams one bye, for a team that had none and
no win by forfeit (FIDE C.04.1). Of the legal rounds that one is taken which is best in this strict
order:

1. the bye goes to the lowest score;
2. the sum of the squared differences of the scores is least;
3. the fewest teams float again in the direction they floated in the last round;
4. the fewest pairings are of two teams of the same half of their score group;
5. the pairings are nearest to first of the top half against first of the bottom half, and so on;
6. the lot.

It is the perfect matching of least cost in the graph of all legal pairings (J. Edmonds, "Maximum
matching and a polyhedron with 0,1-vertices", 1965); a match forfeited was not played and may be
drawn again (FIDE C.04.1). The search meets equal rounds in no fixed order; the lot is long enough
that there are none, so that the result is the same on every run.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from random import Random

import rustworkx

from tournaments.formats.draw import Draw, Pairing, Round
from tournaments.formats.swiss_field import Cost, Field, teams_of

DENSE = 256  # up to so many teams all pairings are candidates at once

# Weights are integers of 128 bits with a sign; the search adds up some of them.
WEIGHT_BITS = 112
LOT_BITS = 32

Match = tuple[int, int]


class NoLegalRoundError(ValueError):
    """There is no round without a rematch or a second bye."""


def pair(entrants: Sequence[int], history: Sequence[Round], rng: Random) -> Draw:
    """Pair the next round.

    In a field of more than `DENSE` teams each has about 40 candidates at first, and all teams only
    if these allow no round, or none with the bye at the lowest score that may have it.

    Args:
        entrants: the partnerships that play on, in seeding order.
        history: the rounds played, in order; a sit-out counts as a win.
        rng: draws the lot between rounds that are equal in all else.

    Returns:
        The pairings, the highest scores at table 1, the team of the better rank first; and the bye.

    Raises:
        NoLegalRoundError: there is no legal round.
        ValueError: an entrant is named twice.
    """
    if len(set(entrants)) < len(entrants):
        raise ValueError("an entrant is named twice")
    field = Field(teams_of(entrants, history))
    matches = _best_of_near(field, rng) or _best_of(field, field.all_pairs(), rng)
    if matches is None:
        raise NoLegalRoundError(
            f"{len(entrants)} teams cannot be paired after {len(history)} rounds"
            " without a rematch or a second bye"
        )
    return _draw(field, matches)


def _best_of_near(field: Field, rng: Random) -> list[Match] | None:
    """The best round of the likely pairings, in a large field, unless its bye may be too high."""
    if len(field.teams) <= DENSE:
        return None
    matches = _best_of(field, field.near_pairs(), rng)
    if matches is None or not field.odd:
        return matches
    sits_out = next(high for high, low in matches if low == field.bye)
    lowest = field.teams[field.may_sit_out[-1]].score
    return matches if field.teams[sits_out].score == lowest else None


def _best_of(field: Field, pairs: Iterable[Match], rng: Random) -> list[Match] | None:
    """The perfect matching of least cost, sorted; None if there is none."""
    edges = [(high, low, field.cost(high, low)) for high, low in pairs]
    vertices = len(field.teams) + field.odd
    if not edges:
        return None
    graph: rustworkx.PyGraph[None, int] = rustworkx.PyGraph(multigraph=False)
    graph.add_nodes_from([None] * vertices)
    weights = _weights([cost for _, _, cost in edges], vertices // 2, rng)
    graph.add_edges_from(
        [(high, low, weight) for (high, low, _), weight in zip(edges, weights, strict=True)]
    )
    matching = rustworkx.max_weight_matching(graph, max_cardinality=True, weight_fn=int)
    if 2 * len(matching) < vertices:
        return None
    return sorted((min(edge), max(edge)) for edge in matching)


def _weights(costs: Sequence[Cost], matches: int, rng: Random) -> list[int]:
    """One number for each cost, the higher the better.

    Each criterion is a digit, in a base that the sum of the digits over a whole round cannot reach.
    The last digit is the lot; what costs nothing needs none, because everybody has at most one
    such pairing, and the search is much faster without.
    """
    bases = [max(digits) * matches + 1 for digits in zip(*costs, strict=True)]
    totals = [0] * len(costs)
    for level, base in enumerate(bases):
        totals = [total * base + cost[level] for total, cost in zip(totals, costs, strict=True)]
    room = WEIGHT_BITS - max(totals).bit_length() - matches.bit_length()
    if room < 0:
        raise OverflowError("a round of so many teams needs wider weights")
    bits = min(LOT_BITS, room)
    shift = bits + matches.bit_length()
    return [-(total << shift) - (rng.getrandbits(bits) if total else 0) for total in totals]


def _draw(field: Field, matches: Sequence[Match]) -> Draw:
    teams = field.teams
    played = [match for match in matches if match[1] != field.bye]
    played.sort(key=lambda match: (-teams[match[0]].score, -teams[match[1]].score, match))
    return Draw(
        tuple(
            Pairing(table, ((teams[high].entrant,), (teams[low].entrant,)))
            for table, (high, low) in enumerate(played, start=1)
        ),
        tuple(teams[high].entrant for high, low in matches if low == field.bye),
    )
