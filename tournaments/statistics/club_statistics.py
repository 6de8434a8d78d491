"""A club's statistics over a season or all time, from the games of its events.

They are computed on request and cached for `KEPT` seconds, as a club's years are tens of thousands
of rows. A corrected result, a new event or a player who makes their record private take effect at
once.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from hashlib import sha256
from heapq import merge
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias, TypedDict
from urllib.parse import urlencode

from django.core.cache import cache
from django.db.models import CharField, Count, Exists, F, OuterRef, QuerySet, Window
from django.db.models.functions import Cast, FirstValue, TruncDate
from django.urls import reverse

from games.figures import signed
from games.models import Performance, Player
from games.records.sums import GamesScore
from tournaments.models import (
    Club,
    Entry,
    EntryPlayer,
    Event,
    Membership,
    Pairing,
    RatingChange,
    Season,
)
from tournaments.ratings.words import pool_name
from tournaments.refusals import RefusedError
from tournaments.seasons import season_table, seasons
from tournaments.seasons.rule import rule_of
from tournaments.seasons.season_table import SeasonRow
from tournaments.statistics.activity import Week, filled, monday_of
from tournaments.statistics.tallies import Sums, TalliedGame, Tally, Turnout, sums_of

if TYPE_CHECKING:
    from django_stubs_ext import WithAnnotations

UNKNOWN: Final = "–"


class Day(TypedDict):
    """The day on which an event started, in the club's time zone."""

    day: date


HeldEvent: TypeAlias = "WithAnnotations[Event, Day]"


class ClubColumn(NamedTuple):
    """A column of the table of players; a percentage without `digits`, low is best if `rising`."""

    key: str
    label: str
    meaning: str
    digits: int | None = 0
    rising: bool = False

    def words(self, value: float | None) -> str:
        if value is None:
            return UNKNOWN
        return f"{value:.0%}" if self.digits is None else f"{value:.{self.digits}f}"


COLUMNS: Final = (
    ClubColumn("place", "Place", "Place in the season table", rising=True),
    ClubColumn("points", "Points", "Points of the season table"),
    ClubColumn("events", "Events", "Events taken part in"),
    ClubColumn("wins", "Firsts", "Events won"),
    ClubColumn("finish", "Finish", "Average place in an event", 1, rising=True),
    ClubColumn("games", "Games", "Games with a result"),
    ClubColumn("won", "Won", "Share of these games won; a tie is half a win", None),
    ClubColumn("score", "Per game", "Points per game", 1),
    ClubColumn("calls", "Calls", "Hands in which the player made trump"),
    ClubColumn("made", "Made", "Share of these calls that took three tricks or more", None),
    ClubColumn("alone", "Alone", "Lone hands among the calls"),
    ClubColumn("euchres", "Euchres", "Opponents’ calls that the player’s side has euchred"),
)
KEYS: Final = tuple(column.key for column in COLUMNS)


@dataclass(frozen=True, slots=True)
class MemberLine:
    """A player's line with the values of `COLUMNS`, None without data."""

    player: Player
    values: tuple[float | None, ...]

    @property
    def cells(self) -> list[str]:
        pairs = zip(COLUMNS, self.values, strict=True)
        return [column.words(value) for column, value in pairs][1:]

    @property
    def place(self) -> str:
        return COLUMNS[0].words(self.values[0])


def line_of(season: SeasonRow, tally: Tally | None) -> MemberLine:
    """Return a player's line from the season table and their games (None: there are none)."""
    tally = tally or Tally()
    score, totals = tally.score, tally.totals
    return MemberLine(
        season.player,
        (
            season.place,
            season.points,
            season.events,
            season.wins,
            season.average,
            score.decided,
            score.share,
            score.points_a_game.value,
            totals.called,
            totals.made / totals.called if totals.called else None,
            totals.alone,
            totals.euchres,
        ),
    )


