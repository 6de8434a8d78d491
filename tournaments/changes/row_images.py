"""Rows as an act found and left them, stored with the act so that its undo can restore them.

The rows of an event are compared before and after the act, so no verb says what it changes.
"""

from __future__ import annotations

import json
import operator
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime, timedelta
from functools import reduce
from typing import Any, Final
from uuid import UUID

from django.apps import apps
from django.db.models import Model, Q, QuerySet, TextField
from django.db.models.functions import Cast

from games.models import Game
from tournaments.changes import row_locks
from tournaments.models import (
    Act,
    Correction,
    Entry,
    EntryPlayer,
    Event,
    Pairing,
    PairingEntry,
    RatingHold,
    Round,
    ScoreLine,
    SitOut,
    Substitution,
    WalkIn,
)
from tournaments.refusals import RefusedError

#: A row with its values before and after: all of them if it was removed, else those that changed.
#: Before it was added it is None, and so it is after it was removed.
Image = dict[str, Any]
Rows = dict[tuple[str, str], dict[str, Any]]
#: The rows of an event, and of its latest round, each after those that it needs, with the path.
OF_EVENT: Final[Mapping[type[Model], str]] = {
    Entry: "event", EntryPlayer: "event", Substitution: "entry__event", WalkIn: "event",
}  # fmt: skip
OF_ROUND: Final[Mapping[type[Model], str]] = {
    Round: "", Pairing: "round__", PairingEntry: "round__", SitOut: "round__",
    Correction: "pairing__round__", ScoreLine: "pairing__round__", RatingHold: "pairing__round__",
}  # fmt: skip
#: What play goes on to change, and other undos: it is restored, but keeps no act from being undone.
MOVING: Final = ("time_up", "director_called", "objection_answered", "table_id")


@contextmanager
def changing(event: Event) -> Iterator[Event]:
    """Do as `row_locks.changing`, and keep what changes with the act that is recorded meanwhile."""
    with row_locks.changing(event) as locked:
        latest = locked.played_rounds.order_by("number").last()
        games = Game.objects.filter(table__pairing__round=latest) if latest else Game.objects.none()
        number, games_of = latest.number if latest else 1, list(games.values_list("pk", flat=True))
        last_act = locked.acts.order_by("-pk").values_list("pk", flat=True).first() or 0
        before = _rows(locked, number, games_of, last_act)
        yield locked
        act = locked.acts.filter(pk__gt=last_act).order_by("pk").first()
        if act is not None:
            images = _differences(before, _rows(locked, number, games_of, last_act))
            act.kept |= {"images": images, "paused_for": locked.paused_for.total_seconds()}
            act.save(update_fields=["kept"])


def _rows(event: Event, number: int, games: Sequence[UUID], last_act: int) -> Rows:
    """Return the rows of an event, its rounds from a number on, some games, and acts up to one."""
    found: Rows = {}

    def add(model: type[Model], *columns: str, **lookups: Any) -> None:
        for values in model._meta.base_manager.filter(**lookups).order_by("pk").values(*columns):
            found[model._meta.label, str(values["id"])] = values

    add(Event, "id", "cut_to", "bracket_by_hand", pk=event.pk)
    for model, path in OF_EVENT.items():
        add(model, **{path: event})
    for model, path in OF_ROUND.items():
        add(model, **{f"{path}event": event, f"{path}number__gte": number})
    add(Game, "id", "ruling", pk__in=games)
    add(Act, "id", "round_id", "pairing_id", "entry_id", event=event, pk__lte=last_act)
    return found


def _differences(before: Rows, after: Rows) -> list[Image]:
    images = []
    for key in dict.fromkeys([*before, *after]):
        was, now = before.get(key), after.get(key)
        if was and now:
            names = {name for name in was if was[name] != now[name]}
            if not names:
                continue
            if "table_id" in names:  # whoever is called there may begin
                names.add("state")
            was, now = ({name: one[name] for name in names} for one in (was, now))
        images.append({"model": key[0], "pk": key[1], "before": was, "after": now if was else {}})
    stored: list[Image] = _stored(images)
    return stored


