"""The strong house player: legal, the same again, blind to what it does not see, and stronger."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

import pytest

from games.bots import house, levels, random_player
from games.bots.levels import LEVELS, STRONG
from games.bots.worlds import worlds
from games.engine.actions import Action
from games.engine.deal import Deal
from games.engine.observation import CUTTING, NAMING, Observation
from games.engine.rules import CLASSIC_24
from tests.chance import SOURCES, random_deal, rules_of
from tests.engine.build import deal
from tests.games.bots.house_at_play import duplicate
from tests.volume import volume

DEALS = volume(3, 15, 300)
#: Pairs of deals that a seat cannot tell apart, for each rule set.
PAIRS = volume(30, 150, 2_500)
FEW = 6


def decisions(source: str) -> Iterator[tuple[Deal, Random]]:
    """Yield deals at decisions without end, half of the actions by chance."""
    seed = 0
    while True:
        rng = Random(f"strong {source} {seed}")
        state = random_deal(rules_of(source, rng), rng)
        while state.result is None:
            yield state, rng
            usual = house.choose(state.observe(state.turn), rng)
            state.apply(rng.choice((usual, rng.choice(state.legal))))
        seed += 1


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("level", LEVELS)
def test_legal_and_the_same_again_in_any_position(source: str, level: str) -> None:
    for (state, rng), _ in zip(decisions(source), range(DEALS * 20), strict=False):
        seen, seed = state.observe(state.turn), rng.random()
        action = levels.choose(level, seen, Random(seed), FEW)
        assert action in seen.legal
        assert action == levels.choose(level, seen, Random(seed), FEW)


@pytest.mark.parametrize("source", SOURCES)
def test_deals_that_look_the_same_to_a_seat_are_played_the_same(source: str) -> None:
    found = 0
    for state, rng in decisions(source):
        if state.phase in (CUTTING, NAMING) or len(state.legal) < 2:
            continue
        seen, seed = state.observe(state.turn), rng.random()
        (world,) = worlds(seen, rng, 1)
        other = Deal.from_observation(seen, world)
        if other.hands == state.hands:
            continue
        assert other.observe(state.turn) == seen
        for level in LEVELS:
            assert levels.choose(level, seen, Random(seed), FEW) == levels.choose(
                level, other.observe(state.turn), Random(seed), FEW
            )
        found += 1
        if found == PAIRS:
            return


def test_nobody_chooses_out_of_turn() -> None:
    state = deal("QH")
    for level in LEVELS:
        with pytest.raises(IndexError):
            levels.choose(level, state.observe(state.dealer), Random(1))
    with pytest.raises(KeyError):
        levels.choose("perfect", state.observe(state.turn), Random(1))


def test_the_strong_player_is_ahead_of_chance_by_more_than_a_point() -> None:
    def strong(seen: Observation, rng: Random) -> Action:
        return levels.choose(STRONG, seen, rng, FEW)

    record = duplicate(CLASSIC_24, strong, random_player.choose, volume(60, 200, 2_000))
    assert record.points_per_deal > 1
