"""What axe-core finds wrong with a table: nothing, in any of its states, in any light.

axe-core (MPL 2.0) is Deque's; it is fetched for the tests and no part of this program.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import product
from pathlib import Path
from typing import Final, Literal, TypeAlias

import pytest
from django.test import Client
from playwright.sync_api import Page

from games.analysis import board_views
from games.analysis.analysing import analyse_due
from games.analysis.lines import Line
from games.analysis.refusing import REFUSED
from games.files.ptn import write_ptn
from games.live import state as live
from games.sockets import hub
from tests.browser.checks import AXE, walk
from tests.browser.club_night import found_club
from tests.browser.conftest import MakePerson
from tests.browser.no_server import SITE, serve
from tests.browser.person import Person
from tests.browser.tables import STATES, states
from tests.factories import logged_in, member, player
from tests.games.analysis.boards import Valuer, game, second_to_play
from tests.served import Server
from tests.tournaments import build
from tests.tournaments.daily.days_for_tests import begun, closed, played, today
from tests.volume import volume
from tournaments.models import DailyDeal, Membership

WINDOWS = ((1280, 800), (390, 844))
LIGHTS: Final[tuple[Literal["light", "dark"], ...]] = ("light", "dark")
Sight: TypeAlias = tuple[tuple[int, int], Literal["light", "dark"]]
#: Each light in one of the sizes, or thoroughly both in both.
EACH: Final[tuple[Sight, ...]] = tuple(zip(WINDOWS, LIGHTS, strict=True))
SIGHTS = volume(EACH, EACH, tuple(product(WINDOWS, LIGHTS)))


class Axe:
    """Runs axe-core in somebody's page, and keeps what it finds.

    Args:
        script: axe-core itself.
    """

    def __init__(self, script: str) -> None:
        self.script = script
        self.found: dict[str, list[str]] = {}

    def __call__(self, moment: str, one: Person, sights: Iterable[Sight] = SIGHTS) -> None:
        for sight, found in self.wrong(one.page, sights):
            self.found[f"{moment}, {sight}"] = found

    def wrong(
        self, page: Page, sights: Iterable[Sight] = SIGHTS
    ) -> Iterator[tuple[str, list[str]]]:
        if page.evaluate("() => typeof axe === 'undefined'"):
            page.evaluate(self.script)
        for (width, height), light in sights:
            page.set_viewport_size({"width": width, "height": height})
            page.emulate_media(color_scheme=light)
            if found := page.evaluate(AXE):
                yield f"{width}x{height}, {light}", found
        page.emulate_media(color_scheme="light")

    def check(self, page: Page) -> list[str]:
        """What is wrong, for `tests.browser.checks.walk`."""
        return [f"{sight}: {found}" for sight, found in self.wrong(page)]


@pytest.fixture
def axe(axe_path: str) -> Axe:
    """axe-core, read once."""
    return Axe(Path(axe_path).read_text())


def told(axe: Axe) -> str:
    """What was found, moment by moment."""
    return "\n".join(f"{moment}: {found}" for moment, found in axe.found.items())


def test_axe_finds_nothing_in_any_state(person: MakePerson, server: Server, axe: Axe) -> None:
    maeve, seen = person("Maeve"), set()
    for state in states(maeve, server):
        axe(state, maeve)
        seen.add(state)
    assert seen == set(STATES)
    assert not axe.found, told(axe)


def test_axe_finds_nothing_for_a_spectator(person: MakePerson, axe: Axe) -> None:
    maeve, otto = person("Maeve"), person("Otto")
    maeve.play_now()
    otto.go(maeve.path)
    otto.wait_until_live()
    axe("watching", otto)
    while maeve.wait_for_turn() != "next":
        maeve.press(maeve.choices.first)
    otto.wait_for_stamp(maeve.stamp)
    axe("watching, hand over", otto)
    assert not axe.found, told(axe)


def test_axe_finds_nothing_in_lessons(person: MakePerson, axe: Axe) -> None:
    maeve = person("Maeve", account=False)
    for path in ("/learn/", "/learn/bowers/1/", "/learn/bowers/1/?said=play+JD"):
        maeve.go(path)
        axe(path, maeve)
    assert not axe.found, told(axe)


def test_axe_finds_nothing_on_the_first_page_and_in_the_rules(
    person: MakePerson, server: Server, axe: Axe
) -> None:
    visitor = person("Otto", account=False)
    for path in (
        "/",
        "/rules/",
        "/rules/joker-33/",
        "/rules/heads-up/",
        "/rules/british/",
        "/rules/no-trump/no-trump/",
        "/rules/joker-33/left-bower/",
        "/rules/joker-33/left-bower/?said=play+AD&wrong=2",
        "/rules/joker-33/joker-turned-up/",
        "/rules/stick-the-dealer/second-round/?said=make+D+alone",
    ):
        visitor.go(path)
        axe(path, visitor)
    maeve = person("Maeve")
    maeve.go("/")
    axe("the first page of a member", maeve)
    maeve.play_now()
    maeve.go("/")
    axe("the first page of a member with a game", maeve)
    assert not axe.found, told(axe)


def test_axe_finds_nothing_on_the_pages_of_members(person: MakePerson, axe: Axe) -> None:
    maeve = person("Maeve")
    club = found_club(maeve)
    maeve.go("/you/name/")
    maeve.page.get_by_label("Country").select_option("IE")
    maeve.page.get_by_label("Home club").select_option(index=1)
    maeve.page.get_by_role("button", name="Save").click()
    profile = maeve.page.locator('main a[href^="/players/"]').first.get_attribute("href")
    paths = (
        profile, f"{profile}record/", "/play/", "/tables/new/", "/you/", "/you/name/",
        "/you/friends/", "/you/notifications/", "/you/data/", "/you/events/", "/events/",
        "/search/?q=mae", "/ratings/", club, f"{club}members/", f"{club}settings/",
        f"{club}statistics/", f"{club}rules/new/",
    )  # fmt: skip
    for number, path in enumerate(paths):  # every other one in every other sight, to be quick
        assert path is not None
        maeve.go(path)
        axe(path, maeve, SIGHTS[number % 2 :: 2])
    assert not axe.found, told(axe)


def test_axe_finds_nothing_on_the_page_of_somebody_on_paper(person: MakePerson, axe: Axe) -> None:
    maeve = person("Maeve")
    club, page = found_club(maeve), maeve.page
    maeve.go(f"{club}list/")
    page.get_by_label("paste").fill("name\nWim Tarrant\nW. Tarrant\n")
    page.get_by_role("button", name="Preview it").click()
    page.get_by_role("button", name="Import").click()
    axe("the list", maeve, SIGHTS)
    page.get_by_role("link", name="Wim Tarrant").click()
    page.get_by_label("Another line").fill("tarr")
    page.get_by_role("button", name="Find").click()
    page.get_by_label("W. Tarrant").check()
    page.get_by_role("button", name="What would change?").click()
    page.get_by_text("Put the name right").click()
    axe("the person", maeve, SIGHTS)
    page.get_by_role("button", name="Make them one person").click()
    page.get_by_role("button", name="Make a code").click()
    axe("the code", maeve, SIGHTS)
    maeve.go(f"/claim/{page.locator('.codebox b').inner_text()}/")
    axe("the claim", maeve, SIGHTS)
    assert not axe.found, told(axe)


# Pages that need no server ------------------------------------------------------------------


#: Shows a page: a name for it, who asks, the path, and fields if they send it.
Show: TypeAlias = Callable[..., tuple[str, Page]]


@pytest.fixture
def shown(page: Page, monkeypatch: pytest.MonkeyPatch) -> Iterator[Show]:
    """Show the pages that somebody is answered with, each as a place to walk to."""
    monkeypatch.setattr(hub, "announce", lambda _table_id: None)

    def show(name: str, browser: Client, path: str, **fields: str) -> tuple[str, Page]:
        response = browser.post(path, fields) if fields else browser.get(path)
        assert response.status_code in (200, 409, 422), (name, response.status_code)
        serve(page, {path.partition("?")[0]: response.content.decode()})
        page.goto(f"{SITE}{path}")
        page.evaluate("document.querySelectorAll('details').forEach(one => { one.open = true; })")
        return name, page

    yield show
    live.forget_all()


def days(show: Show) -> Iterator[tuple[str, Page]]:
    """The pages of a day, which three play."""
    daily, (maeve, ben) = today(), (member("Maeve"), member("Ben"))
    path, club = f"/daily/{daily.day}/", build.club()
    owner = build.joined(club, member("Olga"), Membership.Role.OWNER).player
    yield show("begin", Client(), path)
    begun(daily, ben)
    yield show("begun", logged_in(ben), path)
    played(daily, maeve, 1)
    yield show("result", logged_in(maeve), path)
    yield show("the club's", logged_in(owner), f"/clubs/{club.slug}/daily/")
    house = played(daily, player("Stand-in"), 2)
    DailyDeal.objects.filter(pk=daily.pk).update(house_table=house.table, house=house.points)
    house.delete()
    played(daily, ben, 3)
    daily = closed(daily)
    path = f"/daily/{daily.day}/"
    yield show("closed", logged_in(ben), path)
    yield show("table", logged_in(ben), f"{path}table/")
    yield show("month", logged_in(ben), f"/daily/{daily.day:%Y-%m}/")


def boards(show: Show, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[str, Page]]:
    """The pages of the analysis board, and of puzzles."""
    board, browser = second_to_play(), Client()
    path = f"/analysis/board/?{board.query}"
    with monkeypatch.context() as patch:
        Valuer(patch).quick = True
        browser.post("/analysis/board/ask", {"board": board.query})
        analyse_due()
    taken = board.lines[0].actions[0]
    other = next(one for one in board.here.seen().legal if one != taken)
    branched = board._replace(lines=(*board.lines, Line((other,))), line=1, step=1)
    yield show("board", browser, f"{path}&open=1")
    yield show("compare", browser, f"/analysis/board/?{branched.query}&with=0")
    yield show("set up", browser, "/analysis/?dealer=3&up=9D&hand2=JC+KS&hand3=JC&analyse=1")
    yield show("paste", browser, "/analysis/paste/", text=write_ptn(game(hands=3)).decode())
    yield show("paste nothing", browser, "/analysis/paste/", text="1. e4 e5")
    with monkeypatch.context() as patch:
        patch.setattr(board_views, "refusal", lambda *_positions, **_held: REFUSED)
        yield show("refused", browser, path)
    for name in ("", "set/30/", "rush/"):
        yield show(f"puzzles/{name}", browser, f"/puzzles/{name}")


@pytest.mark.django_db
def test_axe_finds_nothing_on_the_daily_deal(shown: Show, axe: Axe) -> None:
    walk(days(shown), axe.check)


@pytest.mark.django_db
def test_axe_finds_nothing_in_analysis_and_puzzles(
    shown: Show, axe: Axe, monkeypatch: pytest.MonkeyPatch
) -> None:
    walk(boards(shown, monkeypatch), axe.check)
