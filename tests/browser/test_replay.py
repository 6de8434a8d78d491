"""A replay in the browser: by keys, by touch, without scripts, and on a phone."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Page, Route, expect

from games.engine.rules import CLASSIC_24, JOKER_33, RULE_SETS, RuleSet
from games.files.ptn import write_ptn
from games.files.record import write_record
from tests.browser.checks import faint, faint_in_any_scheme, fits, understandable
from tests.browser.conftest import MakePerson
from tests.browser.person import PATIENCE, POLLING, Person
from tests.chance import random_played, random_record

#: What of the hands, the names and what stands in the corners sticks out of the cloth.
STICKING_OUT = """() => {
  const cloth = document.querySelector(".cloth").getBoundingClientRect();
  return [...document.querySelectorAll(".cloth .card, .cloth h3, .cloth h3 *, .cloth .fact")]
    .filter(one => {
      const box = one.getBoundingClientRect();
      return box.left < cloth.left || box.right > cloth.right
        || box.top < cloth.top || box.bottom > cloth.bottom;
    }).map(one => one.outerHTML.slice(0, 120));
}"""
#: The cards of a hand over which another hand, or a card on the table, lies.
COVERED = """() => [...document.querySelectorAll(".fan .card")].filter(one => {
  const box = one.getBoundingClientRect();
  return [...document.querySelectorAll(".cloth .card, .cloth h3")]
    .filter(other => !one.closest(".fan").contains(other))
    .map(other => other.getBoundingClientRect())
    .some(other => other.left < box.right && box.left < other.right
                && other.top < box.bottom && box.top < other.bottom);
}).map(one => one.ariaLabel)"""

SWIPE = """([from, to]) => {
  const cloth = document.querySelector(".cloth");
  const touch = (x) => new Touch({ identifier: 1, target: cloth, clientX: x, clientY: 300 });
  const tell = (type, x, touches) => cloth.dispatchEvent(
    new TouchEvent(type, { bubbles: true, touches, changedTouches: [touch(x)] }));
  tell("touchstart", from, [touch(from)]);
  tell("touchend", to, []);
}"""

#: What differs between the moment as the script has put it there and the page drawn afresh.
DIFFERENT = """async () => {
  const plain = (node) => node.nodeType === Node.TEXT_NODE ? node.data.trim() : [
    node.tagName,
    [...node.attributes].map(one => `${one.name}=${one.value}`).sort().join(" "),
    ...[...node.childNodes].map(plain).filter(one => one !== ""),
  ];
  const response = await fetch(location.href, { headers: { Accept: "text/html" } });
  const fresh = new DOMParser().parseFromString(await response.text(), "text/html");
  const parts = [".eyes", ".cloth", "nav.row", ".slide", "nav[hidden]", ".hs", "#replay-log"];
  return parts.filter(part => {
    const [shown, drawn] = [document, fresh].map(page => page.querySelector(part));
    for (const form of drawn.querySelectorAll(".by-form")) form.hidden = true;
    return JSON.stringify(plain(shown)) !== JSON.stringify(plain(drawn));
  });
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


class SlowLine:
    """The first moment asked for comes only when it is let through, later ones at once.

    Args:
        page: where the replay is going to be shown. Chromium may let one more request of a page
            that is open already go out before it holds them.

    Attributes:
        asked: the moments asked for since.
    """

    def __init__(self, page: Page) -> None:
        self.page = page
        self.asked: list[str] = []
        self.held: Route | None = None
        page.route("**/replay/file/?*", self._ask)

    def _ask(self, route: Route) -> None:
        self.asked.append(parse_qs(urlsplit(route.request.url).query)["at"][0])
        if self.held is None:
            self.held = route
        else:
            route.continue_()

    def let_through(self) -> None:
        """Answer the request that waits, or will."""
        for _ in range(1000 * PATIENCE // POLLING):
            if self.held:
                break
            self.page.wait_for_timeout(POLLING)
        assert self.held, "nothing was asked for"
        self.held.continue_()


def at(moment: str) -> re.Pattern[str]:
    """An address of that moment."""
    return re.compile(rf"at={re.escape(moment)}&")


def test_a_pasted_ptn_is_replayed_and_each_hand_taken_away(person: MakePerson) -> None:
    maeve, game = person("Maeve", account=False), random_played(CLASSIC_24, "a game")
    maeve.go("/replay/")
    page = maeve.page
    page.get_by_label("Or paste it here").fill(write_ptn(game).decode())
    page.get_by_role("button", name="Replay it").click()
    page.wait_for_url("**/replay/file/")
    page.keyboard.press("PageDown")
    expect(page).to_have_url(at("2.0"))
    with page.expect_download() as download:
        page.get_by_role("link", name="This hand as PTN").click()
    assert download.value.suggested_filename == "game-1-hand-2.ptn"
    assert Path(download.value.path()).read_bytes() == write_ptn(game, 2)


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


@pytest.mark.parametrize(
    "rules",
    [
        pytest.param(rules, marks=() if key in ("joker-33", "heads-up") else pytest.mark.thorough)
        for key, rules in RULE_SETS.items()
    ],
    ids=RULE_SETS,
)
def test_stepped_moment_equals_a_fresh_page(person: MakePerson, file: Path, rules: RuleSet) -> None:
    file.write_bytes(write_record(random_record(rules, "another game")))
    maeve = person("Maeve", account=False)
    replay(maeve, file)
    page = maeve.page
    every = ("north", "public", "all")  # they differ in the same way by any rules
    for view in every if rules is JOKER_33 else every[-1:]:
        page.locator(f"#view-{view}").click()
        expect(page).to_have_url(re.compile(f"seat={view}$"))
        for key in [*["ArrowRight"] * 12, "Shift+ArrowRight", "ArrowLeft", "PageDown", "PageUp"]:
            before = page.url
            page.keyboard.press(key)
            expect(page).not_to_have_url(before)
            assert page.evaluate(DIFFERENT) == []


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
    expect(maeve.page.get_by_role("region", name="Ben, East")).to_be_visible()


def test_replay_is_accessible_in_any_width_and_light(person: MakePerson, file: Path) -> None:
    maeve = person("Maeve", account=False)
    page, wrong = maeve.page, {}

    def look_at(path: str) -> None:
        maeve.go(path)
        for width in (320, 390, 1280):
            page.set_viewport_size({"width": width, "height": 844})
            wrong[path, width] = [*fits(page), *understandable(page)]
        wrong[path, width] += faint_in_any_scheme(page)

    look_at("/replay/")
    replay(maeve, file)
    look_at("/replay/file/?at=1.0")
    look_at("/replay/file/?at=1.12&seat=north")
    assert not {place: found for place, found in wrong.items() if found}


def test_all_hands_lie_on_the_cloth(person: MakePerson, file: Path) -> None:
    maeve = person("Maeve", account=False)
    page = maeve.page
    replay(maeve, file)
    # Five cards each; before their discards West and East hold the turned-up card as well.
    for moment, hands in [("1.14", [5, 5, 5, 5]), ("2.1", [5, 6, 5, 5]), ("4.1", [5, 5, 5, 6])]:
        maeve.go(f"/replay/file/?at={moment}&seat=all")
        for width in (320, 390, 768, 1024, 1280):
            page.set_viewport_size({"width": width, "height": 844})
            counts = [page.locator(f'.open[data-at="{seat}"] .card').count() for seat in "swne"]
            assert counts == hands
            assert page.evaluate(STICKING_OUT) == [], width
            assert page.evaluate(COVERED) == [], width


def test_ten_presses_are_ten_steps_on_a_slow_line(person: MakePerson, file: Path) -> None:
    maeve = person("Maeve", account=False)
    line = SlowLine(maeve.page)
    replay(maeve, file)
    for _ in range(10):
        maeve.page.keyboard.press("ArrowRight")
    line.let_through()
    expect(maeve.page).to_have_url(at("1.10"))
    assert line.asked == [f"1.{step}" for step in range(1, 11)]
    maeve.page.go_back()
    expect(maeve.page).to_have_url(at("1.9"))


def test_another_link_cancels_pending_steps(person: MakePerson, file: Path) -> None:
    maeve = person("Maeve", account=False)
    line = SlowLine(maeve.page)
    replay(maeve, file)
    for _ in range(5):
        maeve.page.keyboard.press("ArrowRight")
    maeve.page.get_by_role("link", name="Hand 3").click()
    expect(maeve.page).to_have_url(at("3.0"))
    maeve.page.keyboard.press("ArrowRight")
    expect(maeve.page).to_have_url(at("3.1"))
    assert line.asked == ["1.1", "3.0", "3.1"]


def test_focus_stays_on_the_pressed_control(person: MakePerson, file: Path) -> None:
    maeve = person("Maeve", account=False)
    replay(maeve, file)
    page = maeve.page

    def press(name: str, address: str) -> None:
        control = page.get_by_role("link", name=name, exact=True)
        control.focus()
        page.keyboard.press("Enter")
        expect(page).to_have_url(re.compile(re.escape(address) + "$"))
        expect(control).to_be_focused()

    press("Maeve North", "at=1.0&seat=north")
    press("What everybody saw", "at=1.0&seat=public")
    press("All hands", "at=1.0&seat=all")
    page.keyboard.press("ArrowRight")
    expect(page).to_have_url(at("1.1"))
    expect(page.get_by_role("link", name="All hands")).to_be_focused()
    press("Card back", "at=1.0&seat=all")
    page.keyboard.press("Enter")
    press("Hand 4 1–6", "at=4.0&seat=all")
    page.keyboard.press("PageDown")
    expect(page.locator(".slide")).to_contain_text("the hand is over")
    last = page.url.rpartition("?")[2]
    page.keyboard.press("ArrowLeft")
    expect(page).not_to_have_url(re.compile(last))
    press("Next card", last)
    expect(page.get_by_role("link", name="Next card")).to_be_disabled()


def test_lost_connection_is_reported_and_retried(person: MakePerson, file: Path) -> None:
    maeve = person("Maeve", account=False)
    maeve.expected = ("net::ERR_INTERNET_DISCONNECTED",)
    replay(maeve, file)
    note = maeve.page.get_by_role("status").get_by_text("The game could not be reached.")
    expect(note).to_be_hidden()
    maeve.context.set_offline(True)
    maeve.page.keyboard.press("ArrowRight")
    expect(note).to_be_visible()
    assert fits(maeve.page) == understandable(maeve.page) == faint(maeve.page) == []
    maeve.context.set_offline(False)
    maeve.page.keyboard.press("ArrowRight")
    expect(maeve.page).to_have_url(at("1.1"))
    expect(note).to_be_hidden()


def test_replay_fits_a_desktop_window(person: MakePerson, file: Path) -> None:
    maeve = person("Maeve", account=False)
    maeve.page.set_viewport_size({"width": 1280, "height": 800})
    replay(maeve, file)
    maeve.go("/replay/file/?at=1.10")
    card = maeve.page.locator(".mid .card").first
    expect(card).to_be_visible()
    bottom = maeve.page.evaluate(
        "Math.max(...['.board', 'ol.hs', '#replay-log'].map(one => "
        "document.querySelector(one).getBoundingClientRect().bottom))"
    )
    assert bottom <= 800
    assert maeve.page.evaluate(STICKING_OUT) == []
    assert maeve.page.evaluate(COVERED) == []
    box = card.bounding_box()
    assert box is not None
    assert box["width"] >= 84


def test_the_slider_leads_to_any_moment_of_the_hand(person: MakePerson, file: Path) -> None:
    maeve = person("Maeve", account=False)
    replay(maeve, file)
    slider = maeve.page.get_by_role("slider")
    steps = int(slider.get_attribute("max") or 0)
    slider.focus()
    maeve.page.keyboard.press("End")
    maeve.page.wait_for_url(f"**at=1.{steps}&seat=all")
    expect(slider).to_be_focused()
    maeve.page.keyboard.press("Home")
    maeve.page.wait_for_url("**at=1.0&seat=all")
    expect(slider).to_have_attribute("aria-valuetext", "The cards are dealt")
    assert len(maeve.page.locator("#replay-tricks option").all()) >= 3


def test_autoplay_runs_until_paused_or_over(person: MakePerson, file: Path) -> None:
    maeve = person("Maeve", account=False)
    maeve.page.clock.install()
    replay(maeve, file)
    play, pause = (maeve.page.get_by_role("button", name=name) for name in ("Play", "Pause"))
    play.click()
    maeve.page.wait_for_url("**at=1.1&*")
    maeve.page.clock.run_for(1500)
    maeve.page.wait_for_url("**at=1.2&*")
    maeve.page.keyboard.press("ArrowLeft")
    maeve.page.wait_for_url("**at=1.1&*")
    expect(play).to_be_visible()
    maeve.page.locator("h1").click()
    maeve.page.keyboard.press(" ")
    maeve.page.wait_for_url("**at=1.2&*")
    pause.click()
    expect(play).to_be_visible()
    maeve.page.locator("ol.hs a").last.click()
    maeve.page.wait_for_url(re.compile(r"at=[2-9]\.0&"))
    maeve.page.get_by_role("slider").focus()
    maeve.page.keyboard.press("End")
    expect(maeve.page.locator("a[data-step=card_on][href]")).to_have_count(0)
    play.click()
    expect(play).to_be_visible()
