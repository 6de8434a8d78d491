"""Whatever stands in a number, a day or a text, nobody is answered 500, or in Django's words.

Every address and every form of every page is tried as its pages offer it. What the API takes is
tried by `tests.api.test_document`.
"""

import re
from collections.abc import Iterator
from html import unescape
from html.parser import HTMLParser
from typing import Any, Final
from urllib.parse import quote_from_bytes, urlencode

import pytest
from django.core.cache import cache
from django.db import transaction
from django.test import Client

from games.numbers import MAX_BIGINT, NumberConverter
from tests.addresses import address, arguments, patterns
from tests.conventions.test_refused_words import of_django
from tests.tournaments import test_url_roles as clubs
from tests.volume import volume

pytestmark = pytest.mark.django_db

#: What has broken forms comes first; all others only thoroughly.
MAX_CASES: Final = volume(1, 1, 99)
NUMBERS: Final = ("9223372036854775808", "-1", "0", "32768", "2147483648", "9" * 5000, "1e9", "٣")
DAYS: Final = ("9999-12-31", "0001-01-01", "10000-01-01", "2026-02-30", "-1-1-1")
TIMES: Final = ("23:59", "00:00")
EXTREMES: Final = {
    "number": NUMBERS[:MAX_CASES],
    "date": DAYS[:MAX_CASES],
    "datetime-local": [f"{day}T{time}" for time in TIMES for day in DAYS][:MAX_CASES],
}
TEXTS: Final = (b"\0", b"\xed\xa0\x80", b"\xff\xfe", "Ω\u202e\u3164".encode() * 500, b"9" * 30_000)
ADDRESSED: Final = (MAX_BIGINT, MAX_BIGINT + 1)
PLACE: Final = re.compile(r"<\w+:(\w+)>")
#: What ends a session, or leads elsewhere.
LEFT_ALONE: Final = ("/accounts/",)


class Forms(HTMLParser):
    """The forms of a page: where each leads, how, and its fields with type and value."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[tuple[str, str, dict[str, tuple[str, str]]]] = []
        self._select = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Take a form, or a field of the last one."""
        given = {name: value or "" for name, value in attrs}
        if tag == "form":
            self.found.append((given.get("action", ""), given.get("method", "get").lower(), {}))
        if not self.found:
            return
        fields, name = self.found[-1][2], given.get("name", "")
        if tag == "button" and name:
            fields[name] = ("button", given.get("value", ""))
        elif tag in {"textarea", "select"}:
            self._select = name
            fields[name] = (tag, "")
        elif (
            tag == "option"
            and self._select
            and ("selected" in given or not fields[self._select][1])
        ):
            fields[self._select] = ("select", given.get("value", ""))
        elif tag == "input" and name:
            kind = given.get("type", "text")
            if kind not in {"radio", "checkbox"} or "checked" in given:
                fields[name] = (kind, given.get("value", ""))


@pytest.fixture
def browser() -> Client:
    """The owner of a club with one of everything."""
    cache.clear()
    at = clubs.house("open")
    found = at.browsers["owner"]
    found.raise_request_exception = False
    found.known = at.known  # type: ignore[attr-defined]
    found.staff = at.browsers["staff"]  # type: ignore[attr-defined]
    return found


def known(browser: Client, name: str) -> dict[str, Any] | None:
    """What stands in an address, if this club has it."""
    there: dict[str, Any] = browser.known  # type: ignore[attr-defined]
    return there if arguments(name) <= there.keys() else None


def sent(browser: Client, method: str, path: str, data: str = "") -> Any:
    """What is answered; whatever was done is undone."""
    with transaction.atomic():
        asked = f"{path}{'&' if '?' in path else '?'}{data}" if method == "get" else path
        answer: Any = browser.generic(
            method.upper(),
            asked,
            "" if method == "get" else data,
            content_type="application/x-www-form-urlencoded",
        )
        transaction.set_rollback(True)
    return answer


def numbered(browser: Client) -> Iterator[str]:
    """Every address with a number in it, with each extreme in place of each of its numbers.

    The extreme also stands for whatever this club does not have.
    """
    there: dict[str, Any] = browser.known  # type: ignore[attr-defined]
    for pattern in patterns():
        for one, converter in pattern.pattern.converters.items():
            if isinstance(converter, NumberConverter):
                for extreme in ADDRESSED:
                    filled = {**there, one: extreme}
                    parts = PLACE.split(f"/{pattern.pattern}")
                    parts[1::2] = [str(filled.get(name, extreme)) for name in parts[1::2]]
                    yield "".join(parts)


def test_every_number_of_every_address(browser: Client) -> None:
    paths = list(numbered(browser))
    assert len(paths) > 300
    staff: Client = browser.staff  # type: ignore[attr-defined]
    for method in ("get", "post"):
        statuses = {
            path: sent(staff if path.startswith("/office/") else browser, method, path).status_code
            for path in paths
        }
        assert [path for path, found in statuses.items() if found >= 500] == []


def every_form(browser: Client) -> Iterator[tuple[str, str, dict[str, tuple[str, str]]]]:
    """The forms of all pages, each once."""
    seen = set()
    for pattern in patterns():
        there = known(browser, pattern.name or "")
        if there is None:
            continue
        path = address(pattern.name or "", there)
        page = browser.get(path)
        if page.status_code != 200 or "html" not in page.headers["Content-Type"]:
            continue
        for action, method, fields in Forms(page.text).found:
            leads = action or path
            key = (leads.partition("?")[0], method, tuple(fields))
            if fields and key not in seen and not leads.startswith(LEFT_ALONE):
                seen.add(key)
                yield leads, method, fields


def submissions(fields: dict[str, tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """What is sent by a form with these fields, each with what is unusual in it."""
    for every in ("", "x", "9x" * (20_000 // len(fields))):
        yield every[:9], urlencode(dict.fromkeys(fields, every))
    usual = {name: value for name, (_kind, value) in fields.items()}
    cases = {
        name: EXTREMES.get("number" if value.isdecimal() else kind, ())
        for name, (kind, value) in fields.items()
    }
    # The first stands in one field after the other, each further one in all of them together.
    for name, extremes in cases.items():
        for extreme in extremes[:1]:
            yield f"{name} {extreme[:20]}", urlencode(usual | {name: extreme})
    for at in range(1, MAX_CASES):
        together = {name: extremes[at] for name, extremes in cases.items() if at < len(extremes)}
        if together:
            yield f"{at} {[*together]}", urlencode(usual | together)
    texts = [name for name, (kind, _value) in fields.items() if kind not in EXTREMES]
    rest = urlencode({name: usual[name] for name in fields.keys() - set(texts)})
    for text in TEXTS[:MAX_CASES]:
        said = "&".join(
            f"{name}={quote_from_bytes(text[: 40_000 // len(fields)])}" for name in texts
        )
        yield f"texts {text[:20]!r}", f"{said}&{rest}"


def test_every_field_of_every_form(browser: Client) -> None:
    failed: list[tuple[object, ...]] = []
    tried = 0
    for path, method, fields in list(every_form(browser)):
        for what, data in submissions(fields):
            tried += 1
            answer = sent(browser, method, path, data)
            said = "" if answer.streaming else unescape(answer.content.decode(errors="replace"))
            failed += [(path, what, answer.status_code)] if answer.status_code >= 500 else []
            failed += [(path, what, sentence) for sentence in of_django(said)]
    assert failed == []
    assert tried > 150
