"""The setting of a player's country."""

import pytest
from django.test import Client

from tests.factories import logged_in, member

pytestmark = pytest.mark.django_db


def test_a_player_can_set_and_clear_the_country() -> None:
    maeve = member()
    browser = logged_in(maeve)
    for country in ("IE", ""):
        browser.post("/you/name/", {"name": "Maeve", "country": country})
        maeve.refresh_from_db()
        assert maeve.country == country
        assert f'<option value="{country}" selected>' in browser.get("/you/name/").text


def test_an_unknown_country_is_refused() -> None:
    maeve = member()
    answer = logged_in(maeve).post("/you/name/", {"name": "Maeve", "country": "Narnia"})
    assert answer.status_code == 422
    assert "Choose one of the listed countries, or none." in answer.content.decode()
    maeve.refresh_from_db()
    assert maeve.country == ""


def test_a_visitor_cannot_set_a_country(client: Client) -> None:
    assert "/you/name/" not in client.get("/you/").content.decode()
    assert client.post("/you/name/", {"country": "IE"}).status_code == 302
