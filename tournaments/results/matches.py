"""The matches of a round: what is played at a table, the score, and how the match is decided."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial
from typing import Any, NamedTuple

from django.db.models import F

from games.engine.rules import RuleSet
from games.models import Game, Player, Seat
from games.records import LOST, deals, outcomes
from games.records.outcomes import Outcome
from games.seats import reserved
from games.seats.reserved import TableResult
from tournaments.models import (
    Entry,
    Event,
    Pairing,
    PairingEntry,
    Round,
    Substitution,
    events,
)
from tournaments.models.events import GAMES_TO_WIN

TIE = -1  # in place of a side


class MatchScore(NamedTuple):
    """The score of a match: games won by each side, and points in all its games."""

    games: tuple[int, int] = (0, 0)
    points: tuple[int, int] = (0, 0)


def score_of(results: Sequence[TableResult]) -> MatchScore:
    return MatchScore(
        (sum(one.winner == 0 for one in results), sum(one.winner == 1 for one in results)),
        (sum(one.score[0] for one in results), sum(one.score[1] for one in results)),
    )


def leader(first: int, second: int) -> int:
    """Return the side that has more, or `TIE`."""
    return TIE if first == second else int(second > first)


def match_kind(event: Event, pairing: Pairing) -> tuple[str, int | None]:
    """Return the kind of match that is played, and its number of hands if it has one."""
    if pairing.final and event.final_match:
        return event.final_match, event.final_deals
    return event.match, event.deals


def needs_winner(event: Event, round_: Round) -> bool:
    return event.is_knock_out or round_.stage == 2


def plays_off_ties(event: Event, round_: Round) -> bool:
    """Return whether a tied match goes on hand by hand: in a knock-out, or by the event's rule."""
    return needs_winner(event, round_) or event.ties == Event.Ties.HAND


def rules_for(event: Event, pairing: Pairing, number: int) -> RuleSet:
    """Return the rules for one of a match's games, numbered from 1.

    A tied match of hands that is played off is continued by one hand at a time. Where a number of
    hands is played there is no target, so nobody is near it.
    """
    kind, deals = match_kind(event, pairing)
    if kind != Event.Match.DEALS:
        return event.rules
    hands = deals if number == 1 else 1
    rules = replace(event.rules, target=None, deals=hands, no_lone_near_end=False)
    return as_duplicate(rules) if event.first_stage.duplicate else rules


def as_duplicate(rules: RuleSet) -> RuleSet:
    """Return rules under which the same packs give the same deals at every table.

    Nobody cuts, all dealers deal the packets in the same order, and a hand thrown in is not dealt
    again.
    """
    return replace(rules, cut=False, packets_by_dealer=False, thrown_in_counts=True)


def seated(pairing: Pairing) -> list[Player]:
    """Return the players who were drawn into a match by seat: the first of each side, and so on."""
    return _by_seat(pairing, {})


def seated_then(pairing: Pairing) -> list[Player]:
    """Return as `seated`, with those who sat there in the round of the match."""
    left = Substitution.objects.filter(
        entry__pairings__pairing=pairing, until__gte=pairing.round.number
    )
    latest_first = left.select_related("player").order_by("-until", "-pk")
    return _by_seat(pairing, {(one.entry_id, one.position): one.player for one in latest_first})


def _by_seat(pairing: Pairing, past: Mapping[tuple[int, int], Player]) -> list[Player]:
    """Return the players of a match by seat; past: who held the seat of an entry then."""
    lines = PairingEntry.objects.filter(pairing=pairing).order_by("side", "position")
    sides: tuple[list[Player], list[Player]] = ([], [])
    for line in lines.prefetch_related("entry__players__player"):
        sides[line.side].extend(
            past.get((one.entry_id, one.position), one.player) for one in line.entry.players.all()
        )
    return [player for both in zip(*sides, strict=True) for player in both]


def match_length(event: Event, pairing: Pairing) -> int:
    return events.match_length(event, *match_kind(event, pairing))


def winner_of(event: Event, pairing: Pairing, results: Sequence[TableResult]) -> int | None:
    """Return the winner of a match whose games are over, or `TIE`; None if it goes on."""
    score = score_of(results)
    kind, _deals = match_kind(event, pairing)
    if kind in GAMES_TO_WIN:
        best = max(score.games)
        return score.games.index(best) if best >= GAMES_TO_WIN[Event.Match(kind)] else None
    winner = leader(*score.points)
    return None if winner == TIE and plays_off_ties(event, pairing.round) else winner


