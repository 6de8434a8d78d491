"""The screen in the room: readable from ten metres, whole on old televisions, running by itself."""

from __future__ import annotations

import re

import pytest
from django.test import Client
from django.utils import timezone
from playwright.sync_api import Browser, Page, Route, expect

from tests.browser.conftest import MakePerson
from tests.browser.no_server import SITE, serve
from tests.browser.test_event_page import begin, event_of
from tests.browser.test_sheets import longest
from tests.served import Server
from tests.tournaments import build
from tournaments.models import Event, Pairing

pytestmark = pytest.mark.django_db

SIZES = ((1920, 1080), (1280, 720), (1024, 768), (800, 600))
#: No name is squeezed to less of its width.
LEAST = 0.75
#: The height of capital letters is 0.7 of the type size in common fonts.
SMALLEST = 3.5  # % of the screen's height: capitals of 2.5 %
MARGIN = 4  # % that old televisions may cut
#: Of the picture shown: letters too small, and what is cut or lies in the margins.
WRONG = """([smallest, margin, least]) => {
  const slide = document.querySelector(".slide[data-shown]");
  const wrong = [];
  for (const one of [...slide.querySelectorAll("*"), document.getElementById("sound")]) {
    const own = [...one.childNodes].some(node => node.nodeType === 3 && node.data.trim());
    if (!own || one.closest(".unseen") || !one.getClientRects().length) continue;
    const what = one.outerHTML.slice(0, 90);
    const size = 100 * parseFloat(getComputedStyle(one).fontSize) / innerHeight;
    if (size < smallest) wrong.push(`${size.toFixed(2)} %: ${what}`);
    if (new DOMMatrix(getComputedStyle(one).transform).a < least - 0.001) {
      wrong.push(`squeezed: ${what}`);
    }
    if (one.closest(".body") && one.matches(".fit") && one.scrollWidth > one.clientWidth + 1) {
      wrong.push(`ends with dots: ${what}`);
    }
    const text = document.createRange();
    text.selectNodeContents(one);
    const at = (one.matches(".fit") ? one : text).getBoundingClientRect();
    const blank = parseFloat(getComputedStyle(one).fontSize) / 10; // above and below the letters
    const [x, y] = [innerWidth * margin / 100 - 1, innerHeight * margin / 100 - blank];
    if (at.left < x || at.right > innerWidth - x) wrong.push(`beside: ${what}`);
    if (at.top < y || at.bottom > innerHeight - y) wrong.push(`above or below: ${what}`);
    const cell = one.closest("td, th, .name, .names, .what, .body, footer, body");
    const room = cell.getBoundingClientRect();
    if (at.right > room.right + 1 || at.bottom > room.bottom + blank) wrong.push(`cut: ${what}`);
  }
  const [body, foot] = [slide.querySelector(".body"), slide.querySelector("footer")];
  const lowest = Math.max(...[...body.querySelectorAll("*:not(.unseen)")]
    .map(one => one.getBoundingClientRect().bottom));
  if (lowest > foot.getBoundingClientRect().top + 2) wrong.push("runs into the foot");
  return wrong;
}"""


def screen_of(event: Event, page: Page) -> list[str]:
    """Show an event's screen as it is now, without a socket; the names of its pictures."""
    text = Client().get(f"/events/{event.pk}/projector/").text

    def nothing_new(route: Route) -> None:
        if "hx-request" in route.request.headers:
            route.fulfill(status=503)
        else:
            route.fallback()

    serve(page, {"/": text})
    page.route("**/*", nothing_new)
    page.route_web_socket("**/*", lambda _socket: None)
    page.goto(f"{SITE}/")
    names: list[str] = page.evaluate("[...document.querySelectorAll('.slide')].map(one => one.id)")
    return names


def shown(page: Page) -> str:
    name: str = page.locator(".slide[data-shown]").get_attribute("id") or ""
    return name


