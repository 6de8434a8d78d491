"""The matches of a round: what is played at a table, where it stands, and how it is decided."""

from collections.abc import Collection, Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial
from typing import NamedTuple

from django.db.models import F

from games.engine.rules import RuleSet
from games.models import Game, Player, Seat
from games.records import LOST, outcomes
from games.records.outcomes import Outcome
from games.seats import reserved
from games.seats.reserved import TableResult
from tournaments.models import Entry, Event, Pairing, Round, events
from tournaments.models.events import GAMES_TO_WIN

TIE = -1
#: How many games win a match.


class MatchScore(NamedTuple):
    """Where a match stands.

    Attributes:
        games: how many each side has won.
        points: of both sides in all games, the running one included.
    """

    games: tuple[int, int] = (0, 0)
    points: tuple[int, int] = (0, 0)


def score_of(results: Sequence[TableResult]) -> MatchScore:
    """Add up the games of a match."""
    return MatchScore(
        (sum(one.winner == 0 for one in results), sum(one.winner == 1 for one in results)),
        (sum(one.score[0] for one in results), sum(one.score[1] for one in results)),
    )


def leader(first: int, second: int) -> int:
    """Return the side that has more, or -1."""
    return TIE if first == second else int(second > first)


def what_is_played(event: Event, pairing: Pairing) -> tuple[str, int | None]:
    """Return the kind of match, and the number of its hands if it has one."""
    if pairing.final and event.final_match:
        return event.final_match, event.final_deals
    return event.match, event.deals


def needs_winner(event: Event, round_: Round) -> bool:
    """Whether a match of this round cannot be tied."""
    return event.is_knock_out or round_.stage == 2


def rules_for(event: Event, pairing: Pairing, number: int) -> RuleSet:
    """Return the rules of a match's game by its number, from 1.

    A match of a number of hands that must not be tied goes on by one hand at a time.
    """
    kind, deals = what_is_played(event, pairing)
    if kind != Event.Match.DEALS:
        return event.rules
    return replace(event.rules, target=None, deals=deals if number == 1 else 1)


def hands_set(event: Event, pairing: Pairing) -> int:
    """Return how long a match is set to be: its hands, or the points that win it."""
    return events.hands_set(event, *what_is_played(event, pairing))


def winner_of(event: Event, pairing: Pairing, results: Sequence[TableResult]) -> int | None:
    """Return who has won a match whose games are over, -1 for a tie; None: it goes on."""
    score = score_of(results)
    kind, _deals = what_is_played(event, pairing)
    if kind in GAMES_TO_WIN:
        best = max(score.games)
        return score.games.index(best) if best >= GAMES_TO_WIN[Event.Match(kind)] else None
    winner = leader(*score.points)
    return None if winner == TIE and needs_winner(event, pairing.round) else winner


def winner_on_time(results: Sequence[TableResult]) -> int:
    """Return who leads when a match ends before its last game.

    The games won decide, then the score of a game that nobody has won.
    """
    first, second = score_of(results).games
    if first != second or not results or results[-1].winner != TIE:
        return leader(first, second)
    return leader(*results[-1].score)


def by_lot(pairing: Pairing) -> int:
    """Return the side with the better lot, for a match that time left tied and must be won."""
    lots = [
        min(line.entry.lot or 0 for line in pairing.entries.all() if line.side == side)
        for side in (0, 1)
    ]
    return leader(-lots[0], -lots[1])


def decide(
    pairing: Pairing, winner: int, how: str, now: datetime, results: Sequence[TableResult] = ()
) -> None:
    """Store how a match ended, and who of its entries did not come; its table is left or closed.

    winner: a side, or -1. how: a `Pairing.How`. results: its games.
    """
    score = score_of(results)
    pairing.state, pairing.how, pairing.winner = Pairing.State.DECIDED, how, winner
    pairing.games_0, pairing.games_1 = score.games
    pairing.points_0, pairing.points_1 = score.points
    pairing.lone_0, pairing.lone_1 = _lone(results)
    pairing.decided = now
    pairing.played_out = how in (Pairing.How.PLAYED, Pairing.How.TIME)
    pairing.save()
    if pairing.table_id is None:
        return
    persons = Seat.objects.filter(table=pairing.table_id, player__kind=Player.Kind.PERSON)
    came = persons.filter(last_seen__gte=F("table__created")).values("player")
    here = Entry.objects.filter(pairings__pairing=pairing)
    here.filter(players__player__in=came).update(missed=0, warned=False)
    awaited = here.filter(players__player__in=persons.values("player"))
    absent = awaited.exclude(players__player__in=came).values_list("pk", flat=True)
    Entry.objects.filter(pk__in=list(absent)).update(missed=F("missed") + 1)
    if how != Pairing.How.PLAYED:
        reserved.end(pairing.table_id, now)
        reserved.rule(pairing.table_id, partial(_left_open, pairing))


Played = Sequence[tuple[Game, Outcome]]


def _left_open(pairing: Pairing, played: Played) -> dict[int, Outcome]:
    """What the last game of a match counts for that was not played to its end.

    A game that was going on at a forfeit is won and lost by it. One that time left tied in a match
    of one game is won by the lot that decided the match.
    """
    if not played:
        return {}
    game, stands = played[-1]
    if pairing.how == Pairing.How.FORFEIT and stands.how != outcomes.PLAYED:
        return {game.number: forfeited(pairing.winner, stands)}
    by_lot = pairing.how == Pairing.How.TIME and len(played) == 1 and stands.winner == TIE
    if by_lot and pairing.winner != TIE:
        results = outcomes.results_of(pairing.winner)
        return {game.number: stands._replace(results=results, how=outcomes.LOT)}
    return {}


def forfeited(winner: int, stands: Outcome) -> Outcome:
    """Return a game that a side, or with -1 both have lost by forfeit: it has no points."""
    lost = (LOST, LOST)
    results = lost if winner == TIE else outcomes.results_of(winner)
    return stands._replace(results=results, score=(0, 0), how=outcomes.FORFEIT)


def lone_marches(pairing: Pairing) -> tuple[int, int]:
    """Return how many hands each side of a match took alone with all tricks, in all its games."""
    if pairing.table_id is None:
        return 0, 0
    return _lone(reserved.results([pairing.table_id])[pairing.table_id])


def _lone(results: Sequence[TableResult]) -> tuple[int, int]:
    lone = [reserved.lone_marches(one.game_id) for one in results if not one.running]
    return sum(first for first, _ in lone), sum(second for _, second in lone)


def absent_sides(pairing: Pairing, missing: Collection[int]) -> set[int]:
    """Return the sides on which one of these players is; read `entries__entry__players`."""
    return {
        line.side
        for line in pairing.entries.all()
        for player in line.entry.players.all()
        if player.player_id in missing
    }
