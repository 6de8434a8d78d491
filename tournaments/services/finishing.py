"""The end of an event: everybody's place, trophies, and word to those who played."""

from collections.abc import Sequence
from datetime import datetime

from games.models import Player
from tournaments.models import Entry, Event, Trophy
from tournaments.services import letters, ranking, rating, states, webhooks
from tournaments.services.changes import changed
from tournaments.services.entry_lines import ordinal
from tournaments.services.ranking import Line
from tournaments.services.record import note
from tournaments.services.states import Who

#: Places that are given a trophy.
PRIZES = 3


def finish(event: Event, now: datetime) -> None:
    """End a running event with the standings as they are; call it with the event's row held."""
    states.move(event, Event.State.FINISHED, Who.CLOCK)
    event.ended, event.due = now, None
    event.save(update_fields=["ended", "due"])
    lines = settle(event)
    rating.mark(event)
    best = [line for line in lines if line.place <= PRIZES and not line.withdrawn]
    winners = " and ".join(line.entry.name for line in best if line.place == 1)
    note(event, f"Finished. The winner: {winners}." if winners else "Finished.")
    for line in lines:
        letters.write(
            f"event {event.pk} result",
            [one.player for one in line.entry.players.all() if one.player.user_id is not None],
            _subject(event, line, len(lines)),
            "event_result",
            event=event,
            line=line,
            best=best,
            entries=len(lines),
        )
    changed(event)
    webhooks.event_finished(event, now)


def settle(event: Event) -> Sequence[Line]:
    """Store the places and trophies that follow from all results; return the standings."""
    lines = ranking.standings_of(event).lines
    for line in lines:
        line.entry.place = line.place
    Entry.objects.bulk_update([line.entry for line in lines], ["place"])
    event.trophies.all().delete()
    Trophy.objects.bulk_create(
        Trophy(event=event, player=player, place=line.place, entrants=len(lines))
        for line in lines
        if line.place <= PRIZES and (line.won or line.tied) and not line.withdrawn
        for player in _players(line)
    )
    return lines


def _subject(event: Event, line: Line, entries: int) -> str:
    if line.withdrawn:
        return f"{event.name} is over"
    return f"{event.name}: you finished {ordinal(line.place)} of {entries}"


def _players(line: Line) -> list[Player]:
    return [one.player for one in line.entry.players.all()]
