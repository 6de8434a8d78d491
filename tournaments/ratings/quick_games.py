"""Gives ratings to the matching rule of quick games: of quick games, or else of events."""

from collections.abc import Collection

from games.engine.rules import RuleSet
from games.quick import company
from tournaments.models import Rating
from tournaments.rating_formula import pool_key, quick_pool_key


def ratings(players: Collection[int], rules: RuleSet) -> dict[int, float]:
    """Return the ratings of those players who have one for a rule set, by their ids."""
    keys = pool_key(rules), quick_pool_key(rules)
    found: dict[str, dict[int, float]] = {key: {} for key in keys}
    rated = Rating.objects.filter(player__in=players, pool__key__in=keys)
    for key, player, mu in rated.values_list("pool__key", "player_id", "mu"):
        found[key][player] = mu
    events, quick = (found[key] for key in keys)
    return {**events, **quick}


company.rate_by(ratings)
