"""The door: of forty people those who come are checked in and paid, by keyboard and by thumb."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

import pytest
from django.conf import settings
from django.urls import reverse
from django.utils import timezone
from playwright.sync_api import Browser, Page, expect
from pytest_django.live_server_helper import LiveServer

from games.models import Player
from tests.browser.checks import AXE, walk
from tests.factories import logged_in
from tests.tournaments import build
from tests.tournaments.build import MINUTE
from tests.volume import volume
from tournaments.models import Entry, Event, Pairing

pytestmark = pytest.mark.django_db(transaction=True)

FIRST: Final = ("Pete", "Dev", "Ruth", "Tom", "Max", "Nell", "Ida", "Maeve", "Finn", "Una")
FAMILY: Final = ("Alder", "Brandt", "Coyle", "Doyle")
NAMES: Final = [f"{first} {family}" for family in FAMILY for first in FIRST]
#: Of the forty these are not entered yet: members, and people nobody knows.
MEMBERS, NEW = NAMES[36:38], NAMES[38:]
#: Who comes of those who have entered.
COMING: Final = volume(NAMES[:36:4], NAMES[:36:4], NAMES[:36])


def evening() -> tuple[Event, Player]:
    """An evening of which thirty-six have entered; check-in is open."""
    starts = timezone.now() + 10 * MINUTE
    event = build.event(
        starts=starts, check_in_minutes=30, registration_closes=starts, format="progressive",
        registration_opens=starts - 60 * MINUTE, place=Event.Place.ROOM, entry_money=500,
        currency="EUR", state=Event.State.CHECK_IN,
    )  # fmt: skip
    ada = build.director(event.club)
    known = build.members(event.club, *NAMES[:38])
    build.let_in(event, known[:36])
    return event, ada


def opened(
    browser: Browser, server: LiveServer, who: Player, event: Event, width: int = 1280
) -> Page:
    page = browser.new_context(
        reduced_motion="reduce", has_touch=width < 500, viewport={"width": width, "height": 800}
    ).new_page()
    cookie = logged_in(who).cookies[settings.SESSION_COOKIE_NAME]
    page.context.add_cookies([{"name": cookie.key, "value": cookie.value, "url": server.url}])
    page.goto(f"{server.url}{reverse('door', args=[event.pk])}")
    return page


class Keys:
    """Somebody's keyboard, which counts its presses."""

    def __init__(self, page: Page) -> None:
        self.page, self.presses = page, 0

    def press(self, key: str) -> None:
        self.page.keyboard.press(key)
        self.presses += 1

    def type(self, text: str) -> None:
        for letter in text:
            self.press("Space" if letter == " " else letter)


def shortest(name: str) -> str:
    """The fewest letters of family and first name that find this one alone."""
    first, family = name.lower().split()

    def finds(words: tuple[str, str], one: str) -> bool:
        return all(any(part.startswith(word) for part in one.split()) for word in words)

    typed = (
        (family[:some], first[:more])
        for some in range(1, len(family) + 1)
        for more in range(1, len(first) + 1)
    )
    found = min(
        (words for words in typed if sum(finds(words, one.lower()) for one in NAMES) == 1),
        key=lambda words: sum(map(len, words)),
    )
    return " ".join(found)


def test_they_are_seated_by_keyboard(browser: Browser, live_server: LiveServer) -> None:
    event, ada = evening()
    everybody = [*COMING, *MEMBERS, *NEW]
    count = len(everybody)
    page = opened(browser, live_server, ada, event)
    keys, said = Keys(page), page.locator("#door-said")
    walk([(page.url, page)])
    for name in everybody:
        in_event = event.entries.filter(players__player__name=name).first()
        keys.type(shortest(name) if name not in NEW else name.lower())
        if name in NEW:
            keys.press("Enter")
            expect(page.get_by_role("button", name="Add, check in")).to_be_focused()
        keys.press("Enter")
        done = "in the event" if in_event is None else "checked in"
        expect(said).to_have_text(f"{name}: {done}.")
        expect(page.locator("#door-name")).to_be_focused()
        expect(page.locator("#door-name")).to_have_value("")
        keys.press("Enter")
        expect(said).to_have_text(f"{name}: paid.")
        expect(page.locator("#door-name")).to_be_focused()
    assert event.entries.filter(state=Entry.State.CHECKED_IN, paid__isnull=False).count() == count
    paid = f"{count} of 40 in {5 * count}.00 of 200.00 paid"
    expect(page.locator("#door-sums")).to_contain_text(paid)
    assert keys.presses <= count * 7 + 2 * 12, keys.presses
    build.begin(event, timezone.now())
    seated = Pairing.objects.filter(round__event=event)
    assert sum(one.entries.count() for one in seated) == len(NAMES)
    page.context.close()