def ordered(lines: Sequence[MemberLine], key: str) -> list[MemberLine]:
    """Sort by a column, the best first, equal lines by place; RefusedError for an unknown one."""
    if key not in KEYS:
        known = ", ".join(KEYS)
        raise RefusedError("sort", f"The table can be sorted by {known}, not by “{key}”.", 400)
    at = KEYS.index(key)

    def order(line: MemberLine) -> tuple[bool, float, float]:
        value = line.values[at]
        better = 0.0 if value is None else value if COLUMNS[at].rising else -value
        return value is None, better, line.values[0] or 0

    return sorted(lines, key=order)


#: Seconds for which statistics are cached.
KEPT: Final = 600
#: Members who have not played for this long are listed for moderators.
INACTIVE_AFTER: Final = timedelta(days=90)

ALL_TIME: Final = Season(
    name="All time",
    first_day=date(seasons.YEARS.start, 1, 1),
    last_day=date(seasons.YEARS.stop - 1, 12, 31),
)
#: The fewest rated games, games together and hands to be listed.
MIN_RATED, MIN_TOGETHER, MIN_HANDS = 10, 10, 100
#: Lines in each list.
TOP: Final = 5
RECORDS: Final = {
    "streak": "Games won in a row",
    "points": "Points in one game",
    "event points": "Points in an event",
    "alone_marched": "Lone marches in a game",
    "marched": "Marches in a game",
}
#: The columns of `TalliedGame` in a query.
WHERE: Final = ("game", "table", "pairing", "round")
READ: Final = (
    Cast("game", CharField()),  # as text, which is faster than tens of thousands of UUIDs
    "__".join((*WHERE, "event")),
    "__".join((*WHERE, "number")),
    "__".join((*WHERE[:-1], "number")),
    *TalliedGame._fields[4:],
)


class RatingGain(NamedTuple):
    """A player's rating in a pool before the first and after the last rated game of the season."""

    person: Player
    pool: str
    games: int
    before: int
    after: int

    @property
    def points(self) -> int:
        return self.after - self.before

    @property
    def signed(self) -> str:
        return signed(self.points)


class Pair(NamedTuple):
    one: Player
    other: Player
    score: GamesScore

    @property
    def share(self) -> float:
        return self.score.share or 0.0

    @property
    def percent(self) -> float:
        return 100 * self.share


class DealtLuck(NamedTuple):
    """A player's luck of the deal in tricks a hand above the average, with its standard error."""

    person: Player
    hands: int
    more: float
    error: float


@dataclass(frozen=True, slots=True)
class Statistics:
    """A club's statistics for a season; `hidden` counts players whose record is private."""

    lines: tuple[MemberLine, ...]
    gains: tuple[RatingGain, ...]
    often: tuple[Pair, ...]
    best: tuple[Pair, ...]
    lucky: tuple[DealtLuck, ...]
    unlucky: tuple[DealtLuck, ...]
    records: list[dict[str, Any]]
    weeks: tuple[Week, ...]
    evenings: tuple[tuple[HeldEvent, Turnout], ...]
    events: int
    games: int
    hidden: frozenset[int]


def held_by(club: Club) -> list[HeldEvent]:
    """Return the club's finished events in which people played, in order."""
    people = Entry.objects.filter(event=OuterRef("pk"), house=False)
    events = seasons.finished(club).filter(Exists(people)).order_by("starts", "pk")
    day = TruncDate("starts", tzinfo=club.zone)
    return list(events.annotate(day=day).only("club", "name", "starts", "version"))


def choices(listed: Sequence[Season]) -> dict[str, Season]:
    """Return the seasons to choose from by their `season` in the query, the default first."""
    own = {str(season.pk or season.first_day.year): season for season in listed}
    return {**own, "all": ALL_TIME}


def chosen(listed: Sequence[Season], asked: str) -> str:
    """Return the key of the season asked for, or the default one; RefusedError if there is none."""
    known = choices(listed)
    word = asked or next(iter(known))
    if word not in known:
        raise RefusedError(
            "season", f"The club has no season “{asked}”; it has {', '.join(known)}.", 404
        )
    return word


