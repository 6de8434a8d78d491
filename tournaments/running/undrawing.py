"""A round that is taken away, and put back as it was.

Everything that hangs on a round is kept as plain values: its matches, seats, sit-outs,
corrections and score cards, what its games count for, and what players had missed. Whoever is to
be drawn next is computed from what is left, as for any round.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, Final, NamedTuple

from django.core import serializers
from django.db.models import Exists, OuterRef, QuerySet

from games.models import Game
from games.records import performances
from games.seats import reserved
from tournaments.events import acts
from tournaments.models import (
    Act,
    Correction,
    Entry,
    Event,
    Pairing,
    PairingEntry,
    RatingHold,
    Round,
    ScoreLine,
    SitOut,
    Substitution,
)
from tournaments.results import corrections
from tournaments.room_scores.codes import codes_of
from tournaments.running import steps

#: What a draw changes of entries.
_OF_ENTRIES = ("state", "missed", "warned", "qualified", "first_round")
#: The rows that are deleted with a round, each after those that it needs, with the path to it.
OF_ROUND: Final[Sequence[tuple[QuerySet[Any], str]]] = (
    (Pairing.objects.all(), "round"),
    (PairingEntry.objects.all(), "round"),
    (SitOut.objects.all(), "round"),
    (Correction.objects.all(), "pairing__round"),
    (ScoreLine.objects.all(), "pairing__round"),
    (RatingHold.objects.all(), "pairing__round"),
)


class Standing(NamedTuple):
    """A match at which something stands: its table, and its result in words if it has one."""

    table: int
    result: str


def standing(round_: Round) -> list[Standing]:
    """Return the matches of a round that are decided or have begun."""
    written = Exists(ScoreLine.objects.filter(pairing=OuterRef("pk")))
    rows = round_.pairings.annotate(written=written).order_by("number")
    found = []
    for match in rows:
        if match.state == Pairing.State.DECIDED:
            values = {"winner": match.winner, "points": match.points, "how": match.how}
            found.append(Standing(match.number, corrections.in_words(values)))
        elif match.written or (match.state == Pairing.State.PLAYING and not match.in_room):
            found.append(Standing(match.number, ""))
    return found


def remove(event: Event, round_: Round, now: datetime) -> dict[str, Any]:
    """Take the latest round away and return all of it for `restore`; the event must be locked.

    Its tables close, and nothing played there counts.
    """
    pairings = list(round_.pairings.order_by("number"))
    kept = _kept(event, round_)
    for match in pairings:
        if match.table_id is not None:
            reserved.end(match.table_id, now)
        corrections.count_nothing(event, match)
    tables = [match.table_id for match in pairings if match.table_id is not None]
    round_.delete()
    # Whoever takes a seat now comes after those who had it in this round.
    left = _seats_left(event).filter(until__gte=round_.number)
    left.update(until=round_.number - 1)
    reserved.open_deals(tables)
    event.final_at, event.due = None, now
    event.save(update_fields=["final_at", "due"])
    return kept


def _kept(event: Event, round_: Round) -> dict[str, Any]:
    hanging = (
        row for rows_of, path in OF_ROUND for row in rows_of.filter(**{path: round_}).order_by("pk")
    )
    rows = [round_, *hanging]
    games = Game.objects.filter(table__pairing__round=round_)
    done = Act.objects.filter(round=round_).order_by("pk")
    return {
        "number": round_.number,
        "rows": json.loads(serializers.serialize("json", rows)),
        "rulings": [[str(pk), ruled] for pk, ruled in games.values_list("pk", "ruling")],
        "acts": [list(one) for one in done.values_list("pk", "pairing")],
        "entries": [list(one) for one in event.entries.values_list("pk", *_OF_ENTRIES)],
        "seats_left": [list(one) for one in _seats_left(event).values_list("pk", "until")],
        "cut_to": event.cut_to,
    }


def _seats_left(event: Event) -> QuerySet[Substitution]:
    return Substitution.objects.filter(entry__event=event)


def _leave_seats_again(event: Event, kept: Mapping[str, Any]) -> None:
    for pk, until in kept.get("seats_left", ()):  # not kept before there were substitutes
        _seats_left(event).filter(pk=pk).update(until=until)


def who_left(event: Event, kept: Mapping[str, Any]) -> list[Entry]:
    """Return the entries that have left, or come back, since a round was taken away."""
    were = {values[0]: values[1] for values in kept["entries"]}
    entries = event.entries.prefetch_related("players__player")
    return [one for one in entries if were.get(one.pk, one.state) != one.state]


def restore(event: Event, kept: Mapping[str, Any], now: datetime) -> Round:
    """Put a round back as `remove` has found it; the event must be locked.

    Matches that were not decided are called anew.
    """
    for row in serializers.deserialize("python", kept["rows"]):
        row.save()
    round_ = event.played_rounds.get(number=kept["number"])
    for pk, pairing in kept["acts"]:
        Act.objects.filter(pk=pk).update(round=round_, pairing=pairing)
    _leave_seats_again(event, kept)
    _count_again(event, round_.pairings.all(), dict(kept["rulings"]))
    _call_again(event, round_, now)
    in_room = round_.pairings.filter(in_room=True)
    codes_of(event, list(in_room.values_list("number", flat=True)))
    for pk, *values in kept["entries"]:
        event.entries.filter(pk=pk).update(**dict(zip(_OF_ENTRIES, values, strict=False)))
    event.cut_to, event.due = kept["cut_to"], now
    event.save(update_fields=["cut_to", "due"])
    return round_


def keep_match(event: Event, match: Pairing) -> dict[str, Any]:
    """Return a match with its result for `restore_match`."""
    games = Game.objects.filter(table=match.table_id)
    return {
        "rows": json.loads(serializers.serialize("json", [match])),
        "rulings": [[str(pk), ruled] for pk, ruled in games.values_list("pk", "ruling")],
        "absences": absences_of(match),
        "over": acts.moment(match.round.over),
        "times": times_of(event, match.round),
        "seats": seats_of(match),
        "seats_left": [list(one) for one in _seats_left(event).values_list("pk", "until")],
    }


def seats_of(match: Pairing) -> list[list[int]]:
    """Return who sits where at a match, as acts store it."""
    lines = match.entries.order_by("side", "position")
    return [list(one) for one in lines.values_list("side", "position", "entry")]


def absences_of(match: Pairing) -> list[list[Any]]:
    """Return the entries of a match with their missed rounds and warnings, as acts store them."""
    entries = Entry.objects.filter(pairings__pairing=match)
    return [list(one) for one in entries.values_list("pk", "missed", "warned")]


def restore_absences(kept: Mapping[str, Any]) -> None:
    for pk, missed, warned in kept.get("absences", ()):
        Entry.objects.filter(pk=pk).update(missed=missed, warned=warned)


def times_of(event: Event, round_: Round) -> list[Any]:
    """Return when a round was called and ends, and the seconds of pauses, as acts store them."""
    times = acts.moment(round_.called), acts.moment(round_.ends)
    return [*times, event.paused_for.total_seconds()]


def _restore_times(event: Event, round_: Round, kept: Mapping[str, Any]) -> None:
    """Give a round the times back that playing a match again moved, unless others were called."""
    if "times_then" not in kept:  # not kept before times were restored
        return
    called, ends, paused = kept["times"]
    called_then, ends_then, _paused = kept["times_then"]
    pause = event.paused_for - timedelta(seconds=paused)
    if round_.called != datetime.fromisoformat(called_then) + pause:
        return
    round_.called = datetime.fromisoformat(called) + pause
    if round_.ends is not None and ends and ends_then:
        round_.ends -= datetime.fromisoformat(ends_then) - datetime.fromisoformat(ends)
    round_.save(update_fields=["called", "ends"])


def restore_match(event: Event, match: Pairing, kept: Mapping[str, Any]) -> None:
    """Give a match back the result that `keep_match` has kept; the event must be locked."""
    for row in serializers.deserialize("python", kept["rows"]):
        row.save()
    _leave_seats_again(event, kept)
    _count_again(event, Pairing.objects.filter(pk=match.pk), dict(kept["rulings"]))
    restore_absences({"absences": kept.get("entries", ()), **kept})
    round_ = match.round
    _restore_times(event, round_, kept)
    if kept["over"] and not round_.pairings.exclude(state=Pairing.State.DECIDED).exists():
        round_.over = datetime.fromisoformat(kept["over"])
        round_.save(update_fields=["over"])


def _count_again(event: Event, matches: QuerySet[Pairing], rulings: Mapping[str, Any]) -> None:
    """Let the games of decided matches count as they did."""
    for match in matches.filter(state=Pairing.State.DECIDED).select_related("round"):
        result = corrections.result_of(event, match)
        corrections.count(event, match, corrections.ruling_of(result))
    for game in Game.objects.filter(table__pairing__in=matches, pk__in=rulings):
        if game.ruling != rulings[str(game.pk)]:
            game.ruling = rulings[str(game.pk)]
            game.save(update_fields=["ruling"])
            performances.settle(game)


def _call_again(event: Event, round_: Round, now: datetime) -> None:
    """Call the players of matches online that are not decided, with the time of a whole round."""
    undecided = round_.pairings.filter(in_room=False).exclude(state=Pairing.State.DECIDED)
    matches = list(undecided.select_related("round").order_by("number"))
    for match in matches:
        match.state, match.table, match.time_up = Pairing.State.CALLED, None, ""
        match.save(update_fields=["state", "table", "time_up"])
        steps.open_again(event, match)
    if not matches:
        return
    at = event.paused or now
    round_.called = at
    if round_.ends is not None and event.round_minutes:
        round_.ends = max(round_.ends, at + timedelta(minutes=event.round_minutes))
    round_.save(update_fields=["called", "ends"])
