"""Every text form reads back the same, and no text makes a parser stumble."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import suppress
from dataclasses import fields
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from games.engine.actions import Action, action_text, parse_action
from games.engine.cards import card_text, parse_card, parse_suit
from games.engine.errors import (
    IllegalActionError,
    MalformedError,
    OutOfTurnError,
    RuleSetError,
)
from games.engine.game_notation import GameRecord, cards_text, game_text
from games.engine.rules import (
    CLASSIC_24,
    JOKER_33,
    RuleSet,
    rules_from_data,
    rules_to_data,
)
from tests.chance import (
    SOURCES,
    random_action,
    random_deal,
    random_game,
    rule_sets,
    seeded,
)
from tests.engine.texts import deal_text, parse_cards, parse_deal, parse_game, parse_seat
from tests.loops import looped
from tests.property.test_random_games import EVERY_ACTION

PARSERS: list[Callable[[str], Any]] = [
    parse_card,
    parse_suit,
    parse_cards,
    parse_action,
    lambda text: parse_seat(CLASSIC_24, text),
    lambda text: parse_deal(CLASSIC_24, text),
    lambda text: parse_deal(JOKER_33, text),
    parse_game,
]
FIELDS = sorted(field.name for field in fields(RuleSet))
REFUSED = (MalformedError, IllegalActionError, OutOfTurnError, RuleSetError)

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=50),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=9), inner),
    max_leaves=8,
)


@looped("action", EVERY_ACTION)
def test_actions_read_back(action: Action) -> None:
    assert parse_action(action_text(action)) == action


@given(st.lists(st.integers(0, 32)))
def test_cards_read_back(cards: list[int]) -> None:
    assert list(parse_cards(cards_text(cards))) == cards
    assert all(parse_card(card_text(card)) == card for card in cards)


@given(rule_sets)
def test_rule_sets_read_back(rules: RuleSet) -> None:
    assert rules_from_data(json.loads(json.dumps(rules_to_data(rules)))) == rules


def finished(rules: RuleSet, seed: str, most: int) -> GameRecord:
    """A random game of at most so many actions, as a record."""
    rng, game = Random(seed), random_game(rules, seed)
    first_dealer = game.deal.dealer
    done: list[Action] = []
    while game.legal_actions() and len(done) < most:
        done.append(random_action(game, rng))
        game.push(done[-1])
    packs = tuple(tuple(game._packs(number)) for number in range(game.standing.deal_number))
    return GameRecord(rules, first_dealer, packs, tuple(done))


@pytest.mark.parametrize("source", SOURCES)
def test_games_read_back(source: str) -> None:
    for rules, seed in seeded(source, 150):
        record = finished(rules, seed, Random(seed).randrange(400))
        assert parse_game(game_text(record)) == record
        assert game_text(parse_game(game_text(record))) == game_text(record)


@pytest.mark.parametrize("source", SOURCES)
def test_deals_read_back(source: str) -> None:
    for rules, seed in seeded(source, 300):
        rng, deal = Random(seed), random_deal(rules, Random(seed))
        while deal.legal_actions() and rng.random() < 0.95:
            deal.push(random_action(deal, rng))
        again = parse_deal(rules, deal_text(deal))
        assert deal_text(again) == deal_text(deal)
        assert again.observe(0) == deal.observe(0)


@pytest.mark.parametrize("parse", PARSERS)
@given(text=st.text() | st.text(alphabet="9TJQKACDHSo uporderpackdealsNorth:,#\n"))
def test_any_text_is_parsed_or_refused(parse: Callable[[str], Any], text: str) -> None:
    with suppress(*REFUSED):
        parse(text)


@pytest.mark.parametrize("source", SOURCES)
@given(chance=st.randoms(use_true_random=False), junk=st.text(max_size=12))
def test_damaged_game_is_parsed_or_refused(source: str, chance: Random, junk: str) -> None:
    ((rules, seed), *_) = seeded(source, 1)
    text = game_text(finished(rules, seed, 80))
    start = chance.randrange(len(text))
    stop = start + chance.choice([0, 1, 2, 3, 10, 100])
    with suppress(*REFUSED):
        record = parse_game(text[:start] + junk + text[stop:])
        assert parse_game(game_text(record)) == record


@given(data=json_values)
def test_any_data_is_a_rule_set_or_refused(data: Any) -> None:
    with suppress(RuleSetError):
        rules_from_data(data)


@given(rules=rule_sets, field=st.sampled_from(FIELDS), value=json_values)
def test_any_field_value_is_accepted_or_refused_by_name(
    rules: RuleSet, field: str, value: Any
) -> None:
    problems: dict[str, str] = {}
    try:
        changed = rules_from_data({**rules_to_data(rules), field: value})
    except RuleSetError as refused:
        problems = refused.problems
    else:
        assert rules_from_data(rules_to_data(changed)) == changed
    assert set(problems) <= set(FIELDS)
    assert all(len(why) < 200 for why in problems.values())
