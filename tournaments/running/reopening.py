"""Playing a match again whose result is taken away, as long as no later round follows from it."""

from datetime import datetime, timedelta

from tournaments.models import Entry, Event, Pairing, Substitution
from tournaments.refusals import RefusedError
from tournaments.results import corrections, matches
from tournaments.running import steps


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


def reopen(event: Event, match: Pairing, now: datetime, *, anew: bool) -> None:
    """Take the result of a match away and let it be played again; see `check`.

    The event must be locked. A round that was over goes on. A match online gets a new table; its
    players are called now, and get the whole time of a round. One in the room gets it too if it is
    played `anew`; otherwise it goes on where it was. Substitutes who came after it play.
    """
    check(event, match)
    left = Substitution.objects.filter(entry__pairings__pairing=match)
    left.filter(until__gte=match.round.number).update(until=match.round.number - 1)
    corrections.count_nothing(event, match)
    match.state = Pairing.State.PLAYING if match.in_room else Pairing.State.CALLED
    match.how, match.winner = "", matches.TIE
    match.points_0 = match.points_1 = match.games_0 = match.games_1 = 0
    match.lone_0 = match.lone_1 = 0
    if not match.in_room:  # in the room they stand on its card
        match.penalty_0 = match.penalty_1 = 0
    match.time_up, match.rated, match.played_out, match.decided = "", False, False, None
    match.deal_results, match.scores, match.table = [], [], None
    match.save()
    if not match.in_room:
        steps.open_again(event, match)
    round_, at = match.round, event.paused or now
    round_.over = None
    if anew or not match.in_room:
        round_.called = at
        if round_.ends is not None and event.round_minutes:
            round_.ends = max(round_.ends, at + timedelta(minutes=event.round_minutes))
    round_.save(update_fields=["over", "called", "ends"])
    event.final_at, event.due = None, now
    event.save(update_fields=["final_at", "due"])
