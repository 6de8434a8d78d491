"""Score cards on phones: nothing written is lost or doubled, whatever the connection does."""

from __future__ import annotations

import json
from contextvars import copy_context
from random import Random
from urllib.parse import urlsplit

import pytest
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse
from playwright.sync_api import Browser, Error, Page, Route, expect
from pytest_django.live_server_helper import LiveServer

from tests.browser.no_server import SITE, static_file
from tests.browser.person import wait_until_kept
from tests.factories import logged_in
from tests.tournaments import build
from tests.tournaments.room_scores.cards_of import (
    EAST,
    card_of,
    drawn,
    hand,
    match_of,
    player_at,
    table_of,
)
from tests.volume import volume
from tournaments.models import Event
from tournaments.room_scores import views, writing

pytestmark = pytest.mark.django_db

#: Scores that are written, and how many of their requests are lost at least.
SCORES, LOST = volume((20, 5), (20, 5), (40, 10))
#: The page waits no longer than this between two attempts, in ms.
HASTY = (
    "const wait = window.setTimeout; window.setTimeout = (act, ms) => wait(act, Math.min(ms, 20));"
)


class Hall:
    """The site behind a connection that can be cut before or after the server has heard."""

    def __init__(self, client: Client, page: Page) -> None:
        self.client = client
        self.cut_before = self.cut_after = 0.0
        self.rng = Random(7)
        self.lost = 0
        context = copy_context()  # that of the test, with its connection to the database
        page.route("**/*", lambda route: context.copy().run(self.answer, route))

    def answer(self, route: Route) -> None:
        request = route.request
        path = urlsplit(request.url)
        if static_file(route):
            return
        by_script = "hx-request" in request.headers
        if by_script and self.rng.random() < self.cut_before:
            self.lost += 1
            route.abort()
            return
        headers = {"HX-Request": "true"} if by_script else {}
        where = f"{path.path}?{path.query}" if path.query else path.path
        if request.method == "POST":
            fields = request.post_data or ""
            kind = "application/x-www-form-urlencoded"
            response = self.client.post(where, fields, content_type=kind, headers=headers)
        else:
            response = self.client.get(where, headers=headers)
        if by_script and self.rng.random() < self.cut_after:
            self.lost += 1
            route.abort()
            return
        content_type = response.headers.get("Content-Type", "text/html")
        route.fulfill(status=response.status_code, body=response.content, content_type=content_type)


def opened(browser: Browser, event: Event, side: int = 0) -> tuple[Page, Hall]:
    """A phone of somebody who sits at table 1, at its card."""
    page = browser.new_page(
        viewport={"width": 390, "height": 844}, service_workers="block", reduced_motion="reduce"
    )
    page.add_init_script(HASTY)
    hall = Hall(logged_in(player_at(event, side)), page)
    page.goto(f"{SITE}{reverse('room_table', args=[table_of(event).code])}")
    return page, hall


def write(page: Page, caller: int, took: str) -> None:
    form = page.locator("#line")
    form.locator(f'[name="caller"][value="{caller}"]').check()
    form.locator(f'[name="took"][value="{took}"]').check()
    form.locator("[type=submit]").click()


