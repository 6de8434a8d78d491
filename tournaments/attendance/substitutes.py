"""Substitutes: another person takes a seat of an entry, from a round on.

The entry keeps its results and its points, which belong to whoever had the seat first
(`results.place_owners`). Ratings, and the names in earlier rounds, follow who played each match. A
late-comer takes over from a house player in the same way, and the entry is a person's from then on.
"""

from __future__ import annotations

from datetime import datetime

from games.models import Player
from games.seats import reserved
from tournaments.attendance import newcomers, walk_ins
from tournaments.changes import row_images
from tournaments.entering.leaving_running_event import must_go_on, must_run, open_seat
from tournaments.events import acts
from tournaments.events.notices import note
from tournaments.models import (
    Act,
    Entry,
    EntryPlayer,
    Event,
    ListedName,
    Pairing,
    Substitution,
)
from tournaments.refusals import RefusedError
from tournaments.results.place_owners import SeatKey
from tournaments.room_scores.codes import codes_of
from tournaments.running import steps
from tournaments.standings import conflicts_of_interest, ranking


def substitute(
    seat: EntryPlayer, person: Player | ListedName | str, by: Player, now: datetime, *, reason: str
) -> int:
    """Give a seat to somebody as `newcomers.enter` takes them; return the first round they play.

    That is the round being played if the entry's match is not over and has not begun online, and
    otherwise the next one. Raises RefusedError if the entry does not play, a person's match has
    begun online, the house plays it as a pair, the person cannot be entered, or `by` may not decide
    it. A house player ends a match that has begun online. A single player's entry that has
    withdrawn is put back by it, unless a house player plays on for it online.
    """
    reason = acts.reason(reason)
    with row_images.changing(seat.event) as event:
        must_run(event)
        must_go_on(event)
        line = event.entered_players.select_related("event", "entry", "player").get(pk=seat.pk)
        entry, out = line.entry, line.player
        gone = entry.state == Entry.State.WITHDRAWN
        if not can_be_replaced(event, entry):
            raise RefusedError(
                "not playing", f"{out.name} does not play: put the entry back first."
            )
        from_house = entry.house
        if from_house and event.team_size > 1:
            words = "House players hold this place as a pair: nobody can take over half of it."
            raise RefusedError("house", words)
        conflicts_of_interest.check_withdrawal(event, entry, by)
        conflicts_of_interest.check_substitute(event, line, by)
        if gone:
            conflicts_of_interest.check_return(event, entry, by)
        if gone:
            entry.state, entry.missed, entry.warned = Entry.State.CHECKED_IN, 0, False
        entry.house = False
        entry.save(update_fields=["state", "missed", "warned", "house"])
        (player,) = walk_ins.made(event, [person])
        conflicts_of_interest.check_newcomers(event, [player], by)
        newcomers.check_each(event, [player], seat=SeatKey(entry.pk, line.position))
        match = _match_to_take(entry, from_house=from_house)
        until = match.round.number - 1 if match else event.played_rounds.count()
        _sit(event, line, player, match, now)
        Substitution.objects.create(
            entry=entry, position=line.position, player=out, until=until, at=now
        )
        words = f"{player.name} plays for {out.name} from round {until + 1}."
        note(event, words, by, public=True)
        acts.record(
            event, Act.Kind.SUBSTITUTE, by, now, on=entry, match=match, reason=reason,
            before={"players": [out.pk]}, after={"players": [player.pk], "seat": line.pk},
        )  # fmt: skip
        return until + 1


def can_be_replaced(event: Event, entry: Entry) -> bool:
    """Return whether a substitute can be put into an entry of a running event."""
    if entry.seed is None:
        return False
    if entry.state != Entry.State.WITHDRAWN:
        return True
    line = open_seat(entry)
    return event.team_size == 1 and (line is None or line.pairing.in_room)


def seats_at(match: Pairing) -> list[EntryPlayer]:
    """Return the seats at a table of the latest round that somebody else can take, by sides."""
    event = match.round.event
    begun = match.state == Pairing.State.PLAYING and not match.in_room
    at_table = event.entered_players.filter(entry__pairings__pairing=match).order_by(
        "entry__pairings__side", "entry__pairings__position", "position"
    )
    return [
        seat
        for seat in at_table.select_related("event", "entry", "player")
        if can_be_replaced(event, seat.entry)
        and (event.team_size == 1 if seat.entry.house else not begun)
    ]


def _match_to_take(entry: Entry, *, from_house: bool) -> Pairing | None:
    """Return as `_open_match`; None if a house player plays on in a match that has begun online."""
    try:
        return _open_match(entry)
    except RefusedError:
        if not from_house:
            raise
        return None


def seat_of_house(event: Event) -> EntryPlayer | None:
    """Return the seat that a late-comer takes over: of the house player placed last, or None."""
    if event.state != Event.State.RUNNING or event.final_at is not None or event.team_size > 1:
        return None
    seats = event.entered_players.filter(
        active=True, entry__house=True, entry__seed__isnull=False
    ).exclude(entry__state=Entry.State.WITHDRAWN)
    by_entry = {seat.entry_id: seat for seat in seats.select_related("player")}
    if not by_entry:
        return None
    order = [line.entry.pk for line in ranking.standings_of(event).lines]
    return next((by_entry[one] for one in reversed(order) if one in by_entry), None)


def _open_match(entry: Entry) -> Pairing | None:
    """Return the entry's undecided match; raise RefusedError if it has begun online."""
    rows = Pairing.objects.filter(entries__entry=entry, round__over=None)
    match = rows.exclude(state=Pairing.State.DECIDED).select_related("round").first()
    if match and match.state == Pairing.State.PLAYING and not match.in_room:
        raise RefusedError(
            "begun",
            f"The match at table {match.number} has begun online. When it is over, the substitute"
            " can play from the next round.",
        )
    return match


def _sit(
    event: Event, line: EntryPlayer, player: Player, match: Pairing | None, now: datetime
) -> None:
    """Give a seat to a player, at a new table if their match waits for its players online."""
    if match and not match.in_room:
        walk_ins.check_online(event, [player])
    line.player = player
    line.save(update_fields=["player"])
    if match and match.in_room:
        codes_of(event, [match.number])
    if match and match.table_id is not None:
        reserved.end(match.table_id, now)
        steps.open_again(event, match)
