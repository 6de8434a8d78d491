"""Only this site's own pages can open a socket."""

from typing import Any

import pytest
from pytest_django.fixtures import Settings

from euchre_site.guards.origins import OriginValidator, allowed


def opened(origin: str | None, host: str = "localhost:8000", **scope: Any) -> dict[str, Any]:
    headers = [(b"host", host.encode())]
    if origin is not None:
        headers.append((b"origin", origin.encode("latin-1")))
    headers += scope.pop("more", [])
    return {"type": "websocket", "scheme": "ws", "path": "/", "headers": headers} | scope


@pytest.mark.parametrize(
    ("origin", "host", "scheme"),
    [
        ("http://localhost:8000", "localhost:8000", "ws"),
        ("http://localhost", "localhost:80", "ws"),
        ("http://LOCALHOST:8000", "localhost:8000", "ws"),
        ("https://localhost", "localhost", "wss"),
        ("http://[::1]:8000", "[::1]:8000", "ws"),
        (None, "localhost:8000", "ws"),
    ],
)
def test_own_pages_are_allowed(origin: str | None, host: str, scheme: str) -> None:
    assert allowed(opened(origin, host, scheme=scheme))


@pytest.mark.parametrize(
    "origin",
    [
        "http://localhost:8001",  # another port on the same host
        "https://localhost:8000",  # another scheme
        "http://127.0.0.1:8000",  # another host, though ours as well
        "http://localhost.example.org:8000",
        "https://example.org",
        "null",
        "",
        "http://",
        "http://localhost:99999",
        "http://localhost:port",
        "file:///etc/passwd",
    ],
)
def test_other_pages_are_refused(origin: str) -> None:
    assert not allowed(opened(origin))


def test_an_unknown_host_is_refused() -> None:
    assert not allowed(opened("http://evil.example:8000", "evil.example:8000"))


def test_a_trusted_origin_is_allowed(settings: Settings) -> None:
    settings.CSRF_TRUSTED_ORIGINS = ["https://bower.example"]
    assert allowed(opened("https://bower.example"))
    assert not allowed(opened("http://bower.example"))


def test_a_trusted_proxys_scheme_counts(settings: Settings) -> None:
    settings.SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    by_tls = [(b"x-forwarded-proto", b"https")]
    assert allowed(opened("https://localhost", "localhost", more=by_tls))
    assert not allowed(opened("http://localhost", "localhost", more=by_tls))


def test_an_untrusted_proxys_scheme_does_not_count() -> None:
    claimed = [(b"x-forwarded-proto", b"https")]
    assert not allowed(opened("https://localhost", "localhost", more=claimed))


async def answers(origin: str) -> list[str]:
    sent: list[str] = []

    async def accept(_scope: Any, _receive: Any, send: Any) -> None:
        await send({"type": "websocket.accept"})

    async def receive() -> Any:
        return {"type": "websocket.connect"}

    async def send(message: Any) -> None:
        sent.append(message["type"])

    await OriginValidator(accept)(opened(origin), receive, send)
    return sent


async def test_a_refused_socket_is_closed_before_it_opens() -> None:
    assert await answers("https://example.org") == ["websocket.close"]
    assert await answers("http://localhost:8000") == ["websocket.accept"]
