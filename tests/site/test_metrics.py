"""Metrics: what is counted and measured, where it is served, and what it never contains."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

import httpx
import pytest
from django.core.exceptions import ImproperlyConfigured
from django.db import OperationalError
from django.test import AsyncClient, Client
from django.utils import timezone
from prometheus_client import CollectorRegistry
from structlog.testing import capture_logs

from euchre_site.environment import Variables
from euchre_site.guards.origins import OriginValidator
from euchre_site.guards.waiting_room import FairLimiter
from euchre_site.monitoring import collector, metrics_server
from games.models import PushDevice, PushMessage
from games.sockets import heartbeats
from tests.counted import value
from tests.factories import member
from tournaments.models import Letter
from tournaments.outbox import pushes

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def _collected() -> None:
    metrics_server.register_collectors()


def test_requests_are_counted_by_url_name() -> None:
    assert Client().get("/").status_code == 200
    assert Client().get("/nowhere/").status_code == 404
    home = value("bower_requests_total", route="home", status="2xx")
    nowhere = value("bower_requests_total", route="none", status="4xx")
    assert Client().get("/").status_code == 200
    for word in ("wp-login.php", "Maeve", "JH"):
        Client().get(f"/{word}/")
    assert value("bower_requests_total", route="home", status="2xx") == home + 1
    assert value("bower_requests_total", route="none", status="4xx") == nowhere + 3


async def test_async_requests_are_counted_too() -> None:
    assert (await AsyncClient().get("/robots.txt")).status_code == 200
    before = value("bower_requests_total", route="robots", status="2xx")
    turns = value("bower_page_turns", state="taken")
    assert (await AsyncClient().get("/robots.txt")).status_code == 200
    assert value("bower_requests_total", route="robots", status="2xx") == before + 1
    assert value("bower_page_turns", state="taken") == turns


async def take_a_turn(turns: FairLimiter) -> None:
    async with turns.turn():
        pass


async def test_waiting_requests_are_measured() -> None:
    turns = FairLimiter(1)
    before = value("bower_page_turns", state="waiting")
    waited = value("bower_turn_wait_seconds_count")
    async with turns.turn():
        second = asyncio.create_task(take_a_turn(turns))
        await asyncio.sleep(0)
        assert value("bower_page_turns", state="waiting") == before + 1
    await second
    assert value("bower_page_turns", state="waiting") == before
    assert value("bower_turn_wait_seconds_count") == waited + 1


async def test_a_socket_of_another_site_is_counted() -> None:
    before = value("bower_connections_refused_total", reason="origin")

    async def send(_message: object) -> None:
        """Take the refusal."""

    scope = {"scheme": "ws", "headers": [(b"origin", b"https://evil.example"), (b"host", b"x")]}
    await OriginValidator(None)(scope, None, send)  # type: ignore[arg-type]
    assert value("bower_connections_refused_total", reason="origin") == before + 1


def fresh() -> CollectorRegistry:
    """Collectors without stored values."""
    own = CollectorRegistry()
    own.register(collector.SiteCollector())
    return own


def test_queue_length_and_age() -> None:
    now = timezone.now()
    user = member().user
    assert user is not None
    due = now - timedelta(minutes=10)
    Letter.objects.create(key="x", user=user, subject="x", text="x", due=due)
    heartbeats.beat("ticks", now - timedelta(minutes=5))
    own = fresh()
    assert own.get_sample_value("bower_due", {"queue": "letters"}) == 1
    age = own.get_sample_value("bower_due_age_seconds", {"queue": "letters"})
    assert age is not None
    assert age >= 600
    assert (own.get_sample_value("bower_part_age_seconds", {"part": "ticks"}) or 0) >= 300
    assert own.get_sample_value("bower_due_age_seconds", {"queue": "tables"}) == 0


def test_pushes_are_due_while_they_are_of_use() -> None:
    now = timezone.now()
    device = PushDevice.objects.create(player=member(), endpoint="https://push.example/1")
    for key, until in (("one", now + timedelta(hours=1)), ("two", now)):
        PushMessage.objects.create(key=key, device=device, due=now, until=until)
    assert fresh().get_sample_value("bower_due", {"queue": "pushes"}) == 1


def test_other_metrics_without_a_database(monkeypatch: pytest.MonkeyPatch) -> None:
    def away(_now: datetime) -> Any:
        raise OperationalError("connection refused")

    monkeypatch.setattr(pushes, "waiting", away)
    own = fresh()
    assert own.get_sample_value("bower_database_answers") == 0
    assert own.get_sample_value("bower_sockets", {"page": "table"}) is not None
    assert own.get_sample_value("bower_due", {"queue": "letters"}) is None


def test_concurrent_scrapes_share_one_query(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []
    waiting = pushes.waiting

    def count(now: datetime) -> Any:
        asked.append(1)
        return waiting(now)

    monkeypatch.setattr(pushes, "waiting", count)
    one = collector.SiteCollector()
    for _scrape in range(60):
        list(one.collect())
    assert len(asked) == 1


# Where they are told --------------------------------------------------------------------------


@pytest.fixture
def taken() -> Iterator[int]:
    """A port in use, followed by a free one."""
    while True:
        with socket.create_server(("127.0.0.1", 0)) as listener:
            port = listener.getsockname()[1]
            try:
                socket.create_server(("127.0.0.1", port + 1)).close()
            except OSError:
                continue
            yield port
            return


@pytest.fixture(autouse=True)
def _stopped() -> Iterator[None]:
    yield
    metrics_server.stop()


def test_each_process_takes_the_first_free_port(settings: Any, taken: int) -> None:
    settings.METRICS_ADDRESS = ("127.0.0.1", range(taken, taken + 2))
    assert metrics_server.serve() == taken + 1
    assert metrics_server.serve() is None  # the worker of the same process
    answer = httpx.get(f"http://127.0.0.1:{taken + 1}/metrics", timeout=60)
    assert answer.status_code == 200
    assert "# TYPE bower_action_seconds histogram" in answer.text


def test_without_a_free_port_the_process_continues(settings: Any, taken: int) -> None:
    settings.METRICS_ADDRESS = ("127.0.0.1", range(taken, taken + 1))
    with capture_logs() as lines:
        assert metrics_server.serve() is None
    assert [(line["event"], line["port"]) for line in lines] == [("metrics not served", taken)]


def test_metrics_are_disabled_by_default(settings: Any) -> None:
    assert settings.METRICS_ADDRESS is None
    assert metrics_server.serve() is None


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("", None),
        ("127.0.0.1:9100", ("127.0.0.1", range(9100, 9101))),
        ("10.0.0.7:9100-9109", ("10.0.0.7", range(9100, 9110))),
        ("[::1]:9100", ("::1", range(9100, 9101))),
    ],
)
def test_valid_addresses(monkeypatch: pytest.MonkeyPatch, text: str, address: object) -> None:
    monkeypatch.setenv("METRICS_ADDRESS", text)
    env = Variables()
    assert env.ports("METRICS_ADDRESS") == address
    env.refuse()


@pytest.mark.parametrize("text", ["9100", "here", "here:", "here:0", "here:70000", "here:9-8"])
def test_invalid_addresses_are_refused(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setenv("METRICS_ADDRESS", text)
    env = Variables()
    assert env.ports("METRICS_ADDRESS") is None
    with pytest.raises(ImproperlyConfigured, match=f"METRICS_ADDRESS is '{text}'"):
        env.refuse()
