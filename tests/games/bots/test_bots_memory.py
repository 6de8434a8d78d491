"""What the house player remembers of the cards it has seen."""

from __future__ import annotations

from random import Random

import pytest

from games.bots.house import choose
from games.bots.memory import remember
from games.engine.cards import SPADES, SUIT_MASK
from games.engine.deal import Deal
from games.engine.observation import PLAYING
from games.engine.rules import RuleSet
from tests.chance import PUBLISHED
from tests.engine.build import cards, deal, seat
from tests.games.bots.house_at_play import shuffled


def dealt(done: str) -> Deal:
    """A deal by West, with the queen of hearts up, after some actions."""
    return deal(
        "QH",
        done,
        North="AS KC QS TC 9C",
        East="9H AH KH JD AC",
        South="JH TH AD KD JC",
        West="9D TD QD TS QC",
    )


def test_a_seat_that_did_not_follow_is_void() -> None:
    state = dealt("pass, order, discard 9D, play AS, play 9H")
    east = remember(state.observe(state.turn)).may_hold[seat("East")]
    assert east & SUIT_MASK[state.trump][SPADES] == 0
    assert east & cards("AH KH JD AC") == cards("AH KH JD AC")


def test_the_turn_up_taken_can_only_be_the_dealers() -> None:
    state = dealt("pass, order, discard 9D")
    may_hold = remember(state.observe(state.turn)).may_hold
    assert [bool(held & cards("QH")) for held in may_hold] == [False, False, False, True]


def test_a_turn_up_turned_down_is_nobodys() -> None:
    state = dealt("pass, pass, pass, pass, make S")
    assert not any(held & cards("QH") for held in remember(state.observe(state.turn)).may_hold)


def test_who_sits_out_holds_nothing_that_counts() -> None:
    state = dealt("pass, order alone")
    memory = remember(state.observe(state.turn))
    assert memory.may_hold[seat("West")] == 0
    assert memory.partner == seat("South")


@pytest.mark.parametrize("rules", PUBLISHED.values(), ids=PUBLISHED)
def test_never_rules_out_a_card_that_a_seat_holds(rules: RuleSet) -> None:
    rng = Random(3)
    for number in range(200):
        state = Deal.from_pack(rules, number % rules.players, shuffled(rules, rng))
        while state.result is None:
            if state.phase == PLAYING:
                _check(state)
            state.apply(choose(state.observe(state.turn), rng))


def _check(state: Deal) -> None:
    may_hold = remember(state.observe(state.turn)).may_hold
    for other, hand in enumerate(state.hands):
        if other not in (state.turn, *state.sitting_out):
            assert hand & ~may_hold[other] == 0
