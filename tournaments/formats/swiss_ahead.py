"""Whether the remaining rounds of a Swiss event can be drawn without a rematch.

The pairings still allowed form a graph, with the bye as a vertex if the number of teams is odd. The
remaining rounds are perfect matchings of it, no two of which share an edge.

- Where every team has enough opponents left, any legal rounds will do: a graph of 2m vertices, each
  with m neighbours, has a perfect matching (G. A. Dirac, "Some theorems on abstract graphs",
  1952), and a round takes one neighbour from each vertex. So an event never gets stuck that has at
  least twice as many teams as rounds, plus one if their number is odd.
- Up to `EXACT` vertices all ways are tried.
- Beyond that, at most `MATCHINGS` perfect matchings are tried: a plan that is found is certain, a
  plan that is not found may still exist.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache
from random import Random
from typing import Final

import rustworkx

#: Up to this many vertices, all ways are tried.
EXACT: Final = 12
#: How many matchings are tried in larger fields.
MATCHINGS: Final = 200

#: Up to this many surplus edges, counted at both ends, it is checked whether they can be left out.
SPARE: Final = 8
#: With fewer rounds left than this, several matchings are tried for each.
TAIL: Final = 6
_WEIGHT: Final = 1 << 30

Match = tuple[int, int]
#: For each vertex, the vertices it may still be paired with, as bits.
Graph = tuple[int, ...]


def graph_of(vertices: int, pairs: Iterable[Match]) -> Graph:
    """Return the graph of the allowed pairings."""
    rows = [0] * vertices
    for one, other in pairs:
        rows[one] |= 1 << other
        rows[other] |= 1 << one
    return tuple(rows)


def without(graph: Graph, matches: Iterable[Match]) -> Graph:
    rows = list(graph)
    for one, other in matches:
        rows[one] &= ~(1 << other)
        rows[other] &= ~(1 << one)
    return tuple(rows)


def certain(rounds: int, teams: int, fewest: int, byes: int) -> bool:
    """Return whether any legal rounds will do, because everybody has enough opponents left.

    `fewest` opponents are left for the team that has the fewest; `byes` teams may still have a bye.
    """
    if teams % 2:
        return byes >= rounds and fewest - rounds >= teams // 2
    return fewest - (rounds - 1) >= teams // 2


@lru_cache(maxsize=1 << 12)
def can_continue(graph: Graph, rounds: int) -> bool:
    if min((row.bit_count() for row in graph), default=0) < rounds:
        return False
    if plan(graph, rounds) is not None:
        return True
    return rounds > 1 and len(graph) <= EXACT and _can(graph, rounds, 0)


def matchings(graph: Graph) -> Iterator[list[Match]]:
    yield from _matchings(graph, (1 << len(graph)) - 1)


def _matchings(graph: Graph, left: int) -> Iterator[list[Match]]:
    if not left:
        yield []
        return
    one = (left & -left).bit_length() - 1
    left &= ~(1 << one)
    for other in _bits(graph[one] & left):
        for more in _matchings(graph, left & ~(1 << other)):
            yield [(one, other), *more]


@lru_cache(maxsize=1 << 14)
def _can(graph: Graph, rounds: int, above: int) -> bool:
    """Return whether `rounds` rounds can follow, the first vertex's opponents from `above` on.

    The order of the rounds is free, so it is taken to be that of the first vertex's opponents.
    """
    if rounds == 0:
        return True
    if not _can_be_regular(graph, rounds):
        return False
    opponents = [other for other in _bits(graph[0]) if other >= above]
    for at, other in enumerate(opponents):
        if len(opponents) - at < rounds:
            return False
        rest = ((1 << len(graph)) - 1) & ~1 & ~(1 << other)
        for matching in _matchings(graph, rest):
            if _can(without(graph, [(0, other), *matching]), rounds - 1, other + 1):
                return True
    return False


def _can_be_regular(graph: Graph, degree: int) -> bool:
    """Return whether edges can be left out so that every vertex has `degree` neighbours.

    With many edges to leave out this is assumed.
    """
    spare = [at for at, row in enumerate(graph) if row.bit_count() > degree]
    if not spare or sum(graph[at].bit_count() - degree for at in spare) > SPARE:
        return True
    spared = sum(1 << at for at in spare)
    return any(
        _can_be_regular(without(graph, [(spare[0], other)]), degree)
        for other in _bits(graph[spare[0]] & spared)
    )


def plan(graph: Graph, rounds: int, seed: int = 0) -> list[list[Match]] | None:
    """Return this many rounds that can follow one another, or None if none were found."""
    rng = Random(seed)  # noqa: S311 - chooses where to look, no result
    work = iter(range(MATCHINGS))
    found = None
    while found is None and next(work, None) is not None:
        found = _plan(graph, rounds, rng, work)
    return found


def _plan(graph: Graph, rounds: int, rng: Random, work: Iterator[int]) -> list[list[Match]] | None:
    if rounds == 0:
        return []
    # Near the end little choice is left and plans often fail, so try several times.
    for _try in range(max(1, TAIL - rounds)):
        matching = _any_matching(graph, rng) if next(work, None) is not None else None
        if matching is None:
            return None
        rest = _plan(without(graph, matching), rounds - 1, rng, work)
        if rest is not None:
            return [matching, *rest]
    return None


def _any_matching(graph: Graph, rng: Random) -> list[Match] | None:
    found: rustworkx.PyGraph[None, int] = rustworkx.PyGraph(multigraph=False)
    found.add_nodes_from([None] * len(graph))
    edges = [(one, other) for one, row in enumerate(graph) for other in _bits(row) if one < other]
    found.add_edges_from([(*edge, rng.randrange(_WEIGHT)) for edge in edges])
    matching = rustworkx.max_weight_matching(found, max_cardinality=True, weight_fn=int)
    if 2 * len(matching) < len(graph):
        return None
    return sorted((min(edge), max(edge)) for edge in matching)


def _bits(row: int) -> Iterator[int]:
    while row:
        yield (row & -row).bit_length() - 1
        row &= row - 1