def _stored(values: Any) -> Any:
    """Return values of rows as JSON has them."""
    return json.loads(json.dumps(values, default=str))


def of_model(kept: Mapping[str, Any], model: type[Model]) -> dict[str, Image]:
    """Return the images of a model's rows, by their keys as text."""
    images = kept.get("images", ())
    return {image["pk"]: image for image in images if image["model"] == model._meta.label}


def acts_with_rows(
    acts: QuerySet[Act], rows_text: Q
) -> Iterator[tuple[Act, list[tuple[type[Model], Image, dict[str, Any]]]]]:
    """Yield acts that have kept such rows, each with model, image and values, to be changed.

    rows_text: a condition on `rows_text`, the JSON of what an act has kept.
    """
    for act in acts.alias(rows_text=Cast("kept", TextField())).filter(rows_text):
        yield (
            act,
            [
                (apps.get_model(image["model"]), image, values)
                for image in act.kept.get("images", ())
                for values in (image["before"], image["after"])
                if values
            ],
        )


def with_words(words: str) -> Q:
    """Return the condition on `rows_text` that words are in it, however a database writes JSON."""
    written = (json.dumps(words, ensure_ascii=ascii_only)[1:-1] for ascii_only in (True, False))
    return reduce(operator.or_, (Q(rows_text__contains=one) for one in written))


def restore(event: Event, kept: Mapping[str, Any], changed: str) -> None:
    """Restore the rows of an act out of what it has kept; its event must be locked.

    Raises RefusedError ``depends`` with the words `changed` if a value is not as the act left it;
    ``final`` if nothing was kept, as before rows were kept with acts.
    """
    if "images" not in kept:
        raise RefusedError("final", "An older version of this site did it and kept no way back.")
    images = [(apps.get_model(one["model"]), one) for one in reversed(kept["images"])]
    added, removed = defaultdict(list), defaultdict(list)
    for model, image in images:
        if image["before"] is None:
            added[model].append(image["pk"])
        elif image["after"] is None:
            removed[model].append(model(**image["before"]))
    for model, keys in added.items():
        model._meta.base_manager.filter(pk__in=keys).delete()
    for model, image in images:
        if image["before"] and image["after"]:
            _restore(event, model, image, kept["paused_for"], changed)
    for model, rows in reversed(removed.items()):
        model._meta.base_manager.bulk_create(rows)


def _restore(
    event: Event, model: type[Model], image: Image, paused_for: float, changed: str
) -> None:
    """Restore the values of a row that an act has changed."""
    before, after = image["before"], image["after"]
    if model is Round:
        _restore_times(event, Round.objects.get(pk=image["pk"]), before, after, paused_for)
        return
    rows = model._meta.base_manager.filter(pk=image["pk"])
    now = _stored(rows.values(*after).first())
    if now is None and model in OF_ROUND and not _is_drawn_again(event):
        return  # its round has been taken back
    if now is None or any(now.get(name) != after[name] for name in after if name not in MOVING):
        raise RefusedError("depends", changed)
    rows.update(**before)


def _is_drawn_again(event: Event) -> bool:
    return event.acts.filter(kind=Act.Kind.REDRAW, undone_by=None).exists()


def _restore_times(
    event: Event, round_: Round, before: Image, after: Image, paused_for: float
) -> None:
    """Give a round the times back that an act moved, unless others were called since.

    Pauses since then have moved them too.
    """
    was, left = (
        {name: at and datetime.fromisoformat(at) for name, at in one.items()}
        for one in (before, after)
    )
    pause = event.paused_for - timedelta(seconds=paused_for)
    if "called" not in was or round_.called == left["called"] + pause:
        if "called" in was:
            round_.called = was["called"] + pause
        if "ends" in was:
            moved = left["ends"] - was["ends"] if was["ends"] and left["ends"] else None
            round_.ends = round_.ends - moved if round_.ends and moved else was["ends"]
    if "over" in was and not round_.pairings.exclude(state=Pairing.State.DECIDED).exists():
        round_.over = was["over"]
    round_.save(update_fields=["called", "ends", "over"])
