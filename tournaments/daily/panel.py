"""The daily deal on the home page and on a club's page, in each of its states."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Final

from django.core.cache import caches

from games.models import Player
from tournaments.daily import days, standings, tries
from tournaments.models import Club, DailyDeal, DailyTry

TO_PLAY, BEGUN, PLAYED, CLOSING, CLOSED = "to play", "begun", "played", "closing", "closed"
#: Seconds for which the number of those who have played is kept, and what visitors are shown.
COUNTED_FOR: Final = 10
SHARED_FOR: Final = 2


def own_try(daily: DailyDeal, player: Player | None) -> DailyTry | None:
    """Return a player's try, with its points once its game has ended."""
    mine = daily.tries.filter(player=player).first() if player is not None else None
    if mine is not None and mine.points is None:
        tries.store_points([mine])
    return mine


def state_of(daily: DailyDeal, mine: DailyTry | None, now: datetime) -> str:
    if daily.closed is not None:
        return CLOSED
    if mine is not None and mine.points is not None and (mine.ended or now < daily.closes):
        return PLAYED
    if now >= daily.closes:
        return CLOSING
    return BEGUN if mine is not None else TO_PLAY


def count_of(daily: DailyDeal) -> int:
    """Return how many have played a day, which says nothing of their results."""
    if daily.closed is not None:
        return daily.played
    key = f"daily-played-{daily.pk}"
    count: int | None = caches["pages"].get(key)
    if count is None:
        count = daily.tries.filter(ended=True).count()
        caches["pages"].set(key, count, COUNTED_FOR)
    return count


def for_visitors(club: Club | None, now: datetime) -> dict[str, Any]:
    """Return what the panel shows to those who have played nothing, read once for all of them."""
    key = f"daily-panel-{club.pk if club else 0}"
    shown: dict[str, Any] | None = caches["pages"].get(key)
    if shown is None:
        shown = panel_of(club, None, now)
        caches["pages"].set(key, shown, SHARED_FOR)
    return shown


def shown_of(
    daily: DailyDeal, player: Player | None, mine: DailyTry | None, now: datetime
) -> dict[str, Any]:
    """Return what the panel and the day's own page show of a day and a player's try."""
    return {
        "daily": daily,
        "club": daily.club,
        "mine": mine,
        "state": state_of(daily, mine, now),
        "count": count_of(daily),
        "deal_number": tries.deals_finished(mine) + 1 if mine and mine.points is None else 0,
        "streak": standings.streak(player, daily.club, daily.day) if player else None,
    }


def panel_of(club: Club | None, player: Player | None, now: datetime) -> dict[str, Any]:
    """Return what the panel shows; empty if there is no daily deal.

    Until the day that is open has been played it also leads to the results of the one before.
    """
    daily = days.open_day(club, now)
    if daily is None:
        return {}
    last = days.last_closed(club)
    return {
        **shown_of(daily, player, own_try(daily, player), now),
        "last": last,
        "last_try": own_try(last, player) if last else None,
    }
