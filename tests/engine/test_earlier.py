"""A game as it was some deals ago: nothing of a later deal is in it, and all deals are shown."""

from __future__ import annotations

from random import Random

import pytest

from games.engine.observation import Observation
from tests.chance import ALL_SOURCES, random_action, random_game, seeded


@pytest.mark.parametrize("source", ALL_SOURCES)
@pytest.mark.parametrize("deals", [1, 2])
def test_it_follows_at_a_distance(source: str, deals: int) -> None:
    for rules, seed in seeded(source, 10):
        rng, state = Random(seed), random_game(rules, seed)
        views = {(1, 0): state.observe()}
        ends: dict[int, Observation] = {}
        done = 0
        while not state.standing.over and state.standing.deal_number < 6:
            number = state.standing.deal_number
            then = state.earlier(deals)
            if number <= deals:
                assert then is None
            else:
                assert then is not None
                at = (number - deals, done)
                whole = state.deal.result is not None or at not in views
                assert then.observe() == (ends[number - deals] if whole else views[at])
                assert then.records == state.records[: len(then.records)]
                assert len(then.records) <= number - deals
            state.push(random_action(state, rng))
            done = done + 1 if state.standing.deal_number == number else 0
            views[state.standing.deal_number, done] = state.observe()
            if state.deal.result is not None:
                ends[state.standing.deal_number] = state.observe()
