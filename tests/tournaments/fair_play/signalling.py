"""Partners who know each other's cards, and honest ones of several styles, at play."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from games.bots.bidding import FIRST_BASE, SECOND_BASE
from games.bots.house import choose
from games.bots.worth import WITH_PARTNER, chances, tricks_of
from games.engine.actions import MAKE, PASSED, Action
from games.engine.deal import Deal
from games.engine.observation import FIRST_ROUND, SECOND_ROUND, START, Standing
from games.engine.rules import RuleSet
from tests.games.bots.house_at_play import shuffled
from tournaments.fair_play.calls import points_of, seen_call
from tournaments.fair_play.figures import Spread

#: What somebody does whose turn it is; an honest one looks at nothing but the observation.
Style = Callable[[Deal, Standing, Random], Action]


def honest(deal: Deal, standing: Standing, rng: Random) -> Action:
    """As the house plays."""
    return choose(deal.observe(deal.turn, standing), rng)


def bold(deal: Deal, standing: Standing, rng: Random) -> Action:
    """Calls with whatever could take two tricks, and plays as the house does."""
    return _bidding(deal, standing, rng, least=0.35)


def timid(deal: Deal, standing: Standing, rng: Random) -> Action:
    """Calls only what is all but sure."""
    return _bidding(deal, standing, rng, least=0.85)


def signalling(deal: Deal, standing: Standing, rng: Random) -> Action:
    """Knows the partner's cards when calling."""
    return _bidding(deal, standing, rng, least=0.6, knows_partner=True)


def _bidding(
    deal: Deal, standing: Standing, rng: Random, *, least: float, knows_partner: bool = False
) -> Action:
    """Call what takes three tricks with the greatest chance, if that is great enough."""
    if deal.phase not in (FIRST_ROUND, SECOND_ROUND) or len(deal.legal) < 2:
        return choose(deal.observe(deal.turn, standing), rng)
    seat, rules = deal.turn, deal.rules
    hands = deal.start[0]
    base = (FIRST_BASE if deal.phase == FIRST_ROUND else SECOND_BASE)[(deal.dealer - seat) % 4]
    best, call = 0.0, PASSED
    for action in deal.legal:
        if action == PASSED or action.alone:
            continue
        trump = action.value if action.kind == MAKE else deal.turned_suit
        tricks = base + tricks_of(rules, WITH_PARTNER, trump, hands[seat])
        if knows_partner:
            tricks += tricks_of(rules, WITH_PARTNER, trump, hands[(seat + 2) % 4]) - 1.0
        made = chances(WITH_PARTNER, tricks)[0]
        if made > best:
            best, call = made, action
    return call if best >= least or PASSED not in deal.legal else PASSED


def calls_at_play(rules: RuleSet, style: Style, deals: int, seed: int) -> list[tuple[float, float]]:
    """What north and south hold and gain at their calls that are looked at, at so many deals.

    East and west play as the house does.
    """
    rng, found = Random(seed), []
    for number in range(deals):
        deal = Deal.from_pack(rules, number % 4, shuffled(rules, rng))
        call = None
        while deal.result is None:
            does = style if deal.turn % 2 == 0 else honest
            action = does(deal, START, rng)
            if deal.turn % 2 == 0:
                call = seen_call(deal, action, START) or call
            deal.apply(action)
        if call is not None:
            found.append((call.held, points_of(deal.result, 0) - call.promised))
    return found


def spread(values: list[float]) -> Spread:
    """These values together."""
    return Spread(len(values), sum(values), sum(one * one for one in values))
