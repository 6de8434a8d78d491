"""Steps of a running event: draw a round, attend to its tables, finish it.

Each step runs in one transaction with the event's row locked and sets `due` to the time of the next
one. It may run twice, late, or be attempted by several workers.
"""

from collections.abc import Sequence
from copy import copy
from datetime import datetime, timedelta
from math import inf
from random import Random
from typing import NamedTuple

from django.db import transaction
from django.urls import reverse

from games.models import Player, PushDevice
from games.notifying import pushes
from games.notifying.kinds import ROUND
from games.people import house_players
from games.seats import reserved
from games.seats.reserved import ReservedTable
from tournaments.changes import live
from tournaments.changes.row_locks import changed
from tournaments.entering.places_and_waiting_list import placed, players_of
from tournaments.events import ending, event_words, states
from tournaments.events.notices import note
from tournaments.events.states import Who
from tournaments.events.timetable import MAX_PAUSE, pause_ends, resume
from tournaments.formats.draw import Draw
from tournaments.formats.registry import KNOCK_OUTS
from tournaments.models import (
    Entry,
    EntryPlayer,
    Event,
    Pairing,
    PairingEntry,
    Round,
    SitOut,
)
from tournaments.models.events import current_edition
from tournaments.outbox import letters
from tournaments.ratings import rating_games
from tournaments.refusals import RefusedError
from tournaments.results import matches
from tournaments.results.event_rows import still_in
from tournaments.room_scores.codes import codes_of
from tournaments.running import finishing
from tournaments.running.round_tables import Floor, no_show_at
from tournaments.standings import draws, ranking
from tournaments.standings.draws import EventField
from tournaments.webhooks import webhooks


def start(event: Event, now: datetime, who: Who = Who.CLOCK) -> None:
    """Start an event with the current entries: round 1 becomes due.

    Seeds by rating, equal ratings by lot. Raises RefusedError if there are too few entries for the
    format, or it cannot start now; the caller must roll back.
    """
    states.move(event, Event.State.RUNNING, who)
    entries = list(event.entries.filter(placed()).order_by("arrival"))
    fewest = event.first_stage.least_entries
    if len(entries) < fewest:
        there = f"there {'is' if len(entries) == 1 else 'are'} {len(entries)}"
        raise RefusedError("too few", f"At least {fewest} entries are needed; {there}.")
    if gone := {entry.pk for entry in draws.surplus_at_start(event, entries)}:
        event.entries.filter(pk__in=gone).delete()
        note(event, f"House entries removed so that the numbers fit: {len(gone)}.")
        entries = [entry for entry in entries if entry.pk not in gone]
    seeded(event, entries)
    Entry.objects.bulk_update(entries, ["lot", "seed"])
    event.started, event.due = now, now
    event.tie_break_edition = current_edition()
    # House players have no rating.
    event.rated = event.rated and not all(entry.house for entry in entries)
    event.save(update_fields=["started", "due", "rated", "tie_break_edition"])
    note(event, f"Started with {len(entries)} entries.")
    changed(event)


def seeded(event: Event, entries: Sequence[Entry]) -> list[Entry]:
    """Give entries, in order of arrival, their lots and seeds, and return them by seed.

    By hand, or in play-offs by the season's table; otherwise by sum of ratings, then by lot. House
    players come last, so that byes go to people.
    """
    drawn = list(entries)
    Random(f"{event.seed} lots").shuffle(drawn)  # noqa: S311 - reproducible on purpose
    for lot, entry in enumerate(drawn, start=1):
        entry.lot = lot
    rated = rating_games.strengths(event)
    drawn.sort(key=lambda one: (one.house, one.table_place or inf, -rated.get(one.pk, 0)))
    for seed, entry in enumerate(drawn, start=1):
        entry.seed = seed
    return drawn