def read(club: Club, season: Season, held: Sequence[HeldEvent]) -> Statistics:
    """Return a club's statistics for a season; held: from `held_by`."""
    events = [event for event in held if season.includes(event.day)]
    stamp = f"{len(events)}-{sum(event.version for event in events)}"
    # Increase the number with every change of the cached type: old entries may still be there.
    counted = sha256(repr(rule_of(season)).encode()).hexdigest()[:16]
    days = f"{season.first_day}-{season.last_day}"
    key = f"club-statistics-9-{club.pk}-{days}-{counted}-{stamp}"
    kept: Statistics | None = cache.get(key)
    if kept is not None:
        shown = [line.player.pk for line in kept.lines]
        if not Player.objects.filter(pk__in=shown, private=True).exists():
            return kept
    found = _add_up(club, season, events)
    cache.set(key, found, KEPT)
    return found


def inactive_members(club: Club, now: datetime) -> list[Player]:
    """Return the members who have not played in the club's events for `INACTIVE_AFTER`, by name.

    Newer members, house players and players with a private record are left out.
    """
    since = now - INACTIVE_AFTER
    played = EntryPlayer.objects.filter(
        event__club=club, event__started__gte=since, entry__seed__isnull=False
    )
    members = Membership.objects.filter(
        club=club, joined__lt=since, player__kind=Player.Kind.PERSON, player__private=False
    ).exclude(player__in=played.values("player"))
    return [member.player for member in members.select_related("player").order_by("player__name")]


def _add_up(club: Club, season: Season, events: Sequence[HeldEvent]) -> Statistics:
    table = [
        line for line in season_table.table(club, season) if line.player.kind != Player.Kind.HOUSE
    ]
    people = {line.player.pk: line.player for line in table if not line.player.private}
    held = seasons.events_of(club, season)
    # The rows of all players, in the order in which the games ended.
    rows = Performance.objects.filter(game__table__pairing__round__event__in=held)
    in_order = rows.order_by("ended", "game").values_list("ended", *READ)
    played = ((row[0], TalliedGame._make(row[1:])) for row in in_order.iterator(chunk_size=2000))
    sums = sums_of(
        (one for _ended, one in merge(played, _unplayed(held), key=itemgetter(0))), people.keys()
    )
    lists = Lists(people, events, sums)
    lucky, unlucky = lists.dealt()
    return Statistics(
        lines=tuple(
            line_of(line, sums.tallies.get(line.player.pk))
            for line in table
            if line.player.pk in people
        ),
        gains=lists.gains(held),
        often=lists.often(),
        best=lists.best(),
        lucky=lucky,
        unlucky=unlucky,
        records=list(lists.records()),
        weeks=lists.weeks(),
        evenings=lists.evenings(),
        events=len(events),
        games=sum(turnout.games for turnout in sums.turnouts.values()),
        hidden=frozenset(line.player.pk for line in table if line.player.private),
    )


def _unplayed(events: QuerySet[Event]) -> Iterator[tuple[datetime, TalliedGame]]:
    """Yield the rows of results that were set without play, with their times, in order."""
    matches = Pairing.objects.filter(round__event__in=events)
    rows = Performance.objects.filter(match__in=matches.values("pk"))
    columns = ("ended", "match", *TalliedGame._fields[4:])
    found = list(rows.order_by("ended", "match", "number").values_list(*columns))
    where = {
        pk: place
        for pk, *place in matches.filter(pk__in={row[1] for row in found}).values_list(
            "pk", "round__event", "round__number", "number"
        )
    }
    for ended, match, *rest in found:
        yield ended, TalliedGame("", *where[match], *rest)


