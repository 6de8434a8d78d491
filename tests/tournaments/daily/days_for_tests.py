"""Days of the daily deal for tests, and people who play them by chance."""

import asyncio
from collections.abc import Callable, Coroutine
from datetime import timedelta
from random import Random

from django.utils import timezone

from games.engine.actions import NEXT_DEAL, Action
from games.engine.game import Game as Play
from games.engine.observation import Observation
from games.models import Game, GameEvent, Player, SharedDeals, Table
from games.shuffle.dealing import packs_of
from tests.factories import finish, push
from tournaments.daily import closing, days, tries
from tournaments.models import Club, DailyDeal, DailyTry
from tournaments.models.daily import SEAT

ADDRESS = "192.0.2.7"


def today(club: Club | None = None) -> DailyDeal:
    """The day that is open now."""
    days.make_ahead(timezone.now())
    found = days.open_day(club, timezone.now())
    assert found is not None
    return found


def begun(daily: DailyDeal, player: Player, address: str = ADDRESS) -> DailyTry:
    return tries.begin(daily, player, address, timezone.now())


def table_of(mine: DailyTry) -> Table:
    assert mine.table is not None
    return Table.objects.get(pk=mine.table.pk)


def played(
    daily: DailyDeal, player: Player, seed: int = 1, deals: int = 4, address: str = ADDRESS
) -> DailyTry:
    """A try whose person plays by this seed, the others always alike; so many deals of it."""
    mine = begun(daily, player, address)
    play(mine, seed, deals)
    tries.store_points([mine])
    mine.refresh_from_db()
    return mine


def play(mine: DailyTry, seed: int, deals: int = 4) -> None:
    """Play a try that has begun."""
    table = table_of(mine)
    game = table.games.get()
    engine = Play(game.rules, game.first_dealer, packs_of(game))
    chance, events = Random(seed), []
    while not engine.standing.over and engine.standing.deal_number <= deals:
        legal = engine.legal_actions()
        action = chance.choice(legal) if engine.turn == SEAT else legal[0]
        by = GameEvent.By.PERSON if engine.turn == SEAT else GameEvent.By.HOUSE
        events.append(push(game, engine, action, by))
    GameEvent.objects.bulk_create(events)
    Game.objects.filter(pk=game.pk).update(
        version=engine.version, deal_number=engine.standing.deal_number
    )
    if engine.standing.over:
        finish(table, engine.standing)


def played_by(
    daily: DailyDeal,
    player: Player,
    choose: Callable[[bytes, Observation], Coroutine[None, None, Action]],
) -> DailyTry:
    """A try at which all four seats do what is chosen for the position."""
    mine = begun(daily, player)
    table = table_of(mine)
    game = table.games.get()
    packs = packs_of(game)
    engine, events = Play(game.rules, game.first_dealer, packs), []
    while not engine.standing.over:
        action = NEXT_DEAL
        if not engine.between_deals:
            seen = engine.observe(engine.turn)
            action = asyncio.run(choose(packs.position(seen), seen))
        events.append(push(game, engine, action))
    GameEvent.objects.bulk_create(events)
    finish(table, engine.standing)
    tries.store_points([mine])
    return mine


def pass_by(daily: DailyDeal, since: timedelta = timedelta(seconds=1)) -> None:
    """Let a day's hour of closing have come."""
    then = timezone.now() - since
    opens = then - timedelta(days=1)
    DailyDeal.objects.filter(pk=daily.pk).update(opens=opens, closes=then, day=opens.date())
    SharedDeals.objects.filter(pk=daily.deals_id).update(opens_from=then)


def closed(daily: DailyDeal) -> DailyDeal:
    """A day after its close."""
    pass_by(daily)
    closing.end_late_tables(timezone.now())
    closing.close(days.days_of(daily.club).get(pk=daily.pk), timezone.now())
    return days.days_of(daily.club).get(pk=daily.pk)
