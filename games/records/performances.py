"""Notes what everybody did in a game that has ended, from its log."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from datetime import datetime

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
from games.records.outcomes import Outcome, outcome_of
from games.records.sums import Deeds
from games.shuffle.dealing import packs_of

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
    """Store what everybody did in a game that has ended, and for whom house players acted in it."""
    # Its row is held, so that a result set meanwhile comes before or after all of this.
    game.ruling = Game.objects.select_for_update().values_list("ruling", flat=True).get(pk=game.pk)
    seats = {seat.position: seat for seat in game.seats.all()}
    stored = GameEvent.objects.filter(game=game).order_by("seq")
    events = list(stored.values_list("seat", "player", "by", "action"))
    deeds, stood_in = _deeds(game, seats, events)
    Performance.objects.bulk_create(
        (
            _performance(game, seats, position, deeds[position])
            for position, seat in seats.items()
            if seat.player.kind != Player.Kind.HOUSE
        ),
        ignore_conflicts=True,
    )
    Game.objects.filter(pk=game.pk).update(noted=True, stood_in=stood_in)


def settle(game: Game) -> None:
    """Let what is noted of a game follow the result that counts now; call it with its row held."""
    outcome = outcome_of(game)
    for done in game.performances.all():
        side = game.rules.side_of(done.position)
        seen = outcome.seen_from(side)
        done.result, (done.points, done.against) = seen.results[0], seen.score
        done.save(update_fields=["result", "points", "against"])


def note_unplayed(
    match: int,
    seats: Sequence[Player],
    rules: RuleSet,
    outcomes: Mapping[int, Outcome],
    ended: datetime,
) -> None:
    """Store the games of a match that have a result and were not played; others there were go.

    Args:
        match: its number, as whoever drew it counts them.
        seats: who was to play, by position.
        rules: of the games.
        outcomes: by the game's number in the match.
        ended: when the match was decided.
    """
    Performance.objects.filter(match=match).delete()
    done = []
    for number, outcome in outcomes.items():
        for position, player in enumerate(seats):
            if player.kind != Player.Kind.HOUSE:
                seen = outcome.seen_from(rules.side_of(position))
                one = _unplayed(match, number, seats, rules, position)
                one.ended, one.result = ended, seen.results[0]
                one.points, one.against = seen.score
                done.append(one)
    Performance.objects.bulk_create(done)


def forget(games: QuerySet[Game]) -> None:
    """Let games be noted anew, after the way of counting has changed."""
    Performance.objects.filter(game__in=games).delete()
    games.update(noted=False)


def _deeds(
    game: Game, seats: dict[int, GameSeat], events: Sequence[tuple[int, int | None, str, str]]
) -> tuple[list[Deeds], str]:
    """What every seat did, and `Game.stood_in`.

    A call counts if whoever has the seat now made it without a house player.
    """
    own = {seat for seat, one in seats.items() if one.player.kind != Player.Kind.HOUSE}
    rules = game.rules
    engine = EngineGame(rules, game.first_dealer, packs_of(game))
    deeds = [Deeds() for _ in range(rules.players)]
    himself, stood_in, absent = False, "", 0
    for seat, player, by, action in events:
        if by == GameEvent.By.HOUSE and seat in own:
            absent |= 1 << seat
        before = engine.deal.maker
        engine.push(parse_action(action))
        deal = engine.deal
        if before < 0 <= deal.maker:
            himself = by == GameEvent.By.PERSON and player == seats[seat].player_id
        if deal.result is not None:
            _count(rules, deeds, deal, himself=himself)
            himself, stood_in, absent = False, f"{stood_in}{absent:x}", 0
    return deeds, stood_in


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
        # The trumps the maker was dealt, with the turn-up where he takes it himself.
        hands, turn_up = deal.start
        held = hands[deal.maker]
        if deal.maker == deal.dealer and deal.trump == deal.turned_suit:
            held |= 1 << turn_up
        maker.add_call(place, (held & SUIT_MASK[deal.trump][deal.trump]).bit_count())
        maker.made += taken >= NEEDED
        maker.marched += taken == HAND
        maker.euchred += taken < NEEDED
        maker.alone += deal.alone
        maker.alone_marched += deal.alone and taken == HAND


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
    seen = outcome_of(game).seen_from(rules.side_of(position))
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
        result=seen.results[0],
        points=seen.score[0],
        against=seen.score[1],
        **asdict(deeds),
    )


def _beside(rules: RuleSet, position: int) -> Iterator[int]:
    """The opponents' seats, the left one first."""
    yield rules.after(position)
    if rules.players > 2:
        yield (position - 1) % rules.players


def _player(seats: dict[int, GameSeat], position: int | None) -> int | None:
    return seats[position].player_id if position in seats else None


def _unplayed(
    match: int, number: int, seats: Sequence[Player], rules: RuleSet, position: int
) -> Performance:
    """A player's row of a game without play, before its result is put in."""
    partner = rules.partner_of(position)
    beside = [seats[seat].pk for seat in _beside(rules, position)]
    return Performance(
        match=match,
        number=number,
        player=seats[position],
        partner=None if partner is None else seats[partner],
        left_id=beside[0],
        right_id=beside[-1] if len(beside) > 1 else None,
        position=position,
        rules=rules.name,
        deals=0,
    )
