"""Health and readiness probes."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from collections.abc import AsyncIterator, Iterator
from datetime import timedelta
from typing import Any

import httpx
import pytest
from asgiref.sync import sync_to_async
from django.db import OperationalError, connection
from django.db.migrations.recorder import MigrationRecorder
from django.utils import timezone

from euchre_site import shutdown
from euchre_site.asgi import application
from euchre_site.health import readiness
from euchre_site.health.probes import Probes
from euchre_site.monitoring import metrics_server
from games.live import thinking
from games.sockets import heartbeats
from games.sockets.heartbeats import LATE_AFTER, PARTS

pytestmark = pytest.mark.django_db(transaction=True)

#: Nobody listens there.
NO_REDIS = "redis://127.0.0.1:1/0"
#: All that readiness ever says.
WORDS = {
    "ready", "degraded", "not ready", "fine", "late", "never", "away", "not writable", "missing",
    "unknown", "not used", "ending", "failing",
}  # fmt: skip


@pytest.fixture(autouse=True)
def _no_cached_result(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(shutdown._State, "begun", False)
    readiness.forget()
    yield
    readiness.forget()


@pytest.fixture
async def asked() -> AsyncIterator[httpx.AsyncClient]:
    """A client as probes use it: by IP address, which is no host name of the site."""
    site: Any = application
    transport = httpx.ASGITransport(app=site)
    async with httpx.AsyncClient(transport=transport, base_url="http://10.0.0.7:8000") as client:
        yield client


@pytest.fixture(autouse=True)
def _started_an_hour_ago(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(readiness, "STARTED", time.monotonic() - 3600)


async def alive(**late: timedelta) -> None:
    """Write heartbeats of all parts, some of them this late."""
    now = timezone.now()
    for part in PARTS:
        await sync_to_async(heartbeats.beat)(part, now - late.get(part, timedelta()))


async def told(asked: httpx.AsyncClient, path: str) -> tuple[int, str, dict[str, str]]:
    """Return the status and the internal state and parts; check what the public gets."""
    answer = await asked.get(path)
    look = readiness.of_site if path == "/readyz" else readiness.of_process
    state, parts = await look()
    assert {state, *parts.values()} <= WORDS
    public = "ready" if answer.status_code == 200 else "not ready"
    assert answer.json() == {"state": public}
    assert (answer.status_code == 503) == (state == "not ready")
    return answer.status_code, str(state), dict(parts)


async def test_healthz_makes_no_queries(asked: httpx.AsyncClient, settings: Any) -> None:
    settings.SECURE_SSL_REDIRECT = True
    answer = await asked.get("/healthz")
    assert (answer.status_code, answer.text) == (200, "ok\n")
    assert answer.headers["Cache-Control"] == "no-store"


async def test_a_running_site_is_ready(asked: httpx.AsyncClient, settings: Any) -> None:
    settings.SECURE_SSL_REDIRECT = True
    await alive()
    status, state, parts = await told(asked, "/readyz")
    assert (status, state) == (200, "ready")
    assert parts == dict.fromkeys(("process", "database", "migrations", *PARTS), "fine") | {
        "house": "not used", "redis": "not used",
    }  # fmt: skip
    assert await sync_to_async(heartbeats.last)(readiness.ROW) is not None


@pytest.mark.parametrize("part", ["ticks", "schedule"])
async def test_the_process_does_not_need_schedule_and_workers(
    asked: httpx.AsyncClient, part: str
) -> None:
    await alive(**{part: 2 * LATE_AFTER})
    status, state, parts = await told(asked, "/readyz")
    assert (status, state, parts[part]) == (503, "not ready", "late")
    assert (await told(asked, "/readyz/web"))[:2] == (200, "degraded")


async def test_heartbeats_before_the_start_do_not_count(
    asked: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(readiness, "STARTED", time.monotonic())
    await alive(ticks=timedelta(seconds=20))
    status, state, parts = await told(asked, "/readyz")
    assert (status, state, parts["ticks"]) == (503, "not ready", "late")
    monkeypatch.setattr(readiness, "STARTED", time.monotonic() - 25)
    readiness.forget()
    await alive(ticks=timedelta(seconds=20))
    assert (await told(asked, "/readyz"))[:2] == (200, "ready")


async def test_a_late_worker_for_long_tasks_degrades(asked: httpx.AsyncClient) -> None:
    await alive(work=2 * LATE_AFTER)
    assert (await told(asked, "/readyz"))[:2] == (200, "degraded")


async def test_the_site_is_degraded_without_redis(asked: httpx.AsyncClient, settings: Any) -> None:
    settings.REDIS_URL = NO_REDIS
    await alive(ticks=2 * LATE_AFTER, schedule=2 * LATE_AFTER)  # they wait for it
    status, state, parts = await told(asked, "/readyz")
    assert (status, state, parts["redis"]) == (200, "degraded", "away")


async def test_house_players_without_their_process_degrade_a_site(
    asked: httpx.AsyncClient, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.HOUSE_PROCESSES = 1
    await alive()
    status, state, parts = await told(asked, "/readyz")
    assert (status, state, parts["house"]) == (200, "ready", "fine")
    monkeypatch.setattr(thinking.pool, "why_failing", "ended")
    status, state, parts = await told(asked, "/readyz")
    assert (status, state, parts["house"]) == (200, "degraded", "failing")


async def test_only_the_metrics_address_shows_parts(settings: Any) -> None:
    settings.REDIS_URL = NO_REDIS
    await alive(work=2 * LATE_AFTER, ticks=2 * LATE_AFTER)
    said: list[str] = []
    app = metrics_server.with_readiness(lambda _environ, _start: [b"counted"])
    for path in ("/readyz", "/readyz/web", "/metrics"):
        answer = app({"PATH_INFO": path}, lambda status, _headers: said.append(status))
        said.append(b"".join(answer).decode())
    assert [said[0], said[2], said[4]] == ["200 OK", "200 OK", "counted"]
    for body in (said[1], said[3]):
        ready = json.loads(body)
        assert ready["state"] == "degraded"
        assert (ready["parts"]["redis"], ready["parts"]["work"]) == ("away", "late")


def refuse(*_args: object) -> Any:
    raise OperationalError("connection refused at db.internal:5432 for user bower")


async def test_not_ready_without_a_database(
    asked: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(heartbeats, "health", refuse)
    for path in ("/readyz", "/readyz/web"):
        status, state, parts = await told(asked, path)
        assert (status, state, parts["database"], parts["ticks"]) == (
            503, "not ready", "away", "unknown",
        )  # fmt: skip
        assert "db.internal" not in str(parts)
    assert (await asked.get("/healthz")).status_code == 200


async def test_not_ready_with_a_read_only_database(
    asked: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    await alive()
    monkeypatch.setattr(heartbeats, "beat", refuse)
    status, _, parts = await told(asked, "/readyz/web")
    assert (status, parts["database"], parts["migrations"]) == (503, "not writable", "fine")


async def test_not_ready_with_missing_migrations(asked: httpx.AsyncClient) -> None:
    await alive()
    ours = MigrationRecorder(connection).migration_qs.filter(app="games")
    applied = [one async for one in ours]
    await ours.adelete()
    try:
        status, _, parts = await told(asked, "/readyz")
    finally:
        await ours.abulk_create(applied)  # no test's end restores them
    assert (status, parts["migrations"]) == (503, "missing")


async def test_a_hanging_database_is_queried_once(
    asked: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    await alive()
    assert (await told(asked, "/readyz"))[0] == 200
    goes_on, hung = threading.Event(), []

    def hang(*_args: object) -> Any:
        hung.append(1)
        goes_on.wait(60)
        raise OperationalError

    monkeypatch.setattr(heartbeats, "health", hang)
    monkeypatch.setattr(readiness, "TIMEOUT", 0.05)
    monkeypatch.setattr(readiness, "MAX_AGE", 0.0)
    try:
        await asked.get("/readyz")  # what was seen last may be told a moment longer
        await asyncio.sleep(0.06)
        answers = await asyncio.gather(*(asked.get("/readyz") for _ in range(60)))
    finally:
        goes_on.set()
    assert {answer.status_code for answer in answers} == {503}
    assert len(hung) == 1
    running = readiness._Last.running
    assert running is not None
    await running


async def test_sixty_requests_share_one_check(
    asked: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    await alive()
    written: list[str] = []
    beat = heartbeats.beat

    def count(name: str, now: Any) -> None:
        written.append(name)
        beat(name, now)

    monkeypatch.setattr(heartbeats, "beat", count)
    answers = await asyncio.gather(*(asked.get("/readyz") for _ in range(60)))
    assert {answer.status_code for answer in answers} == {200}
    assert written == [readiness.ROW]


async def test_a_stopping_process_is_not_ready(
    asked: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shutdown._State, "begun", True)
    monkeypatch.setattr(heartbeats, "health", refuse)
    for path in ("/readyz", "/readyz/web"):
        status, state, parts = await told(asked, path)
        assert (status, state, parts["process"]) == (503, "not ready", "ending")
    assert (await asked.get("/healthz")).status_code == 200


async def test_probes_come_before_all_middleware() -> None:
    async def guarded(*_message: object) -> Any:
        raise AssertionError("a probe has come to the guards")

    probes = Probes(guarded)
    sent: list[Any] = []

    async def send(message: Any) -> None:
        sent.append(message)

    for method, status, body in [("HEAD", 200, b""), ("POST", 405, b"Ask with GET or HEAD.\n")]:
        sent.clear()
        scope = {"type": "http", "method": method, "path": "/healthz", "headers": []}
        await probes(scope, guarded, send)
        assert (sent[0]["status"], sent[1]["body"]) == (status, body)


async def test_metrics_are_not_on_the_public_site(asked: httpx.AsyncClient, settings: Any) -> None:
    settings.ALLOWED_HOSTS = ["*"]
    assert (await asked.get("/metrics")).status_code == 404
