"""Sheets and scripts without comments and spaces say to a browser what their sources say."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from euchre_site.static import LEANER

STATIC = Path(__file__).parents[2] / "static"
#: What a browser understands of a sheet. Where a value has variables in it the browser keeps all
#: its spaces, of which those beside these signs say nothing.
RULES = r"""text => {
  const lean = text => text.replaceAll(/\s+/g, " ").replaceAll(/(?<=[(,:*/]) | (?=[),*/])/g, "");
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(text);
  return [...sheet.cssRules].map(rule => rule.cssText.replace(/\{[^]*/, lean));
}"""
#: A module that cannot be read is told apart from one that finds nothing here to act on.
UNREADABLE = """async text => {
  try {
    await import("data:text/javascript," + encodeURIComponent(text));
  } catch (error) {
    return error instanceof SyntaxError ? String(error) : "";
  }
  return "";
}"""


@pytest.fixture(scope="module")
def page(browser: Browser) -> Iterator[Page]:
    """An empty page."""
    page = browser.new_page()
    yield page
    page.close()


@pytest.mark.parametrize("path", sorted(STATIC.glob("css/*.css")), ids=lambda path: path.name)
def test_sheet(page: Page, path: Path) -> None:
    text = path.read_text()
    rules = page.evaluate(RULES, text)
    assert rules
    assert page.evaluate(RULES, LEANER[".css"](text)) == rules


@pytest.mark.parametrize("path", sorted(STATIC.glob("js/*.js")), ids=lambda path: path.name)
def test_script(page: Page, path: Path) -> None:
    assert page.evaluate(UNREADABLE, LEANER[".js"](path.read_text())) == ""


def test_other_rules_would_be_told(page: Page) -> None:
    assert page.evaluate(RULES, "a b { --x: 1px + 2px }") != page.evaluate(
        RULES, "a b{--x:1px+2px}"
    )
    assert page.evaluate(RULES, "a b { margin: 0 }") != page.evaluate(RULES, "ab{margin:0}")


def test_an_unreadable_script_would_be_told(page: Page) -> None:
    assert "SyntaxError" in page.evaluate(UNREADABLE, "const = 1")
