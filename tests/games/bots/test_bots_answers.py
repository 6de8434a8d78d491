"""What house players do where clubs have rules of their own, and what they never do."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from random import Random
from typing import Any

import pytest

from games.bots import house, levels, random_player
from games.bots.levels import STEADY, STRONG
from games.engine.actions import DEFEND, GIVE, SWAP, Action
from games.engine.deal import Deal
from games.engine.observation import ASKING, Observation, Standing
from games.engine.rules import CLASSIC_24, NO_FACE, NO_TRUMP_HIGH_OR_LOW, RuleSet
from games.engine.scoring import results
from tests.engine.build import cards, deal
from tests.games.bots.house_at_play import CLUBS, does, duplicate, shuffled
from tests.volume import volume

DEALS = {STEADY: volume(100, 100, 10_000), STRONG: volume(3, 3, 300)}
every_club = pytest.mark.parametrize("rules", CLUBS.values(), ids=CLUBS)


def club(**fields: Any) -> RuleSet:
    return replace(CLASSIC_24, **fields)


@pytest.mark.parametrize(
    ("hand", "call"),
    [("AC KC AD AS KS", "make NT"), ("9C TC 9D 9S TS", "make LNT"), ("JS JC AS KS 9D", "make S")],
)
def test_makes_what_its_hand_is_best_for(hand: str, call: str) -> None:
    rules = club(no_trump=NO_TRUMP_HIGH_OR_LOW)
    assert does(deal("9H", "pass, pass, pass, pass", rules=rules, North=hand)).startswith(call)


def test_plays_alone_less_often_where_that_costs_more_and_more_often_where_it_is_easier() -> None:
    alone = {
        key: duplicate(CLUBS[key], house.choose, house.choose, 400).called_alone
        for key in ("own-trump", "alone-euchre", "all-five", "maker-leads", "partners-best")
    }
    assert alone["all-five"] < alone["alone-euchre"] < alone["maker-leads"]
    assert alone["own-trump"] < alone["maker-leads"] < alone["partners-best"]


@pytest.mark.parametrize(
    ("hand", "call"), [("JH JD AH AS 9C", "order alone"), ("9C TC QD 9S TS", "pass")]
)
def test_the_dealers_partner_accepts_the_turn_up_alone_with_a_good_hand(
    hand: str, call: str
) -> None:
    rules = club(dealers_partner_alone=True)
    assert does(deal("QH", "pass", rules=rules, South=hand, dealer="North")) == call


@pytest.mark.parametrize(("hand", "kept"), [("9H TH 9C TC JS", "JS"), ("9S TS 9C TC 9H", "9S TS")])
def test_swaps_a_farmers_hand_and_keeps_the_best_of_it(hand: str, kept: str) -> None:
    state = deal("QS", rules=club(farmers_hand=True), North=hand)
    swap = house.choose(state.observe(state.turn), Random(1))
    assert swap.kind == SWAP
    assert not swap.value & cards(kept)


def test_folds_a_hand_unless_it_is_worth_calling() -> None:
    rules, asked = club(fold=NO_FACE, pack=32), "decline, decline, decline"
    assert does(deal("QH", asked, rules=rules, West="7C 8C 9D TD 7S")) == "fold"
    assert does(deal("QH", asked, rules=rules, West="7H 8H 9H TH 7S")) == "decline"


@pytest.mark.parametrize(("canadian", "answer"), [(True, "fold"), (False, "decline")])
def test_folds_a_hand_that_is_worth_only_a_call_which_is_not_allowed(
    canadian: bool, answer: str
) -> None:
    rules = club(fold=NO_FACE, pack=32, dealers_partner_alone=canadian)
    asked = deal("JH", "decline", rules=rules, dealer="North", South="7H 8H 9H TH 7C")
    assert does(asked) == answer


def test_gives_its_worst_card_away_and_gets_the_partners_highest_trump() -> None:
    hands = {"North": "JH JD AH KH 9C", "South": "TH AS QS 9D TD", "West": "QC KC AC JC TC"}
    state = deal("QH", "order alone, discard TC", rules=club(partners_best=True), **hands)
    assert state.phase == ASKING
    for expected in ("give 9C", "best TH"):
        assert does(state) == expected
        state.push(house.choose(state.observe(state.turn), Random(1)))


def test_keeps_five_cards_that_cannot_be_beaten() -> None:
    state = deal(
        "9H", "order alone, discard 9H", rules=club(partners_best=True), North="JH JD AH KH QH"
    )
    assert does(state) == "decline"


@pytest.mark.parametrize(
    ("hand", "points", "answer"),
    [
        ("JH JD AH AS 9C", 4, "defend"),
        ("9H AC AS AD KD", 4, "decline"),
        ("JH JD AH AS 9C", 2, "decline"),
    ],
)
def test_defends_alone_with_three_sure_tricks_if_that_is_worth_more(
    hand: str, points: int, answer: str
) -> None:
    rules = club(defend_alone=True, lone_defence=points)
    made = deal("QH", "order alone, discard TC", rules=rules, East=hand, West="TC QC KC JC 9D")
    assert does(made) == answer


# What cannot gain ---------------------------------------------------------------------------


def decisions(level: str, rules: RuleSet, chance: Random) -> Iterator[tuple[Observation, Action]]:
    """Yield what the players of deals saw and did, at scores up to the last point."""
    for number in range(DEALS[level]):
        score = (chance.randrange(10), chance.randrange(10)) if rules.target == 10 else (0, 0)
        pack = shuffled(rules, chance)
        state = Deal.from_pack(rules, number % rules.players, pack, score=score)
        while state.result is None:
            seen = state.observe(state.turn, Standing(score))
            action = levels.choose(level, seen, chance, 8)
            yield seen, action
            state.push(action)


@pytest.mark.parametrize("level", DEALS)
@pytest.mark.parametrize(
    "rules", [replace(rules, target=10, deals=None) for rules in CLUBS.values()], ids=CLUBS
)
def test_no_call_is_made_that_cannot_gain(level: str, rules: RuleSet) -> None:
    counted = Counter[str]()
    for seen, action in decisions(level, rules, Random(f"{level} {rules.key}")):
        needed = 10 - seen.standing.score[rules.side_of(seen.turn)]
        if action.alone and action._replace(alone=False) in seen.legal:
            assert min(needed, rules.alone_march) > rules.march
        elif action.kind == DEFEND:
            together, alone = (
                results(rules, 0, alone=True, defended=by_one)[2].points for by_one in (False, True)
            )
            assert min(needed, alone) > min(needed, together)
        counted[action.kind] += 1
        counted["alone"] += action.alone
    if level == STEADY:
        assert counted["alone"]
        assert bool(counted[SWAP]) == rules.farmers_hand
        assert bool(counted[GIVE]) == rules.partners_best


@every_club
def test_beats_the_random_player_clearly(rules: RuleSet) -> None:
    record = duplicate(rules, house.choose, random_player.choose, 300)
    assert record.points_per_deal > 0.75
    assert record.points_per_deal > 10 * record.error
