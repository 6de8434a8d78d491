"""Computes players' performances from the logs of ended games."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import datetime
from typing import Any
from uuid import UUID

import structlog
from django.db import DatabaseError, DataError, IntegrityError, transaction

from games.bots import worth
from games.engine.actions import SWAP, parse_action
from games.engine.cards import BIT, SUIT_MASK, UNNAMED
from games.engine.deal import Deal
from games.engine.game import Game as EngineGame
from games.engine.rules import HAND, RuleSet
from games.engine.scoring import NEEDED
from games.models import Game, GameEvent, GameSeat, Performance, Player
from games.models.log import RESIGNED
from games.models.shared_deals import sealed
from games.records.outcomes import PRACTICE, Outcome, outcome_of
from games.records.sums import DealTotals
from games.shuffle.dealing import packs_of

log = structlog.get_logger(__name__)

#: Games processed in one run, so that a long backlog does not hold up other tasks.
AT_ONCE = 50


def record_ended(most: int = AT_ONCE) -> int:
    """Store the performances in ended games and return how many; safe to run concurrently.

    Games whose deals other tables still play have to wait. If games cannot be replayed or stored,
    however many, raise the error of one once the others are done, so that the failed task is
    counted (`office.failures`).
    """
    ended = Game.objects.filter(~sealed(), noted=False, ended__isnull=False).order_by("ended")
    games = ended.prefetch_related("seats__player").select_related("table")
    failed: dict[UUID, Exception] = {}
    recorded = 0
    while some := games.exclude(pk__in=failed)[: most - recorded]:
        for game in some:
            try:
                record(game)
                recorded += 1
            except Exception as error:
                of_one_game = isinstance(error, DataError | IntegrityError)
                if isinstance(error, DatabaseError) and not of_one_game:
                    raise
                log.exception("performances not recorded", game=str(game.pk))
                failed[game.pk] = error
    if failed:
        raise next(iter(failed.values()))
    return recorded


@transaction.atomic
def record(game: Game) -> None:
    """Store the performances in an ended game, and the seats for which house players acted.

    A game resigned at 0–0 is a loss for its side but a win for no one, so that two players cannot
    produce wins quickly. A practice game is listed but adds to no statistics, because players have
    had hints, or seen cards by undoing. What house players played from first to last for
    somebody who never came is not that person's game.
    """
    # The row is locked, so that a result set meanwhile comes before or after all of this.
    columns = Game.objects.select_for_update().values_list("ruling", "for_practice")
    game.ruling, game.for_practice = columns.get(pk=game.pk)
    game.for_practice = not game.table.reserved and game.practice
    seats = {seat.position: seat for seat in game.seats.all()}
    events = game.line_of_play("seat", "player", "by", "action")
    totals, stood_in = _totals(game, seats, events)
    in_person = {seat for seat, _player, by, _action in events if by == GameEvent.By.PERSON}
    never_came = {event[0] for event in events if event[2] == GameEvent.By.HOUSE} - in_person
    players = {position: seat.player_id for position, seat in seats.items()}
    ended, outcome = game.ended or game.moved, outcome_of(game)
    given_away = outcome.winner if outcome.how == RESIGNED and outcome.log == (0, 0) else -1
    if outcome.how == PRACTICE:
        totals = [DealTotals() for _ in totals]
    Performance.objects.bulk_create(
        (
            _performance(
                players, game.rules, position, outcome,
                game=game, ended=ended, **asdict(totals[position]),
            )
            for position, seat in seats.items()
            if seat.player.kind != Player.Kind.HOUSE
            and game.rules.side_of(position) != given_away
            and position not in never_came
        ),
        ignore_conflicts=True,
    )  # fmt: skip
    Game.objects.filter(pk=game.pk).update(
        noted=True, stood_in=stood_in, for_practice=game.for_practice
    )


def settle(game: Game) -> None:
    """Update a game's performances to the result that counts now; its row must be locked."""
    outcome = outcome_of(game)
    for done in game.performances.all():
        side = game.rules.side_of(done.position)
        seen = outcome.seen_from(side)
        done.result, (done.points, done.against) = seen.results[0], seen.score
        done.save(update_fields=["result", "points", "against"])


