"""Seats change hands: house players leave them, and owners find theirs again."""

from __future__ import annotations

import random
import re
from datetime import UTC, datetime, timedelta

from tests.browser.conftest import MakePerson
from tests.browser.person import PATIENCE, Person
from tests.browser.store import rows
from tests.browser.tables import all_show, mover, play_on, sit_together
from tests.served import Server

ONE_POINT = {"target": "1"}
#: How SQLite stores a moment.
STORED = "%Y-%m-%d %H:%M:%S.%f"


def play_until_over(people: list[Person]) -> None:
    chance = random.Random(8)
    while play_on(people, chance):
        pass


def copied_link(host: Person) -> str:
    """The table's invitation as "Copy" puts it into the clipboard."""
    host.context.grant_permissions(["clipboard-read", "clipboard-write"])
    host.page.get_by_role("button", name="Copy").click()
    host.page.get_by_role("button", name="Copied").wait_for()
    host.page.get_by_role("button", name="QR code").click()
    host.page.get_by_role("img", name="QR code of the link").wait_for()
    host.page.keyboard.press("Escape")
    link: str = host.page.evaluate("() => navigator.clipboard.readText()")
    assert link == host.invitation
    return link


def test_stranger_asks_for_a_house_seat_and_gets_it(person: MakePerson) -> None:
    maeve, ben = person("Maeve"), person("Ben")
    maeve.play_now()
    maeve.wait_until_live()
    while maeve.wait_for_turn() != "card":
        maeve.press(maeve.choices.first)
    maeve.play_a_card()
    maeve.wait_for_turn()
    ben.go("/play/")
    ben.take_seat_in_lobby("Ask for a seat", maeve.table_id)
    ben.page.get_by_text("You have asked for a seat: North").wait_for()
    assert not ben.page.locator("#hand [data-card], #hand button").count()
    told = maeve.page.get_by_role("status").filter(has_text="Ben asks for a seat: North.")
    told.wait_for()
    let_in = maeve.page.get_by_role("button", name="Let in Ben")
    let_in.focus()
    maeve.page.keyboard.press("Enter")
    north = maeve.page.locator(".seat[data-at=north]")
    north.locator(".name").get_by_text("Ben").wait_for()
    assert not north.get_by_text("House").count()
    maeve.page.get_by_role("status").filter(has_text="Ben sits down: North.").wait_for()
    ben.page.locator(".seat[data-at=south] .name").get_by_text("Ben").wait_for()
    ben.wait_until_live()
    people = [maeve, ben]
    for _ in range(6):
        if not play_on_among_house_players(people):
            break


def play_on_among_house_players(people: list[Person]) -> bool:
    """Let whoever of them is asked choose; house players do the rest."""
    one = mover(people)
    if one.now()["over"]:
        return False
    one.press(one.choices.first)
    return True


def test_house_plays_for_an_absent_player_until_they_return(person: MakePerson) -> None:
    people = [person(name) for name in ("Maeve", "Ben")]
    maeve, ben = people
    sit_together(people, "heads-up")
    while mover(people) is not ben:
        maeve.press(maeve.choices.first)
    north = maeve.page.locator(".seat[data-at=north]")
    ben.page.goto("about:blank")
    north.get_by_text("Away", exact=True).wait_for()
    told = maeve.page.locator("#line")
    told.get_by_text(re.compile("^Ben is away; a house player plays in .* seconds?")).wait_for()
    maeve.wait_for_turn()  # without a vote
    north.get_by_text(", a house player plays for Ben").wait_for(state="attached")
    maeve.press(maeve.choices.first)
    ben.go(f"/tables/{maeve.table_id}/")
    ben.wait_until_live()
    north.get_by_text("Away", exact=True).wait_for(state="hidden")
    assert not ben.page.get_by_text("A house player is playing for you").count()
    for _ in range(4):
        one = mover(people)
        one.press(one.choices.first)
    all_show(people)


def test_empty_seat_is_filled_on_request_and_taken_back(person: MakePerson, server: Server) -> None:
    people = [person(name) for name in ("Maeve", "Ben")]
    maeve, ben = people
    sit_together(people, "heads-up", house_after="never")
    while mover(people) is not ben:
        maeve.press(maeve.choices.first)
    ben.page.goto("about:blank")
    ask = maeve.page.get_by_role("button", name="Ask a house player to play for Ben")
    assert not ask.count()
    maeve.page.locator("#prompt").get_by_text("Waiting for Ben").filter(visible=True).wait_for()
    long_ago = datetime.now(UTC) - timedelta(seconds=55)
    rows(
        server,
        "UPDATE games_seat SET last_seen = ? WHERE table_id = ? AND position = 0",
        f"{long_ago:{STORED}}", maeve.table_id,
    )  # fmt: skip
    ask.click(timeout=3000 * PATIENCE)  # a house player may be asked for after a minute
    maeve.page.locator(".seat[data-at=north]").get_by_text("plays for Ben").wait_for(
        state="attached"
    )
    maeve.wait_for_turn()
    maeve.press(maeve.choices.first)
    ben.go(f"/tables/{maeve.table_id}/")
    ben.wait_until_live()
    assert not ben.page.get_by_text("A house player is playing for you").count()
    for _ in range(4):
        one = mover(people)
        one.press(one.choices.first)
    all_show(people)


