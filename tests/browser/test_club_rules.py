"""The rules that only some clubs play by, at the table: a game in which every question is asked."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import pytest
from playwright.sync_api import expect

from games.engine.actions import FOLD, SWAP
from games.engine.game import Game
from games.engine.observation import FOLDING, SWAPPING
from games.engine.rules import NO_FACE, NO_TRUMP_HIGH_OR_LOW, RuleSet, rules_to_data
from tests.browser.conftest import MakePerson
from tests.browser.person import Person
from tests.browser.store import actions, rows, stacked
from tests.browser.tables import mover, sit_together
from tests.served import Server

CLUB = RuleSet(
    key="club", name="Club", no_trump=NO_TRUMP_HIGH_OR_LOW, defend_alone=True, partners_best=True,
    farmers_hand=True, fold=NO_FACE, alone_made=0, target=50,
)  # fmt: skip
#: Counts the cards that travel face down.
COUNT_FLIGHTS = """stage => {
  window.flights = 0;
  new MutationObserver(changes => changes.forEach(({addedNodes}) => addedNodes.forEach(one => {
    if (one.matches?.(".back.flying")) window.flights += 1;
  }))).observe(stage, {childList: true});
}"""
PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}


@contextmanager
def played_by(server: Server, rules: RuleSet) -> Iterator[None]:
    """While this holds, every new table has these rules."""
    data = json.dumps(rules_to_data(rules)).replace("'", "''")
    change = f"UPDATE games_table SET rules_data = '{data}' WHERE id = NEW.id"  # noqa: S608
    rows(server, f"CREATE TRIGGER club AFTER INSERT ON games_table BEGIN {change}; END")
    try:
        yield
    finally:
        rows(server, "DROP TRIGGER club")


def swap_and_then_fold(game: Game) -> bool:
    """The first hand has a farmer's hand, the second one that may be folded."""
    swaps = folds = False
    while game.deal.phase == SWAPPING:
        swaps |= game.legal_actions()[-1].kind == SWAP
        game.push(game.legal_actions()[0])
    while game.standing.deal_number == 1:
        game.push(game.legal_actions()[0])
    while game.deal.phase in (SWAPPING, FOLDING):
        folds |= game.legal_actions()[-1].kind == FOLD
        game.push(game.legal_actions()[0])
    return swaps and folds


@pytest.fixture
def four(person: MakePerson) -> list[Person]:
    """Maeve has a phone that is touched, Ben a keyboard, the others a mouse; Jonah sees motion."""
    moving = person("Jonah", reduced_motion="no-preference")
    return [person("Maeve", **PHONE), person("Ben"), person("Iris"), moving]


def answer(one: Person, value: str) -> None:
    """Press the first button that does this, by touch, keyboard or mouse."""
    button = one.page.locator(f'#prompt button[value^="{value}"]').first
    stamp = one.stamp
    if one.name == "Maeve":
        button.tap()
    elif one.name == "Ben":
        button.press("Enter")
    else:
        button.click()
    one.wait_past(stamp)


def refuse_until(four: Sequence[Person], question: str) -> Person:
    """Let all pass and decline until a question begins like this; who is asked it."""
    while not (one := mover(four)).question[0].startswith(question):
        refused = "pass" if one.page.locator('#prompt [value="pass"]').count() else "decline"
        if one.name == "Ben":
            stamp = one.stamp
            one.page.keyboard.press("p")
            one.wait_past(stamp)
        else:
            answer(one, refused)
    return one


def test_every_question_of_a_club(four: list[Person], server: Server) -> None:
    with played_by(server, CLUB), stacked(server, CLUB, swap_and_then_fold):
        sit_together(four, "classic-24")
    a_farmers_hand(four)
    a_lone_hand(four)
    a_folded_hand(four)
    no_trump(four)
    table_id = four[0].table_id
    kinds = {action.split()[0] for _, action in actions(server, table_id)}
    assert kinds >= {"swap", "fold", "give", "best", "defend", "decline"}


