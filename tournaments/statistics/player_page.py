"""A player's page: what he belongs to and has played, as far as the visitor may see it."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from django.db.models import QuerySet

from games.models import Player
from games.records import reading
from games.records.reading import PlayerGameLine
from games.records.sums import (
    Deeds,
    GamesScore,
    PlayedRow,
    Streak,
    deeds_of,
    present_streak,
    score_of,
)
from tournaments.entering.entry_lines import EntryLine, entries_of, lines
from tournaments.models import Club, Event, Pool, Rating, Trophy
from tournaments.models.entries import PLACED
from tournaments.ratings.rating_curve import Curve, curve_of
from tournaments.ratings.rating_words import present
from tournaments.skill import Skill

MOST_EVENTS: Final = 20
MOST_NEXT: Final = 6
MOST_ENTRIES: Final = 60  # the newest, of which next and finished events are taken
MOST_GAMES: Final = 8
MOST_TROPHIES: Final = 12
CURVE: Final = (640, 240)


@dataclass(frozen=True, slots=True)
class RatingLine:
    """A rating as it is now, of so many games."""

    pool: Pool
    skill: Skill
    games: int


@dataclass(frozen=True, slots=True)
class PlayerPage:
    """All that the page lists.

    clubs: by name. trophies: with their events, the newest first. next: what he has entered.
    finished: events, the newest first. games: the last ones. score, deeds, streak: of all games.
    ratings: that of most games first; `curve` is this one's, or None.
    """

    clubs: tuple[Club, ...]
    trophies: tuple[Trophy, ...]
    next: tuple[EntryLine, ...]
    finished: tuple[EntryLine, ...]
    games: tuple[PlayerGameLine, ...]
    score: GamesScore
    deeds: Deeds
    streak: Streak
    ratings: tuple[RatingLine, ...]
    curve: Curve | None


def page_of(
    player: Player,
    viewer: Player | None,
    clubs: QuerySet[Club],
    tables: Collection[int],
    now: datetime,
) -> PlayerPage:
    """Return what the page of `player` shows to `viewer` (None: a visitor).

    Args:
        player: whose page it is.
        viewer: who looks at it, and may see his record.
        clubs: those the viewer may see; of others nothing is told.
        tables: those whose invitation link the viewer has followed.
        now: the moment for which ratings are told.
    """
    trophies = Trophy.objects.filter(player=player, event__club__in=clubs)
    coming, finished = _entered(player, clubs)
    stored = Rating.objects.filter(player=player).select_related("pool").order_by("-games", "pool")
    ratings = tuple(RatingLine(one.pool, present(one, now), one.games) for one in stored)
    rows: Sequence[PlayedRow] = reading.rows_of(player)
    return PlayerPage(
        clubs=tuple(clubs.filter(memberships__player=player)),
        trophies=tuple(
            trophies.select_related("event__club").order_by("-event__starts")[:MOST_TROPHIES]
        ),
        next=coming,
        finished=finished,
        games=tuple(reading.game_lines(player, rows[:MOST_GAMES], viewer, tables)),
        score=score_of(rows),
        deeds=deeds_of(rows),
        streak=present_streak(rows),
        ratings=ratings,
        curve=curve_of(player, ratings[0].pool, *CURVE, now) if ratings else None,
    )


def _entered(
    player: Player, clubs: QuerySet[Club]
) -> tuple[tuple[EntryLine, ...], tuple[EntryLine, ...]]:
    """His next events, the soonest first, and finished ones, the newest first; one query."""
    entries = entries_of(player).filter(event__club__in=clubs)
    newest = entries.exclude(event__state=Event.State.CANCELLED).order_by("-event__starts", "event")
    found = newest[:MOST_ENTRIES]
    over = Event.State.FINISHED
    finished = [entry for entry in found if entry.event.state == over]
    coming = [entry for entry in found if entry.event.state != over and entry.state in PLACED]
    return lines(coming[::-1][:MOST_NEXT]), lines(finished[:MOST_EVENTS])
