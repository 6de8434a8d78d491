"""Actions of a director on an event and its entries, all of them recorded.

Each adds a line to the event's record, for its directors, and to the acts that members can read.

An action that is not possible raises RefusedError and changes nothing. `conflicts_of_interest`
decides what a director who plays must leave to others.
"""

from datetime import datetime, timedelta

from django.db.models import Max, Q
from django.urls import reverse

from games.models import Player
from games.notifying import pushes
from games.notifying.kinds import DIRECTOR
from games.seats import reserved
from tournaments.attendance import walk_ins
from tournaments.changes import row_locks
from tournaments.changes.row_locks import changed
from tournaments.entering import conditions, places_and_waiting_list
from tournaments.entering.leaving_running_event import must_go_on, must_run
from tournaments.entering.places_and_waiting_list import players_of
from tournaments.events import acts, director_messages, repeating, states, timetable
from tournaments.events.acts import moment
from tournaments.events.notices import note
from tournaments.events.states import UPCOMING, Who
from tournaments.events.timetable import (
    MAX_PAUSE,
    checking_in,
    pause_ends,
    start_in_words,
)
from tournaments.models import Act, Entry, Event, Pairing, Round
from tournaments.models.entries import COMPLETE, PLACED
from tournaments.outbox import letters
from tournaments.ratings import rating
from tournaments.refusals import RefusedError
from tournaments.results import matches, place_owners
from tournaments.room_scores import cards, writing
from tournaments.room_scores.codes import codes_of
from tournaments.running import before_start, finishing, steps
from tournaments.standings import conflicts_of_interest
from tournaments.webhooks import webhooks

#: The most minutes by which the end of a round can be moved at once.
MAX_MINUTES = 120


def _latest_round(event: Event) -> Round:
    must_run(event)
    latest = event.played_rounds.order_by("-number").first()
    if latest is None:
        raise RefusedError("no round", "No round has been drawn yet.")
    return latest


# The clock ---------------------------------------------------------------------------------


def pause(event: Event, by: Player, now: datetime) -> None:
    """Pause the event: no round begins and no time runs out; games go on.

    After `MAX_PAUSE` in total it resumes by itself.
    """
    with row_locks.changing(event) as locked:
        if locked.state != Event.State.RUNNING or locked.paused is not None:
            raise RefusedError("not running", "Only a running event can be paused, and only once.")
        conflicts_of_interest.check_time(locked, by)
        if locked.paused_for >= MAX_PAUSE:
            words = f"It has been paused for {MAX_PAUSE.days} days: let it play, or cancel it."
            raise RefusedError("paused enough", words)
        locked.paused = now
        locked.due = pause_ends(locked)
        locked.save(update_fields=["paused", "due"])
        note(locked, "Paused.", by)
        acts.record(locked, Act.Kind.PAUSE, by, now)


def resume(event: Event, by: Player, now: datetime) -> None:
    """Resume the event; all its times are postponed by the length of the pause."""
    with row_locks.changing(event) as locked:
        if locked.paused is None:
            raise RefusedError("not paused", "The event is not paused.")
        pause = timetable.resume(locked, now)
        note(locked, f"Resumed after {round(pause.total_seconds() / 60)} minutes.", by)
        acts.record(locked, Act.Kind.RESUME, by, now)


def extend_round(
    event: Event, by: Player, minutes: int, now: datetime, *, ends: datetime | None = None
) -> None:
    """Move the end of the round being played by minutes, 1 to 120 later or earlier.

    A round without a limit gets one. ends: the end on the page that was pressed; if the round has
    another by now, nothing is moved, so that a second press gives no time twice.
    """
    if not 1 <= abs(minutes) <= MAX_MINUTES:
        raise RefusedError("minutes", f"From 1 to {MAX_MINUTES} minutes, not {minutes}.", 422)
    with row_locks.changing(event) as locked:
        round_ = _being_played(locked)
        conflicts_of_interest.check_time(locked, by)
        if ends is not None and round_.ends != ends:
            words = "The end of the round has been moved meanwhile. Nothing was added: look again."
            raise RefusedError("changed", words)
        at = locked.paused or now
        before = {"ends": moment(round_.ends)}
        round_.ends = max((round_.ends or at) + timedelta(minutes=minutes), at)
        round_.save(update_fields=["ends"])
        round_.pairings.update(time_up="")
        locked.due = now
        locked.save(update_fields=["due"])
        note(locked, f"Round {round_.number}: {minutes:+d} minutes.", by)
        after = {"ends": moment(round_.ends)}
        acts.record(locked, Act.Kind.TIME, by, now, on=round_, before=before, after=after)


