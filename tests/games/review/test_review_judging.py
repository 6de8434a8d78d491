"""Decisions are judged by what the player saw, and luck in the worlds makes no marks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice, product
from random import Random
from typing import Any

import pytest

from games.bots import random_player
from games.engine.actions import CUT, ORDERS, PASSED, Action, parse_action
from games.engine.cards import card_text, cards_in
from games.engine.deal import Deal
from games.engine.errors import EngineError
from games.engine.observation import Observation
from games.engine.rules import CLASSIC_24, RULE_SETS
from games.files.played import PlayedDeal
from games.review import judging, sampling
from games.review.decisions import JUDGED, SeatDecision, decisions, decisions_in
from games.review.judging import (
    BLUNDER,
    MIN_LOSS,
    MIN_WORLDS,
    MISTAKE,
    SOUND,
    Judgement,
    judge,
)
from games.review.values import values_in
from tests.chance import SOURCES, TYPICAL, rules_of
from tests.engine.build import cards, deal, seat
from tests.games.review.games import play
from tests.volume import volume

PAIRS = volume(8, 8, 2_500)


def judged(state: Deal, action: str) -> Judgement:
    return judge(state.observe(state.turn), parse_action(action), Random(1))


# Which moments are decisions ----------------------------------------------------------------


def test_decisions_are_the_moments_with_a_choice() -> None:
    for rules in RULE_SETS.values():
        game = play(rules, Random(3), 4)
        found = {(one.hand, one.step): one for one in decisions(game)}
        for played in game.deals:
            for step, action in enumerate(played.deal.actions):
                before = played.at(step)
                choice = len(before.legal_actions()) > 1 and action.kind in JUDGED
                assert ((played.number, step) in found) == choice
                if choice:
                    one = found[played.number, step]
                    assert one.seen == before.observe(before.turn, played.before)
                    assert one.taken == action
                    assert one.seat == before.turn


# Verdicts -----------------------------------------------------------------------------------

TOP_HAND = "JH JD AH KH AS"


def test_passing_with_the_top_trumps_is_a_mistake() -> None:
    verdict = judged(deal("QH", North=TOP_HAND), "pass")
    assert verdict.mark == MISTAKE
    assert verdict.best == ORDERS[1]  # alone
    assert MIN_LOSS[MISTAKE] < verdict.loss < MIN_LOSS[BLUNDER]


def test_ordering_up_with_nothing_is_a_mistake() -> None:
    verdict = judged(deal("QH", North="9C TC QS 9S TD"), "order")
    assert verdict.mark == MISTAKE
    assert verdict.best == PASSED


def test_the_best_action_is_sound() -> None:
    verdict = judged(deal("QH", North=TOP_HAND), "order alone")
    assert (verdict.mark, verdict.loss, verdict.best) == (SOUND, 0.0, ORDERS[1])


def partners_ace() -> Deal:
    """Return a deal in which South, last in hand, may trump or throw away one of two diamonds."""
    return deal(
        "QH",
        "pass, pass, pass, order, discard QS, play 9C, play AC, play QC",
        dealer="South",
        North="AC KC 9S AS QD",
        East="QC JC AD KS TH",
        South="JH 9H 9D TD QS",
        West="9C TC KD TS JS",
    )


def test_trumping_the_partners_ace_last_in_hand_is_a_blunder() -> None:
    state = partners_ace()
    assert state.turn == seat("South")
    verdict = judged(state, "play JH")
    assert verdict.mark == BLUNDER
    assert verdict.best.value in cards_in(cards("9D TD"))


def test_options_that_are_equally_good_are_worth_the_same() -> None:
    seen = partners_ace().observe(seat("South"))
    for seed in range(10):
        first, second, *_ = judge(seen, parse_action("play JH"), Random(seed)).options
        assert {card_text(one.action.value) for one in (first, second)} == {"9D", "TD"}
        assert first.value == second.value


def test_options_are_all_legal_actions_and_add_up() -> None:
    for decision in decisions(play(CLASSIC_24, Random(8), 2, random_player.choose)):
        verdict = judge(decision.seen, decision.taken, Random(2))
        values = {option.action: option.value for option in verdict.options}
        assert set(values) == set(decision.seen.legal)
        if verdict.mark:
            assert verdict.options[0].action == verdict.best != decision.taken
            assert verdict.loss == pytest.approx(values[verdict.best] - values[decision.taken])
            assert verdict.worlds >= MIN_WORLDS[verdict.mark]
            assert verdict.loss >= max(MIN_LOSS[verdict.mark], 2 * verdict.error)
        else:
            assert verdict.best == decision.taken


@pytest.mark.parametrize("rules", TYPICAL.values(), ids=TYPICAL)
def test_the_same_seed_gives_the_same_verdict(rules: Any) -> None:
    game = play(rules, Random(4), 1, random_player.choose)
    for decision in islice(decisions(game), 2, 6):
        first, second = (judge(decision.seen, decision.taken, Random("x")) for _ in range(2))
        assert first == second


# Luck ---------------------------------------------------------------------------------------


def test_luck_in_the_worlds_makes_no_marks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where options differ in nothing but chance, next to none is marked."""
    chance = Random(11)

    def by_chance(_seen: Observation, _world: object, options: Sequence[Action]) -> Any:
        return {option: chance.choice((-2, -1, 1, 1, 2)) for option in options}

    monkeypatch.setattr(sampling, "values_in", by_chance)
    seen = deal("QH", North=TOP_HAND).observe(seat("North"))
    marks = [judge(seen, PASSED, Random(number)).mark for number in range(200)]
    assert sum(mark != SOUND for mark in marks) <= 10


