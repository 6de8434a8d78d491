"""What the worked examples of formats show, in words: rounds, standings, brackets."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tournaments.event_page.bracket_lines import Bracket, bracket_of
from tournaments.formats.bracket import Node
from tournaments.formats.draw import Draw, PlayedMatch, PlayedRound
from tournaments.formats.draw import DrawnMatch as Drawn
from tournaments.formats.standings import Standing
from tournaments.formats.tie_breaks import TieBreak
from tournaments.models import Pairing
from tournaments.results.match_lines import EventPlayer, MatchLine, SideLine, Team
from tournaments.results.standing_lines import value_in_words


@dataclass(frozen=True, slots=True)
class ExampleSide:
    """A side of a match. points: empty while it is only drawn."""

    name: str
    points: str = ""
    won: bool = False


@dataclass(frozen=True, slots=True)
class ExampleMatch:
    """A match of an example."""

    table: int
    sides: tuple[ExampleSide, ExampleSide]


@dataclass(frozen=True, slots=True)
class ExampleRound:
    """A round of an example. sit_outs: names."""

    number: int
    matches: tuple[ExampleMatch, ...]
    sit_outs: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ExampleLine:
    """A line of the standings of an example. values: as its columns."""

    place: int
    name: str
    values: tuple[str, ...]


def rounds_drawn(
    draws: Sequence[Draw], names: Sequence[str], start: int = 1
) -> tuple[ExampleRound, ...]:
    """Return rounds that have not been played; `start`: the number of the first."""
    return tuple(
        ExampleRound(
            number,
            tuple(
                _match(pairing, [ExampleSide(_side(side, names)) for side in pairing.sides])
                for pairing in draw.pairings
            ),
            tuple(names[one] for one in draw.sit_outs),
        )
        for number, draw in enumerate(draws, start=start)
    )


def rounds_played(rounds: Sequence[PlayedRound], names: Sequence[str]) -> tuple[ExampleRound, ...]:
    """Return rounds with their results."""
    return tuple(
        ExampleRound(
            number,
            tuple(_result(match, names) for match in played.matches),
            tuple(names[one] for one in played.sit_outs),
        )
        for number, played in enumerate(rounds, start=1)
    )


def lines_of(
    table: Sequence[Standing], columns: Sequence[TieBreak], names: Sequence[str]
) -> tuple[ExampleLine, ...]:
    """Return standings with the values of some tie-breaks."""
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
    """Return a knock-out as it is drawn, with the points of its matches."""
    teams = {
        seed: Team((seed,), tuple(EventPlayer(0, name, False) for name in names[seed].split(" & ")))
        for seed in seeds
    }
    lines = [_line(match, teams) for played in history for match in played.matches]
    return bracket_of(nodes, teams, seeds, lines)


def _match(pairing: Drawn, sides: Sequence[ExampleSide]) -> ExampleMatch:
    first, second = sides
    return ExampleMatch(pairing.table, (first, second))


def _result(match: PlayedMatch, names: Sequence[str]) -> ExampleMatch:
    return _match(
        match.pairing,
        [
            ExampleSide(_side(side, names), str(match.points[at]), won=match.winner == at)
            for at, side in enumerate(match.pairing.sides)
        ],
    )


def _side(entrants: Sequence[int], names: Sequence[str]) -> str:
    return " & ".join(names[one] for one in entrants)


def _line(match: PlayedMatch, teams: Mapping[int, Team]) -> MatchLine:
    first, second = (
        SideLine(teams[side[0]], str(match.points[at]), match.winner == at)
        for at, side in enumerate(match.pairing.sides)
    )
    return MatchLine(
        pairing_id=0,
        stage=1,
        round=1,
        number=match.pairing.table,
        table_id=None,
        state=Pairing.State.DECIDED,
        how=Pairing.How.PLAYED,
        sides=(first, second),
        games=(),
        several=False,
        tied=False,
        lost_by_both="",
        path="",
    )
