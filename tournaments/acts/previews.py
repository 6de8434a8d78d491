"""What an act will change: it is done, compared with before, and rolled back.

So whatever is shown is what happens. The page sends back the digest of what it showed; if the act
would do something else by then, because another director or a table was faster, it is refused.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

from django.db import transaction

from tournaments.changes import row_locks
from tournaments.models import Act, Entry, Event, Pairing, PairingEntry, SitOut
from tournaments.models.entries import PLACED
from tournaments.refusals import RefusedError
from tournaments.results import corrections, event_rows, place_owners
from tournaments.results.match_lines import Team, past_seats, team_of, teams_at
from tournaments.room_scores import card_page
from tournaments.running import steps
from tournaments.standings import ranking
from tournaments.standings.winners import ordinal
from tournaments.times import clock_time

Verb = Callable[[], object]

OPEN = "not decided"
NOT_THERE = "none"
ADDED = "is added"
FALLS_AWAY = "is removed"
SITS_OUT = "sits out"
#: What the seat of an entry in a round begins with.
SEAT = "plays at table"
#: Of so many whose place changes it is told; of one more, too.
MAX_NAMED = 8
#: What the seed of an entry begins with, before the draw.
SEED = "Seed of"
#: The score of a card on which nothing is written.
NO_POINTS = "0–0"
#: What the place of a table begins with.
PLACE = "Place of table"


class Change(NamedTuple):
    """A thing that an act changes, in words; `falls` if a result is taken away.

    before: empty if there is nothing to compare with.
    """

    thing: str
    before: str
    after: str
    falls: bool = False


class Preview(NamedTuple):
    """The changes in the order of the page, and the digest that the form sends back."""

    changes: tuple[Change, ...]

    @property
    def digest(self) -> str:
        return hashlib.sha256(repr(self.changes).encode()).hexdigest()[:16]


def preview(event: Event, verb: Verb) -> Preview:
    """Return what an act changes, without doing it; raises RefusedError as the act does."""
    with row_locks.locked(event):
        before = _picture(event)
        verb()
        after = _picture(event)
        transaction.set_rollback(True)
    return _differences(before, after)


def carry_out(event: Event, verb: Verb, seen: str) -> Act | None:
    """Do an act if it changes what its preview showed, and return its row.

    seen: the digest of what was shown.

    Raises RefusedError ``changed``, and does nothing, if it would change anything else.
    """
    with row_locks.locked(event):
        before = _picture(event)
        verb()
        if _differences(before, _picture(event)).digest != seen:
            raise RefusedError(
                "changed",
                "Something has changed since this page was shown, so this would do something else."
                " Nothing was done: look at it again.",
            )
        return event.acts.order_by("-pk").first()


class _Picture(NamedTuple):
    """An event as members see it; `mixed`: some of its tables are online and some in the room."""

    things: dict[str, str]
    places: dict[int, int]
    names: dict[int, str]
    mixed: bool


def _differences(before: _Picture, after: _Picture) -> Preview:
    changes = []
    seeds = [{one for one in picture.things if one.startswith(SEED)} for picture in (before, after)]
    if seeds[0] != seeds[1]:  # with others in it all move
        before, after = (
            one._replace(things={k: v for k, v in one.things.items() if not k.startswith(SEED)})
            for one in (before, after)
        )
    for thing in dict.fromkeys([*before.things, *after.things]):
        was, now = (one.things.get(thing, NOT_THERE) for one in (before, after))
        if was != now and not _goes_without_saying(thing, was, now, before):
            changes.append(_change(thing, was, now))
    last = max(after.places.values(), default=0)
    moved = [
        (
            before.things.get(after.names[entry]) == after.things.get(after.names[entry]),
            place,
            entry,
        )
        for entry, place in after.places.items()
        if before.places.get(entry, place) != place
    ]
    named = len(moved) if len(moved) <= MAX_NAMED + 1 else MAX_NAMED
    for _stays, place, entry in sorted(moved)[:named]:
        new = "last" if place == last else ordinal(place)
        changes.append(Change(f"Place of {after.names[entry]}", ordinal(before.places[entry]), new))
    if len(moved) > named:
        changes.append(Change(f"Places of {len(moved) - named} others", "", "change, too"))
    return Preview(tuple(changes))


def _goes_without_saying(thing: str, was: str, now: str, picture: _Picture) -> bool:
    """Return whether a change is no news: the place of a table that comes, an empty card.

    Who plays at a table is in its seats: an entry's own line is for those who sit out.
    """
    if SITS_OUT not in (was, now) and (was.startswith(SEAT) or now.startswith(SEAT)):
        return True
    if thing.startswith(PLACE):
        return not picture.mixed and NOT_THERE in (was, now)
    return {was, now} == {NOT_THERE, NO_POINTS}


def _change(thing: str, was: str, now: str) -> Change:
    of_table = ", table " in thing and "seats" not in thing
    was = "sat out" if was == SITS_OUT else was
    if was == NOT_THERE:
        return Change(thing, "", ADDED if now == OPEN else now)
    if of_table and was != OPEN and now in (OPEN, NOT_THERE):
        return Change(thing, was, now, falls=True)
    if now == NOT_THERE:
        return Change(thing, "" if was == OPEN else was, FALLS_AWAY)
    return Change(thing, was, now)


def _picture(event: Event) -> _Picture:
    """Return what members see of an event: who plays, the rounds, tables, results, standings."""
    event = Event.objects.select_related("club").get(pk=event.pk)
    entries = event_rows.with_players(event.entries.order_by("arrival", "pk"))
    teams = {entry.pk: team_of(entry) for entry in entries}
    names = {entry: team.name for entry, team in teams.items()}
    things = {"Event": "paused" if event.paused else event.get_state_display().lower()}
    things |= {names[entry.pk]: _state(event, entry) for entry in entries}
    if not event.started:
        there = [entry for entry in entries if entry.state in PLACED]
        seeds = [entry for entry in steps.seeded(event, there) if not entry.house]
        things |= {f"{SEED} {names[one.pk]}": ordinal(at) for at, one in enumerate(seeds, start=1)}
    for round_ in event.played_rounds.order_by("number"):
        things[f"Round {round_.number}"] = "over" if round_.over else "being played"
        ends = clock_time(round_.ends, event.club.zone) if round_.ends else "no limit"
        things[f"End of round {round_.number}"] = ends
    things |= _tables(event, teams, event.club.zone)
    owners = place_owners.teams_by_owner(event, teams)
    places = {}
    for line in ranking.standings_of(event).lines if event.started else ():
        places[line.entry.pk] = line.place
        score = f"{line.won} won, {line.points_for} points"
        things[f"{owners[line.entry.pk].name}: standings"] = score
    return _Picture(things, places, names, event.place == Event.Place.MIXED)


def _state(event: Event, entry: Entry) -> str:
    plays = event.started and entry.state != Entry.State.WITHDRAWN
    return "plays" if plays else entry.get_state_display().lower()


def _tables(event: Event, teams: dict[int, Team], zone: ZoneInfo) -> dict[str, str]:
    things: dict[str, str] = {}
    rows = list(
        Pairing.objects.filter(round__event=event)
        .select_related("round")
        .order_by("round__number", "number")
    )
    hidden = event_rows.sealed_tables(rows) if event.first_stage.duplicate else set()
    lines = PairingEntry.objects.filter(round__event=event).order_by("side", "position")
    sides: dict[int, tuple[list[str], list[str]]] = {}
    past = past_seats(event)
    there = {row.pk: teams_at(row, teams, past) for row in rows}
    at = {row.pk: (row.round.number, row.number) for row in rows}
    for pairing, side, entry in lines.values_list("pairing", "side", "entry"):
        sides.setdefault(pairing, ([], []))[side].append(there[pairing][entry].name)
        round_, table = at[pairing]
        things[f"Round {round_}: {teams[entry].name}"] = f"{SEAT} {table}"
    cards = {match: one.card.points for match, one in card_page.states_of(event, rows).items()}
    for row in rows:
        where = f"Round {row.round.number}, table {row.number}"
        both = sides.get(row.pk, ([], []))
        things[f"{where}, seats"] = " – ".join(" & ".join(side) for side in both)
        place = "in the room" if row.in_room else "online"
        things[f"{PLACE} {row.number} in round {row.round.number}"] = place
        if row.table_id in hidden:
            things[where] = "sealed"
        elif row.state == Pairing.State.DECIDED:
            things[where] = corrections.in_words(_values(row))
        else:
            things[where] = OPEN
            if row.more_minutes and row.ends:
                more = f"{row.more_minutes} minutes, until {clock_time(row.ends, zone)}"
                things[f"More time at table {row.number} of round {row.round.number}"] = more
            if row.pk in cards:
                things[f"{where}, score so far"] = f"{cards[row.pk][0]}–{cards[row.pk][1]}"
    out = SitOut.objects.filter(round__event=event).order_by("round__number", "entry")
    for number, entry in out.values_list("round__number", "entry"):
        things[f"Round {number}: {teams[entry].name}"] = SITS_OUT
    return things


def _values(row: Pairing) -> dict[str, Any]:
    return {"winner": row.winner, "points": row.points, "how": row.how}
