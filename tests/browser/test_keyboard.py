"""Playing by keyboard alone, from the home page to the last card."""

from __future__ import annotations

import itertools

from tests.browser.conftest import MakePerson
from tests.browser.person import Person, press, tab_to

FOCUS = """() => {
  const here = document.activeElement;
  return {
    body: here === document.body,
    place: here.closest("#hand, #prompt, .peek, .side")?.id ?? "",
    id: here.dataset.card ?? here.id,
    text: (here.getAttribute("aria-label") ?? here.textContent).trim().replace(/\\s+/g, " "),
    legal: here.getAttribute("aria-disabled") !== "true",
    button: here.matches("button"),
  };
}"""


def focus(person: Person) -> dict[str, str]:
    found: dict[str, str] = person.page.evaluate(FOCUS)
    return found


def and_then_moved(person: Person, stamp: str) -> None:
    """After a decision: the table moves on, and the focus is never lost."""
    person.wait_past(stamp)
    person.wait_for_turn()
    assert not focus(person)["body"], "the focus was lost"
    assert focus(person)["place"] in ("hand", "prompt")


def play_by_figures(person: Person, turns: int) -> None:
    """Go to a card by its figure, from one that may not be played by the arrows, and play it."""
    count = person.cards.count()
    press(person, str(turns % count + 1))
    assert focus(person)["id"] == person.cards.nth(turns % count).get_attribute("data-card")
    arrow = ("ArrowRight", "ArrowLeft")[turns % 2]
    for _ in range(count):
        if focus(person)["legal"]:
            break
        press(person, arrow)
    stamp = person.stamp
    press(person, ("Enter", "Space")[turns % 2])
    and_then_moved(person, stamp)


def answer_a_call(person: Person, turns: int) -> None:
    """Pass by P, or find a call by Tab and press it."""
    stamp = person.stamp
    may_pass = person.page.locator('#prompt [value="pass"]').count()
    if may_pass and turns % 3:
        press(person, "p")
    else:
        wanted = "here.matches('#prompt button') && here.value !== 'pass'"
        tab_to(person, f"return {wanted};")
        press(person, "Enter")
    and_then_moved(person, stamp)


def play_until(person: Person, *what: str) -> None:
    """Bid and play by keyboard until something else is asked ("next"), or the game is over."""
    for turns in itertools.count():
        asked = person.wait_for_turn()
        if asked in what:
            return
        (answer_a_call if asked == "call" else play_by_figures)(person, turns)


def test_from_the_home_page_to_the_second_hand_by_keyboard(person: MakePerson) -> None:
    maeve = person("Maeve", account=False)
    maeve.go("/")
    tab_to(maeve, "return here.textContent.trim() === 'Play now';")
    press(maeve, "Enter")
    maeve.page.wait_for_url("**/tables/*/")
    maeve.wait_until_live()
    press(maeve, "Tab")
    assert focus(maeve)["text"] == "Skip to your turn"
    press(maeve, "Enter")
    play_until(maeve, "next")
    stamp = maeve.stamp
    tab_to(maeve, "return here.textContent.trim() === 'Next hand';")
    press(maeve, "Enter")
    and_then_moved(maeve, stamp)
    assert maeve.wait_for_turn() in ("call", "card")


def test_to_the_end_of_a_game_and_its_score_sheet_by_keyboard(person: MakePerson) -> None:
    maeve = person("Maeve")
    house = dict.fromkeys(("north", "east", "west"), "house")
    maeve.make_table("house-rules", seats=house, house_rules={"target": "1"})
    maeve.wait_until_live()
    maeve.wait_until_dealt()
    play_until(maeve, "over")
    assert not focus(maeve)["body"]
    tab_to(maeve, "return here.textContent.trim() === 'Score sheet';")
    press(maeve, "Enter")
    maeve.page.wait_for_url("**/games/*/")


def test_keys_in_the_hand_and_beside_it(person: MakePerson) -> None:
    maeve = person("Maeve", account=False)
    maeve.play_now()
    maeve.wait_until_live()
    while maeve.wait_for_turn() != "card" or maeve.cards.count() >= 5:  # six are to discard from
        maeve.press(maeve.choices.first)
    cards = [card.get_attribute("data-card") for card in maeve.cards.all()]
    seen = []
    for key in ("2", "Home", "ArrowLeft", "ArrowRight", "End"):
        press(maeve, key)
        seen.append(focus(maeve)["id"])
    assert seen == [cards[1], cards[0], cards[-1], cards[0], cards[-1]]

    last_trick = maeve.page.locator("#last-trick")
    press(maeve, "l")
    assert last_trick.is_visible()
    alone = maeve.page.locator(".mark.alone").count()
    assert last_trick.locator("figure").count() == (3 if alone else 4)
    press(maeve, "l")
    assert not last_trick.is_visible()
    press(maeve, "?")
    assert maeve.page.locator("#keys").is_visible()
    press(maeve, "Escape")
    assert not maeve.page.locator("#keys").is_visible()

    live = maeve.page.locator("#live")
    press(maeve, "s")
    assert " of 5 points" in live.inner_text()
    press(maeve, "t")
    on_table = maeve.page.locator(".trick .card").count()
    assert live.inner_text().count(" by ") == on_table or "No card" in live.inner_text()
    press(maeve, "g")
    assert focus(maeve)["id"] == "log"


def test_letters_can_be_switched_off(person: MakePerson) -> None:
    maeve = person("Maeve", account=False)
    maeve.go("/you/table/")
    keys = maeve.page.get_by_role("group", name="Keyboard shortcuts at the table")
    keys.get_by_role("radio", name="Off").check()
    maeve.page.get_by_role("button", name="Save").click()
    maeve.page.get_by_text("Saved.").wait_for()
    maeve.play_now()
    maeve.wait_until_live()
    maeve.wait_for_turn()
    stamp = maeve.stamp
    press(maeve, "p", "l", "?", "1")
    assert not maeve.page.locator(".peek:popover-open").count()
    assert (maeve.stamp, focus(maeve)["place"]) == (stamp, "")