def first_draw(event: Event, entries: Sequence[Entry]) -> Draw:
    """Return the draw of round 1 if these entries started now, in order of their seeds."""
    if len(entries) < event.first_stage.least_entries:
        return Draw(())
    aside = draws.surplus_at_start(event, entries)
    starters = [one for one in entries if one not in aside]
    lacking = draws.fillers_needed(event, starters)
    fillers = [Entry(pk=-number, event=event, house=True) for number in range(1, lacking + 1)]
    return draws.next_draw(EventField(event, starters, fillers, [], []), draws.apart_in(event))


def step(event: Event, now: datetime) -> bool:
    """Run the step that is due; return whether there is more to do now."""
    if event.state != Event.State.RUNNING:
        return False
    if (goes_on := pause_ends(event)) is not None:
        if now < goes_on:
            _set_due(event, goes_on)
            return False
        resume(event, goes_on)
        words = f"Resumed automatically after pauses of {MAX_PAUSE.days} days in total."
        note(event, words, public=True)
    if event.final_at is not None:
        # Everything is played: the event ends after its time of grace, and after any objection.
        ends = ending.by_itself(event) or event.final_at
        if now >= ends:
            finishing.finish(event, now)
        else:
            _set_due(event, ends)
        return False
    current = event.played_rounds.order_by("-number").first()
    if current is not None and current.over is None:
        return _play(event, current, now)
    if current is None or now >= _next_at(event, current):
        return draw_round(event, now)
    _set_due(event, _next_at(event, current))
    return False


def _next_at(event: Event, current: Round) -> datetime:
    return (current.over or current.called) + timedelta(seconds=event.break_seconds)


def _play(event: Event, current: Round, now: datetime) -> bool:
    done = Floor(event, current, now).attend()
    if not current.pairings.exclude(state=Pairing.State.DECIDED).exists():
        current.over = now
        current.save(update_fields=["over"])
        reserved.open_deals(_tables_of(current))
        note(event, f"Round {current.number} is over.")
        changed(event)
        plan = plan_round(event)
        if _withdraw_absent(event, current, plan.drawn):
            plan = plan_round(event)
        if not plan.drawn.pairings:
            _end_rounds(_carry_out(event, plan).field, now)
            return False
        _name_qualified(plan)
        _set_due(event, _next_at(event, current))
        return event.break_seconds == 0
    if done:
        changed(event)
        _set_due(event, now)
        return True
    waiting = current.pairings.filter(state=Pairing.State.CALLED).exists()
    longer = current.pairings.exclude(state=Pairing.State.DECIDED).filter(more_minutes__gt=0)
    ends = [match.ends for match in longer.select_related("round")]
    times = [no_show_at(event, current) if waiting else None, current.ends, *ends]
    later = [time for time in times if time is not None and time > now]
    _set_due(event, min(later, default=None))
    return False


def _tables_of(round_: Round) -> list[int]:
    found = round_.pairings.filter(table__isnull=False)
    return list(found.values_list("table", flat=True))


def _withdraw_absent(event: Event, current: Round, drawn: Draw) -> bool:
    """Warn entries that missed the last round, and withdraw those that ignored a warning.

    Only entries in the next round are considered, so nobody is withdrawn once their last round has
    begun. `drawn` is the next round as it would be with everybody. Returns whether anybody was
    withdrawn.
    """
    if not event.withdraws_absent:
        return False
    needed = {entry for match in drawn.pairings for side in match.sides for entry in side}
    absent = event.entries.filter(pk__in=needed, missed__gt=0, house=False)
    withdrawn = False
    for entry in absent.exclude(state=Entry.State.WITHDRAWN).prefetch_related(
        "players__player__user"
    ):
        if not entry.warned:
            entry.warned = True
            entry.save(update_fields=["warned"])
            letters.write(
                f"event {event.pk} absent {entry.pk} round {current.number}",
                players_of(entry),
                f"You missed round {current.number} of {event.name}",
                "absent",
                event=event,
                round=current.number,
            )
        elif entry.missed >= finishing.MAX_MISSED:
            withdrawn = True
            entry.state = Entry.State.WITHDRAWN
            entry.save(update_fields=["state"])
            note(event, f"{entry.name}: withdrawn after missing {entry.missed} rounds.")
    return withdrawn


