"""The director's page in a browser: it keeps itself up to date and nothing half done is lost."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from itertools import count

import pytest
from playwright.sync_api import expect

from tests.browser.checks import covered, faint, fits, understandable
from tests.browser.club_night import Night, found_club, join, make_members, register, set_up
from tests.browser.conftest import MakePerson
from tests.browser.person import Person
from tests.browser.store import rows
from tests.served import Server

NUMBERS = count(1)
#: The news alone lets the page know of changes.
NO_POLLING = """() => {
  const part = document.getElementById("now");
  part.setAttribute("hx-trigger", "news throttle:2s");
  htmx.process(part, true);
}"""
#: The page asks for news of an event that there is not.
NOT_THERE = """const { WebSocket } = window;
window.WebSocket = class extends WebSocket {
  constructor(address) { super(address.replace(/events\\/\\d+/, "events/0")); }
};"""
NOTE_CLOSED = """document.addEventListener("htmx:ws:close", (event) => {
  window.lastClosed = event.detail.connection.config;
})"""


def event_of(greta: Person) -> str:
    """Let Greta found a club and publish an event; the path of its director's page."""
    page = greta.page
    greta.go(f"{found_club(greta)}events/new/")
    page.get_by_label("Name", exact=True).fill("Thursday")
    page.locator('[name="starts"]').fill(f"{datetime.now(tz=UTC).year + 1}-11-26T19:30")
    page.locator('[name="capacity"]').fill("16")
    page.get_by_text("Pace and no-shows").click()
    page.locator('[name="round_minutes"]').fill("20")
    page.get_by_role("button", name="Publish", exact=True).click()
    page.wait_for_url("**/events/*/")
    page.get_by_role("link", name="Direct").click()
    page.wait_for_url("**/manage/")
    return greta.path


def let_in(greta: Person, path: str, number: int) -> None:
    """Let house players come in, in another tab of Greta's."""
    tab = greta.context.new_page()
    tab.goto(f"{greta.address}{path}")
    tab.get_by_label("How many").fill(str(number))
    tab.get_by_role("button", name="Add them").click()
    expect(tab.get_by_role("status")).to_contain_text("House players have been added")
    tab.close()


def post_message(greta: Person, path: str, text: str) -> None:
    """Let a message be posted in another tab of Greta's."""
    tab = greta.context.new_page()
    tab.goto(f"{greta.address}{path}manage/")
    tab.get_by_label("Your message").fill(text)
    tab.get_by_role("button", name="Tell everybody").click()
    expect(tab.get_by_role("status")).to_contain_text("on the event’s page")
    tab.close()


def in_the_room(greta: Person, server: Server, names: list[str]) -> Night:
    """Let eight members play in the room, in an event that Greta directs; its round 1 is drawn."""
    page, club = greta.page, found_club(greta)
    night = set_up(greta, club, "Thursday", 8, format="rotation", rounds="2", place="room")
    make_members(server, club, names)
    greta.go(f"{night.path}manage/import/")
    page.get_by_label("Or paste").fill("\n".join(("players_name", *names)))
    page.get_by_role("button", name="Preview it").click()
    page.get_by_role("button", name="Import 8 of 8 lines").click()
    night.start_now()
    return night


def card_of(server: Server, path: str, name: str) -> tuple[str, int]:
    """The code of the score card at which somebody plays, and its table's number."""
    ((code, number),) = rows(
        server,
        "SELECT room.code, room.number FROM tournaments_roomtable AS room"
        " JOIN tournaments_pairing AS match ON match.number = room.number"
        " JOIN tournaments_round AS round ON round.id = match.round_id"
        " AND round.event_id = room.event_id"
        " JOIN tournaments_pairingentry AS line ON line.pairing_id = match.id"
        " JOIN tournaments_entryplayer AS seat ON seat.entry_id = line.entry_id"
        " JOIN games_player AS player ON player.id = seat.player_id"
        " WHERE room.event_id = ? AND player.name = ?",
        int(path.split("/")[2]),
        name,
    )
    return str(code), int(str(number))


def test_changes_are_shown_and_half_typed_text_is_kept(person: MakePerson) -> None:
    greta = person("Greta")
    path = event_of(greta)
    page = greta.page
    page.evaluate(NO_POLLING)
    page.get_by_label("Your message").fill("Tea after the sec")
    page.get_by_role("button", name="Start now …").click()
    asked = page.locator("#start-now")
    expect(asked).to_be_visible()
    with greta.no_reload():
        let_in(greta, path, 8)
        expect(page.get_by_text("8 are in now")).to_be_visible()
        expect(asked).to_be_visible()
        assert page.get_by_label("Your message").input_value() == "Tea after the sec"
    asked.get_by_role("button", name="Start the event").click()
    expect(page.get_by_role("heading", name="Tables of round 1")).to_be_visible()


