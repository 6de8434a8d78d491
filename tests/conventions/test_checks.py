"""What checks many things at once says which of them is wrong, and misses none of the faults."""

import pytest

from tests.crawl import Answer, complaints, status
from tests.loops import looped

POLICY = "default-src 'self'; script-src 'self'; style-src 'self'"
HEADERS = {
    "Content-Type": "text/html; charset=utf-8",
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
}
PAGE = """<!doctype html><html lang="en"><head><title>Mill · Bower</title>
<script type="module" src="/static/app.js"></script></head>
<body id="top"><script id="values" type="application/json">{}</script>
<template><i id="top"></i></template>
<p data-id="top" title="Go: onward = style">&quot;style=&quot;</p></body></html>"""


def answer(page: str = PAGE, **headers: str) -> Answer:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Answer("owner", "GET", "club", "/clubs/mill/", 200, HEADERS | named, page.encode())


def test_a_sound_page_has_no_complaints() -> None:
    framed = answer(
        Content_Security_Policy=POLICY.replace("script-src 'self'", "script-src 'none'")
    )
    assert complaints([answer(), framed], status(lambda _: 200)) == []


@looped(
    "fault, words",
    [
        (answer(PAGE.replace("<p ", '<p style="color: red" ')), "inline"),
        (answer(PAGE.replace("<p ", "<p onclick='go()' ")), "inline"),
        (answer(PAGE.replace("<p ", '<p hx-on:click="go()" ')), "inline"),
        (answer(PAGE.replace("<p ", '<a href="javascript:go()"></a><p ')), "inline"),
        (answer(PAGE.replace("</body>", "<style>p {}</style></body>")), "inline"),
        (answer(PAGE.replace("</body>", "<script>go()</script></body>")), "inline"),
        (answer(PAGE.replace("Mill", "")), "titles"),
        (answer(PAGE.replace("<title>Mill · Bower</title>", "")), "titles"),
        (answer(PAGE.replace(' lang="en"', "")), "language"),
        (answer(PAGE.replace("<p ", '<p id="top" ')), "ids come twice: ['top']"),
        (answer(Content_Security_Policy=POLICY.replace("'self'", "*")), "script-src is *"),
        (answer(Content_Security_Policy=""), "style-src is None"),
        (answer(X_Content_Type_Options=""), "its type may be guessed"),
        (answer()._replace(status=403), "status: 403 in place of 200"),
    ],
)
def test_a_fault_is_found_with_its_address_and_role(fault: Answer, words: str) -> None:
    found = complaints([fault], status(lambda _: 200))
    assert [one for one in found if words in one]
    assert all(one.startswith("owner: GET /clubs/mill/ (club): ") for one in found)


def test_a_failure_in_a_loop_names_its_case() -> None:
    seen = []

    @looped("number", range(3))
    @looped("letter", "ab")
    def each(number: int, letter: str) -> None:
        seen.append((number, letter))
        assert (number, letter) != (1, "b")

    with pytest.raises(AssertionError) as failed:
        each()
    assert failed.value.__notes__ == ["Case: {'letter': 'b'}", "Case: {'number': 1}"]
    assert seen == [(0, "a"), (0, "b"), (1, "a"), (1, "b")]
