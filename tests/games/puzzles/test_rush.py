"""The rush: its clock and mistakes, and what a reload, a second tab or a late answer gains."""

from __future__ import annotations

import re
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta
from types import SimpleNamespace

import pytest
from django.db import connections
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from hypothesis import given
from hypothesis import strategies as st

from games.engine.actions import action_text
from games.models import Player, PuzzleProgress
from games.puzzles import rush_views
from games.puzzles.collection import collection
from games.puzzles.rush import MISTAKES, SECONDS, Rush
from games.review import wording
from tests.factories import PASSWORD, logged_in, member, player

RUSH = "/puzzles/rush/"


class RushClock:
    """The clock of the pages of the rush."""

    def __init__(self) -> None:
        self.at: datetime = timezone.now()

    def now(self) -> datetime:
        return self.at

    def pass_(self, seconds: float) -> None:
        self.at += timedelta(seconds=seconds)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> RushClock:
    made = RushClock()
    monkeypatch.setattr(rush_views, "timezone", SimpleNamespace(now=made.now))
    return made


def asked(browser: Client) -> int:
    """Return the number of the puzzle that is asked; 0 if the rush is over."""
    found = re.search(r'name="number" value="(\d+)"', browser.get(RUSH).text)
    return int(found[1]) if found else 0


def answer(browser: Client, number: int, *, right: bool) -> None:
    judged = collection()[number].judged
    action = judged.judgement.best if right else judged.taken
    response = browser.post(RUSH, {"number": number, "action": action_text(action)})
    assert (response.status_code, response["Location"]) == (303, f"{RUSH}#prompt")


def start(browser: Client) -> None:
    assert browser.post("/puzzles/rush/start").status_code == 303


def go_on(browser: Client, *results: bool) -> None:
    for right in results:
        answer(browser, asked(browser), right=right)


@given(st.lists(st.booleans(), max_size=70), st.integers(-10, 400))
def test_it_asks_in_order_until_the_time_or_the_third_mistake(
    results: list[bool], passed: int
) -> None:
    rush, order = Rush(1000.0, tuple(range(60))), []
    for right in results:
        number = rush.asked(1000.0 + passed)
        if number is None:
            break
        order.append(number)
        rush = rush.answered(right=right)
    assert order == [*range(len(order))]
    assert rush.mistakes <= MISTAKES
    assert bool(order) == (bool(results) and 0 <= passed < SECONDS)
    assert Rush.from_data(rush._asdict()) == rush


