"""Guesses of the hidden hands agree with what is known, and are as likely as they should be."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations
from random import Random
from statistics import fmean

import pytest

from games.bots.house import choose
from games.bots.inference import Inference
from games.bots.worlds import _Dealer, worlds
from games.engine.actions import BEST, NINES_AND_TENS, SWAP
from games.engine.cards import EFFECTIVE_SUIT, HEARTS, SUIT_MASK, cards_in, mask_of, parse_card
from games.engine.deal import Deal
from games.engine.observation import (
    ASKING,
    CUTTING,
    DISCARDING,
    GIVING,
    NAMING,
    TAKEN,
    Observation,
)
from games.engine.rules import CLASSIC_24
from tests.chance import ALL_SOURCES, random_deal, rules_of
from tests.engine.build import cards, deal, push, seat
from tests.volume import volume

LONE_HAND = "JH JD AH KH 9C"
DEALS = volume(12, 12, 1_000)


def decisions(source: str, number: int) -> Iterator[tuple[Deal, Random]]:
    """Yield deals at every decision from the bidding on, in which half the actions are chance."""
    for seed in range(number):
        rng = Random(f"{source} {seed}")
        state = random_deal(rules_of(source, rng), rng)
        while state.result is None:
            if state.phase not in (CUTTING, NAMING):
                yield state, rng
            chosen = choose(state.observe(state.turn), rng)
            state.apply(rng.choice((chosen, rng.choice(state.legal))))


def played(seen: Observation) -> Iterator[tuple[int, int, int]]:
    """Yield seat, card and the card led, for each card played."""
    for plays in (*(trick.plays for trick in seen.tricks), seen.plays):
        for seat_, card in plays:
            yield seat_, card, plays[0][1]


def check(seen: Observation, world: tuple[int, ...]) -> None:
    assert seen.seat is not None
    assert world[seen.seat] == seen.hand
    assert tuple(hand.bit_count() for hand in world) == seen.held
    everything = sum(world)
    gone = sum(1 << card for _, card, _ in played(seen))
    if seen.turn_up_at != TAKEN:
        gone |= 1 << seen.turn_up
    gone |= seen.put_away
    assert everything.bit_count() == sum(seen.held)  # no card is in two hands
    assert everything & ~seen.rules.pack_mask == 0
    assert everything & gone == 0
    for seat_, card, led in played(seen):
        suit = EFFECTIVE_SUIT[seen.trump][led]
        if EFFECTIVE_SUIT[seen.trump][card] != suit:
            assert world[seat_] & SUIT_MASK[seen.trump][suit] == 0
    if seen.turn_up_at == TAKEN:
        others = [hand for at, hand in enumerate(world) if at != seen.dealer]
        assert not any(hand >> seen.turn_up & 1 for hand in others)
    for who, action in seen.answers:
        if action.kind == SWAP and who != seen.seat:
            out = seen.rules.pack_mask & ~(everything | gone)
            assert (out & NINES_AND_TENS).bit_count() >= 3
        elif action.kind == BEST and action.value >= 0:
            assert (world[seen.maker] | gone) >> action.value & 1


def test_a_card_that_a_lone_maker_gave_away_is_one_of_those_out_of_play() -> None:
    """Also where the dealer took up the turn-up and may have given it away."""
    asked = replace(CLASSIC_24, partners_best=True, defend_alone=True)
    state = deal("9H", "pass, pass, pass, order alone, discard 9C", rules=asked, West=LONE_HAND)
    while state.phase in (ASKING, GIVING):
        state.push(state.legal[-1])
    found = worlds(state.observe(state.turn), Random(10), 400)
    held = sum(sum(world) >> parse_card("9H") & 1 for world in found)
    assert 0 < held < 400


@pytest.mark.parametrize("source", ALL_SOURCES)
def test_agree_with_everything_the_player_knows(source: str) -> None:
    for state, rng in decisions(source, DEALS):
        for observer in range(state.rules.players):
            seen = state.observe(observer)
            found = worlds(seen, rng, 3)
            assert len(found) == 3
            for world in found:
                check(seen, world)


@pytest.mark.parametrize("source", ALL_SOURCES)
def test_are_the_same_for_the_same_observation_and_seed(source: str) -> None:
    for state, rng in decisions(source, 3):
        seen = state.observe(state.turn)
        seed = rng.random()
        assert worlds(seen, Random(seed), 5) == worlds(seen, Random(seed), 5)


def test_depend_on_nothing_the_player_does_not_see() -> None:
    """Any guess is dealt for real, and the player guesses just the same."""
    for state, rng in decisions("classic-24", 3):
        if state.phase == DISCARDING or state.turn == state.dealer:
            continue
        seen = state.observe(state.turn)
        for world in worlds(seen, rng, 3):
            other = Deal.from_observation(seen, world).observe(state.turn)
            assert worlds(other, Random(5), 5) == worlds(seen, Random(5), 5)


def three_tricks_in() -> Observation:
    """Return what South sees after three tricks, in which every other seat has shown a void."""
    state = deal(
        "QH",
        "order, discard 9D, play AS, play 9H, play KS, play QH, play TD, play 9C, play TH, play AD,"
        " play AH, play JS, play JH, play TC",
        dealer="West",
        North="AS 9C KC TC QC",
        East="9H AH TH KH AC",
        South="KS JC AD KD JS",
        West="9D TD JD QD JH",
    )
    return state.observe(seat("South"))


def test_every_deal_that_agrees_is_equally_likely_before_the_calls_are_looked_at() -> None:
    seen = three_tricks_in()
    possible = set(enumerated(seen))
    dealer, rng = _Dealer(seen), Random(6)
    tries = 20 * len(possible)
    found = Counter(dealer.deal(rng)[:2] for _ in range(tries))
    assert set(found) <= possible
    squares = sum((found[one] - 20) ** 2 / 20 for one in possible)
    freedom = len(possible) - 1
    assert abs(squares - freedom) < 4 * (2 * freedom) ** 0.5


def enumerated(seen: Observation) -> Iterator[tuple[tuple[int, ...], int]]:
    """Yield all hands that agree with what South sees, and the discard."""
    gone = sum(1 << card for _, card, _ in played(seen)) | seen.hand
    unseen = list(cards_in(seen.rules.pack_mask & ~gone))
    for north in combinations(unseen, seen.held[0]):
        for east in combinations([card for card in unseen if card not in north], seen.held[1]):
            rest = [card for card in unseen if card not in (*north, *east)]
            for west in combinations(rest, seen.held[3]):
                world = (mask_of(north), mask_of(east), seen.hand, mask_of(west))
                if agrees(seen, world):
                    for discard in set(rest).difference(west):
                        yield world, 1 << discard


def agrees(seen: Observation, world: tuple[int, ...]) -> bool:
    try:
        check(seen, world)
    except AssertionError:
        return False
    return True


def test_a_seat_that_ordered_up_is_given_more_trumps_than_one_that_passed() -> None:
    ordered = deal("QH", "order", dealer="West", North="JH AH 9H AS 9C", West="9S TS QS KS JS")
    passed = deal("QH", "pass", dealer="West", North="TC JC QC KC AC", East="9S TS QS KS JS")
    trumps = SUIT_MASK[HEARTS][HEARTS]
    given = [
        fmean(
            (world[seat("North")] & trumps).bit_count()
            for world in worlds(state.observe(seat("South")), Random(7), 400)
        )
        for state in (ordered, passed)
    ]
    assert given[0] > given[1] + 0.7


def test_calls_no_house_player_would_make_still_give_as_many_worlds() -> None:
    state = deal(
        "9H",
        "order alone, discard 9D",
        dealer="West",
        North="9C TC QD 9S TS",
        West="9D JH JD AH KH",
    )
    assert state.rules == CLASSIC_24
    found = worlds(state.observe(seat("East")), Random(8), 50)
    assert len(found) == 50


def test_the_dealer_seldom_discarded_the_turn_up() -> None:
    state = deal("QH", "order, discard 9D", dealer="West", West="9D TD JD TS 9S")
    found = worlds(state.observe(seat("North")), Random(9), 300)
    kept = sum(world[seat("West")] & cards("QH") > 0 for world in found)
    assert kept > 270  # of 300; by chance alone it would be one in six


def test_a_lone_makers_call_counts_the_card_that_is_being_given_away() -> None:
    rules = replace(CLASSIC_24, partners_best=True)
    state = deal(
        "9H", "order alone, discard TC", rules=rules, North="JH JD AS KD 9S", West="TC QC KC JC 9D"
    )
    held, partner = tuple(state.hands), seat("South")
    before = Inference(state.observe(partner)).likelihood(held, cards("TC"), 0)
    push(state, "give AS")
    after = Inference(state.observe(partner))
    assert after.likelihood(state.hands, cards("TC"), cards("AS")) == before
