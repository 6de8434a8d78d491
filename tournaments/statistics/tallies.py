"""Totals of a club's games: by player, by pair of partners, and the club's records.

All are computed in one pass over the rows of each player in each game, in the order in which the
games ended.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from math import sqrt
from typing import Final, NamedTuple

from games.records import WON
from games.records.sums import DealTotals, GamesScore


class TalliedGame(NamedTuple):
    """One player's row of a game; the columns from `number` on are those of `Performance`.

    `game` is its key as text, empty for a result that was set without play or played in the room,
    whose games `number` tells apart; `round` and `table` are their numbers in the event.
    """

    game: str
    event: int
    round: int
    table: int
    number: int
    player: int
    partner: int | None
    result: int | None
    points: int
    against: int
    deals: int
    called: int
    made: int
    marched: int
    alone: int
    alone_marched: int
    euchres: int
    worth: float
    worth_against: float


@dataclass(slots=True)
class Luck:
    """The luck of the deal: expected tricks of the player's side less those of the other side.

    The rate is a mean over hands. Hands of one game are correlated, so its standard error is that
    of a ratio of sums over games (Cochran, Sampling Techniques, 6.3).
    """

    games: int = 0
    deals: int = 0
    advantage: float = 0.0
    advantage_squared: float = 0.0
    advantage_by_deals: float = 0.0
    deals_squared: float = 0.0

    def add(self, deals: int, advantage: float) -> None:
        """Add a game; `advantage` is the side's expected tricks less the other's, in all deals."""
        self.games += 1
        self.deals += deals
        self.advantage += advantage
        self.advantage_squared += advantage * advantage
        self.advantage_by_deals += advantage * deals
        self.deals_squared += deals * deals

    @property
    def rate(self) -> float:
        """Tricks a deal."""
        return self.advantage / self.deals if self.deals else 0.0

    @property
    def error(self) -> float | None:
        """The standard error of the rate; None for fewer than two games."""
        if self.games < 2 or not self.deals:
            return None
        rate = self.rate
        products = 2 * rate * self.advantage_by_deals
        squares = self.advantage_squared - products + rate**2 * self.deals_squared
        return sqrt(max(squares, 0.0) * self.games / (self.games - 1)) / self.deals


@dataclass(slots=True)
class Tally:
    """A player's totals; `streak` is the number of games won since the last one that was not."""

    score: GamesScore = field(default_factory=GamesScore)
    totals: DealTotals = field(default_factory=DealTotals)
    luck: Luck = field(default_factory=Luck)
    streak: int = 0

    def add(self, played: TalliedGame) -> None:
        totals = self.totals
        totals.deals += played.deals
        totals.called += played.called
        totals.made += played.made
        totals.alone += played.alone
        totals.euchres += played.euchres
        self.luck.add(played.deals, played.worth - played.worth_against)
        self.score = self.score.plus(played.result, played.points, played.against)
        if played.result is not None:
            self.streak = self.streak + 1 if played.result == WON else 0


class Record(NamedTuple):
    """A record, its holders, and the event and game it was set in (None: a whole event)."""

    value: int
    players: tuple[int, ...]
    event: int
    played: TalliedGame | None


#: The records that a single game can set.
OF_A_GAME: Final = ("points", "alone_marched", "marched")
STREAK: Final = "streak"
OF_AN_EVENT: Final = "event points"


class Turnout(NamedTuple):
    """An event's number of games, and its players."""

    games: int
    players: frozenset[int]


@dataclass(slots=True)
class Sums:
    """The totals of all games, by the keys of players and events.

    `pairs` are keyed by two players, the lower key first, and count games with a result only. Ties
    for a record go to the earliest.
    """

    tallies: dict[int, Tally]
    pairs: dict[tuple[int, int], GamesScore]
    records: dict[str, Record]
    turnouts: dict[int, Turnout]
    field: Luck


def sums_of(rows: Iterable[TalliedGame], shown: Collection[int]) -> Sums:
    """Return the totals of rows in the order in which games ended, grouped by game.

    Players who are not `shown` count for the turnouts and the field only.
    """
    sums = Sums({}, defaultdict(GamesScore), {}, {}, Luck())
    games: dict[int, set[tuple[object, ...]]] = defaultdict(set)
    players: dict[int, set[int]] = defaultdict(set)
    in_events: dict[tuple[int, int], int] = defaultdict(int)
    for played in rows:
        games[played.event].add((played.game, played.round, played.table, played.number))
        players[played.event].add(played.player)
        sums.field.add(played.deals, played.worth - played.worth_against)
        if played.player not in shown:
            continue
        tally = sums.tallies.setdefault(played.player, Tally())
        tally.add(played)
        _note_records(sums.records, played, tally, shown)
        if played.result is not None:
            in_events[played.event, played.player] += played.points
            if played.partner in shown and played.player < (played.partner or 0):
                pair = played.player, played.partner or 0
                score = sums.pairs[pair]
                sums.pairs[pair] = score.plus(played.result, played.points, played.against)
    sums.turnouts = {one: Turnout(len(games[one]), frozenset(players[one])) for one in players}
    _note_events(sums.records, in_events)
    return sums


def _note_records(
    records: dict[str, Record], played: TalliedGame, tally: Tally, shown: Collection[int]
) -> None:
    """Update the records: points count for both partners, streaks and marches for one player."""
    if tally.streak > _current_record(records, STREAK):
        records[STREAK] = Record(tally.streak, (played.player,), played.event, played)
    for name in OF_A_GAME:
        value: int = getattr(played, name)
        if value > _current_record(records, name):
            side = (played.player, played.partner) if name == "points" else (played.player,)
            known = tuple(one for one in side if one is not None and one in shown)
            records[name] = Record(value, known, played.event, played)


def _note_events(records: dict[str, Record], in_events: dict[tuple[int, int], int]) -> None:
    """Set the record for most points in an event, which partners share."""
    best = max(in_events.values(), default=0)
    if best:
        event = next(event for (event, _), points in in_events.items() if points == best)
        players = tuple(
            player for (at, player), points in in_events.items() if (at, points) == (event, best)
        )
        records[OF_AN_EVENT] = Record(best, players, event, None)


def _current_record(records: dict[str, Record], name: str) -> int:
    return records[name].value if name in records else 0
