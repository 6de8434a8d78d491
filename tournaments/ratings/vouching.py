"""Which ratings in the room are vouched for by the clubs in which they were earned.

Scores with real cards are the word of those who write them, and anybody can found two clubs. So a
rating there is ranked only if a recognised club is among its clubs, or two that are independent: of
different owners, and with different people. Owners and members change, so this is no part of the
replay; it is found again after each rating, every night, and when a club is recognised.
"""

from __future__ import annotations

from collections import defaultdict
from itertools import combinations

from tournaments.models import Club, Membership, Pool, Rating, RatingChange
from tournaments.rating_formula import IN_ROOM


def review_all() -> None:
    for pool in Pool.objects.filter(key__endswith=IN_ROOM):
        review(pool)


def review(pool: Pool) -> None:
    """Store which ratings of a pool in the room are vouched for, in five queries."""
    changes = RatingChange.objects.filter(pool=pool).order_by()
    clubs: dict[int, set[int]] = defaultdict(set)
    players: dict[int, set[int]] = defaultdict(set)
    for player, club in changes.values_list("player", "pairing__round__event__club").distinct():
        clubs[player].add(club)
        players[club].add(player)
    owners: dict[int, set[int]] = defaultdict(set)
    members: dict[int, set[int]] = defaultdict(set)
    rows = Membership.objects.filter(club__in=players)
    for club, player, role in rows.values_list("club", "player", "role"):
        members[club].add(player)
        if role == Membership.Role.OWNER:
            owners[club].add(player)

    def mostly_of(club: int, other: int) -> bool:
        shared = players[club] & (players[other] | members[other])
        return 2 * len(shared) > len(players[club])

    recognised = set(Club.objects.filter(pk__in=players, recognised=True).values_list(flat=True))
    independent = {
        (one, other)
        for one, other in combinations(sorted(players), 2)
        if owners[one].isdisjoint(owners[other])
        and not mostly_of(one, other)
        and not mostly_of(other, one)
    }
    vouched = {
        player
        for player, played_in in clubs.items()
        if not recognised.isdisjoint(played_in)
        or any(pair in independent for pair in combinations(sorted(played_in), 2))
    }
    before = set(pool.ratings.filter(vouched=True).values_list("player", flat=True))
    Rating.objects.filter(pool=pool, player__in=vouched - before).update(vouched=True)
    Rating.objects.filter(pool=pool, player__in=before - vouched).update(vouched=False)
