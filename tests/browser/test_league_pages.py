"""The pages of a league and of its money: on small screens, in the dark, by name and structure."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from django.conf import settings
from playwright.sync_api import Browser, Page
from pytest_django.live_server_helper import LiveServer

from games.models import Player
from tests.browser.checks import walk
from tests.factories import logged_in, player
from tests.tournaments import build
from tests.tournaments.build import NOON
from tests.tournaments.seasons.test_divisions import split
from tests.tournaments.seasons.test_rules import evening, spring
from tournaments.models import Event, Pairing, Season
from tournaments.seasons import teams

pytestmark = pytest.mark.django_db(transaction=True)

NAMES = (
    "Alma", "Bess", "Carl", "Dora", "Egon", "Fritz", "Wilhelmina-Maximiliana", "Hugo", "Ilse",
    "Mo Wu Mo Wu Mo Wu", "Kurt", "Lena",
)  # fmt: skip


def played_for_money(director: Player, players: list[Player]) -> Event:
    """An event in the room with entry money, pots and prizes, its two rounds played."""
    event = build.event(
        director.memberships.get().club, place="room", rounds=2, match="deals", deals=2,
        currency="EUR", entry_money=500, club_share=100, lone_pot=50, euchre_pot=50,
        prizes=[{"amount": 0, "percent": percent} for percent in (50, 30, 20)],
    )  # fmt: skip
    build.let_in(event, players)
    build.begin(event)
    while event.state == Event.State.RUNNING and event.final_at is None:
        build.latest(event).pairings.update(
            state=Pairing.State.DECIDED, how=Pairing.How.PLAYED, winner=0, points_0=2, decided=NOON
        )
        build.step(event, NOON)
    return event


def league() -> tuple[Player, Season, Event]:
    """A club's director, its season with teams and two divisions, and an event for money."""
    mill = build.club(currency="EUR")
    maeve, players = build.director(mill, "Maeve"), [player(name) for name in NAMES]
    for one in players:
        build.joined(mill, one)
    season = spring(mill)
    split(season, {"First division": players[:6], "Second division": players[6:]})
    evening(mill, 5, players)
    evening(mill, 12, players[::-1])
    for place, name in enumerate(("Ivy", "Otto"), start=1):
        mill.past_results.create(day="2019-05-04", event="Spring", place=place, name=name)
    text = "The Left Bowers: Alma; Bess; Carl\nNo Trump At All: Dora; Egon / Fritz\n"
    teams.set_up(season, teams.read(mill, text), 2, maeve)
    return maeve, season, played_for_money(maeve, players)


def test_pages_are_readable_and_fit_a_phone(browser: Browser, live_server: LiveServer) -> None:
    maeve, season, event = league()
    page = browser.new_context(reduced_motion="reduce", has_touch=True).new_page()
    cookie = logged_in(maeve).cookies[settings.SESSION_COOKIE_NAME]
    page.context.add_cookies([{"name": cookie.key, "value": cookie.value, "url": live_server.url}])
    club = f"/clubs/{event.club.slug}/"
    of_season = f"{club}seasons/{season.pk}/"
    paths = [
        f"{club}hall-of-fame/", f"{club}past-results/", f"{club}past-results/import/",
        f"{club}years/2026/", of_season, f"{of_season}teams/",
        f"{of_season}teams/{season.teams.all()[0].pk}/",
        f"{of_season}edit/", f"{of_season}divisions/players/", f"{of_season}next/",
        f"{club}seasons/new/", f"{of_season}play-offs/", f"/events/{event.pk}/money/",
        f"/events/{event.pk}/", f"/events/{event.pk}/print/",
    ]  # fmt: skip

    def pages() -> Iterator[tuple[str, Page]]:
        for path in paths:
            answer = page.goto(f"{live_server.url}{path}")
            assert answer is not None
            assert answer.ok, path
            yield path, page

    walk(pages())
    page.context.close()
