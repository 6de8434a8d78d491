"""A club's hall of fame: the winners of its seasons, and who won and played most evenings."""

from collections.abc import Callable
from datetime import datetime
from typing import Any, Final, TypeAlias

from django.db.models import prefetch_related_objects
from django.utils.timezone import localtime

from games.models import Player
from tournaments.models import Club, Division, Season
from tournaments.seasons import divisions, season_table, seasons
from tournaments.seasons.rule import USUAL, rule_of
from tournaments.seasons.season_table import SeasonResults, SeasonRow, SeasonSheet

#: Lines of a list of records; those who share the last place are listed too.
TOP: Final = 10


#: The first of a season, or of one of its divisions; several if they share the place.
Winners: TypeAlias = tuple[Division | None, list[SeasonRow]]
#: A line of a list of records: the place, who, and how many.
RecordLine: TypeAlias = tuple[int, Player, int]


def hall_of_fame(club: Club, now: datetime) -> dict[str, Any]:
    """Read all results of a club for its hall of fame, in at most nine queries.

    `seasons` are those with results, each with whether it is over, and its winners. The records
    count all finished events of the club.
    """
    held = season_table.read_events(club, seasons.finished(club))
    everything = SeasonResults(USUAL, held, {})
    all_time = everything.sheet()
    players = {row.player.pk: row.player for row in all_time.lines}
    today = localtime(now, club.zone).date()
    listed = seasons.seasons_of(club, now, {one.head.day.year for one in held})
    stored = [season for season in listed if season.pk]
    prefetch_related_objects(stored, divisions.PLACED)
    by_matches = [season for season in stored if rule_of(season).needs_matches]
    played = season_table.played(seasons.finished(club)) if by_matches else {}
    found = []
    for season in sorted(listed, key=lambda one: one.first_day, reverse=True):
        within = [one for one in held if season.includes(one.head.day)]
        if within:
            pairs = season_table.pairs_of(season)
            results = SeasonResults(rule_of(season), within, played, pairs)
            winners = _winners(season, results, players)
            found.append((season, season.last_day < today, winners))
    return {
        "seasons": found,
        "wins": _records(all_time, lambda row: row.wins),
        "attendance": _records(all_time, lambda row: row.events),
    }


def _winners(season: Season, results: SeasonResults, players: dict[int, Player]) -> list[Winners]:
    if tables := divisions.tables(season, results):
        return [(one.division, _first(one.sheet)) for one in tables]
    return [(None, _first(results.among({who: players[who] for who in results.players})))]


def _first(sheet: SeasonSheet) -> list[SeasonRow]:
    return [row for row in sheet.lines if row.place == 1 and row.events]


def _records(sheet: SeasonSheet, number: Callable[[SeasonRow], int]) -> list[RecordLine]:
    rows = sorted((row for row in sheet.lines if number(row)), key=number, reverse=True)
    lines = [
        (1 + sum(number(other) > number(row) for other in rows), row.player, number(row))
        for row in rows
    ]
    return [line for line in lines if line[0] <= TOP]
