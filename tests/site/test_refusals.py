"""Refusals are shown on the page of the form, with what was typed."""

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client, override_settings
from django.utils import timezone

from tests.factories import cast, logged_in, member, table
from tests.tournaments import build
from tests.tournaments.entering.test_entry_pages import upcoming
from tournaments.clubs import clubs
from tournaments.models import Club, Membership

pytestmark = pytest.mark.django_db

BARE = "That is not possible now"


def said(response: Any, status: int, words: str) -> str:
    """Check that a response is a full page with this status and message; return it."""
    text = str(response.text)
    assert response.status_code == status
    assert BARE not in text
    assert words in text
    return text


def test_a_refused_event_keeps_its_form() -> None:
    event = upcoming(capacity=8)
    ada = logged_in(build.director(event.club))
    response = ada.post(f"/events/{event.pk}/manage/house", {"count": 77})
    text = said(response, 422, "There are 8 free places, not 77.")
    assert 'name="count" value="77"' in text


def test_a_refused_join_request_keeps_its_message() -> None:
    club = build.club(joining=Club.Joining.APPROVAL)
    response = logged_in(member()).post(f"/clubs/{club.slug}/join", {"words": "x" * 201})
    text = said(response, 422, "Write at most 200 characters.")
    assert 'role="alert"' in text
    assert "x" * 201 in text


def test_a_refused_role_is_shown_at_the_member() -> None:
    club, maeve = build.club(), member()
    build.joined(club, maeve, Membership.Role.OWNER)
    response = logged_in(maeve).post(
        f"/clubs/{club.slug}/members/{maeve.pk}/role", {"role": "director"}
    )
    text = said(response, 409, "is the only owner of")
    assert '<option value="director" selected>' in " ".join(text.split())


def test_a_refusal_is_shown_on_the_page_of_the_form() -> None:
    event, maeve = upcoming(check_in_minutes=15), member()
    browser = logged_in(maeve)
    path = f"/events/{event.pk}/check-in"
    home = browser.post(path, headers={"Referer": "http://testserver/"})
    assert "Fancy a game?" in said(home, 409, "is not entered in this event")
    for elsewhere in ("http://example.org/", "http://testserver" + path, "http://testserver/no"):
        there = browser.post(path, headers={"Referer": elsewhere})
        assert f"<title>{event.name}" in said(there, 409, "is not entered in this event")


def test_a_script_gets_only_the_message() -> None:
    event = upcoming()
    response = logged_in(member()).post(
        f"/events/{event.pk}/check-in", headers={"HX-Request": "true"}
    )
    assert response["Content-Type"].startswith("text/plain")
    assert response.text == "Maeve is not entered in this event."


def test_without_the_page_the_message_is_shown_alone() -> None:
    club, maeve = build.club(), member()
    build.joined(club, maeve, Membership.Role.OWNER)
    browser = logged_in(maeve)
    upcoming(club)
    settings = said(browser.post(f"/clubs/{club.slug}/delete"), 409, "has announced events")
    assert "<h1>Settings</h1>" in settings


@override_settings(TABLES_IN_TEN_MINUTES=0)
def test_the_chosen_rule_set_stays_selected(client: Client) -> None:
    response = client.post("/play/now/", {"rules": "heads-up"})
    text = said(response, 429, "Many tables have been made")
    assert 'value="heads-up" checked' in text


@override_settings(TABLES_IN_TEN_MINUTES=0)
def test_a_refused_table_keeps_its_form(client: Client) -> None:
    fields = {"rules": "heads-up", "open": "no", "north": "me", "south": "free"}
    text = said(client.post("/tables/new/", fields), 429, "Many tables have been made")
    assert "<h1>New table</h1>" in text


def test_a_taken_seat_is_reported_at_the_table() -> None:
    maeve, ben, iris, _ = cast()
    made = table(maeve, ben)
    response = logged_in(iris).post(f"/tables/{made.pk}/sit", {"seat": "1"})
    text = said(response, 409, "")
    assert 'class="note bad"' in text
    assert 'id="room"' in text


def test_a_refused_announcement_keeps_its_text() -> None:
    club = build.club()
    ada = build.director(club)
    for number in range(clubs.MAX_A_DAY):
        clubs.announce(club, ada, f"{number}", "Words", timezone.now() - timedelta(hours=1))
    fields = {"subject": "One more", "text": "Bring biscuits."}
    response = logged_in(ada).post(f"/clubs/{club.slug}/announce/", fields)
    assert "Bring biscuits." in said(response, 429, "Nothing was sent.")
