"""Which ratings in the room are vouched for by the clubs in which they were earned.

Scores with real cards are the word of those who write them, and anybody can found two clubs. So a
rating there is ranked only if at most half of its games were played in any one club or in clubs
that depend on it, recognised ones aside. Games count, not matches, as each game changes the rating.
Clubs are independent that have different owners and different people. One elsewhere must have as
many people as it takes to be ranked, or a ring would only have to divide. Owners and members
change, so this is no part of the replay; it is found again after each rating, every night, and when
a club is recognised.
"""

from __future__ import annotations

from collections import defaultdict
from functools import cache

from django.conf import settings
from django.db.models import Count

from tournaments.models import Club, Membership, Pool, Rating, RatingChange
from tournaments.rating_formula import IN_ROOM


def review_all() -> None:
    for pool in Pool.objects.filter(key__endswith=IN_ROOM):
        review(pool)


def review(pool: Pool) -> None:
    """Store which ratings of a pool in the room are vouched for, in six queries at most."""
    games: dict[int, dict[int, int]] = defaultdict(dict)
    players: dict[int, set[int]] = defaultdict(set)
    changes = RatingChange.objects.filter(pool=pool).order_by()
    played = changes.values_list("player", "pairing__round__event__club")
    for player, club, times in played.annotate(Count("pk")):
        games[player][club] = times
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

    @cache
    def depend(one: int, other: int) -> bool:
        return (
            not owners[one].isdisjoint(owners[other])
            or mostly_of(one, other)
            or mostly_of(other, one)
        )

    recognised = set(Club.objects.filter(pk__in=players, recognised=True).values_list(flat=True))
    large = {club for club in players if len(players[club]) > settings.RANKED_OPPONENTS}

    def is_vouched(times: dict[int, int]) -> bool:
        doubtful = times.keys() - recognised
        for one in doubtful:
            same = {other for other in doubtful if depend(one, other)}  # `one` is among them
            mostly = 2 * sum(times[club] for club in same) > sum(times.values())
            if mostly or (recognised | large).isdisjoint(times.keys() - same):
                return False
        return True

    vouched = {player for player, times in games.items() if is_vouched(times)}
    before = set(pool.ratings.filter(vouched=True).values_list("player", flat=True))
    Rating.objects.filter(pool=pool, player__in=vouched - before).update(vouched=True)
    Rating.objects.filter(pool=pool, player__in=before - vouched).update(vouched=False)
