"""Friends: ask, accept, decline, and end a friendship.

Only the answer "yes" is told to the one who asked. A request that was declined, or that was made
to somebody who avoids the one who asks, looks to them like one that waits, until it expires.

`ask` and `accept` lock both players' rows in the order of their ids.
"""

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from enum import StrEnum
from typing import ClassVar, Final, NamedTuple

from django.db import transaction
from django.db.models import Q, QuerySet

from games.models import Avoidance, Friendship, Player
from games.refusals import VerbError

#: The most friends of a player.
MOST: Final = 500
#: The most requests of a player in a day, and of those that wait for an answer.
A_DAY: Final = 20
MOST_WAITING: Final = 100
#: How long a request waits for an answer.
WAITS: Final = timedelta(days=30)
DAY: Final = timedelta(days=1)


class FriendsError(VerbError):
    STATUS: ClassVar = {"too many": 429}


class Between(StrEnum):
    """What is between a player and another, as the player may know it."""

    NOTHING = ""
    FRIENDS = "friends"
    ASKED = "asked"  # the player has asked
    ASKS = "asks"  # the other has
    APART = "apart"  # the player avoids the other


class Friend(NamedTuple):
    player: Player
    since: datetime


def may_have_friends(player: Player | None) -> bool:
    """Return True for people with an account that is not closed."""
    return player is not None and player.user is not None and player.user.is_active


def ask(by: Player, other: Player, now: datetime) -> Between:
    """Ask somebody to be friends; if they have asked too, both are friends at once.

    Asking again changes nothing. Raises FriendsError: ``yourself``, ``no account``, ``apart``,
    ``too many``, ``too many friends``.
    """
    with _both(by, other):
        if Avoidance.objects.filter(by=by, other=other).exists():
            raise FriendsError(
                "apart", f"You do not want to be seated with {other.name}; change that first."
            )
        found = _between(by, other).first()
        if found is None or _is_over(found, now):
            found = _new(by, other, found, now)
        elif found.agreed is None and found.low_asked != _is_low(by, other):
            if found.withdrawn:
                found = _new(by, other, found, now)
            else:
                _agree(found, by, other, now)
        elif found.withdrawn:
            _check_may_ask(by, now)
            found.withdrawn = False
            found.save(update_fields=["withdrawn"])
        return _seen_by(found, by, now)


def accept(by: Player, other: Player, now: datetime) -> None:
    """Become friends with somebody who has asked.

    Raises FriendsError: ``not asked``, ``too many friends``, ``no account``.
    """
    with _both(by, other):
        found = _between(by, other).first()
        state = Between.NOTHING if found is None else _seen_by(found, by, now)
        if found is None or state not in (Between.ASKS, Between.FRIENDS):
            raise FriendsError("not asked", "This request is no longer there.")
        if state == Between.ASKS:
            _agree(found, by, other, now)


def decline(by: Player, other: Player) -> None:
    """Say no to a request, of which the one who asked hears nothing; repeating it is harmless."""
    _asked_by(other, by).filter(agreed=None).update(declined=True)


def withdraw(by: Player, other: Player) -> None:
    """Take a request back that waits for an answer; repeating it is harmless."""
    _asked_by(by, other).filter(agreed=None).update(withdrawn=True)


def end(by: Player, other: Player) -> None:
    """End a friendship, of which the other hears nothing; repeating it is harmless."""
    _between(by, other).filter(agreed__isnull=False).delete()


def friends_of(player: Player) -> list[Friend]:
    """Return a player's friends by name."""
    rows = _all_of(player).filter(agreed__isnull=False).select_related("low", "high")
    found = [
        Friend(one.high if one.low_id == player.pk else one.low, one.agreed)
        for one in rows
        if one.agreed is not None
    ]
    return sorted(found, key=lambda one: (one.player.name.casefold(), one.player.pk))


def asking(player: Player, now: datetime) -> list[Player]:
    """Return those who ask a player to be friends, the latest first."""
    rows = _all_of(player).filter(_waiting(now), declined=False)
    mine = Q(low=player, low_asked=True) | Q(high=player, low_asked=False)
    return [
        one.low if one.low_asked else one.high
        for one in rows.exclude(mine).select_related("low__user", "high__user")
        if may_have_friends(one.low if one.low_asked else one.high)
    ]


def asked_by(player: Player, now: datetime) -> list[Player]:
    """Return those whom a player has asked and who have not said yes."""
    rows = _of_asker(player).filter(_waiting(now)).select_related("low", "high")
    return [one.high if one.low_asked else one.low for one in rows]


