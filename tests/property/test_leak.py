"""The leak law: change only what a viewer cannot see, and they see the same, to the letter.

A deal is stopped at a random moment. The cards its viewer has not seen are dealt anew to the other
hands, the kitty and the dealer's discard, so that everything seen could have happened just so.
Both deals must then give the viewer equal observations at every step and equal refusals at the end.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from random import Random

import pytest

from games.engine.actions import DISCARD, DISCARDS, PLAYS, Action
from games.engine.cards import cards_in
from games.engine.deal import Deal
from games.engine.errors import EngineError
from games.engine.observation import CUTTING, NAMING, TAKEN, Observation
from games.engine.rules import HAND, RuleSet
from tests.chance import (
    SOURCES,
    random_action,
    random_deal,
    rules_of,
    seeded,
    shuffled_pack,
)


def stopped(deal: Deal, rng: Random) -> list[Action]:
    """Plays a deal up to a random moment; what was done, a cut left out."""
    for _ in range(rng.randrange(30)):
        if deal.result is None:
            deal.push(random_action(deal, rng))
    if deal.phase == CUTTING:
        deal.push(random_action(deal, rng))
    return [action for action in deal.actions if action.kind != "cut"]


@dataclass
class Seen:
    """What a viewer saw of a deal.

    Attributes:
        deal: the deal.
        viewer: their seat, or None for a spectator.
        shown: by seat, the cards it was dealt that the viewer has seen.
        hidden: the cards the viewer has not seen.
        discard_hidden: whether the dealer discarded a card the viewer does not know.
    """

    deal: Deal
    viewer: int | None
    shown: list[set[int]]
    hidden: list[int]
    discard_hidden: bool

    @classmethod
    def by(cls, deal: Deal, viewer: int | None) -> Seen:
        shown: list[set[int]] = [set() for _ in deal.hands]
        for trick in (*[trick.plays for trick in deal.tricks], deal.plays):
            for seat, card in trick:
                shown[seat].add(card)
        if deal.observe().turn_up_at == TAKEN:
            shown[deal.dealer].discard(deal.turn_up)
        blind = deal.phase == NAMING and viewer == deal.dealer
        if viewer is not None and not blind:
            shown[viewer] = set(cards_in(deal.start[0][viewer]))
        known = set().union(*shown) | {deal.turn_up}
        hidden = [card for card in deal.rules.pack_in_order() if card not in known]
        return cls(deal, viewer, shown, hidden, deal.discarded >= 0 and viewer != deal.dealer)

    def dealt_anew(self, rng: Random) -> Deal:
        """Another deal in which the viewer saw the same cards."""
        pool = iter(rng.sample(self.hidden, len(self.hidden)))
        hands = [[*known, *(next(pool) for _ in range(HAND - len(known)))] for known in self.shown]
        return Deal.from_cards(self.deal.rules, self.deal.dealer, hands, self.deal.turn_up)

    def discard(self, other: Deal, action: Action, rng: Random) -> Action:
        """The discard in another deal: the same where the viewer knows it, else one they could not
        tell from it, a card that is not played later."""
        if not self.discard_hidden or action.kind != DISCARD:
            return action
        played = {
            card
            for trick in (*[trick.plays for trick in self.deal.tricks], self.deal.plays)
            for seat, card in trick
            if seat == self.deal.dealer
        }
        free = [card for card in cards_in(other.hands[other.dealer]) if card not in played]
        return DISCARDS[rng.choice(free)]


def views(deal: Deal, viewer: int | None, actions: list[Action]) -> Iterator[Observation]:
    """What the viewer sees before and after each action."""
    yield deal.observe(viewer)
    for action in actions:
        deal.push(action)
        yield deal.observe(viewer)


def another(seen: Seen, actions: list[Action], rng: Random) -> tuple[Deal, list[Action]] | None:
    """A deal and its actions that the viewer cannot tell from their own, or None if a try fails."""
    deal = seen.dealt_anew(rng)
    start = Deal.from_cards(deal.rules, deal.dealer, hands_of(deal), deal.turn_up)
    done: list[Action] = []
    for action in actions:
        done.append(seen.discard(deal, action, rng))
        if done[-1] not in deal.legal_actions():
            return None
        deal.push(done[-1])
    return start, done


def refusals(deal: Deal, viewer: int) -> list[str]:
    """What a seat is told when it tries to play each card there is."""
    told = []
    for action in PLAYS:
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
        original = Deal.from_cards(deal.rules, deal.dealer, hands_of(deal), deal.turn_up)
        ours, theirs = views(original, viewer, actions), views(start, viewer, done)
        for one, other in zip(ours, theirs, strict=True):
            assert one == other
            assert repr(one) == repr(other)
        if viewer is not None:
            assert refusals(original, viewer) == refusals(start, viewer)
        return [*start.hands, start.discarded] != [*deal.hands, deal.discarded]
    return False


def hands_of(deal: Deal) -> list[list[int]]:
    """The hands as they were dealt."""
    return [list(cards_in(hand)) for hand in deal.start[0]]


@pytest.mark.parametrize("source", SOURCES)
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


def test_the_dealer_who_names_a_jokers_suit_sees_no_hand() -> None:
    joker_up = RuleSet(key="joker-25", name="25 cards", pack=25)
    compared = 0
    for number in range(100):
        rng = Random(number)
        deal = random_deal(joker_up, rng)
        if deal.phase == NAMING:
            compared += compare(deal, deal.dealer, [], rng)
    assert compared > 10


@pytest.mark.parametrize("source", SOURCES)
def test_pack_order_before_the_cut_changes_nothing(source: str) -> None:
    for number in range(50):
        rng = Random(f"{source} {number}")
        rules = rules_of(source, rng)
        packs = [shuffled_pack(rules, rng) for _ in range(2)]
        one, other = (Deal.from_pack(rules, 0, pack) for pack in packs)
        for viewer in (None, *range(rules.players)) if rules.cut else ():
            assert repr(one.observe(viewer)) == repr(other.observe(viewer))