def winner_on_time(results: Sequence[TableResult]) -> int:
    """Return the leader when time ends a match before its last game is over.

    Games won decide first, then the score of the unfinished game.
    """
    first, second = score_of(results).games
    if first != second or not results or results[-1].winner != TIE:
        return leader(first, second)
    return leader(*results[-1].score)


def by_lot(pairing: Pairing) -> int:
    """Return the side with the better lot, for a knock-out match that is tied when time is up."""
    lots = [
        min(line.entry.lot or 0 for line in pairing.entries.all() if line.side == side)
        for side in (0, 1)
    ]
    return leader(-lots[0], -lots[1])


def decide(
    pairing: Pairing, winner: int, how: str, now: datetime, results: Sequence[TableResult] = ()
) -> None:
    """Store how a match ended (`Pairing.How`) and who did not show up.

    This closes the table unless the match was played out. A forfeit has no points, but the deals
    that a table of a duplicate event has finished stay on record.
    """
    if pairing.table_id is not None and how != Pairing.How.PLAYED:
        reserved.end(pairing.table_id, now)
    score = score_of(results)
    pairing.state, pairing.how, pairing.winner = Pairing.State.DECIDED, how, winner
    pairing.games_0, pairing.games_1 = score.games
    pairing.points_0, pairing.points_1 = score.points
    pairing.lone_0, pairing.lone_1 = _lone(results)
    pairing.deal_results = deal_results(pairing)
    pairing.decided = now
    pairing.played_out = how in (Pairing.How.PLAYED, Pairing.How.TIME)
    pairing.save()
    if pairing.table_id is None:
        return
    people = Seat.objects.filter(table=pairing.table_id, player__kind=Player.Kind.PERSON)
    came = people.filter(last_seen__gte=F("table__created")).values("player")
    here = Entry.objects.filter(pairings__pairing=pairing)
    here.filter(players__player__in=came).update(missed=0, warned=False)
    awaited = here.filter(players__player__in=people.values("player"))
    absent = awaited.exclude(players__player__in=came).values_list("pk", flat=True)
    Entry.objects.filter(pk__in=list(absent)).update(missed=F("missed") + 1)
    if how != Pairing.How.PLAYED:
        reserved.set_rulings(pairing.table_id, partial(_ruling_for_unfinished, pairing))


Played = Sequence[tuple[Game, Outcome]]


def _ruling_for_unfinished(pairing: Pairing, played: Played) -> dict[int, Outcome]:
    """Return what counts for the last game of a match if that was not played to its end.

    A forfeit ends the running game with a winner and a loser. If the lot decided a match of one
    game, it decides the game too.
    """
    if not played:
        return {}
    game, outcome = played[-1]
    if pairing.how == Pairing.How.FORFEIT and outcome.how != outcomes.PLAYED:
        return {game.number: forfeited(pairing.winner, outcome)}
    drawn_by_lot = pairing.how == Pairing.How.TIME and len(played) == 1 and outcome.winner == TIE
    if drawn_by_lot and pairing.winner != TIE:
        results = outcomes.results_of(pairing.winner)
        return {game.number: outcome._replace(results=results, how=outcomes.LOT)}
    return {}


def forfeited(winner: int, outcome: Outcome) -> Outcome:
    """Return the outcome of a game forfeited by one side, or with `TIE` by both: no points."""
    lost = (LOST, LOST)
    results = lost if winner == TIE else outcomes.results_of(winner)
    return outcome._replace(results=results, score=(0, 0), how=outcomes.FORFEIT)


def deal_results(pairing: Pairing) -> list[dict[str, Any]]:
    """Return what a table that shares its deals has made of each that it has played."""
    if pairing.table is None or pairing.table.shared_deals_id is None:
        return []
    ended = pairing.table.games.exclude(state=Game.State.PLAYING).order_by("number").first()
    return list(deals.deal_results(ended.pk, ended.version)) if ended is not None else []


def lone_marches(pairing: Pairing) -> tuple[int, int]:
    """Return how many lone marches each side of a match has made, in all its games."""
    if pairing.table_id is None:
        return 0, 0
    return _lone(reserved.results([pairing.table_id])[pairing.table_id])


def _lone(results: Sequence[TableResult]) -> tuple[int, int]:
    lone = [reserved.lone_marches(one.game_id, one.version) for one in results if not one.running]
    return sum(first for first, _ in lone), sum(second for _, second in lone)


def absent_sides(pairing: Pairing, missing: Collection[int]) -> set[int]:
    """Return the sides that lack one of these players; prefetch `entries__entry__players`."""
    return {
        line.side
        for line in pairing.entries.all()
        for player in line.entry.players.all()
        if player.player_id in missing
    }
