"""Setting up events: defaults, publishing, and which settings may be changed when."""

from datetime import date, datetime, time, timedelta
from typing import Final

from django.db import transaction

from games.engine.rules import CLASSIC_24, rules_to_data
from games.models import Player
from tournaments.changes.row_locks import changed, with_event_lock
from tournaments.entering.places_and_waiting_list import place_counts, players_of, promote
from tournaments.events import repeating, states
from tournaments.events.notices import note
from tournaments.events.states import UPCOMING, Who
from tournaments.events.timetable import scheduled_start, start_in_words, state_at
from tournaments.formats.registry import FORMATS
from tournaments.models import Club, Event
from tournaments.models.entries import COMPLETE, INCOMPLETE
from tournaments.outbox import letters
from tournaments.refusals import RefusedError
from tournaments.running.before_start import follow_times, set_due
from tournaments.standings import conflicts_of_interest

State = Event.State

EVENING: Final = time(19, 30)
CAPACITY: Final = 32
FORMAT: Final = "rotation"
CHECK_IN: Final = 15  # minutes

#: The settings of an event, by when they can be changed.
TEXTS: Final = frozenset({"name", "about", "venue", "address"})
PACE: Final = frozenset(
    {
        "round_minutes", "time_up", "break_seconds", "turn_seconds", "no_show", "no_show_minutes",
        "withdraw_absent", "delayed",
    }
)  # fmt: skip
#: Settings of the pace that also affect the round being played.
PLAY_TIME: Final = frozenset({"time_up", "no_show", "no_show_minutes", "withdraw_absent"})
TIMES_AND_SIZE: Final = frozenset(
    {
        "starts", "registration_closes", "check_in_minutes", "recurrence", "no_event_on",
        "capacity", "minimum", "rounds", "cycles", "place", "room_from", "ties",
    }
)  # fmt: skip
AS_ANNOUNCED: Final = frozenset(
    {
        "rules_data", "format", "movement", "second_stage", "qualifiers", "third_place", "match",
        "deals", "final_match", "final_deals", "scoring", "tie_breaks", "sit_out",
        "credit_half_wins", "late_half_wins", "rated", "house_prizes",
        "members_only", "min_rating", "max_rating", "min_games", "registration_opens",
        "currency", "entry_money", "club_share", "lone_pot", "euchre_pot", "prizes",
    }
)  # fmt: skip
#: Changes that are not in the letter to those who have entered: a new start has its own letter,
#: and a series does not concern them.
NOT_MAILED: Final = frozenset({"starts", "recurrence", "no_event_on"})
#: Words for settings whose names are not words.
SETTING_LABELS: Final = {
    "rules_data": "rules",
    "room_from": "first table in the room",
    "deals": "hands of a match",
    "scoring": "score of a deal",
    "final_deals": "hands of the final",
    "about": "description",
    "venue": "name of the place",
    "address": "address of the place",
    "starts": "start",
    "late_half_wins": "worth of a round missed",
    "ties": "what follows a tie",
    "recurrence": "repeats",
    "no_event_on": "days without an event",
    "capacity": "places",
    "withdraw_absent": "withdrawal after missed rounds",
    "club_share": "part of the club",
    "lone_pot": "pot for lone hands",
    "euchre_pot": "pot for euchres",
}
SETTINGS: Final = TEXTS | PACE | TIMES_AND_SIZE | AS_ANNOUNCED


def changeable(event: Event) -> frozenset[str]:
    """Return the settings that can still be changed: all of them until somebody has entered."""
    if event.state == State.DRAFT:
        return SETTINGS
    if event.state in UPCOMING:
        entered = event.entries.filter(state__in=COMPLETE + INCOMPLETE).exists()
        return TEXTS | PACE | TIMES_AND_SIZE if entered else SETTINGS
    return TEXTS | PACE if event.state == State.RUNNING else TEXTS


def changeable_in_words(event: Event) -> str:
    """Return a sentence about what can still be changed, or an empty string: everything."""
    allowed = changeable(event)
    if allowed == SETTINGS:
        return ""
    if allowed >= TIMES_AND_SIZE:
        return (
            "Players have entered. Rules, format, matches, tie-breaks, conditions and entry money"
            " stay as announced; times, places, where it is played, the number of rounds, what"
            " follows a tie and the pace can be changed, and those who have entered get an e-mail."
        )
    if allowed >= PACE:
        return "The event has begun: its texts can be changed, and the pace of rounds to come."
    return "The event is over: only its texts can be changed."


def new_event(club: Club, now: datetime) -> Event:
    """Return an unsaved event with the usual settings, in the evening a week from now.

    The day depends on the club's time zone.
    """
    day = (now.astimezone(club.zone) + timedelta(days=7)).date()
    starts = datetime.combine(day, EVENING, club.zone)
    return Event(
        club=club,
        name=f"{starts:%A} euchre",
        rules_data=rules_to_data(CLASSIC_24),
        venue=club.venue,
        address=club.address,
        format=FORMAT,
        tie_breaks=[str(one) for one in FORMATS[FORMAT].usual_order],
        capacity=CAPACITY,
        starts=starts,
        registration_opens=now.replace(second=0, microsecond=0),
        registration_closes=starts,
        check_in_minutes=CHECK_IN,
    )


