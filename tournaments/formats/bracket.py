"""The drawing of a knock-out: which match the winner and the loser of each match go to."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import Enum
from typing import NamedTuple

from tournaments.formats.draw import Draw, DrawnMatch, PlayedMatch, PlayedRound


class BracketPart(Enum):
    """Where in the drawing a match stands."""

    WINNERS = "winners"
    LOSERS = "losers"
    THIRD_PLACE = "third place"
    FINAL = "final"
    RESET = "reset"


class Comes(Enum):
    """As what an entrant comes to a match; ``BEATEN_FIRST``: as who lost their first in a final."""

    SEED = "seed"
    WINNER = "winner"
    LOSER = "loser"
    BEATEN_FIRST = "beaten for the first time"


class Source(NamedTuple):
    """Who plays at a side of a match.

    Attributes:
        comes: as what.
        number: of the seed, from 0, or of the match they come from.
    """

    comes: Comes
    number: int


class BracketSpot(NamedTuple):
    """A match of the drawing.

    Attributes:
        part: where it stands.
        round: which round of that part, from 1.
        turn: when it is played; all of a turn before any of the next.
        sources: who plays it.
    """

    part: BracketPart
    round: int
    turn: int
    sources: tuple[Source, Source]


class Node(NamedTuple):
    """A match as far as it is known, for the picture of a bracket.

    Attributes:
        spot: its place in the drawing.
        sides: both entrants; None for one who is not known yet, or for nobody.
        settled: for each side whether it is known who comes, or that nobody does.
        winner: who goes on, whether they played or had a bye.
        loser: who lost.
    """

    spot: BracketSpot
    sides: tuple[int | None, int | None] = (None, None)
    settled: tuple[bool, bool] = (False, False)
    winner: int | None = None
    loser: int | None = None

    @property
    def playable(self) -> bool:
        """Both are known, and it has not been played."""
        return None not in self.sides and self.winner is None

    @property
    def over(self) -> bool:
        """Nothing more will happen here."""
        return all(self.settled) and not self.playable


def seeded(size: int) -> list[int]:
    """The seeds from 0 by place in the first round: 1, 8, 4, 5, 2, 7, 3, 6 with eight.

    Whoever is seeded better meets the worst seed left in every round in which all better seeds win.

    Args:
        size: a power of two.
    """
    order = [0]
    while len(order) < size:
        order = [seed for best in order for seed in (best, 2 * len(order) - 1 - best)]
    return order


def places_for(entrants: int) -> int:
    """The least power of two that holds so many entrants, at least two."""
    return 1 << max(entrants - 1, 1).bit_length()


def upper_half(size: int) -> list[BracketSpot]:
    """The matches that winners go through, the first round first; the last one is their final."""
    seeds = [Source(Comes.SEED, seed) for seed in seeded(size)]
    spots: list[BracketSpot] = []
    number = 1
    while len(seeds) > 1:
        start = len(spots)
        spots += [
            BracketSpot(BracketPart.WINNERS, number, number, both) for both in adjacent(seeds)
        ]
        seeds = [Source(Comes.WINNER, at) for at in range(start, len(spots))]
        number += 1
    return spots


def adjacent(sources: Sequence[Source]) -> Iterator[tuple[Source, Source]]:
    """First and second, third and fourth, and so on."""
    return zip(sources[::2], sources[1::2], strict=True)


def resolve(
    spots: Sequence[BracketSpot], entrants: Sequence[int], history: Sequence[PlayedRound]
) -> list[Node]:
    """Fills in a drawing with what was played.

    Args:
        spots: the drawing; a match stands after those its sides come from.
        entrants: in seeding order; places without an entrant are byes.
        history: the rounds played. Of a side with several players the first stands for it. If
            neither side came, the better seed goes on.

    Raises:
        ValueError: an entrant is named twice, a match was not due, or it has no winner.
    """
    if len(entrants) < 2 or len(set(entrants)) < len(entrants):
        raise ValueError(f"a knock-out needs two entrants or more, each once: {list(entrants)}")
    played: dict[tuple[int, int], list[PlayedMatch]] = {}
    for match in (match for past in history for match in past.matches):
        north_south, east_west = match.pairing.sides
        played.setdefault((north_south[0], east_west[0]), []).append(match)
    nodes: list[Node] = []
    for spot in spots:
        nodes.append(_node(spot, nodes, entrants, played))
    for one, other in (sides for sides, matches in played.items() if matches):
        raise ValueError(f"the match of {one} against {other} was not due")
    return nodes


def draw(nodes: Sequence[Node]) -> Draw:
    """The matches of the next turn; one for third place stands after the final.

    Returns:
        The matches; who is still in and has to wait, or has a bye, sits out. Neither when the
        knock-out is over.
    """
    turn = min((node.spot.turn for node in nodes if node.playable), default=0)
    due = [node for node in nodes if node.playable and node.spot.turn == turn]
    due.sort(key=lambda node: node.spot.part is BracketPart.THIRD_PLACE)
    pairings = tuple(
        DrawnMatch(table, ((first,), (second,)))
        for table, (first, second) in enumerate((node.sides for node in due), start=1)
        if first is not None and second is not None
    )
    waiting = (
        side
        for node in nodes
        if not node.over and not (node.playable and node.spot.turn == turn)
        for side in node.sides
        if side is not None
    )
    return Draw(pairings, tuple(waiting))


def ranking(nodes: Sequence[Node]) -> list[tuple[int, ...]]:
    """Everybody by place, the champion first; who went out in the same round is equal.

    Before the end all who are still in are equal firsts.
    """
    still_in = [side for node in nodes if not node.over for side in node.sides]
    groups = [tuple(dict.fromkeys(side for side in still_in if side is not None))]
    seen = set(groups[0])
    by_round: dict[tuple[BracketPart, int], list[Node]] = {}
    for node in nodes:
        by_round.setdefault((node.spot.part, node.spot.round), []).append(node)
    for same in reversed(by_round.values()):
        for ends in ([node.winner for node in same], [node.loser for node in same]):
            group = tuple(end for end in ends if end is not None and end not in seen)
            groups.append(group)
            seen.update(group)
    return [group for group in groups if group]


def _node(
    spot: BracketSpot,
    before: Sequence[Node],
    entrants: Sequence[int],
    played: dict[tuple[int, int], list[PlayedMatch]],
) -> Node:
    """A match with its sides and its result; that is taken out of what was played."""
    first, known = _arrival(spot.sources[0], before, entrants)
    second, also = _arrival(spot.sources[1], before, entrants)
    sides, settled = (first, second), (known, also)
    if first is not None and second is not None:
        results = played.get((first, second))
        if not results:
            return Node(spot, sides, settled)
        match = results.pop(0)
        won = match.winner
        if won not in {0, 1} and not match.forfeit:
            raise ValueError(f"the match of {first} against {second} has no winner")
        if won not in {0, 1}:
            won = int(entrants.index(second) < entrants.index(first))
        return Node(spot, sides, settled, sides[won], sides[1 - won])
    bye = known and also
    return Node(spot, sides, settled, (second if first is None else first) if bye else None)


def _arrival(
    source: Source, before: Sequence[Node], entrants: Sequence[int]
) -> tuple[int | None, bool]:
    """Who comes from there, if anybody, and whether that is known."""
    if source.comes is Comes.SEED:
        return (entrants[source.number] if source.number < len(entrants) else None), True
    node = before[source.number]
    if not node.over:
        return None, False
    if source.comes is Comes.WINNER:
        return node.winner, True
    if source.comes is Comes.BEATEN_FIRST and node.loser != node.sides[0]:
        return None, True
    return node.loser, True