def test_scores_arrive_once_each(browser: Browser, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("games.people.limits.may_act", lambda *_args, **_more: True)
    event = drawn(build.club(), deals=SCORES)
    page, hall = opened(browser, event)
    rng = Random(3)
    hands = [(rng.randrange(2), rng.choice(["few", "made", "march"])) for _hand in range(SCORES)]
    for number, (caller, took) in enumerate(hands, start=1):
        if number % 5 == 1:  # gone, bad or good
            hall.cut_before, hall.cut_after = rng.choice([(1, 0), (0.4, 0.4), (0, 0.7), (0, 0)])
        write(page, caller, took)
        if number % 15 == 0:  # pages come, scores do not
            hall.cut_before = 1
            page.reload()
    hall.cut_before = hall.cut_after = 0
    expect(page.locator("#link")).to_be_hidden()
    assert hall.lost > LOST
    stored = [
        (line.number, line.values["caller"], line.values["took"])
        for line in writing.lines_of(match_of(event))
    ]
    assert stored == [(at, *one) for at, one in enumerate(hands, start=1)]
    expect(page.get_by_role("button", name="Sign ")).to_be_visible()
    assert json.loads(page.evaluate("JSON.stringify(localStorage)")) == {}
    page.close()


def test_what_another_phone_wrote_meanwhile_is_said_and_stays(browser: Browser) -> None:
    event = drawn(build.club(), deals=4)
    page, hall = opened(browser, event)
    hall.cut_before = 1
    write(page, 0, "march")
    write(page, 0, "made")
    note = page.locator("#link")
    expect(note).to_contain_text("Not sent yet: hand 1, hand 2")
    expect(page.locator('[data-box="1-0"]')).to_have_text("2")
    expect(page.locator('[data-total="0"]')).to_have_text("3")
    hand(event, 1, 1, by=EAST, side=1)
    hall.cut_before = 0
    refused = page.locator("#refusals")
    expect(refused).to_contain_text("Not stored: hand 1")
    expect(refused).to_contain_text("Hand 1 was written on another phone: east–west called")
    expect(note).to_be_hidden()
    assert card_of(event).points == (1, 1)
    expect(page.locator('[data-total="0"]')).to_have_text("1")
    page.close()


def test_a_phone_offers_one_more_hand_only_while_it_is_tied(browser: Browser) -> None:
    event = drawn(build.club(), deals=8, ties=Event.Ties.HAND)
    page, hall = opened(browser, event)
    hall.cut_before = 1
    for number in range(1, 10):
        expect(page.locator("#line h3 span")).to_have_text(f"Hand {number}")
        write(page, number % 2, "made")
    expect(page.locator('[data-box="9-1"]')).to_have_text("1")
    expect(page.locator("#line")).to_be_hidden()
    page.locator("#back button").click()
    expect(page.locator("#line h3 span")).to_have_text("Hand 9")
    expect(page.locator("#line")).to_be_visible()
    hall.cut_before = 0
    expect(page.locator("#link")).to_be_hidden()
    expect(page.get_by_text("It is tied at 4–4. Play one more hand.")).to_be_visible()
    page.close()


def test_nothing_is_taken_back_from_an_empty_card(browser: Browser) -> None:
    event = drawn(build.club())
    page, _hall = opened(browser, event)
    expect(page.locator("#line")).to_be_visible()
    expect(page.locator("#back")).to_be_hidden()
    page.close()


# Without a connection -----------------------------------------------------------------------------


def visited(browser: Browser, live_server: LiveServer, event: Event) -> Page:
    """A phone that has been at the card of table 1 once, for north–south."""
    page = browser.new_context(viewport={"width": 390, "height": 844}).new_page()
    address = f"{live_server.url}{reverse('room_table', args=[table_of(event).code])}"
    page.goto(address)
    wait_until_kept(page)
    page.get_by_role("button", name="North–south").click()
    expect(page.locator("#line")).to_be_visible()
    return page


@pytest.mark.django_db(transaction=True)
def test_the_page_opens_without_a_connection(browser: Browser, live_server: LiveServer) -> None:
    event = drawn(build.club(), deals=4)
    page = visited(browser, live_server, event)
    page.context.set_offline(True)
    write(page, 0, "march")
    expect(page.locator("#link")).to_contain_text("Not sent yet: hand 1")
    page.reload()
    expect(page.locator('[data-total="0"]')).to_have_text("2")
    write(page, 1, "made")
    page.context.set_offline(False)
    expect(page.locator("#link")).to_be_hidden()
    assert card_of(event).points == (2, 1)
    assert match_of(event).score_lines.count() == 2
    page.context.close()


@pytest.mark.django_db(transaction=True)
def test_the_first_visit_is_kept(browser: Browser, live_server: LiveServer) -> None:
    event = drawn(build.club(), deals=4)
    page = browser.new_context().new_page()
    page.goto(f"{live_server.url}{reverse('room_table', args=[table_of(event).code])}")
    wait_until_kept(page)
    page.context.set_offline(True)
    page.reload()
    expect(page.get_by_role("button", name="North–south")).to_be_visible()
    page.context.close()


@pytest.mark.django_db(transaction=True)
def test_a_form_for_one_hand_is_not_kept_as_the_page(
    browser: Browser, live_server: LiveServer
) -> None:
    event = drawn(build.club(), deals=4)
    page = visited(browser, live_server, event)
    page.get_by_role("link", name="Write only the final score").click()
    page.wait_for_url("**?by=game")
    expect(page.locator('[name="points_0"]')).to_be_visible()
    page.context.set_offline(True)
    page.goto(page.url.split("?")[0])
    write(page, 0, "made")
    expect(page.locator("#link")).to_contain_text("Not sent yet: hand 1")
    page.context.close()


@pytest.mark.django_db(transaction=True)
def test_a_busy_or_broken_server_leaves_the_kept_page(
    browser: Browser, live_server: LiveServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    event = drawn(build.club(), deals=4)
    page = visited(browser, live_server, event)
    for status in (429, 503, 403):
        with monkeypatch.context() as broken:
            broken.setattr(
                views, "_page", lambda *_, status=status: HttpResponse("Not now.", status=status)
            )
            page.goto(page.url)
            if status == 403:
                expect(page.locator("#line")).to_have_count(0)
            else:
                write(page, 0, "made")
                expect(page.locator("#link")).to_contain_text("Not sent yet: hand 1")
        page.context.set_offline(True)
        page.goto(page.url)
        expect(page.locator("#line")).to_be_visible()
        page.context.set_offline(False)
    page.context.close()


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("status", [302, 404, 410])
def test_a_page_that_is_gone_is_not_kept(
    browser: Browser, live_server: LiveServer, monkeypatch: pytest.MonkeyPatch, status: int
) -> None:
    event = drawn(build.club(), deals=4)
    page = visited(browser, live_server, event)
    address = page.url
    headers = {"Location": "/"} if status == 302 else {}
    answer = HttpResponse("Not here.", status=status, headers=headers)
    monkeypatch.setattr(views, "page_or_part", lambda *_: answer)
    page.goto(address)
    expect(page.locator("#line")).to_have_count(0)
    page.context.set_offline(True)
    with pytest.raises(Error, match="ERR_FAILED"):
        page.goto(address)
    page.context.close()
