"""The layout of a bracket: where its matches, headings and lines are drawn, in pixels.

A column is a turn of play. A match is half-way between the matches that lead to it. Matches that
nobody has to play are left out, so an entrant with a bye begins in a later column. The losers'
rounds of a double elimination are below the winners' rounds.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Final, NamedTuple

from tournaments.formats.bracket import BracketPart, Node, SlotSource

GAP: Final = 44  #: between columns
ROOM: Final = 20  #: between matches of a column
HEAD: Final = 44  #: from the top of a heading to the match below
MARGIN: Final = 8
BASE: Final = 24  #: from the top of a heading to its baseline
CROWN: Final = (196, 132)  #: width and height of the champion's box


class Division(NamedTuple):
    """The most rounds of `winners` and of `losers` on a sheet, and of winners `before` the final on
    its sheet; with fewer rounds than `whole` a bracket stands on one sheet.
    """

    winners: int
    losers: int
    before: int
    whole: int


#: How single and double eliminations are divided: to be read from afar, or on a sheet of paper.
FROM_AFAR: Final = (Division(3, 3, 2, 3), Division(3, 3, 1, 3))
ON_PAPER: Final = (Division(4, 8, 4, 5), Division(5, 8, 5, 0))

#: Names of the parts that have only one match.
ONLY: Final = {
    BracketPart.FINAL: "Final",
    BracketPart.RESET: "Second final",
    BracketPart.THIRD_PLACE: "Third place",
}
#: Parts drawn at the height of the winners' rounds.
_LAST: Final = (BracketPart.WINNERS, BracketPart.FINAL, BracketPart.RESET)


class Heading(NamedTuple):
    left: int
    base: int
    words: str


class Box(NamedTuple):
    """The rectangle of a match, or of the champion: then `node` is None."""

    node: int | None
    left: int
    top: int
    width: int
    height: int

    @property
    def right(self) -> int:
        return self.left + self.width

    @property
    def bottom(self) -> int:
        return self.top + self.height

    @property
    def middle(self) -> int:
        return self.top + self.height // 2


class WinnersWay(NamedTuple):
    """The line from a match to the winner's next one; `target` is None for the champion's box."""

    source: int
    target: int | None
    points: tuple[tuple[int, int], ...]
    golden: bool


class BracketPicture(NamedTuple):
    """The layout of a bracket; `crown` is the champion's box, None on a sheet without the final."""

    width: int
    height: int
    headings: tuple[Heading, ...]
    boxes: tuple[Box, ...]
    lines: tuple[WinnersWay, ...]
    crown: Box | None
    champion: int | None


