"""The card that a player shows at the door, and the page that a director's phone opens by it."""

import re

import pytest
from django.conf import settings
from django.urls import reverse
from django.utils import timezone
from playwright.sync_api import Browser, Page, expect
from pytest_django.live_server_helper import LiveServer

from games.models import Player
from tests.browser.checks import walk
from tests.factories import logged_in, member
from tests.tournaments import build
from tests.tournaments.build import MINUTE
from tournaments.entering import check_in_codes
from tournaments.models import Entry, Event

pytestmark = pytest.mark.django_db(transaction=True)


def phone(browser: Browser, server: LiveServer, who: Player) -> Page:
    page = browser.new_context(
        reduced_motion="reduce", has_touch=True, viewport={"width": 390, "height": 844}
    ).new_page()
    cookie = logged_in(who).cookies[settings.SESSION_COOKIE_NAME]
    page.context.add_cookies([{"name": cookie.key, "value": cookie.value, "url": server.url}])
    return page


def test_a_director_scans_a_card_and_the_card_says_so(
    browser: Browser, live_server: LiveServer
) -> None:
    starts = timezone.now() + 10 * MINUTE
    event = build.event(
        starts=starts, check_in_minutes=30, registration_closes=starts,
        registration_opens=starts - 60 * MINUTE, place=Event.Place.ROOM,
    )  # fmt: skip
    maeve, ada = member("Maeve"), build.director(event.club)
    (entry,) = build.let_in(event, [maeve])
    hers, scanning = (phone(browser, live_server, who) for who in (maeve, ada))
    hers.goto(f"{live_server.url}{reverse('check_in_card', args=[event.pk])}")
    expect(hers.get_by_role("img", name="QR code")).to_be_visible()
    walk([(hers.url, hers)])
    code = check_in_codes.code_of(entry)
    scanning.goto(f"{live_server.url}{reverse('check_in_by_code', args=[code])}")
    walk([(scanning.url, scanning)])
    scanning.get_by_role("button", name=re.compile("Check in ?: Maeve")).click()
    expect(scanning.get_by_role("button", name="Maeve is in")).to_be_visible()
    expect(hers.get_by_role("status")).to_contain_text("You are checked in", timeout=20_000)
    entry.refresh_from_db()
    assert entry.state == Entry.State.CHECKED_IN
    for page in (hers, scanning):
        page.context.close()
