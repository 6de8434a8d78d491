"""The best play with open hands, compared with plain alpha-beta and with itself card by card."""

from collections.abc import Iterator
from dataclasses import replace
from random import Random
from typing import Any

import pytest

from games.engine.actions import FOLDS, PASSED
from games.engine.cards import HEARTS, card_text, cards_in, parse_card
from games.engine.deal import Deal
from games.engine.observation import PLAYING
from games.engine.rules import CLASSIC_24, HAND, HEADS_UP, RuleSet
from games.engine.scoring import score_deal
from games.engine.solver import (
    Position,
    _Search,
    best_points,
    best_tricks,
    points_by_card,
    tricks_by_card,
)
from games.engine.tricks import playable
from tests.chance import ALL_SOURCES, random_deal, rules_of
from tests.engine.build import cards
from tests.engine.build import deal as dealt
from tests.oracle import alpha_beta
from tests.oracle.alpha_beta import played
from tests.volume import volume

#: By the number of tricks already played, positions of each rule set.
COMPARED = {
    0: volume(5, 25, 1_000),
    1: volume(30, 150, 10_000),
    2: volume(60, 500, 20_000),
    3: volume(60, 500, 10_000),
    4: volume(50, 100, 2_000),
}
#: Whole deals of each rule set.
DEALS = volume(15, 60, 6_000)


def position_of(deal: Deal) -> Position:
    return Position.of(deal.observe(), deal.hands)


def made(rules: RuleSet, rng: Random) -> Deal:
    """Return a random deal before the first lead, trump made by chance."""
    deal = random_deal(rules, rng)
    while deal.phase != PLAYING:
        wanted = [action for action in deal.legal if action not in (PASSED, FOLDS)]
        deal.push(rng.choice(wanted or deal.legal))
        if deal.result is not None:
            deal = random_deal(rules, rng)
    return deal


def deals(source: str, number: int) -> Iterator[tuple[Deal, Random]]:
    for seed in range(number):
        rng = Random(f"{source} {seed}")
        yield made(rules_of(source, rng), rng), rng


def positions(source: str, tricks: int, number: int) -> Iterator[Position]:
    """Yield positions after so many tricks by chance, and some cards of the next."""
    for deal, rng in deals(source, number):
        seats = sum(hand > 0 for hand in position_of(deal).hands)
        for _ in range(tricks * seats + rng.randrange(seats)):
            if deal.phase == PLAYING:  # not settled before, where hands are laid down
                deal.push(rng.choice(deal.legal))
        if deal.phase == PLAYING:
            yield position_of(deal)


def best_for_turn(position: Position, values: dict[int, int]) -> int:
    best = max if position.turn % 2 == position.makers else min
    return best(values.values())


@pytest.mark.parametrize("source", ALL_SOURCES)
@pytest.mark.parametrize("tricks", COMPARED)
def test_plain_alpha_beta_finds_the_same_tricks_for_every_card(source: str, tricks: int) -> None:
    for position in positions(source, tricks, COMPARED[tricks]):
        hand = position.hands[position.turn]
        found = {
            card: alpha_beta.best_tricks(played(position, card))
            for card in cards_in(playable(position.trump, position.plays, hand))
        }
        assert tricks_by_card(position) == found, position
        assert best_tricks(position) == best_for_turn(position, found), position


@pytest.mark.parametrize("source", ALL_SOURCES)
def test_the_values_hold_from_the_first_card_to_the_result(source: str) -> None:
    """Each card is worth what the position is worth once it is played, tricks and points."""
    for deal, rng in deals(source, DEALS):
        rules = deal.rules
        while deal.result is None:
            position = position_of(deal)
            points = points_by_card(rules, position)
            assert sorted(points) == sorted(action.value for action in deal.legal)
            assert best_points(rules, position) == best_for_turn(position, points)
            assert best_tricks(position) == best_for_turn(position, tricks_by_card(position))
            action = rng.choice(deal.legal)
            after = played(position, action.value)
            assert tricks_by_card(position)[action.value] == best_tricks(after)
            assert points[action.value] == best_points(rules, after)
            deal.push(action)
        sign = 1 if deal.result.side == deal.result.makers else -1
        assert points[action.value] == sign * deal.result.points


