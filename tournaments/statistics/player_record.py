"""What the pages of a player's record tell, as far as the visitor may see it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Final

from django.db.models import QuerySet
from django.utils.timezone import localdate, localtime

from games.models import Player
from games.records import reading
from games.records.reading import ListedPerson
from games.records.results import LOST, WON
from games.records.sums import (
    Deeds,
    GamesScore,
    GamesTogether,
    PlayedRow,
    Streak,
    by_rules,
    deeds_of,
    grouped,
    longest_streak,
    meetings_of,
    present_streak,
    score_of,
)
from tournaments.models import Club, Pool, Rating, Season
from tournaments.ratings.rating_words import present
from tournaments.skill import Skill

MOST_MET: Final = 20  # partners and opponents listed in a record
PARTNERS, OPPONENTS = ROLES = ("partners", "opponents")
MOST_MONTHS: Final = 24


@dataclass(frozen=True, slots=True)
class Period:
    """A stretch of time that is offered; an empty day is open."""

    name: str
    first: str = ""
    last: str = ""


@dataclass(frozen=True, slots=True)
class Met:
    """Somebody he played with or against, and how that went."""

    person: ListedPerson
    score: GamesScore


@dataclass(frozen=True, slots=True)
class MetList:
    """Partners or opponents by number of games. more: how many are not listed here."""

    lines: tuple[Met, ...]
    more: int


@dataclass(frozen=True, slots=True)
class PlayerRecord:
    """All figures of the page.

    rules: by rule set. kept: some he met keep their record to themselves and are left out.
    """

    score: GamesScore
    deeds: Deeds
    rules: tuple[tuple[str, GamesScore], ...]
    partners: MetList
    opponents: MetList
    kept: bool
    present: Streak
    wins: Streak
    losses: Streak


@dataclass(frozen=True, slots=True)
class Month:
    """What two players did in a month, from its `first` to its `last` day."""

    first: date
    last: date
    together: GamesScore
    opposed: GamesScore


@dataclass(frozen=True, slots=True)
class RatingPair:
    """What two players are rated in a pool; None: not yet."""

    pool: Pool
    one: Skill | None
    other: Skill | None


@dataclass(frozen=True, slots=True)
class HeadToHeadRecord:
    """Two players: results as partners and as opponents, the latest months, ratings."""

    together: GamesScore
    opposed: GamesScore
    months: tuple[Month, ...]
    ratings: tuple[RatingPair, ...]


def periods(player: Player, clubs: QuerySet[Club], now: datetime) -> list[Period]:
    """Return the stretches of time to choose from: with the present seasons of his clubs.

    clubs: those the visitor may see.
    """
    today = localdate(now)
    seasons = Season.objects.filter(
        club__in=clubs.filter(memberships__player=player),
        first_day__lte=today,
        last_day__gte=today,
    )
    # Seasons of the same name and days in several clubs are offered once.
    return [
        Period("All"),
        Period("This year", f"{today.year}-01-01"),
        *(
            Period(one.name, str(one.first_day), str(one.last_day))
            for one in {(one.name, one.first_day, one.last_day): one for one in seasons}.values()
        ),
        Period("Last 90 days", str(today - timedelta(days=89))),
        Period("Last 30 days", str(today - timedelta(days=29))),
    ]


def record_of(
    rows: Sequence[PlayedRow], viewer: Player | None, *, everybody: bool = False
) -> PlayerRecord:
    """Add up somebody's games for `viewer` (None: a visitor).

    everybody: all partners and opponents are listed, not only those met most often.
    """
    every = meetings_of(rows)
    met = _shown(every, viewer)
    partners, opponents = _in_role(met, PARTNERS), _in_role(met, OPPONENTS)
    most = len(met) if everybody else MOST_MET
    listed = [*partners[:most], *opponents[:most]]
    known = reading.people({one.player_id for one in listed})
    return PlayerRecord(
        score=score_of(rows),
        deeds=deeds_of(rows),
        rules=tuple(by_rules(rows)),
        partners=_listed(partners, known, most, lambda one: one.together),
        opponents=_listed(opponents, known, most, lambda one: one.opposed),
        kept=len(met) < len(every),
        present=present_streak(rows),
        wins=longest_streak(rows, WON),
        losses=longest_streak(rows, LOST),
    )


def acquaintances(
    rows: Sequence[PlayedRow], viewer: Player | None, role: str
) -> list[GamesTogether]:
    """Return those somebody has played with or against, by number of games.

    role: "partners" or "opponents" for those alone, by the number of these games.
    """
    return _in_role(_shown(meetings_of(rows), viewer), role)


def head_to_head(
    rows: Sequence[PlayedRow], one: Player, other: Player, now: datetime
) -> HeadToHeadRecord:
    """Compare two players.

    rows: the games of `one` that are asked for.
    """
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
    return HeadToHeadRecord(
        score_of(together),
        score_of(opposed),
        tuple(
            Month(
                first,
                (first + timedelta(days=31)).replace(day=1) - timedelta(days=1),
                score_of(beside.get(first, ())),
                score_of(against.get(first, ())),
            )
            for first in months[:MOST_MONTHS]
        ),
        tuple(
            RatingPair(pool, skills.get((pool, one.pk)), skills.get((pool, other.pk)))
            for pool in dict.fromkeys(pool for pool, _player in skills)
        ),
    )


def _shown(met: Sequence[GamesTogether], viewer: Player | None) -> list[GamesTogether]:
    hidden = reading.hidden_from(viewer, [one.player_id for one in met])
    return [one for one in met if one.player_id not in hidden]


def _in_role(met: Sequence[GamesTogether], role: str) -> list[GamesTogether]:
    if role not in ROLES:
        return list(met)

    def games(one: GamesTogether) -> int:
        return len(one.beside if role == PARTNERS else one.facing)

    return sorted((one for one in met if games(one)), key=games, reverse=True)


def _listed(
    met: Sequence[GamesTogether],
    known: Mapping[int, ListedPerson],
    most: int,
    score: Callable[[GamesTogether], GamesScore],
) -> MetList:
    lines = (Met(known[one.player_id], score(one)) for one in met[:most])
    return MetList(tuple(lines), max(0, len(met) - most))


def _month(row: PlayedRow) -> date:
    return localtime(row.ended).date().replace(day=1)
