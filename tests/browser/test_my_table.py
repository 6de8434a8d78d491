"""The sheet "My table", and what it changes: each choice acts at once and is kept."""

from __future__ import annotations

import random

from playwright.sync_api import expect

from tests.browser.conftest import MakePerson
from tests.browser.person import Person
from tests.browser.tables import all_show, mover, sit_together

FLYING = """() => [...document.querySelectorAll(".stage [data-card]")]
  .flatMap(card => card.getAnimations()).length"""


def choose(one: Person, pick: str, value: str) -> None:
    """Open the sheet, choose, and close it."""
    page = one.page
    page.get_by_role("button", name="My table").click()
    with page.expect_response("**/you/look/") as answer:
        page.get_by_role("group", name=pick).get_by_label(value, exact=True).check(force=True)
    assert answer.value.status == 204
    page.locator("#mytable").get_by_role("button", name="Done").click()


def hand_of(one: Person) -> list[str]:
    """The player's cards from left to right."""
    cards = one.page.locator("#hand [data-card]")
    return [str(card.get_attribute("data-card")) for card in cards.all()]


def until_cards(people: list[Person], chance: random.Random) -> Person:
    """Bid by chance until cards are played; whoever is to play."""
    while True:
        one = mover(people)
        if one.now()["asked"] == "card" and one.page.locator(".trick .spot:not([hidden])").count():
            return one
        one.choose(chance)


def heads_up(person: MakePerson, **options: str) -> list[Person]:
    """Two people at a table of their own, while cards are played."""
    people = [person("Maeve", **options), person("Ben")]
    sit_together(people, "heads-up")
    return people


def test_choices_act_at_once_and_stay(person: MakePerson) -> None:
    maeve = person("Maeve")
    maeve.play_now()
    maeve.wait_until_live()
    while maeve.wait_for_turn() == "next":  # whoever sits a hand out has no cards
        maeve.press(maeve.choices.first)
    html = maeve.page.locator("html")
    before = hand_of(maeve)
    for pick, value, attribute, kept in (
        ("Cloth", "Wine", "data-cloth", "wine"),
        ("Backs", "Sky", "data-back", "sky"),
        ("Card faces", "Large print", "data-print", "large"),
        ("Suit colours", "Four", "data-suits", "four"),
        ("Buttons", "Left", "data-hand", "left"),
        ("Speed", "Fast", "data-speed", "fast"),
        ("Trump in hand", "Right", "data-trump", "right"),
    ):
        choose(maeve, pick, value)
        expect(html).to_have_attribute(attribute, kept)
    assert hand_of(maeve) == before[::-1]
    maeve.page.reload()
    maeve.wait_until_live()
    assert hand_of(maeve) == before[::-1]
    for attribute, kept in (("data-cloth", "wine"), ("data-print", "large"), ("data-back", "sky")):
        expect(html).to_have_attribute(attribute, kept)
    choose(maeve, "Trump in hand", "Left")
    assert hand_of(maeve) == before


def test_card_played_with_two_presses(person: MakePerson) -> None:
    people = heads_up(person)
    one = until_cards(people, random.Random(3))
    choose(one, "Play a card", "Two presses")
    stamp = one.stamp
    for card in (one.legal_cards.first, one.legal_cards.last, one.legal_cards.first):
        card.click()
        expect(one.page.locator("#live")).to_contain_text("press again to play it")
        expect(one.page.locator("[data-chosen]")).to_have_count(1)
        if one.legal_cards.count() == 1:
            break
    assert one.stamp == stamp
    one.press(one.page.locator("[data-chosen]"))


def test_card_chosen_ahead_is_played_on_turn(person: MakePerson) -> None:
    people = heads_up(person)
    leader = until_cards(people, random.Random(5))
    other = next(one for one in people if one is not leader)
    stamp = leader.stamp
    cards = other.page.locator("#hand [data-card]")
    for number in range(cards.count()):
        cards.nth(number).click()
        expect(cards.nth(number)).to_have_attribute("data-chosen", "ahead")
    cards.last.click()  # and none of them after all
    expect(other.page.locator("[data-chosen]")).to_have_count(0)
    assert other.stamp == stamp
    name = cards.first.get_attribute("data-card")
    cards.first.click()
    leader.play_a_card()
    # It is played on the player's turn if it is legal, and otherwise no longer chosen.
    all_show(people)
    other.until(
        """name => !document.querySelector(`#hand [data-card="${name}"]`)
             || (!document.querySelector("[data-chosen]")
                 && document.querySelector(`#hand [data-card="${name}"][aria-disabled]`))""",
        name,
    )
    assert leader.stamp != stamp


def test_the_last_card_plays_itself(person: MakePerson) -> None:
    people = heads_up(person)
    for one in people:
        choose(one, "Last card", "Plays itself")
    chance = random.Random(8)
    one = until_cards(people, chance)
    while one.page.locator("#hand [data-card]").count() > 1:
        one.choose(chance)
        one = mover(people)
    # Nobody presses any more.
    assert people[0].wait_for_turn("next", "call") == "next"


