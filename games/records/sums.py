"""Statistics of a player, as sums over the player's rows."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, fields
from datetime import datetime
from itertools import groupby
from typing import Final, NamedTuple, TypeVar
from uuid import UUID

from games.records import LOST, TIED, WON

#: Shares and means of fewer games, deals or calls are marked as uncertain.
FEW: Final = 20
#: A caller's places, from the dealer's left to the dealer.
PLACES: Final = (1, 2, 3, 4)

Key = TypeVar("Key", bound=Hashable)


class PlayedRow(NamedTuple):
    """One player's row of a game, with the columns of `Performance`."""

    game_id: UUID | None
    partner_id: int | None
    left_id: int | None
    right_id: int | None
    rules: str
    ended: datetime
    result: int | None
    points: int
    against: int
    deals: int
    called: int
    made: int
    marched: int
    euchred: int
    alone: int
    alone_marched: int
    euchres: int
    called_1: int
    called_2: int
    called_3: int
    called_4: int
    trumps_1: int
    trumps_2: int
    trumps_3: int
    trumps_4: int
    worth: float
    worth_against: float
    lone_euchres: int = 0
    lone_defences: int = 0
    no_trump: int = 0
    id: int = 0

    @property
    def opponents(self) -> tuple[int, ...]:
        return tuple(one for one in (self.left_id, self.right_id) if one is not None)


class ShareOfGames(NamedTuple):
    part: int
    whole: int

    @property
    def percent(self) -> float | None:
        return 100 * self.part / self.whole if self.whole else None

    @property
    def few(self) -> bool:
        return self.whole < FEW


class Mean(NamedTuple):
    total: float
    number: int

    @property
    def value(self) -> float | None:
        return self.total / self.number if self.number else None

    @property
    def few(self) -> bool:
        return self.number < FEW


class GamesScore(NamedTuple):
    """Results of games; `points` and `against` are those of games with a result."""

    games: int = 0
    won: int = 0
    tied: int = 0
    lost: int = 0
    points: int = 0
    against: int = 0

    @property
    def decided(self) -> int:
        return self.won + self.tied + self.lost

    @property
    def given_up(self) -> int:
        return self.games - self.decided

    @property
    def wins(self) -> ShareOfGames:
        return ShareOfGames(self.won, self.decided)

    @property
    def share(self) -> float | None:
        """Return the share won, a tie as half a win; None without a result."""
        return (self.won + self.tied / 2) / self.decided if self.decided else None

    def plus(self, result: int | None, points: int, against: int) -> GamesScore:
        if result is None:
            return self._replace(games=self.games + 1)
        return GamesScore(
            self.games + 1,
            self.won + (result == WON),
            self.tied + (result == TIED),
            self.lost + (result == LOST),
            self.points + points,
            self.against + against,
        )

    @property
    def points_a_game(self) -> Mean:
        return Mean(self.points, self.decided)

    @property
    def against_a_game(self) -> Mean:
        return Mean(self.against, self.decided)


@dataclass(slots=True)
class DealTotals:
    """Totals over deals, of one game or many, named like the columns of `Performance`."""

    deals: int = 0
    called: int = 0
    made: int = 0
    marched: int = 0
    euchred: int = 0
    alone: int = 0
    alone_marched: int = 0
    euchres: int = 0
    called_1: int = 0
    called_2: int = 0
    called_3: int = 0
    called_4: int = 0
    trumps_1: int = 0
    trumps_2: int = 0
    trumps_3: int = 0
    trumps_4: int = 0
    worth: float = 0.0
    worth_against: float = 0.0
    lone_euchres: int = 0
    lone_defences: int = 0
    no_trump: int = 0

    def add_call(self, place: int, trumps: int) -> None:
        self.called += 1
        for field, more in ((f"called_{place}", 1), (f"trumps_{place}", trumps)):
            setattr(self, field, getattr(self, field) + more)

    def of_deals(self, count: int) -> ShareOfGames:
        return ShareOfGames(count, self.deals)

    def of_calls(self, count: int) -> ShareOfGames:
        return ShareOfGames(count, self.called)

    @property
    def calls(self) -> ShareOfGames:
        return self.of_deals(self.called)

    @property
    def successes(self) -> ShareOfGames:
        return self.of_calls(self.made)

    @property
    def marches(self) -> ShareOfGames:
        return self.of_calls(self.marched)

    @property
    def failures(self) -> ShareOfGames:
        return self.of_calls(self.euchred)

    @property
    def loners(self) -> ShareOfGames:
        return self.of_calls(self.alone)

    @property
    def lone_marches(self) -> ShareOfGames:
        return ShareOfGames(self.alone_marched, self.alone)

    @property
    def defences(self) -> ShareOfGames:
        """Return the share of deals in which the player's side euchred the makers."""
        return self.of_deals(self.euchres)

    @property
    def trumps(self) -> Mean:
        held = self.trumps_1 + self.trumps_2 + self.trumps_3 + self.trumps_4
        return Mean(held, self.called - self.no_trump)

    @property
    def places(self) -> list[tuple[int, ShareOfGames, Mean]]:
        """Each place at the table with its share of the calls, and the trumps held at one."""
        called = (self.called_1, self.called_2, self.called_3, self.called_4)
        trumps = (self.trumps_1, self.trumps_2, self.trumps_3, self.trumps_4)
        return [
            (place, self.of_calls(count), Mean(held, count))
            for place, count, held in zip(PLACES, called, trumps, strict=True)
        ]

    @property
    def dealt(self) -> Mean:
        return Mean(self.worth, self.deals)

    @property
    def dealt_against(self) -> Mean:
        return Mean(self.worth_against, self.deals)

    @property
    def luck(self) -> Mean:
        return Mean(self.worth - self.worth_against, self.deals)


