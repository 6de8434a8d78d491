"""A hand set up by hand in the browser: pressed, dragged, typed, and how the pages look."""

from __future__ import annotations

from playwright.sync_api import expect

from tests.browser.checks import readable
from tests.browser.conftest import MakePerson

WRONG = "/analysis/?dealer=3&up=9D&calls=m32&plays=AH+KC&hand2=JC+KS+9S+AD+QC&hand1=KC+9H&to=3"


def test_a_hand_is_set_up_by_pressing_dragging_and_typing(person: MakePerson) -> None:
    maeve = person("Maeve", account=False)
    maeve.go("/analysis/")
    page = maeve.page
    waits = page.locator("#waits")
    expect(waits).to_have_text("Not yet: Which card was turned up?")
    page.set_viewport_size({"width": 1280, "height": 1000})
    page.drag_and_drop("#card-TD", ".turned")
    expect(page.locator("#up")).to_have_value("TD")
    page.locator("#to-up").press("Space")
    expect(page.locator(".turned")).to_contain_text("pick a card")
    page.locator("#card-9D").click()
    expect(page.locator("#up")).to_have_value("9D")
    expect(waits).to_contain_text("all of South’s cards must be known")
    for card in ("JC", "KS", "9S", "AD"):
        page.locator(f"#card-{card}").click()
        expect(page.locator(f"#card-{card}")).to_contain_text("South")
    expect(page.locator("#card-AD")).to_be_focused()
    page.context.set_offline(True)
    page.locator("#card-KC").click()
    expect(page.locator("#unchecked")).to_contain_text("the site did not answer")
    page.context.set_offline(False)
    page.get_by_role("button", name="Try again").click()
    expect(page.locator("#unchecked")).to_be_hidden()
    maeve.complaints.clear()  # of the answer that did not come
    page.locator("#card-KC").click()  # taken back
    page.drag_and_drop("#card-KH", "section[data-seat='3']")
    expect(page.locator("#hand-3")).to_have_value("KH")
    page.locator("#hand-3").fill("kh ad")
    page.locator("#hand-3").press("Enter")
    expect(page.get_by_role("alert")).to_contain_text("Two players have A♦: South and West.")
    page.locator("#card-AD").click()  # taken back from South, whose it was first
    expect(page.get_by_role("alert")).to_have_count(0)
    page.locator("#hand-2").fill("JC KS 9S QC TC")
    page.locator("#hand-2").press("Tab")
    expect(waits).to_have_text("")
    page.reload()  # the address holds what was typed
    expect(page.locator("#hand-2")).to_have_value("JC KS 9S QC TC")


def test_pages_that_set_up_on_every_screen(person: MakePerson) -> None:
    maeve = person("Maeve", account=False)
    for path in (WRONG, "/analysis/paste/"):
        maeve.go(path)
        assert readable(maeve.page, ((1280, 800), (390, 844), (320, 640))) == [], path
