"""The page of a person on a club's list: nights, money, whom they play with, and joining lines."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from itertools import groupby
from typing import Any, Final

from django.db import transaction

from games.models import Player
from games.records import game_lists
from games.records.sums import meetings_of
from tournaments.acts.previews import Change, Preview
from tournaments.attendance import same_person
from tournaments.models import Club, Entry, EntryPlayer, Event, ListedName, Season
from tournaments.models.entries import OUT
from tournaments.refusals import RefusedError
from tournaments.search import club_list
from tournaments.search.folding import fold
from tournaments.search.searching import words_of
from tournaments.seasons import season_table, seasons
from tournaments.seasons.season_table import SeasonRow
from tournaments.standings.winners import ordinal

MAX_MET: Final = 6
MAX_OFFERED: Final = 12
STAY: Final = "Scores, standings of the nights, money"


def page_of(row: ListedName, viewer: Player, query: str, now: datetime) -> dict[str, Any]:
    """Return the values of the page; query: part of the name of another line to join with."""
    club, player = row.club, row.player or row.plays_as
    season = seasons.seasons_of(club, now)[0]
    sheet = season_table.sheet(club, season)
    line = next((one for one in sheet.lines if one.player == player), None)
    heads = {held.event: held for held in sheet.evenings}
    nights: list[dict[str, Any]] = []
    for seat in _seats(club, player):
        event, entry = seat.event, seat.entry
        there = line.evenings.get(event.pk) if line else None
        place = f"{ordinal(entry.place)}" if entry.place else event.get_state_display().lower()
        if event.pk in heads:
            place += f" of {heads[event.pk].players}"
        nights.append(
            {"event": event, "entry": entry, "place": place, "points": there and there.points}
        )
    due = [
        night["event"] for night in nights
        if night["event"].entry_money and not (night["entry"].paid or night["entry"].state in OUT)
    ]  # fmt: skip
    return {
        "row": row,
        "player": player,
        "season": season,
        "line": line,
        "held": len(sheet.evenings),
        "lines": len(sheet.lines),
        "nights": nights,
        "owed": sum(event.entry_money for event in due),
        "owed_at": due[0] if due else None,
        "met": _met(player, viewer),
        "offered": _offered(row, query) if query and row.player_id is None else [],
    }


def _seats(club: Club, player: Player | None) -> Sequence[EntryPlayer]:
    """Return somebody's seats in the club's events, the latest first."""
    mine = EntryPlayer.objects.filter(event__club=club, player=player)
    mine = mine.exclude(event__state__in=(Event.State.DRAFT, Event.State.CANCELLED))
    mine = mine.exclude(entry__state=Entry.State.WITHDRAWN, entry__paid=None, entry__place=None)
    return list(mine.select_related("event__club", "entry").order_by("-event__starts", "-event"))


def _met(player: Player | None, viewer: Player) -> list[dict[str, Any]]:
    if player is None or not game_lists.shows_record(player, viewer):
        return []
    met = meetings_of(game_lists.rows_of(player))
    hidden = game_lists.hidden_from(viewer, [one.player_id for one in met])
    shown = [one for one in met if one.player_id not in hidden][:MAX_MET]
    known = game_lists.people({one.player_id for one in shown})
    return [
        {"player": known[one.player_id], "together": one.together, "opposed": one.opposed}
        for one in shown
    ]


# Joining --------------------------------------------------------------------------------------


def _offered(row: ListedName, query: str) -> list[tuple[ListedName, str]]:
    """Return other lines with such names, each with why it cannot be the same person."""
    words = [f" {word}" for word in words_of(query)]
    others = [
        one
        for one in club_list.people(row.club).exclude(pk=row.pk).select_related("plays_as", "club")
        if words and all(word in fold(one.name) for word in words)
    ]
    return [(one, same_person.why_not(row, one)) for one in others[:MAX_OFFERED]]


def preview(row: ListedName, other: ListedName, now: datetime) -> Preview:
    """Return what joining another line changes; it is done and rolled back."""
    season = seasons.seasons_of(row.club, now)[0]
    with transaction.atomic():
        before, one = _table(row, season)
        _same, two = _table(other, season)
        counts = [_night_count(line) for line in (row, other)]
        same_person.join(row, other)
        row, other = (ListedName.objects.get(pk=line.pk) for line in (row, other))
        after, both = _table(row, season)
        nights = _night_count(row)
        transaction.set_rollback(True)
    changes = [
        Change("Nights", f"{counts[0]} and {counts[1]}", str(nights)),
        Change("Season line", _in_words(one), _in_words(both)),
        Change(f"{other.name}’s line", _in_words(two), "none"),
        *_moved(before, after, {line.player.pk for line in (one, two, both) if line}),
        Change(STAY, "", "stay"),
    ]
    return Preview(tuple(change for change in changes if change.before != change.after))


def carry_out(row: ListedName, other: ListedName, seen: str, now: datetime) -> None:
    """Join another line as it was shown; raises RefusedError ``changed``, or as `join`."""
    if preview(row, other, now).digest != seen:
        words = "Something has changed since this was shown. Nothing was done: look at it again."
        raise RefusedError("changed", words)
    same_person.join(row, other)


def _table(row: ListedName, season: Season) -> tuple[list[SeasonRow], SeasonRow | None]:
    table = season_table.table(row.club, season)
    return table, next((line for line in table if line.player.pk == row.plays_as_id), None)


def _night_count(row: ListedName) -> int:
    return row.plays_as.walk_ins.count() if row.plays_as else 0


def _in_words(line: SeasonRow | None) -> str:
    return f"{ordinal(line.place)}, {line.points} points" if line else "none"


def _moved(
    before: Sequence[SeasonRow], after: Sequence[SeasonRow], besides: set[int]
) -> list[Change]:
    """Return whose places in the season change: a name, or how many who move alike."""
    now = {line.player.pk: line.place for line in after}
    others = [line for line in before if line.player.pk in now and line.player.pk not in besides]
    found = []
    for shift, group in groupby(others, lambda line: now[line.player.pk] - line.place):
        lines = list(group)
        first, last = lines[0].place, lines[-1].place
        if not shift:
            continue
        if len(lines) == 1:
            found.append(Change(lines[0].player.name, ordinal(first), ordinal(first + shift)))
        else:
            thing = f"{ordinal(first)} to {ordinal(last)}: {len(lines)} people"
            new = f"{ordinal(first + shift)}–{ordinal(last + shift)}"
            found.append(Change(thing, f"{ordinal(first)}–{ordinal(last)}", new))
    return found
