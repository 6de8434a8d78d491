"""One address cannot fill the server with tables, nor with guests."""

import pytest
from django.contrib.sessions.models import Session
from django.core.cache import cache
from django.test import Client
from pytest_django.fixtures import Settings

from games.models import Player, Table
from games.people.addresses import address_of, full_address_of
from tests.factories import player, table

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _few(settings: Settings) -> None:
    cache.clear()
    settings.TABLES_IN_TEN_MINUTES = settings.GUESTS_IN_TEN_MINUTES = 2


def play_now(address: str, **headers: str) -> int:
    """The status of a visitor's "Play now" from an address."""
    client = Client(REMOTE_ADDR=address, headers=headers)
    return client.post("/play/now/", {"rules": "classic-24"}).status_code


def test_the_third_table_of_an_address_is_refused_and_others_are_not() -> None:
    assert [play_now("192.0.2.1") for _ in range(3)] == [303, 303, 429]
    assert play_now("192.0.2.2") == 303
    assert Table.objects.count() == 3


def test_a_forged_forwarded_address_is_ignored() -> None:
    claimed = [play_now("192.0.2.1", x_forwarded_for=f"198.51.100.{n}") for n in range(3)]
    assert claimed == [303, 303, 429]


def test_the_address_seen_by_a_trusted_proxy_counts(settings: Settings) -> None:
    settings.ALLAUTH_TRUSTED_PROXY_COUNT = 1
    seen = [play_now("192.0.2.9", x_forwarded_for=f"1.1.1.1, 198.51.100.{n}") for n in range(3)]
    assert seen == [303, 303, 303]


def test_ipv6_addresses_are_limited_by_network() -> None:
    assert [play_now(f"2001:db8:1:2::{n}") for n in range(3)] == [303, 303, 429]
    assert play_now("2001:db8:1:3::1") == 303


@pytest.mark.parametrize(
    ("peer", "whole", "counted"),
    [
        ("192.0.2.7", "192.0.2.7", "192.0.2.7"),
        ("::ffff:192.0.2.7", "192.0.2.7", "192.0.2.7"),
        ("2001:DB8:0:0:1::7", "2001:db8::1:0:0:7", "2001:db8::/64"),
        ("fe80::1%eth0", "fe80::1", "fe80::/64"),
        ("testclient", "testclient", "testclient"),
        ("", "", ""),
    ],
)
def test_rate_limit_key_of_an_address(peer: str, whole: str, counted: str) -> None:
    assert (full_address_of("", peer), address_of("", peer)) == (whole, counted)


def sit(at: Table, position: int, address: str = "192.0.2.1") -> int:
    """The status of a new visitor's asking for a seat."""
    client = Client(REMOTE_ADDR=address)
    return client.post(f"/tables/{at.pk}/sit", {"seat": position}).status_code


def test_a_refused_seat_creates_no_guest() -> None:
    at = table(player("Maeve"))
    people, sessions = Player.objects.count(), Session.objects.count()
    assert sit(at, 0) == 409
    assert (Player.objects.count(), Session.objects.count()) == (people, sessions)


def test_a_refused_visitor_can_take_another_seat() -> None:
    at, client = table(player("Maeve")), Client()
    assert client.post(f"/tables/{at.pk}/sit", {"seat": 0}).status_code == 409
    assert client.post(f"/tables/{at.pk}/sit", {"seat": 1}).status_code == 303
    assert client.get("/you/").context["me"] == at.seats.get(position=1).player


def test_new_guests_per_address_are_limited() -> None:
    at = table(player("Maeve"))
    client = Client(REMOTE_ADDR="192.0.2.1")
    assert client.post(f"/tables/{at.pk}/sit", {"seat": 1}).status_code == 303
    assert [sit(at, 2), sit(at, 3)] == [303, 429]
    assert client.post(f"/tables/{at.pk}/sit", {"seat": 3}).status_code == 303
    assert sit(table(player("Iris")), 2, "192.0.2.2") == 303
