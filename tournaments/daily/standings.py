"""Who has done best on a day and in a month, and on how many days in a row somebody has played."""

from __future__ import annotations

from calendar import monthrange
from collections.abc import Sequence
from datetime import date, timedelta
from typing import Final, NamedTuple

from django.core.cache import caches
from django.db import connection
from django.db.models import F, QuerySet, Window
from django.db.models.functions import RowNumber

from games.models import Player
from tournaments.models import Club, DailyDeal, DailyTry

#: How many of somebody's best days a month counts, and needs for a place among the first.
BEST_DAYS: Final = 15
#: Seconds for which a month's table is kept.
KEPT: Final = 60


def places(daily: DailyDeal) -> QuerySet[DailyTry]:
    """Return the tries of a closed day that have places, the best first."""
    listed = daily.tries.filter(place__isnull=False).select_related("player")
    return listed.order_by("place", "player__name", "pk")


def numbered(results: Sequence[object]) -> list[int]:
    """Return the places of results that are in order; equal ones share one."""
    places: list[int] = []
    for at, result in enumerate(results):
        places.append(places[-1] if at and result == results[at - 1] else at + 1)
    return places


class MonthLine(NamedTuple):
    """A member in a month's table.

    `whole`: they have played enough days. `place`: equal averages share one.
    """

    place: int
    player_id: int
    name: str
    days: int
    percent: float
    whole: bool


def month(club: Club | None, first: date) -> list[MonthLine]:
    """Return the table of the month that begins with `first`.

    It counts the average of the best 15 days. Those with fewer come after all others.
    """
    latest = (
        DailyDeal.objects.filter(club=club, closed__isnull=False, day__range=range_of(first))
        .order_by("-closed")
        .values_list("pk", flat=True)
        .first()
    )
    key = f"daily-month-{club.pk if club else 0}-{first}-{latest}"
    found: list[MonthLine] | None = caches["pages"].get(key)
    if found is None:
        found = _month(club, first)
        caches["pages"].set(key, found, KEPT)
    return found


def range_of(first: date) -> tuple[date, date]:
    """Return the first and the last day of the month that begins with `first`."""
    return first, first.replace(day=monthrange(first.year, first.month)[1])


def _month(club: Club | None, first: date) -> list[MonthLine]:
    listed = DailyTry.objects.filter(
        daily__club=club, daily__day__range=range_of(first), daily__closed__isnull=False,
        place__isnull=False,
    )  # fmt: skip
    best_first = Window(RowNumber(), partition_by=F("player"), order_by=F("percent").desc())
    ranked = listed.values("player_id", "percent", nth=best_first).query.sql_with_params()
    with connection.cursor() as cursor:
        cursor.execute(  # no value is part of the text
            f"SELECT player_id, COUNT(*), AVG(CASE WHEN nth <= {BEST_DAYS} THEN percent END)"  # noqa: S608
            f" FROM ({ranked[0]}) AS ranked GROUP BY player_id",
            ranked[1],
        )
        rows = cursor.fetchall()
    names = dict(Player.objects.filter(pk__in=[row[0] for row in rows]).values_list("pk", "name"))
    lines = [
        # Equal results in another order may differ in their last digits.
        MonthLine(0, player, names[player], played, round(percent, 6), played >= BEST_DAYS)
        for player, played, percent in rows
    ]
    lines.sort(key=lambda one: (not one.whole, -one.percent, one.name, one.player_id))
    places = numbered([(one.whole, one.percent) for one in lines])
    return [one._replace(place=place) for one, place in zip(lines, places, strict=True)]


class DayOfWeek(NamedTuple):
    """One of the last seven days; `open`: it can still be played."""

    day: date
    played: bool
    open: bool


class Streak(NamedTuple):
    """Days in a row: the latest and the longest, and the last seven days, the latest last."""

    now: int
    longest: int
    week: tuple[DayOfWeek, ...]


def streak(player: Player, club: Club | None, today: date) -> Streak:
    """Return on how many days in a row a player has finished a try.

    today: the day that is open; not having played it yet ends nothing.
    """
    tries = DailyTry.objects.filter(player=player, daily__club=club, ended=True)
    played = set(tries.values_list(F("daily__day"), flat=True))
    week = tuple(
        DayOfWeek(day, day in played, day == today and day not in played)
        for day in (today - timedelta(days=ago) for ago in reversed(range(7)))
    )
    runs: dict[date, int] = {}
    for one in sorted(played):
        runs[one] = runs.get(one - timedelta(days=1), 0) + 1
    now = runs.get(today) or runs.get(today - timedelta(days=1), 0)
    return Streak(now, max(runs.values(), default=0), week)
