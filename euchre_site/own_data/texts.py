"""Finds a name in the texts that are stored, and puts another in its place.

Games, results, ratings and the public log hold numbers of players and no names. Texts do: the
records of events, letters, announcements, reasons given, messages to webhooks. A text counts only
if it is of the time when its person had that name, and of something they took part in.
"""

import json
import re
from collections.abc import Collection, Iterable, Sequence
from datetime import datetime, timedelta
from typing import Any, Final, NamedTuple, TypeAlias

from django.db import connection
from django.db.models import Q, QuerySet

from games.models import About, Player, Report
from tournaments.models import (
    Announcement,
    Club,
    Correction,
    Delivery,
    Entry,
    EntryPlayer,
    Event,
    FairPlayAct,
    FairPlayMatter,
    Letter,
    Notice,
    RatingHold,
)


class Named(NamedTuple):
    """A name that somebody had, from a moment to another; until None: has still."""

    name: str
    since: datetime
    until: datetime | None


#: Rows of one kind, when each was written, and the fields with words in them.
Texts: TypeAlias = tuple[QuerySet[Any], str, tuple[str, ...]]
#: A text may say that it was written a little before or after; machines' clocks differ, too.
MEANWHILE: Final = timedelta(hours=1)
#: Letters about an event begin their key so; they are looked through only for events of one's own.
OF_AN_EVENT: Final = re.compile(r"event (\d+) ")


def names_of(player: Player) -> list[Named]:
    """Return all names that a player has had, the present one last."""
    found, since = [], player.created
    for past in player.past_names.order_by("until", "pk"):
        found.append(Named(past.name, since, past.until))
        since = past.until
    return [*found, Named(player.name, since, None)]


def events_of(player: Player) -> set[int]:
    """Return the events in which a player has entered or was asked to, or has done something."""
    found: set[int] = set()
    for rows in (
        EntryPlayer.objects.filter(player=player).values_list("event", flat=True),
        Entry.objects.filter(invited=player).values_list("event", flat=True),
        Notice.objects.filter(by=player).values_list("event", flat=True),
        Event.objects.filter(created_by=player).values_list("pk", flat=True),
    ):
        found.update(rows.order_by())
    return found


def clubs_of(player: Player, events: Collection[int]) -> set[int]:
    """Return the clubs a player is in or has written to, and those of some events."""
    those = Q(memberships__player=player) | Q(announcements__author=player) | Q(events__in=events)
    return set(Club.objects.filter(those).order_by().values_list("pk", flat=True))


def replace(
    names: Iterable[Named], now_called: str, events: Collection[int], clubs: Collection[int]
) -> int:
    """Put another name in the place of somebody's names wherever they are stored as text.

    Args:
        names: theirs, with the times when they had them.
        now_called: what stands there from now on.
        events: in which they took part.
        clubs: of which they were.

    Returns:
        How many rows were changed.
    """
    changed = 0
    for named in names:
        as_word = re.compile(rf"(?<!\w){re.escape(named.name)}(?!\w)")
        for rows, written, fields in _texts(events, clubs):
            during = Q((f"{written}__gte", named.since - MEANWHILE))
            if named.until is not None:
                during &= Q((f"{written}__lte", named.until + MEANWHILE))
            holds = Q()
            for field in fields:
                holds |= Q((f"{field}__contains", named.name))
            found = rows.filter(during & holds)
            if rows.model is Letter:
                found = found.filter(pk__in=_about(found, events))
            changed += _store(rows, fields, as_word, now_called, found)
    return changed


def _about(letters: QuerySet[Any], events: Collection[int]) -> list[int]:
    """The letters that are not about an event of others."""
    keys = letters.order_by().values_list("pk", "key")
    about = ((number, OF_AN_EVENT.match(key)) for number, key in keys)
    return [number for number, event in about if event is None or int(event[1]) in events]


def _store(
    rows: QuerySet[Any],
    fields: Sequence[str],
    as_word: re.Pattern[str],
    now_called: str,
    found: QuerySet[Any],
) -> int:
    """Store the texts of rows with the name replaced wherever it stands as a word; return how many.

    In SQL: thousands of rows by the ORM would keep other writers waiting for seconds.
    """
    known = rows.model._meta
    longest = [known.get_field(field).max_length for field in fields]
    others = []
    for key, *texts in found.order_by().values_list("pk", *fields):
        new = [
            as_word.sub(lambda _found: now_called, text)[:most]
            for text, most in zip(texts, longest, strict=True)
        ]
        if new != texts:
            others.append((*new, key))
    columns = ", ".join(f"{known.get_field(field).column} = %s" for field in fields)
    with connection.cursor() as cursor:
        cursor.executemany(f"UPDATE {known.db_table} SET {columns} WHERE id = %s", others)  # noqa: S608
    return len(others)


def replace_in_messages(player: Player, now_called: str) -> int:
    """Put another name in the messages to webhooks, sent or not, that tell of a player by number.

    Returns:
        How many rows were changed.
    """
    changed = 0
    for row in Delivery.objects.filter(body__contains=f'"id": {player.pk}, "name": '):
        body = json.loads(row.body)
        _rename(body, player.pk, now_called)
        row.body = json.dumps(body, ensure_ascii=False)
        row.save(update_fields=["body"])
        changed += 1
    return changed


def replace_in_reports(player: Player, now_called: str) -> int:
    """Put another name in the reports to the site's staff about a player; return how many."""
    about = Report.objects.filter(about=About.PLAYER, about_id=player.pk)
    return about.update(about_name=now_called)


def _texts(events: Collection[int], clubs: Collection[int]) -> Iterable[Texts]:
    yield Notice.objects.filter(event__in=events), "at", ("text",)
    yield Correction.objects.filter(pairing__round__event__in=events), "at", ("reason",)
    holds = RatingHold.objects.filter(pairing__round__event__in=events)
    yield holds, "made", ("words", "found")
    yield Announcement.objects.filter(club__in=clubs), "at", ("subject", "text")
    yield FairPlayMatter.objects.filter(club__in=clubs), "opened", ("said",)
    yield FairPlayAct.objects.filter(matter__club__in=clubs), "at", ("words",)
    yield Letter.objects.all(), "made", ("subject", "text")


def _rename(value: Any, player_id: int, name: str) -> None:
    """Rename a player wherever a message lists players."""
    if isinstance(value, dict):
        for key, inner in value.items():
            if key == "players":
                for one in inner:
                    if isinstance(one, dict) and one.get("id") == player_id:
                        one["name"] = name
            _rename(inner, player_id, name)
    elif isinstance(value, list):
        for inner in value:
            _rename(inner, player_id, name)
