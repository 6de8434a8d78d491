"""Settings of a player: country, cutting, order of dealing, and who sees the record."""

import re

import pytest
from django.test import Client

from games.models import Player
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


def test_the_flag_is_shown_beside_the_name_of_the_country() -> None:
    maeve = member()
    browser = logged_in(maeve)
    assert "\N{REGIONAL INDICATOR SYMBOL LETTER I}" not in browser.get(f"/players/{maeve.pk}/").text
    browser.post("/you/name/", {"name": "Maeve", "country": "IE"})
    flag = "\N{REGIONAL INDICATOR SYMBOL LETTER I}\N{REGIONAL INDICATOR SYMBOL LETTER E}"
    page = browser.get(f"/players/{maeve.pk}/").text
    assert f'<span aria-hidden="true">{flag}</span> Ireland' in page


def test_a_visitor_cannot_set_a_country(client: Client) -> None:
    assert "/you/name/" not in client.get("/you/").content.decode()
    assert client.post("/you/name/", {"country": "IE"}).status_code == 302


@pytest.fixture
def guest(client: Client) -> Player:
    """The player of a visitor who has just begun to play."""
    client.post("/play/now/", {"rules": "joker-33"})
    return Player.objects.get(kind=Player.Kind.PERSON)


def test_the_pack_is_cut_automatically_by_default(guest: Player) -> None:
    assert guest.cut_for_me


def test_a_player_can_choose_to_cut(client: Client, guest: Player) -> None:
    for choice, for_me in (("me", False), ("table", True)):
        client.post("/you/table/", {"cut": choice})
        guest.refresh_from_db()
        assert guest.cut_for_me is for_me
        shown = client.get("/you/table/").content.decode()
        assert re.search(rf'name="cut" value="{choice}" id="id_cut_\d" checked', shown)


def test_an_invalid_choice_of_cutting_is_refused(client: Client, guest: Player) -> None:
    assert client.post("/you/table/", {"cut": "Otto"}).status_code == 422
    guest.refresh_from_db()
    assert guest.cut_for_me


def test_a_visitor_has_no_settings_of_play(client: Client) -> None:
    page = client.get("/you/table/").content.decode()
    assert 'name="speed"' in page
    assert 'name="cut"' not in page
    assert client.post("/you/table/", {"cut": "me"}).status_code == 422


def test_a_player_can_choose_the_order_of_dealing(client: Client, guest: Player) -> None:
    for choice, reverse in (("reverse", True), ("usual", False)):
        client.post("/you/table/", {"cut": "table", "packets": choice})
        guest.refresh_from_db()
        assert guest.reverses_packets is reverse
    client.post("/you/table/", {"cut": "me", "packets": "reverse"})
    client.post("/you/table/", {"cut": "me"})
    guest.refresh_from_db()
    assert guest.reverses_packets


def test_a_record_can_be_hidden_and_shown_again() -> None:
    maeve = member()
    browser = logged_in(maeve)
    for choice, private in (("me", True), ("everybody", False)):
        browser.post("/you/record/", {"record": choice})
        maeve.refresh_from_db()
        assert maeve.private is private
        chosen = browser.get("/you/record/").text.split(f'value="{choice}"')[1].split(">")[0]
        assert "checked" in chosen


def test_an_invalid_choice_of_record_is_refused() -> None:
    maeve = member()
    answer = logged_in(maeve).post("/you/record/", {"record": "Otto"})
    assert answer.status_code == 422
    assert "Choose “everybody” or “me”, not “Otto”." in answer.content.decode()
    maeve.refresh_from_db()
    assert not maeve.private


def test_a_visitor_has_no_record(client: Client) -> None:
    assert "/you/record/" not in client.get("/you/").content.decode()
    assert client.post("/you/record/", {"record": "me"}).status_code == 302
