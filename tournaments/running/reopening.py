"""Matches played again, and rows of an act put back, with the tables brought in line."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, Final

from games.models import Game
from games.records import performances
from games.seats import reserved
from tournaments.changes import row_images
from tournaments.models import Entry, Event, Pairing, Substitution
from tournaments.refusals import RefusedError
from tournaments.results import corrections, matches
from tournaments.room_scores.codes import codes_of
from tournaments.running import steps

CHANGED: Final = "What it changed has been changed again since."


def check(event: Event, match: Pairing) -> None:
    """Raise RefusedError, naming the reason, if a match cannot be played again."""
    where = f"table {match.number} of round {match.round.number}"
    later = event.played_rounds.filter(number__gt=match.round.number).order_by("number").first()
    if later is not None:
        words = f"Round {later.number} was drawn with the result of {where}."
        raise RefusedError("depends", words)
    if event.state != Event.State.RUNNING:
        raise RefusedError("depends", f"The event is over, and its places include {where}.")
    if event.first_stage.duplicate:
        raise RefusedError("depends", f"The cards of {where} are known from the other tables.")
    gone = Entry.objects.filter(pairings__pairing=match, state=Entry.State.WITHDRAWN)
    if gone.exists() and not event.individual:
        names = " and ".join(one.name for one in gone.prefetch_related("players__player"))
        raise RefusedError("depends", f"{names} would have to play at {where}, but withdrew.")
    without = event.walk_ins.filter(player__entries__entry__pairings__pairing=match).first()
    if without is not None and not match.in_room:
        words = f"{without} has no account, so {where} cannot be played online again."
        raise RefusedError("depends", f"{words} Correct its result instead.")


def reopen(event: Event, match: Pairing, now: datetime) -> None:
    """Take the result of a match away and let it be played again; see `check`.

    The event must be locked. A round that was over goes on, with its whole time.
    """
    check(event, match)
    match.state = Pairing.State.PLAYING if match.in_room else Pairing.State.CALLED
    match.how, match.winner = "", matches.TIE
    match.points_0 = match.points_1 = match.games_0 = match.games_1 = 0
    match.lone_0 = match.lone_1 = 0
    if not match.in_room:  # in the room they stand on its card
        match.penalty_0 = match.penalty_1 = 0
    match.time_up, match.rated, match.played_out, match.decided = "", False, False, None
    match.objection_answered = None  # it was to another result
    match.deal_results, match.scores = [], []
    match.save()
    _play_on(event, [match], now, anew=True)


def _play_on(
    event: Event, undecided: Sequence[Pairing], now: datetime, *, anew: bool = False
) -> None:
    """Let matches of a round be played that are not decided any more.

    Those online get new tables. `anew`: their players are called now, and get the whole time of a
    round. Substitutes who came later play.
    """
    for match in undecided:
        left = Substitution.objects.filter(entry__pairings__pairing=match)
        left.filter(until__gte=match.round.number).update(until=match.round.number - 1)
        corrections.count_nothing(event, match)
        if match.in_room:
            codes_of(event, [match.number])
            continue
        match.state, match.table, match.time_up = Pairing.State.CALLED, None, ""
        match.save(update_fields=["state", "table", "time_up"])
        steps.open_again(event, match)
    if undecided:
        round_, at = undecided[0].round, event.paused or now
        round_.over = event.final_at = None
        if anew:
            round_.called = at
            if round_.ends is not None and event.round_minutes:
                round_.ends = max(round_.ends, at + timedelta(minutes=event.round_minutes))
        round_.save(update_fields=["over", "called", "ends"])
    if event.state == Event.State.RUNNING:
        event.due = now
        event.save(update_fields=["due", "final_at"])


def restore(event: Event, kept: Mapping[str, Any], now: datetime, changed: str = CHANGED) -> None:
    """Restore the rows that an act has kept; the event must be locked.

    A match whose result is back counts again. One that is not decided is played at a new table if
    it is online; if it was decided, or taken away, with the time of a whole round. Raises
    RefusedError as `row_images.restore`.
    """
    images = {
        int(pk): image
        for pk, image in row_images.of_model(kept, Pairing).items()
        if image["before"] and (image["after"] is None or "state" in image["after"])
    }
    for match in Pairing.objects.filter(pk__in=images):
        _check_state(match, images[match.pk]["after"]["state"])
        if match.table_id is not None:
            reserved.end(match.table_id, now)
    row_images.restore(event, kept, changed)
    rows = Pairing.objects.filter(pk__in=images).select_related("round").order_by("number")
    for match in rows.filter(state=Pairing.State.DECIDED):
        result = corrections.result_of(event, match)
        corrections.count(event, match, corrections.ruling_of(result))
    rulings = {pk: one["before"]["ruling"] for pk, one in row_images.of_model(kept, Game).items()}
    for game in Game.objects.filter(pk__in=rulings):
        game.ruling = rulings[str(game.pk)]
        game.save(update_fields=["ruling"])
        performances.settle(game)
    undecided = list(rows.exclude(state=Pairing.State.DECIDED))
    ended = {
        match
        for match in undecided
        if (images[match.pk]["after"] or {}).get("state") == Pairing.State.DECIDED
    }
    for match in ended:
        check(event, match)
    removed = {match for match in undecided if not images[match.pk]["after"]}
    _play_on(event, undecided, now, anew=any(not one.in_room for one in ended | removed))


def _check_state(match: Pairing, state: str) -> None:
    """Refuse if a match has begun or ended since an act has left it in a state."""
    if match.state != state:
        since = "has a result" if match.state == Pairing.State.DECIDED else "has begun"
        raise RefusedError("depends", f"The match at table {match.number} {since} since.")
