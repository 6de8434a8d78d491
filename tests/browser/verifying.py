"""What the pages that verify a match say."""

from __future__ import annotations

import re

from playwright.sync_api import Page, expect

from tests.browser.person import Person

FITS = "Everything fits: the cards follow from a secret promised before the game"
STEPS = ("promise", "seats", "mix", "dealer", "hands", "cards", "record", "log")
STATES = """() => Object.fromEntries([...document.querySelectorAll("[data-step]")]
  .map(one => [one.dataset.step, one.dataset.state]))"""


def steps(page: Page) -> dict[str, str]:
    """What was found at each step: good, bad or open."""
    found: dict[str, str] = page.evaluate(STATES)
    return found


def verdict(page: Page) -> str:
    """The sentence at the top once everything is checked."""
    words = page.locator("#verdict-words")
    expect(words).not_to_have_text(re.compile("^$|Checking"))
    return words.inner_text()


def places(page: Page) -> list[str]:
    """The places named at the top."""
    return page.locator("#verdict-places b").all_inner_texts()


def choose(one: Person, name: str, data: bytes) -> None:
    """Choose a file on the page that verifies records, which says nothing of an earlier one."""
    one.page.evaluate("() => { document.getElementById('verdict-words').textContent = ''; }")
    one.page.get_by_label("The file").set_input_files(
        {"name": name, "mimeType": "application/json", "buffer": data}
    )
