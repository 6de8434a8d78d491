"""The statistics of a club: what the games of its events add up to, over a season or all time.

They are added up from the results when somebody asks, and kept for `KEPT` seconds: a club's years
are some ten thousand rows. A result that is corrected, an event that ends and a player who makes
his record private are not waited for.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from heapq import merge
from operator import itemgetter
from typing import Final

from django.core.cache import cache
from django.db.models import CharField, QuerySet
from django.db.models.functions import Cast

from games.models import Performance, Player
from games.records.reading import ListedPerson
from tournaments.models import Club, EntryPlayer, Event, Membership, Pairing
from tournaments.refusals import RefusedError
from tournaments.seasons import seasons
from tournaments.seasons.seasons import Span
from tournaments.statistics.activity import Week
from tournaments.statistics.club_lists import (
    ClubRecord,
    Dealt,
    Evening,
    Gain,
    HeldEvent,
    Lists,
    Pair,
)
from tournaments.statistics.club_table import MemberLine, line_of
from tournaments.statistics.tallies import TalliedGame, sums_of

#: Seconds for which the figures are kept.
KEPT: Final = 600
#: A member who has not played for so long is asked about.
AWAY: Final = timedelta(days=90)

ALL_TIME: Final = Span(
    "All time", date(seasons.YEARS.start, 1, 1), date(seasons.YEARS.stop - 1, 12, 31)
)
#: The columns of `Played`, as they are read.
WHERE: Final = ("game", "table", "pairing", "round")
COLUMNS: Final = (
    Cast("game", CharField()),  # ten thousands of numbers are not made into objects
    "__".join((*WHERE, "event")),
    "__".join((*WHERE, "number")),
    "__".join((*WHERE[:-1], "number")),
    *TalliedGame._fields[4:],
)


@dataclass(frozen=True, slots=True)
class Statistics:
    """What is shown of a club over some days.

    Attributes:
        lines: everybody who took part, by place.
        gains: who gained most rating.
        often, best: pairs with most games, and with the best share won.
        lucky, unlucky: who was dealt the best and the worst cards.
        records: the club's.
        weeks: every week from the first to the last.
        evenings: the busiest ones.
        events, games: how many there were.
        hidden: who is left out, since he keeps his record to himself.
    """

    lines: tuple[MemberLine, ...]
    gains: tuple[Gain, ...]
    often: tuple[Pair, ...]
    best: tuple[Pair, ...]
    lucky: tuple[Dealt, ...]
    unlucky: tuple[Dealt, ...]
    records: tuple[ClubRecord, ...]
    weeks: tuple[Week, ...]
    evenings: tuple[Evening, ...]
    events: int
    games: int
    hidden: frozenset[int]


def held_by(club: Club) -> list[HeldEvent]:
    """Return all finished events of a club, in order."""
    rows = seasons.finished(club).order_by("starts", "pk")
    return [
        HeldEvent(pk, name, starts.astimezone(club.zone).date(), version)
        for pk, name, starts, version in rows.values_list("pk", "name", "starts", "version")
    ]


def choices(spans: Sequence[Span]) -> dict[str, Span]:
    """Return what may be asked for, by its word in addresses; the first is shown unasked."""
    own = {str(span.season_id or span.first_day.year): span for span in spans}
    return {**own, "all": ALL_TIME}


def chosen(spans: Sequence[Span], asked: str) -> str:
    """Return the word of the days asked for; empty for the first ones.

    Raises:
        RefusedError: there are no such days.
    """
    known = choices(spans)
    word = asked or next(iter(known))
    if word not in known:
        raise RefusedError(
            "season", f"The club has no season “{asked}”; there is {', '.join(known)}.", 404
        )
    return word


def read(club: Club, span: Span, held: Sequence[HeldEvent]) -> Statistics:
    """Return the statistics of a club over the days of `span`; held: as of `held_by`."""
    events = [event for event in held if span.holds(event.day)]
    stamp = f"{len(events)}-{sum(event.version for event in events)}"
    # the number goes up with every change of what is kept, which an earlier version may have left
    key = f"club-statistics-2-{club.pk}-{span.first_day}-{span.last_day}-{stamp}"
    kept: Statistics | None = cache.get(key)
    if kept is None or _hidden_since(kept):
        kept = _add_up(club, span, events)
        cache.set(key, kept, KEPT)
    return kept


def away(club: Club, now: datetime) -> list[ListedPerson]:
    """Return the members who have played in none of the club's events for long, by name.

    Neither who has joined since, nor house players, nor who keeps his record to himself.
    """
    since = now - AWAY
    played = EntryPlayer.objects.filter(
        event__club=club, event__started__gte=since, entry__seed__isnull=False
    )
    members = Membership.objects.filter(
        club=club, joined__lt=since, player__kind=Player.Kind.PERSON, player__private=False
    ).exclude(player__in=played.values("player"))
    rows = members.order_by("player__name").values_list("player", "player__name")
    return [ListedPerson(*row) for row in rows]


def _hidden_since(kept: Statistics) -> bool:
    """Whether somebody who is shown has made his record private."""
    shown = [line.player_id for line in kept.lines]
    return Player.objects.filter(pk__in=shown, private=True).exists()


def _add_up(club: Club, span: Span, events: Sequence[HeldEvent]) -> Statistics:
    table = [line for line in seasons.table(club, span) if not line.house]
    people = {
        line.player_id: ListedPerson(line.player_id, line.name)
        for line in table
        if not line.private
    }
    held = seasons.events_of(club, span)
    # What everybody did, in the order in which the games ended.
    rows = Performance.objects.filter(game__table__pairing__round__event__in=held)
    in_order = rows.order_by("ended", "game").values_list("ended", *COLUMNS)
    played = ((row[0], TalliedGame._make(row[1:])) for row in in_order.iterator(chunk_size=2000))
    sums = sums_of(
        (one for _ended, one in merge(played, _unplayed(held), key=itemgetter(0))), people.keys()
    )
    lists = Lists(people, events, sums)
    lucky, unlucky = lists.dealt()
    return Statistics(
        lines=tuple(
            line_of(line, sums.tallies.get(line.player_id))
            for line in table
            if line.player_id in people
        ),
        gains=lists.gains(held),
        often=lists.often(),
        best=lists.best(),
        lucky=lucky,
        unlucky=unlucky,
        records=tuple(lists.records()),
        weeks=lists.weeks(),
        evenings=lists.evenings(),
        events=len(events),
        games=sum(turnout.games for turnout in sums.turnouts.values()),
        hidden=frozenset(line.player_id for line in table if line.private),
    )


def _unplayed(events: QuerySet[Event]) -> Iterator[tuple[datetime, TalliedGame]]:
    """The results that were set without any play, in order, each with its time."""
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
