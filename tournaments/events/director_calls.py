"""Calls for a director from the tables of a running event.

Everybody at a table of the latest round can call, also when the match is over, as about its score.
A call stands until a director answers it or the table takes it back; rounds that are drawn
meanwhile leave it as it is. `Pairing.director_called` is when it was made.
"""

from datetime import datetime

from django.db import transaction
from django.db.models import F, QuerySet
from django.utils import timezone

from games.models import Player
from tournaments.changes import live, row_locks
from tournaments.events.notices import note
from tournaments.models import Event, Membership, Pairing
from tournaments.models.clubs import DIRECTORS
from tournaments.refusals import RefusedError


def call(match: Pairing, by: Player | None, now: datetime) -> None:
    """Call for a director to a match's table; does nothing if one has been called there.

    by: None for a phone at the table that nobody is logged in on. The caller checks that it, or the
    player, belongs to the table. Raises RefusedError if the event is not running, or has gone on
    to another round.
    """
    with row_locks.changing(match.round.event) as event:
        latest = event.played_rounds.order_by("-number").first()
        if event.state != Event.State.RUNNING:
            state = event.get_state_display()
            raise RefusedError("not running", f"Nobody directs an event that is “{state}”.")
        if latest is None or match.round_id != latest.pk:
            words = f"Round {match.round.number} is over: call from your table of the next one."
            raise RefusedError("round over", words)
        rows = Pairing.objects.filter(pk=match.pk, director_called=None)
        if rows.update(director_called=now):
            note(event, f"{_where(match)} calls for a director.", by)
            _look_again(event)
            _tell_directors(event)


def take_back(match: Pairing, by: Player | None) -> None:
    """Take a table's call back; does nothing if it has been answered."""
    _end(match, by, "has taken its call for a director back")


def answer(match: Pairing, by: Player) -> None:
    """Let a director have answered a table's call; does nothing if another one has.

    A table that objected to its result may object again, which is shown as such.
    """
    _end(match, by, "had called for a director: answered", answered=timezone.now())


def calling(event: Event) -> QuerySet[Pairing]:
    """Return the matches at which a director is called for, the first call first."""
    rows = Pairing.objects.filter(round__event=event, director_called__isnull=False)
    return rows.select_related("round").order_by("director_called", "pk")


def _end(
    match: Pairing, by: Player | None, words: str, *, answered: datetime | None = None
) -> None:
    with row_locks.changing(match.round.event) as event:
        rows = Pairing.objects.filter(pk=match.pk, director_called__isnull=False)
        if answered:
            objecting = rows.filter(director_called__gte=F("decided"))
            objecting.update(objection_answered=answered)
        if rows.update(director_called=None):
            note(event, f"{_where(match)} {words}.", by)
            _look_again(event)
            _tell_directors(event)


def _look_again(event: Event) -> None:
    """Let the clock and the pages of a fully played event see that an objection came or went."""
    if event.final_at is not None:
        event.due = event.final_at
        event.save(update_fields=["due"])
        row_locks.changed(event)


def _where(match: Pairing) -> str:
    return f"Round {match.round.number}, table {match.number}"


def _tell_directors(event: Event) -> None:
    """Update the calls on the open pages of an event's directors, after the commit."""
    directors = Membership.objects.filter(club=event.club_id, role__in=DIRECTORS)
    players = list(directors.values_list("player", flat=True))
    transaction.on_commit(lambda: live.call(players))