def end_round_now(event: Event, by: Player, now: datetime) -> None:
    """End the round's time now: its matches end by the event's rule."""
    with row_locks.changing(event) as locked:
        round_ = _being_played(locked)
        conflicts_of_interest.check_time(locked, by)
        before = {"ends": moment(round_.ends)}
        round_.ends = locked.paused or now
        round_.save(update_fields=["ends"])
        locked.due = now
        locked.save(update_fields=["due"])
        note(locked, f"Round {round_.number}: time is up.", by)
        after = {"ends": moment(round_.ends)}
        acts.record(locked, Act.Kind.TIME_UP, by, now, on=round_, before=before, after=after)


def _being_played(event: Event) -> Round:
    round_ = _latest_round(event)
    if round_.over is not None:
        raise RefusedError("round over", f"Round {round_.number} is over already.")
    return round_


def move_table(
    event: Event,
    by: Player,
    number: int,
    table: int,
    now: datetime,
    *,
    in_room: bool,
    reason: str = "",
) -> None:
    """Move a match of the round being played to the room or online, before anything is scored."""
    with row_locks.changing(event) as locked:
        round_ = _being_played(locked)
        matches_here = round_.pairings.select_related("round")
        match = matches_here.filter(round__number=number, number=table).first()
        if match is None:
            words = f"Only tables of round {round_.number}, which is being played, can be moved."
            raise RefusedError("no table", words, 404)
        conflicts_of_interest.check_place(locked, match, by)
        if match.state == Pairing.State.DECIDED:
            raise RefusedError("decided", f"The match at table {table} is over.")
        if match.in_room == in_room:
            where = "in the room" if in_room else "online"
            raise RefusedError("there", f"Table {table} is {where} already.")
        _move(locked, match, now, in_room=in_room)
        where = "to the room" if in_room else "online"
        words = f"Round {number}: table {table} moved {where}. {reason}"
        note(locked, words.strip(), by, public=True)
        before, after = {"in_room": not in_room}, {"in_room": in_room}
        acts.record(
            locked, Act.Kind.MOVE, by, now, on=match, reason=reason, before=before, after=after
        )


def move_back(event: Event, act: Act, by: Player, now: datetime) -> None:
    """Move a table back to where it was, before anything is scored; its event must be locked."""
    match = Pairing.objects.select_related("round", "table").get(acts=act)
    conflicts_of_interest.check_place(event, match, by)
    if match.state == Pairing.State.DECIDED or event.state != Event.State.RUNNING:
        raise RefusedError("depends", f"The match at table {match.number} is over.")
    _move(event, match, now, in_room=act.before["in_room"])


def _move(event: Event, match: Pairing, now: datetime, *, in_room: bool) -> None:
    if in_room:
        _move_to_room(event, match, now)
    else:
        _move_online(event, match.round, match, now)


def _move_to_room(event: Event, match: Pairing, now: datetime) -> None:
    if match.state != Pairing.State.CALLED:
        raise RefusedError("begun", f"The match at table {match.number} has begun online.")
    if event.first_stage.duplicate:
        raise RefusedError("duplicate", "A duplicate event is played online.")
    if any(player.house for player in matches.seated(match)):
        raise RefusedError("house", "House players cannot sit at a table in the room.")
    reserved.end(match.table_id or 0, now)
    match.in_room, match.table, match.state = True, None, Pairing.State.PLAYING
    match.save(update_fields=["in_room", "table", "state"])
    codes_of(event, [match.number])


