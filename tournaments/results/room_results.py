"""Results of matches that were played in the room, with real cards."""

from datetime import datetime

from tournaments.models import Entry, Event, Pairing
from tournaments.results import corrections, possible
from tournaments.results.possible import Ruling


def decide(event: Event, match: Pairing, ruling: Ruling, now: datetime) -> None:
    """Store the first result of a match in the room and let its round go on.

    The event must be locked, and `possible.errors` have nothing against the ruling.
    """
    match.state, match.how, match.decided = Pairing.State.DECIDED, ruling.ended, now
    match.played_out = ruling.ended != possible.FORFEIT
    store(match, ruling)
    match.save()
    if match.played_out:
        Entry.objects.filter(pairings__pairing=match).update(missed=0, warned=False)
    corrections.count(event, match, ruling)
    event.due = now
    event.save(update_fields=["due"])


def store(match: Pairing, ruling: Ruling) -> None:
    """Set what a ruling says about the score, without saving the match."""
    scored = ruling if ruling.ended != possible.FORFEIT else ruling._replace(scores=(), lone=(0, 0))
    match.winner = ruling.winner
    match.points_0, match.points_1 = scored.points
    match.games_0, match.games_1 = scored.games if scored.scores else (0, 0)
    match.scores = [list(score) for score in scored.scores]
    match.lone_0, match.lone_1 = scored.lone or match.lone_hands
