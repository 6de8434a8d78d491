"""People whom a player has met at tables and may want as friends."""

from datetime import datetime
from typing import Final

from games.models import GameSeat, Player
from games.people import friends
from games.people.friends import Between

#: The latest games that are looked at, and the most people listed.
GAMES: Final = 20
MOST: Final = 6


def met_lately(player: Player, now: datetime) -> list[Player]:
    """Return people with accounts from a player's latest games who could be asked, latest first."""
    mine = GameSeat.objects.filter(player=player, game__ended__isnull=False)
    games = list(mine.order_by("-game__ended").values_list("game_id", flat=True)[:GAMES])
    seats = GameSeat.objects.filter(
        game__in=games, player__kind=Player.Kind.PERSON, player__user__is_active=True
    ).exclude(player=player)
    latest: dict[int, Player] = {}
    for seat in sorted(seats.select_related("player"), key=lambda seat: games.index(seat.game_id)):
        latest.setdefault(seat.player_id, seat.player)
    between = friends.between(player, latest.keys(), now)
    found = [one for key, one in latest.items() if between[key] == Between.NOTHING]
    return found[:MOST]
