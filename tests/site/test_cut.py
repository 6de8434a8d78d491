"""The settings of cutting the pack and of the order of dealing."""

import re

import pytest
from django.test import Client

from games.models import Player

pytestmark = pytest.mark.django_db


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


def test_an_invalid_choice_is_refused(client: Client, guest: Player) -> None:
    assert client.post("/you/table/", {"cut": "Otto"}).status_code == 422
    guest.refresh_from_db()
    assert guest.cut_for_me


def test_a_visitor_has_no_such_settings(client: Client) -> None:
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
