"""JSON frames sent over a page's socket: changed HTML for htmx to swap in, and answers."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Final

#: Largest accepted message from a browser, in bytes.
FRAME_LIMIT: Final = 8 * 1024
_json: Final = json.JSONEncoder(ensure_ascii=False).encode
#: A table row with its own id.
_ROW: Final = re.compile(r'<tr\b[^>]*? id="([^"]+)".*?</tr>', re.DOTALL)


def changed(before: Mapping[str, str], now: Mapping[str, str]) -> dict[str, str]:
    """Return the parts that differ, by id; for an HTML table only its changed rows if possible."""
    differ: dict[str, str] = {}
    for part, html in now.items():
        shown = before.get(part)
        if shown is not html and shown != html:
            differ |= (_rows_changed(shown, html) if shown else None) or {part: html}
    return differ


@lru_cache(maxsize=32)  # everybody watching an event gets identical parts
def _rows_changed(before: str, now: str) -> Mapping[str, str] | None:
    """Return a part's changed rows by id; None if all of them or anything else has changed."""
    if _ROW.sub(r"\1", before) != _ROW.sub(r"\1", now):
        return None
    known = {row[0] for row in _ROW.finditer(before)}
    differ = {row[1]: row[0] for row in _ROW.finditer(now) if row[0] not in known}
    return differ if len(differ) < len(known) else None


def partials(parts: Mapping[str, str]) -> str:
    """Return parts (HTML by id) as htmx partials, which replace the elements with these ids."""
    return "".join(
        f'<hx-partial hx-target="#{part}" hx-swap="outerMorph">{html}</hx-partial>'
        for part, html in parts.items()
    )


def swaps(parts: Mapping[str, str]) -> str:
    """Return parts as htmx partials, JSON-escaped without the enclosing quotes."""
    return _json(partials(parts))[1:-1]


def frame(content: str, *, version: str, **more: float) -> str:
    """Return the JSON frame that swaps in the parts of `swaps`; `more` is for the page's script."""
    further = "".join(f', "{name}": {number}' for name, number in more.items())
    return f'{{"content": "{content}", "version": {_json(version)}{further}}}'


def answer_frame(key: str, kind: str, message: str, version: str) -> str:
    """Return the JSON frame that answers the action with the browser's `key`."""
    answer = {"key": key, "kind": kind, "message": message}
    return json.dumps({"answer": answer, "version": version})  # ASCII, since a key may be anything
