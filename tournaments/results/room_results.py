"""Results of matches that were played in the room, with real cards."""

from datetime import datetime, timedelta

from django.conf import settings

from games.models import Player
from tournaments.models import Entry, Event, Pairing, Substitution
from tournaments.results import corrections, matches, possible
from tournaments.results.possible import Ruling


def decide(event: Event, match: Pairing, ruling: Ruling, now: datetime) -> None:
    """Store the first result of a match in the room and let its round go on.

    The event must be locked, and `possible.errors` have nothing against the ruling.
    """
    store(event, match, ruling)
    match.state, match.how, match.decided = Pairing.State.DECIDED, ruling.ended, now
    match.played_out = ruling.ended != possible.FORFEIT
    match.save()
    if match.played_out:
        Entry.objects.filter(pairings__pairing=match).update(missed=0, warned=False)
    corrections.count(event, match, ruling)
    event.due = now
    event.save(update_fields=["due"])


def store(event: Event, match: Pairing, ruling: Ruling) -> None:
    """Set what a ruling says about the score, without saving the match.

    Its first score also decides whether the match is rated.
    """
    forfeit = ruling.ended == possible.FORFEIT
    if not forfeit and match.how in {"", Pairing.How.FORFEIT}:
        match.rated = event.rated and _can_be_rated(event, match)
    scored = ruling._replace(scores=(), lone=(0, 0)) if forfeit else ruling
    match.winner = ruling.winner
    match.points_0, match.points_1 = scored.points
    match.games_0, match.games_1 = scored.games if scored.scores else (0, 0)
    match.scores = [list(score) for score in scored.scores]
    match.lone_0, match.lone_1 = scored.lone or match.lone_hands


def _can_be_rated(event: Event, match: Pairing) -> bool:
    """Return whether a match was long enough, and played to its end by those drawn into it.

    If somebody left who entered alone, or was replaced once the match had begun, others have sat in
    for some hands, and nobody knows which.
    """
    if matches.match_length(event, match) < settings.RATING_LEAST_HANDS:
        return False
    left = Entry.objects.filter(pairings__pairing=match, state=Entry.State.WITHDRAWN)
    if event.individual and left.exists():
        return False
    if _replaced_late(event, match):
        return False
    return all(player.kind == Player.Kind.PERSON for player in matches.seated(match))


def _replaced_late(event: Event, match: Pairing) -> bool:
    """Return whether a seat changed hands once the match was written on, or no longer awaited."""
    if match.round.drawn is None:
        return False
    begun = match.round.drawn + timedelta(minutes=event.no_show_minutes)
    first = match.score_lines.order_by("pk").first()
    if first is not None:
        begun = min(begun, first.at)
    left = Substitution.objects.filter(entry__pairings__pairing=match, at__gte=begun)
    return left.filter(until=match.round.number - 1).exists()
