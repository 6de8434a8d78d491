"""Notes what everybody did in a game that has ended, from its log."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict

from django.db import transaction
from django.db.models import QuerySet

from games.bots import worth
from games.bots.worth import tricks_of
from games.engine.actions import parse_action
from games.engine.cards import SUIT_MASK
from games.engine.deal import Deal
from games.engine.game import Game as EngineGame
from games.engine.rules import HAND, RuleSet
from games.engine.scoring import NEEDED
from games.models import Game, GameEvent, GameSeat, Performance, Player
from games.records import Deeds
from games.services.dealing import packs_of

#: Games noted in one run, so that a long backlog does not hold up other tasks.
AT_ONCE = 50


def note_ended(most: int = AT_ONCE) -> int:
    """Note the games that have ended and are not noted yet, the oldest first; return how many.

    Twice, late or on several workers at once, it does the same.
    """
    waiting = Game.objects.filter(noted=False, ended__isnull=False).order_by("ended")[:most]
    games = list(waiting.prefetch_related("seats__player").select_related("table"))
    for game in games:
        note(game)
    return len(games)


@transaction.atomic
def note(game: Game) -> None:
    """Store what everybody did in a game that has ended, and whether persons played all of it."""
    seats = {seat.position: seat for seat in game.seats.all()}
    stored = GameEvent.objects.filter(game=game).order_by("seq")
    events = list(stored.values_list("seat", "player", "by", "action"))
    acted = {seat for seat, _, by, _ in events if by == GameEvent.By.PERSON}
    deeds = _deeds(game, seats, events)
    Performance.objects.bulk_create(
        (
            _performance(game, seats, position, deeds[position])
            for position, seat in seats.items()
            if seat.player.kind != Player.Kind.HOUSE
        ),
        ignore_conflicts=True,
    )
    peopled = acted >= set(range(game.rules.players))
    Game.objects.filter(pk=game.pk).update(noted=True, peopled=peopled)


def forget(games: QuerySet[Game]) -> None:
    """Let games be noted anew, after the way of counting has changed."""
    Performance.objects.filter(game__in=games).delete()
    games.update(noted=False)


def _deeds(
    game: Game, seats: dict[int, GameSeat], events: Sequence[tuple[int, int | None, str, str]]
) -> list[Deeds]:
    """What every seat did; a call counts if whoever has the seat now made it himself."""
    rules = game.rules
    engine = EngineGame(rules, game.first_dealer, packs_of(game))
    deeds = [Deeds() for _ in range(rules.players)]
    himself = False
    for seat, player, by, action in events:
        before = engine.deal.maker
        engine.push(parse_action(action))
        deal = engine.deal
        if before < 0 <= deal.maker:
            himself = by == GameEvent.By.PERSON and player == seats[seat].player_id
        if deal.result is not None:
            _count(rules, deeds, deal, himself=himself)
            himself = False
    return deeds


def _count(rules: RuleSet, deeds: list[Deeds], deal: Deal, *, himself: bool) -> None:
    worths = _worths(rules, deal)
    for seat, one in enumerate(deeds):
        one.deals += 1
        one.worth += worths[rules.side_of(seat)]
        one.worth_against += worths[1 - rules.side_of(seat)]
    if deal.maker < 0 or deal.result is None:
        return
    taken = deal.result.tricks[deal.result.makers]
    if taken < NEEDED:
        for seat, one in enumerate(deeds):
            one.euchres += rules.side_of(seat) != deal.result.makers
    if himself:
        maker = deeds[deal.maker]
        place = (deal.maker - deal.dealer - 1) % rules.players + 1
        maker.add_call(place, _trumps(deal))
        maker.made += taken >= NEEDED
        maker.marched += taken == HAND
        maker.euchred += taken < NEEDED
        maker.alone += deal.alone
        maker.alone_marched += deal.alone and taken == HAND


def _trumps(deal: Deal) -> int:
    """The trumps the maker was dealt, with the turn-up where he takes it himself."""
    hands, turn_up = deal.start
    held = hands[deal.maker]
    if deal.maker == deal.dealer and deal.trump == deal.turned_suit:
        held |= 1 << turn_up
    return (held & SUIT_MASK[deal.trump][deal.trump]).bit_count()


def _worths(rules: RuleSet, deal: Deal) -> tuple[float, float]:
    """The tricks to be expected from the hands dealt to each side, each with its best trump."""
    scale = worth.TOGETHER if rules.players == 4 else worth.BY_HIMSELF
    sides = [0.0, 0.0]
    for seat, hand in enumerate(deal.start[0]):
        sides[rules.side_of(seat)] += max(tricks_of(rules, scale, suit, hand) for suit in range(4))
    return sides[0], sides[1]


def _performance(
    game: Game, seats: dict[int, GameSeat], position: int, deeds: Deeds
) -> Performance:
    rules = game.rules
    side = rules.side_of(position)
    score = (game.score_0, game.score_1)
    partner = rules.partner_of(position)
    beside = [_player(seats, seat) for seat in _beside(rules, position)]
    return Performance(
        game=game,
        player_id=seats[position].player_id,
        partner_id=_player(seats, partner),
        left_id=beside[0],
        right_id=beside[-1] if len(beside) > 1 else None,
        position=position,
        rules=rules.name,
        ended=game.ended or game.moved,
        result=_result(game, side),
        points=score[side],
        against=score[1 - side],
        **asdict(deeds),
    )


def _beside(rules: RuleSet, position: int) -> Iterator[int]:
    """The opponents' seats, the left one first."""
    yield rules.after(position)
    if rules.players > 2:
        yield (position - 1) % rules.players


def _player(seats: dict[int, GameSeat], position: int | None) -> int | None:
    return seats[position].player_id if position in seats else None


def _result(game: Game, side: int) -> int | None:
    """1, 0 or -1; a game given up counts only where its table's host ended it by the score."""
    if game.state == Game.State.OVER:
        return 0 if game.winner < 0 else 1 if game.winner == side else -1
    if not (game.table.reserved and game.counts):
        return None
    score = (game.score_0, game.score_1)
    return (score[side] > score[1 - side]) - (score[side] < score[1 - side])
