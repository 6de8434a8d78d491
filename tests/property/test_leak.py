"""The leak law: change only what a viewer cannot see, and they see the same, to the letter.

A deal is stopped at a random moment. The cards its viewer has not seen are dealt anew to the other
hands, the kitty and the dealer's discard, so that everything seen could have happened just so.
Both deals must then give the viewer equal observations at every step and equal refusals at the end.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import count, islice
from random import Random
from typing import Any

import pytest

from games.engine.actions import (
    BEST,
    BESTS,
    CUT,
    DEFEND,
    DEFENDS,
    FOLD,
    FOLDS,
    GIVE,
    GIVES,
    NINES_AND_TENS,
    PLAY,
    PLAYS,
    SWAP,
    WITH_A_CARD,
    Action,
    swaps_of,
)
from games.engine.cards import cards_in, mask_of
from games.engine.deal import Deal
from games.engine.errors import EngineError
from games.engine.observation import CUTTING, NAMING, Observation
from games.engine.rules import CLASSIC_24, NO_FACE, RuleSet
from tests.chance import (
    ALL_SOURCES,
    random_action,
    random_deal,
    rules_of,
    seeded,
    shuffled_pack,
)
from tests.volume import volume


def stopped(deal: Deal, rng: Random) -> list[Action]:
    """Plays a deal up to a random moment; what was done, a cut left out."""
    for _ in range(rng.randrange(30)):
        if deal.result is None:
            deal.push(random_action(deal, rng))
    if deal.phase == CUTTING:
        deal.push(random_action(deal, rng))
    return actions_of(deal)


@dataclass
class Seen:
    """What a viewer saw of a deal.

    Attributes:
        deal: the deal.
        viewer: their seat, or None for a spectator.
        hidden: the cards the viewer has not seen.
    """

    deal: Deal
    viewer: int | None
    hidden: list[int]

    @classmethod
    def by(cls, deal: Deal, viewer: int | None) -> Seen:
        now = again(deal)
        known = {now.turn_up, *cls._in_hand(now, viewer)}
        for action in actions_of(deal):
            known |= {action.value} if action.kind == PLAY else set()
            known |= set(cards_in(now.hands[now.turn])) if action.kind == FOLD else set()
            now.push(action)
            known |= cls._in_hand(now, viewer)
        hidden = [card for card in deal.rules.pack_in_order() if card not in known]
        return cls(deal, viewer, hidden)

    @staticmethod
    def _in_hand(deal: Deal, viewer: int | None) -> set[int]:
        blind = viewer is None or (deal.phase == NAMING and viewer == deal.dealer)
        return set() if blind or viewer is None else set(cards_in(deal.hands[viewer]))

    def renamed(self, rng: Random) -> dict[int, int]:
        """Other cards for those the viewer has not seen, all of them or a few."""
        size = len(self.hidden)
        few = rng.choice([size, size, rng.randint(2, 6)])
        cards = rng.sample(self.hidden, min(few, size))
        return dict(zip(cards, rng.sample(cards, len(cards)), strict=True))


def renamed_action(action: Action, cards: dict[int, int]) -> Action:
    """The same with other cards."""
    if action.kind == SWAP:
        return Action(SWAP, mask_of(cards.get(card, card) for card in cards_in(action.value)))
    if action.kind in WITH_A_CARD:
        return action._replace(value=cards.get(action.value, action.value))
    return action


def views(deal: Deal, viewer: int | None, actions: list[Action]) -> Iterator[Observation]:
    """What the viewer sees before and after each action."""
    yield deal.observe(viewer)
    for action in actions:
        deal.push(action)
        yield deal.observe(viewer)


def another(seen: Seen, actions: list[Action], rng: Random) -> tuple[Deal, list[Action]] | None:
    """A deal and its actions that the viewer cannot tell from their own, or None if a try fails."""
    cards = seen.renamed(rng)
    hands = [[cards.get(card, card) for card in hand] for hand in hands_of(seen.deal)]
    deal, start = (again(seen.deal, hands) for _ in range(2))
    done = [renamed_action(action, cards) for action in actions]
    for action in done:
        if action not in deal.legal_actions():
            return None
        deal.push(action)
    return start, done


def refusals(deal: Deal, viewer: int) -> list[str]:
    """What a seat is told when it tries to do anything there is."""
    told = []
    for action in (*PLAYS, *GIVES, *BESTS, *swaps_of(NINES_AND_TENS), FOLDS, DEFENDS):
        try:
            deal.push(action, viewer)
        except EngineError as why:
            told.append(str(why))
        else:
            deal.pop()
    return told


def compare(deal: Deal, viewer: int | None, actions: list[Action], rng: Random) -> bool:
    """Compares a deal with another that looks the same; False when no other was found."""
    seen = Seen.by(deal, viewer)
    for _ in range(40):
        found = another(seen, actions, rng)
        if found is None:
            continue
        start, done = found
        original = again(deal)
        ours, theirs = views(original, viewer, actions), views(start, viewer, done)
        for one, other in zip(ours, theirs, strict=True):
            assert one == other
            assert repr(one) == repr(other)
        if viewer is not None:
            assert refusals(original, viewer) == refusals(start, viewer)
        return [*start.hands, start.discarded] != [*deal.hands, deal.discarded]
    return False


#: Answers that have to do with cards or seats, with the rules in which they are given.
ANSWERS: dict[str, dict[str, Any]] = {
    SWAP: {"farmers_hand": True},
    FOLD: {"fold": NO_FACE, "pack": 32},
    GIVE: {"partners_best": True},
    BEST: {"partners_best": True},
    DEFEND: {"defend_alone": True},
}


def answered(kind: str) -> Iterator[tuple[Deal, Random]]:
    """Deals in which such an answer was given, some going on from there, and a chance for each."""
    for number in count():
        rng = Random(f"{kind} {number}")
        deal = random_deal(replace(CLASSIC_24, **ANSWERS[kind]), rng)
        while deal.result is None and kind not in [action.kind for _, action in deal.answers]:
            wanted = [one for one in deal.legal if one.kind == kind or one.alone]
            deal.push(rng.choice(wanted or deal.legal))
        for _ in range(rng.randrange(12)):
            if deal.result is None:
                deal.push(rng.choice(deal.legal))
        if kind in [action.kind for _, action in deal.answers]:
            yield deal, rng


def hands_of(deal: Deal) -> list[list[int]]:
    """The hands as they were dealt."""
    return [list(cards_in(hand)) for hand in deal.start[0]]


def actions_of(deal: Deal) -> list[Action]:
    """What was done in a deal, the cut left out."""
    return [action for action in deal.actions if action.kind != CUT]


def again(deal: Deal, hands: list[list[int]] | None = None) -> Deal:
    """A deal before anything was done in it, perhaps with other hands."""
    hands = hands or hands_of(deal)
    return Deal.from_cards(deal.rules, deal.dealer, hands, deal.turn_up, score=deal.score)


@pytest.mark.parametrize("source", ALL_SOURCES)
def test_hidden_cards_change_nothing(source: str) -> None:
    compared = deals = 0
    for rules, seed in seeded(source, 300):
        rng = Random(seed)
        deal = random_deal(rules, rng)
        actions = stopped(deal, rng)
        viewer = rng.choice([None, *range(rules.players)])
        deals += 1
        compared += compare(deal, viewer, actions, rng)
    assert compared > deals / 2


@pytest.mark.parametrize("kind", ANSWERS)
def test_cards_swapped_given_and_folded_are_seen_by_whom_they_concern(kind: str) -> None:
    compared, deals = 0, volume(100, 250, 1_000)
    for deal, rng in islice(answered(kind), deals):
        for viewer in (None, *range(4)):
            compared += compare(deal, viewer, actions_of(deal), rng)
    assert compared > deals * 5 / 2


def test_the_dealer_who_names_a_jokers_suit_sees_no_hand() -> None:
    joker_up = RuleSet(key="joker-25", name="25 cards", pack=25)
    compared = 0
    for number in range(100):
        rng = Random(number)
        deal = random_deal(joker_up, rng)
        if deal.phase == NAMING:
            compared += compare(deal, deal.dealer, [], rng)
    assert compared > 10


@pytest.mark.parametrize("source", ALL_SOURCES)
def test_pack_order_before_the_cut_changes_nothing(source: str) -> None:
    for number in range(50):
        rng = Random(f"{source} {number}")
        rules = rules_of(source, rng)
        packs = [shuffled_pack(rules, rng) for _ in range(2)]
        one, other = (Deal.from_pack(rules, 0, pack) for pack in packs)
        for viewer in (None, *range(rules.players)) if rules.cut else ():
            assert repr(one.observe(viewer)) == repr(other.observe(viewer))
