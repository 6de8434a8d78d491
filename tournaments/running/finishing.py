"""The end of an event: places, trophies, and letters to the players."""

from datetime import datetime

from django.urls import reverse

from games.models import Player
from games.notifying import pushes
from games.notifying.kinds import RESULTS
from tournaments.changes.row_locks import changed
from tournaments.events import ending, states
from tournaments.events.notices import note
from tournaments.events.states import Who
from tournaments.models import Act, Correction, Entry, Event, Trophy
from tournaments.outbox import letters
from tournaments.ratings import rating_games
from tournaments.results import corrections, place_owners
from tournaments.standings import ranking
from tournaments.standings.ranking import Ranking, StandingRow
from tournaments.standings.winners import NO_OUTCOME, ordinal, outcomes_of
from tournaments.times import local_time_in_words
from tournaments.webhooks import webhooks

#: Places that get a trophy.
PRIZES = 3
#: Rounds in a row without anybody coming after which an entry can be withdrawn.
MAX_MISSED = 2


def start_grace_period(event: Event, now: datetime) -> None:
    """Start the grace period of a locked event whose matches are all played."""
    wait = ending.grace(event)
    if not wait:
        finish(event, now)
        return
    event.final_at = event.due = now + wait
    event.save(update_fields=["final_at", "due"])
    note(
        event,
        "Everything has been played."
        f" Results become final {local_time_in_words(event.final_at, event.club.zone)}.",
    )
    changed(event)


def finish(event: Event, now: datetime) -> None:
    """End a running event with its current standings; the event's row must be locked."""
    states.move(event, Event.State.FINISHED, Who.CLOCK)
    event.ended, event.due, event.final_at = now, None, None
    event.save(update_fields=["ended", "due", "final_at"])
    place_owners.give_back(event, now)
    ranked = store_places(event)
    lines = ranked.lines
    rating_games.queue_rating(event)
    best = [
        (line.prize_place, line) for line in lines if (line.prize_place or PRIZES + 1) <= PRIZES
    ]
    winners = " and ".join(line.entry.name for place, line in best if place == 1)
    ending = f"The winner: {winners}." if winners else ranked.outcome.unwon
    note(event, f"Finished. {ending}".strip())
    for line in lines:
        how = _finish(line, ranked)
        title = f"{event.name}: you finished {how}"
        if line.withdrawn or line.absent:
            title = f"{event.name} is over"
        letters.write(
            f"event {event.pk} result",
            [one.player for one in line.entry.players.all() if one.player.user_id is not None],
            title,
            "event_result",
            kind=RESULTS,
            event=event,
            line=line,
            best=best,
            finish=how,
            entries=len(lines),
            unwon=ranked.outcome.unwon,
            left=_how_left(line),
        )
        pushes.queue(
            RESULTS,
            f"event {event.pk} result {line.entry.pk}",
            [one.player_id for one in line.entry.players.all()],
            title,
            reverse("event", args=[event.pk]),
        )
    changed(event)
    webhooks.event_finished(event, now)


def store_places(event: Event) -> Ranking:
    ranked = ranking.standings_of(event)
    lines = ranked.lines
    for line in lines:
        line.entry.place = line.place
        if line.absent and not line.withdrawn:
            line.entry.state = Entry.State.NO_SHOW
        elif line.entry.state == Entry.State.NO_SHOW:  # before a correction
            line.entry.state = Entry.State.CHECKED_IN
    Entry.objects.bulk_update([line.entry for line in lines], ["place", "state"])
    event.trophies.all().delete()
    entrants = len(ranked.outcome.counted)
    Trophy.objects.bulk_create(
        Trophy(event=event, player=player, place=line.prize_place, entrants=entrants)
        for line in lines
        if line.prize_place is not None and line.prize_place <= PRIZES and (line.won or line.tied)
        for player in _players(line)
    )
    return ranked


def store_corrected_places(event: Event, correction: Correction) -> None:
    """Store the places after a correction and write to everybody whose place changed."""
    old = outcomes_of([event]).get(event.pk, NO_OUTCOME)
    placed = event.entries.filter(place__isnull=False)
    before = {entry.pk: old.place_of(entry) for entry in placed}
    ranked = store_places(event)
    for line in ranked.lines:
        was, place = before.get(line.entry.pk), line.prize_place or line.place
        if was is None or was == place:
            continue
        letters.write(
            f"event {event.pk} corrected {correction.pk}",
            [player for player in _players(line) if player.user_id is not None],
            f"{event.name}: your place is {ordinal(place)} now, not {ordinal(was)}",
            "event_corrected",
            event=event,
            correction=correction,
            match=correction.pairing,
            before=corrections.in_words(correction.before) if correction.before["how"] else "none",
            after=corrections.in_words(correction.after),
            was=ordinal(was),
            place=_finish(line, ranked),
        )


def _how_left(line: StandingRow) -> str:
    """Return how an entry left the event: by itself, or by whom it was withdrawn."""
    if line.absent:
        return "You never came to a table"
    if line.entry.acts.filter(kind=Act.Kind.WITHDRAW, undone_by=None).exists():
        return "A director withdrew you before its end"
    if line.entry.event.withdraws_absent and line.entry.missed >= MAX_MISSED:
        return f"You were withdrawn, as you missed {MAX_MISSED} rounds in a row"
    return "You withdrew before its end"


def _finish(line: StandingRow, ranked: Ranking) -> str:
    return ranked.outcome.finish(line.entry.pk, line.place, len(ranked.lines))


def _players(line: StandingRow) -> list[Player]:
    return [one.player for one in line.entry.players.all()]