def checked(event: Event, page: Page) -> None:
    """Look at every picture in every size."""
    page.clock.install()
    for width, height in SIZES:
        page.set_viewport_size({"width": width, "height": height})
        names = screen_of(event, page)
        for name in names:
            picture = page.locator(f"#{name}")
            expect(picture).to_have_attribute("data-half", "1")
            for half in range(1, 1 + int(picture.get_attribute("data-halves") or "")):
                expect(picture).to_have_attribute("data-shown", "")
                expect(picture).to_have_attribute("data-half", f"{half}")
                wrong = page.evaluate(WRONG, [SMALLEST, MARGIN, LEAST])
                assert wrong == [], (name, half, width, height)
                page.clock.run_for(20_500)
        assert shown(page) == names[0]  # once round


def played_rounds(event: Event, number: int) -> None:
    now = timezone.now()
    for _round in range(number):
        build.latest(event).pairings.update(
            state=Pairing.State.DECIDED, how=Pairing.How.PLAYED, winner=0, points_0=10, points_1=8,
            decided=now,
        )  # fmt: skip
        build.step(event, now)


def test_a_full_room_is_readable(page: Page) -> None:
    event = build.event(rounds=9, round_minutes=20, name="The Old Mill’s Friday, " * 3)
    build.let_in(event, longest(55))
    build.begin(event, timezone.now())
    played_rounds(event, 2)
    for text in ("W" * 300, "Tea and cake after this round. " * 9):
        event.notices.create(text=text, public=True)
    checked(event, page)


@pytest.mark.parametrize("format_", ["single_elimination", "double_elimination"])
def test_partnerships_in_a_bracket_are_readable(page: Page, format_: str) -> None:
    event = build.event(format=format_, minimum=2)
    build.let_in(event, longest(32))
    build.begin(event, timezone.now())
    played_rounds(event, 1)
    checked(event, page)
    played_rounds(event, 12)
    checked(event, page)


def test_before_the_start_it_is_readable(page: Page) -> None:
    checked(build.event(name="N" * 80), page)


def test_the_clock_ends_with_words_and_a_sound(page: Page) -> None:
    page.add_init_script(
        "window.tones = 0; const Tone = OscillatorNode;"
        "window.OscillatorNode = class extends Tone {"
        "  constructor(...given) { super(...given); window.tones += 1; } };"
    )
    page.clock.install()
    event = build.event(round_minutes=1)
    build.enter(event, 4)
    build.begin(event, timezone.now())
    screen_of(event, page)
    clock = page.locator(".slide[data-shown] time")
    expect(clock).to_have_text(re.compile(r"^(1:00|0:5\d)$"))
    page.get_by_role("button", name="Turn on the sound").click()
    expect(page.locator("#sound")).to_be_hidden()
    before = page.evaluate("tones")
    assert before == 3  # so that one hears how loud it is
    page.clock.run_for(61_000)
    expect(clock).to_have_text("Finish the hand")
    page.clock.run_for(10_000)
    assert page.evaluate("tones") == 2 * before


def test_without_scripts_everything_stands_below_each_other(browser: Browser) -> None:
    event = build.event(rounds=3)
    build.enter(event, 12)
    build.begin(event)
    played_rounds(event, 1)
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.set_content(Client().get(f"/events/{event.pk}/projector/").text)
    for heading in ("Round 2", "Standings"):
        expect(page.get_by_role("heading", name=re.compile(heading)).first).to_be_visible()
    context.close()


def test_it_updates_itself(person: MakePerson, server: Server) -> None:
    greta = person("Greta")
    path = event_of(greta)
    greta.go(f"{path}projector/")
    expect(greta.page.get_by_role("heading", name="Welcome")).to_be_visible()
    with greta.no_reload():
        begin(greta, path, 8)
        expect(greta.page.get_by_role("heading", name=re.compile("^Round 1"))).to_be_visible()
        expect(greta.page.locator("#screen-tables-1 tbody tr")).to_have_count(2)