@pytest.mark.django_db
class TestPages:
    @pytest.fixture(params=["visitor", "guest", "member"])
    def browser(self, request: pytest.FixtureRequest) -> Client:
        makers: dict[str, Callable[[], Client]] = {
            "visitor": Client,
            "guest": lambda: logged_in(player("Ada")),
            "member": lambda: logged_in(member("Maeve")),
        }
        return makers[request.param]()

    def test_three_mistakes_end_it_and_the_best_is_kept(
        self, browser: Client, clock: RushClock
    ) -> None:
        assert "Start the clock" in browser.get(RUSH).text
        start(browser)
        go_on(browser, True, False, True, True, False)
        assert "2 of 3 mistakes" in browser.get(RUSH).text
        go_on(browser, False)
        page = browser.get(RUSH).text
        assert "You solved 3" in page
        assert "That is your best." in page
        assert (page.count(">Right<"), page.count(">Wrong<")) == (3, 3)
        start(browser)
        go_on(browser, True, False, False, False)
        assert "Your best: <b>3</b>." in browser.get(RUSH).text
        assert "Your best: <b>3</b>." in browser.get("/puzzles/").text

    def test_a_late_answer_counts_for_nothing(self, browser: Client, clock: RushClock) -> None:
        start(browser)
        go_on(browser, True)
        number = asked(browser)
        clock.pass_(SECONDS)
        answer(browser, number, right=True)
        page = browser.get(RUSH).text
        assert "You solved 1" in page
        assert page.count(">Right<") == 1

    def test_a_reload_gains_no_time_and_asks_the_same(
        self, browser: Client, clock: RushClock
    ) -> None:
        start(browser)
        number = asked(browser)
        clock.pass_(60.5)
        assert asked(browser) == number
        assert 'data-left="120"' in browser.get(RUSH).text
        start(browser)  # in a second tab
        assert asked(browser) == number
        assert 'data-left="120"' in browser.get(RUSH).text

    def test_a_page_counts_down_until_the_time_is_up(
        self, browser: Client, clock: RushClock
    ) -> None:
        """And not to less: it would be fetched again and again until then."""
        start(browser)
        clock.pass_(SECONDS - 0.01)
        assert 'data-left="1"' in browser.get(RUSH).text

    def test_a_second_tab_gains_no_second_try(self, browser: Client, clock: RushClock) -> None:
        start(browser)
        number = asked(browser)
        answer(browser, number, right=False)
        answer(browser, number, right=True)
        page = browser.get(RUSH).text
        assert "1 of 3 mistakes" in page
        assert "0 solved" in page

    def test_its_page_leads_out(self, browser: Client, clock: RushClock) -> None:
        start(browser)
        assert 'href="/puzzles/" aria-label="All puzzles"' in browser.get(RUSH).text

    def test_no_page_says_the_answer(self, browser: Client, clock: RushClock) -> None:
        start(browser)
        for _ in range(8):
            number = asked(browser)
            page = browser.get(RUSH).text
            judged = collection()[number].judged
            for option in judged.judgement.options:
                assert f">{wording.points(option.value)}<" not in page
            assert "data-best" not in page
            answer(browser, number, right=True)

    @pytest.mark.parametrize("action", ["", "sing"])
    def test_what_is_no_answer_is_refused_and_costs_nothing(
        self, browser: Client, clock: RushClock, action: str
    ) -> None:
        start(browser)
        number = asked(browser)
        response = browser.post(RUSH, {"number": number, "action": action})
        assert response.status_code == 422
        assert asked(browser) == number

    def test_an_answer_before_the_start_counts_for_nothing(self, browser: Client) -> None:
        answer(browser, 1, right=True)
        assert "Start the clock" in browser.get(RUSH).text


@pytest.mark.django_db
def test_a_rush_goes_on_after_a_login(clock: RushClock) -> None:
    maeve, browser = member("Maeve"), Client()
    assert maeve.user is not None
    start(logged_in(maeve))
    clock.pass_(SECONDS)
    start(browser)
    go_on(browser, True)
    number = asked(browser)
    login = {"login": maeve.user.email, "password": PASSWORD}
    browser.post(reverse("account_login"), login)
    assert "puzzle_set" not in browser.session
    assert asked(browser) == number
    assert rush_of(maeve)["results"] == [True]


@pytest.mark.db
@pytest.mark.django_db(transaction=True)
def test_sixty_answers_at_once_are_one_answer(clock: RushClock) -> None:
    maeve = member("Maeve")
    start(logged_in(maeve))
    number = asked(logged_in(maeve))

    def press(turn: int) -> None:
        try:
            answer(logged_in(maeve), number, right=turn % 2 == 0)
        finally:
            connections.close_all()

    with ThreadPoolExecutor(6) as workers:
        list(workers.map(press, range(60)))
    assert len(rush_of(maeve)["results"]) == 1


@pytest.mark.django_db
def test_a_puzzle_that_left_the_set_ends_it(clock: RushClock) -> None:
    maeve = member("Maeve")
    assert maeve.user is not None
    rush = Rush(clock.now().timestamp(), (999, 1))
    PuzzleProgress.objects.create(user=maeve.user, rush=rush._asdict())
    assert "You solved 0" in logged_in(maeve).get(RUSH).text


def rush_of(who: Player) -> dict[str, list[bool]]:
    rush: dict[str, list[bool]] = PuzzleProgress.objects.get(user=who.user).rush
    return rush
