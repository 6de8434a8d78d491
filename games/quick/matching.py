"""The matching rule of quick games: who sits down with whom.

Pure: it knows nothing of rows, clocks or pages. All players are of one rule set and one pace.
Whoever has waited longest is served first. A table with people and a free seat comes before a new
table, if its hand is to end soon: newcomers sit down between two hands. Among several the one with
the least cost is chosen: seconds to wait, free seats, so that tables fill up with people, the
distance of ratings, and people met in the last hour. `docs/quick-games.md` has the figures from
which the weights were chosen, `tests/load/quick_games.py` computes them.

Rated games are different: they start with people in all seats, and those who sit are spread over
the two sides so that these are as equal as possible.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from random import Random
from typing import Final, NamedTuple, TypeAlias

#: Whether two players, by id, must not sit at one table.
Apart: TypeAlias = Callable[[int, int], bool]


class Weights(NamedTuple):
    """Costs, and how long a newcomer waits for a hand to end at most, in seconds.

    free: of each free seat. rating: of 100 points between a rating and the table's mean. again: of
    each game of the last hour with each person at the table. wait: of 10 seconds.
    """

    free: float
    rating: float
    again: float
    wait: float
    most: float


#: How many people are tried as company of whoever has waited longest for a rated game.
CANDIDATES: Final = 30
#: The rule in use.
WEIGHTS: Final = Weights(free=1.0, rating=1.0, again=1.0, wait=2.0, most=30.0)


class QuickPlayer(NamedTuple):
    """Somebody who looks for a game; `waited` in seconds.

    met: games of the last hour with other people, by id.
    """

    player: int
    rating: float
    waited: float = 0.0
    met: Mapping[int, int] = {}


class QuickOffer(NamedTuple):
    """A table that is playing, with `free` seats.

    people: who sits there or is to, with their ratings. ends_in: seconds until the next hand.
    """

    table: int
    people: Mapping[int, float]
    free: int
    ends_in: float = 0.0


def choose_table(
    newcomer: QuickPlayer, offers: Iterable[QuickOffer], apart: Apart, weights: Weights = WEIGHTS
) -> QuickOffer | None:
    """Return the table that a player is to join, or None if none fits."""
    fitting = [
        offer
        for offer in offers
        if offer.free > 0
        and offer.people
        and offer.ends_in <= weights.most
        and _fits(newcomer, offer.people, apart)
    ]

    def cost(offer: QuickOffer) -> tuple[float, int]:
        company = _cost_of_company(newcomer, offer.people, weights)
        wait = weights.wait * offer.ends_in / 10
        return weights.free * offer.free + company + wait, offer.table

    return min(fitting, key=cost, default=None)


def gather(
    seekers: Iterable[QuickPlayer],
    seats: int,
    patience: float,
    apart: Apart,
    weights: Weights = WEIGHTS,
) -> list[tuple[int, ...]]:
    """Return the groups that get a new table now, each of at most `seats` players.

    A group starts as soon as it is full, or when the first of it has waited for `patience`
    seconds; the house then takes the other seats.
    """
    left = sorted(seekers, key=lambda one: -one.waited)
    groups = []
    while left:
        first, *others = left
        group = _company(first, others, seats, apart, weights)
        if len(group) == seats or first.waited >= patience:
            groups.append(group)
            left = [one for one in others if one.player not in group]
        else:
            left = others
    return groups


def full_groups(
    seekers: Iterable[QuickPlayer], seats: int, apart: Apart, weights: Weights = WEIGHTS
) -> list[tuple[int, ...]]:
    """Return the groups of exactly `seats` players that start a rated game now.

    Whoever has waited longest is served first, with the company that costs least. If those cannot
    all sit together, others are tried, so that nobody holds up a group by avoiding many.
    """
    left = sorted(seekers, key=lambda one: -one.waited)
    groups = []
    while len(left) >= seats:
        first, *others = left
        group = _full_company({first.player: first.rating}, others, seats, apart, weights)
        if group:
            groups.append(group)
        left = [one for one in others if one.player not in group]
    return groups


def _full_company(
    group: Mapping[int, float],
    others: Sequence[QuickPlayer],
    seats: int,
    apart: Apart,
    weights: Weights,
) -> tuple[int, ...]:
    """Return a full group that contains `group`, or nothing."""
    if len(group) == seats:
        return tuple(group)
    fitting = [one for one in others if _fits(one, group, apart)]
    fitting.sort(key=lambda one: _cost_of_company(one, group, weights))
    for at, one in enumerate(fitting[:CANDIDATES]):
        more = {**group, one.player: one.rating}
        found = _full_company(more, fitting[at + 1 :], seats, apart, weights)
        if found:
            return found
    return ()


def balanced_seats(ratings: Mapping[int, float], chance: Random) -> tuple[int, ...]:
    """Return two or four players, by id, in order of their seats.

    Of the three ways to form two partnerships it is the one with the smallest difference between
    the sums of ratings. Ties, sides and seats are decided by lot.
    """
    players = list(ratings)
    chance.shuffle(players)
    if len(players) == 2:
        return tuple(players)
    first, *others = players

    def difference(partner: int) -> float:
        ours = ratings[first] + ratings[partner]
        return abs(2 * ours - sum(ratings.values()))

    partner = min(others, key=difference)
    left, right = (one for one in others if one != partner)
    turned = chance.randrange(4)
    seats = [first, left, partner, right]
    return tuple(seats[turned:] + seats[:turned])


def _company(
    first: QuickPlayer, others: Sequence[QuickPlayer], seats: int, apart: Apart, weights: Weights
) -> tuple[int, ...]:
    group, left = {first.player: first.rating}, list(others)
    while len(group) < seats:
        left = [one for one in left if _fits(one, group, apart)]
        if not left:
            break
        chosen = min(left, key=lambda one: _cost_of_company(one, group, weights))
        group[chosen.player] = chosen.rating
        left.remove(chosen)
    return tuple(group)


def _fits(one: QuickPlayer, group: Iterable[int], apart: Apart) -> bool:
    return not any(apart(one.player, other) for other in group)


def _cost_of_company(one: QuickPlayer, people: Mapping[int, float], weights: Weights) -> float:
    distance = abs(one.rating - sum(people.values()) / len(people))
    met = sum(one.met.get(other, 0) for other in people)
    return weights.rating * distance / 100 + weights.again * met
