"""One address cannot fill the server with tables."""

import pytest
from django.core.cache import cache
from django.test import Client
from pytest_django.fixtures import Settings

from games.models import Table

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _few(settings: Settings) -> None:
    cache.clear()
    settings.TABLES_IN_TEN_MINUTES = 2


def play_now(address: str, **headers: str) -> int:
    """The status of a visitor's "Play now" from an address."""
    client = Client(REMOTE_ADDR=address, headers=headers)
    return client.post("/play/now/", {"rules": "classic-24"}).status_code


def test_the_third_table_of_an_address_is_refused_and_others_are_not() -> None:
    assert [play_now("192.0.2.1") for _ in range(3)] == [303, 303, 429]
    assert play_now("192.0.2.2") == 303
    assert Table.objects.count() == 3


def test_an_address_that_is_only_claimed_does_not_count() -> None:
    claimed = [play_now("192.0.2.1", x_forwarded_for=f"198.51.100.{n}") for n in range(3)]
    assert claimed == [303, 303, 429]


def test_behind_a_proxy_the_address_it_saw_counts(settings: Settings) -> None:
    settings.ALLAUTH_TRUSTED_PROXY_COUNT = 1
    seen = [play_now("192.0.2.9", x_forwarded_for=f"1.1.1.1, 198.51.100.{n}") for n in range(3)]
    assert seen == [303, 303, 303]
