"""The matching rule of quick games: who sits down with whom.

Pure: it knows nothing of rows, clocks or pages. `seekers` and `offers` are of one rule set and one
pace. Whoever has waited longest is served first. A table with people and a free seat comes before a
new table, and of these the one with the fewest free seats, so that tables fill up with people.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple, TypeAlias

#: Whether two players, by id, must not sit at one table.
Apart: TypeAlias = Callable[[int, int], bool]


class Waiting(NamedTuple):
    """Somebody in the queue; `waited` in seconds."""

    player: int
    waited: float


class Offer(NamedTuple):
    """A table that is playing. people: the ids of those who sit there or are to; free: seats."""

    table: int
    people: tuple[int, ...]
    free: int


def choose_table(player: int, offers: Iterable[Offer], apart: Apart) -> Offer | None:
    """Return the table that a player is to join, or None if none fits."""
    fitting = [
        offer
        for offer in offers
        if offer.free > 0
        and offer.people
        and not any(apart(player, other) for other in offer.people)
    ]
    return min(fitting, key=lambda offer: (offer.free, offer.table), default=None)


def gather(
    seekers: Iterable[Waiting], seats: int, patience: float, apart: Apart
) -> list[tuple[int, ...]]:
    """Return the groups that get a new table now, each of at most `seats` players.

    A group starts as soon as it is full, or when the first of it has waited for `patience`
    seconds; the house then takes the other seats.
    """
    left = sorted(seekers, key=lambda one: -one.waited)
    groups = []
    while left:
        first, *others = left
        group = _company(first, others, seats, apart)
        if len(group) == seats or first.waited >= patience:
            groups.append(group)
            left = [one for one in others if one.player not in group]
        else:
            left = others
    return groups


def _company(
    first: Waiting, others: Sequence[Waiting], seats: int, apart: Apart
) -> tuple[int, ...]:
    group = [first.player]
    for other in others:
        if len(group) < seats and not any(apart(other.player, member) for member in group):
            group.append(other.player)
    return tuple(group)
