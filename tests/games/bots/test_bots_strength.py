"""The house player is always legal, always the same, and much better than chance."""

from __future__ import annotations

from random import Random

import pytest

from games.bots import house, random_player
from games.engine.deal import Deal
from games.engine.errors import RuleSetError
from games.engine.game import Game
from games.engine.observation import Observation
from games.engine.rules import DEALER_MAKES, DEALER_NAMES, PACKS, RULE_SETS, RuleSet
from tests.chance import PUBLISHED
from tests.games.bots.house_at_play import duplicate, shuffled

each_published = pytest.mark.parametrize("rules", PUBLISHED.values(), ids=PUBLISHED)


def house_rules(rng: Random) -> RuleSet:
    """A rule set that a club might save, within the bounds."""
    while True:
        low, high = sorted(rng.choices(range(1, 11), k=2))
        lone, lone_march = sorted(rng.choices(range(1, 11), k=2))
        euchre, skunk = sorted(rng.choices(range(1, 11), k=2))
        try:
            return RuleSet(
                key="club",
                name="Club night",
                players=rng.choice((2, 4)),
                pack=rng.choice(list(PACKS)),
                cut=rng.random() < 0.5,
                packets=rng.choice(((3, 2), (2, 3), (1, 1, 1, 1, 1))),
                stick_the_dealer=rng.random() < 0.5,
                alone=rng.random() < 0.5,
                joker_turned_up=rng.choice((DEALER_NAMES, DEALER_MAKES)),
                lay_down=rng.random() < 0.5,
                made=low,
                march=high,
                alone_made=lone,
                alone_march=lone_march,
                euchre=euchre,
                skunk=skunk,
                target=None if rng.random() < 0.5 else rng.randint(1, 50),
                deals=8 if rng.random() < 0.5 else None,
            )
        except RuleSetError:
            continue


def checked(observation: Observation, rng: Random) -> object:
    """The house player's choice, found legal and found again."""
    state = rng.getstate()
    action = house.choose(observation, rng)
    rng.setstate(state)
    assert action in observation.legal
    assert action == house.choose(observation, rng)
    return action


@each_published
def test_legal_and_the_same_again_in_positions_it_would_never_reach(rules: RuleSet) -> None:
    rng = Random(11)
    for number in range(400):
        _wander(Deal.from_pack(rules, number % rules.players, shuffled(rules, rng)), rng)


def test_legal_and_the_same_again_under_any_house_rules() -> None:
    rng = Random(12)
    for _ in range(1500):
        rules = house_rules(rng)
        _wander(Deal.from_pack(rules, 0, shuffled(rules, rng)), rng)


def _wander(deal: Deal, rng: Random) -> None:
    """Asks the house player at every turn, and then does anything legal."""
    while deal.result is None:
        checked(deal.observe(deal.turn), rng)
        deal.apply(rng.choice(deal.legal_actions()))


@each_published
def test_plays_whole_games_to_their_end(rules: RuleSet) -> None:
    packs = Random(13)
    game = Game(rules, 0, lambda _: shuffled(rules, packs))
    while not game.standing.over:
        seat = max(game.turn, 0)
        game.push(house.choose(game.observe(seat), packs))
    assert max(game.standing.score) >= (rules.target or 0)


def test_the_random_player_does_everything_legal() -> None:
    rng = Random(14)
    deal = Deal.from_pack(RULE_SETS["classic-24"], 0, shuffled(RULE_SETS["classic-24"], rng))
    seen = {random_player.choose(deal.observe(deal.turn), rng) for _ in range(100)}
    assert seen == set(deal.legal_actions())


def test_nobody_chooses_out_of_turn() -> None:
    deal = Deal.from_pack(RULE_SETS["classic-24"], 0, RULE_SETS["classic-24"].pack_in_order())
    for player in (house, random_player):
        with pytest.raises(IndexError):
            player.choose(deal.observe(deal.dealer), Random(15))


@each_published
def test_beats_the_random_player_clearly(rules: RuleSet) -> None:
    record = duplicate(rules, house.choose, random_player.choose, 400)
    assert record.points_per_deal > 0.75
    assert record.points_per_deal > 10 * record.error


@each_published
def test_calls_neither_wildly_nor_timidly(rules: RuleSet) -> None:
    record = duplicate(rules, house.choose, house.choose, 400)
    assert 0.7 < record.made_good < 0.93
    assert record.thrown_in / record.deals < 0.06
    if rules.alone:
        # With the partner's best card most calls are worth more alone: 0.39 points a deal.
        assert 0.04 < record.called_alone < (0.95 if rules.partners_best else 0.24)
