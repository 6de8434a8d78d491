"""Limits on the size and duration of request bodies."""

import asyncio
import json
from typing import Any

import pytest
from django.core.handlers.asgi import ASGIHandler
from pytest_django.fixtures import Settings

from euchre_site.guards import bodies
from euchre_site.guards.bodies import BodyLimit

LITTLE = 10  # bytes, in place of 64 KiB
FILE = 20


class App:
    """The app behind the limit: records what it receives, and answers 200."""

    def __init__(self) -> None:
        self.got: list[bytes] = []

    async def __call__(self, _scope: Any, receive: Any, send: Any) -> None:
        message = await receive()
        assert not message["more_body"]
        self.got.append(message["body"])
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"done"})


class Sender:
    """A client that sends pieces of a body, and then stalls or ends."""

    def __init__(self, *pieces: bytes, ends: bool = True) -> None:
        self.pieces = list(pieces)
        self.ends = ends
        self.taken = 0
        self.status = 0
        self.headers: dict[str, str] = {}
        self.body = b""
        self.complete = False

    async def receive(self) -> Any:
        if self.pieces:
            piece = self.pieces.pop(0)
            self.taken += len(piece)
            return {"type": "http.request", "body": piece, "more_body": True}
        if not self.ends:
            await asyncio.get_running_loop().create_future()
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(self, message: dict[str, Any]) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            self.headers = {name.decode(): value.decode() for name, value in message["headers"]}
        else:
            self.body += message["body"]
            self.complete = not message.get("more_body", False)


@pytest.fixture
def app(settings: Settings) -> App:
    settings.BODY_LIMIT, settings.FILE_LIMIT = LITTLE, FILE
    return App()


async def post(
    app: App,
    sender: Sender,
    path: str = "/you/name/",
    limit: BodyLimit | None = None,
    client: str = "192.0.2.7",
    **headers: str,
) -> Sender:
    """Send it through the limit, with Django to answer what is refused."""
    sent = {"host": "localhost", "transfer-encoding": "chunked"} | {
        name.replace("_", "-"): value for name, value in headers.items()
    }
    scope = {
        "type": "http", "method": "POST", "path": path, "query_string": b"",
        "headers": [(name.encode(), value.encode()) for name, value in sent.items() if value],
        "client": (client, 50000),
    }  # fmt: skip
    limit = limit or BodyLimit(app, ASGIHandler(), idle=0.05, whole=0.2)
    await asyncio.wait_for(limit(scope, sender.receive, sender.send), 30)
    return sender


@pytest.mark.parametrize("length", [0, 1, LITTLE])
async def test_a_body_within_the_limit_is_passed_on(app: App, length: int) -> None:
    sender = await post(app, Sender(*[b"x"] * length))
    assert (sender.status, app.got) == (200, [b"x" * length])


async def test_a_body_that_becomes_too_large_is_refused(app: App) -> None:
    sender = await post(app, Sender(*[b"x" * 4] * 3))
    assert (sender.status, app.got) == (413, [])
    assert "text/html" in sender.headers["Content-Type"]
    assert "Nothing was saved" in sender.body.decode()
    assert sender.headers["connection"] == "close"
    assert "Content-Security-Policy" in sender.headers
    assert sender.complete


async def test_a_large_content_length_is_refused_before_reading(
    app: App, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bodies, "LINGER_BYTES", 0)
    sender = Sender(b"x" * 4)
    await post(app, sender, transfer_encoding="", content_length=str(LITTLE + 1))
    assert (sender.status, sender.taken, app.got) == (413, 0, [])


async def test_little_of_a_refused_body_is_read(app: App, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bodies, "LINGER_BYTES", 100)
    sender = await post(app, Sender(*[b"x" * 4] * 1_000))
    assert sender.taken <= LITTLE + 4 + 100 + 4
    assert sender.complete


async def test_uploads_have_a_higher_limit(app: App) -> None:
    assert (await post(app, Sender(b"x" * FILE), "/replay/")).status == 200
    assert (await post(app, Sender(b"x" * FILE))).status == 413
    assert (await post(app, Sender(b"x" * FILE, b"x"), "/replay/")).status == 413


async def test_the_api_answers_with_a_problem(app: App) -> None:
    sender = await post(app, Sender(b"x" * 11), "/api/tables")
    assert sender.headers["Content-Type"] == "application/problem+json"
    told = json.loads(sender.body)
    assert (told["status"], told["code"]) == (413, "too large")


async def test_a_script_gets_plain_text(app: App) -> None:
    sender = await post(app, Sender(b"x" * 11), hx_request="true")
    assert sender.headers["Content-Type"] == "text/plain"
    assert sender.body.startswith(b"At most ")


async def test_a_stalled_body_times_out(app: App) -> None:
    sender = await post(app, Sender(b"x", ends=False))
    assert (sender.status, app.got) == (408, [])
    assert sender.headers["connection"] == "close"


async def test_a_slow_body_times_out(app: App) -> None:
    class Slow(Sender):
        async def receive(self) -> Any:
            await asyncio.sleep(0.03)  # less than the wait for each piece
            return {"type": "http.request", "body": b"", "more_body": True}

    assert (await post(app, Slow())).status == 408


async def test_a_disconnected_client_gets_no_answer(app: App) -> None:
    class Gone(Sender):
        async def receive(self) -> Any:
            return {"type": "http.disconnect"}

    sender = await post(app, Gone())
    assert (sender.status, app.got) == (0, [])


async def test_the_number_of_concurrent_uploads_is_limited(
    app: App, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bodies, "FILES_AT_ONCE", 0)
    sender = await post(app, Sender(b"x"), "/replay/")
    assert (sender.status, sender.headers["Retry-After"]) == (503, "60")
    assert (await post(app, Sender(b"x"))).status == 200


async def test_concurrent_uploads_of_one_address_are_limited(app: App) -> None:
    limit = BodyLimit(app, ASGIHandler(), idle=30, whole=30)
    slow = [Sender(b"x", ends=False) for _ in range(bodies.FILES_OF_ADDRESS)]
    sending = [asyncio.create_task(post(app, one, "/replay/", limit)) for one in slow]
    while not all(one.taken for one in slow):  # noqa: ASYNC110 - it says nothing when it begins
        await asyncio.sleep(0)
    assert (await post(app, Sender(b"x"), "/replay/", limit)).status == 503
    assert (await post(app, Sender(b"x"), "/replay/", limit, client="192.0.2.8")).status == 200
    for one in sending:
        one.cancel()
    await asyncio.gather(*sending, return_exceptions=True)
    assert (await post(app, Sender(b"x"), "/replay/", limit)).status == 200
    assert not limit.files


async def test_the_limits_match_djangos(settings: Settings) -> None:
    assert settings.BODY_LIMIT == 65_536
    assert settings.FILE_LIMIT == settings.FILE_UPLOAD_MAX_MEMORY_SIZE == 2_097_152
    assert settings.DATA_UPLOAD_MAX_MEMORY_SIZE == settings.FILE_LIMIT  # a pasted file
