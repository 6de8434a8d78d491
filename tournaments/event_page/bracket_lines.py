"""A knock-out as a picture and as a list: its matches with names, results and places to click."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Final

from tournaments.formats import bracket_picture
from tournaments.formats.bracket import BracketPart, Comes, Node
from tournaments.formats.bracket_picture import Box, Heading, WinnersWay
from tournaments.results.match_lines import EventPlayer, MatchGameLine, MatchLine, Team

WIDTH: Final = 252
FOOT: Final = 30  #: the height of the line below the sides
ROW: Final = {1: 38, 2: 48}  #: the height of a side, by how many names it has
SEED: Final = 34  #: the width of the seed's place
COUNT: Final = 40  #: and of the result's
#: Widths of letters in parts of the size of the type, as wide as any usual face has them.
NARROW: Final = dict.fromkeys("iljtfrI.,'’-() ", 0.36)
WIDE: Final = dict.fromkeys("mwMWQO@%", 0.98)
LETTER: Final = 0.64
TYPE: Final = 15


@dataclass(frozen=True, slots=True)
class Name:
    """A name in the picture. squeeze: the width to press it into, empty if it fits as it is."""

    text: str
    base: int
    squeeze: str


@dataclass(frozen=True, slots=True)
class BracketSide:
    """A side of a match. words: who is awaited there, where nobody has come yet.

    seed: 0 if nobody has come. golden: the champion's. top, middle: its place
    within the match.
    """

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
        """The line on which a single line of text stands."""
        return self.middle + 5

    @property
    def label(self) -> str:
        """The side in words: "Maeve & Ben, seed 5, 2"."""
        if self.team is None:
            return self.words
        count = f", {self.count}" if self.count else ""
        return f"{self.team.name}, seed {self.seed}{count}{', won' if self.won else ''}"


@dataclass(frozen=True, slots=True)
class BracketMatch:
    """A match of the picture; scores are told once it is decided, until then it can be watched.

    box: its place. row: the height of a side. title: "Semi-final 1". foot: its scores, or how it
    ended. path, link: where to and in what words it leads, empty if nowhere. games: once it is
    decided. several: whether they are counted. maybe: it is only played if the final is won from
    below.
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
        """Whether its foot is the scores of its games."""
        return self.several and bool(self.games)

    @property
    def golden(self) -> bool:
        """Whether the champion has won it."""
        return any(side.golden for side in self.sides)

    @property
    def inside(self) -> int:
        """The width of a match within its frame."""
        return WIDTH - 2

    @property
    def edge(self) -> int:
        """Where the text at the right of a match ends."""
        return WIDTH - 12

    @property
    def foot_at(self) -> int:
        """Where the line below the sides begins."""
        return 2 * self.row

    @property
    def foot_base(self) -> int:
        """The line on which the text below the sides stands."""
        return self.foot_at + 20

    @property
    def label(self) -> str:
        """All of it in words."""
        first, second = (side.label for side in self.sides)
        more = f". {self.foot}" if self.foot else ""
        return f"{self.title}: {first}; {second}{more}"


@dataclass(frozen=True, slots=True)
class BracketRound:
    """A round in the list."""

    title: str
    matches: tuple[BracketMatch, ...]


@dataclass(frozen=True, slots=True)
class Bracket:
    """A knock-out to be drawn. paths: of the lines between, with whether the champion's."""

    width: int
    height: int
    headings: tuple[Heading, ...]
    matches: tuple[BracketMatch, ...]
    paths: tuple[tuple[str, bool], ...]
    crown: Box
    champion: Team | None
    names: tuple[Name, ...]
    rounds: tuple[BracketRound, ...]


def bracket_of(
    nodes: Sequence[Node],
    teams: Mapping[int, Team],
    seeds: Sequence[int],
    played: Sequence[MatchLine],
) -> Bracket:
    """Return a knock-out as it is drawn.

    Args:
        nodes: the bracket so far; at least one match.
        teams: its sides, by the entry that stands for each.
        seeds: these entries, the best first.
        played: its matches that were drawn, in order.
    """
    drawn = bracket_picture.picture(nodes, (WIDTH, 2 * _row(teams) + FOOT))
    maker = _Maker(nodes, teams, seeds, played)
    matches = tuple(maker.match(box) for box in drawn.boxes)
    winner = teams[drawn.champion] if drawn.champion is not None else None
    return Bracket(
        drawn.width,
        drawn.height,
        drawn.headings,
        matches,
        tuple((_path(line), line.golden) for line in drawn.lines),
        drawn.crown,
        winner,
        tuple(_names(winner.people, drawn.crown.width - 24, 96, 22)) if winner else (),
        tuple(_rounds(nodes, matches)),
    )