def test_the_same_seats_play_again(person: MakePerson) -> None:
    people = [person(name) for name in ("Maeve", "Ben", "Iris", "Jonah")]
    host = people[0]
    host.make_table("house-rules", open=False, house_rules=ONE_POINT)
    link = copied_link(host)
    for guest, seat in zip(people[1:], ("West", "North", "East"), strict=True):
        guest.page.goto(link)
        guest.sit_here(seat)
    for one in people:
        one.wait_until_live()
    play_until_over(people)
    game, names = host.stamp.split(".")[0], host.page.locator(".seat .name").all_inner_texts()
    people[2].page.get_by_role("button", name="Play again").click()
    for one in people:
        one.until(f"() => document.getElementById('stamp').value === '{int(game) + 1}.0'")
    assert host.page.locator(".seat .name").all_inner_texts() == names
    play_on(people, random.Random(1))


def test_a_guest_keeps_name_and_seat_by_signing_up(person: MakePerson) -> None:
    maeve = person("Maeve", account=False)
    maeve.play_now()
    maeve.wait_until_live()
    maeve.wait_for_turn()
    table, cards = maeve.path, maeve.cards.count()
    maeve.go("/you/name/")
    name = maeve.page.get_by_label("Name", exact=True).input_value()
    maeve.go("/accounts/signup/")
    assert maeve.page.get_by_text(f"{name}, your seats and games come with you.").is_visible()
    assert maeve.page.get_by_label("Name at the table").input_value() == name
    maeve.page.get_by_label("E-mail address").fill("maeve.the.guest@example.com")
    maeve.page.get_by_label("Password").fill("a quiet bower")
    maeve.page.get_by_role("button", name="Sign up").click()
    maeve.page.get_by_role("link", name=re.compile("^Back to your seat")).first.click()
    assert maeve.path == table
    maeve.wait_until_live()
    assert maeve.cards.count() == cards
    maeve.press(maeve.choices.first)
    assert maeve.page.locator(".seat[data-at=south] .name").inner_text() == name.split()[-1]
    maeve.go("/you/name/")
    assert maeve.page.get_by_label("Name", exact=True).input_value() == name
    assert not maeve.page.get_by_text("Guest", exact=True).count()


def test_the_lobby_keeps_itself_up_to_date(person: MakePerson) -> None:
    otto, maeve = person("Otto", account=False), person("Maeve")
    otto.go("/play/")
    with otto.no_reload():
        maeve.make_table("heads-up")
        made = otto.page.get_by_text(f"Table {maeve.table_id}, made by Maeve")
        made.wait_for()
        maeve.page.get_by_role("button", name="Stand up").click()
        made.wait_for(state="detached")


def test_the_finished_game_has_its_score_sheet_and_log(person: MakePerson) -> None:
    host = person("Maeve")
    house = dict.fromkeys(("north", "east", "west"), "house")
    host.make_table("house-rules", seats=house, house_rules={"target": "3"})
    host.wait_until_live()
    play_until_over([host])
    head = host.question[0]
    hands = int(host.page.locator("#facts dd").first.inner_text())
    host.page.get_by_role("link", name="Score sheet").click()
    host.page.wait_for_url("**/games/*/")
    sheet = host.page.locator("table.score-sheet tbody tr")
    assert sheet.count() == hands
    last = [text.split()[-1] for text in sheet.last.locator("td.num").all_inner_texts()]
    numbers = sorted((int(text) for text in re.findall(r"\d+", head)), reverse=True)
    assert sorted(map(int, last[-2:]), reverse=True) == numbers
    logs = host.page.locator("details.more")
    assert logs.count() == hands
    if hands > 1:  # only the last stands open
        assert "turned up" not in logs.first.inner_text()
        logs.first.locator("summary").click()
    assert "turned up" in logs.first.inner_text()
    host.page.get_by_role("button", name="Play again").click()
    host.page.wait_for_url("**/tables/*/")
    host.until("() => document.getElementById('stamp').value.startsWith('2.')")
