"""The teams of a Swiss round in order, and the cost of pairing any two of them.

The order is by score, then by seeding. Teams with the same score form a score group; a team that
meets one of another score floats, down or up. In a group the top half should meet the bottom half,
first against first and so on. If a group has an odd number, its last team should float down to the
first of the next group, and these two belong to neither half.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, groupby, islice, takewhile
from types import MappingProxyType
from typing import Final, NamedTuple

from tournaments.formats.draw import ABSENT, EntrantTurn, PlayedRound, turns_of
from tournaments.formats.meetings import as_pair

WIN = 2  # scores are in half wins
DOWN, LEVEL, UP = -1, 0, 1

#: No head starts.
NONE: Final[Mapping[int, int]] = MappingProxyType({})

NEAR = 40  # candidates of a team in a large field: this many of its own group and of its
NEAR_AT_HOME = 24  # neighbours' groups; where a group has fewer, others make up the number
NEAR_NEXT_DOOR = 8


class SwissTeam(NamedTuple):
    """A team before the round; its score is in half wins.

    A bye or a win by forfeit rules out another bye (FIDE C.04.1) and is a float down (FIDE C.04.3).
    `missed`: how many rounds it missed by coming late. `new`: it comes late, for this round.
    """

    entrant: int
    score: int
    met: frozenset[int]
    had_bye: bool
    floated: int
    missed: int = 0
    new: bool = False

    @property
    def bye_order(self) -> tuple[bool, int, int]:
        """The order for byes, the first to have one lowest; those who come late are last."""
        return self.new, self.score, self.missed


class Cost(NamedTuple):
    """The cost of a pairing or a bye, the strictest criterion first.

    Attributes:
        again: 1 for a second bye, which is not legal but better than an event cut short.
        apart: 1 for two who are to be kept apart.
        new: 1 for a bye of a team in its first round, if it came late.
        bye: the score of the team with the bye.
        missed: the rounds that the team with the bye missed by coming late.
        gap: the squared difference of the scores.
        floats: how many of the two float in the same direction as in the last round.
        halves: 1 for two teams of the same half of their group.
        fold: the squared distance from the ideal pairing, within the group or between groups.
    """

    again: int = 0
    apart: int = 0
    new: int = 0
    bye: int = 0
    missed: int = 0
    gap: int = 0
    floats: int = 0
    halves: int = 0
    fold: int = 0


def teams_of(
    entrants: Sequence[int],
    history: Sequence[PlayedRound],
    head_starts: Mapping[int, int] = NONE,
) -> list[SwissTeam]:
    """Return the teams in order of score.

    entrants: in seeding order. head_starts: as in `base.Stage`.
    """
    turns = turns_of(history)
    absent = [ABSENT] * len(history)
    floats = _last_floats(turns, head_starts)
    teams = []
    for entrant in entrants:
        mine = turns.get(entrant, absent)
        missed = len([*takewhile(lambda turn: turn is ABSENT, mine)])
        played = (turn.opponents for turn in mine if turn.played)
        teams.append(
            SwissTeam(
                entrant,
                score=head_starts.get(entrant, 0) + sum(map(_half_wins, mine)),
                met=frozenset(chain.from_iterable(played)),
                had_bye=any(map(_won_unplayed, mine)),
                floated=floats.get(entrant, LEVEL),
                missed=missed,
                new=missed == len(history) > 0,
            )
        )
    return sorted(teams, key=lambda team: -team.score)


def _half_wins(turn: EntrantTurn) -> int:
    return WIN if turn.sat_out else int(turn.half_wins)


def _won_unplayed(turn: EntrantTurn) -> bool:
    return turn.available and not turn.played


def _last_floats(
    turns: dict[int, list[EntrantTurn]], head_starts: Mapping[int, int]
) -> dict[int, int]:
    before = {
        entrant: head_starts.get(entrant, 0) + sum(map(_half_wins, mine[:-1]))
        for entrant, mine in turns.items()
    }
    floats = {}
    for entrant, mine in turns.items():
        if not mine[-1].played:
            floats[entrant] = DOWN if _won_unplayed(mine[-1]) else LEVEL
            continue
        gap = before[entrant] - before[mine[-1].opponents[0]]
        floats[entrant] = DOWN if gap > 0 else UP if gap < 0 else LEVEL
    return floats


class SwissField:
    """The teams of a round. A team is named by its rank from 0, the bye by the rank after all."""

    def __init__(
        self,
        teams: Sequence[SwissTeam],
        apart: frozenset[tuple[int, int]] = frozenset(),
        *,
        second_byes: bool = False,
    ) -> None:
        """Place every team in its score group; apart: pairs of entrants, the lower one first."""
        self.teams = teams
        self._apart = apart
        self.odd = len(teams) % 2 == 1
        self.bye = len(teams)
        self.second_byes = second_byes
        had_none = [rank for rank, team in enumerate(teams) if not team.had_bye]
        may_sit_out = list(range(len(teams))) if second_byes else had_none
        self.may_sit_out = sorted(may_sit_out, key=lambda rank: teams[rank].bye_order, reverse=True)
        self._group: list[range] = []
        self._slot = [0] * len(teams)
        self._half = [0] * len(teams)
        likely = [rank for rank in self.may_sit_out if not teams[rank].had_bye]
        self._fold((likely or self.may_sit_out)[-1:] if self.odd else [])

    def _fold(self, byes: Sequence[int]) -> None:
        """Give each team its slot: 0 to half - 1 in the top half of a group, then the bottom.

        A team that should float, or meet a floating one, has a slot before or after these, and so
        has the team likely to have the bye.
        """
        bye = next(iter(byes), None)
        floats_in = 0
        for _, members in groupby(range(len(self.teams)), key=lambda rank: self.teams[rank].score):
            ranks = list(members)
            group = range(ranks[0], ranks[-1] + 1)
            paired = [rank for rank in ranks if rank != bye]
            floats_out = (len(paired) + floats_in) % 2
            half = max(0, len(paired) - floats_in - floats_out) // 2
            for slot, rank in enumerate(paired, start=-floats_in):
                self._slot[rank] = slot
            if len(paired) < len(ranks):
                self._slot[bye or 0] = 2 * half + floats_out
            self._group += [group] * len(ranks)
            for rank in ranks:
                self._half[rank] = half
            floats_in = floats_out

    def cost(self, high: int, low: int) -> Cost:
        """Return the cost of pairing two ranks; `low` may be the bye."""
        up, group = self.teams[high], self._group[high]
        if low == self.bye:
            fold = (group[-1] - high) ** 2
            again, floats = int(up.had_bye), int(up.floated == DOWN)
            new, score, missed = up.bye_order
            return Cost(
                again=again, new=int(new), bye=score, missed=missed, floats=floats, fold=fold
            )
        down = self.teams[low]
        apart = int(as_pair(up.entrant, down.entrant) in self._apart)
        if up.score == down.score:
            half, slots = self._half[high], (self._slot[high], self._slot[low])
            fold = (slots[1] - slots[0] - half) ** 2
            halves = int((slots[0] < half) == (slots[1] < half))
            return Cost(apart=apart, halves=halves, fold=fold)
        return Cost(
            apart=apart,
            gap=(up.score - down.score) ** 2,
            floats=(up.floated == DOWN) + (down.floated == UP),
            fold=(group[-1] - high) ** 2 + (low - self._group[low][0]) ** 2,
        )

    def legal(self, rank: int, other: int) -> bool:
        return rank != other and self.teams[other].entrant not in self.teams[rank].met

    def all_pairs(self) -> Iterator[tuple[int, int]]:
        """Yield every legal pairing, and every legal bye if the number is odd."""
        for low in range(len(self.teams)):
            yield from ((high, low) for high in range(low) if self.legal(high, low))
        yield from ((rank, self.bye) for rank in self.may_sit_out if self.odd)

    def fewest_left(self) -> int:
        """Return how many opponents are left for the team that has the fewest."""
        present = {team.entrant for team in self.teams}
        return len(present) - 1 - max(len(team.met & present) for team in self.teams)

    def near_pairs(self) -> Iterator[tuple[int, int]]:
        """Yield the likely pairings: at least NEAR candidates for each team, if it has them."""
        pairs = {
            (min(rank, other), max(rank, other))
            for rank in range(len(self.teams))
            for other in self._near(rank)
        }
        yield from sorted(pairs)
        yield from ((rank, self.bye) for rank in self.may_sit_out[-NEAR:] if self.odd)

    def _near(self, rank: int) -> Iterable[int]:
        """Return a team's candidates: near its ideal opponent, in the next groups, then nearby."""
        group, half = self._group[rank], self._half[rank]
        wanted = rank + half if self._slot[rank] < half else rank - half
        above = range(group[0] - 1, max(-1, group[0] - 1 - 2 * NEAR), -1)
        below = range(group[-1] + 1, min(len(self.teams), group[-1] + 1 + 2 * NEAR))
        candidates = chain(
            self._unmet(rank, _around(wanted, group), NEAR_AT_HOME),
            self._unmet(rank, below, NEAR_NEXT_DOOR),
            self._unmet(rank, above, NEAR_NEXT_DOOR),
            self._unmet(rank, _around(rank, range(len(self.teams))), 2 * NEAR),
        )
        return islice(dict.fromkeys(candidates), NEAR)

    def _unmet(self, rank: int, others: Iterable[int], count: int) -> Iterator[int]:
        return islice((other for other in others if self.legal(rank, other)), count)


def _around(centre: int, ranks: range) -> Iterator[int]:
    """Yield the ranks by their distance from one, the better first."""
    if centre in ranks:
        yield centre
    for distance in range(1, len(ranks) + 1):
        yield from (at for at in (centre - distance, centre + distance) if at in ranks)