def test_moving_cards_can_be_pressed(person: MakePerson) -> None:
    maeve = person("Maeve", reduced_motion="no-preference")
    ben = person("Ben", reduced_motion="no-preference")
    people = [maeve, ben]
    sit_together(people, "heads-up")
    one = until_cards(people, random.Random(11))
    other = ben if one is maeve else maeve
    choose(one, "Speed", "Slow")
    card = one.legal_cards.first
    name = card.get_attribute("data-card")
    card.click()
    # At the press, before anything is answered, and then where it lies.
    one.until("name => document.querySelector(`.trick [data-card='${name}']`) !== null", name)
    other.wait_for_turn("card")
    other.play_a_card()
    one.until(f"() => ({FLYING})() === 0")
    inside = one.page.evaluate(
        """() => [...document.querySelectorAll(".trick .place")].every(place => {
             const card = place.querySelector("[data-card]");
             if (!card) return true;
             const [a, b] = [place.getBoundingClientRect(), card.getBoundingClientRect()];
             return Math.abs(a.x - b.x) < 2 && Math.abs(a.y - b.y) < 2;
           })"""
    )
    assert inside
    choose(one, "Speed", "Off")
    stamp = one.stamp
    one = mover(people)
    one.choose(random.Random(1))
    maeve.wait_past(stamp)


def test_reduced_motion_shows_no_animation(person: MakePerson) -> None:
    people = heads_up(person)
    one = until_cards(people, random.Random(2))
    one.page.evaluate(
        """() => {
          window.flights = 0;
          const animate = Element.prototype.animate;
          Element.prototype.animate = function (...given) {
            window.flights += 1;
            return animate.apply(this, given);
          };
        }"""
    )
    chance = random.Random(4)
    for _ in range(6):
        mover(people).choose(chance)
    assert one.page.evaluate("() => window.flights") == 0


#: Notes what is set going, by its class; what a page asks of the browser to move.
MOVED = """() => {
  window.moved = [];
  const animate = Element.prototype.animate;
  Element.prototype.animate = function (...given) {
    window.moved.push(this.className);
    return animate.apply(this, given);
  };
}"""
STILL = """() => document.getElementById("stage").getAnimations({subtree: true})
  .every(one => one.playState === "finished")"""


def to_the_end_of_a_hand(people: list[Person], chance: random.Random) -> None:
    """Play by chance until somebody may ask for the next hand after one that was played."""
    while True:
        one = mover(people)
        if one.now()["asked"] == "next" and one.page.locator("#tally:not([hidden])").count():
            return
        one.choose(chance)


def test_points_fly_to_the_score_which_updates_at_once(person: MakePerson) -> None:
    people = heads_up(person, reduced_motion="no-preference")
    maeve, ben = people
    chance = random.Random(6)
    maeve.page.evaluate(MOVED)
    to_the_end_of_a_hand(people, chance)
    moved = maeve.page.evaluate("() => window.moved")
    assert "gained" in moved
    assert "trick" in moved
    # Whoever listens is told the new score while its number is on its way.
    names = """() => [...document.querySelectorAll(".side-score :is(.markers, .unseen)")]
      .filter(one => !one.hasAttribute("hidden"))
      .map(one => one.ariaLabel ?? one.textContent)"""
    assert maeve.page.evaluate(names) == ben.page.evaluate(names)[::-1]
    maeve.until(STILL)
    points = maeve.page.locator(".side-score .points")
    theirs = ben.page.locator(".side-score .points")
    assert points.all_inner_texts() == theirs.all_inner_texts()[::-1]
    assert not maeve.page.locator("#trick").is_visible()
    expect(maeve.page.locator("#recap li")).to_have_count(5)
    choose(maeve, "Speed", "Off")
    maeve.call("Next hand")
    maeve.page.evaluate("() => { window.moved.length = 0; }")
    to_the_end_of_a_hand(people, chance)
    assert maeve.page.evaluate("() => window.moved") == []
    expect(maeve.page.locator(".side-score .gained:not([hidden])")).to_be_visible()


def test_discard_moves_under_the_pack(person: MakePerson) -> None:
    people = [person(name, reduced_motion="no-preference") for name in ("Maeve", "Ben")]
    sit_together(people, "heads-up")
    mover(people).call("Order it up")
    dealer = mover(people)
    for one in people:
        one.page.evaluate(MOVED)
    stamp = dealer.stamp
    dealer.press(dealer.legal_cards.first)
    for one in people:
        one.wait_past(stamp)
        moved = one.page.evaluate("() => window.moved")
        assert moved.count("card back flying discarding") == 1
        assert moved.count("card back flying") == 2, "the pack stays until the card lies there"
        one.until("() => document.querySelector('.flying') === null")
    assert dealer.cards.count() == 5
