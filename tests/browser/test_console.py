"""A director's console by script: it keeps itself up to date and leaves open forms alone."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from django.urls import reverse
from playwright.sync_api import Browser, Page, expect

from games.models import Player
from tests.browser.checks import AXE, SCHEMES, faint, fits, understandable
from tests.browser.no_server import SITE
from tests.browser.test_score_card import Hall
from tests.factories import logged_in, member
from tests.tournaments import build
from tests.tournaments.room_scores import cards_of
from tournaments.console import manage_page
from tournaments.models import Act, Event

pytestmark = pytest.mark.django_db


@pytest.fixture
def director() -> Player:
    return build.director(build.club(), "Ada")


@pytest.fixture
def event(director: Player) -> Event:
    return cards_of.drawn(director.memberships.get().club, 12, deals=2)


@pytest.fixture
def page(browser: Browser, director: Player) -> Iterator[Page]:
    """The director's browser; it is closed before the database goes, as the console polls."""
    page = browser.new_page(service_workers="block", reduced_motion="reduce")
    Hall(logged_in(director), page)
    yield page
    page.unroute_all(behavior="wait")
    page.close()


def go(page: Page, name: str, event: Event, *more: int) -> None:
    page.goto(f"{SITE}{reverse(name, args=[event.pk, *more])}")


def news(page: Page) -> None:
    """Let the page ask what has changed, as it does when it hears of a change."""
    page.evaluate('htmx.trigger("#now", "news")')


@pytest.mark.parametrize("many", [1, 20], ids=["a line each", "a block each"])
def test_a_table_opens_and_a_form_there_stays_while_others_change(
    page: Page, event: Event, many: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(manage_page, "MANY", many)
    go(page, "manage_event", event)
    row = page.locator("#table-2")
    row.locator(".toggle").click()
    row.get_by_role("link", name="Penalty").click()
    points = row.get_by_label("Points")
    points.fill("3")
    cards_of.hand(event, 1, 0, at=1)
    cards_of.hand(event, 1, 1, at=2)
    news(page)
    expect(row.get_by_text("Changed meanwhile: 0–1.")).to_be_visible()
    expect(points).to_have_value("3")
    expect(page.locator("#table-1")).to_contain_text("2" if many == 1 else "1–0, hand 2")
    row.get_by_role("link", name="Show").click()
    expect(points).to_have_count(0)
    expect(row.locator(".toggle")).to_have_attribute("aria-expanded", "true")
    row.locator(".toggle").click()
    expect(row.locator(".inset")).to_have_count(0)


def test_an_act_is_done_without_leaving_the_page(page: Page, event: Event) -> None:
    go(page, "manage_event", event)
    here = page.url
    row = page.locator("#table-1")
    row.locator(".toggle").click()
    row.get_by_role("link", name="Penalty").click()
    row.get_by_role("button", name="Show what will change").click()
    expect(row.get_by_text("What will change", exact=True)).to_be_visible()
    row.get_by_label("Reason, read by all members").fill("Renege in hand 1.")
    row.locator("form[method=post] .button:not(.plain)").click()
    expect(page.locator("#console-said").get_by_role("link", name="Undo")).to_be_visible()
    expect(page.locator("#console-log").get_by_text("Renege in hand 1.")).to_be_visible()
    assert page.url == here
    assert event.acts.count() == 1


def test_a_substitute_is_put_in_without_leaving_the_page(page: Page, event: Event) -> None:
    build.joined(event.club, member("Rosa"))
    go(page, "manage_event", event)
    here = page.url
    row = page.locator("#table-1")
    row.locator(".toggle").click()
    row.get_by_role("link", name="Substitute").click()
    row.get_by_role("button", name="Show what will change").click()
    expect(row.get_by_text("Say who leaves.")).to_be_visible()
    row.get_by_label("Who leaves").select_option(index=1)
    row.get_by_label("Who takes the seat").fill("rosa")
    row.get_by_role("button", name="Show what will change").click()
    expect(row.get_by_text("What will change", exact=True)).to_be_visible()
    row.get_by_label("Reason, read by all members").fill("Called away.")
    row.get_by_role("button", name="Put Rosa in").click()
    expect(page.locator("#console-said").get_by_role("link", name="Undo")).to_be_visible()
    expect(page.locator("#console-log").get_by_text("Called away.")).to_be_visible()
    expect(row).to_contain_text("Rosa")
    assert page.url == here
    assert event.acts.get().kind == Act.Kind.SUBSTITUTE


def test_results_are_entered_by_keyboard_alone(page: Page, event: Event) -> None:
    go(page, "enter_results", event, 1)
    keys = page.keyboard
    expect(page.locator('[name="points_1_0"]')).to_be_focused()
    for first, second in (("2", "0"), ("9", "0")):
        keys.type(first)
        keys.press("Tab")
        keys.type(second)
        keys.press("Enter")
        expect(page.locator("#res-1").get_by_text("Kept")).to_be_visible()
    expect(page.locator("#res-2").get_by_text("2 hands bring 0 to 8 points")).to_be_visible()
    expect(page.locator('[name="points_2_0"]')).to_be_focused()
    keys.press("Escape")
    expect(page.locator('[name="points_2_0"]')).to_have_value("")
    page.locator('[name="points_3_0"]').focus()
    keys.type("1")
    keys.press("Enter")  # on to the other side
    keys.type("1")
    keys.press("Enter")
    expect(page.locator("#res-3").get_by_text("Kept")).to_be_visible()
    expect(page.locator('[name="points_2_0"]')).to_be_focused()
    expect(page.locator("#results-missing")).to_contain_text("2 of 3 tables")


@pytest.mark.parametrize("many", [1, 20], ids=["a line each", "a block each"])
def test_an_open_disputed_table_is_readable_everywhere(
    page: Page, event: Event, many: int, monkeypatch: pytest.MonkeyPatch, axe_path: str
) -> None:
    monkeypatch.setattr(manage_page, "MANY", many)
    for number in (1, 2):
        cards_of.hand(event, number, 0)
    cards_of.sign(event, (2, 0))
    cards_of.send(event, "dispute", {}, side=1, by=cards_of.EAST, number=2, said="A renege.")
    go(page, "manage_event", event)
    page.locator("#table-1 .toggle").click()
    page.get_by_role("link", name="Play hand 2 again").click()
    expect(page.locator(".act-open").get_by_label("Reason, read by all members")).to_be_focused()
    assert wrong_with(page, axe_path) == []


def test_results_are_readable_everywhere(page: Page, event: Event, axe_path: str) -> None:
    for number in (1, 2):
        cards_of.hand(event, number, 0)
    go(page, "enter_results", event, 1)
    for side, points in enumerate(("1", "1")):
        page.locator(f'[name="points_1_{side}"]').fill(points)
    page.keyboard.press("Enter")
    expect(page.get_by_text("The table’s phone wrote 2–0.")).to_be_visible()
    assert wrong_with(page, axe_path) == []


def wrong_with(page: Page, axe_path: str) -> list[str]:
    """What is wrong with the page at a desk's and a phone's size, in the light and the dark."""
    page.evaluate(Path(axe_path).read_text())
    wrong = [*understandable(page)]
    for width, height in ((1280, 800), (390, 844)):
        page.set_viewport_size({"width": width, "height": height})
        wrong += [f"{width}: {found}" for found in fits(page)]
        for scheme in SCHEMES:
            page.emulate_media(color_scheme=scheme)
            wrong += [
                f"{width}, {scheme}: {found}" for found in [*faint(page), *page.evaluate(AXE)]
            ]
    return wrong