def _move_online(event: Event, round_: Round, match: Pairing, now: datetime) -> None:
    card = cards.card_of(event, match, writing.lines_of(match))
    if card.written or card.penalties:
        words = f"The score of table {match.number} has been begun in the room."
        raise RefusedError("begun", words)
    walk_ins.check_online(event, matches.seated(match))
    match.in_room, match.state = False, Pairing.State.CALLED
    match.save(update_fields=["in_room", "state"])
    steps.open_online(event, round_, [(match, matches.seated(match))], 1)
    gone = match.entries.filter(entry__state=Entry.State.WITHDRAWN)
    players = list(gone.values_list("entry__players__player", flat=True))
    reserved.stand_in_for(match.table_id or 0, players)
    round_.called = max(round_.called, event.paused or now)
    round_.save(update_fields=["called"])
    event.due = now
    event.save(update_fields=["due"])


def next_round_now(event: Event, by: Player, now: datetime) -> None:
    """Draw the next round without waiting for the end of the break."""
    with row_locks.changing(event) as locked:
        round_ = _latest_round(locked)
        if round_.over is None:
            raise RefusedError("round open", f"Round {round_.number} is still being played.")
        must_go_on(locked)
        at = locked.paused or now
        round_.over = min(round_.over, at - timedelta(seconds=locked.break_seconds))
        round_.save(update_fields=["over"])
        locked.due = now
        locked.save(update_fields=["due"])
        note(locked, "The break is over.", by)
        acts.record(locked, Act.Kind.NEXT_ROUND, by, now, on=round_)


def final_now(event: Event, by: Player, now: datetime) -> None:
    """Make the results of a fully played event final without waiting longer."""
    with row_locks.changing(event) as locked:
        if locked.final_at is None or locked.state != Event.State.RUNNING:
            raise RefusedError(
                "not played", "Results can become final only when everything has been played."
            )
        conflicts_of_interest.check_end(locked, by)
        _check_grace(locked, now)
        note(locked, "Results are final.", by)
        acts.record(locked, Act.Kind.FINAL, by, now)
        locked.paused = None
        locked.save(update_fields=["paused"])
        finishing.finish(locked, now)


def _check_grace(event: Event, now: datetime) -> None:
    """Refuse to shorten the promised time for objections in a rated event."""
    why = finishing.too_early(event, now)
    if why:
        raise RefusedError("too early", why)


def start_now(event: Event, by: Player, now: datetime) -> None:
    """Start an event early, with the entries that would play if its time had come."""
    with row_locks.changing(event) as locked:
        note(locked, "Started by hand.", by)
        acts.record(locked, Act.Kind.START, by, now)
        before_start.complete_field(locked, now)
        steps.start(locked, now, Who.DIRECTOR)
        repeating.make_next(locked, now)


def cancel(event: Event, by: Player, reason: str, now: datetime) -> None:
    """Cancel an event, even while it is running, and write to everybody in it.

    A weekly event still makes its next one. Finished games are rated. `reason` has at most 200
    characters.
    """
    reason = reason.strip()
    if not 1 <= len(reason) <= 200:
        raise RefusedError("reason", "Give a reason of 1 to 200 characters.", 422)
    with row_locks.changing(event) as locked:
        conflicts_of_interest.check_time(locked, by)
        conflicts_of_interest.check_end(locked, by)
        if locked.final_at is not None:
            _check_grace(locked, now)
        states.move(locked, Event.State.CANCELLED, Who.DIRECTOR)
        repeating.make_next(locked, now)
        undecided = Pairing.objects.filter(round__event=locked, table__isnull=False)
        for pairing in undecided.exclude(state=Pairing.State.DECIDED).select_related("table"):
            reserved.end(pairing.table_id or 0, now)
            pairing.deal_results = matches.deal_results(pairing)
            pairing.save(update_fields=["deal_results"])
        locked.ended, locked.due, locked.paused, locked.final_at = now, None, None, None
        locked.save(update_fields=["ended", "due", "paused", "final_at"])
        rating.queue_rating(locked)
        note(locked, f"Cancelled: {reason}", by, public=True)
        acts.record(locked, Act.Kind.CANCEL, by, now, reason=reason)
        owners = place_owners.owner_ids(locked)
        players = Player.objects.filter(
            Q(entries__event=locked, entries__active=True) | Q(pk__in=owners), user__isnull=False
        )
        letters.write(
            f"event {locked.pk} cancelled",
            players.distinct(),
            f"{locked.name} is cancelled",
            "event_cancelled",
            event=locked,
            reason=reason,
        )
        webhooks.event_cancelled(locked, reason, now)


