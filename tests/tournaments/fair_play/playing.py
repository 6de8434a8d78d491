"""Styles of play, honest and signalling, and events played card by card with them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta
from random import Random

from games.bots.bidding import FIRST_BASE, SECOND_BASE
from games.bots.house import choose
from games.bots.worth import WITH_PARTNER, chances, tricks_of
from games.engine.actions import MAKE, PASSED, Action
from games.engine.deal import Deal
from games.engine.game import Game as Play
from games.engine.observation import FIRST_ROUND, SECOND_ROUND, START, Standing
from games.engine.rules import RuleSet
from games.models import Game, GameEvent, Player, Seat, Table
from games.records import performances
from games.shuffle.dealing import packs_of
from games.shuffle.secret_box import seal
from tests.factories import finish, push
from tests.games.bots.house_at_play import shuffled
from tests.tournaments import build
from tests.tournaments.build import MINUTE, NOON
from tournaments.fair_play import measuring
from tournaments.fair_play.calls import points_of, seen_call
from tournaments.fair_play.figures import Spread
from tournaments.models import Club, Event, FairPlayMeasure, Pairing

#: A strategy; an honest one uses nothing but the observation of the player to move.
Style = Callable[[Deal, Standing, Random], Action]


def honest(deal: Deal, standing: Standing, rng: Random) -> Action:
    """Play as the house does."""
    return choose(deal.observe(deal.turn, standing), rng)


def bold(deal: Deal, standing: Standing, rng: Random) -> Action:
    """Call with any hand that may take two tricks; play as the house does."""
    return _bidding(deal, standing, rng, least=0.35)


def timid(deal: Deal, standing: Standing, rng: Random) -> Action:
    """Call only when three tricks are nearly certain."""
    return _bidding(deal, standing, rng, least=0.85)


def signalling(deal: Deal, standing: Standing, rng: Random) -> Action:
    """Call with knowledge of the partner's cards."""
    return _bidding(deal, standing, rng, least=0.6, knows_partner=True)


def _bidding(
    deal: Deal, standing: Standing, rng: Random, *, least: float, knows_partner: bool = False
) -> Action:
    """Call what takes three tricks with the greatest chance, if that is great enough."""
    if deal.phase not in (FIRST_ROUND, SECOND_ROUND) or len(deal.legal) < 2:
        return choose(deal.observe(deal.turn, standing), rng)
    seat, rules = deal.turn, deal.rules
    hands = deal.start[0]
    base = (FIRST_BASE if deal.phase == FIRST_ROUND else SECOND_BASE)[(deal.dealer - seat) % 4]
    best, call = 0.0, PASSED
    for action in deal.legal:
        if action == PASSED or action.alone:
            continue
        trump = action.value if action.kind == MAKE else deal.turned_suit
        tricks = base + tricks_of(rules, WITH_PARTNER, trump, hands[seat])
        if knows_partner:
            tricks += tricks_of(rules, WITH_PARTNER, trump, hands[(seat + 2) % 4]) - 1.0
        made = chances(WITH_PARTNER, tricks)[0]
        if made > best:
            best, call = made, action
    return call if best >= least or PASSED not in deal.legal else PASSED


def calls_at_play(rules: RuleSet, style: Style, deals: int, seed: int) -> list[tuple[float, float]]:
    """What north and south hold and gain at their calls that are looked at, at so many deals.

    East and west play as the house does.
    """
    rng, found = Random(seed), []
    for number in range(deals):
        deal = Deal.from_pack(rules, number % 4, shuffled(rules, rng))
        call = None
        while deal.result is None:
            does = style if deal.turn % 2 == 0 else honest
            action = does(deal, START, rng)
            if deal.turn % 2 == 0:
                call = seen_call(deal, action, START) or call
            deal.apply(action)
        if call is not None:
            found.append((call.held, points_of(deal.result, 0) - call.promised))
    return found


def spread(values: list[float]) -> Spread:
    """Return the spread of the values."""
    return Spread(len(values), sum(values), sum(one * one for one in values))


SECOND = timedelta(seconds=1)
#: Seconds of thought, by seat and the score (own side, other side).
Pace = Callable[[int, tuple[int, int]], float]
#: Whether the player is away, by the same arguments.
Gone = Callable[[int, tuple[int, int]], bool]


def started_event(of: Club, players: Sequence[Player], **fields: object) -> Event:
    """Return an event of one round whose games have begun."""
    made = build.event(of, **{"rounds": 1, "rated": True, **fields})
    build.let_in(made, players)
    build.begin(made)
    build.arrive(made)
    build.step(made, NOON)
    return made


def played_event(
    of: Club,
    players: Sequence[Player],
    *,
    styles: Mapping[Player, Style] | None = None,
    pace: Pace = lambda _seat, _score: 3.0,
    gone: Gone = lambda _seat, _score: False,
    seed: int = 1,
    **fields: object,
) -> Event:
    """A finished event of one round, played by house rules of thumb in the players' names.

    styles: of those who play otherwise. pace: seconds a turn takes. gone: for whom the house plays.
    """
    made = started_event(of, players, **fields)
    for pairing in Pairing.objects.filter(round__event=made).select_related("table"):
        assert pairing.table is not None
        play(pairing.table, styles or {}, pace, gone, Random(seed))
    while made.state == Event.State.RUNNING:
        build.step(made, NOON + MINUTE * 60)
    return made


def play(table: Table, styles: Mapping[Player, Style], pace: Pace, gone: Gone, rng: Random) -> Game:
    """Play the running game of a table to its end and return it.

    The cards follow from the generator, and who was made first deals first: wherever lots have
    seated everybody, each is dealt the same.
    """
    game = table.games.get(state=Game.State.PLAYING)
    seats = Seat.objects.filter(table=table).select_related("player")
    sitting = {seat.position: seat.player for seat in seats if seat.player is not None}
    game.secret, game.mixed = seal(rng.randbytes(32)), rng.randbytes(32)
    game.first_dealer = min(sitting, key=lambda position: sitting[position].pk)
    game.save(update_fields=["secret", "mixed", "first_dealer"])
    engine, events, at = Play(game.rules, game.first_dealer, packs_of(game)), [], game.started
    while not engine.standing.over:
        seat, legal = engine.turn, engine.legal_actions()
        side = engine.rules.side_of(max(seat, 0))
        score = engine.standing.score[side], engine.standing.score[1 - side]
        style = styles.get(sitting[max(seat, 0)], honest)
        action = style(engine.deal, engine.standing, rng) if seat >= 0 else legal[0]
        house = seat < 0 or gone(seat, score)
        by = GameEvent.By.HOUSE if house else GameEvent.By.PERSON
        event = push(game, engine, action, by, None if house else sitting[seat].pk)
        event.at = at = at + (pace(seat, score) if seat >= 0 else 1.0) * SECOND
        events.append(event)
    GameEvent.objects.bulk_create(events)
    over = finish(table, engine.standing)
    performances.record(over)
    over.refresh_from_db()
    return over


def measured(of: Event) -> dict[str, FairPlayMeasure]:
    """Return the measures of an event of one round, by player name."""
    while measuring.measure_ended(moment_after(of)):
        pass
    return {row.player.name: row for row in of.fair_play_measures.select_related("player")}


def moment_after(of: Event) -> datetime:
    """Return a time one minute after the last game of an event."""
    game = Game.objects.filter(table__pairing__round__event=of).latest("ended")
    assert game.ended is not None
    return game.ended + MINUTE
