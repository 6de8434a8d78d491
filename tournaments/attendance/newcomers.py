"""Members whom a director enters at the club night, and taking that back."""

from collections.abc import Sequence
from datetime import datetime

from games.models import Player
from tournaments.changes import row_locks
from tournaments.entering import places_and_waiting_list
from tournaments.entering.conditions import unmet_conditions_for_others
from tournaments.entering.entering import refuse
from tournaments.events import acts
from tournaments.events.notices import note
from tournaments.events.states import UPCOMING
from tournaments.events.timetable import start_in_words
from tournaments.models import Act, Entry, EntryPlayer, Event
from tournaments.models.entries import COMPLETE, PLACED
from tournaments.outbox import letters
from tournaments.refusals import RefusedError


def enter(
    event: Event, people: Sequence[Player], by: Player, now: datetime, *, reason: str = ""
) -> Entry:
    """Enter members before the start, together as one entry, and write to them.

    They get a place, or wait if all are taken; during check-in they are checked in. Registration
    may have closed. Raises RefusedError ``begun``; ``size``, 422, if they are not as many as an
    entry has; ``entered``; or ``conditions`` with what they do not meet.
    """
    with row_locks.changing(event) as locked:
        if locked.state not in UPCOMING:
            state = locked.get_state_display().lower()
            raise RefusedError("begun", f"Nobody can be entered now: the event is {state}.")
        check_people(locked, people)
        entry = places_and_waiting_list.arrive(locked, Entry(event=locked, made=now), now)
        EntryPlayer.objects.bulk_create(
            EntryPlayer(event=locked, entry=entry, player=player, position=position)
            for position, player in enumerate(people)
        )
        note(locked, f"{entry.name}: entered by the director.", by)
        after = {"players": [player.pk for player in people]}
        acts.record(locked, Act.Kind.ENTER, by, now, on=entry, reason=reason, after=after)
        letters.write(
            f"event {locked.pk} entered by director {entry.pk}",
            people,
            f"You are entered in {locked.name}",
            "entered",
            event=locked,
            by=by,
            waiting=entry.state == Entry.State.WAITING,
            starts=start_in_words(locked),
        )
        return entry


def check_people(event: Event, people: Sequence[Player]) -> None:
    """Raise RefusedError if these cannot be entered together; see `enter`."""
    size = event.team_size
    if len(people) != size or len({player.pk for player in people}) != size:
        wanted = "one player" if size == 1 else "two different players"
        raise RefusedError("size", f"An entry in this event is {wanted}.", 422)
    lines = event.entered_players.filter(active=True, player__in=people)
    for line in lines.select_related("player", "entry"):
        state = line.entry.get_state_display().lower()
        there = "is in the event already" if line.entry.state in COMPLETE else state
        raise RefusedError("entered", f"{line.player.name} {there}.")
    refuse([words for player in people for words in unmet_conditions_for_others(event, player)])


def undo(event: Event, act: Act, _by: Player, now: datetime) -> None:
    """Take back an entry that a director made; its place goes to the next on the waiting list."""
    entry = event.entries.filter(acts=act).prefetch_related("players__player").first()
    if event.state not in UPCOMING:
        raise RefusedError("depends", "The event has started with them.")
    if entry is None or entry.state not in COMPLETE:
        raise RefusedError("depends", "They have left the event since.")
    placed = entry.state in PLACED
    entry.delete()
    if placed:
        places_and_waiting_list.promote(event, now)