def test_what_is_open_and_where_one_is_stays_as_the_page_updates(
    person: MakePerson, server: Server
) -> None:
    greta = person("Greta")
    page = greta.page
    night = in_the_room(greta, server, [f"Guest{number}" for number in range(8)])
    greta.go(f"{night.path}manage/")
    page.evaluate(NO_POLLING)
    words = page.get_by_label("Your message")
    acts = page.locator("#acts-round")
    acts.locator("summary").click()
    deed = acts.locator("a[href]").first
    with greta.no_reload():
        for place in (words, acts.locator("summary"), deed):
            place.focus()
            if place is words:
                page.keyboard.type("Tea")
            post_message(greta, night.path, text := f"Message {next(NUMBERS)}")
            expect(page.locator("#now")).to_contain_text(text)
            expect(acts).to_have_attribute("open", "")
            expect(deed).to_be_visible()
            expect(place).to_be_focused()
            assert words.input_value() == "Tea"


def test_somebody_found_is_withdrawn_and_put_back(person: MakePerson, server: Server) -> None:
    phone = {"width": 390, "height": 844}
    greta, tom = person("Greta", viewport=phone), person("Tomas", viewport=phone, account=False)
    page, card = greta.page, tom.page.locator("#card")
    names = ["Quentin", *(f"Visitor{number}" for number in range(7))]
    night = in_the_room(greta, server, names)
    greta.go(f"{night.path}manage/")
    parts = [page.locator(one) for one in (".control", "#find", ".floor", "#console-log section")]
    tops = [part.first.bounding_box()["y"] for part in parts]  # type: ignore[index]
    assert tops == sorted(tops), "the order of a phone"
    # What was found stays as the page updates itself.
    page.evaluate(NO_POLLING)
    find, found = page.get_by_label("Name, table or code of a card"), page.locator("#people-found")
    find.press_sequentially("2")
    expect(found.get_by_role("link", name="Open table 2")).to_be_visible()
    for check in (fits, covered, understandable, faint):
        assert check(page) == [], check.__name__
    find.focus()
    with greta.no_reload():
        post_message(greta, night.path, "Coffee is ready.")
        expect(page.locator("#console-log")).to_contain_text("Coffee is ready.")
        expect(found.get_by_role("link", name="Open table 2")).to_be_visible()
        expect(find).to_be_focused()
        assert find.input_value() == "2"
    # The score card of Quentin's table, open on a phone without an account.
    code, number = card_of(server, night.path, "Quentin")
    tom.go(f"/t/{code}/")
    expect(card).to_contain_text("Coffee is ready.")
    # Withdrawn: what changes is shown first, and the open card says who has left.
    find.fill("quen")
    expect(found).to_contain_text(f"Table {number}, in the room")
    found.get_by_role("link", name="Withdraw").click()
    expect(page.get_by_text("What will change", exact=True)).to_be_visible()
    expect(page.locator(".will")).to_contain_text("withdrawn")
    page.get_by_label("Reason").fill("A headache.")
    with tom.no_reload():
        page.get_by_role("button", name="Withdraw Quentin").click()
        expect(page.get_by_role("heading", name="Who plays for Quentin?")).to_be_visible()
        expect(card).to_contain_text("Quentin (left)")
    # Put back from where they were found, undone and put back again.
    greta.go(f"{night.path}manage/people/?q=quen")
    for _time in range(2):
        page.get_by_role("link", name="Put back").click()
        page.get_by_role("button", name="Put Quentin back").click()
        done = page.get_by_role("status").filter(has_text="Quentin: back in the event.")
        expect(done).to_be_visible()
        expect(page.get_by_role("link", name="Withdraw")).to_be_visible()
        if not _time:
            done.get_by_role("link", name="Undo").click()
            page.get_by_role("button", name="Undo").click()
            expect(page.get_by_role("status")).to_contain_text("Undone.")
    expect(card).not_to_contain_text("(left)")
    for check in (fits, covered, understandable, faint):
        assert check(page) == [], check.__name__


def test_page_survives_an_outage_and_resumes(person: MakePerson) -> None:
    greta = person("Greta")
    path = event_of(greta)
    greta.expected = ("502",)
    page, title = greta.page, greta.page.title()
    down = "<!doctype html><title>Bad gateway</title><h1>Bad gateway</h1>"
    page.route("**/manage/*", lambda route: route.fulfill(status=502, body=down))
    with greta.no_reload():
        with page.expect_response("**/manage/*") as answer:
            let_in(greta, path, 3)
        assert answer.value.status == 502
        with page.expect_response("**/manage/*"):  # it asks again
            pass
        expect(page.get_by_role("heading", name="Directing: Thursday")).to_be_visible()
        expect(page.get_by_text("Bad gateway")).to_have_count(0)
        assert page.title() == title
        page.unroute("**/manage/*")
        expect(page.get_by_text("3 are in now")).to_be_visible()


