"""A whole evening through the pages: tables in the room and online, mistakes, and a dead server."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from tests.browser.club_night import answer_call, at_tables, found_club, play_matches, set_up
from tests.browser.conftest import MakePerson
from tests.browser.evening import (
    Evening,
    Score,
    as_exported,
    make_members,
    score_in,
    worked_out,
)
from tests.browser.person import OUTAGE, play_on
from tests.browser.test_outage import come_back
from tests.served import Server

pytestmark = pytest.mark.slow

NAMES = (
    "Alma", "Bess", "Carl", "Dora", "Egon", "Fritz", "Gesa", "Hugo", "Ilse", "Jens", "Kurt",
    "Lena", "Mina", "Nils", "Olga", "Paul", "Rosa", "Sven", "Tilda", "Udo", "Vera", "Wanda",
)  # fmt: skip
ROUNDS, HANDS, ROOM_FROM = 8, 2, 3


def begun(maeve_and_all: MakePerson, server: Server) -> Evening:
    """Maeve's evening of 22 players at five tables, of which two are online; round 1 is drawn."""
    maeve = maeve_and_all("Maeve", server=server)
    maeve.expected = OUTAGE
    club = found_club(maeve)
    night = set_up(
        maeve, club, "Club night", 24,
        format="progressive", rounds=str(ROUNDS), rules="stick-the-dealer", place="mixed",
        room_from=str(ROOM_FROM), match="deals", deals=str(HANDS), break_seconds="0",
        check_in_minutes="0", sit_out="average",
    )  # fmt: skip
    keys = make_members(server, club, NAMES)
    page = maeve.page
    maeve.go(f"{night.path}manage/import/")
    page.get_by_label("Or paste").fill("\n".join(("players_name", *NAMES[2:])))
    page.get_by_role("button", name="Preview it").click()
    page.get_by_role("button", name=f"Import {len(NAMES) - 2} of {len(NAMES) - 2} lines").click()
    for name in NAMES[:2]:  # these come to the desk
        maeve.go(f"{night.path}manage/people/")
        page.get_by_label("Name", exact=True).fill(name)
        page.get_by_role("link", name=f"Enter {name}").click()
        page.get_by_role("button", name=f"Enter {name}").click()
        page.wait_for_url("**/manage/")
    night.start_now()
    return Evening(night, maeve_and_all, server, keys, HANDS)


def play_online(
    evening: Evening, round_: int, chance: random.Random, killed: Server | None = None
) -> None:
    """Let the four of table 1 play their match in browsers; killed: a server to kill meanwhile."""
    four = evening.called_to(round_, 1)
    for one in four:
        one.expected = OUTAGE
        answer_call(one, round_)
    at_tables(four)
    if killed is not None:
        for _action in range(5):
            play_on(four, chance)
        killed.kill()
        come_back(four, killed)
    play_matches(four, chance)
    evening.note_played(round_, 1)
    for one in four:
        one.context.close()


def correct_and_draw_again(evening: Evening) -> None:
    """Correct a result of round 3 when round 4 is drawn already, and have that drawn again."""
    maeve = evening.night.director
    other = Score(6, 0) if evening.book[3, 4].winner == 1 else Score(0, 6)
    evening.set_by_hand(3, 4, other, reason="The card was read upside down.")
    before = evening.tables(4)
    maeve.go(f"{evening.night.path}manage/rounds/4/again/")
    maeve.page.get_by_label("Reason").fill("A result of round 3 was wrong.")
    maeve.page.get_by_role("button", name="Draw round 4 again").click()
    maeve.page.wait_for_url("**/manage/*")
    assert evening.tables(4) != before, "who won moves up"


def undo_latest(evening: Evening) -> None:
    maeve = evening.night.director
    maeve.go(f"{evening.night.path}acts/")
    maeve.page.get_by_role("link", name="Undo").first.click()
    maeve.page.get_by_role("button", name="Undo").click()
    maeve.page.wait_for_url("**/acts/")


def test_the_standings_of_a_whole_evening(
    person: MakePerson, start_server: Callable[..., Server]
) -> None:
    chance = random.Random(13)
    server = start_server()
    evening = begun(person, server)
    play_online(evening, 1, chance)
    evening.set_by_hand(1, ROOM_FROM, Score.by_chance(HANDS, chance))
    for number in range(1, ROUNDS + 1):
        evening.floor(number)
        if number == 2:
            play_online(evening, 2, chance, killed=server)
        elif number == 4:
            correct_and_draw_again(evening)
        elif number == 5:  # the score of another table
            evening.set_by_hand(5, 4, Score(8, 0))
            undo_latest(evening)
            del evening.book[5, 4]
        evening.finish_round(number, chance)

    # Everybody sees what a plain count of what was played gives.
    maeve, page = evening.night.director, evening.night.director.page
    maeve.go(evening.night.path)
    expect(page.locator("#event-standings")).to_contain_text("Final")
    results = evening.export("results")
    assert {(row["round"], row["table"]): score_in(row) for row in results} == evening.book
    assert len(evening.book) == 5 * ROUNDS
    counted = worked_out(evening.export("entries"), evening.export("pairings"), results)
    assert as_exported(evening.export("standings")) == counted
    assert {line.sat_out for line in counted} == {0, 1}
    for line in counted[:3]:
        expect(page.locator("#event-prizes")).to_contain_text(line.name)
