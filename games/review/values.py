"""What each option of a decision is worth in a world, in points of the deal for the player's side.

A card is worth what its deal comes to when everybody plays on with all hands open. Bids and
discards are played out by house players, because open hands would make every lone hand look good
to its maker and every defence look easy.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from games.bots.playouts import points_after
from games.engine.actions import Action
from games.engine.observation import PLAYING, Observation
from games.engine.solver import Position, points_by_card

World = Sequence[int]


def values_in(seen: Observation, world: World, options: Iterable[Action]) -> dict[Action, int]:
    """Return the points of each option for the side of the seat in turn."""
    if seen.phase != PLAYING:
        return {option: points_after(seen, world, option) for option in options}
    rules = seen.rules
    by_card = points_by_card(rules, Position.of(seen, world))
    sign = 1 if rules.side_of(seen.turn) == rules.side_of(seen.maker) else -1
    return {option: sign * by_card[option.value] for option in options}
