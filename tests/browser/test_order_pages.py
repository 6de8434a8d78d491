"""Order by hand in a browser: seeds by keyboard and by mouse, pairings by two presses."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from django.conf import settings
from django.urls import reverse
from playwright.sync_api import Browser, BrowserContext, Page, expect
from pytest_django.live_server_helper import LiveServer

from games.models import Player
from tests.browser.checks import walk
from tests.factories import logged_in
from tests.tournaments import build
from tournaments.models import Event

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def ada() -> Player:
    return build.director(build.club())


@pytest.fixture
def cup(ada: Player) -> Event:
    event = build.event(
        ada.memberships.get().club, place="room", format="single_elimination", rounds=None
    )
    build.enter(event, 8)
    return event


def context(browser: Browser, live_server: LiveServer, by: Player, **more: bool) -> BrowserContext:
    made = browser.new_context(reduced_motion="reduce", has_touch=True, **more)  # type: ignore[arg-type]
    cookie = logged_in(by).cookies[settings.SESSION_COOKIE_NAME]
    made.add_cookies([{"name": cookie.key, "value": cookie.value, "url": live_server.url}])
    return made


def order(page: Page) -> list[str]:
    return [row.get_attribute("data-entry") or "" for row in page.locator(".seedrow").all()]


def test_seeds_by_keyboard_and_mouse(
    browser: Browser, live_server: LiveServer, ada: Player, cup: Event
) -> None:
    page = context(browser, live_server, ada).new_page()
    page.goto(live_server.url + reverse("seeds_by_hand", args=[cup.pk]))
    a, b, c, *others = order(page)
    grip = page.locator(f'[data-entry="{c}"] .grip')
    grip.press("Space")
    expect(page.locator("[data-said]")).to_contain_text("taken up: 3 of 8.")
    grip.press("ArrowUp")
    grip.press("Escape")
    assert order(page) == [a, b, c, *others]
    grip.press("Space")
    grip.press("ArrowUp")
    grip.press("Space")
    expect(page.get_by_text("What will change")).to_be_visible()
    assert order(page) == [a, c, b, *others]
    expect(grip).to_be_focused()
    first = page.locator(f'[data-entry="{a}"]').bounding_box()
    assert first is not None
    page.locator(f'[data-entry="{b}"] .grip').hover()
    page.mouse.down()
    page.mouse.move(first["x"] + 20, first["y"] + 40, steps=4)
    page.mouse.move(first["x"] + 20, first["y"] + 2, steps=4)
    with page.expect_navigation():
        page.mouse.up()
    assert order(page) == [b, a, c, *others]
    page.get_by_label("Reason").fill("They won both games.")
    page.get_by_role("button", name="Keep this order").click()
    expect(page.locator(".notes")).to_contain_text("The seeds are as you have set them.")
    seeded = cup.entries.order_by("table_place").values_list("pk", flat=True)
    assert [str(one) for one in seeded] == [b, a, c, *others]
    page.context.close()


@pytest.mark.parametrize("scripts", [True, False])
def test_pages_are_readable_and_fit_a_phone(
    browser: Browser, live_server: LiveServer, ada: Player, cup: Event, *, scripts: bool
) -> None:
    page = context(browser, live_server, ada, java_script_enabled=scripts).new_page()

    def pages() -> Iterator[tuple[str, Page]]:
        page.goto(live_server.url + reverse("seeds_by_hand", args=[cup.pk]))
        yield "seeds", page
        page.get_by_role("button", name="Down:").first.click()
        expect(page.get_by_text("changed by your order").first).to_be_visible()
        yield "seeds moved", page
        build.begin(cup)
        page.goto(live_server.url + reverse("seats_by_hand", args=[cup.pk, 1, 1]))
        yield "pairings", page
        page.locator(".seatb").first.click()
        expect(page.get_by_role("link", name="Leave it")).to_be_visible()
        yield "one chosen", page
        page.locator(".seatb").nth(2).click()
        expect(page.get_by_role("heading", name="What it breaks")).to_be_visible()
        yield "two chosen", page
        page.get_by_label("Reason").fill("They came together.")
        page.get_by_role("button", name="Swap them").click()
        expect(page.locator(".notes")).to_contain_text("Changed by hand: round 1.")

    if scripts:
        walk(pages())
    else:
        for _place, _page in pages():
            pass
    page.context.close()
