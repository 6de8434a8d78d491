"""Times of a club in its visitor's own zone and clock, by a real browser."""

from datetime import datetime, timedelta
from pathlib import Path

import pytest
from django.test import Client
from playwright.sync_api import Browser, Page, Route

from tests.factories import logged_in, member
from tests.tournaments import build

pytestmark = pytest.mark.django_db

STATIC = Path(__file__).parents[2] / "static"
SITE = "http://bower.test"


def opened(browser: Browser, html: str, zone: str, locale: str) -> Page:
    """A page in a browser that is elsewhere."""

    def answer(route: Route) -> None:
        path = route.request.url.removeprefix(SITE)
        file = STATIC / path.removeprefix("/static/")
        if path.startswith("/static/") and file.exists():
            route.fulfill(path=file)
        elif path == "/":
            route.fulfill(body=html, content_type="text/html; charset=utf-8")
        else:
            route.fulfill(status=204)

    page = browser.new_context(timezone_id=zone, locale=locale).new_page()
    page.route("**", answer)
    page.goto(SITE)
    page.wait_for_selector(".zone[data-shown]", state="attached")
    return page


@pytest.mark.parametrize(
    ("zone", "locale", "words"),
    [
        ("Europe/Dublin", "en-IE", "Thursday 26 November, 19:30"),
        ("Europe/Dublin", "en-US", "Thursday 26 November, 7:30 pm"),
        (
            "America/New_York",
            "en-US",
            "Thursday 26 November, 2:30 pm (7:30 pm Dublin time)",
        ),
        (
            "Asia/Tokyo",
            "de-DE",
            "Friday 27 November, 04:30 (Thu 26 Nov, 19:30 Dublin time)",
        ),
    ],
)
def test_an_event_starts_in_the_visitors_own_time(
    browser: Browser, zone: str, locale: str, words: str
) -> None:
    club = build.club(time_zone="Europe/Dublin")
    starts = datetime(2026, 11, 26, 19, 30, tzinfo=club.zone)
    event = build.event(
        club, starts=starts, registration_closes=starts, registration_opens=starts - timedelta(9)
    )
    html = Client().get(f"/events/{event.pk}/").text
    page = opened(browser, html, zone, locale)
    heading = page.locator("#starts-heading")
    assert heading.inner_text() == words
    # What is drawn anew, in the club's time, is shown in the visitor's again.
    page.evaluate("document.querySelector('#starts-heading time').textContent = 'anew'")
    page.wait_for_function(
        "words => document.querySelector('#starts-heading').innerText === words", arg=words
    )


@pytest.mark.parametrize("zone", ["America/Chicago", "Asia/Kolkata"])
def test_founder_is_offered_their_own_time_zone(browser: Browser, zone: str) -> None:
    html = logged_in(member("Greta")).get("/clubs/new/").text
    html = html.replace("</main>", '<span class="zone" data-shown></span></main>')
    page = opened(browser, html, zone, "en-US")
    page.wait_for_function("document.querySelector('select[name=time_zone]').value !== ''")
    assert page.locator("select[name=time_zone]").input_value() == zone
