"""The floor under the live tables: a bare ASGI server that stores nothing.

It answers a page that says what it has with a frame, and every other message with one frame to
each socket of the same path, of the size given by ``FLOOR_BYTES``, carrying the version that was
sent plus one.
"""

from __future__ import annotations

import json
import os
from collections import defaultdict
from typing import Any

SIZE = int(os.environ.get("FLOOR_BYTES", "4000"))
_tables: dict[str, set[Any]] = defaultdict(set)


async def app(scope: Any, receive: Any, send: Any) -> None:
    """Accept sockets; on a message, send a frame to everybody on the same path."""
    if scope["type"] != "websocket":
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"ok"})
        return
    await receive()
    await send({"type": "websocket.accept"})
    _tables[scope["path"]].add(send)
    while (message := await receive())["type"] == "websocket.receive":
        said = json.loads(message["text"])
        if "have" in said:
            await send({"type": "websocket.send", "text": _frame("1.0")})
            continue
        number, _, version = said["version"].partition(".")
        text = _frame(f"{number}.{int(version) + 1}")
        for other in list(_tables[scope["path"]]):
            await other({"type": "websocket.send", "text": text})
    _tables[scope["path"]].discard(send)


def _frame(version: str) -> str:
    return f'{{"version":"{version}","set":"{"x" * SIZE}"}}'