def post_message(event: Event, by: Player, text: str, now: datetime) -> None:
    """Post a message of at most 300 characters on the event's page; players may get it by mail.

    The same words again within a minute are a second press of the button, and refused.
    """
    text = text.strip()
    if not 1 <= len(text) <= 300:
        raise RefusedError("text", "Write 1 to 300 characters.", 422)
    with row_locks.changing(event) as locked:
        latest = director_messages.latest(locked)
        if latest and latest.reason == text and now - latest.at < timedelta(minutes=1):
            raise RefusedError("said", "This message has just been sent; it was not sent again.")
        notice = note(locked, text, by, public=True)
        acts.record(locked, Act.Kind.MESSAGE, by, now, reason=text, after={"notice": notice.pk})
        players = players_of(*locked.entries.filter(state__in=(*PLACED, Entry.State.WAITING)))
        letters.write(
            acts.message_key(notice.pk),
            players,
            f"A message from the director: {locked.name}",
            "director_message",
            kind=DIRECTOR,
            event=locked,
            text=text,
        )
        pushes.queue(
            DIRECTOR,
            acts.message_key(notice.pk),
            [player.pk for player in players],
            locked.name,
            reverse("event", args=[locked.pk]),
            text=text,
        )


# Entries -----------------------------------------------------------------------------------


def add_house_entries(event: Event, by: Player, count: int, now: datetime) -> None:
    """Give free places of an event that has not begun to house players."""
    with row_locks.changing(event) as locked:
        if locked.started is not None or locked.ended is not None:
            raise RefusedError("started", "House players can be added only before the start.")
        if locked.place == Event.Place.ROOM:
            raise RefusedError("room", "House players cannot sit at a table in the room.")
        walk_ins.check_house(locked)
        inside = places_and_waiting_list.place_counts(locked).places
        free = locked.capacity - inside
        if not 1 <= count <= free:
            raise RefusedError("count", f"There are {free} free places, not {count}.", 422)
        last = locked.entries.aggregate(last=Max("arrival"))["last"] or 0
        taken = set(locked.entered_players.values_list("player", flat=True))
        entries = steps.add_house(locked, count, taken)
        for arrival, entry in enumerate(entries, start=last + 1):
            entry.arrival = arrival
        Entry.objects.bulk_update(entries, ["arrival"])
        note(locked, f"{count} entries of house players.", by)
        acts.record(locked, Act.Kind.HOUSE, by, now, after={"entries": [one.pk for one in entries]})


def check_in(entry: Entry, by: Player, now: datetime) -> None:
    """Check an entry in, on the waiting list too; do nothing if it has checked in."""
    with row_locks.locked(entry.event) as event:
        mine = _upcoming(event, entry)
        if not checking_in(event, now):
            raise RefusedError("not now", "Check-in is not open.")
        if mine.state not in COMPLETE:
            state = mine.get_state_display().lower()
            raise RefusedError(
                "not entered", f"{mine.name} cannot be checked in; the entry is {state}."
            )
        if mine.state == Entry.State.CHECKED_IN or mine.here:
            return
        before = {"state": mine.state, "here": mine.here}
        if mine.state == Entry.State.ENTERED:
            mine.state = Entry.State.CHECKED_IN
        else:
            mine.here = True
        mine.save(update_fields=["state", "here"])
        note(event, f"{mine.name}: checked in.", by)
        after = {"state": mine.state, "here": mine.here}
        acts.record(event, Act.Kind.CHECK_IN, by, now, on=mine, before=before, after=after)
        changed(event)


