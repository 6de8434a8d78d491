"""Four people press "Rated": they get one table, play to the end and see what it did to them."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import cycle

import pytest
from playwright.sync_api import expect

from tests.browser.checks import covered, fits, on_phones, understandable
from tests.browser.conftest import CAST, MakePerson
from tests.browser.person import Person
from tests.browser.store import rows
from tests.served import Server


@pytest.fixture(scope="module")
def site(start_server: Callable[..., Server]) -> Server:
    """A server that holds no game back for being fast."""
    return start_server(RATING_HAND_SECONDS="0", NEXT_DEAL_PAUSE="0.5")


@pytest.fixture
def four(person: MakePerson, site: Server) -> list[Person]:
    return [person(name, server=site) for name in CAST]


def press_rated(one: Person, rules: str = "classic-24") -> None:
    one.go("/play/")
    one.page.locator(f'[name="rules"][value="{rules}"]').check()
    one.page.locator('[name="kind"][value="rated"]').check()
    one.page.get_by_role("button", name="Play now").click()


def play_to_the_end(people: list[Person]) -> None:
    """Let people choose whenever it is their turn; hands are dealt by themselves."""
    for one in cycle(people):
        shown = one.now()
        if shown["over"]:
            break
        if shown["asked"] in ("call", "card"):
            one.press(one.choices.first)
    for one in people:
        one.wait_until_over()


def test_four_people_play_one_rated_game_and_one_of_them_leaves(
    four: list[Person], site: Server
) -> None:
    maeve, ben, *_ = four
    for number, one in enumerate(four[:3], start=1):
        press_rated(one)
        missing = "1 more player is needed." if number == 3 else f"{4 - number} more players are"
        expect(one.page.locator("#seating")).to_contain_text(missing)
    expect(maeve.page.locator("#seating")).to_contain_text("1 more player is needed.")
    assert not on_phones(maeve.page, fits, covered)
    assert not understandable(maeve.page)
    press_rated(four[3])
    for one in four:
        one.page.wait_for_url(re.compile(r"/tables/\d+/$"))
        one.wait_until_dealt()
        one.wait_until_live()
    assert len({one.table_id for one in four}) == 1
    expect(maeve.page.locator(".table-top")).to_contain_text("This game is rated")

    ben.page.get_by_role("button", name="My table").click()
    ben.page.get_by_role("button", name="Leave the game").click()
    price = ben.page.locator("#leaving")
    expect(price).to_contain_text("A loss then counts in full")
    price.get_by_role("button", name="Let the house play").click()
    ben.page.wait_for_url(f"{ben.address}/")
    rest = [one for one in four if one is not ben]
    play_to_the_end(rest)

    maeve.page.get_by_role("link", name="Score sheet").click()
    changes = maeve.page.locator("#game-ratings")
    expect(changes).to_contain_text("the two of you were expected to win")
    found = rows(
        site,
        "SELECT p.name, c.weight, c.winner = c.side FROM tournaments_ratingchange c"
        " JOIN games_player p ON p.id = c.player_id",
    )
    weights = {name: weight for name, weight, _won in found}
    won = {name: has_won for name, _weight, has_won in found}
    assert set(weights) == set(CAST)
    assert weights["Ben"] == (0 if won["Ben"] else 1), "a loss in full, a win not at all"

    maeve.page.get_by_role("button", name="Play now").click()
    expect(maeve.page.locator("#seating")).to_contain_text("3 more players are needed.")
    maeve.page.get_by_role("button", name="Play a friendly game meanwhile").click()
    maeve.page.wait_for_url(re.compile(r"/tables/\d+/$"))


def test_a_guest_is_told_to_log_in_and_keeps_the_choice(person: MakePerson, site: Server) -> None:
    guest = person("Guest", server=site, account=False)
    guest.expected = ("status of 403",)
    press_rated(guest, "heads-up")
    expect(guest.page.get_by_text("Rated games need an account")).to_be_visible()
    expect(guest.page.locator('[name="kind"][value="rated"]')).to_be_checked()
    guest.page.get_by_role("main").get_by_role("link", name="Log in").click()
    guest.page.wait_for_url(re.compile(r"login/\?next=/play/"))
