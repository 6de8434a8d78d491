"""A duplicate event of three tables: what nobody may see, and what everybody sees afterwards."""

from __future__ import annotations

import random
import re
from collections.abc import Callable

from playwright.sync_api import Page, ViewportSize, expect

from games.figures import MINUS
from tests.browser.checks import covered, fits, understandable
from tests.browser.club_night import (
    answer_call,
    back_to_event,
    found_club,
    join,
    play_matches,
    register,
    set_up,
)
from tests.browser.conftest import MakePerson
from tests.browser.person import Person
from tests.served import Server

PHONE: ViewportSize = {"width": 390, "height": 844}
NAMES = ("Ben", "Iris", "Jonah", "Clara", "Theo")
CLOSED = "Other tables still play these deals"


def token_of(one: Person) -> str:
    """Make a token for the API on one's own page."""
    one.go("/you/tokens/")
    one.page.locator('form [name="name"]').fill("My program")
    one.page.get_by_role("button", name="Make the token").click()
    shown = one.page.get_by_text("bower_").first
    expect(shown).to_be_visible()
    return shown.inner_text().strip()


def answer(one: Person, path: str, token: str = "") -> tuple[int, str]:
    """What a page answers to a person's browser, or to their program."""
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    response = one.context.request.get(f"{one.address}{path}", headers=headers)
    return response.status, response.text()


def called_to_tables(players: list[Person]) -> dict[int, list[Person]]:
    """Let everybody answer the call; who sits where. Nobody is dealt to before all have come."""
    *early, last = players
    for one in early:
        answer_call(one, 1)
    assert not any(one.choices.count() for one in early)
    answer_call(last, 1)
    tables: dict[int, list[Person]] = {}
    for one in players:
        tables.setdefault(one.table_id, []).append(one)
    return tables


def closed(one: Person, path: str) -> bool:
    """Whether a page says that its deals are still played elsewhere, and nothing more."""
    status, page = answer(one, path)
    return status == 404 and CLOSED in page


def look_at_the_deals(page: Page) -> None:
    """Every deal has the results of all three tables, with scores that add up to 0."""
    expect(page.get_by_role("heading", name="Deals of round 1")).to_be_visible()
    expect(page.get_by_role("heading", name=re.compile(r"^Deal \d$"))).to_have_count(2)
    for number in (1, 2):
        section = page.get_by_role("region", name=f"Deal {number}", exact=True)
        expect(section.locator("tbody tr")).to_have_count(3)
        scores = section.locator("tbody tr td:last-child").all_inner_texts()
        assert abs(sum(float(score.replace(MINUS, "-")) for score in scores)) < 0.02
    assert understandable(page) == []
    page.set_viewport_size(PHONE)
    assert fits(page) == []
    assert covered(page) == []


def test_an_evening_of_three_tables(
    person: MakePerson, start_server: Callable[..., Server]
) -> None:
    # The lot may put no person at one of the tables, where nobody would ask for the next hand.
    server = start_server(NEXT_DEAL_PAUSE="0")
    chance = random.Random(24)
    maeve = person("Maeve", server=server)
    visitor = person("Nobody", server=server, account=False)
    players = [person(name, server=server) for name in NAMES]
    club = found_club(maeve)
    night = set_up(
        maeve, club, "Duplicate night", 12,
        format="duplicate", rounds="1", deals="2", rules="stick-the-dealer",
        check_in_minutes="0", break_seconds="0",
    )  # fmt: skip
    for one in players:
        join(one, club)
        register(one, club, "Duplicate night")
    night.add_house(7)
    token = token_of(players[0])
    for one in players:
        one.go(night.path)
    night.start_now()

    # Five people sit at two tables or three. One finishes, and another has still to play.
    tables = called_to_tables(players)
    assert len(tables) > 1
    done, *others = tables.values()
    play_matches(done, chance, dealt_at_once=True)
    ended, waiting = done[0], others[0][0]
    finished_table, open_table = ended.table_id, waiting.table_id
    back_to_event(ended)
    expect(ended.page.locator("#event-mine")).to_contain_text("You have finished")
    assert all(closed(one, f"/tables/{finished_table}/") for one in (maeve, visitor, waiting))
    assert all(closed(one, f"/tables/{open_table}/") for one in (maeve, visitor, ended))
    deals = f"{night.path}rounds/1/deals/"
    assert all(closed(one, deals) for one in (maeve, visitor, waiting, ended))
    status, drawn = answer(visitor, f"/api{night.path}rounds/1", token)
    assert status == 200
    assert {*re.findall(r'"points": ?(\d+)', drawn)} == {"0"}
    assert not re.search(r'"games": ?\[[^\]]', drawn)
    for table, sitting in tables.items():
        status, _ = answer(visitor, f"/api/tables/{table}", token)
        assert status == (200 if players[0] in sitting else 404)
    maeve.go(night.path)
    expect(maeve.page.get_by_text("Finished; others still play").first).to_be_visible()

    # The last tables finish, and everybody sees what each has made of every deal.
    play_matches([one for sitting in others for one in sitting], chance, dealt_at_once=True)
    expect(maeve.page.locator("#event-standings")).to_contain_text("±")
    maeve.go(f"{night.path}rounds/1/")
    maeve.page.get_by_role("link", name=re.compile("Its deals")).click()
    look_at_the_deals(maeve.page)
    assert answer(visitor, f"/tables/{finished_table}/")[0] == 200
