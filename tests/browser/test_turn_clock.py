"""The ring of the turn clock runs down, says when little is left, and ends in a house player."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from tests.browser import checks
from tests.browser.conftest import MakePerson
from tests.browser.person import Person
from tests.browser.store import rows
from tests.browser.tables import mover, sit_together
from tests.served import Server

#: Seconds that a page may sleep and still trust its socket.
STEP = 30
RING = "#turn[data-ends] ~ .seat[data-at=south] .clock[data-running]"


@contextmanager
def turns_of(server: Server, seconds: int) -> Iterator[None]:
    """While this holds, everybody at a new table may take so long to act."""
    change = f"UPDATE games_table SET turn_seconds = {seconds} WHERE id = NEW.id"  # noqa: S608
    rows(server, f"CREATE TRIGGER clocked AFTER INSERT ON games_table BEGIN {change}; END")
    try:
        yield
    finally:
        rows(server, "DROP TRIGGER clocked")


def sit_down(server: Server, people: list[Person], seconds: int) -> Person:
    """Sit down together at a table with a turn clock; returns whose turn it is."""
    with turns_of(server, seconds):
        # A page whose clock jumps takes its line for dead: nobody is to be played for by that.
        sit_together(people, "heads-up", house_after="never")
    return mover(people)


def pass_by(one: Person, seconds: int) -> None:
    """Let seconds pass in one browser, in steps after which it does not think it has slept."""
    for begun in range(0, seconds, STEP):
        one.page.clock.fast_forward(1000 * min(STEP, seconds - begun))


#: Keeps all that is read out; the next sentence may come at once, as when the line is lost.
HEARD = """() => {
  const live = document.getElementById("live");
  window.heard = [];
  new MutationObserver(() => window.heard.push(live.textContent)).observe(live, {childList: true});
}"""


def gone(one: Person) -> float:
    """How much of the ring is gone, of 100."""
    offset = one.page.locator(f"{RING} .left").get_attribute("stroke-dashoffset")
    return float(offset or 0)


def test_the_ring_runs_down_and_speaks_once(person: MakePerson, server: Server) -> None:
    people = [person("Maeve"), person("Ben")]
    for one in people:
        one.page.clock.install()
        # The line of a clock that jumps is given up, also while it is being opened.
        one.expected = ("closed before the connection", "htmx:ws:error")
    one = sit_down(server, people, 360)
    other = next(each for each in people if each is not one)
    assert one.page.locator(".clock[data-running]").count() == 1
    assert other.page.locator('.seat[data-at="north"] .clock[data-running]').count() == 1
    one.page.evaluate(HEARD)
    before = gone(one)
    pass_by(one, 180)
    one.until(f"() => document.querySelector('{RING} .left')"
              ".getAttribute('stroke-dashoffset') >= 50")  # fmt: skip
    assert before < gone(one)
    assert "Ten seconds" not in one.page.locator("#live").inner_text()
    pass_by(one, 171)
    one.page.locator(f"{RING}.low").wait_for()
    one.until("() => /^[0-9]$/.test("
              "document.querySelector('.seat[data-at=south] .seconds').textContent)")  # fmt: skip
    one.until("() => window.heard.includes('Ten seconds left.')")
    assert other.page.locator("#live").get_by_text("Ten seconds").count() == 0
    assert checks.faint(one.page) == []
    one.wait_until_live()
    one.press(one.choices.first)
    assert "Ten seconds" not in one.page.locator("#live").inner_text()
    assert (
        one.page.evaluate("() => window.heard.filter(one => /Ten seconds/.test(one)).length") == 1
    )
    assert one.page.locator(".seat[data-at=south] .seconds").inner_text() == ""


def test_house_player_plays_after_time_runs_out_until_the_player_returns(
    person: MakePerson, server: Server
) -> None:
    one = sit_down(server, [person("Maeve"), person("Ben")], 5)
    prompt = one.page.locator("#prompt")
    prompt.get_by_text("A house player is playing for you").wait_for()
    assert one.page.locator(".seat[data-at=south] .mark.house").count() == 1
    prompt.get_by_role("button", name="Take my seat back").click()
    one.page.locator(".seat[data-at=south] .mark.house").wait_for(state="detached")