class Lists:
    """The lists of `Statistics`; `people` are the players who may be named."""

    def __init__(
        self, people: Mapping[int, Player], events: Sequence[HeldEvent], sums: Sums
    ) -> None:
        self.people, self.sums = people, sums
        self.events = {event.pk: event for event in events}

    def gains(self, events: QuerySet[Event]) -> tuple[RatingGain, ...]:
        """Return the largest gains of players with `MIN_RATED` rated games, in one query.

        A gain is from before the first of these games to after the last one.
        """
        same = [F("pool"), F("player")]
        rows = (
            RatingChange.objects.filter(
                pairing__round__event__in=events, player__in=self.people.keys()
            )
            .annotate(
                games=Window(Count("pk"), same),
                first_mu=Window(FirstValue("mu_before"), same, F("position").asc()),
                last_mu=Window(FirstValue("mu_after"), same, F("position").desc()),
            )
            .order_by()
            .values_list("player", "pool__key", "games", "first_mu", "last_mu")
            .distinct()
        )
        found = [
            RatingGain(self.people[player], pool_name(pool), games, round(before), round(after))
            for player, pool, games, before, after in rows
            if games >= MIN_RATED
        ]
        gained = [gain for gain in found if gain.points > 0]
        return tuple(sorted(gained, key=lambda gain: (-gain.points, gain.person.name))[:TOP])

    def often(self) -> tuple[Pair, ...]:
        pairs = sorted(self._pairs(), key=lambda pair: (-pair.score.games, -pair.share))
        return tuple(pairs[:TOP])

    def best(self) -> tuple[Pair, ...]:
        """Return the pairs with the best share won, of those with `MIN_TOGETHER` games."""
        pairs = [pair for pair in self._pairs() if pair.score.decided >= MIN_TOGETHER]
        return tuple(sorted(pairs, key=lambda pair: (-pair.share, -pair.score.games))[:TOP])

    def _pairs(self) -> Iterator[Pair]:
        for (one, other), score in self.sums.pairs.items():
            yield Pair(self.people[one], self.people[other], score)

    def dealt(self) -> tuple[tuple[DealtLuck, ...], tuple[DealtLuck, ...]]:
        """Return the luckiest and the unluckiest players, of those with `MIN_HANDS` hands."""
        field = self.sums.field.rate
        found = [
            DealtLuck(
                self.people[player], tally.totals.deals, tally.luck.rate - field, tally.luck.error
            )
            for player, tally in self.sums.tallies.items()
            if tally.totals.deals >= MIN_HANDS and tally.luck.error is not None
        ]
        found.sort(key=lambda dealt: (-dealt.more, dealt.person.name))
        half = min(TOP, (len(found) + 1) // 2)
        return tuple(found[:half]), tuple(reversed(found[half:][-TOP:]))

    def records(self) -> Iterator[dict[str, Any]]:
        """Yield the records that have been set, each with the way to its game or event."""
        for name, label in RECORDS.items():
            best = self.sums.records.get(name)
            if best is not None:
                people = tuple(self.people[player] for player in best.players)
                event, last = self.events[best.event], best.played
                # Through the event's page, which checks access to the game.
                if last is None:
                    path = reverse("event", args=[best.event])
                elif not last.game:
                    path = reverse("event_round", args=[best.event, last.round])
                else:
                    path = reverse("event_visit", args=[best.event, last.round, last.table])
                    path += "?" + urlencode({"game": last.game})
                yield {
                    "label": label,
                    "value": best.value,
                    "people": people,
                    "event": event.name,
                    "day": event.day,
                    "path": path,
                }

    def weeks(self) -> tuple[Week, ...]:
        """Return every week from the first event to the last."""
        games: dict[date, int] = defaultdict(int)
        players: dict[date, set[int]] = defaultdict(set)
        for event, turnout in self.sums.turnouts.items():
            monday = monday_of(self.events[event].day)
            games[monday] += turnout.games
            players[monday] |= turnout.players
        return tuple(
            filled([Week(monday, games[monday], len(players[monday])) for monday in sorted(games)])
        )

    def evenings(self) -> tuple[tuple[HeldEvent, Turnout], ...]:
        """Return the events with most games."""
        found = [(self.events[event], turnout) for event, turnout in self.sums.turnouts.items()]
        found.sort(key=lambda one: (-one[1].games, -len(one[1].players), one[0].day))
        return tuple(found[:TOP])
