"""Results set by hand: by a director, who may also correct what was played."""

from datetime import datetime

from games.models import Player
from games.services import reserved
from tournaments.models import Correction, Event, Pairing
from tournaments.refusals import RefusedError
from tournaments.services import drawing, finishing, holding, matches, ranking, rating, webhooks
from tournaments.services.changes import changed
from tournaments.services.record import note

#: The most points a side can be given in a match.
MOST_POINTS = 999


def set_result(
    pairing: Pairing,
    by: Player,
    winner: int,
    points: tuple[int, int],
    *,
    reason: str,
    now: datetime,
) -> None:
    """Set or correct the result of a match; what it was stays on the record.

    Args:
        pairing: the match; if it is being played, it ends.
        by: the director.
        winner: 0 for north and south, 1 for east and west, -1 for a tie.
        points: of both sides.
        reason: why, at most 200 characters.
        now: the moment.

    Raises:
        RefusedError: the result is none, or the next round was drawn with another winner.
    """
    reason = reason.strip()
    if not 1 <= len(reason) <= 200:
        raise RefusedError("reason", "Give a reason of 1 to 200 characters.", 422)
    if winner not in {-1, 0, 1} or not all(0 <= each <= MOST_POINTS for each in points):
        raise RefusedError("result", f"A side wins or it is a tie; 0 to {MOST_POINTS} points.", 422)
    with holding.held(pairing.round.event) as held:
        if held.state not in (Event.State.RUNNING, Event.State.FINISHED):
            stands = held.get_state_display()
            raise RefusedError("not running", f"An event at “{stands}” has no results.")
        match = Pairing.objects.select_related("round").get(pk=pairing.pk)
        _check_change(held, match, winner)
        before = _values(match)
        if match.table_id is not None:
            reserved.end(match.table_id, now)
        match.state, match.how = Pairing.State.DECIDED, Pairing.How.DIRECTOR
        match.winner = winner
        match.points_0, match.points_1 = points
        match.games_0, match.games_1 = int(winner == 0), int(winner == 1)
        match.decided = match.decided or now
        match.save()
        correction = Correction.objects.create(
            pairing=match, by=by, at=now, before=before, after=_values(match), reason=reason
        )
        said = f"{points[0]}–{points[1]}"
        note(held, f"Round {match.round.number}, table {match.number}: {said}. {reason}", by)
        if held.state == Event.State.FINISHED:
            _check_over(held)
            finishing.settle(held)
            rating.mark(held)
            webhooks.event_corrected(held, correction, now)
        else:
            held.due = now
            held.save(update_fields=["due"])
        changed(held)


def _check_change(event: Event, match: Pairing, winner: int) -> None:
    """Refuse a result that the match cannot have."""
    if not matches.needs_winner(event, match.round):
        return
    if winner == matches.TIE:
        raise RefusedError("tie", "A match of a knock-out has a winner.", 422)
    later = event.played_rounds.filter(number__gt=match.round.number).exists()
    decided = match.state == Pairing.State.DECIDED
    if decided and later and winner != _went_on(event, match):
        raise RefusedError(
            "drawn", "The next round has been drawn with its winner: that cannot be changed."
        )


def _check_over(event: Event) -> None:
    """Refuse a result after which the knock-out of an event that has ended would go on."""
    field = ranking.field_of(event)
    if any(node.playable for node in drawing.nodes(field, ranking.best_of(field))):
        raise RefusedError(
            "final", "It would call for another match, and the event is over: the winner stays."
        )


def _went_on(event: Event, match: Pairing) -> int:
    """The side that went on: of a forfeit by both the better seed did."""
    if match.winner != matches.TIE:
        return match.winner
    field = ranking.field_of(event, unfinished=True)
    sides = {line.entry_id: line.side for line in match.entries.all()}
    for node in drawing.nodes(field, ranking.best_of(field)):
        if node.winner in sides and node.loser in sides:
            return sides[node.winner]
    return matches.TIE


def _values(match: Pairing) -> dict[str, object]:
    return {
        "winner": match.winner,
        "points": [match.points_0, match.points_1],
        "games": [match.games_0, match.games_1],
        "how": match.how,
    }
