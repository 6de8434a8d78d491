"""Deals played on from a guess of the hands."""

from __future__ import annotations

from random import Random

import pytest

from games.bots.house import choose
from games.bots.playouts import points_after
from games.engine.actions import without_cards
from games.engine.deal import Deal
from games.engine.errors import MalformedError
from games.engine.observation import CUTTING, NAMING, Observation
from games.engine.rules import JOKER_33
from tests.chance import ALL_SOURCES, random_deal, rules_of
from tests.engine.build import deal
from tests.volume import volume

DEALS = volume(20, 40, 1_000)


@pytest.mark.parametrize("source", ALL_SOURCES)
def test_with_the_hands_that_lie_the_deal_goes_on_as_it_does(source: str) -> None:
    for seed in range(DEALS):
        rng = Random(f"{source} {seed}")
        state = random_deal(rules_of(source, rng), rng)
        expected: list[tuple[int, int]] = []
        while state.result is None:
            action = choose(state.observe(state.turn), rng)
            if state.phase not in (CUTTING, NAMING):
                seen = state.observe(state.turn)
                points = points_after(seen, state.hands, action)
                side = state.rules.side_of(state.turn)
                expected.append((points if side == 0 else -points, state.turn))
            state.apply(action)
        result = state.result
        of_first = result.points if result.side == 0 else -result.points
        assert {points for points, _ in expected} == {of_first}, (source, seed)


@pytest.mark.parametrize("source", ALL_SOURCES)
def test_a_deal_can_be_resumed_at_any_call_or_card(source: str) -> None:
    for seed in range(DEALS):
        rng = Random(f"{source} {seed}")
        state = random_deal(rules_of(source, rng), rng)
        while state.result is None:
            if state.phase not in (CUTTING, NAMING):
                copy = Deal.from_observation(state.observe(state.dealer), state.hands)
                assert _open(copy, state.turn) == _open(state, state.turn)
                action = rng.choice(state.legal)
                copy.apply(action)
                state.apply(action)
                assert _open(copy, state.dealer) == _open(state, state.dealer)
            else:
                state.apply(rng.choice(state.legal))
        finished = Deal.from_observation(state.observe(state.dealer), state.hands)
        assert finished.result == state.result


def _open(state: Deal, viewer: int) -> Observation:
    """What a seat sees, without the cards of answers that the dealer may not know."""
    seen = state.observe(viewer)
    return seen._replace(answers=tuple((who, without_cards(did)) for who, did in seen.answers))


def test_nothing_is_played_out_before_the_joker_has_a_suit() -> None:
    state = deal("Jo", rules=JOKER_33)
    with pytest.raises(MalformedError):
        Deal.from_observation(state.observe(state.turn), state.hands)


def test_points_of_the_other_side_are_negative() -> None:
    hopeless = deal("9H", North="9C TC QD 9S TS", East="JH JD AH KH QH", West="AC KC AS KS AD")
    seen = hopeless.observe(hopeless.turn)
    assert points_after(seen, hopeless.hands, seen.legal[1]) == -2
