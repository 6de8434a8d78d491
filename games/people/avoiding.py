"""People whom a player does not want to meet in quick games; only that player knows."""

from collections.abc import Callable, Collection
from typing import Final

from django.db.models import Q

from games.models import Avoidance, Player

#: The most people somebody may avoid.
MOST: Final = 500


class TooManyError(Exception):
    pass


def avoid(by: Player, other: Player) -> None:
    """Never seat a player with another in quick games; repeating it is harmless.

    Raises TooManyError beyond `MOST`.
    """
    if by.avoidances.exclude(other=other).count() >= MOST:
        raise TooManyError
    Avoidance.objects.get_or_create(by=by, other=other)


def meet_again(by: Player, other_id: int) -> None:
    by.avoidances.filter(other=other_id).delete()


def avoided_by(player: Player | None, among: Collection[int]) -> frozenset[int]:
    if player is None:
        return frozenset()
    rows = player.avoidances.filter(other__in=among)
    return frozenset(rows.values_list("other_id", flat=True))


def kept_apart(player: Player, others: Collection[int]) -> bool:
    """Return True if a player avoids one of the others, or one of them the player."""
    mine = Q(by=player, other__in=others) | Q(other=player, by__in=others)
    return Avoidance.objects.filter(mine).exists()


def apart_among(players: Collection[int]) -> Callable[[int, int], bool]:
    """Return, for players by id, whether two of them must not meet, whoever of the two chose it."""
    rows = Avoidance.objects.filter(by__in=players, other__in=players)
    pairs = {frozenset(pair) for pair in rows.values_list("by_id", "other_id")}
    return lambda one, other: frozenset((one, other)) in pairs
