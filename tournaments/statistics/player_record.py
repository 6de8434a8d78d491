"""A player's page and record, as far as the viewer may see them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import date, datetime, timedelta
from typing import Any, Final

from django.db.models import QuerySet
from django.db.models.functions import Lower
from django.utils.timezone import localdate, localtime

from games.models import Player
from games.records import LOST, WON, game_lists
from games.records.sums import (
    GamesScore,
    GamesTogether,
    PlayedRow,
    by_rules,
    current_streak,
    grouped,
    longest_streak,
    meetings_of,
    score_of,
    totals_of,
)
from tournaments.calendar import your_events
from tournaments.models import Club, Event, Membership, Rating, Season, Trophy
from tournaments.models.entries import PLACED
from tournaments.ratings.curve import curve_of
from tournaments.ratings.words import present
from tournaments.statistics.achievements import achievements_of, share_finished

MAX_MET: Final = 20  # partners and opponents listed in a record
PARTNERS, OPPONENTS = ROLES = ("partners", "opponents")
MAX_MONTHS: Final = 24


def periods(player: Player, clubs: QuerySet[Club], now: datetime) -> list[tuple[str, str, str]]:
    """Return the periods to choose from, with the current seasons of the player's clubs.

    Each has a name, a first and a last day, which may be empty. clubs: those the viewer may see.
    """
    today = localdate(now)
    seasons = Season.objects.filter(
        club__in=clubs.filter(memberships__player=player),
        first_day__lte=today,
        last_day__gte=today,
    )
    # Equal seasons of several clubs are offered once.
    return [
        ("All", "", ""),
        ("This year", f"{today.year}-01-01", ""),
        *(
            (one.name, str(one.first_day), str(one.last_day))
            for one in {(one.name, one.first_day, one.last_day): one for one in seasons}.values()
        ),
        ("Last 90 days", str(today - timedelta(days=89)), ""),
        ("Last 30 days", str(today - timedelta(days=29)), ""),
    ]


def record_of(rows: Sequence[PlayedRow], viewer: Player | None) -> dict[str, Any]:
    """Return the record of a player's games, as `viewer` (None: a visitor) may see it.

    `kept`: whether people with a private record are left out.
    """
    every = meetings_of(rows)
    met = _shown(every, viewer)
    partners, opponents = _in_role(met, PARTNERS), _in_role(met, OPPONENTS)
    listed = [*partners[:MAX_MET], *opponents[:MAX_MET]]
    known = game_lists.people({one.player_id for one in listed})
    return {
        "score": score_of(rows),
        "totals": totals_of(rows),
        "rules": tuple(by_rules(rows)),
        "partners": _listed(partners, known, lambda one: one.together),
        "opponents": _listed(opponents, known, lambda one: one.opposed),
        "kept": len(met) < len(every),
        "present": current_streak(rows),
        "wins": longest_streak(rows, WON),
        "losses": longest_streak(rows, LOST),
    }


def acquaintances(
    rows: Sequence[PlayedRow], viewer: Player | None, role: str
) -> list[GamesTogether]:
    """Return the players somebody has met, most games first; role: one of `ROLES`, or all."""
    return _in_role(_shown(meetings_of(rows), viewer), role)


def head_to_head(
    rows: Sequence[PlayedRow], one: Player, other: Player, now: datetime
) -> dict[str, Any]:
    """Compare two players, together and by month; rows: the games of `one`."""
    together = [row for row in rows if row.partner_id == other.pk]
    opposed = [row for row in rows if other.pk in row.opponents]
    # The latest months in which the two met, the newest first.
    beside, against = grouped(together, _month), grouped(opposed, _month)
    months = sorted(beside.keys() | against.keys(), reverse=True)
    stored = Rating.objects.filter(player__in=(one, other)).select_related("pool")
    skills = {
        (rating.pool, rating.player_id): present(rating, now)
        for rating in stored.order_by("pool__key")
    }
    return {
        "together": score_of(together),
        "opposed": score_of(opposed),
        "months": [
            (
                first,
                (first + timedelta(days=31)).replace(day=1) - timedelta(days=1),
                score_of(beside.get(first, ())),
                score_of(against.get(first, ())),
            )
            for first in months[:MAX_MONTHS]
        ],
        "ratings": [
            (pool, skills.get((pool, one.pk)), skills.get((pool, other.pk)))
            for pool in dict.fromkeys(pool for pool, _player in skills)
        ],
    }


def _shown(met: Sequence[GamesTogether], viewer: Player | None) -> list[GamesTogether]:
    hidden = game_lists.hidden_from(viewer, [one.player_id for one in met])
    return [one for one in met if one.player_id not in hidden]


def _in_role(met: Sequence[GamesTogether], role: str) -> list[GamesTogether]:
    if role not in ROLES:
        return list(met)

    def games(one: GamesTogether) -> int:
        return len(one.beside if role == PARTNERS else one.facing)

    return sorted((one for one in met if games(one)), key=games, reverse=True)


def _listed(
    met: Sequence[GamesTogether],
    known: Mapping[int, Player],
    score: Callable[[GamesTogether], GamesScore],
) -> dict[str, Any]:
    """Return the first partners or opponents with the results, and how many `more` there are."""
    lines = [(known[one.player_id], score(one)) for one in met[:MAX_MET]]
    return {"lines": lines, "more": max(0, len(met) - MAX_MET)}


def _month(row: PlayedRow) -> date:
    return localtime(row.ended).date().replace(day=1)


MAX_EVENTS: Final = 20
MAX_NEXT: Final = 6
MAX_ENTRIES: Final = 60  # the latest entries, from which next and finished ones are taken
MAX_GAMES: Final = 8
MAX_TROPHIES: Final = 12
CURVE: Final = (640, 240)


def clubs_of(player: Player, clubs: QuerySet[Club]) -> list[tuple[Club, bool]]:
    """Return those of some clubs that a player belongs to, and whether it is their home club."""
    own = Membership.objects.filter(player=player, club__in=clubs).select_related("club")
    return [(one.club, one.home) for one in own.order_by("-home", Lower("club__name"), "club")]


def page_of(
    player: Player,
    viewer: Player | None,
    clubs: QuerySet[Club],
    tables: Collection[int],
    now: datetime,
) -> dict[str, Any]:
    """Return the page of a player whose record `viewer` (None: a visitor) may see.

    It has the newest first. Clubs that are not in `clubs` are left out. `tables` are those whose
    invitation link they followed.
    """
    trophies = Trophy.objects.filter(player=player, event__club__in=clubs)
    entries = your_events.entries_of(player).filter(event__club__in=clubs)
    newest = entries.exclude(event__state=Event.State.CANCELLED).order_by("-event__starts", "event")
    entered = newest[:MAX_ENTRIES]
    over = Event.State.FINISHED
    finished = [entry for entry in entered if entry.event.state == over]
    coming = [entry for entry in entered if entry.event.state != over and entry.state in PLACED]
    stored = Rating.objects.filter(player=player).select_related("pool").order_by("-games", "pool")
    ratings = tuple((one, present(one, now)) for one in stored)
    rows: Sequence[PlayedRow] = game_lists.rows_of(player)
    totals, score = totals_of(rows), score_of(rows)
    return {
        "clubs": clubs_of(player, clubs),
        "trophies": tuple(
            trophies.select_related("event__club").order_by("-event__starts")[:MAX_TROPHIES]
        ),
        "next": tuple(coming[::-1][:MAX_NEXT]),
        "finished": your_events.finished(finished[:MAX_EVENTS]),
        "games": tuple(game_lists.game_lines(player, rows[:MAX_GAMES], viewer, tables)),
        "score": score,
        "totals": totals,
        "achievements": achievements_of(rows, totals),
        "share_finished": share_finished(player, score.games),
        "streak": current_streak(rows),
        "ratings": ratings,
        "curve": curve_of(player, ratings[0][0].pool, *CURVE, now) if ratings else None,
    }