def copy_to_next_date(event: Event, now: datetime) -> Event:
    """Return an unsaved event like an earlier one, on the next possible same weekday."""
    return copy(event, next(repeating.same_weekdays(event, now)), now)


def copy(event: Event, day: date, now: datetime, at: time | None = None) -> Event:
    """Return an unsaved event like an earlier one on a day, at the same time or another."""
    later = repeating.on_day(event, day, now, at)
    later.recurrence, later.no_event_on = Event.Recurrence.NONE, []
    return later


@transaction.atomic
def create(event: Event, by: Player, now: datetime) -> Event:
    """Save a new event, which its form has checked, as a draft."""
    event.created_by, event.state, event.created = by, State.DRAFT, now
    event.save(force_insert=True)
    note(event, "Set up.", by)
    return event


@with_event_lock
def publish(event: Event, by: Player, now: datetime) -> Event:
    """Publish a draft to everybody who may see the club; its times decide its state.

    Raises RefusedError ``published`` if it is not a draft, ``past`` if its start has passed.
    """
    if event.state != State.DRAFT:
        raise RefusedError("published", f"{event} has been published already.")
    if event.starts <= now:
        raise RefusedError("past", "Its start has passed. Set a later one first.", 422)
    states.move(event, state_at(event, now), Who.DIRECTOR)
    _begin_series(event)
    set_due(event, now)
    note(event, "Published.", by)
    changed(event)
    return event


@with_event_lock
def change(event: Event, wanted: Event, by: Player, now: datetime) -> list[str]:
    """Change an event's settings to those of another, and return the names of those that changed.

    The form has checked `wanted`. Those who have entered get a letter about it; new places go to
    the waiting list. Raises RefusedError ``fixed`` if one of them can no longer be changed,
    ``places`` for fewer places than are taken, ``past`` if the new start has passed, or ``own
    table``.
    """
    names = sorted(name for name in SETTINGS if getattr(event, name) != getattr(wanted, name))
    if not names:
        return []
    if fixed := [name for name in names if name not in changeable(event)]:
        what = ", ".join(map(in_words, fixed))
        raise RefusedError(
            "fixed", f"This can no longer be changed: {what}. {changeable_in_words(event)}"
        )
    if event.state == State.RUNNING and not PLAY_TIME.isdisjoint(names):
        conflicts_of_interest.check_time(event, by)
    have = place_counts(event).places
    if event.state in UPCOMING and wanted.capacity < have:
        raise RefusedError("places", f"{have} have a place already; no fewer than {have}.", 422)
    if "starts" in names and event.state in UPCOMING and wanted.starts <= now:
        raise RefusedError("past", "The start must be in the future.", 422)
    for name in names:
        setattr(event, name, getattr(wanted, name))
    if "recurrence" in names and event.state != State.DRAFT:
        _begin_series(event)
    if "starts" in names:
        # Another letter gives the new time at once; reminders follow as it comes near.
        event.put_off, event.reminded = timedelta(), now
        letters.delete_unsent_reminders(event)
    event.save(update_fields=[*names, "put_off", "reminded"])
    note(event, f"Changed: {', '.join(map(in_words, names))}.", by)
    _apply_consequences(event, names, by, now)
    changed(event)
    return names


def _begin_series(event: Event) -> None:
    """Let a published event's series go on from its present date, wherever it is moved later."""
    day = scheduled_start(event).astimezone(event.club.zone).date()
    event.series_day = day if event.recurrence else None
    event.save(update_fields=["series_day"])


@with_event_lock
def delete_draft(event: Event) -> None:
    """Delete a draft; raise RefusedError ``published`` for any other event."""
    if event.state != State.DRAFT:
        raise RefusedError("published", "Only drafts can be deleted. Cancel the event instead.")
    event.delete()


def in_words(setting: str) -> str:
    """Return the name of a setting: "registration closes"."""
    return SETTING_LABELS.get(setting, setting.replace("_", " "))


def _apply_consequences(event: Event, names: list[str], by: Player, now: datetime) -> None:
    if event.state in UPCOMING:
        follow_times(event, now, Who.DIRECTOR)
        if mailed := [name for name in names if name not in NOT_MAILED]:
            letters.write(
                f"event {event.pk} changed {event.version}",
                players_of(*event.entries.filter(state__in=COMPLETE + INCOMPLETE)),
                f"Changed: {event.name}",
                "event_changed",
                event=event,
                what=", ".join(map(in_words, mailed)),
                by=by,
            )
        if "starts" in names:
            letters.write(
                f"event {event.pk} moved {event.starts:%Y%m%d%H%M} {event.version}",
                players_of(*event.entries.filter(state__in=COMPLETE)),
                f"Another time: {event.name}",
                "moved",
                event=event,
                starts=start_in_words(event),
            )
        if "capacity" in names:
            promote(event, now)
    elif event.state == State.RUNNING and event.paused is None:
        event.due = now
        event.save(update_fields=["due"])
