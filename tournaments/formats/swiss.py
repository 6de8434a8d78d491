"""The Swiss system for partnerships: each round is the best of all legal rounds.

A legal round has no rematch. With an odd number of teams it has one bye, for a team that has had
neither a bye nor a win by forfeit (FIDE C.04.1). As many legal rounds must be able to follow it as
are still to come. Of these rounds, the best in this strict order is taken:

1. the bye goes to a team that does not come late for this round, then to the lowest score, then
   to one that has missed no round by coming late;
2. the sum of the squared differences of the scores is least;
3. the fewest teams float in the same direction as in the last round;
4. the fewest pairings are within the same half of a score group;
5. the pairings are nearest to first of the top half against first of the bottom half, and so on;
6. by lot.

This is the perfect matching of least cost in the graph of all legal pairings (J. Edmonds, "Maximum
matching and a polyhedron with 0,1-vertices", 1965). A forfeited match was not played and may be
drawn again (FIDE C.04.1). The search visits equal rounds in no fixed order, but the lot is long
enough that no two rounds are equal, so the result is the same on every run.

Where the best round leaves too few to follow, all rounds are examined in fields of up to `EXACT`
vertices, and beyond that the rounds of several plans for the rest of the event (see
`swiss_ahead`). Where no round leaves enough, because teams have come, left or not appeared, a
second bye is preferred to an event that ends early; failing that, the round that leaves most to
follow is taken.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import takewhile
from math import ceil, log2
from random import Random

import rustworkx

from tournaments.formats import swiss_ahead
from tournaments.formats.base import Format, Settings, Stage
from tournaments.formats.draw import Draw, DrawnMatch, PlayedRound
from tournaments.formats.standings import FULL_WIN
from tournaments.formats.swiss_field import NONE, Cost, SwissField, teams_of
from tournaments.formats.tie_breaks import TieBreak

DENSE = 256  # up to this many teams, all pairings are candidates at once
PLANS = 5  # plans whose rounds are compared in fields too large for an exact search

# Weights are integers of 128 bits with a sign; the search adds up some of them.
WEIGHT_BITS = 112
LOT_BITS = 32

Match = tuple[int, int]


class Swiss(Format):
    """Pairs entries with equal scores if possible; no rematches."""

    key = "swiss"
    name = "Swiss"
    keeps_apart = ("tables",)
    brief = "Every round you meet a partnership that has won as often as you have."
    length = "Few: 4 for 8 partnerships, 6 for 32."
    settings = Format.settings | {"rounds", "late_half_wins"}
    usual_order = (
        TieBreak.WINS,
        TieBreak.BUCHHOLZ_CUT_1,
        TieBreak.BUCHHOLZ,
        TieBreak.HEAD_TO_HEAD,
        TieBreak.POINT_DIFFERENCE,
        TieBreak.SONNEBORN_BERGER,
        TieBreak.LONE_HANDS,
    )
    sit_out_worth = FULL_WIN
    sit_out_words = "A bye counts as a win."

    def wanted_rounds(self, settings: Settings, entries: int) -> int:
        """Return the number of rounds: as set, or enough that at most one team is unbeaten."""
        enough = ceil(log2(max(entries, 2))) + 1
        return settings.rounds or min(enough, self.most_rounds(entries))

    def most_rounds(self, entries: int) -> int:
        """Return the number of rounds without a rematch; an odd field has a bye in each."""
        return entries - 1 + entries % 2

    def playable_rounds(self, stage: Stage) -> int:
        """Return after how many rounds no more can be drawn without a rematch."""
        number = len(stage.history)
        return number + rounds_left(stage.playing, stage.history, max(0, stage.left))

    def why_shortened(self, left: int) -> str:
        if left < 2:
            return "cannot play on alone"
        return "cannot be paired again without a rematch"

    def draw(self, stage: Stage) -> Draw:
        return pair(
            stage.playing, stage.history, stage.rng(), stage.left - 1, stage.head_starts,
            apart=stage.apart.tables,
        )  # fmt: skip


class NoLegalRoundError(ValueError):
    """No round without a rematch is left."""


def pair(
    entrants: Sequence[int],
    history: Sequence[PlayedRound],
    rng: Random,
    to_come: int = 0,
    head_starts: Mapping[int, int] = NONE,
    *,
    apart: frozenset[Match] = frozenset(),
) -> Draw:
    """Pair the next round, the highest scores at table 1 and the better team first; a bye is a win.

    In a field of more than `DENSE` teams each team has about 40 candidates at first. All pairings
    become candidates only if these allow no round, or none with the bye at the lowest possible
    score. `to_come` rounds follow this one; `head_starts` as in `Stage`. Two who are to be kept
    `apart` meet only if every legal round has such a match. Raises NoLegalRoundError when (nearly)
    everybody has met everybody, and ValueError if an entrant is named twice.
    """
    for field, rounds in _attempts(entrants, history, 1 + to_come, head_starts, apart):
        matches = _best_extendable(field, rounds - 1, rng)
        if matches is not None:
            return _draw(field, matches)
    raise NoLegalRoundError(
        f"{len(entrants)} teams cannot be paired after {len(history)} rounds without a rematch"
    )


def rounds_left(entrants: Sequence[int], history: Sequence[PlayedRound], most: int) -> int:
    """Return how many rounds can still be drawn, at most `most`."""
    for field, rounds in _attempts(entrants, history, most):
        if _certain(field, rounds) or swiss_ahead.can_continue(_graph(field), rounds):
            return rounds
    return 0


def _attempts(
    entrants: Sequence[int],
    history: Sequence[PlayedRound],
    most: int,
    head_starts: Mapping[int, int] = NONE,
    apart: frozenset[Match] = frozenset(),
) -> Iterator[tuple[SwissField, int]]:
    """Yield fields and numbers of rounds to try, the most rounds and the strictest rules first."""
    if len(set(entrants)) < len(entrants):
        raise ValueError("an entrant is named twice")
    if len(entrants) < 2:
        return
    strict = SwissField(teams_of(entrants, history, head_starts), apart)
    fields = [strict]
    if strict.odd and len(strict.may_sit_out) < len(strict.teams):
        fields.append(SwissField(strict.teams, apart, second_byes=True))
    for rounds in range(most, 0, -1):
        yield from ((field, rounds) for field in fields)


def _best_extendable(field: SwissField, to_come: int, rng: Random) -> list[Match] | None:
    """Return the best round that `to_come` more can follow, sorted; None if none is found."""
    matches = _best_of_near(field, rng) or _best_of(field, field.all_pairs(), rng)
    if matches is None or not to_come or _certain(field, 1 + to_come):
        return matches
    graph = _graph(field)
    if swiss_ahead.can_continue(swiss_ahead.without(graph, matches), to_come):
        return matches
    if not swiss_ahead.can_continue(graph, 1 + to_come):
        return None
    edges = list(field.all_pairs())
    weights = _weights([field.cost(*edge) for edge in edges], len(graph) // 2, rng)
    worth = dict(zip(edges, weights, strict=True))
    # All rounds of a small field, or those of some plans of a larger one; all can be continued.
    small = len(graph) <= swiss_ahead.EXACT
    plans = (swiss_ahead.plan(graph, 1 + to_come, seed) for seed in range(PLANS))
    found = [swiss_ahead.matchings(graph)] if small else takewhile(bool, plans)
    rounds = sorted(
        (round_ for plan in found for round_ in plan or ()),
        key=lambda round_: sum(worth[match] for match in round_),
        reverse=True,
    )
    extendable = (
        round_
        for round_ in rounds
        if not small or swiss_ahead.can_continue(swiss_ahead.without(graph, round_), to_come)
    )
    return next(extendable, None)


def _certain(field: SwissField, rounds: int) -> bool:
    teams, byes = len(field.teams), len(field.may_sit_out)
    return swiss_ahead.certain(rounds, teams, field.fewest_left(), byes)


def _graph(field: SwissField) -> swiss_ahead.Graph:
    return swiss_ahead.graph_of(len(field.teams) + field.odd, field.all_pairs())


def _best_of_near(field: SwissField, rng: Random) -> list[Match] | None:
    """Return the best round of likely pairings in a large field, unless its bye may be too high."""
    if len(field.teams) <= DENSE or field.second_byes:
        return None
    matches = _best_of(field, field.near_pairs(), rng)
    if matches is None or not field.odd:
        return matches
    sits_out = next(high for high, low in matches if low == field.bye)
    first = field.teams[field.may_sit_out[-1]].bye_order
    return matches if field.teams[sits_out].bye_order == first else None


def _best_of(field: SwissField, pairs: Iterable[Match], rng: Random) -> list[Match] | None:
    """Return the perfect matching of least cost, sorted; None if there is none."""
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
    """Return one number for each cost, the higher the better.

    Each criterion is a digit, in a base larger than the sum of the digits over a whole round. The
    last digit is the lot. Pairings without cost get none: everybody has at most one such pairing,
    and the search is much faster without.
    """
    bases = [max(digits) * matches + 1 for digits in zip(*costs, strict=True)]
    totals = [0] * len(costs)
    for level, base in enumerate(bases):
        totals = [total * base + cost[level] for total, cost in zip(totals, costs, strict=True)]
    room = WEIGHT_BITS - max(totals).bit_length() - matches.bit_length()
    if room < 0:
        raise OverflowError("a round of this many teams needs wider weights")
    bits = min(LOT_BITS, room)
    shift = bits + matches.bit_length()
    return [-(total << shift) - (rng.getrandbits(bits) if total else 0) for total in totals]


def _draw(field: SwissField, matches: Sequence[Match]) -> Draw:
    teams = field.teams
    played = [match for match in matches if match[1] != field.bye]
    played.sort(key=lambda match: (-teams[match[0]].score, -teams[match[1]].score, match))
    return Draw(
        tuple(
            DrawnMatch(table, ((teams[high].entrant,), (teams[low].entrant,)))
            for table, (high, low) in enumerate(played, start=1)
        ),
        tuple(teams[high].entrant for high, low in matches if low == field.bye),
    )
