"""What the games of a club add up to: for each player, for each pair, and the best of them.

Everything is taken from one pass over what each player did in each game, in the order in which
the games ended.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from math import sqrt
from typing import Final, NamedTuple

from games.records import TIED, WON


class TalliedGame(NamedTuple):
    """What a player did in one game.

    `game` is its number as text, empty for a result that was set without play; `round` and `table`
    are the numbers under which the event drew it; the columns from `player` on are those of
    `Performance`.
    """

    game: str
    event: int
    round: int
    table: int
    player: int
    partner: int | None
    result: int | None
    points: int
    deals: int
    called: int
    made: int
    marched: int
    alone: int
    alone_marched: int
    euchres: int
    worth: float
    worth_against: float


class TallyScore(NamedTuple):
    """Games that were decided, how many of them were won and tied."""

    games: int = 0
    won: int = 0
    tied: int = 0

    def plus(self, result: int) -> TallyScore:
        """The score with one game more."""
        return TallyScore(self.games + 1, self.won + (result == WON), self.tied + (result == TIED))

    @property
    def share(self) -> float | None:
        """The share that was won, a tie as half a win; None before the first game."""
        return (self.won + self.tied / 2) / self.games if self.games else None


@dataclass(slots=True)
class Luck:
    """The luck of the deal: the tricks to be expected from the side's cards, less the other's.

    It is a mean over hands, but the hands of a game go together: its standard error is that of a
    ratio of sums over games (Cochran, Sampling Techniques, 6.3).
    """

    games: int = 0
    deals: int = 0
    more: float = 0.0
    more_squared: float = 0.0
    more_by_deals: float = 0.0
    deals_squared: float = 0.0

    def add(self, deals: int, more: float) -> None:
        """Count a game of so many deals, in which the player's side was dealt so much more."""
        self.games += 1
        self.deals += deals
        self.more += more
        self.more_squared += more * more
        self.more_by_deals += more * deals
        self.deals_squared += deals * deals

    @property
    def rate(self) -> float:
        """Tricks a deal."""
        return self.more / self.deals if self.deals else 0.0

    @property
    def error(self) -> float | None:
        """The standard error of the rate; None of a single game."""
        if self.games < 2 or not self.deals:
            return None
        rate = self.rate
        squares = self.more_squared - 2 * rate * self.more_by_deals + rate**2 * self.deals_squared
        return sqrt(max(squares, 0.0) * self.games / (self.games - 1)) / self.deals


@dataclass(slots=True)
class Tally:
    """What a player did in all their games; `streak` counts the games won since one was not."""

    score: TallyScore = field(default_factory=TallyScore)
    points: int = 0
    deals: int = 0
    called: int = 0
    made: int = 0
    alone: int = 0
    euchres: int = 0
    streak: int = 0
    luck: Luck = field(default_factory=Luck)

    def add(self, played: TalliedGame) -> None:
        """Count a game."""
        self.deals += played.deals
        self.called += played.called
        self.made += played.made
        self.alone += played.alone
        self.euchres += played.euchres
        self.luck.add(played.deals, played.worth - played.worth_against)
        if played.result is not None:
            self.points += played.points
            self.score = self.score.plus(played.result)
            self.streak = self.streak + 1 if played.result == WON else 0


class Best(NamedTuple):
    """A record: how much, of whom, and in which game (None: in a whole event) or event."""

    value: int
    players: tuple[int, ...]
    event: int
    played: TalliedGame | None


#: The records that a single game can set.
OF_A_GAME: Final = ("points", "alone_marched", "marched")
STREAK: Final = "streak"
OF_AN_EVENT: Final = "event points"


class Turnout(NamedTuple):
    """How many games an event had, and who played in it."""

    games: int
    players: frozenset[int]


@dataclass(slots=True)
class Sums:
    """What all games add up to.

    Attributes:
        tallies: by player.
        pairs: by two players, the lower number first.
        records: by name; one that nobody has set is missing. Of equal ones the first counts.
        turnouts: by event.
        field: the luck of all together.
    """

    tallies: dict[int, Tally]
    pairs: dict[tuple[int, int], TallyScore]
    records: dict[str, Best]
    turnouts: dict[int, Turnout]
    field: Luck


def sums_of(rows: Iterable[TalliedGame], shown: Collection[int]) -> Sums:
    """Add up what the players did.

    Args:
        rows: all games in the order in which they ended, the rows of a game together.
        shown: whose figures are wanted; the others count for the turnouts and the field only.
    """
    sums = Sums({}, defaultdict(TallyScore), {}, {}, Luck())
    games: dict[int, set[str]] = defaultdict(set)
    players: dict[int, set[int]] = defaultdict(set)
    in_events: dict[tuple[int, int], int] = defaultdict(int)
    for played in rows:
        if played.game:
            games[played.event].add(played.game)
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
                sums.pairs[pair] = sums.pairs[pair].plus(played.result)
    sums.turnouts = {one: Turnout(len(games[one]), frozenset(players[one])) for one in players}
    _note_events(sums.records, in_events)
    return sums


def _note_records(
    records: dict[str, Best], played: TalliedGame, tally: Tally, shown: Collection[int]
) -> None:
    """Note what a game has set: a streak and marches are one player's, points are a side's."""
    if tally.streak > _held(records, STREAK):
        records[STREAK] = Best(tally.streak, (played.player,), played.event, played)
    for name in OF_A_GAME:
        value: int = getattr(played, name)
        if value > _held(records, name):
            side = (played.player, played.partner) if name == "points" else (played.player,)
            known = tuple(one for one in side if one is not None and one in shown)
            records[name] = Best(value, known, played.event, played)


def _note_events(records: dict[str, Best], in_events: dict[tuple[int, int], int]) -> None:
    """Note the most points in an event; partners in it have won them together."""
    best = max(in_events.values(), default=0)
    if best:
        event = next(event for (event, _), points in in_events.items() if points == best)
        players = tuple(
            player for (at, player), points in in_events.items() if (at, points) == (event, best)
        )
        records[OF_AN_EVENT] = Best(best, players, event, None)


def _held(records: dict[str, Best], name: str) -> int:
    return records[name].value if name in records else 0
