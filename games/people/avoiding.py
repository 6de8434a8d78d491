"""People whom a player does not want to meet in quick games; only that player knows."""

from collections.abc import Callable, Collection
from functools import partial
from typing import Final

from django.db import transaction
from django.db.models import Q

from games.models import Avoidance, Friendship, Player
from games.refusals import VerbError
from games.sockets import audience

#: The most people somebody may avoid.
MOST: Final = 500


class TooManyError(VerbError):
    pass


def avoid(by: Player, other: Player) -> None:
    """Never seat a player with another in quick games; repeating it is harmless.

    They are friends no longer, and a request of the other is declined, which the other does not
    learn. Raises TooManyError beyond `MOST`.
    """
    low, high = sorted((by.pk, other.pk))
    with transaction.atomic():
        # As `games.people.friends` does, so that nobody becomes friends meanwhile.
        both = Player.objects.filter(pk__in=(low, high)).order_by("pk")
        list(both.select_for_update(no_key=True))
        if by.avoidances.exclude(other=other).count() >= MOST:
            words = f"You are kept apart from {MOST} people; that is the most."
            raise TooManyError("many", words)
        Avoidance.objects.get_or_create(by=by, other=other)
        between = Friendship.objects.filter(low=low, high=high)
        by_them = Q(low_asked=other.pk == low, agreed=None)
        between.filter(by_them).update(declined=True)
        between.exclude(by_them).delete()
        transaction.on_commit(partial(audience.choose_again, [by.pk]))


def meet_again(by: Player, other_id: int) -> None:
    by.avoidances.filter(other=other_id).delete()
    transaction.on_commit(partial(audience.choose_again, [by.pk]))


def avoided_by(player: Player | None, among: Collection[int]) -> frozenset[int]:
    if player is None:
        return frozenset()
    rows = player.avoidances.filter(other__in=among)
    return frozenset(rows.values_list("other_id", flat=True))


def kept_apart(player: Player, others: Collection[int]) -> bool:
    """Return True if a player avoids one of the others, or one of them the player."""
    mine = Q(by=player, other__in=others) | Q(other=player, by__in=others)
    return Avoidance.objects.filter(mine).exists()


def kept_from(players: Collection[int]) -> frozenset[int]:
    """Return the ids of those who avoid one of some players, or whom one of these avoids."""
    by, of = (Avoidance.objects.filter(**{f"{way}__in": players}) for way in ("other", "by"))
    return frozenset((*by.values_list("by_id", flat=True), *of.values_list("other_id", flat=True)))


def apart_among(players: Collection[int]) -> Callable[[int, int], bool]:
    """Return, for players by id, whether two of them must not meet, whoever of the two chose it."""
    rows = Avoidance.objects.filter(by__in=players, other__in=players)
    pairs = {frozenset(pair) for pair in rows.values_list("by_id", "other_id")}
    return lambda one, other: frozenset((one, other)) in pairs
