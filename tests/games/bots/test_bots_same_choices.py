"""Where none of the clubs' rules is on, house players decide as they did before there were any."""

from __future__ import annotations

from hashlib import sha256
from random import Random

import pytest

from games.bots import levels
from games.bots.levels import STEADY, STRONG
from games.engine.deal import Deal
from games.engine.rules import CLASSIC_24, HEADS_UP, JOKER_33, STICK_THE_DEALER, RuleSet
from tests.games.bots.house_at_play import shuffled

#: Digests of the actions of so many deals, made before the clubs' rules came.
BEFORE = {
    (STEADY, "classic-24"): "3a382cbabf3bfc38",
    (STEADY, "stick-the-dealer"): "557d4f0b94e8c85f",
    (STEADY, "joker-33"): "8beabd04d682fc98",
    (STEADY, "heads-up"): "f1d3b742e45b35be",
    (STRONG, "classic-24"): "5d5e5ff44bf9b4d0",
    (STRONG, "stick-the-dealer"): "1fb79b6bb49a8205",
    (STRONG, "joker-33"): "d2b1cbb29dec713e",
    (STRONG, "heads-up"): "5bdcdfed38c79570",
}


@pytest.mark.parametrize(("level", "deals"), [(STEADY, 150), (STRONG, 6)])
@pytest.mark.parametrize("rules", [CLASSIC_24, STICK_THE_DEALER, JOKER_33, HEADS_UP])
def test_the_same_deals_are_called_and_played_the_same(
    level: str, deals: int, rules: RuleSet
) -> None:
    assert digest(level, rules, deals) == BEFORE[level, rules.key]


def digest(level: str, rules: RuleSet, deals: int) -> str:
    rng, actions = Random(f"{rules.key} {level}"), []
    for number in range(deals):
        deal = Deal.from_pack(rules, number % rules.players, shuffled(rules, rng))
        while deal.result is None:
            action = levels.choose(level, deal.observe(deal.turn), rng, worlds=8)
            actions.append(str(action))
            deal.push(action)
    return sha256(" ".join(actions).encode()).hexdigest()[:16]