@pytest.mark.parametrize("source", ALL_SOURCES)
def test_both_sides_have_five_tricks_together(source: str) -> None:
    for deal, _ in deals(source, DEALS):
        position = position_of(deal)
        other = position._replace(makers=1 - position.makers)
        assert best_tricks(position) + best_tricks(other) == HAND


@pytest.mark.parametrize("source", ALL_SOURCES)
def test_makers_who_can_take_a_number_of_tricks_can_take_any_fewer(source: str) -> None:
    for deal, _ in deals(source, DEALS):
        position = position_of(deal)
        best = best_tricks(position)
        for tricks in range(HAND + 1):
            assert _Search(position).reached((), [tricks]) == (tricks <= best)


@pytest.mark.parametrize("source", ALL_SOURCES)
def test_points_are_those_of_the_tricks(source: str) -> None:
    for deal, _ in deals(source, DEALS):
        position = position_of(deal)
        points = points_by_card(deal.rules, position)
        for card, tricks in tricks_by_card(position).items():
            defended = deal.defender >= 0
            final = (tricks, HAND - tricks)
            result = score_deal(deal.rules, 0, final, alone=deal.alone, defended=defended)
            assert points[card] == (result.points if result.side == 0 else -result.points)


# Known positions ------------------------------------------------------------------------


def hearts(*hands: str, **rest: Any) -> Position:
    """Return a position with hearts trump, made by North, who leads."""
    return Position(HEARTS, 0, tuple(cards(hand) for hand in hands), 0, **rest)


def named(values: dict[int, int]) -> dict[str, int]:
    return {card_text(card): value for card, value in values.items()}


@pytest.mark.parametrize(("top", "lower"), [("AH", "KH"), ("JH", "JD"), ("Jo", "JH")])
def test_trump_is_drawn_before_the_ace_is_led(top: str, lower: str) -> None:
    position = hearts(f"{top} AC", f"{lower} 9D", tricks=(1, 2))
    assert named(tricks_by_card(position)) == {top: 3, "AC": 2}
    assert named(points_by_card(HEADS_UP, position)) == {top: 1, "AC": -2}


def test_a_tenace_waits_to_be_led_up_to() -> None:
    position = hearts("AH QH 9C", "KH TH TC", tricks=(1, 1))
    assert named(tricks_by_card(position)) == {"9C": 3, "QH": 2, "AH": 2}


def test_cards_with_none_in_play_between_them_are_worth_the_same() -> None:
    position = hearts("AC KC TC", "JC 9C 9H", tricks=(1, 1))
    assert named(tricks_by_card(position)) == {"AC": 3, "KC": 3, "TC": 2}


def test_third_hand_plays_high() -> None:
    plays = ((0, parse_card("9C")), (1, parse_card("JC")))
    ready = hearts("9D", "TD", "AC QC", "KC AD", tricks=(1, 2))
    assert named(tricks_by_card(ready._replace(turn=2, plays=plays))) == {"AC": 3, "QC": 1}


def test_a_lone_march_scores_four_and_the_partner_holds_no_card() -> None:
    ready = dealt("9S", "order alone", North="JS JC AS KS QS")
    position = position_of(ready)
    assert (position.sitting_out, position.hands[2]) == ((2,), 0)
    assert best_tricks(position) == HAND
    assert best_points(CLASSIC_24, position) == CLASSIC_24.alone_march


def test_makers_without_a_trick_are_skunked_where_that_costs_more() -> None:
    position = hearts("9C TC QC KC AC", "JH JD AH KH QH")
    assert best_points(HEADS_UP, position) == -2
    assert best_points(replace(HEADS_UP, skunk=4), position) == -4
    assert best_points(replace(HEADS_UP, skunk=4), position._replace(makers=1)) == 2


def test_at_the_end_the_tricks_taken_count() -> None:
    end = hearts("", "", "", "", tricks=(3, 2), sitting_out=(2,))._replace(turn=-1)
    assert (best_tricks(end), best_points(CLASSIC_24, end)) == (3, 1)
    assert tricks_by_card(end) == points_by_card(CLASSIC_24, end) == {}
