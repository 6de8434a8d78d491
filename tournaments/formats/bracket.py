"""The bracket of a knock-out: its matches, and where the winner and the loser of each go next."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import Enum
from typing import NamedTuple

from tournaments.formats.draw import Draw, DrawnMatch, PlayedMatch, PlayedRound


class BracketPart(Enum):
    WINNERS = "winners"
    LOSERS = "losers"
    THIRD_PLACE = "third place"
    FINAL = "final"
    RESET = "reset"


class SlotSource(Enum):
    """How an entrant reaches a side of a match.

    `BEATEN_FIRST` is the finalist who lost the final as their first defeat.
    """

    SEED = "seed"
    WINNER = "winner"
    LOSER = "loser"
    BEATEN_FIRST = "beaten for the first time"


class Source(NamedTuple):
    """Who plays on a side of a match.

    `number` is a seed from 0, or the number of the match that the entrant comes from.
    """

    kind: SlotSource
    number: int


class BracketSpot(NamedTuple):
    """A match of the bracket; all matches of a `turn` are played before any of the next."""

    part: BracketPart
    round: int
    turn: int
    sources: tuple[Source, Source]

    @property
    def key(self) -> tuple[BracketPart, int]:
        return self.part, self.round


class Node(NamedTuple):
    """A match of the bracket, with what is known of it so far.

    A side is None if it is not known yet, or nobody; `settled` says which. The winner may go on by
    a bye. `forfeited`: by both sides, so that nobody goes on and the next opponent has a bye.
    """

    spot: BracketSpot
    sides: tuple[int | None, int | None] = (None, None)
    settled: tuple[bool, bool] = (False, False)
    winner: int | None = None
    loser: int | None = None
    forfeited: bool = False

    @property
    def playable(self) -> bool:
        return None not in self.sides and self.winner is None and not self.forfeited

    @property
    def over(self) -> bool:
        return all(self.settled) and not self.playable

    @property
    def beaten(self) -> tuple[int | None, ...]:
        return self.sides if self.forfeited else (self.loser,)


def seeded(size: int) -> list[int]:
    """Return the seeds from 0 in the order of the first round: 0, 7, 3, 4, 1, 6, 2, 5 for eight.

    As long as the better seed wins, each seed meets the worst one left. `size` is a power of two.
    """
    order = [0]
    while len(order) < size:
        order = [seed for best in order for seed in (best, 2 * len(order) - 1 - best)]
    return order


def places_for(entrants: int) -> int:
    """Return the smallest power of two that holds this many entrants, at least two."""
    return 1 << max(entrants - 1, 1).bit_length()


def upper_half(size: int) -> list[BracketSpot]:
    """Return the matches of the winners' rounds, in order of play; the last one is their final."""
    seeds = [Source(SlotSource.SEED, seed) for seed in seeded(size)]
    spots: list[BracketSpot] = []
    number = 1
    while len(seeds) > 1:
        start = len(spots)
        spots += [
            BracketSpot(BracketPart.WINNERS, number, number, both) for both in adjacent(seeds)
        ]
        seeds = [Source(SlotSource.WINNER, at) for at in range(start, len(spots))]
        number += 1
    return spots


def adjacent(sources: Sequence[Source]) -> Iterator[tuple[Source, Source]]:
    """Yield the first and second, the third and fourth, and so on."""
    return zip(sources[::2], sources[1::2], strict=True)


class Swap(NamedTuple):
    """Who plays in whose place in a turn of the bracket, and from there on, by hand."""

    turn: int
    instead: Mapping[int, int]


