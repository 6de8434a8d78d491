"""A replay in the browser: by keys, by touch, without scripts, and on a phone."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import expect

from games.engine.rules import CLASSIC_24
from games.files.record import write_record
from tests.browser.checks import faint, fits, understandable
from tests.browser.conftest import MakePerson
from tests.browser.person import Person
from tests.games.recorded import random_record

SWIPE = """([from, to]) => {
  const cloth = document.querySelector(".cloth");
  const touch = (x) => new Touch({ identifier: 1, target: cloth, clientX: x, clientY: 300 });
  const tell = (type, x, touches) => cloth.dispatchEvent(
    new TouchEvent(type, { bubbles: true, touches, changedTouches: [touch(x)] }));
  tell("touchstart", from, [touch(from)]);
  tell("touchend", to, []);
}"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """The record of a game."""
    path = tmp_path / "game.json"
    path.write_bytes(write_record(random_record(CLASSIC_24, "a game")))
    return path


def replay(person: Person, file: Path) -> None:
    """Send the file and come to its replay."""
    person.go("/play/")
    person.page.get_by_role("link", name="Replay a game from a file").click()
    person.page.get_by_label("The file").set_input_files(file)
    person.page.get_by_role("button", name="Replay it").click()
    person.page.wait_for_url("**/replay/file/")


def at(moment: str) -> re.Pattern[str]:
    """An address of that moment."""
    return re.compile(rf"at={re.escape(moment)}&")


def test_keys_lead_through_the_game(person: MakePerson, file: Path) -> None:
    maeve = person("Maeve", account=False)
    replay(maeve, file)
    page = maeve.page
    page.evaluate("window.stayed = true")
    for key, moment in [
        ("ArrowRight", "1.1"),
        ("ArrowRight", "1.2"),
        ("ArrowLeft", "1.1"),
        ("PageDown", "2.0"),
        ("PageUp", "1.0"),
    ]:
        page.keyboard.press(key)
        expect(page).to_have_url(at(moment))
    page.keyboard.press("Shift+ArrowRight")
    expect(page.locator(".slide")).to_contain_text("Before the first lead")
    expect(page.locator("#replay-live")).to_contain_text("Before the first lead.")
    assert page.evaluate("window.stayed")
    page.go_back()
    expect(page).to_have_url(at("1.0"))
    expect(page.locator(".slide")).to_contain_text("The cards are dealt")


def test_a_swipe_is_a_step(person: MakePerson, file: Path) -> None:
    size = {"width": 390, "height": 844}
    maeve = person("Maeve", account=False, viewport=size, has_touch=True)
    replay(maeve, file)
    maeve.page.evaluate(SWIPE, [300, 100])
    expect(maeve.page).to_have_url(at("1.1"))
    maeve.page.evaluate(SWIPE, [100, 300])
    expect(maeve.page).to_have_url(at("1.0"))


def test_without_scripts_the_links_do_the_same(person: MakePerson, file: Path) -> None:
    maeve = person("Maeve", account=False, java_script_enabled=False)
    replay(maeve, file)
    maeve.page.get_by_role("link", name="Next card").click()
    expect(maeve.page).to_have_url(at("1.1"))
    maeve.page.get_by_role("link", name="Ben East").click()
    expect(maeve.page).to_have_url(re.compile("at=1.1&seat=east"))
    expect(maeve.page.get_by_role("region", name="You, East")).to_be_visible()


@pytest.mark.parametrize("width", [320, 390, 1280])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_fits_and_reads(person: MakePerson, file: Path, width: int, scheme: str) -> None:
    size = {"width": width, "height": 844}
    maeve = person("Maeve", account=False, viewport=size, color_scheme=scheme)
    maeve.go("/replay/")
    assert fits(maeve.page) == understandable(maeve.page) == faint(maeve.page) == []
    replay(maeve, file)
    for path in ("?at=1.0", "?at=1.12&seat=north"):
        maeve.go(f"/replay/file/{path}")
        assert fits(maeve.page) == []
        assert understandable(maeve.page) == []
        assert faint(maeve.page) == []
