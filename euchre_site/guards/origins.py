"""Sockets only for this site's own pages, compared by scheme, host and port.

Channels' AllowedHostsOriginValidator compares only the host, so a page on another port or without
TLS on the same host would pass.
"""

from typing import Any
from urllib.parse import urlsplit

from asgiref.typing import ASGIReceiveCallable, ASGISendCallable
from django.conf import settings
from django.http.request import split_domain_port, validate_host

from games.sockets import metrics

Origin = tuple[str, str, int]
PORTS = {"http": 80, "https": 443, "ws": 80, "wss": 443}
PAGE_SCHEME = {"ws": "http", "wss": "https"}


class OriginValidator:
    """ASGI middleware that refuses sockets opened by pages of other sites."""

    def __init__(self, app: Any) -> None:
        self.app = app

    async def __call__(
        self, scope: Any, receive: ASGIReceiveCallable, send: ASGISendCallable
    ) -> None:
        if allowed(scope):
            await self.app(scope, receive, send)
        else:
            metrics.refuse("origin")
            await send({"type": "websocket.close", "code": 1008, "reason": "Another site"})


def allowed(scope: Any) -> bool:
    """Return whether the Origin of a socket is this site or a trusted one.

    Clients other than browsers send no Origin; they cannot carry a victim's cookie and may pass.
    """
    headers = dict(scope["headers"])
    if b"origin" not in headers:
        return True
    origin = parse(headers[b"origin"].decode("latin-1"))
    if origin is None:
        return False
    trusted = map(parse, settings.CSRF_TRUSTED_ORIGINS)
    return origin == own(scope, headers) or origin in trusted


def own(scope: Any, headers: dict[bytes, bytes]) -> Origin | None:
    host = headers.get(b"host", b"").decode("latin-1")
    hosts = settings.ALLOWED_HOSTS
    if settings.DEBUG and not hosts:
        hosts = ["localhost", "127.0.0.1", "[::1]"]
    domain, _port = split_domain_port(host)
    if not (domain and validate_host(domain, hosts)):
        return None
    scheme = PAGE_SCHEME.get(scope["scheme"], scope["scheme"])
    if settings.SECURE_PROXY_SSL_HEADER is not None:
        name, value = settings.SECURE_PROXY_SSL_HEADER
        header = headers.get(name.removeprefix("HTTP_").replace("_", "-").lower().encode(), b"")
        if header.decode("latin-1").split(",")[0].strip() == value:
            scheme = "https"
    return parse(f"{scheme}://{host}")


def parse(text: str) -> Origin | None:
    try:
        parts = urlsplit(text)
        port = parts.port or PORTS[parts.scheme]
    except (KeyError, ValueError):
        return None
    return (parts.scheme, parts.hostname, port) if parts.hostname else None