def resolve(
    spots: Sequence[BracketSpot],
    entrants: Sequence[int],
    history: Sequence[PlayedRound],
    by_hand: Sequence[Swap] = (),
) -> list[Node]:
    """Fill in a bracket with the results so far.

    Places without an entrant are byes. The first player of a side stands for it. Where both sides
    forfeited, both are out. Raises ValueError if an entrant is named twice, a match was not due, or
    it has no winner.
    """
    if len(entrants) < 2 or len(set(entrants)) < len(entrants):
        raise ValueError(f"a knock-out needs two entrants or more, each once: {list(entrants)}")
    played: dict[tuple[int, int], list[PlayedMatch]] = {}
    for match in (match for past in history for match in past.matches):
        north_south, east_west = match.pairing.sides
        played.setdefault((north_south[0], east_west[0]), []).append(match)
    nodes: list[Node] = []
    for spot in spots:
        instead = [swap.instead for swap in by_hand if swap.turn == spot.turn]
        nodes.append(_node(spot, nodes, entrants, played, instead))
    for one, other in (sides for sides, matches in played.items() if matches):
        raise ValueError(f"the match of {one} against {other} was not due")
    return nodes


def draw(nodes: Sequence[Node]) -> Draw:
    """Return the matches of the next turn, with a match for third place after the final.

    Entrants still in that have a bye or have to wait sit out. Once the knock-out is over, the draw
    is empty.
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
    """Return the entrants by place, the champion first; those eliminated in a round are equal.

    Before the end, all who are still in share the first place. Each empty group is a place that
    nobody has won, as both sides forfeited the match for it.
    """
    seen: set[int] = set()

    def next_group(ends: Iterable[int | None]) -> tuple[int, ...]:
        group = tuple(dict.fromkeys(end for end in ends if end is not None and end not in seen))
        seen.update(group)
        return group

    still_in = next_group(side for node in nodes if not node.over for side in node.sides)
    groups = [still_in] if still_in else []
    # Both sides of a forfeited match go out with those who lose where its loser would play on.
    plays_on = {
        source.number: node.spot.key
        for node in nodes
        for source in node.spot.sources
        if source.kind is SlotSource.LOSER
    }
    rounds: dict[tuple[BracketPart, int], list[Node]] = {node.spot.key: [] for node in nodes}
    out: dict[tuple[BracketPart, int], list[Node]] = {node.spot.key: [] for node in nodes}
    for at, node in enumerate(nodes):
        rounds[node.spot.key].append(node)
        out[plays_on.get(at, node.spot.key) if node.forfeited else node.spot.key].append(node)
    for key, same in reversed(rounds.items()):
        won = next_group(node.winner for node in same)
        if not seen or (key[0] is BracketPart.THIRD_PLACE and not won):
            groups += [()] * sum(node.forfeited for node in out[key])
        lost = next_group(end for node in out[key] for end in node.beaten)
        groups += filter(None, (won, lost))
    return groups


def _node(
    spot: BracketSpot,
    before: Sequence[Node],
    entrants: Sequence[int],
    played: dict[tuple[int, int], list[PlayedMatch]],
    by_hand: Sequence[Mapping[int, int]],
) -> Node:
    """Build a match with its sides and result, and remove that result from `played`."""
    first, known = _arrival(spot.sources[0], before, entrants)
    second, also = _arrival(spot.sources[1], before, entrants)
    for instead in by_hand:
        first, second = (one if one is None else instead.get(one, one) for one in (first, second))
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
            return Node(spot, sides, settled, forfeited=True)
        return Node(spot, sides, settled, sides[won], sides[1 - won])
    bye = known and also
    return Node(spot, sides, settled, (second if first is None else first) if bye else None)


def _arrival(
    source: Source, before: Sequence[Node], entrants: Sequence[int]
) -> tuple[int | None, bool]:
    if source.kind is SlotSource.SEED:
        return (entrants[source.number] if source.number < len(entrants) else None), True
    node = before[source.number]
    if not node.over:
        return None, False
    if source.kind is SlotSource.WINNER:
        return node.winner, True
    if source.kind is SlotSource.BEATEN_FIRST and node.loser != node.sides[0]:
        return None, True
    return node.loser, True
