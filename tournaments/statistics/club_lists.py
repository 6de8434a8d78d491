"""The lists of a club's statistics: who stands out in what, with names and ways to the games."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from typing import Final, NamedTuple
from urllib.parse import urlencode

from django.db.models import Count, F, QuerySet, Window
from django.db.models.functions import FirstValue
from django.urls import reverse

from games.records.reading import ListedPerson
from tournaments.figures import signed
from tournaments.models import Event, RatingChange
from tournaments.ratings.rating_words import pool_name
from tournaments.statistics.activity import Week, filled, monday_of
from tournaments.statistics.tallies import Best, Sums, TallyScore

#: The least rated games, games together, and hands for which somebody is listed.
LEAST_RATED, LEAST_TOGETHER, LEAST_HANDS = 10, 10, 100
#: How many lines a list has.
TOP: Final = 5
RECORDS: Final = {
    "streak": "Games won one after another",
    "points": "Points in a game",
    "event points": "Points in an event",
    "alone_marched": "Lone marches in a game",
    "marched": "Marches in a game",
}


class Gain(NamedTuple):
    """What the rated games did to somebody's rating in a pool, from before the first of them."""

    person: ListedPerson
    pool: str
    games: int
    before: int
    after: int

    @property
    def points(self) -> int:
        """By how much the rating that is shown has changed."""
        return self.after - self.before

    @property
    def signed(self) -> str:
        """The change for a column."""
        return signed(self.points)


class Pair(NamedTuple):
    """Two who played together."""

    one: ListedPerson
    other: ListedPerson
    score: TallyScore

    @property
    def share(self) -> float:
        """The share of their games that they won, a tie as half a win."""
        return self.score.share or 0.0

    @property
    def percent(self) -> float:
        """The same of a hundred."""
        return 100 * self.share


class Dealt(NamedTuple):
    """Somebody's luck of the deal. more: tricks a hand above the field; error: its standard one."""

    person: ListedPerson
    hands: int
    more: float
    error: float


class ClubRecord(NamedTuple):
    """A record of the club. path: of the game, or of the event, in which it was set."""

    label: str
    value: int
    people: tuple[ListedPerson, ...]
    event: str
    day: date
    path: str


class Evening(NamedTuple):
    """An event by its turnout."""

    event_id: int
    name: str
    day: date
    games: int
    players: int


class HeldEvent(NamedTuple):
    """An event that was held. day: on which it started, in the club's zone."""

    pk: int
    name: str
    day: date
    version: int


class Lists:
    """The lists over some days of a club.

    people: who may be named. events: those of the days. sums: of their games.
    """

    def __init__(
        self, people: Mapping[int, ListedPerson], events: Sequence[HeldEvent], sums: Sums
    ) -> None:
        self.people, self.sums = people, sums
        self.events = {event.pk: event for event in events}

    def gains(self, events: QuerySet[Event]) -> tuple[Gain, ...]:
        """Who gained most rating in the events, of those with `LEAST_RATED` rated games; one query.

        A rating before the first of these games and after the last are compared.
        """
        same = [F("pool"), F("player")]
        rows = (
            RatingChange.objects.filter(
                pairing__round__event__in=events, player__in=self.people.keys()
            )
            .annotate(
                games=Window(Count("pk"), same),
                before=Window(FirstValue("mu_before"), same, F("position").asc()),
                after=Window(FirstValue("mu_after"), same, F("position").desc()),
            )
            .order_by()
            .values_list("player", "pool__key", "games", "before", "after")
            .distinct()
        )
        found = [
            Gain(self.people[player], pool_name(pool), games, round(before), round(after))
            for player, pool, games, before, after in rows
            if games >= LEAST_RATED
        ]
        gained = [gain for gain in found if gain.points > 0]
        return tuple(sorted(gained, key=lambda gain: (-gain.points, gain.person.name))[:TOP])

    def often(self) -> tuple[Pair, ...]:
        """The pairs that have played most games together."""
        pairs = sorted(self._pairs(), key=lambda pair: (-pair.score.games, -pair.share))
        return tuple(pairs[:TOP])

    def best(self) -> tuple[Pair, ...]:
        """The pairs that have won most of their games, of those with `LEAST_TOGETHER`."""
        pairs = [pair for pair in self._pairs() if pair.score.games >= LEAST_TOGETHER]
        return tuple(sorted(pairs, key=lambda pair: (-pair.share, -pair.score.games))[:TOP])

    def _pairs(self) -> Iterator[Pair]:
        for (one, other), score in self.sums.pairs.items():
            yield Pair(self.people[one], self.people[other], score)

    def dealt(self) -> tuple[tuple[Dealt, ...], tuple[Dealt, ...]]:
        """Who was dealt the best cards, and who the worst, of those with `LEAST_HANDS` hands."""
        field = self.sums.field.rate
        found = [
            Dealt(self.people[player], tally.deals, tally.luck.rate - field, tally.luck.error)
            for player, tally in self.sums.tallies.items()
            if tally.deals >= LEAST_HANDS and tally.luck.error is not None
        ]
        found.sort(key=lambda dealt: (-dealt.more, dealt.person.name))
        half = min(TOP, (len(found) + 1) // 2)
        return tuple(found[:half]), tuple(reversed(found[half:][-TOP:]))

    def records(self) -> Iterator[ClubRecord]:
        """The records that somebody has set."""
        for name, label in RECORDS.items():
            best = self.sums.records.get(name)
            if best is not None:
                people = tuple(self.people[player] for player in best.players)
                event = self.events[best.event]
                yield ClubRecord(label, best.value, people, event.name, event.day, _path(best))

    def weeks(self) -> tuple[Week, ...]:
        """Every week from the first event to the last."""
        games: dict[date, int] = defaultdict(int)
        players: dict[date, set[int]] = defaultdict(set)
        for event, turnout in self.sums.turnouts.items():
            monday = monday_of(self.events[event].day)
            games[monday] += turnout.games
            players[monday] |= turnout.players
        return tuple(
            filled([Week(monday, games[monday], len(players[monday])) for monday in sorted(games)])
        )

    def evenings(self) -> tuple[Evening, ...]:
        """The events with most games."""
        found = [
            Evening(
                event, self.events[event].name, self.events[event].day, turnout.games,
                len(turnout.players),
            )
            for event, turnout in self.sums.turnouts.items()
        ]  # fmt: skip
        found.sort(key=lambda evening: (-evening.games, -evening.players, evening.day))
        return tuple(found[:TOP])


def _path(best: Best) -> str:
    """The path of a game, past its event, which lets in whoever may see it; or of the event."""
    if best.played is None:
        return reverse("event", args=[best.event])
    if not best.played.game:
        return reverse("event_round", args=[best.event, best.played.round])
    path = reverse("event_visit", args=[best.event, best.played.round, best.played.table])
    return f"{path}?{urlencode({'game': best.played.game})}"
