"""Random deals in the engine and in OpenSpiel, compared at every step."""

from __future__ import annotations

from random import Random

import pytest

from games.engine.actions import DISCARDS, Action
from games.engine.deal import Deal
from games.engine.rules import CLASSIC_24, STICK_THE_DEALER, RuleSet
from games.engine.scoring import THROWN_IN
from tests.volume import volume

pytest.importorskip("pyspiel", reason="needs OpenSpiel, which has no build for this machine")

from tests.oracle.spiel import Counterpart, other_turn_up

#: Deals of each rule set.
DEALS = volume(1_000, 3_000, 100_000)


def chosen(deal: Deal, legal: tuple[Action, ...], rng: Random) -> Action:
    """A legal action by chance, half the time the first: a pass, or few would see round two."""
    action = legal[0] if rng.random() < 0.5 else rng.choice(legal)
    if action == DISCARDS[deal.turn_up] and other_turn_up(deal) < 0:
        return next(other for other in legal if other != action)
    return action


def compare_deal(rules: RuleSet, rng: Random) -> Deal:
    """Plays a random deal in both; returns it done."""
    pack = rules.pack_in_order()
    deal = Deal.from_pack(rules, rng.randrange(4), rng.sample(pack, len(pack)))
    theirs = Counterpart(deal)
    while legal := deal.legal_actions():
        assert theirs.turn == deal.turn
        assert theirs.legal_actions(deal.turn_up) == set(legal)
        action = chosen(deal, legal, rng)
        deal.push(action)
        theirs.follow(action, deal)
        if deal.tricks and not deal.plays:
            assert theirs.tricks() == [
                (trick.winner, [card for _, card in trick.plays]) for trick in deal.tricks
            ]
    assert theirs.turn == -1
    assert deal.result is not None
    gain = deal.result.points if deal.result.side == 0 else -deal.result.points
    assert theirs.gain() == gain
    return deal


@pytest.mark.parametrize("rules", [CLASSIC_24, STICK_THE_DEALER], ids=lambda rules: rules.key)
def test_a_deal_is_the_same_in_open_spiel(rules: RuleSet) -> None:
    outcomes, kept, sat_out = set(), 0, 0
    for number in range(DEALS):
        deal = compare_deal(rules, Random(f"{rules.key} {number}"))
        assert deal.result is not None
        outcomes.add(deal.result.outcome)
        kept += deal.discarded == deal.turn_up
        sat_out += deal.dealer in deal.sitting_out
    assert kept > DEALS / 100
    assert sat_out > DEALS / 100
    assert len(outcomes) == (5 if rules.stick_the_dealer else 6)
    assert (THROWN_IN in outcomes) is not rules.stick_the_dealer