def _rounds(nodes: Sequence[Node], matches: Sequence[BracketMatch]) -> Iterator[BracketRound]:
    """The matches round by round, in the order in which the rounds are played."""
    titles = bracket_picture.titles(nodes)
    parts = list(BracketPart)

    def key(match: BracketMatch) -> tuple[int, int, int]:
        spot = nodes[match.box.node or 0].spot
        return spot.turn, parts.index(spot.part), spot.round

    for (_turn, part, number), same in groupby(sorted(matches, key=key), key=key):
        yield BracketRound(titles[parts[part], number], tuple(same))


def _row(teams: Mapping[int, Team]) -> int:
    return ROW[max(len(team.people) for team in teams.values())]


def fitted(text: str, room: int) -> str:
    """Return the width a text has to be pressed into, or an empty text where it fits."""
    wide = sum(NARROW.get(letter) or WIDE.get(letter, LETTER) for letter in text) * TYPE
    return str(room) if wide > room else ""


class _Maker:
    """Fills the places of the picture."""

    def __init__(
        self,
        nodes: Sequence[Node],
        teams: Mapping[int, Team],
        seeds: Sequence[int],
        played: Sequence[MatchLine],
    ) -> None:
        self.nodes, self.teams = nodes, teams
        self.row = _row(teams)
        self.champion = bracket_picture.champion(nodes)
        self.seed = {entry: number for number, entry in enumerate(seeds, start=1)}
        self.titles = bracket_picture.match_names(nodes)
        self.played: dict[tuple[int, int], list[MatchLine]] = {}
        for line in played:
            first, second = (side.team.entries[0] for side in line.sides)
            self.played.setdefault((first, second), []).append(line)

    def match(self, box: Box) -> BracketMatch:
        at = box.node or 0
        node = self.nodes[at]
        line = self._line(node)
        first, second = (self._side(at, side, line) for side in (0, 1))
        decided = line is not None and line.decided
        return BracketMatch(
            box,
            self.row,
            self.titles[at],
            (first, second),
            _foot(line),
            line.path if line else "",
            _link(line),
            line.games if line and decided else (),
            several=line is not None and line.several,
            maybe=node.spot.part is BracketPart.RESET and None in node.sides,
        )

    def _line(self, node: Node) -> MatchLine | None:
        first, second = node.sides
        if first is None or second is None:
            return None
        lines = self.played.get((first, second))
        return lines.pop(0) if lines else None

    def _side(self, at: int, side: int, line: MatchLine | None) -> BracketSide:
        who = self.nodes[at].sides[side]
        top, middle = side * self.row, side * self.row + self.row // 2
        if who is None:
            return BracketSide(None, (), self._awaited(at, side), 0, "", False, False, top, middle)
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

    def _awaited(self, at: int, side: int) -> str:
        comes, number = bracket_picture.origin(self.nodes, at, side)
        if comes is Comes.BEATEN_FIRST:
            return "Loser of the final"
        title = self.titles[number]
        loser = "Loser" if comes is Comes.LOSER else "Winner"
        return f"{loser} of {title[0].lower()}{title[1:]}"


def _names(people: Sequence[EventPlayer], room: int, middle: int, step: int) -> list[Name]:
    """Names below each other around a height."""
    first = middle + 5 - step * (len(people) - 1) // 2
    return [
        Name(person.name, first + step * at, fitted(person.name, room))
        for at, person in enumerate(people)
    ]


def _foot(line: MatchLine | None) -> str:
    if line is None:
        return ""
    if not line.decided:
        return f"Round {line.round}, table {line.number}"
    if line.scores:
        return line.scores
    return "" if line.words == "Finished" else line.words


def _link(line: MatchLine | None) -> str:
    if line is None or not line.path:
        return ""
    if not line.decided:
        return "Watch"
    return "Games" if len(line.games) > 1 else "Game"


def _path(line: WinnersWay) -> str:
    """A line as the data of an SVG path."""
    (left, top), *others = line.points
    return " ".join([f"M{left} {top}", *(f"L{x} {y}" for x, y in others)])
