"""What goes over a table's socket: changed parts for htmx to put in place, and answers."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Final

#: The most bytes of a message from a browser.
FRAME_LIMIT: Final = 8 * 1024
_json: Final = json.JSONEncoder(ensure_ascii=False).encode
#: A row of a table that has an id of its own.
_ROW: Final = re.compile(r'<tr\b[^>]*? id="([^"]+)".*?</tr>', re.DOTALL)


def changed(before: Mapping[str, str], now: Mapping[str, str]) -> dict[str, str]:
    """The parts that differ from those shown before, by id; of a table only such rows."""
    differ: dict[str, str] = {}
    for part, html in now.items():
        shown = before.get(part)
        if shown is not html and shown != html:
            differ |= (_rows_changed(shown, html) if shown else None) or {part: html}
    return differ


@lru_cache(maxsize=32)  # all who watch an event are sent the same
def _rows_changed(before: str, now: str) -> Mapping[str, str] | None:
    """The rows in which a part differs, by id; None if it does so elsewhere or in all of them."""
    if _ROW.sub(r"\1", before) != _ROW.sub(r"\1", now):
        return None
    known = {row[0] for row in _ROW.finditer(before)}
    differ = {row[1]: row[0] for row in _ROW.finditer(now) if row[0] not in known}
    return differ if len(differ) < len(known) else None


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
