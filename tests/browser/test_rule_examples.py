"""Examples on the pages of the rules in the browser: by keyboard, and how they look."""

from __future__ import annotations

from playwright.sync_api import expect

from games.engine.rules import JOKER_33, STICK_THE_DEALER
from games.guide.examples import examples_of
from tests.browser.checks import readable
from tests.browser.conftest import MakePerson
from tests.browser.person import press, tab_to

#: The page with all examples, and positions: a card asked for, refused, played; calls.
PAGES = (
    "/rules/joker-33/",
    "/rules/joker-33/joker/",
    "/rules/joker-33/joker/?said=play+AD&wrong=2",
    "/rules/joker-33/joker/?said=play+Jo",
    "/rules/joker-33/joker-turned-up/",
    "/rules/stick-the-dealer/second-round/",
    "/rules/stick-the-dealer/second-round/?said=make+D+alone",
    "/rules/classic-24/discard/",
    "/rules/heads-up/follow-suit/?said=play+9H&wrong=1",
)


def test_all_examples_of_a_game_by_keyboard(person: MakePerson) -> None:
    maeve = person("Maeve", account=False)
    maeve.go(f"/rules/{JOKER_33.key}/")
    tab_to(maeve, 'return here.textContent.trim() === "Try it: the left bower"')
    press(maeve, "Enter")
    examples = examples_of(JOKER_33)
    for example in examples:
        maeve.page.wait_for_url(f"**/rules/{JOKER_33.key}/{example.slug}/**")
        if example is examples[0]:
            tab_to(maeve, 'return here.value === "play AD"')
            press(maeve, "Enter")
            expect(maeve.page.get_by_role("status")).to_contain_text("You must follow hearts")
        tab_to(maeve, f'return here.value === "{example.step.right[0]}"')
        press(maeve, "Enter")
        onwards = maeve.page.locator("#next")
        expect(onwards).to_be_focused()
        expect(maeve.page.locator(".say-big")).to_have_text(example.step.learnt)
        press(maeve, "Enter")
    maeve.page.wait_for_url(f"**/rules/{JOKER_33.key}/#play")


def test_another_answer_can_be_tried_without_scripts(person: MakePerson) -> None:
    maeve = person("Maeve", account=False, java_script_enabled=False)
    maeve.go(f"/rules/{STICK_THE_DEALER.key}/")
    maeve.page.locator(".try").filter(has_text="the turn-up").get_by_role("link").click()
    maeve.page.locator("button[value=pass]").click()
    expect(maeve.page.locator("#coach")).to_contain_text("Iris speaks next")
    maeve.page.get_by_role("link", name="Try another").click()
    maeve.page.locator("button[value=order]").click()
    expect(maeve.page.locator("#coach")).to_contain_text("Hearts are trump, and you are the maker")


def test_pages_of_examples_on_every_screen(person: MakePerson) -> None:
    maeve = person("Maeve", account=False)
    for path in PAGES:
        maeve.go(path)
        assert readable(maeve.page, ((1280, 800), (390, 844), (320, 640), (844, 390))) == [], path
