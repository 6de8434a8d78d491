"""A bracket as a drawing and as a list, with names, results and links."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Final, TypeAlias

from games.models import Player
from tournaments.formats import bracket_picture
from tournaments.formats.bracket import BracketPart, Node, SlotSource
from tournaments.formats.bracket_picture import Box, BracketPicture, Division
from tournaments.results.match_lines import MatchGameLine, MatchLine, Team

WIDTH: Final = 252
FOOT: Final = 30  #: height of the line below the sides
ROW: Final = {1: 38, 2: 48}  #: height of a side, by its number of names
SEED: Final = 34  #: width of the column of seeds
COUNT: Final = 40  #: width of the column of results
#: Widths of letters relative to the type size, at least as wide as in common fonts.
NARROW: Final = dict.fromkeys("iljtfrI.,'’-() ", 0.36)
WIDE: Final = dict.fromkeys("mwMWQO@%", 0.98)
LETTER: Final = 0.64
TYPE: Final = 15


#: A name in the drawing, the height of its base, and the width to compress it to, or empty.
Name: TypeAlias = tuple[str, int, str]


@dataclass(frozen=True, slots=True)
class BracketSide:
    """A side of a match in the drawing; `words` say who is awaited while nobody is known."""

    team: Team | None
    names: tuple[Name, ...]
    words: str
    seed: int
    count: str
    won: bool
    golden: bool
    top: int
    middle: int

    @property
    def base(self) -> int:
        return self.middle + 5

    @property
    def label(self) -> str:
        if self.team is None:
            return self.words
        count = f", {self.count}" if self.count else ""
        return f"{self.team.name}, seed {self.seed}{count}{', won' if self.won else ''}"


@dataclass(frozen=True, slots=True)
class BracketMatch:
    """A match in the drawing.

    `foot` has its scores, or how it ended. `maybe`: it is played only if the winner of the losers'
    rounds wins the final.
    """

    box: Box
    row: int
    title: str
    sides: tuple[BracketSide, BracketSide]
    foot: str
    path: str
    link: str
    games: tuple[MatchGameLine, ...]
    several: bool
    maybe: bool

    @property
    def scored(self) -> bool:
        return self.several and bool(self.games)

    @property
    def golden(self) -> bool:
        """Whether the champion has won it."""
        return any(side.golden for side in self.sides)

    @property
    def inside(self) -> int:
        """The width within the frame."""
        return WIDTH - 2

    @property
    def edge(self) -> int:
        return WIDTH - 12

    @property
    def foot_at(self) -> int:
        """The top of the line below the sides."""
        return 2 * self.row

    @property
    def foot_base(self) -> int:
        """The baseline of the text below the sides."""
        return self.foot_at + 20

    @property
    def label(self) -> str:
        first, second = (side.label for side in self.sides)
        more = f". {self.foot}" if self.foot else ""
        return f"{self.title}: {first}; {second}{more}"


@dataclass(frozen=True, slots=True)
class Bracket:
    """A bracket to be drawn. paths: the lines, each with whether the champion went that way.

    unwon: whether nobody has won it, as neither side came to the final. sheets: its parts where it
    is to be read from afar, printed: those on sheets of paper.
    """

    picture: BracketPicture
    matches: tuple[BracketMatch, ...]
    paths: tuple[tuple[str, bool], ...]
    champion: Team | None
    names: tuple[Name, ...]
    rounds: tuple[tuple[str, tuple[BracketMatch, ...]], ...]
    unwon: bool
    sheets: tuple[BracketSheet, ...] = ()
    printed: tuple[BracketSheet, ...] = ()


@dataclass(frozen=True, slots=True)
class BracketSheet:
    """A part of a bracket, for printing; fields as for `Bracket`."""

    picture: BracketPicture
    matches: tuple[BracketMatch, ...]
    paths: tuple[tuple[str, bool], ...]


def bracket_of(
    nodes: Sequence[Node],
    teams: Mapping[int, Team],
    seeds: Sequence[int],
    played: Sequence[MatchLine],
) -> Bracket:
    """Return a bracket with names, results and links.

    `teams` are by the entry that stands for each side, `seeds` are these entries, the best first.
    """
    size = WIDTH, 2 * _row(teams) + FOOT
    drawn = bracket_picture.picture(nodes, size)
    maker = _Maker(nodes, teams, seeds, played, drawn.champion)
    matches = tuple(maker.match(box) for box in drawn.boxes)
    winner = teams[drawn.champion] if drawn.champion is not None else None
    by_node = {match.box.node: match for match in matches}

    def sheets(divisions: tuple[Division, Division]) -> Iterator[BracketSheet]:
        for only in bracket_picture.sheets(nodes, divisions):
            part = bracket_picture.picture(nodes, size, only)
            boxes = (replace(by_node[box.node], box=box) for box in part.boxes)
            yield BracketSheet(part, tuple(boxes), _paths(part))

    return Bracket(
        drawn,
        matches,
        _paths(drawn),
        winner,
        tuple(_names(winner.people, bracket_picture.CROWN[0] - 24, 96, 22)) if winner else (),
        tuple(_rounds(nodes, matches)),
        winner is None and nodes[-1].over,
        tuple(sheets(bracket_picture.FROM_AFAR)),
        tuple(sheets(bracket_picture.ON_PAPER)),
    )


def _paths(drawn: BracketPicture) -> tuple[tuple[str, bool], ...]:
    return tuple(
        ("M" + " L".join(f"{x} {y}" for x, y in line.points), line.golden) for line in drawn.lines
    )


def _rounds(
    nodes: Sequence[Node], matches: Sequence[BracketMatch]
) -> Iterator[tuple[str, tuple[BracketMatch, ...]]]:
    titles = bracket_picture.titles(nodes)
    parts = list(BracketPart)

    def key(match: BracketMatch) -> tuple[int, int, int]:
        spot = nodes[match.box.node or 0].spot
        return spot.turn, parts.index(spot.part), spot.round

    for (_turn, part, number), same in groupby(sorted(matches, key=key), key=key):
        yield titles[parts[part], number], tuple(same)


def _row(teams: Mapping[int, Team]) -> int:
    return ROW[max(len(team.people) for team in teams.values())]


def fitted(text: str, room: int) -> str:
    """Return the width to compress a text to, or an empty string if it fits."""
    wide = sum(NARROW.get(letter) or WIDE.get(letter, LETTER) for letter in text) * TYPE
    return str(room) if wide > room else ""


class _Maker:
    def __init__(
        self,
        nodes: Sequence[Node],
        teams: Mapping[int, Team],
        seeds: Sequence[int],
        played: Sequence[MatchLine],
        champion: int | None,
    ) -> None:
        self.nodes, self.teams = nodes, teams
        self.row = _row(teams)
        self.champion = champion
        self.seed = {entry: number for number, entry in enumerate(seeds, start=1)}
        self.titles = bracket_picture.match_names(nodes)
        self.played: dict[tuple[int | None, int | None], list[MatchLine]] = {}
        for line in played:
            first, second = (side.team.entries[0] for side in line.sides)
            self.played.setdefault((first, second), []).append(line)

    def match(self, box: Box) -> BracketMatch:
        at = box.node or 0
        node = self.nodes[at]
        lines = self.played.get(node.sides)
        line = lines.pop(0) if lines else None
        first, second = (self._side(at, side, line) for side in (0, 1))
        decided = line is not None and line.decided
        foot = link = ""
        if line is not None and not decided:
            foot, link = f"Round {line.pairing.round.number}, table {line.pairing.number}", "Watch"
        elif line is not None:
            foot = line.scores or ("" if line.words == "Finished" else line.words)
            link = "Games" if len(line.games) > 1 else "Game"
        return BracketMatch(
            box,
            self.row,
            self.titles[at],
            (first, second),
            foot,
            line.path if line else "",
            link if line and line.path else "",
            line.games if line and decided else (),
            several=line is not None and line.several,
            maybe=node.spot.part is BracketPart.RESET and None in node.sides,
        )

    def _side(self, at: int, side: int, line: MatchLine | None) -> BracketSide:
        who = self.nodes[at].sides[side]
        top, middle = side * self.row, side * self.row + self.row // 2
        if who is None and self.nodes[at].settled[side]:
            return BracketSide(None, (), "Nobody", 0, "", False, False, top, middle)
        if who is None:
            comes, number = bracket_picture.origin(self.nodes, at, side)
            title = self.titles[number]
            loser = "Loser" if comes is SlotSource.LOSER else "Winner"
            words = f"{loser} of {title[0].lower()}{title[1:]}"
            if comes is SlotSource.BEATEN_FIRST:
                words = "Loser of the final"
            return BracketSide(None, (), words, 0, "", False, False, top, middle)
        team = self.teams[who]
        room = WIDTH - SEED - COUNT - 10
        return BracketSide(
            team,
            tuple(_names(team.people, room, middle, 18)),
            "",
            self.seed[who],
            line.sides[side].count if line and line.decided else "",
            self.nodes[at].winner == who,
            who == self.champion and self.nodes[at].winner == who,
            top,
            middle,
        )


def _names(people: Sequence[Player], room: int, middle: int, step: int) -> list[Name]:
    """Return names one below the other, centred on a height."""
    first = middle + 5 - step * (len(people) - 1) // 2
    return [
        (person.name, first + step * at, fitted(person.name, room))
        for at, person in enumerate(people)
    ]