def withdraw(entry: Entry, by: Player, now: datetime, *, reason: str = "") -> None:
    """Withdraw an entry before the start, and write to its players with the reason.

    Its place goes to the first on the waiting list.
    """
    with row_locks.locked(entry.event) as event:
        mine = _upcoming(event, entry)
        if mine.state not in (*COMPLETE, Entry.State.SEEKING, Entry.State.INVITING):
            raise RefusedError("out", f"{mine.name}: {mine.get_state_display().lower()} already.")
        placed = mine.state in PLACED
        before = {"state": mine.state, "here": mine.here}
        mine.state, mine.invited = Entry.State.WITHDRAWN, None
        mine.save(update_fields=["state", "invited"])
        mine.players.update(active=False)
        note(event, f"{mine.name}: taken out before the start.", by)
        after = {"state": mine.state}
        acts.record(
            event, Act.Kind.WITHDRAW, by, now, on=mine, reason=reason, before=before, after=after
        )
        if placed:
            places_and_waiting_list.promote(event, now)
        full = places_and_waiting_list.full_now(event)
        letters.write(
            f"event {event.pk} taken out {mine.pk} {now:%Y%m%d%H%M%S}",
            places_and_waiting_list.players_of(mine),
            f"You are no longer in {event.name}",
            "taken_out",
            event=event,
            by=by,
            reason=reason,
            suggestion=conditions.suggested(event, "", now, full=full, here=False),
        )
        changed(event)


def reinstate(entry: Entry, by: Player, now: datetime, *, reason: str = "") -> None:
    """Restore an entry that was withdrawn before the start, and write to its players.

    It gets a place if one is free and nobody waits; otherwise it is on the waiting list by its time
    of arrival.
    """
    with row_locks.locked(entry.event) as event:
        mine = _upcoming(event, entry)
        if mine.state != Entry.State.WITHDRAWN:
            state = mine.get_state_display().lower()
            raise RefusedError("in", f"{mine.name} cannot be put back; the entry is {state}.")
        players = [line.player_id for line in mine.players.all()]
        entered = event.entered_players.filter(active=True, player__in=players)
        if entered.exists():
            who = entered.select_related("player")[0].player.name
            raise RefusedError("entered", f"{who} has entered again in the meantime.")
        if len(players) != event.team_size or mine.arrival is None:
            raise RefusedError("incomplete", f"{mine.name}: incomplete; they enter again.")
        full = places_and_waiting_list.full_now(event)
        before = {"state": mine.state}
        mine.state = Entry.State.WAITING if full else Entry.State.ENTERED
        mine.here = False
        mine.save(update_fields=["state", "here"])
        mine.players.update(active=True)
        note(event, f"{mine.name}: put back before the start.", by)
        after = {"state": mine.state}
        acts.record(
            event, Act.Kind.PUT_BACK, by, now, on=mine, reason=reason, before=before, after=after
        )
        letters.write(
            f"event {event.pk} put back {mine.pk} {now:%Y%m%d%H%M%S}",
            places_and_waiting_list.players_of(mine),
            f"You are back in {event.name}",
            "put_back",
            event=event,
            by=by,
            waiting=mine.state == Entry.State.WAITING,
            starts=start_in_words(event),
        )
        changed(event)


def _upcoming(event: Event, entry: Entry) -> Entry:
    """Return the stored entry of a locked event; refuse if the event has begun."""
    if event.state not in UPCOMING:
        state = event.get_state_display().lower()
        raise RefusedError(
            "begun", f"This is possible only before the start; the event is {state}."
        )
    return event.entries.prefetch_related("players__player").get(pk=entry.pk)
