"""Somebody's one try at a daily deal: beginning it, and what they have made."""

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Final

import structlog
from django.conf import settings
from django.db import transaction
from django.db.models import Exists, OuterRef
from django.urls import reverse

from games.exclusive_tasks import failing_alone
from games.lookalikes import skeleton_of
from games.models import Game, Player, SharedDeals, Table
from games.people import whereabouts
from games.people.house_players import NAMES, house_player, house_players
from games.records import deals
from games.seats import reserved
from games.seats.reserved import ReservedTable
from tournaments.daily.days import RULES
from tournaments.models import Club, DailyDeal, DailyTry
from tournaments.models.daily import DEALS, SEAT
from tournaments.refusals import RefusedError

log = structlog.get_logger(__name__)

#: Names of the house players that usually sit at a table, as `games.lookalikes` compares them.
NAMED_ALIKE: Final = frozenset(map(skeleton_of, NAMES[: RULES.players]))
CLOSED: Final = "This day’s deals have closed. Today’s are open."


def path_of(daily: DailyDeal) -> str:
    if daily.club is None:
        return reverse("daily_day", args=[daily.day])
    return reverse("club_daily_day", args=[daily.club.slug, daily.day])


def title_of(club: Club | None) -> str:
    return f"Daily deal of {club}" if club else "The daily deal"


def begin(daily: DailyDeal, player: Player, address: str, now: datetime) -> DailyTry:
    """Begin a player's try and open its table, or return the one begun before.

    address: from `client_address`, kept as a keyed hash until the day closes. Raise RefusedError
    ``closed`` or ``not open``.
    """
    known = daily.tries.filter(player=player).first()
    if known is not None:
        return known
    if now < daily.opens:
        raise RefusedError("not open", "This day’s deals have not opened yet.")
    seated, address = _seated(player), whereabouts.digest(address)
    with transaction.atomic():
        # Until the commit nobody opens the deals: `shared.open_deals` locks the same row.
        shared = SharedDeals.objects.select_for_update().get(pk=daily.deals_id)
        if shared.opened is not None or now >= daily.closes:
            raise RefusedError("closed", CLOSED)
        mine, created = DailyTry.objects.get_or_create(
            daily=daily, player=player, defaults={"address": address}
        )
        if created:
            mine.table = _open_table(daily, shared, seated, player)
            mine.save(update_fields=["table"])
    return mine


def _seated(player: Player | None) -> list[Player]:
    """Return who sits at the four seats, with house players in all or in those beside a player."""
    seated = house_players(RULES.players)
    if player is None:
        return seated
    if any(skeleton_of(word) in NAMED_ALIKE for word in player.name.split()):
        seated = [house_player(at, RULES.players, [player.name]) for at in range(RULES.players)]
    seated[SEAT] = player
    return seated


def _open_table(
    daily: DailyDeal, shared: SharedDeals, players: list[Player], host: Player
) -> Table:
    place = ReservedTable(players, title_of(daily.club), path_of(daily))
    (table,) = reserved.open_tables(
        [place], RULES, host, open=daily.club is None, solo_deals=shared
    )
    reserved.begin(table.pk, 1, RULES)
    table.refresh_from_db()
    return table


def open_house_table(daily: DailyDeal) -> Table:
    """Open the table at which four house players play a day's deals; call it in a transaction."""
    players = _seated(None)
    return _open_table(daily, daily.deals, players, players[0])


def points_of(table_id: int | None) -> tuple[list[int], bool] | None:
    """Return the points by deal from the person's seat, and whether all were played.

    None while the game goes on.
    """
    game = Game.objects.filter(table=table_id, ended__isnull=False).first()
    if game is None:
        return None
    sign = 1 if SEAT % 2 == 0 else -1
    points = [sign * net for net in deals.nets_of(game)]
    return points, len(points) == DEALS


def store_points(tries: Iterable[DailyTry]) -> int:
    """Store the points of tries whose games have ended; return how many.

    A game that cannot be read is logged, and holds up no other try and no page.
    """
    stored = 0
    for one in tries:
        made = None
        with failing_alone(log, "daily try not read", daily_try=one.pk):
            made = points_of(one.table_id)
        if made is None:
            continue
        points, ended = made
        stored += DailyTry.objects.filter(pk=one.pk, points__isnull=True).update(
            points=points, ended=ended
        )
        one.points, one.ended = points, ended
    return stored


def just_ended(most: int) -> list[DailyTry]:
    """Return tries whose games have ended and whose points are not stored."""
    over = Game.objects.filter(table=OuterRef("table"), ended__isnull=False)
    return list(DailyTry.objects.filter(Exists(over), points__isnull=True)[:most])


def forget_guests(now: datetime) -> None:
    """Delete the tries of guests of days that closed longer ago than a session lasts."""
    gone = now - timedelta(seconds=settings.SESSION_COOKIE_AGE)
    DailyTry.objects.filter(player__user=None, place=None, daily__closed__lt=gone).delete()


def deals_finished(mine: DailyTry) -> int:
    """Return how many deals of a running try are over."""
    game = Game.objects.filter(table=mine.table_id).values_list("deal_number", "ended").first()
    if game is None or game[1] is not None:
        return DEALS
    return int(game[0]) - 1
