"""Learn euchre in the browser: all lessons from first to last by keyboard, and how they look."""

from __future__ import annotations

from urllib.parse import urlparse

from playwright.sync_api import expect

from games.lessons.course import COURSE
from tests.browser.checks import readable
from tests.browser.conftest import MakePerson
from tests.browser.person import press, tab_to

#: The list, and steps: a card asked for, refused, played; a call asked for, a hand over.
PAGES = (
    "/learn/",
    "/learn/bowers/1/",
    "/learn/bowers/1/?said=play+AD&wrong=2",
    "/learn/bowers/1/?said=play+JD",
    "/learn/second-round/1/",
    "/learn/joker/3/",
    "/learn/score/1/?said=play+AH",
    "/learn/two-players/2/",
)


def test_all_lessons_from_first_to_last_by_keyboard(person: MakePerson) -> None:
    maeve = person("Maeve", account=False)
    maeve.go("/learn/")
    tab_to(maeve, 'return here.textContent.trim() === "Begin"')
    press(maeve, "Enter")
    for lesson in COURSE:
        for number, step in enumerate(lesson.steps, 1):
            maeve.page.wait_for_url(f"**/learn/{lesson.slug}/{number}/**")
            if (lesson.slug, number) == ("following-suit", 1):
                tab_to(maeve, 'return here.value === "play AH"')
                press(maeve, "Enter")
                expect(maeve.page.get_by_role("status")).to_contain_text("You must follow diamonds")
            tab_to(maeve, f'return here.value === "{step.right[0]}"')
            press(maeve, "Enter")
            onwards = maeve.page.locator("#next")
            expect(onwards).to_be_focused()
            expect(maeve.page.locator(".say-big")).to_have_text(step.learnt)
            press(maeve, "Enter")
    maeve.page.wait_for_url("**/learn/")
    expect(maeve.page.get_by_role("heading", name="You know euchre.")).to_be_visible()
    expect(maeve.page.get_by_text("10 of 10 done", exact=True)).to_be_visible()
    assert urlparse(maeve.page.url).path == "/learn/"


def test_pages_of_lessons_on_every_screen(person: MakePerson) -> None:
    maeve = person("Maeve", account=False)
    for path in PAGES:
        maeve.go(path)
        assert readable(maeve.page, ((1280, 800), (390, 844), (320, 640), (844, 390))) == [], path