def test_they_are_seated_by_thumb(browser: Browser, live_server: LiveServer) -> None:
    event, ada = evening()
    page = opened(browser, live_server, ada, event, width=390)
    said = page.locator("#door-said")
    walk([(page.url, page)])
    taps = 0
    for name in COMING:
        row = page.locator(f"#guest-{event.entries.get(players__player__name=name).pk}")
        before = row.evaluate("one => [...one.parentElement.children].indexOf(one)")
        for button, words in (("Check in", "checked in"), ("Take 5.00", "paid")):
            row.get_by_role("button", name=button).tap()
            expect(said).to_have_text(f"{name}: {words}.")
            taps += 1
        after = row.evaluate("one => [...one.parentElement.children].indexOf(one)")
        assert before == after, "a row keeps its place"
    for name in (*MEMBERS, *NEW):
        page.locator("#door-name").tap()
        page.locator("#door-name").press_sequentially(name)
        if name in MEMBERS:
            page.get_by_role("button", name=re.compile(f"Enter, check in ?: {name}")).tap()
        else:
            page.get_by_role("button", name="Add, check in").tap()
        expect(said).to_have_text(f"{name}: in the event.")
        page.get_by_role("button", name=re.compile(f"Take 5.00 ?: {name}")).tap()
        expect(said).to_have_text(f"{name}: paid.")
        taps += 3
    assert (
        event.entries.filter(state=Entry.State.CHECKED_IN, paid__isnull=False).count()
        == len(COMING) + 4
    )
    assert taps == 2 * len(COMING) + 3 * 4
    page.context.close()


def test_several_of_one_name_are_shown_before_enter_does_anything(
    browser: Browser, live_server: LiveServer
) -> None:
    event, ada = evening()
    page = opened(browser, live_server, ada, event)
    keys = Keys(page)
    keys.type("alder")
    keys.press("Enter")
    expect(page.locator(".guest")).to_have_count(10)
    assert not event.entries.filter(state=Entry.State.CHECKED_IN).exists()
    keys.press("ArrowDown")
    # The same letters are answered once more.
    page.evaluate(
        "document.getElementById('door').dataset.old = ''; htmx.trigger('#door-name', 'find')"
    )
    expect(page.locator("#door:not([data-old])")).to_be_visible()
    keys.press("ArrowRight")
    keys.press("ArrowRight")
    keys.press("Enter")
    expect(page.locator("#door-said")).to_have_text("Finn Alder: paid.")
    assert event.entries.get(paid__isnull=False).name == "Finn Alder"
    page.context.close()


def test_without_a_connection_nothing_is_lost_in_silence(
    browser: Browser, live_server: LiveServer
) -> None:
    event, ada = evening()
    page = opened(browser, live_server, ada, event)
    page.context.set_offline(True)
    page.get_by_role("button", name=re.compile("Check in ?: Pete Alder")).click()
    expect(page.locator("#door-said")).to_contain_text("Not sent")
    page.context.set_offline(False)
    page.get_by_role("button", name=re.compile("Check in ?: Pete Alder")).click()
    expect(page.locator("#door-said")).to_have_text("Pete Alder: checked in.")
    page.context.close()


def test_a_phone_that_checks_itself_in_is_seen_at_the_door(
    browser: Browser, live_server: LiveServer
) -> None:
    event, ada = evening()
    page = opened(browser, live_server, ada, event)
    page.locator("#door-name").press("ArrowDown")
    event.entries.filter(players__player__name="Pete Alder").update(state=Entry.State.CHECKED_IN)
    page.evaluate("htmx.trigger(document.getElementById('door-news'), 'news')")
    expect(page.get_by_role("button", name=re.compile("In ?: Pete Alder is in"))).to_be_visible()
    expect(page.locator(".guest[aria-current]")).to_have_count(1)
    page.context.close()


@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (390, "dark")])
def test_axe_finds_nothing_at_the_door(
    browser: Browser, live_server: LiveServer, axe_path: str, width: int, scheme: str
) -> None:
    event, ada = evening()
    page = opened(browser, live_server, ada, event, width=width)
    page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
    for path in (page.url, f"{page.url}?q=doyle"):
        page.goto(path)
        page.locator(".more summary").first.click()
        page.evaluate(Path(axe_path).read_text())
        assert page.evaluate(AXE) == []
    page.context.close()
