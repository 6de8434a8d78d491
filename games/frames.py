"""What goes over a table's socket: changed parts for htmx to put in place, and answers."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import lru_cache
from typing import Final

#: How many wrapped parts are kept; several viewers of a moment share most of them.
SHARED: Final = 2048

_json: Final = json.JSONEncoder(ensure_ascii=False).encode


@lru_cache(maxsize=SHARED)
def _swap(part: str, html: str) -> str:
    """A part as htmx swaps it in, as the inside of a JSON text."""
    swap = f'<hx-partial hx-target="#{part}" hx-swap="outerMorph">{html}</hx-partial>'
    return _json(swap)[1:-1]


def frame(parts: Mapping[str, str], *, version: str) -> str:
    """The JSON text that puts parts in their places.

    Args:
        parts: part id to HTML, those that have changed.
        version: the game number and version they show.
    """
    content = "".join([_swap(part, html) for part, html in parts.items()])
    return f'{{"content": "{content}", "version": {_json(version)}}}'


def answer_frame(key: str, kind: str, message: str, version: str) -> str:
    """The JSON text that answers an action.

    Args:
        key: the browser's key of it.
        kind: done, stale, illegal, malformed, out of turn, not seated, failed or slow down.
        message: why not, in words; empty for done.
        version: the game number and version now.
    """
    answer = {"key": key, "kind": kind, "message": message}
    return _json({"answer": answer, "version": version})
