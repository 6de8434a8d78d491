"""Sheets without comments and spaces say to a browser what their sources say."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page
from rcssmin import cssmin

STATIC = Path(__file__).parents[2] / "static"
#: What a browser understands of a sheet. Where a value has variables in it the browser keeps all
#: its spaces, of which those beside these signs say nothing.
RULES = r"""text => {
  const lean = text => text.replaceAll(/\s+/g, " ").replaceAll(/(?<=[(,:*/]) | (?=[),*/])/g, "");
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(text);
  return [...sheet.cssRules].map(rule => rule.cssText.replace(/\{[^]*/, lean));
}"""


@pytest.fixture(scope="module")
def page(browser: Browser) -> Iterator[Page]:
    """An empty page."""
    page = browser.new_page()
    yield page
    page.close()


@pytest.mark.parametrize("path", sorted(STATIC.glob("css/*.css")), ids=lambda path: path.name)
def test_minified_sheet_has_the_same_rules(page: Page, path: Path) -> None:
    text = path.read_text()
    rules = page.evaluate(RULES, text)
    assert rules
    assert page.evaluate(RULES, cssmin(text)) == rules


def test_differing_rules_are_detected(page: Page) -> None:
    assert page.evaluate(RULES, "a b { --x: 1px + 2px }") != page.evaluate(
        RULES, "a b{--x:1px+2px}"
    )
    assert page.evaluate(RULES, "a b { margin: 0 }") != page.evaluate(RULES, "ab{margin:0}")
