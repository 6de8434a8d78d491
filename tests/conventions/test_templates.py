"""Templates and sheets keep to the security policy and to the look's own rules."""

import re
from pathlib import Path

import pytest

from tests.loops import looped

ROOT = Path(__file__).parents[2]
TEMPLATES = sorted((ROOT / "templates").rglob("*.html"))
SHEETS = [sheet for sheet in (ROOT / "static/css").glob("*.css") if sheet.name != "tokens.css"]
FORBIDDEN = {
    "a style attribute": re.compile(r"<[^>]*\sstyle\s*=", re.IGNORECASE),
    "a style element": re.compile(r"<style\b", re.IGNORECASE),
    "an inline script": re.compile(r"<script\b(?![^>]*\bsrc=)", re.IGNORECASE),
    "an event handler": re.compile(r"<[^>]*\son[a-z]+\s*=", re.IGNORECASE),
    "an htmx script": re.compile(r"\shx-on[:=-]", re.IGNORECASE),
    "a script address": re.compile(r"javascript:", re.IGNORECASE),
    "a file from elsewhere": re.compile(r"(?:src|href)\s*=\s*[\"'](?:https?:)?//", re.IGNORECASE),
}


@pytest.mark.parametrize("fault", FORBIDDEN)
def test_no_template_holds(fault: str) -> None:
    found = [str(path) for path in TEMPLATES if FORBIDDEN[fault].search(path.read_text())]
    assert found == []


@pytest.mark.parametrize(
    ("fault", "text"),
    [
        ("a style attribute", '<p class="x" style="color: red">'),
        ("a style element", "<style>p {}</style>"),
        ("an inline script", "<script>go()</script>"),
        ("an event handler", '<a onclick="go()">'),
        ("an htmx script", '<a hx-on:click="go()">'),
        ("a script address", '<a href="javascript:go()">'),
        ("a file from elsewhere", '<img src="https://example.org/x.png">'),
    ],
)
def test_pattern_recognises(fault: str, text: str) -> None:
    assert FORBIDDEN[fault].search(text)


def test_templates_are_found() -> None:
    assert ROOT / "templates/base.html" in TEMPLATES


@looped("sheet", SHEETS)
def test_colours_are_defined_in_tokens_only(sheet: Path) -> None:
    literal = re.compile(r"(?<!url\()#[0-9a-f]{3,8}\b(?!-)|\brgba?\(|\bhsla?\(", re.IGNORECASE)
    assert literal.findall(sheet.read_text()) == []


def test_every_icon_used_is_in_the_sprite() -> None:
    sprite = (ROOT / "static/cards/sprite.svg").read_text()
    symbols = set(re.findall(r'<symbol id="([^"]+)"', sprite))
    used = {
        name if name == "logo" or name.startswith("suit-") else f"i-{name}"
        for path in TEMPLATES
        for name in re.findall(r'{% icon "([^"]+)" %}', path.read_text())
    }
    assert used
    assert used <= symbols


def test_an_empty_list_takes_one_line() -> None:
    """A large message is for a page that says nothing else; a list says that it is empty."""
    for path in TEMPLATES:
        text = path.read_text()
        if 'class="empty"' in text:
            assert 'class="panel slip"' in text, path
        for tag, body in re.findall(r'<(\w+)[^>]*class="none"[^>]*>(.*?)</p>', text, re.DOTALL):
            assert tag == "p", path
            assert not re.search(r'{% icon|<h\d|<svg|class="button', body), path
