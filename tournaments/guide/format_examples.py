"""A worked example of each format: drawn by the format itself, with random results.

The random seed is fixed, so that a page always shows the same example.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from random import Random
from typing import Final

from games.models import Player
from tournaments.event_page.bracket_lines import Bracket, bracket_of
from tournaments.formats import (
    comparison,
    duplicate_pairs,
    progressive,
    rotation,
    round_robin,
    stages,
    swiss,
)
from tournaments.formats.base import KnockOut
from tournaments.formats.bracket import Node
from tournaments.formats.comparison import Scoring, TableRound
from tournaments.formats.draw import Draw, DrawnMatch, PlayedMatch, PlayedRound
from tournaments.formats.meetings import meetings
from tournaments.formats.registry import FORMATS, KNOCK_OUTS
from tournaments.formats.standings import EntrantStanding, draw_lots, standings
from tournaments.formats.tie_breaks import TieBreak
from tournaments.models import Pairing, Round
from tournaments.results.match_lines import MatchLine, SideLine, Team
from tournaments.standings.standing_lines import signed_in_words, value_in_words

TARGET: Final = 10
PLAYERS: Final = ("Maeve", "Ben", "Iris", "Jonah", "Otto", "Clara", "Theo", "Nora", "Silas", "Ada",
                  "Greta", "Hugo", "Ruth", "Finn")  # fmt: skip


@dataclass(frozen=True, slots=True)
class Example:
    """A worked example.

    `standings` are those after the last round shown. `partners` and `opponents` are the most times
    that any two meet in this way. `deal` is one deal of a duplicate event at all its tables.
    """

    entrants: tuple[str, ...]
    rounds: tuple[ExampleRound, ...]
    total: int
    columns: tuple[TieBreak, ...] = ()
    standings: tuple[ExampleLine, ...] = ()
    bracket: Bracket | None = None
    seeds: tuple[str, ...] = ()
    partners: int = 0
    opponents: int = 0
    deal: tuple[ExampleResult, ...] = ()


def example_of(key: str) -> Example:
    """Return the example of a format; raise KeyError if it has none."""
    return EXAMPLES[key]()


@cache
def _rotation() -> Example:
    draws = rotation.draws(range(8), 7, _lot(8))
    met = meetings(pairing for draw in draws for pairing in draw.pairings)
    return Example(
        PLAYERS[:8],
        shown_rounds(draws[:3], PLAYERS),
        len(draws),
        partners=max(met.partners.values()),
        opponents=max(met.opponents.values()),
    )


@cache
def _progressive() -> Example:
    rng = _lot(13)
    history: list[PlayedRound] = []
    for _round in range(2):
        history.append(_results(progressive.pair(range(13), history, rng), rng))
    last = progressive.pair(range(13), history, rng)
    return Example(PLAYERS[:13], shown_rounds([*history, last], PLAYERS), 3)


@cache
def _duplicate() -> Example:
    return _duplicate_event(PLAYERS[:12], rotation.draws(range(12), 11, _lot(12)), "duplicate")


@cache
def _duplicate_pairs() -> Example:
    return _duplicate_event(_pairs(6), duplicate_pairs.movement(range(6)), "duplicate_pairs")


def _duplicate_event(names: Sequence[str], draws: Sequence[Draw], key: str) -> Example:
    """Return the first two rounds of a duplicate event, and the first deal of all."""
    rng = _lot(len(names))
    nets = [[_nets(rng) for _match in draw.pairings] for draw in draws[:2]]
    history = [_compared(draw, dealt) for draw, dealt in zip(draws, nets, strict=False)]
    order = FORMATS[key].usual_order
    everybody = range(len(names))
    table = standings(everybody, history, order, draw_lots(everybody, rng), None)
    first = [dealt[0] for dealt in nets[0]]
    points, matchpoints = (
        [score or Fraction() for score in comparison.deal_scores(first, scoring)]
        for scoring in Scoring
    )
    return Example(
        tuple(names),
        shown_rounds(history, names),
        len(draws),
        (*order, TieBreak.LOT),
        lines_of(table, (*order, TieBreak.LOT), names),
        deal=tuple(
            ExampleResult(
                match.table,
                _side(match.sides[0], names),
                _side(match.sides[1], names),
                signed_in_words(first[at], 0),
                signed_in_words(float(points[at])),
                signed_in_words(float(matchpoints[at])),
            )
            for at, match in enumerate(draws[0].pairings)
        ),
    )


def _nets(rng: Random) -> list[int]:
    """Return net results for north and south of a round of four deals."""
    return [rng.choice((1, 1, 1, -1, -1, -1, 2, -2, 4, -4)) for _deal in range(4)]


def _compared(draw: Draw, nets: Sequence[Sequence[int]]) -> PlayedRound:
    scores = comparison.match_scores([TableRound(dealt) for dealt in nets], 4, Scoring.POINTS)
    played = []
    for pairing, dealt, both in zip(draw.pairings, nets, scores, strict=True):
        points = sum(net for net in dealt if net > 0), -sum(net for net in dealt if net < 0)
        winner = -1 if points[0] == points[1] else int(points[1] > points[0])
        played.append(PlayedMatch(pairing, winner, points, scores=both))
    return PlayedRound(tuple(played), draw.sit_outs)


@cache
def _swiss() -> Example:
    names, rng = _pairs(7), _lot(7)
    history: list[PlayedRound] = []
    for _round in range(3):
        history.append(_results(swiss.pair(range(7), history, rng), rng))
    order = FORMATS["swiss"].usual_order
    table = standings(range(7), history, order, draw_lots(range(7), rng))
    lines = lines_of(table, (*order, TieBreak.LOT), names)
    return Example(names, shown_rounds(history, names), 3, (*order, TieBreak.LOT), lines)


@cache
def _round_robin() -> Example:
    names = _pairs(5)
    draws = round_robin.draws(range(5))
    return Example(names, shown_rounds(draws, names), len(draws))


@cache
def _single_elimination() -> Example:
    return _knock_out(6, 14, KNOCK_OUTS["single_elimination"])


@cache
def _double_elimination() -> Example:
    return _knock_out(4, 0, KNOCK_OUTS["double_elimination"])


@cache
def _two_stages() -> Example:
    rng = _lot(8)
    draws = rotation.draws(range(8), 3, rng)
    history = [_results(draw, rng) for draw in draws]
    order = FORMATS["rotation"].usual_order
    table = standings(range(8), history, order, draw_lots(range(8), rng), None)
    single = KNOCK_OUTS["single_elimination"]
    sides = stages.sides_of([line.entrant for line in table], individuals=True)
    names = {captain: " & ".join(PLAYERS[one] for one in side) for captain, side in sides.items()}
    while (draw := single.pair(list(sides), history[3:])).pairings:
        history.append(_results(stages.for_sides(draw, sides), rng))
    knock_out = [_by_captain(played) for played in history[3:]]
    nodes = single.nodes(list(sides), knock_out)
    return Example(
        PLAYERS[:8],
        shown_rounds(history, PLAYERS),
        len(history),
        (*order, TieBreak.LOT),
        lines_of(table, (*order, TieBreak.LOT), PLAYERS),
        bracket_for(nodes, list(sides), names, knock_out),
        tuple(names.values()),
    )


EXAMPLES: Final[Mapping[str, Callable[[], Example]]] = {
    "rotation": _rotation,
    "progressive": _progressive,
    "duplicate": _duplicate,
    "swiss": _swiss,
    "round_robin": _round_robin,
    "duplicate_pairs": _duplicate_pairs,
    "single_elimination": _single_elimination,
    "double_elimination": _double_elimination,
    "two_stages": _two_stages,
}


def _knock_out(size: int, seed: int, which: KnockOut) -> Example:
    names, rng, seeds = _pairs(size), _lot(seed), range(size)
    history: list[PlayedRound] = []
    while (draw := which.pair(seeds, history)).pairings:
        history.append(_results(draw, rng))
    bracket = bracket_for(which.nodes(seeds, history), seeds, dict(enumerate(names)), history)
    return Example(names, shown_rounds(history, names), len(history), bracket=bracket)


def _lot(seed: int) -> Random:
    return Random(seed)  # noqa: S311 - an example, the same every time


def _pairs(count: int) -> tuple[str, ...]:
    both = zip(PLAYERS[0 : 2 * count : 2], PLAYERS[1 : 2 * count : 2], strict=True)
    return tuple(f"{one} & {other}" for one, other in both)


def _results(draw: Draw, rng: Random) -> PlayedRound:
    """Give each match of a draw a random result."""
    played = []
    for pairing in draw.pairings:
        winner, lost = rng.randrange(2), rng.randint(3, TARGET - 1)
        points = (TARGET, lost) if winner == 0 else (lost, TARGET)
        played.append(PlayedMatch(pairing, winner, points))
    return PlayedRound(tuple(played), draw.sit_outs)


def _by_captain(played: PlayedRound) -> PlayedRound:
    """Return a round with each side replaced by the entrant that stands for it."""
    return PlayedRound(
        tuple(
            match._replace(
                pairing=match.pairing._replace(
                    sides=(match.pairing.sides[0][:1], match.pairing.sides[1][:1])
                )
            )
            for match in played.matches
        )
    )


@dataclass(frozen=True, slots=True)
class ExampleSide:
    """A side of a match. points: empty if it has not been played."""

    name: str
    points: str = ""
    won: bool = False


@dataclass(frozen=True, slots=True)
class ExampleMatch:
    table: int
    sides: tuple[ExampleSide, ...]


@dataclass(frozen=True, slots=True)
class ExampleRound:
    """A round of an example. sit_outs: names."""

    number: int
    matches: tuple[ExampleMatch, ...]
    sit_outs: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ExampleResult:
    """One deal at one table: the net result of north and south, and their score in both ways."""

    table: int
    north_south: str
    east_west: str
    net: str
    points: str
    matchpoints: str


@dataclass(frozen=True, slots=True)
class ExampleLine:
    """A line of the standings of an example. values: one for each column."""

    place: int
    name: str
    values: tuple[str, ...]


def shown_rounds(
    rounds: Sequence[Draw | PlayedRound], names: Sequence[str]
) -> tuple[ExampleRound, ...]:
    return tuple(
        ExampleRound(
            number,
            tuple(
                _drawn_match(match, names)
                if isinstance(match, DrawnMatch)
                else _played_match(match, names)
                for match in (one.pairings if isinstance(one, Draw) else one.matches)
            ),
            tuple(names[entrant] for entrant in one.sit_outs),
        )
        for number, one in enumerate(rounds, start=1)
    )


def _drawn_match(match: DrawnMatch, names: Sequence[str]) -> ExampleMatch:
    return ExampleMatch(match.table, tuple(ExampleSide(_side(side, names)) for side in match.sides))


def _played_match(match: PlayedMatch, names: Sequence[str]) -> ExampleMatch:
    return ExampleMatch(
        match.pairing.table,
        tuple(
            ExampleSide(_side(side, names), str(match.points[at]), won=match.winner == at)
            for at, side in enumerate(match.pairing.sides)
        ),
    )


def lines_of(
    table: Sequence[EntrantStanding], columns: Sequence[TieBreak], names: Sequence[str]
) -> tuple[ExampleLine, ...]:
    return tuple(
        ExampleLine(
            line.place,
            names[line.entrant],
            tuple(value_in_words(which, line.values[which]) for which in columns),
        )
        for line in table
    )


def bracket_for(
    nodes: Sequence[Node],
    seeds: Sequence[int],
    names: Mapping[int, str],
    history: Sequence[PlayedRound],
) -> Bracket:
    teams = {
        seed: Team((seed,), tuple(Player(pk=0, name=name) for name in names[seed].split(" & ")))
        for seed in seeds
    }
    lines = [_line(match, teams) for played in history for match in played.matches]
    return bracket_of(nodes, teams, seeds, lines)


def _side(entrants: Sequence[int], names: Sequence[str]) -> str:
    return " & ".join(names[one] for one in entrants)


def _line(match: PlayedMatch, teams: Mapping[int, Team]) -> MatchLine:
    first, second = (
        SideLine(teams[side[0]], str(match.points[at]), match.winner == at)
        for at, side in enumerate(match.pairing.sides)
    )
    pairing = Pairing(
        round=Round(number=1),
        number=match.pairing.table,
        state=Pairing.State.DECIDED,
        how=Pairing.How.PLAYED,
        winner=match.winner,
    )
    return MatchLine(pairing, (first, second))
