"""On other pages the head leads to the running game and says when it is the player's turn."""

from __future__ import annotations

from playwright.sync_api import expect

from tests.browser.conftest import MakePerson
from tests.browser.person import Person
from tests.browser.tables import mover, sit_together

#: Where everything of the head stands.
PLACES = """() => [...document.querySelectorAll(".top a, .top form")].map((one) => {
  const { x, y, width, height } = one.getBoundingClientRect();
  return [x, y, width, height].map(Math.round);
})"""


def head(one: Person) -> list[list[list[int]]]:
    """Where everything of the head stands, on a wide screen, a tablet and a phone."""
    found = []
    for width in (1280, 768, 390):
        one.page.set_viewport_size({"width": width, "height": 800})
        found.append(one.page.evaluate(PLACES))
        wider = one.page.evaluate("() => document.documentElement.scrollWidth > innerWidth")
        assert not wider, width
    return found


def test_who_reads_the_rules_is_told_of_the_turn_once(person: MakePerson) -> None:
    people = [person("Edda"), person("Knut")]  # with no other game
    sit_together(people, "heads-up", house_after="never")
    one = mover(people)
    table = one.path
    number = one.table_id
    assert one.page.locator("#your-turn").count() == 0
    one.go("/rules/")
    link, said = one.page.locator("#your-turn"), one.page.locator("#turn-said")
    expect(one.page.get_by_role("link", name=f"Your game · Table {number}")).to_be_visible()
    before = head(one)
    one.page.set_viewport_size({"width": 1280, "height": 800})
    expect(one.page.get_by_role("link", name=f"Your turn · Table {number}")).to_be_visible()
    expect(said).to_have_text(f"Your turn at table {number}")
    assert head(one) == before
    one.go("/learn/")
    expect(link).to_have_class("your-turn now")
    expect(said).to_have_text("")  # it has been said
    link.click()
    one.page.wait_for_url(f"**{table}")
    one.wait_until_live()
    assert one.page.locator("#your-turn").count() == 0
