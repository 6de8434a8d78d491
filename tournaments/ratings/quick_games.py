"""Gives the ratings of events to the matching rule of quick games."""

from collections.abc import Collection

from games.engine.rules import RuleSet
from games.quick import company
from tournaments.models import Rating
from tournaments.rating_formula import pool_key


def ratings(players: Collection[int], rules: RuleSet) -> dict[int, float]:
    """Return the ratings of those players who have one for a rule set, by their ids."""
    rated = Rating.objects.filter(player__in=players, pool__key=pool_key(rules))
    return dict(rated.values_list("player_id", "mu"))


company.rate_by(ratings)