def record_unplayed(
    match: int,
    seats: Sequence[Player],
    rules: RuleSet,
    outcomes: Mapping[int, Outcome],
    ended: datetime,
) -> None:
    """Replace the performances of a match's games that have a result without being played."""
    Performance.objects.filter(match=match).delete()
    players = {position: player.pk for position, player in enumerate(seats)}
    Performance.objects.bulk_create(
        _performance(
            players, rules, position, outcome, match=match, number=number, ended=ended, deals=0
        )
        for number, outcome in outcomes.items()
        for position, player in enumerate(seats)
        if player.kind != Player.Kind.HOUSE
    )


def _totals(
    game: Game, seats: dict[int, GameSeat], events: Sequence[tuple[Any, ...]]
) -> tuple[list[DealTotals], str]:
    """Return the totals of each seat, and `Game.stood_in`; only calls made in person count."""
    own = {seat for seat, one in seats.items() if one.player.kind != Player.Kind.HOUSE}
    rules = game.rules
    engine = EngineGame(rules, game.first_dealer, packs_of(game))
    totals = [DealTotals() for _ in range(rules.players)]
    own_call, stood_in, absent = False, "", 0
    for seat, player, by, action in events:
        if by == GameEvent.By.HOUSE and seat in own:
            absent |= 1 << seat
        before = engine.deal.maker
        engine.push(parse_action(action))
        deal = engine.deal
        if before < 0 <= deal.maker:
            own_call = by == GameEvent.By.PERSON and player == seats[seat].player_id
        if deal.result is not None:
            _count(rules, totals, deal, own_call=own_call, absent=absent)
            own_call, stood_in, absent = False, f"{stood_in}{absent:x}", 0
    return totals, stood_in


def _count(
    rules: RuleSet, totals: list[DealTotals], deal: Deal, *, own_call: bool, absent: int
) -> None:
    """Add a finished deal; absent: the seats for which house players acted in it, as bits."""
    worths = worth.of_sides(rules, deal.start[0])
    for seat, one in enumerate(totals):
        one.deals += 1
        one.worth += worths[rules.side_of(seat)]
        one.worth_against += worths[1 - rules.side_of(seat)]
    if deal.maker < 0 or deal.result is None:
        return
    taken = deal.result.tricks[deal.result.makers]
    if taken < NEEDED:
        for seat, one in enumerate(totals):
            defended = rules.side_of(seat) != deal.result.makers
            one.euchres += defended
            played = seat not in deal.sitting_out and not absent >> seat & 1
            one.lone_euchres += defended and deal.alone and played
    if deal.defender >= 0:
        totals[deal.defender].lone_defences += not absent >> deal.defender & 1
    if own_call:
        maker = totals[deal.maker]
        place = (deal.maker - deal.dealer - 1) % rules.players + 1
        if deal.trump < UNNAMED:
            trumps = _held_when_calling(deal) & SUIT_MASK[deal.trump][deal.trump]
            maker.add_call(place, trumps.bit_count())
        else:
            maker.called += 1
            maker.no_trump += 1
        maker.made += taken >= NEEDED
        maker.marched += taken == HAND
        maker.euchred += taken < NEEDED
        maker.alone += deal.alone
        maker.alone_marched += deal.alone and taken == HAND


def _held_when_calling(deal: Deal) -> int:
    """Return the maker's cards after a swap, and the turn-up if the maker takes it up."""
    hands, turn_up = deal.start
    held = hands[deal.maker]
    for seat, action in deal.answers:
        if seat == deal.maker and action.kind == SWAP:
            held ^= action.value | deal.rules.pack_mask & ~sum(hands, BIT[turn_up])
    if deal.maker == deal.dealer and deal.trump == deal.turned_suit:
        held |= BIT[turn_up]
    return held


def _performance(
    players: Mapping[int, int], rules: RuleSet, position: int, outcome: Outcome, **more: Any
) -> Performance:
    partner, left = rules.partner_of(position), rules.after(position)
    right = (position - 1) % rules.players if rules.players > 2 else None
    seen = outcome.seen_from(rules.side_of(position))
    return Performance(
        player_id=players[position],
        partner_id=None if partner is None else players.get(partner),
        left_id=players.get(left),
        right_id=None if right is None else players.get(right),
        position=position,
        rules=rules.name,
        result=seen.results[0],
        points=seen.score[0],
        against=seen.score[1],
        **more,
    )
