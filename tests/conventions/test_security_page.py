"""What `docs/security.md` says: each test it names exists, and each requirement stands once."""

import re
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Final

import django_htmx

ROOT: Final = Path(__file__).parents[2]
PAGE: Final = (ROOT / "docs/security.md").read_text(encoding="utf-8")
ROW: Final = re.compile(r"^\| (V\d+\.\d+\.\d+) \|", re.MULTILINE)
NAMED: Final = re.compile(r"`(tests/[\w/]+\.py)::(\w+)`")


@cache
def functions_of(file: str) -> set[str]:
    """The names of a file's tests."""
    source = (ROOT / file).read_text(encoding="utf-8")
    return set(re.findall(r"^\s*(?:async )?def (test_\w+)", source, re.MULTILINE))


def test_every_test_named_on_the_page_exists() -> None:
    named = NAMED.findall(PAGE)
    assert len(named) > 80
    assert len(named) == PAGE.count("::")
    assert [one for one in named if one[1] not in functions_of(one[0])] == []


def test_every_requirement_appears_once_with_its_test_or_none() -> None:
    times = Counter(ROW.findall(PAGE))
    assert len(times) > 100
    assert [number for number, count in times.items() if count > 1] == []
    rows = [line for line in PAGE.splitlines() if ROW.match(line)]
    assert [one for one in rows if not (NAMED.search(one) or one.endswith("| – |"))] == []


def test_htmx_version_matches_the_page() -> None:
    script = Path(django_htmx.__file__).parent / "static/django_htmx/htmx-4.min.js"
    found = re.search(r"version\s*=\s*[\"'](4[^\"']+)", script.read_text(encoding="utf-8"))
    assert found
    assert f"htmx {found[1]}, as carried by" in PAGE, "read its section again"
