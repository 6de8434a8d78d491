"""Entering an event alone, checking in and withdrawing; `partners` is for pairs.

Each action locks the event, so that concurrent entries never exceed the places, and the others wait
in order of arrival.
"""

from datetime import datetime

from games.models import Player
from tournaments.changes.row_locks import changed, with_event_lock
from tournaments.entering import leaving_running_event
from tournaments.entering.conditions import reasons_before_entering
from tournaments.entering.places_and_waiting_list import arrive, full_now, players_of, promote
from tournaments.events.notices import note
from tournaments.events.states import UPCOMING
from tournaments.events.timetable import check_in_opens, checking_in
from tournaments.models import Entry, EntryPlayer, Event
from tournaments.models.entries import COMPLETE, INCOMPLETE, PLACED
from tournaments.outbox import letters
from tournaments.refusals import RefusedError
from tournaments.times import local_time_in_words


def entry_of(event: Event, player: Player | None) -> Entry | None:
    """Return a player's entry with its players, complete or not, or None."""
    if player is None:
        return None
    mine = event.entries.filter(players__player=player, players__active=True)
    return mine.select_related("invited").prefetch_related("players__player").first()


@with_event_lock
def register(event: Event, player: Player, now: datetime) -> Entry:
    """Enter a player alone, with a place or on the waiting list; safe to repeat.

    Raises RefusedError ``partner`` if the event is for pairs, ``conditions`` with the reasons.
    """
    entry = entry_of(event, player)
    if entry is not None and entry.state in COMPLETE:
        return entry
    if event.team_size > 1:
        raise RefusedError("partner", "This event is for pairs: ask a partner first.")
    refuse(reasons_before_entering(event, player, now))
    entry = arrive(event, Entry(event=event, made=now), now)
    EntryPlayer.objects.create(event=event, entry=entry, player=player)
    changed(event)
    return entry


@with_event_lock
def check_in(event: Event, player: Player, now: datetime) -> Entry:
    """Check in a player and their partner; raise RefusedError ``not entered`` or ``not now``."""
    entry = entry_of(event, player)
    if entry is None or entry.state not in COMPLETE:
        raise RefusedError("not entered", f"{player.name} is not entered in this event.")
    if event.state not in UPCOMING or now >= event.starts:
        raise RefusedError("not now", "Check-in is over.")
    if not event.check_in_minutes:
        words = "This event has no check-in: everybody who has entered plays."
        raise RefusedError("not now", words)
    if not checking_in(event, now):
        opens = local_time_in_words(check_in_opens(event), event.club.zone)
        raise RefusedError("not now", f"Check-in opens on {opens}.")
    if entry.state == Entry.State.ENTERED:
        entry.state = Entry.State.CHECKED_IN
    elif entry.state == Entry.State.WAITING:
        entry.here = True
    entry.save(update_fields=["state", "here"])
    changed(event)
    return entry


@with_event_lock
def withdraw(event: Event, player: Player, now: datetime) -> None:
    """Withdraw a player, and their partner if they have one.

    Before the start the place goes to the first entry on the waiting list, and an entry without a
    partner is deleted. After the start the entry stays in the standings. Raises RefusedError
    ``not entered``; ``not playing`` if it started without them or they have left; or ``over``.
    """
    entry = entry_of(event, player)
    if entry is None:
        raise RefusedError("not entered", f"{player.name} is not entered in this event.")
    if event.state == Event.State.RUNNING and entry.state in PLACED:
        leaving_running_event.withdraw(entry, player, now)
        _tell_partner(event, entry, player, "partner_left_later", now)
    elif event.state == Event.State.RUNNING:
        raise RefusedError("not playing", f"{player.name} does not play in this event.")
    elif event.state not in UPCOMING:
        words = event.get_state_display().lower()
        raise RefusedError("over", f"The event is {words}; it is too late to withdraw.")
    elif entry.state in INCOMPLETE:
        entry.delete()
    else:
        # This frees its place, or its position on the waiting list.
        entry.state = Entry.State.WITHDRAWN
        entry.save(update_fields=["state"])
        entry.players.update(active=False)
        note(event, f"{entry.name}: withdrawn before the start.", player)
        promote(event, now)
        _tell_partner(event, entry, player, "partner_left", now)
    changed(event)


def refuse(reasons: list[str]) -> None:
    """Raise RefusedError ``conditions`` with all reasons, if any."""
    if reasons:
        raise RefusedError("conditions", " ".join(reasons))


def _tell_partner(event: Event, entry: Entry, player: Player, template: str, now: datetime) -> None:
    """Write to the partner of a player who withdrew both; `now` keeps the letter's key unique."""
    letters.write(
        f"event {event.pk} left {entry.pk} {now:%Y%m%d%H%M%S}",
        [other for other in players_of(entry) if other.pk != player.pk],
        f"{player.name} has withdrawn: {event.name}",
        template,
        event=event,
        who=player,
        full=full_now(event),
    )
