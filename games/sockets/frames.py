"""What goes over a table's socket: changed parts for htmx to put in place, and answers."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Final

_json: Final = json.JSONEncoder(ensure_ascii=False).encode


def changed(before: Mapping[str, str], now: Mapping[str, str]) -> dict[str, str]:
    """The parts that differ from those shown before."""
    return {
        part: html
        for part, html in now.items()
        if (shown := before.get(part)) is not html and shown != html
    }


def swaps(parts: Mapping[str, str]) -> str:
    """Parts as htmx swaps them in, as the inside of a JSON text.

    Args:
        parts: part id to HTML.
    """
    swap = [
        f'<hx-partial hx-target="#{part}" hx-swap="outerMorph">{html}</hx-partial>'
        for part, html in parts.items()
    ]
    return _json("".join(swap))[1:-1]


def frame(content: str, *, version: str, **more: float) -> str:
    """The JSON text that puts parts in their places.

    Args:
        content: those that have changed, from ``swaps``.
        version: the game number and version they show.
        more: further numbers for the page's script, by name.
    """
    further = "".join(f', "{name}": {number}' for name, number in more.items())
    return f'{{"content": "{content}", "version": {_json(version)}{further}}}'


def answer_frame(key: str, kind: str, message: str, version: str) -> str:
    """The JSON text that answers an action.

    Args:
        key: the browser's key of it.
        kind: done, stale, illegal, malformed, out of turn, not seated, failed or slow down.
        message: why not, in words; empty for done.
        version: the game number and version now.
    """
    answer = {"key": key, "kind": kind, "message": message}
    return json.dumps({"answer": answer, "version": version})  # in ASCII: a key may be anything
