"""Short builders: a deal from a few words, the cards nobody cares about filled in."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from games.engine.actions import parse_action
from games.engine.cards import mask_of, parse_card
from games.engine.deal import Deal
from games.engine.errors import RuleSetError
from games.engine.game import Game
from games.engine.rules import CLASSIC_24, NEVER, RuleSet
from tests.engine.texts import parse_cards, parse_seat

HEARTS_HANDS = {
    "North": "9H TH 9C TC JS",
    "East": "JH JD AH AC AS",
    "South": "KH QC KC 9S TS",
    "West": "9D TD QD QS KS",
}


def seat(name: str, rules: RuleSet = CLASSIC_24) -> int:
    """The number of a seat."""
    return parse_seat(rules, name)


def cards(text: str) -> int:
    """A set of cards."""
    return mask_of(parse_cards(text))


def push(state: Deal | Game, done: str) -> None:
    """Pushes ``pass, order, discard 9C`` for whoever is in turn."""
    for words in filter(None, done.split(", ")):
        state.push(parse_action(words))


def deal(
    up: str, done: str = "", *, dealer: str = "West", rules: RuleSet = CLASSIC_24, **hands: str
) -> Deal:
    """A deal with this turn-up and these hands, and what was done in it.

    Args:
        up: the turn-up.
        done: actions, for whoever is in turn.
        dealer: the dealer; with West dealing, North is eldest hand.
        rules: the rule set.
        hands: five cards for a seat; seats left out are filled from the rest of the pack.
    """
    named = {seat(name, rules): list(parse_cards(text)) for name, text in hands.items()}
    used = {parse_card(up), *(card for hand in named.values() for card in hand)}
    rest = iter([card for card in rules.pack_in_order() if card not in used])
    dealt = [named.get(one) or [next(rest) for _ in range(5)] for one in range(rules.players)]
    made = Deal.from_cards(rules, seat(dealer, rules), dealt, parse_card(up))
    push(made, done)
    return made


def hearts(done: str, *, dealer: str = "West", **changes: Any) -> Deal:
    """A deal with the queen of hearts up, in which East has the best hand."""
    rules = replace(CLASSIC_24, **changes)
    return deal("QH", done, dealer=dealer, rules=rules, **HEARTS_HANDS)


def problems_of(**changes: Any) -> dict[str, str]:
    """The fields refused when the classic rules are changed so."""
    with pytest.raises(RuleSetError) as refused:
        replace(CLASSIC_24, **changes)
    return refused.value.problems


def points_possible(rules: RuleSet) -> frozenset[int]:
    """Return every number of points a deal can be worth (0 when it is thrown in)."""
    points = {rules.made, rules.march, rules.euchre, rules.skunk}
    if rules.alone:
        points |= {rules.alone_made, rules.alone_march, rules.alone_euchre or rules.euchre}
    if rules.defend_alone:
        points |= {rules.lone_defence}
    played = rules.stick_the_dealer and rules.fold == NEVER and not rules.own_trump
    return frozenset(points) if played else frozenset(points | {0})