def between(player: Player, others: Collection[int], now: datetime) -> dict[int, Between]:
    """Return what is between a player and each of some others, by their ids."""
    found = dict.fromkeys(others, Between.NOTHING)
    for one in _all_of(player).filter(Q(low__in=others) | Q(high__in=others)):
        other = one.high_id if one.low_id == player.pk else one.low_id
        if other in found:
            found[other] = _seen_by(one, player, now)
    apart = Avoidance.objects.filter(by=player, other__in=others)
    return found | dict.fromkeys(apart.values_list("other_id", flat=True), Between.APART)


def are_friends(player: Player, other_id: int) -> bool:
    low, high = sorted((player.pk, other_id))
    return Friendship.objects.filter(low=low, high=high, agreed__isnull=False).exists()


def forget(now: datetime) -> None:
    """Delete requests that have expired."""
    old = Friendship.objects.filter(agreed=None, asked__lte=now - WAITS)
    if old.exists():  # on SQLite a query needs no write lock
        old.delete()


@contextmanager
def _both(by: Player, other: Player) -> Iterator[None]:
    if by.pk == other.pk:
        raise FriendsError("yourself", "That is you.")
    with transaction.atomic():
        locked = Player.objects.select_for_update(of=("self",), no_key=True)
        rows = locked.select_related("user").filter(pk__in=(by.pk, other.pk)).order_by("pk")
        known = {one.pk: one for one in rows}
        if not may_have_friends(known.get(by.pk)):
            raise FriendsError("no account", "You need an account to have friends.")
        if not may_have_friends(known.get(other.pk)):
            raise FriendsError("no account", f"{other.name} has no account.")
        yield


def _new(by: Player, other: Player, old: Friendship | None, now: datetime) -> Friendship:
    _check_may_ask(by, now)
    if old is not None:
        old.delete()
    low, high = sorted((by, other), key=lambda one: one.pk)
    # The one asked does not hear of it if they avoid the one who asks.
    avoided = Avoidance.objects.filter(by=other, other=by).exists()
    return Friendship.objects.create(
        low=low, high=high, low_asked=by == low, asked=now, declined=avoided
    )


def _agree(found: Friendship, by: Player, other: Player, now: datetime) -> None:
    for one, words in ((by, "You have"), (other, f"{other.name} has")):
        if _all_of(one).filter(agreed__isnull=False).count() >= MOST:
            raise FriendsError("too many friends", f"{words} {MOST} friends; that is the most.")
    found.agreed, found.declined = now, False
    found.save(update_fields=["agreed", "declined"])


def _check_may_ask(by: Player, now: datetime) -> None:
    asked = _of_asker(by)
    if asked.filter(asked__gt=now - DAY).count() >= A_DAY:
        raise FriendsError("too many", f"You have asked {A_DAY} people in a day; that is the most.")
    if asked.filter(_waiting(now)).count() >= MOST_WAITING:
        raise FriendsError(
            "too many", f"{MOST_WAITING} of your requests wait for an answer; that is the most."
        )


def _seen_by(found: Friendship, player: Player, now: datetime) -> Between:
    if found.agreed is not None:
        return Between.FRIENDS
    if found.withdrawn or _is_over(found, now):
        return Between.NOTHING
    if found.low_asked == (found.low_id == player.pk):
        return Between.ASKED
    return Between.NOTHING if found.declined else Between.ASKS


def _is_over(found: Friendship, now: datetime) -> bool:
    return found.agreed is None and found.asked <= now - WAITS


def _waiting(now: datetime) -> Q:
    return Q(agreed=None, withdrawn=False, asked__gt=now - WAITS)


def _is_low(by: Player, other: Player) -> bool:
    return by.pk < other.pk


def _between(one: Player, other: Player) -> QuerySet[Friendship]:
    low, high = sorted((one.pk, other.pk))
    return Friendship.objects.filter(low=low, high=high)


def _asked_by(by: Player, other: Player) -> QuerySet[Friendship]:
    return _between(by, other).filter(low_asked=_is_low(by, other))


def _all_of(player: Player) -> QuerySet[Friendship]:
    return Friendship.objects.filter(Q(low=player) | Q(high=player))


def _of_asker(player: Player) -> QuerySet[Friendship]:
    return Friendship.objects.filter(
        Q(low=player, low_asked=True) | Q(high=player, low_asked=False)
    )