class Streak(NamedTuple):
    """Consecutive games with the same result, the newest first; empty if there are none."""

    result: int
    games: Sequence[PlayedRow]

    @property
    def length(self) -> int:
        return len(self.games)


class GamesTogether(NamedTuple):
    player_id: int
    beside: Sequence[PlayedRow]
    facing: Sequence[PlayedRow]

    @property
    def games(self) -> int:
        return len(self.beside) + len(self.facing)

    @property
    def together(self) -> GamesScore:
        return score_of(self.beside)

    @property
    def opposed(self) -> GamesScore:
        return score_of(self.facing)


def score_of(rows: Iterable[PlayedRow]) -> GamesScore:
    score = GamesScore()
    for row in rows:
        score = score.plus(row.result, row.points, row.against)
    return score


def totals_of(rows: Sequence[PlayedRow]) -> DealTotals:
    if not rows:
        return DealTotals()
    columns = dict(zip(PlayedRow._fields, zip(*rows, strict=True), strict=True))
    return DealTotals(**{field.name: sum(columns[field.name]) for field in fields(DealTotals)})


def grouped(
    rows: Iterable[PlayedRow], key: Callable[[PlayedRow], Key]
) -> dict[Key, list[PlayedRow]]:
    groups: defaultdict[Key, list[PlayedRow]] = defaultdict(list)
    for row in rows:
        groups[key(row)].append(row)
    return dict(groups)


def by_rules(rows: Iterable[PlayedRow]) -> list[tuple[str, GamesScore]]:
    scores = [
        (name, score_of(games)) for name, games in grouped(rows, lambda row: row.rules).items()
    ]
    return sorted(scores, key=lambda line: (-line[1].games, line[0]))


def meetings_of(rows: Iterable[PlayedRow]) -> list[GamesTogether]:
    beside: defaultdict[int, list[PlayedRow]] = defaultdict(list)
    facing: defaultdict[int, list[PlayedRow]] = defaultdict(list)
    for row in rows:
        if row.partner_id is not None:
            beside[row.partner_id].append(row)
        for opponent in row.opponents:
            facing[opponent].append(row)
    met = [
        GamesTogether(one, beside.get(one, ()), facing.get(one, ()))
        for one in beside.keys() | facing
    ]
    return sorted(met, key=lambda line: (-line.games, line.player_id))


def streaks_of(rows: Iterable[PlayedRow]) -> Iterator[Streak]:
    """Yield the streaks, newest first like the rows; games without a result are skipped."""
    decided = (row for row in rows if row.result is not None)
    for result, games in groupby(decided, key=lambda row: row.result):
        yield Streak(result or TIED, tuple(games))


def current_streak(rows: Iterable[PlayedRow]) -> Streak:
    return next(streaks_of(rows), Streak(TIED, ()))


def longest_streak(rows: Iterable[PlayedRow], result: int) -> Streak:
    """Return the longest streak of a result; of equal ones the latest."""
    same = (streak for streak in streaks_of(rows) if streak.result == result)
    return max(same, key=lambda streak: streak.length, default=Streak(result, ()))