def _set_due(event: Event, due: datetime | None) -> None:
    if event.due != due:
        event.due = due
        event.save(update_fields=["due"])


# Drawing a round ---------------------------------------------------------------------------


class RoundPlan(NamedTuple):
    """The next draw, computed without changing any row; no pairings when the event is over.

    `lacking` is how many house entries must be created for it. `shortened_to` is the number of
    rounds after which the first stage ends early. `places` is None if there is nothing to decide.
    """

    field: EventField
    drawn: Draw
    stage: int
    lacking: int
    shortened_to: int | None
    places: dict[int, int] | None = None


def plan_round(event: Event) -> RoundPlan:
    field = ranking.field_of(event)
    lacking = 0
    if not draws.first_stage_over(field):
        # As many house entries as the next round needs to fill its tables.
        lacking = max(0, draws.fillers_needed(event, field.entries) - len(field.fillers))
        to_come = (Entry(pk=-number, event=event, house=True) for number in range(1, lacking + 1))
        field = field._replace(fillers=[*field.fillers, *to_come])
    shortened_to = event.cut_to if field.second else draws.cut_to_possible(field)
    as_planned = copy(event)
    as_planned.cut_to = shortened_to
    field = field._replace(event=as_planned)
    drawn = draws.next_draw(field, draws.apart_in(event))
    if drawn.pairings or not event.second_stage or event.is_knock_out:
        return RoundPlan(field, drawn, 1, lacking, shortened_to)
    if field.second:
        best, places = ranking.best_of(field), None
    else:
        best, _aside = ranking.qualifying(field)
        places = {entry: place for place, entry in enumerate(best, start=1)}
    if best:
        drawn = draws.second_draw(field, best)
    return RoundPlan(field, drawn, 2, 0, shortened_to, places)


def _carry_out(event: Event, plan: RoundPlan) -> RoundPlan:
    """Create the rows a plan needs, notify people, and return the plan with the new entries."""
    if plan.lacking and plan.drawn.pairings:
        taken = set(event.entered_players.values_list("player", flat=True))
        add_house(event, plan.lacking, taken)
        plan = plan_round(event)
    if plan.shortened_to != event.cut_to:
        _apply_shortening(event, plan)
    _name_qualified(plan)
    return plan._replace(field=plan.field._replace(event=event))


def _name_qualified(plan: RoundPlan) -> None:
    """Store who qualifies; repeated until the stage is drawn, as results may change."""
    if plan.places is None:
        return
    entries = plan.field.entries
    moved = [entry for entry in entries if entry.qualified != plan.places.get(entry.pk)]
    for entry in moved:
        entry.qualified = plan.places.get(entry.pk)
    Entry.objects.bulk_update(moved, ["qualified"])


def add_house(
    event: Event, count: int, taken: set[int], state: str = Entry.State.CHECKED_IN
) -> list[Entry]:
    """Create entries for house players not in the event yet; the caller numbers their arrivals."""
    size = event.team_size
    house = house_players.house_players(len(taken) + count * size)
    free = [player for player in house if player.pk not in taken]
    entries = [Entry(event=event, state=state, house=True) for _entry in range(count)]
    Entry.objects.bulk_create(entries)
    EntryPlayer.objects.bulk_create(
        EntryPlayer(event=event, entry=entry, player=free[at * size + position], position=position)
        for at, entry in enumerate(entries)
        for position in range(size)
    )
    return entries


