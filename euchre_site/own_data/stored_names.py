"""Replacing a player's names in stored texts.

Games, results, ratings and the public log refer to players by primary key. Names are in texts:
records of events, letters, announcements, reasons and webhook messages. Only texts from the time
when the player had the name are changed, and only those of events and clubs they took part in.
"""

import json
import re
from collections.abc import Collection, Iterable, Sequence
from datetime import datetime, timedelta
from typing import Any, Final, NamedTuple, TypeAlias

from django.db import connection
from django.db.models import Q, QuerySet

from games.models import About, Player, Report
from tournaments.changes import row_images
from tournaments.models import (
    Act,
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
    ScoreLine,
    SeasonChange,
    Substitution,
)


class UsedName(NamedTuple):
    """A name of a player; until: None for the present one."""

    name: str
    since: datetime
    until: datetime | None


#: Rows with texts, the name of their time field, and of their text fields.
Texts: TypeAlias = tuple[QuerySet[Any], str, tuple[str, ...]]
#: Tolerance for the times of texts, as clocks of machines differ.
TOLERANCE: Final = timedelta(hours=1)
#: The start of the keys of letters about an event.
EVENT_KEY: Final = re.compile(r"event (\d+) ")


def names_of(player: Player) -> list[UsedName]:
    found, since = [], player.created
    for past in player.past_names.order_by("until", "pk"):
        found.append(UsedName(past.name, since, past.until))
        since = past.until
    return [*found, UsedName(player.name, since, None)]


def events_of(player: Player) -> set[int]:
    """Return the events that a player has entered, was invited to, made, or is recorded in."""
    found: set[int] = set()
    for rows in (
        EntryPlayer.objects.filter(player=player).values_list("event", flat=True),
        Substitution.objects.filter(player=player).values_list("entry__event", flat=True),
        Entry.objects.filter(invited=player).values_list("event", flat=True),
        Notice.objects.filter(by=player).values_list("event", flat=True),
        Act.objects.filter(by=player).values_list("event", flat=True),
        Event.objects.filter(created_by=player).values_list("pk", flat=True),
    ):
        found.update(rows.order_by())
    return found


def clubs_of(player: Player, events: Collection[int]) -> set[int]:
    those = Q(memberships__player=player) | Q(announcements__author=player) | Q(events__in=events)
    those |= Q(seasons__division_players__player=player) | Q(seasons__team_players__player=player)
    return set(Club.objects.filter(those).order_by().values_list("pk", flat=True))


def replace(
    names: Iterable[UsedName], new_name: str, events: Collection[int], clubs: Collection[int]
) -> int:
    """Replace a player's names in the texts of their events and clubs, and in letters.

    Returns the number of changed rows.
    """
    changed = 0
    for named in names:
        as_word = re.compile(rf"(?<!\w){re.escape(named.name)}(?!\w)")
        for rows, written, fields in _texts(events, clubs):
            during = Q((f"{written}__gte", named.since - TOLERANCE))
            if named.until is not None:
                during &= Q((f"{written}__lte", named.until + TOLERANCE))
            contains_name = Q()
            for field in fields:
                contains_name |= Q((f"{field}__contains", named.name))
            found = rows.filter(during & contains_name)
            if rows.model is Letter:
                found = found.filter(pk__in=_about(found, events))
            changed += _store(rows, fields, as_word, new_name, found)
        changed += _replace_in_kept_rows(named, as_word, new_name, events, clubs)
    return changed


def _replace_in_kept_rows(
    named: UsedName,
    as_word: re.Pattern[str],
    new_name: str,
    events: Collection[int],
    clubs: Collection[int],
) -> int:
    """Replace a name in the rows that acts have kept, as in the rows themselves.

    So an undo still finds the rows as it has left them, and restores others without the name.
    """
    text_fields = {rows.model: (written, fields) for rows, written, fields in _texts(events, clubs)}
    changed, those = 0, Act.objects.filter(event__in=events)
    for act, images in row_images.acts_with_rows(those, row_images.with_words(named.name)):
        for model, _image, values in images:
            written, fields = text_fields.get(model, ("", ()))
            at = datetime.fromisoformat(values[written]) if written in values else act.at
            if at < named.since - TOLERANCE or (named.until and at > named.until + TOLERANCE):
                continue
            for field in values.keys() & set(fields):
                column: Any = model._meta.get_field(field)
                text = as_word.sub(lambda _found: new_name, values[field])
                values[field] = text[: column.max_length]
        act.save(update_fields=["kept"])
        changed += 1
    return changed


def _about(letters: QuerySet[Any], events: Collection[int]) -> list[int]:
    """Return the letters that are not about events of others."""
    keys = letters.order_by().values_list("pk", "key")
    about = ((number, EVENT_KEY.match(key)) for number, key in keys)
    return [number for number, event in about if event is None or int(event[1]) in events]


def _store(
    rows: QuerySet[Any],
    fields: Sequence[str],
    as_word: re.Pattern[str],
    new_name: str,
    found: QuerySet[Any],
) -> int:
    """Replace a name in rows with plain SQL; return the number changed.

    Updating thousands of rows with the ORM would block other writers for seconds.
    """
    known = rows.model._meta
    longest = [known.get_field(field).max_length for field in fields]
    updates = []
    for key, *texts in found.order_by().values_list("pk", *fields):
        new = [
            as_word.sub(lambda _found: new_name, text)[:most]
            for text, most in zip(texts, longest, strict=True)
        ]
        if new != texts:
            updates.append((*new, key))
    columns = ", ".join(f"{known.get_field(field).column} = %s" for field in fields)
    with connection.cursor() as cursor:
        cursor.executemany(f"UPDATE {known.db_table} SET {columns} WHERE id = %s", updates)  # noqa: S608
    return len(updates)


def replace_in_messages(player: Player, new_name: str) -> int:
    """Replace a player's name in webhook messages; return the number changed."""
    changed = 0
    for row in Delivery.objects.filter(body__contains=f'"id": {player.pk}, "name": '):
        body = json.loads(row.body)
        _rename(body, player.pk, new_name)
        row.body = json.dumps(body, ensure_ascii=False)
        row.save(update_fields=["body"])
        changed += 1
    return changed


def replace_in_reports(player: Player, new_name: str) -> int:
    about = Report.objects.filter(about=About.PLAYER, about_id=player.pk)
    return about.update(about_name=new_name)


def _texts(events: Collection[int], clubs: Collection[int]) -> Iterable[Texts]:
    yield Notice.objects.filter(event__in=events), "at", ("text",)
    yield Correction.objects.filter(pairing__round__event__in=events), "at", ("reason",)
    yield Act.objects.filter(event__in=events), "at", ("reason",)
    yield ScoreLine.objects.filter(pairing__round__event__in=events), "at", ("said",)
    holds = RatingHold.objects.filter(pairing__round__event__in=events)
    yield holds, "made", ("words", "found")
    yield RatingHold.objects.filter(game__isnull=False), "made", ("words", "found")
    yield Announcement.objects.filter(club__in=clubs), "at", ("subject", "text")
    yield SeasonChange.objects.filter(season__club__in=clubs), "at", ("words",)
    yield FairPlayMatter.objects.filter(club__in=clubs), "opened", ("said",)
    yield FairPlayAct.objects.filter(matter__club__in=clubs), "at", ("words",)
    yield Letter.objects.all(), "made", ("subject", "text")


def _rename(value: Any, player_id: int, name: str) -> None:
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
