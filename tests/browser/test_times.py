"""Times of a club, with its visitor's own beside them, by a real browser."""

from datetime import datetime, timedelta

import pytest
from django.test import Client
from playwright.sync_api import Browser, Page

from tests.browser.no_server import SITE, serve
from tests.factories import logged_in, member
from tests.tournaments import build

pytestmark = pytest.mark.django_db


def opened(browser: Browser, html: str, zone: str, locale: str) -> Page:
    """A page in a browser that is elsewhere."""
    page = browser.new_context(timezone_id=zone, locale=locale).new_page()
    serve(page, {"/": html})
    page.goto(SITE)
    page.wait_for_selector(".zone[data-shown]", state="attached")
    return page


DUBLIN, DETROIT = "Europe/Dublin", "America/Detroit"


@pytest.mark.parametrize(
    ("of", "zone", "locale", "words"),
    [
        (DUBLIN, DUBLIN, "en-IE", "Thursday 26 November, 19:30"),
        (DUBLIN, DUBLIN, "en-US", "Thursday 26 November, 19:30"),
        (DETROIT, DETROIT, "en-US", "Thursday 26 November, 7:30 pm"),
        (DETROIT, DETROIT, "de-DE", "Thursday 26 November, 7:30 pm"),
        (
            DUBLIN,
            "America/New_York",
            "en-US",
            "Thursday 26 November, 19:30 Dublin time (14:30 where you are)",
        ),
        (
            DETROIT,
            "Asia/Tokyo",
            "de-DE",
            "Thursday 26 November, 7:30 pm Detroit time (Fri 27 Nov, 9:30 am where you are)",
        ),
    ],
)
def test_an_event_starts_in_its_clubs_time_with_the_visitors_beside_it(
    browser: Browser, of: str, zone: str, locale: str, words: str
) -> None:
    club = build.club(time_zone=of)
    starts = datetime(2026, 11, 26, 19, 30, tzinfo=club.zone)
    event = build.event(
        club, starts=starts, registration_closes=starts, registration_opens=starts - timedelta(9)
    )
    html = Client().get(f"/events/{event.pk}/").text
    page = opened(browser, html, zone, locale)
    heading = page.locator("#starts-heading")
    assert heading.inner_text() == words
    # A part that is drawn again has the visitor's time again.
    page.evaluate("document.querySelector('#starts-heading .zone').textContent = 'anew'")
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
