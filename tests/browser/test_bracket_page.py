"""A knock-out of 64: on paper, its bracket made larger and smaller, its winner on a phone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import pytest
from django.test import Client
from playwright.sync_api import Browser, Page

from tests.browser.no_server import SITE, serve
from tests.tournaments import build

pytestmark = pytest.mark.django_db

#: What is left of the width of a sheet of paper between margins of 12 mm, in CSS pixels.
SHEETS = {"A4": 703, "Letter": 725}
CUT = """() => [...document.querySelectorAll("main table, main li, main p, main svg, main h2")]
  .filter(one => one.checkVisibility({contentVisibilityAuto: true}) && !one.closest(".unseen"))
  .filter(one => one.getBoundingClientRect().right > innerWidth + 1)
  .map(one => one.outerHTML.slice(0, 100))"""
SEEN = """() => [...document.querySelectorAll("main a[href^='/players/']")]
  .filter(one => one.checkVisibility({contentVisibilityAuto: true}) && one.offsetHeight > 0)
  .map(one => one.textContent)"""

#: The names on the sheets of a bracket, each with the size of its letters in CSS pixels.
PRINTED = """() => [...document.querySelectorAll(".bracket-sheets .name")].map(name =>
  [name.textContent, parseFloat(getComputedStyle(name).fontSize) * name.getScreenCTM().a])"""
LEGIBLE = 9


@pytest.fixture
def pages() -> Mapping[str, str]:
    """The pages of a knock-out of 64 players, played to its end."""
    event = build.event(format="single_elimination", minimum=2)
    build.enter(event, 64)
    build.play_to_end(event)
    paths = (f"/events/{event.pk}/{which}" for which in ("", "bracket/", "standings/"))
    return dict(
        zip(("event", "bracket", "standings"), (Client().get(at).text for at in paths), strict=True)
    )


@pytest.fixture
def page(browser: Browser, pages: Mapping[str, str]) -> Iterator[Page]:
    """A browser to which these pages are given, with the site's sheets and scripts."""
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    serve(context, {f"/{name}": text for name, text in pages.items()})
    yield context.new_page()
    context.close()


def test_knock_out_of_64(page: Page) -> None:
    everybody = {str(number) for number in range(1, 129)}
    # On paper nothing is cut, and everybody stands there, also where a screen folds it.
    page.emulate_media(media="print", color_scheme="dark")
    for name in ("event", "bracket", "standings"):
        page.goto(f"{SITE}/{name}")
        for width in SHEETS.values():
            page.set_viewport_size({"width": width, "height": 1000})
            assert page.evaluate(CUT) == [], name
            if name == "bracket":
                printed = page.evaluate(PRINTED)
                assert everybody == {name for name, _size in printed}
                assert min(size for _name, size in printed) >= LEGIBLE
            else:
                assert everybody <= set(page.evaluate(SEEN)), name
        assert (
            page.evaluate("() => getComputedStyle(document.documentElement).colorScheme") == "light"
        )

    # On a screen its names are legible, and it is made larger and smaller.
    page.emulate_media(media="screen", color_scheme="light")
    page.set_viewport_size({"width": 1280, "height": 800})
    page.goto(f"{SITE}/bracket")
    wrap, picture = page.locator(".bracketwrap"), page.locator(".bracketwrap .bracket-picture")

    def wide() -> float:
        box = picture.bounding_box()
        assert box is not None
        return box["width"]

    own = wide()
    assert picture.evaluate("one => one.getScreenCTM().a") == pytest.approx(1, abs=0.01)
    page.get_by_role("button", name="Larger").click()
    assert wide() == pytest.approx(1.25 * own, rel=0.01)
    page.get_by_role("button", name="Fit").click()
    fitting = wide()
    assert fitting < own
    assert wrap.evaluate("one => one.scrollWidth <= one.clientWidth")
    wrap.focus()
    page.keyboard.press("+")
    page.keyboard.press("+")
    assert wide() == pytest.approx(1.25**2 * fitting, rel=0.02)
    page.keyboard.press("-")
    page.keyboard.press("0")
    assert wide() == pytest.approx(fitting, abs=1)
    wrap.hover(position={"x": 300, "y": 200})
    page.keyboard.down("Control")
    page.mouse.wheel(0, -200)
    page.keyboard.up("Control")
    page.wait_for_function(
        "least => document.querySelector('.bracket-picture').clientWidth > least", arg=fitting + 100
    )

    # On a phone the winner stands first, and each round is one press away.
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(f"{SITE}/bracket")
    winner = page.locator(".bracket-list .bracket-winner")
    first, below = winner.bounding_box(), picture.bounding_box()
    assert first is not None
    assert below is not None
    assert first["y"] < 600
    assert first["y"] < below["y"]
    page.get_by_role("link", name="Final", exact=True).click()
    assert page.evaluate("() => location.hash") == "#bracket-round-6"