def test_removed_director_is_notified(person: MakePerson, server: Server) -> None:
    greta = person("Greta")
    path = event_of(greta)
    greta.expected = ("403",)
    page = greta.page
    rows(
        server,
        "UPDATE tournaments_membership SET role = 'member' WHERE club_id ="
        " (SELECT club_id FROM tournaments_event WHERE id = ?)",
        int(path.split("/")[2]),
    )
    expect(page.get_by_role("heading", name="Directing: Thursday")).to_have_count(0)
    expect(page.get_by_role("main")).to_have_count(1)
    expect(page).to_have_title(re.compile("^You cannot do this"))


def test_refused_socket_is_not_reopened(person: MakePerson) -> None:
    greta = person("Greta")
    path = event_of(greta)
    greta.page.add_init_script(NOT_THERE)
    greta.page.add_init_script(NOTE_CLOSED)
    greta.go(path)
    greta.until("() => window.lastClosed")
    assert greta.page.evaluate("() => window.lastClosed.reconnect") is False


def test_an_event_is_directed_by_hand(person: MakePerson) -> None:
    greta, nora = person("Greta"), person("Nora")
    path = event_of(greta)
    page = greta.page
    let_in(greta, path, 7)
    page.get_by_role("link", name="Event page").click()
    club = page.get_by_role("link", name=re.compile("^The Ferry")).first.get_attribute("href")
    join(nora, str(club))
    register(nora, str(club), "Thursday")
    greta.go(path)
    page.get_by_role("button", name="Start now …").click()
    page.get_by_role("button", name="Start the event").click()
    expect(page.get_by_text("Waits for Nora")).to_be_visible()
    page.get_by_role("button", name="+ 5 min for all").click()
    expect(page.locator("#dial time")).to_be_visible()
    first = page.locator("#dial time").inner_text()
    expect(page.locator("#dial time")).not_to_have_text(first)
    page.get_by_role("button", name="Pause").click()
    expect(page.get_by_text("Paused since")).to_be_visible()
    page.get_by_role("button", name="Go on").click()
    row = page.locator(".floor > li").filter(has_text="Waits for Nora")
    row.get_by_role("link", name="Enter").click()
    page.locator('[name="winner"][value="0"]').check()
    page.get_by_label("Points of").first.fill("6")
    page.get_by_label("Points of").last.fill("3")
    page.get_by_label("Reason").fill("The net failed.")
    page.get_by_role("button", name="Show what will change").click()
    page.get_by_role("button", name="Set the result").click()
    expect(page.get_by_text("The net failed.")).to_be_visible()
    expect(page.get_by_text("By the director")).to_be_visible()
    page.get_by_label("Your message").fill("Well played, everybody.")
    page.get_by_role("button", name="Tell everybody").click()
    expect(page.locator("#console-log").get_by_text("Well played, everybody.")).to_be_visible()
    page.locator("#console-log .pad a").click()
    with page.expect_download() as file:
        page.get_by_role("link", name="All that happened, as CSV").click()
    assert "Well played, everybody." in file.value.path().read_text("utf-8-sig")


@pytest.mark.parametrize(
    ("size", "scheme"),
    [
        pytest.param((1280, 900), "light", marks=pytest.mark.thorough),
        ((390, 844), "dark"),
        pytest.param((320, 640), "light", marks=pytest.mark.thorough),
    ],
)
def test_director_page_is_accessible(
    person: MakePerson, size: tuple[int, int], scheme: str
) -> None:
    greta = person("Greta", viewport={"width": size[0], "height": size[1]}, color_scheme=scheme)
    path = event_of(greta)
    let_in(greta, path, 5)
    greta.go(f"{path}door/")
    entry = greta.page.locator("a", has_text="Withdraw").first.get_attribute("href")
    pages = [path, f"{path}door/", f"{path}door/?q=xan", str(entry)]
    greta.go(path)
    greta.page.get_by_role("button", name="Start now …").click()
    greta.page.get_by_role("button", name="Start the event").click()
    greta.page.locator(".floor > li").first.wait_for()
    pages.append(f"{path}rounds/1/tables/1/")
    for one in pages:
        greta.go(one)
        for check in (fits, covered, understandable, faint):
            assert check(greta.page) == [], (one, check.__name__)