def _end_rounds(field: EventField, now: datetime) -> None:
    """Close an event after its last round.

    If too few are left for a second stage, the event's page says so and the remaining players get a
    letter.
    """
    event, left = field.event, still_in(field.entries)
    if event.second_stage and not event.is_knock_out and not field.second:
        second = KNOCK_OUTS[event.second_stage].name.lower()
        there = event_words.counted(event, len(left))
        are = "is" if len(left) == 1 else "are"
        text = (
            f"The event ends after round {len(field.first)}, without the {second}:"
            f" {there} {are} left, but it needs at least {event.first_stage.least_entries}."
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
    finishing.start_grace_period(event, now)


def _apply_shortening(event: Event, plan: RoundPlan) -> None:
    """Shorten the first stage to the rounds that can be played, or restore its full length.

    The event's page says so, and the remaining players get a letter.
    """
    field = plan.field
    wanted = event.first_stage.wanted_rounds(event, len(field.entries)) or 0
    possible = wanted if plan.shortened_to is None else plan.shortened_to
    event.cut_to = plan.shortened_to
    event.save(update_fields=["cut_to"])
    left = still_in(field.entries)
    stage = "The first stage" if event.second_stage else "The event"
    who = "players" if event.team_size == 1 else "partnerships"
    there = f"{len(left)} {who if len(left) != 1 else who[:-1]}"
    if possible == wanted:
        text = f"{stage} is back to {wanted} rounds: there are enough {who}."
    else:
        why = event.first_stage.why_shortened(len(left))
        text = f"{stage} ends after round {possible}, not {wanted}: {there} {why}."
    note(event, text, public=True)
    letters.write(
        f"event {event.pk} rounds {possible} {event.version}",
        players_of(*left),
        f"{event.name}: {possible} of {wanted} rounds",
        "rounds_changed",
        event=event,
        text=text,
    )
    changed(event)


def draw_round(event: Event, now: datetime) -> bool:
    """Draw the next round, open its tables and call the players; or finish the event."""
    field, drawn, stage, *_rest = _carry_out(event, plan_round(event))
    if not drawn.pairings:
        _end_rounds(field, now)
        return False
    number = event.played_rounds.count() + 1
    ends = now + timedelta(minutes=event.round_minutes) if event.round_minutes else None
    round_ = Round.objects.create(
        event=event, number=number, stage=stage, drawn=now, called=now, ends=ends
    )
    # Somebody may have come in while a round was being played that was then taken back.
    event.entries.filter(first_round__gt=number).update(first_round=number)
    SitOut.objects.bulk_create(SitOut(round=round_, entry_id=one) for one in drawn.sit_outs)
    finals = draws.finals(draws.nodes(field, ranking.best_of(field)))
    pairings = [
        Pairing(
            round=round_,
            number=match.table,
            final=(match.sides[0][0], match.sides[1][0]) in finals,
        )
        for match in drawn.pairings
    ]
    Pairing.objects.bulk_create(pairings)
    PairingEntry.objects.bulk_create(
        PairingEntry(round=round_, pairing=pairing, entry_id=one, side=side, position=position)
        for pairing, match in zip(pairings, drawn.pairings, strict=True)
        for side in (0, 1)
        for position, one in enumerate(match.sides[side])
    )
    _open_tables(event, round_, pairings, drawn, now)
    aside = ranking.qualifying(field)[1] if stage == 2 and not field.second else 0
    if aside:
        note(
            event,
            f"House entries left out so that no player has to sit out because of them: {aside}.",
        )
    said = f"Drew round {number}: {event_words.plural(len(pairings), 'table')}"
    if out := len(drawn.sit_outs):
        said += f", {out} sit{'s' * (out == 1)} out"
    note(event, f"{said}.")
    changed(event)
    webhooks.round_drawn(event, round_, now)
    event.due = now
    event.save(update_fields=["due"])
    return True


def _open_tables(
    event: Event, round_: Round, pairings: list[Pairing], drawn: Draw, now: datetime
) -> None:
    """Open a table for each match that can be played online, and call its players.

    Those in the room begin at once. House players cannot sit there, so theirs are online; walk-ins
    can sit only there.
    """
    entered = {
        entry.pk: entry
        for entry in event.entries.prefetch_related("players__player").filter(
            pairings__round=round_
        )
    }
    room_only = set(event.walk_ins.values_list("player", flat=True))
    online: list[tuple[Pairing, list[Player]]] = []
    in_room: list[Pairing] = []
    seated_in_room: list[tuple[Pairing, Sequence[Player]]] = []
    for pairing, match in zip(pairings, drawn.pairings, strict=True):
        # Sides with a withdrawn player.
        gone = {
            side
            for side in (0, 1)
            if any(entered[one].state == Entry.State.WITHDRAWN for one in match.sides[side])
        }
        if gone:
            winner = matches.TIE if len(gone) == 2 else 1 - gone.pop()
            matches.decide(pairing, winner, Pairing.How.FORFEIT, now)
            continue
        # Players by seat: the first of each side, then their partners.
        north_south, east_west = (
            [line.player for one in side for line in entered[one].players.all()]
            for side in match.sides
        )
        players = [player for both in zip(north_south, east_west, strict=True) for player in both]
        walk_in = any(player.pk in room_only for player in players)
        if walk_in or (
            event.in_room(pairing.number) and not any(player.house for player in players)
        ):
            pairing.in_room, pairing.state = True, Pairing.State.PLAYING
            in_room.append(pairing)
            seated_in_room.append((pairing, players))
        else:
            online.append((pairing, players))
    Pairing.objects.bulk_update(in_room, ["in_room", "state"])
    codes_of(event, [pairing.number for pairing in in_room])
    open_online(event, round_, online, len(pairings))
    _push_calls(event, round_, seated_in_room)


def open_online(
    event: Event,
    round_: Round,
    online: Sequence[tuple[Pairing, Sequence[Player]]],
    tables: int,
) -> None:
    """Open tables for matches with their players by seat, and call these.

    tables: how many share their deals in a duplicate event.
    """
    places: list[ReservedTable] = []
    for pairing, players in online:
        title = f"Table {pairing.number}, round {round_.number}: {event.name}"
        first = matches.rules_for(event, pairing, 1)
        back = reverse("event", args=[event.pk])
        places.append(ReservedTable(players, title, back, first, pairing.number))
    visible = event.club.joining != event.club.Joining.INVITATION
    opened = reserved.open_tables(
        places,
        event.rules,
        event.created_by,
        open=visible,
        turn_seconds=event.turn_seconds,
        delayed=event.delayed,
        same_deals=tables if event.first_stage.duplicate else 0,
        talk=event.talk,
    )
    for (pairing, _players), table in zip(online, opened, strict=True):
        pairing.table = table
    Pairing.objects.bulk_update([pairing for pairing, _players in online], ["table"])
    seated = (player for _pairing, players in online for player in players)
    called = [player.pk for player in seated if player.kind == Player.Kind.PERSON]
    transaction.on_commit(lambda: live.call(called))
    _push_calls(event, round_, online)


def _push_calls(
    event: Event, round_: Round, matches_of: Sequence[tuple[Pairing, Sequence[Player]]]
) -> None:
    """Call the players of matches by push: to their table, or to the event's page in the room."""
    everybody = [player.pk for _pairing, players in matches_of for player in players]
    if not PushDevice.objects.filter(player__in=everybody).exists():
        return
    for pairing, players in matches_of:
        at = pairing.table_id
        pushes.queue(
            ROUND,
            f"round {round_.pk} table {pairing.number} {at or 'room'}",
            [player.pk for player in players],
            f"Round {round_.number}: table {pairing.number}",
            reverse("table", args=[at]) if at else reverse("event", args=[event.pk]),
            text=event.name,
        )


def open_again(event: Event, pairing: Pairing) -> None:
    """Open another table for a match that has to be played again, and call its players."""
    players = matches.seated(pairing)
    open_online(event, pairing.round, [(pairing, players)], 0)
    gone = PairingEntry.objects.filter(pairing=pairing, entry__state=Entry.State.WITHDRAWN)
    absent = list(gone.values_list("entry__players__player", flat=True))
    if absent and pairing.table_id is not None:
        reserved.stand_in_for(pairing.table_id, absent)
