"""Members and walk-ins whom a director enters, before the start or late; taking that back."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from django.db.models import Max

from games.models import Player
from tournaments.attendance import walk_ins
from tournaments.changes import row_images
from tournaments.entering import places_and_waiting_list
from tournaments.entering.conditions import unmet_conditions_for_others
from tournaments.entering.entering import refuse
from tournaments.entering.leaving_running_event import must_go_on
from tournaments.events import acts
from tournaments.events.notices import note
from tournaments.events.states import UPCOMING
from tournaments.events.timetable import start_in_words
from tournaments.models import Act, Entry, EntryPlayer, Event, ListedName
from tournaments.models.entries import COMPLETE
from tournaments.outbox import letters
from tournaments.refusals import RefusedError
from tournaments.results import event_rows, place_owners
from tournaments.results.place_owners import SeatKey
from tournaments.standings import conflicts_of_interest, draws, ranking


def enter(
    event: Event,
    people: Sequence[Player | ListedName | str],
    by: Player,
    now: datetime,
    *,
    reason: str = "",
) -> Entry:
    """Enter people, together as one entry: members, people on the club's list, or new names.

    Before the start they get a place, or wait if all are taken, and a letter; during check-in they
    are checked in. Registration may have closed. While the event is running they are let in late:
    see `why_not_late`. Raises RefusedError ``begun``; ``size``, 422, if they are not as many as an
    entry has; ``entered``; ``conditions`` with what they do not meet; or as `walk_ins.made`.
    """
    with row_images.changing(event) as locked:
        if locked.state == Event.State.RUNNING:
            return _let_in_late(locked, walk_ins.made(locked, people), by, now, reason)
        if locked.state not in UPCOMING:
            state = locked.get_state_display().lower()
            raise RefusedError("begun", f"Nobody can be entered now: the event is {state}.")
        players = walk_ins.made(locked, people)
        check_people(locked, players)
        entry = places_and_waiting_list.arrive(locked, Entry(event=locked, made=now), now)
        _seat(entry, players)
        note(locked, f"{entry.name}: entered by the director.", by)
        after = {"players": [player.pk for player in players]}
        acts.record(locked, Act.Kind.ENTER, by, now, on=entry, reason=reason, after=after)
        letters.write(
            f"event {locked.pk} entered by director {entry.pk}",
            players,
            f"You are entered in {locked.name}",
            "entered",
            event=locked,
            by=by,
            waiting=entry.state == Entry.State.WAITING,
            starts=start_in_words(locked),
        )
        return entry


def _seat(entry: Entry, people: Sequence[Player]) -> None:
    EntryPlayer.objects.bulk_create(
        EntryPlayer(event=entry.event, entry=entry, player=player, position=position)
        for position, player in enumerate(people)
    )


# Late entry --------------------------------------------------------------------------------


def why_not_late(event: Event) -> str:
    """Return why nobody can be let into a running event any more; empty if they can."""
    if event.first_stage.no_late_entry:
        name = event.first_stage.name
        return f"{name}: nobody can be let in late. {event.first_stage.no_late_entry}"
    drawn = event.played_rounds.count()
    field = ranking.field_of(event, unfinished=True)
    if draws.first_stage_over(field):
        last = "of its first stage " if event.second_stage else ""
        return f"The last round {last}has been drawn: nobody can join any more."
    inside = event_rows.still_in(field.entries)
    if len(inside) >= event.capacity:
        return f"All {event.capacity} places are taken."
    if drawn and len(field.entries) >= event.first_stage.most_entries:
        return f"{event.first_stage.name} has at most {event.first_stage.most_entries} entries."
    return ""


def _let_in_late(
    event: Event, people: Sequence[Player], by: Player, now: datetime, reason: str
) -> Entry:
    """Let people in from the next round to be drawn.

    Those who had entered and did not come, or were on the waiting list, get that entry back. The
    number of rounds stays as it was for those who started.
    """
    must_go_on(event)
    conflicts_of_interest.check_newcomers(event, people, by)
    if why := why_not_late(event):
        raise RefusedError("too late", why)
    entry = _unused_entry(event, people)
    if entry is None:
        check_people(event, people)
    started = event.entries.filter(seed__isnull=False)
    last = started.aggregate(seed=Max("seed"), lot=Max("lot"))
    arrival = entry and entry.arrival
    values: dict[str, Any] = {
        "seed": (last["seed"] or 0) + 1,
        "lot": (last["lot"] or 0) + 1,
        "arrival": arrival or places_and_waiting_list.place_counts(event).last + 1,
        "state": Entry.State.CHECKED_IN,
        "here": False,
        "first_round": event.played_rounds.count() + 1,
    }
    before: dict[str, Any] = {"length": event.rounds}
    if event.rounds is None:
        event.rounds = event.first_stage.wanted_rounds(event, started.count())
        event.save(update_fields=["rounds"])
    if entry is None:
        entry = Entry.objects.create(event=event, made=now, **values)
        _seat(entry, people)
    else:
        for name, value in values.items():
            setattr(entry, name, value)
        entry.save(update_fields=list(values))
    note(event, f"{entry.name}: let in from round {entry.first_round}.", by)
    after = {"players": [player.pk for player in people]}
    acts.record(event, Act.Kind.LATE, by, now, on=entry, reason=reason, before=before, after=after)
    return entry


def _unused_entry(event: Event, people: Sequence[Player]) -> Entry | None:
    """Return the entry of these people that the event has started without, if there is one."""
    entries = event.entries.filter(
        seed=None, house=False, state__in=(Entry.State.WAITING, Entry.State.NO_SHOW)
    )
    wanted = {player.pk for player in people}
    for entry in entries.filter(players__player__in=wanted).distinct():
        if {line.player_id for line in entry.players.all()} == wanted:
            return entry
    return None


# Conditions --------------------------------------------------------------------------------


def check_people(event: Event, people: Sequence[Player]) -> None:
    """Raise RefusedError if these cannot be entered together; see `enter`."""
    size = event.team_size
    if len(people) != size or len({player.pk for player in people}) != size:
        wanted = "one player" if size == 1 else "two different players"
        raise RefusedError("size", f"An entry in this event is {wanted}.", 422)
    check_each(event, people)


def check_each(event: Event, people: Sequence[Player], *, seat: SeatKey | None = None) -> None:
    """Raise RefusedError if one of these is in the event or does not meet its conditions.

    Who owns a place that a substitute has taken over is in it too, but can take that seat back.
    """
    lines = event.entered_players.filter(active=True, player__in=people)
    for line in lines.select_related("player", "entry"):
        state = line.entry.get_state_display().lower()
        there = "is in the event already" if line.entry.state in COMPLETE else state
        raise RefusedError("entered", f"{line.player.name} {there}.")
    owned = place_owners.first_players(event)
    for owner in (player for at, player in owned.items() if player in people and at != seat):
        words = f"{owner.name} has a place in this event that a substitute plays in now."
        raise RefusedError("entered", words)
    members = [player for player in people if player.user_id is not None]
    refuse([words for player in members for words in unmet_conditions_for_others(event, player)])
