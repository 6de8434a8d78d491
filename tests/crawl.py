"""The crawl over all addresses: each is asked once by each role, and each check reads its answer.

A check is a function of an `Answer` that yields what is wrong with it. Those in `ALWAYS` hold for
whatever the site answers; a state of the site brings others, such as the status each role is due.
"""

import logging
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

import pytest
from django.core.cache import cache
from django.db import transaction
from django.test import Client

from games.live import state
from tests.factories import again
from tests.games.shuffles import Search


class Answer(NamedTuple):
    """What a role was answered at an address."""

    role: str
    method: str
    name: str
    path: str
    status: int
    headers: Mapping[str, str]
    content: bytes

    @property
    def page(self) -> str:
        """The text of a whole page; empty if this is none."""
        html = self.headers.get("Content-Type", "").startswith("text/html")
        text = self.content.decode(errors="replace") if html else ""
        return text if text.lstrip()[:9].lower() == "<!doctype" else ""


Check = Callable[[Answer], Iterable[str]]


def ask(
    browser: Client,
    role: str,
    method: str,
    name: str,
    path: str,
    *,
    data: Mapping[str, Any] | None = None,
) -> Answer:
    """Ask once; what was done is undone, and nobody has asked too often."""
    cache.clear()
    with transaction.atomic():
        twin: Any = again(browser)
        response = getattr(twin, method.lower())(path, data or {})
        transaction.set_rollback(True)
    state.forget_all()
    content = b"" if response.streaming else response.content
    return Answer(role, method, name, path, response.status_code, dict(response.headers), content)


def complaints(answers: Iterable[Answer], *checks: Check) -> list[str]:
    """What is wrong with some answers, by role and address."""
    return [
        f"{one.role}: {one.method} {one.path} ({one.name}): {check.__name__}: {wrong}"
        for one in answers
        for check in (*ALWAYS, *checks)
        for wrong in check(one)
    ]


def status(due: Callable[[Answer], int]) -> Check:
    """Each role is answered the status that is due to it."""

    def status(answer: Answer) -> Iterator[str]:
        if answer.status != due(answer):
            yield f"{answer.status} in place of {due(answer)}"

    return status


def secrets(search: Search) -> Check:
    """No header and no byte of an answer tells what must stay secret."""

    def secrets(answer: Answer) -> Iterator[str]:
        for found in search.told_by(repr(answer.headers).encode() + answer.content):
            yield f"tells {found[:20]!r}"

    return secrets


def only_for_this_test(caplog: pytest.LogCaptureFixture) -> None:
    """Log everything, for this test to search, and nothing of it in reports: it is very long."""
    caplog.set_level(logging.DEBUG)
    root = logging.getLogger()
    for handler in root.handlers[:]:
        if isinstance(handler, type(caplog.handler)) and handler is not caplog.handler:
            root.removeHandler(handler)


def headers(answer: Answer) -> Iterator[str]:
    """Every answer forbids inline scripts and styles, sniffing of types and foreign frames."""
    policy = answer.headers.get("Content-Security-Policy", "")
    rules = dict(rule.strip().partition(" ")[::2] for rule in policy.split(";"))
    for kind in ("script-src", "style-src"):
        if rules.get(kind) not in ("'self'", "'none'"):
            yield f"{kind} is {rules.get(kind)}"
    if answer.headers.get("X-Content-Type-Options") != "nosniff":
        yield "its type may be guessed"


#: Styles and scripts in a page. What people have written is escaped, and holds none of these signs.
INLINE = re.compile(
    r"""\s(?:style|on[a-z]+)\s*=\s*["']|<style\b|\shx-on[:=-]|javascript:"""
    r"""|<script\b(?![^>]*(?:\bsrc=|\btype="application/json"))""",
    re.IGNORECASE,
)
TITLE = re.compile(r"<title>([^<]*)</title>")
ID = re.compile(r'\sid="([^"]*)"')
#: What scripts make rows of: nothing in it is in the page.
TEMPLATE = re.compile(r"<template\b.*?</template>", re.DOTALL)


def markup(answer: Answer) -> Iterator[str]:
    """A page says its language and its title, has ids once, and brings no styles or scripts."""
    page = answer.page
    if not page:
        return
    titles = TITLE.findall(page.partition("</head>")[0])
    if len(titles) != 1 or not titles[0].partition(" · ")[0].strip():
        yield f"its titles are {titles}"
    if '<html lang="' not in page:
        yield "its language is not said"
    ids = ID.findall(TEMPLATE.sub("", page))
    if len(ids) != len(set(ids)):
        yield f"ids come twice: {sorted({one for one in ids if ids.count(one) > 1})}"
    if found := INLINE.search(page):
        yield f"inline: {page[found.start() - 30 : found.end() + 30]!r}"


ALWAYS: tuple[Check, ...] = (headers, markup)
