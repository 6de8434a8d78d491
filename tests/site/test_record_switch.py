"""The setting that hides a player's record."""

import pytest
from django.test import Client

from tests.factories import logged_in, member

pytestmark = pytest.mark.django_db


def test_a_record_can_be_hidden_and_shown_again() -> None:
    maeve = member()
    browser = logged_in(maeve)
    for choice, private in (("me", True), ("everybody", False)):
        browser.post("/you/record/", {"record": choice})
        maeve.refresh_from_db()
        assert maeve.private is private
        chosen = browser.get("/you/record/").text.split(f'value="{choice}"')[1].split(">")[0]
        assert "checked" in chosen


def test_an_invalid_choice_is_refused() -> None:
    maeve = member()
    answer = logged_in(maeve).post("/you/record/", {"record": "Otto"})
    assert answer.status_code == 422
    assert "Choose “everybody” or “me”, not “Otto”." in answer.content.decode()
    maeve.refresh_from_db()
    assert not maeve.private


def test_a_visitor_has_no_record(client: Client) -> None:
    assert "/you/record/" not in client.get("/you/").content.decode()
    assert client.post("/you/record/", {"record": "me"}).status_code == 302
