"""A claim that is offered changes no hand's result, whatever the others hold and all play.

At every turn of random deals the claim is asked for. Where it is offered the cards its claimer has
not seen are dealt anew (as the leak law does it) and the rest is played by chance, by everybody:
each time the hand must end in the same way.
"""

from collections.abc import Iterator
from random import Random

import pytest

from games.engine.actions import Action
from games.engine.claiming import may_claim
from games.engine.deal import Deal
from games.engine.rules import RuleSet
from tests.chance import ALL_SOURCES, random_action, random_deal, seeded
from tests.property.test_leak import Seen, again, another

Ending = tuple[str, int, int]


def replayed(deal: Deal, actions: list[Action]) -> Deal:
    """The same cards after some of what was done."""
    made = again(deal)
    for action in actions:
        made.push(action)
    return made


def played_on(deal: Deal, rng: Random) -> Ending:
    """How a deal ends if everybody plays by chance from here on."""
    while deal.result is None:
        deal.push(rng.choice(deal.legal_actions()))
    return deal.result.outcome, deal.result.side, deal.result.points


def claims(deal: Deal) -> Iterator[tuple[int, list[Action]]]:
    """Who may claim in a deal that was played, and what was done before."""
    actions = [action for action in deal.actions if action.kind != "cut"]
    now = replayed(deal, [])
    for number, action in enumerate(actions):
        if now.turn >= 0 and may_claim(now.observe(now.turn)):
            yield now.turn, actions[:number]
        now.push(action)


def deal_played_out(rules: RuleSet, rng: Random) -> Deal:
    deal = random_deal(rules, rng)
    while deal.result is None:
        deal.push(random_action(deal, rng) if deal.phase != "play" else rng.choice(deal.legal))
    return deal


@pytest.mark.parametrize("source", ALL_SOURCES)
def test_a_claim_changes_no_result_in_any_world(source: str) -> None:
    offered = worlds = 0
    for rules, seed in seeded(source, 500):
        rng = Random(seed)
        deal = deal_played_out(rules, rng)
        for claimer, before in claims(deal):
            offered += 1
            at_claim = replayed(deal, before)
            seen, ends = Seen.by(at_claim, claimer), set()
            for _ in range(6):
                ends.add(played_on(replayed(deal, before), rng))
                found = another(seen, before, rng)
                if found is None:
                    continue
                start, done = found
                other = replayed(start, done)
                assert may_claim(other.observe(claimer)), "the offer tells of hidden cards"
                worlds += 1
                ends.add(played_on(other, rng))
            assert len(ends) == 1, (seed, claimer, [str(one) for one in before], ends)
    assert offered > 10
    assert worlds > offered
