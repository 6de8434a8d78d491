"""An event that cannot have all its rounds says so, to everybody, with the reason."""

from tournaments.changes.changes import changed
from tournaments.entering.places import players_of
from tournaments.events.notices import note
from tournaments.models import Event
from tournaments.models.events import least_entries
from tournaments.outbox import letters
from tournaments.results import draws, event_words
from tournaments.results.draws import EventField
from tournaments.results.history import still_in


def follow(field: EventField) -> None:
    """Cut the first stage to the rounds that can be played, or let it have all again.

    It is put on the event's page, and written to all who play on. Call it before a round is
    drawn, with the event's row held.
    """
    event = field.event
    wanted = draws.wanted_rounds(event, len(field.entries))
    if wanted is None or field.second:
        return
    possible = draws.rounds_possible(field)
    cut_to = possible if possible < wanted else None
    if cut_to == event.cut_to:
        return
    event.cut_to = cut_to
    event.save(update_fields=["cut_to"])
    text = _in_words(field, possible, wanted)
    note(event, text, public=True)
    letters.write(
        f"event {event.pk} rounds {possible} {event.version}",
        players_of(*still_in(field.entries)),
        f"{event.name}: {possible} of {wanted} rounds",
        "rounds_changed",
        event=event,
        text=text,
    )
    changed(event)


def leave_out_second(field: EventField) -> None:
    """Say that too few are left for the second stage, so that the event ends without it.

    It is put on the event's page, and written to all who have stayed. Call it when all else is
    played, with the event's row held.
    """
    event, left = field.event, still_in(field.entries)
    second = Event.Format(event.second_stage).label.lower()
    there = event_words.counted(event, len(left))
    are = "is" if len(left) == 1 else "are"
    text = (
        f"The event ends after round {len(field.first)}, without the {second}:"
        f" {there} {are} left, and it takes {least_entries(event)}."
    )
    note(event, text, public=True)
    letters.write(
        f"event {event.pk} no second stage",
        players_of(*left),
        f"{event.name}: no {second}",
        "rounds_changed",
        event=event,
        text=text,
    )


def _in_words(field: EventField, possible: int, wanted: int) -> str:
    event, left = field.event, len(still_in(field.entries))
    stage = "The first stage" if event.second_stage else "The event"
    who = "players" if event.team_size == 1 else "partnerships"
    if possible == wanted:
        return f"{stage} has its {wanted} rounds again: {left} {who} can play them."
    there = f"{left} {who if left != 1 else who[:-1]}"
    if event.individual:
        why = f"{there} cannot fill a table of {draws.TABLE}."
    elif left < 2:
        why = f"{there} cannot play on alone."
    else:
        why = f"{there} cannot be paired more often without meeting again."
    return f"{stage} ends after round {possible}, not {wanted}: {why}"