def a_farmers_hand(four: list[Person]) -> None:
    farmer = refuse_until(four, "Swap a farmer’s hand?")
    before = farmer.cards.evaluate_all("all => all.map(one => one.dataset.card)")
    answer(farmer, "swap")
    after = farmer.cards.evaluate_all("all => all.map(one => one.dataset.card)")
    assert len(set(after) - set(before)) == 3
    expect(farmer.page.locator("#live")).to_contain_text("Your hand")
    expect(farmer.page.locator("#discarded")).to_contain_text("You swapped")
    for one in four:
        expect(one.page.locator("#log-deal")).to_contain_text(f"{farmer.name} swaps three cards")


def a_lone_hand(four: list[Person]) -> None:
    """The first to call plays alone, gets the partner's best card, and meets a lone defender."""
    maker = refuse_until(four, "Should")
    maker.call(next(words for words in maker.buttons if words.endswith("alone")))
    asked = mover(four)
    if asked.question[0].startswith("Discard"):
        asked.play_a_card()
    assert mover(four) is maker
    head = maker.question[0]
    partner = next(one for one in four if head == f"Ask for {one.name}’s best card?")
    (watching,) = (one for one in four if one.name == "Jonah" and one not in (maker, partner))
    watching.page.locator("#stage").evaluate(COUNT_FLIGHTS)
    given = maker.cards.last.get_attribute("data-card")
    maker.press(maker.cards.last)
    choosing = f"{partner.name} is choosing a card to give."
    assert maker.question == (choosing, f"{maker.name} plays alone.")
    assert mover(four) is partner
    assert partner.question == ("Give one card", "You do not see what was given.")
    best = partner.cards.first.get_attribute("data-card")
    partner.press(partner.cards.first)
    maker.wait_for_stamp(partner.stamp)
    expect(maker.page.locator("#live")).to_contain_text(f", from {partner.name}.")
    tip = maker.page.locator("#hand [data-taken] .from")
    expect(tip).to_have_attribute("data-says", f"from {partner.name}")
    expect(maker.page.locator(f'#hand [data-card="{best}"][data-taken]')).to_be_visible()
    defenders = [one for one in four if one not in (maker, partner)]
    for one in (*defenders, partner):
        assert one.page.locator(f'[data-card="{given}"]').count() == 0
        assert one is partner or one.page.locator(f'[data-card="{best}"]').count() == 0
    watching.until("() => window.flights === 2")
    first = mover(four)
    assert first.question[0] == "Defend alone?"
    answer(first, "decline")
    second = mover(four)
    expect(second.page.locator(".seat .said:visible")).to_have_text("“Not alone”")
    answer(second, "defend")
    lead = mover(four)
    expect(lead.page.locator(".mark.alone")).to_have_count(2)
    expect(lead.page.locator(".plate .who[data-out]")).to_have_count(2)
    while (one := mover(four)).now()["asked"] == "card":
        one.play_a_card()
    one.call("Next hand")


def a_folded_hand(four: list[Person]) -> None:
    """All see the folded hand, and the same dealer deals again."""
    poor = refuse_until(four, "Fold this hand?")
    hand = poor.cards.evaluate_all("all => all.map(one => one.dataset.card)")
    dealer = poor.page.locator(".seat:has(.mark.dealer)").get_attribute("data-seat")
    answer(poor, "fold")
    one = mover(four)
    for each in four:
        shown = each.page.locator("#recap [data-card]")
        expect(shown).to_have_count(5)
        assert shown.evaluate_all("all => all.map(one => one.dataset.card)") == hand
        expect(each.page.locator("#trump")).to_contain_text("Folded")
    one.call("Next hand")
    after = mover(four).page.locator(".seat:has(.mark.dealer)")
    assert after.get_attribute("data-seat") == dealer


def no_trump(four: list[Person]) -> None:
    one = refuse_until(four, "Which suit")
    one.call("No trump")
    for each in four:
        each.wait_for_stamp(one.stamp)
        expect(each.page.locator("#trump")).to_contain_text("No trump")
    assert one.page.locator(".bower:visible").count() == 0
