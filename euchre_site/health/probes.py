"""`/healthz` and `/readyz`, answered before any middleware.

A probe uses the process's address as its host and no TLS, and must not queue behind page requests:
host checks, redirects and turns are for people. Anybody may ask, so the answer only says whether
the site is ready; the state of each part is on the metrics address.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from typing import Any, Final

from euchre_site.health import readiness
from euchre_site.health.readiness import Readiness, State

TEXT: Final = b"text/plain; charset=utf-8"
JSON: Final = b"application/json"


async def _health() -> tuple[int, bytes, bytes]:
    return 200, TEXT, b"ok\n"


async def _ready() -> tuple[int, bytes, bytes]:
    return _answer(await readiness.of_site())


async def _ready_process() -> tuple[int, bytes, bytes]:
    return _answer(await readiness.of_process())


def _answer(ready: Readiness) -> tuple[int, bytes, bytes]:
    state = State.NOT_READY if ready.state == State.NOT_READY else State.READY
    body = json.dumps({"state": state})
    return ready.status, JSON, f"{body}\n".encode()


#: By path, a function that returns status, content type and body.
ANSWERS: Final[dict[str, Callable[[], Awaitable[tuple[int, bytes, bytes]]]]] = {
    "/healthz": _health,
    "/readyz": _ready,
    "/readyz/web": _ready_process,
}


class Probes:
    """ASGI middleware that answers probes and passes everything else on."""

    def __init__(self, app: Any) -> None:
        self.app = app

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        answer = ANSWERS.get(scope["path"])
        if answer is None:
            await self.app(scope, receive, send)
            return
        headers = [(b"cache-control", b"no-store")]
        if scope["method"] in {"GET", "HEAD"}:
            status, kind, body = await answer()
        else:
            status, kind, body = 405, TEXT, b"Ask with GET or HEAD.\n"
            headers.append((b"allow", b"GET, HEAD"))
        headers += [(b"content-type", kind), (b"content-length", b"%d" % len(body))]
        if scope["method"] == "HEAD":
            body = b""
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body", "body": body})
