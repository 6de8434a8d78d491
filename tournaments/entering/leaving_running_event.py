"""Leaving a running event and coming back, by the player or the director."""

from datetime import datetime
from typing import Any

from games.models import Player
from games.seats import reserved
from tournaments.changes import row_images
from tournaments.events import acts
from tournaments.events.notices import note
from tournaments.models import Act, Entry, Event, Pairing, PairingEntry, Round
from tournaments.refusals import RefusedError
from tournaments.results import matches
from tournaments.standings import conflicts_of_interest


def withdraw(entry: Entry, by: Player, now: datetime, *, reason: str = "") -> None:
    """Withdraw an entry from a running event; its results so far count.

    It loses its current match; in events with changing partners a house player takes over instead,
    or in the room whoever the director lets sit in.
    reason: given by a director, whose act is recorded; empty when players leave by themselves.
    """
    with row_images.changing(entry.event) as locked:
        must_run(locked)
        mine = locked.entries.select_for_update().get(pk=entry.pk)
        if mine.state == Entry.State.WITHDRAWN or mine.seed is None:
            raise RefusedError("not playing", "This entry is not playing in the event.")
        must_go_on(locked)
        conflicts_of_interest.check_withdrawal(locked, mine, by)
        line = open_seat(mine)
        before = _values_of(mine)
        _leave(locked, mine, line, now)
        note(locked, f"{_named(mine)}: withdrawn.", by)
        if reason:
            match, after = line.pairing if line else None, _values_of(mine)
            acts.record(
                locked, Act.Kind.WITHDRAW, by, now, on=mine, match=match, reason=reason,
                before=before, after=after,
            )  # fmt: skip


def open_seat(entry: Entry) -> PairingEntry | None:
    """Return the entry's line in a match that is not decided."""
    return (
        PairingEntry.objects.filter(entry=entry, round__over=None)
        .exclude(pairing__state=Pairing.State.DECIDED)
        .select_related("pairing__round")
        .first()
    )


def goes_on(event: Event, line: PairingEntry) -> bool:
    """Return whether a match goes on without an entry, because its partner there stays."""
    return event.individual and line.pairing.entries.filter(side=line.side).count() == 2


def _leave(event: Event, entry: Entry, line: PairingEntry | None, now: datetime) -> None:
    """Mark an entry as withdrawn; `line` is its seat in an undecided match, if it has one."""
    entry.state = Entry.State.WITHDRAWN
    entry.save(update_fields=["state"])
    if line is None:
        return
    if goes_on(event, line):
        if line.pairing.in_room:
            return
        players = list(entry.players.values_list("player", flat=True))
        reserved.stand_in_for(line.pairing.table_id or 0, players)
        return
    matches.decide(line.pairing, 1 - line.side, Pairing.How.FORFEIT, now)
    event.due = now
    event.save(update_fields=["due"])


def put_back(entry: Entry, by: Player, now: datetime, *, reason: str = "") -> None:
    """Let a withdrawn entry play again from the next round."""
    with row_images.changing(entry.event) as locked:
        must_run(locked)
        mine = locked.entries.select_for_update().get(pk=entry.pk)
        if mine.state != Entry.State.WITHDRAWN or mine.seed is None:
            raise RefusedError(
                "playing", "Only an entry that has played and withdrawn can be put back."
            )
        must_go_on(locked)
        conflicts_of_interest.check_return(locked, mine, by)
        before = _values_of(mine)
        mine.state, mine.missed, mine.warned = Entry.State.CHECKED_IN, 0, False
        mine.save(update_fields=["state", "missed", "warned"])
        note(locked, f"{_named(mine)}: back in the event.", by)
        after = _values_of(mine)
        acts.record(
            locked, Act.Kind.PUT_BACK, by, now, on=mine, reason=reason, before=before, after=after
        )


def _values_of(entry: Entry) -> dict[str, Any]:
    """Return the state of an entry, and how many rounds were drawn, as acts store them."""
    rounds = Round.objects.filter(event=entry.event_id).count()
    return {"state": entry.state, "rounds": rounds}


def must_run(event: Event) -> None:
    if event.state != Event.State.RUNNING:
        raise RefusedError("not running", "This is possible only while the event is running.")


def must_go_on(event: Event) -> None:
    """Raise RefusedError once all rounds are played and only corrections are possible."""
    if event.final_at is not None:
        words = (
            "All matches have been played. Only results can still be corrected, until they are"
            " final."
        )
        raise RefusedError("all played", words)


def check_no_round_since(event: Event, latest: int, how: str, instead: str) -> None:
    """Refuse an undo once a round has been drawn after the `latest` then, or the event is over."""
    if event.state != Event.State.RUNNING:
        raise RefusedError("depends", "The event is over.")
    since = event.played_rounds.filter(number__gt=latest).order_by("number").first()
    if since is not None:
        raise RefusedError("depends", f"Round {since.number} was drawn {how}. {instead}")


def _named(entry: Entry) -> str:
    return Entry.objects.prefetch_related("players__player").get(pk=entry.pk).name