def test_the_worlds_that_tell_have_not_chosen(monkeypatch: pytest.MonkeyPatch) -> None:
    """An option that shines in the screened worlds only is not marked."""
    shown = 0

    def shines_first(_seen: Observation, _world: object, options: Sequence[Action]) -> Any:
        nonlocal shown
        shown += 1
        gain = 3 if shown <= judging.SCREENED else 0
        return {option: gain * (option == ORDERS[0]) for option in options}

    monkeypatch.setattr(sampling, "values_in", shines_first)
    seen = deal("QH", North=TOP_HAND).observe(seat("North"))
    verdict = judge(seen, PASSED, Random(1))
    assert shown > judging.SCREENED
    assert verdict.mark == SOUND


# Noninterference ----------------------------------------------------------------------------


def as_dealt(played: PlayedDeal) -> PlayedDeal:
    """Return the same hand without the pack it came from and its cut."""
    hands, turn_up = played.deal.start
    deal = Deal.from_cards(
        played.deal.rules, played.deal.dealer, [tuple(cards_in(hand)) for hand in hands], turn_up
    )
    for action in played.deal.actions:
        if action.kind != CUT:
            deal.push(action)
    return played._replace(deal=deal)


def swapped(played: PlayedDeal, step: int, rng: Random) -> Iterator[PlayedDeal]:
    """Yield a hand that looks the same so far to the player in turn, two hidden cards swapped."""
    deal = played.at(step)
    (hands, turn_up), rules = played.deal.start, deal.rules
    me = deal.turn
    everything = [*map(set, map(cards_in, hands))]
    dealt = set().union(*everything, {turn_up})
    others = [at for at in range(rules.players) if at != me]
    places = [*((at, card) for at in others for card in sorted(everything[at]))]
    places += [(-1, card) for card in rules.pack_in_order() if card not in dealt]
    pairs = [(one, two) for one, two in product(places, places) if one[0] < two[0]]
    for (at, card), (to, other) in rng.sample(pairs, len(pairs)):
        moved = [set(hand) for hand in everything]
        moved[to] = moved[to] - {other} | {card}
        if at >= 0:
            moved[at] = moved[at] - {card} | {other}
        twin = Deal.from_cards(rules, deal.dealer, [sorted(hand) for hand in moved], turn_up)
        try:
            for action in played.deal.actions[: step + 1]:
                twin.push(action)
        except EngineError:
            continue
        yield PlayedDeal(twin, played.before, played.before)
        return


def at(played: PlayedDeal, step: int) -> SeatDecision:
    return next(one for one in decisions_in(played) if one.step == step)


@pytest.mark.parametrize("source", SOURCES)
def test_what_a_player_could_not_see_does_not_change_the_verdict(source: str) -> None:
    pairs = 0
    for seed in range(PAIRS):
        rng = Random(f"{source} {seed}")
        game = play(rules_of(source, rng), rng, 1, random_player.choose)
        played = as_dealt(game.deals[0])
        choices = list(decisions_in(played))
        if not choices:
            continue
        one = rng.choice(choices)
        for twin in swapped(played, one.step, rng):
            other = at(twin, one.step)
            assert other.seen == one.seen
            assert judge(other.seen, other.taken, Random(seed)) == judge(
                one.seen, one.taken, Random(seed)
            )
            pairs += 1
    assert pairs > PAIRS // 4


def test_a_card_is_worth_what_its_deal_comes_to_and_only_to_ones_own_side() -> None:
    state = deal("9H", "order, discard 9C", North="AC 9D KD TS 9S", West="9C KC AD TC AH")
    seen = state.observe(state.turn)
    values = values_in(seen, state.hands, seen.legal)
    assert set(values) == set(seen.legal)
    assert all(value in (-2, -1, 1, 2) for value in values.values())