def picture(
    nodes: Sequence[Node], size: tuple[int, int], only: Collection[int] | None = None
) -> BracketPicture:
    """Lay out a bracket, or only some of its matches; `size` is the width and height of a match."""
    width, height = size
    shown = [at for at in matches(nodes) if only is None or at in only]
    turns = sorted({nodes[at].spot.turn for at in shown})
    left = {turn: MARGIN + number * (width + GAP) for number, turn in enumerate(turns)}
    middles = _middles(nodes, shown, height)
    boxes = {
        at: Box(at, left[nodes[at].spot.turn], middles[at] - height // 2, width, height)
        for at in shown
    }
    finals = [box for at, box in boxes.items() if nodes[at].spot.part is BracketPart.FINAL]
    after_all = MARGIN + len(turns) * (width + GAP)
    crown = Box(None, after_all, finals[0].middle - CROWN[1] // 2, *CROWN) if finals else None
    winner = champion(nodes)
    every = [*boxes.values(), *([crown] if crown else [])]
    return BracketPicture(
        max(box.right for box in every) + MARGIN,
        max(box.bottom for box in every) + MARGIN,
        tuple(_headings(nodes, boxes, crown)),
        tuple(boxes.values()),
        tuple(_lines(nodes, boxes, crown, winner)),
        crown,
        winner,
    )


def sheets(
    nodes: Sequence[Node], divisions: tuple[Division, Division] = FROM_AFAR
) -> list[list[int]]:
    """Return the matches of each sheet of a bracket, in the order of play.

    A sheet holds the matches that lead to one match over so many rounds that names stay legible;
    the last one holds the final too. Empty for a bracket that fits one sheet.
    """
    shown = matches(nodes)
    rounds = {
        part: sorted({nodes[at].spot.round for at in shown if nodes[at].spot.part is part})
        for part in (BracketPart.WINNERS, BracketPart.LOSERS)
    }
    division = divisions[bool(rounds[BracketPart.LOSERS])]
    if max(map(len, rounds.values())) < division.whole:
        return []
    last = [at for at in shown if nodes[at].spot.part in ONLY]
    found: list[list[int]] = []
    for part, numbers in rounds.items():
        most = division.winners if part is BracketPart.WINNERS else division.losers
        for first in range(0, len(numbers), most):
            among = set(numbers[first : first + most])
            here = [
                at for at in shown if nodes[at].spot.part is part and nodes[at].spot.round in among
            ]
            if part is BracketPart.WINNERS and len(numbers) - first <= division.before:
                last = [*here, *last]
                continue
            found += [
                sorted(_before(nodes, here, at), key=lambda one: nodes[one].spot.turn)
                for at in _roots(nodes, here)
            ]
    return [*found, last]


def _roots(nodes: Sequence[Node], shown: Collection[int]) -> list[int]:
    feeding = {feeder for at in shown for feeder in _feeders(nodes, shown, at)}
    return [at for at in shown if at not in feeding]


def _before(nodes: Sequence[Node], shown: Collection[int], at: int) -> list[int]:
    feeders = _feeders(nodes, shown, at)
    return [at, *(one for feeder in feeders for one in _before(nodes, shown, feeder))]


def champion(nodes: Sequence[Node]) -> int | None:
    """Return who won the knock-out, or None while it is open."""
    return nodes[-1].winner if nodes[-1].over else None


def matches(nodes: Sequence[Node]) -> list[int]:
    """Return the numbers of the matches that are, were or may be played, in order of play.

    Byes are left out except in a final, and so is a second final that the first has made
    unnecessary.
    """
    shown = [
        at
        for at, node in enumerate(nodes)
        if node.spot.part is BracketPart.FINAL
        or not any(
            known and side is None for known, side in zip(node.settled, node.sides, strict=True)
        )
    ]
    return sorted(shown, key=lambda at: nodes[at].spot.turn)


def titles(nodes: Sequence[Node]) -> dict[tuple[BracketPart, int], str]:
    """Return the name of each round of each part: "Quarter-finals", "Losers’ round 3"."""
    rounds: dict[tuple[BracketPart, int], int] = {}
    for node in nodes:
        key = node.spot.key
        rounds[key] = rounds.get(key, 0) + 1
    double = (BracketPart.RESET, 1) in rounds
    last = max((number for part, number in rounds if part is BracketPart.LOSERS), default=0)
    words: dict[tuple[BracketPart, int], str] = {}
    for (part, number), count in rounds.items():
        if part is BracketPart.WINNERS and double:
            named = {1: "Winners’ final", 2: "Winners’ semi-finals"}
            words[part, number] = named.get(count, f"Winners’ round {number}")
        elif part is BracketPart.WINNERS:
            named = {2: "Semi-finals", 4: "Quarter-finals"}
            words[part, number] = named.get(count, f"Round of {2 * count}")
        elif part is BracketPart.LOSERS:
            final = number == last
            words[part, number] = "Losers’ final" if final else f"Losers’ round {number}"
        else:
            words[part, number] = ONLY[part]
    return words


def match_names(nodes: Sequence[Node]) -> dict[int, str]:
    """Return the name of each match: "Quarter-final 2", "Losers’ round 3, match 1", "Final"."""
    called = titles(nodes)
    names: dict[int, str] = {}
    together: dict[tuple[BracketPart, int], list[int]] = {}
    for at in matches(nodes):
        together.setdefault(nodes[at].spot.key, []).append(at)
    for key, same in together.items():
        # The round's name in the singular, numbered if there are several.
        title, finals = called[key], called[key].endswith("-finals")
        for number, at in enumerate(same, start=1):
            names[at] = title[:-1] if finals else title
            if len(same) > 1:
                names[at] += f" {number}" if finals else f", match {number}"
    return names


def origin(nodes: Sequence[Node], at: int, side: int) -> tuple[SlotSource, int]:
    """Return the seed, from 0, or the match that a side comes from, skipping byes."""
    source = nodes[at].spot.sources[side]
    while source.kind is not SlotSource.SEED:
        before = nodes[source.number]
        empty = [
            known and who is None for known, who in zip(before.settled, before.sides, strict=True)
        ]
        if not any(empty) or source.kind is not SlotSource.WINNER:
            break
        source = before.spot.sources[empty.index(False)]
    return source.kind, source.number


def _feeders(nodes: Sequence[Node], shown: Collection[int], at: int) -> list[int]:
    """Return the matches whose winners reach a match, skipping byes."""
    found: list[int] = []
    for source in nodes[at].spot.sources:
        if source.kind is SlotSource.WINNER:
            known = source.number in shown
            found += [source.number] if known else _feeders(nodes, shown, source.number)
    return found


def _middles(nodes: Sequence[Node], shown: Collection[int], height: int) -> dict[int, int]:
    feeders = {at: _feeders(nodes, shown, at) for at in shown}
    middles: dict[int, int] = {}
    step = height + ROOM

    def hang(at: int, free: int) -> int:
        """Place a match and all before it, from `free` downwards; return the next free middle."""
        if not feeders[at]:
            middles[at] = free
            return free + step
        for feeder in feeders[at]:
            free = hang(feeder, free)
        middles[at] = sum(middles[feeder] for feeder in feeders[at]) // len(feeders[at])
        return free

    of_part = {nodes[at].spot.part: at for at in shown}
    final, free = of_part.get(BracketPart.FINAL), MARGIN + HEAD + height // 2
    if final is None:
        for root in _roots(nodes, shown):
            free = hang(root, free)
        return middles
    if feeders[final] and any(node.spot.part is BracketPart.RESET for node in nodes):
        for root in feeders[final]:
            free = hang(root, free) + HEAD
        middles[final] = middles[feeders[final][0]]
    else:
        hang(final, free)
    if BracketPart.RESET in of_part:
        middles[of_part[BracketPart.RESET]] = middles[final]
    if BracketPart.THIRD_PLACE in of_part:
        middles[of_part[BracketPart.THIRD_PLACE]] = middles[final] + height + HEAD + ROOM
    return middles


def _lines(
    nodes: Sequence[Node], boxes: dict[int, Box], crown: Box | None, winner: int | None
) -> Iterator[WinnersWay]:
    for at, box in boxes.items():
        for feeder in _feeders(nodes, boxes, at):
            golden = winner is not None and winner in nodes[at].sides
            golden = golden and nodes[feeder].winner == winner
            yield WinnersWay(feeder, at, _corners(boxes[feeder], box), golden)
    if crown is None:
        return
    last = max(boxes, key=lambda at: (nodes[at].spot.part in _LAST, nodes[at].spot.turn))
    yield WinnersWay(last, None, _corners(boxes[last], crown), winner is not None)


def _corners(start: Box, end: Box) -> tuple[tuple[int, int], ...]:
    bend = end.left - GAP // 2
    if start.middle == end.middle:
        return (start.right, start.middle), (end.left, end.middle)
    return (
        (start.right, start.middle),
        (bend, start.middle),
        (bend, end.middle),
        (end.left, end.middle),
    )


def _headings(nodes: Sequence[Node], boxes: dict[int, Box], crown: Box | None) -> Iterator[Heading]:
    """Yield the headings, those of a part in one line above its highest match."""
    called = titles(nodes)
    tops: dict[BracketPart, int] = {}
    for at, box in boxes.items():
        part = _beside(nodes[at].spot.part)
        tops[part] = min(tops.get(part, box.top), box.top)
    lefts = {nodes[at].spot.key: box.left for at, box in boxes.items()}
    for (part, number), left in lefts.items():
        yield Heading(left, tops[_beside(part)] - HEAD + BASE, called[part, number])
    if crown is not None:
        yield Heading(crown.left, tops[BracketPart.WINNERS] - HEAD + BASE, "Winner")


def _beside(part: BracketPart) -> BracketPart:
    return BracketPart.WINNERS if part in _LAST else part
