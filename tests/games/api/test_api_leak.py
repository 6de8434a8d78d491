"""Leak test of the API: changing only what a seat cannot see changes no byte of its answers.

As in `tests.games.picture.test_leak`: a deal is stopped at a random moment and another made that
looks the same to the viewer. What the API answers must then be the same to the letter.
"""

import asyncio
from itertools import islice
from random import Random

import pytest

from games.api import play as api
from games.api.table_view import TableView, table_view
from games.engine.actions import (
    BESTS,
    DECLINED,
    DEFENDS,
    DISCARDS,
    FOLDS,
    GIVES,
    NINES_AND_TENS,
    PLAYS,
    Action,
    swaps_of,
)
from games.engine.deal import Deal
from games.engine.rules import RULE_SETS
from games.live.state import Live
from games.models import GameEvent
from games.play import play
from games.play.play import Actor, Decision
from tests.chance import CLUB_RULE_SETS, PLAIN, random_deal
from tests.games.picture.test_leak import seen_by, table
from tests.property.test_leak import (
    ANSWERS,
    Seen,
    actions_of,
    another,
    answered,
    hands_of,
    stopped,
)
from tests.volume import scaled, volume

DEALS = scaled(40)


@pytest.mark.parametrize("key", [*PLAIN, *CLUB_RULE_SETS])
def test_hidden_cards_change_no_byte_of_an_answer(key: str) -> None:
    asyncio.run(compare(key))


@pytest.mark.parametrize("kind", ANSWERS)
def test_cards_swapped_given_and_folded_change_no_byte_of_an_answer(kind: str) -> None:
    compared, deals = 0, volume(10, 10, 1_000)
    for deal, rng in islice(answered(kind), deals):
        actions = actions_of(deal)
        for viewer in (None, *range(4)):
            seen = Seen.by(deal, viewer)
            found = next(filter(None, (another(seen, actions, rng) for _ in range(40))), None)
            if found is not None:
                compared += hands_of(found[0]) != hands_of(deal)
                assert shown(deal, actions, viewer) == shown(*found, viewer)
    assert compared > deals * 5 / 2


async def compare(key: str) -> None:
    """Compare deals of a rule set, each with another that looks the same."""
    rules = {**PLAIN, **CLUB_RULE_SETS}[key]
    compared = tried = 0
    while compared < DEALS:
        tried += 1
        rng = Random(f"api {key} {tried}")
        deal = random_deal(rules, rng)
        actions = stopped(deal, rng)
        viewer = rng.choice([None, *range(rules.players)])
        found = another(Seen.by(deal, viewer), actions, rng)
        if found is not None:
            other, done = found
            compared += hands_of(other) != hands_of(deal)
            assert await told(deal, actions, viewer) == await told(other, done, viewer)
    assert tried < 10 * DEALS


def shown(deal: Deal, actions: list[Action], viewer: int | None) -> str:
    """What the API tells a viewer of a deal."""
    return table_view(seen_by(table(deal, actions), viewer)).model_dump_json()


async def told(deal: Deal, actions: list[Action], viewer: int | None) -> list[str]:
    """What the API tells a viewer of a deal, and how it refuses each card they may not play."""
    live = table(deal, actions)
    view = table_view(seen_by(live, viewer))
    return [view.model_dump_json(), *await refusals(live, viewer, view)]


async def refusals(live: Live, viewer: int | None, view: TableView) -> list[str]:
    """The problems that a seat is answered."""
    if viewer is None or live.playing is None:
        return []
    told = []
    actor = Actor(viewer, viewer + 1, GameEvent.By.PERSON)
    legal = live.playing.engine.legal_actions() if live.playing.engine.turn == viewer else ()
    of_clubs = (*GIVES, *BESTS, *swaps_of(NINES_AND_TENS), FOLDS, DEFENDS, DECLINED)
    for action in (*PLAYS, *DISCARDS, *of_clubs):
        if action not in legal:
            answer = await play.perform(live, actor, Decision(str(action), live.stamp))
            assert answer.kind != play.DONE
            problem = api.refused(answer, view)
            told.append(f"{problem.status} {problem.code} {problem.detail} {problem.more}")
    return told


def test_a_spectator_is_shown_no_card_and_a_seat_its_own() -> None:
    rules = RULE_SETS["classic-24"]
    deal = random_deal(rules, Random("hands"))
    live = table(deal, [])
    hands = []
    for viewer in (*range(rules.players), None):
        view = table_view(seen_by(live, viewer))
        assert view.deal is not None
        hands.append(view.deal.hand)
    assert [len(hand) for hand in hands] == [5, 5, 5, 5, 0]
    assert len({card for hand in hands for card in hand}) == 20
