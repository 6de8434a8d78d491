"""Sheets to print: each page of a sheet is one of paper, A4 or Letter, and nothing is cut."""

from __future__ import annotations

import re
from collections.abc import Mapping
from io import BytesIO
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
import zxingcpp
from django.test import Client
from django.urls import reverse
from PIL import Image
from playwright.sync_api import Page

from games.models import Player
from games.models.people import NAME_LENGTH
from tests.browser.checks import AXE
from tests.browser.no_server import SITE, serve
from tests.factories import logged_in
from tests.tournaments import build
from tests.tournaments.build import NOON
from tournaments.attendance import newcomers
from tournaments.models import Event, Pairing
from tournaments.room_scores import codes

pytestmark = pytest.mark.django_db

#: Where a site is that prints long addresses.
ADDRESS = "https://euchre.the-old-mill-by-the-river.example.org"
SHEETS = (
    "score-cards/",
    "score-cards/?tables=3",
    "table-cards/?tables=120",
    "movement-cards/",
    "rounds/1/pairings/",
    "rounds/1/results/",
    "standings/",
)
#: What runs out of its page, or out of the half of a page to be cut.
CUT = """() => [...document.querySelectorAll(".half, .whole, .full")].flatMap(part => {
  const room = part.getBoundingClientRect();
  return [...part.querySelectorAll("*:not(.unseen)")].filter(one => {
    const at = one.getBoundingClientRect();
    const aside = at.right > room.right + 1 || at.left < room.left - 1;
    return one.checkVisibility() && (aside || at.bottom > room.bottom + 1);
  }).map(one => one.outerHTML.slice(0, 100));
})"""
#: Whether text is wider than what it stands in.
WIDE = """() => [...document.querySelectorAll(".paper :is(td, th, p, h1, h2)")]
  .filter(one => one.scrollWidth > one.clientWidth + 1 && !one.closest(".unseen"))
  .map(one => one.outerHTML.slice(0, 100))"""
#: Columns that do not begin beside one another.
UNEVEN = """() => [...document.querySelectorAll(".columns")].filter(one =>
  new Set([...one.children].map(column => column.getBoundingClientRect().top)).size > 1).length"""
#: Colours that are neither black nor white.
COLOURS = """() => [...new Set([...document.querySelectorAll(".paper, .paper *")].flatMap(one => {
  const style = getComputedStyle(one);
  return [style.color, style.backgroundColor, style.borderTopColor];
}))]"""
#: The smallest names of a bracket, in points.
SMALLEST = """() => Math.min(...[...document.querySelectorAll(".bracket-picture .name")].map(
  one => parseFloat(getComputedStyle(one).fontSize) * one.getScreenCTM().d * 0.75))"""
BLACK_AND_WHITE = {"rgb(0, 0, 0)", "rgb(255, 255, 255)", "rgba(0, 0, 0, 0)"}


def longest(number: int) -> list[Player]:
    """People with the longest names, whose words are long or short."""
    rows = [
        Player(
            name=(f"{at} " + ("Wilhelmina-Maximiliana " if at % 2 else "Mo Wu " * 5))[:NAME_LENGTH]
        )
        for at in range(number)
    ]
    return Player.objects.bulk_create(rows)


def opened(page: Page, pages: Mapping[str, str], which: str) -> None:
    """Show a sheet with the site's own style sheets and scripts."""
    path = f"/{which.partition('?')[0]}"
    serve(page, {path: pages[which]})
    page.goto(f"{SITE}{path}")


def all_sheets(event: Event, paths: tuple[str, ...]) -> dict[str, str]:
    ada = event.club.memberships.filter(player__name="Ada").first()
    client = logged_in(ada.player if ada else build.director(event.club))
    return {path: client.get(f"/events/{event.pk}/print/{path}").text for path in paths}


def checked(page: Page, pages: Mapping[str, str]) -> None:
    """Check that each sheet prints whole, on both kinds of paper, in black and white."""
    for which, text in pages.items():
        opened(page, pages, which)
        page.emulate_media(media="print")
        assert page.evaluate(CUT) == [], which
        assert page.evaluate(WIDE) == [], which
        assert page.evaluate(UNEVEN) == 0, which
        assert set(page.evaluate(COLOURS)) <= BLACK_AND_WHITE, which
        for paper in ("A4", "Letter"):
            pdf = page.pdf(format=paper)
            printed = len(re.findall(rb"/Type\s*/Page\b", pdf))
            assert printed == text.count('class="paper') > 0, (which, paper)


def test_a_club_nights_sheets_fit_with_the_longest_names(page: Page) -> None:
    event = build.event(
        build.club("The Old Mill by the River, Members and Guests"), name="N" * 80, match="deals",
        deals=8, rounds=9, round_minutes=20,
    )  # fmt: skip
    build.let_in(event, longest(50))
    build.begin(event)
    for _round in range(2):
        build.latest(event).pairings.update(
            state=Pairing.State.DECIDED, how=Pairing.How.PLAYED, winner=0, points_0=12, decided=NOON
        )
        build.step(event, NOON)
    checked(page, all_sheets(event, SHEETS))


def test_partnerships_and_long_games_fit(page: Page) -> None:
    event = build.event(format="round_robin", minimum=2, cycles=2, match="deals", deals=60)
    build.let_in(event, longest(24))
    build.begin(event)
    build.latest(event).pairings.update(
        state=Pairing.State.DECIDED, how=Pairing.How.PLAYED, winner=1, points_1=120, decided=NOON
    )
    build.step(event, NOON)
    checked(page, all_sheets(event, SHEETS))


@pytest.mark.parametrize("format_", ["single_elimination", "double_elimination"])
def test_a_bracket_fits_its_pages(page: Page, format_: str) -> None:
    event = build.event(format=format_, minimum=2)
    build.let_in(event, longest(48))
    build.play_to_end(event)
    checked(page, all_sheets(event, ("bracket/", "standings/")))


@pytest.mark.parametrize(
    ("format_", "entries", "sheets"),
    [
        ("single_elimination", 5, 1),
        ("single_elimination", 24, 1),
        ("double_elimination", 5, 2),
        ("double_elimination", 16, 2),
    ],
)
def test_a_bracket_takes_one_sheet_where_its_names_stay_legible(
    page: Page, format_: str, entries: int, sheets: int
) -> None:
    event = build.event(format=format_, minimum=2)
    build.let_in(event, longest(2 * entries))
    build.play_to_end(event)
    pages = all_sheets(event, ("bracket/",))
    assert pages["bracket/"].count('class="paper') == sheets
    checked(page, pages)
    assert pages["bracket/"].count('class="paper across"') == sheets
    assert page.evaluate(SMALLEST) >= 4.9


def test_the_money_sheet_and_fixed_movement_cards_fit(page: Page) -> None:
    club = build.club(currency="EUR")
    event = build.event(
        club, format="progressive", movement="fixed", place="room", rounds=6, match="deals",
        deals=2, currency="EUR", entry_money=500, club_share=100, lone_pot=50, euchre_pot=50,
        prizes=[{"amount": 0, "percent": percent} for percent in (40, 20, 10, 10, 10, 5, 5)],
    )  # fmt: skip
    build.let_in(event, longest(50))
    build.begin(event)
    while event.state == Event.State.RUNNING and event.final_at is None:
        build.latest(event).pairings.update(
            state=Pairing.State.DECIDED, how=Pairing.How.PLAYED, winner=0, points_0=2, decided=NOON
        )
        build.step(event, NOON)
    pages = all_sheets(event, ("money/", "movement-cards/"))
    checked(page, pages)
    opened(page, pages, "money/")
    sums, winners = (one.bounding_box() for one in page.locator(".list").all()[:2])
    assert sums is not None
    assert winners is not None
    assert winners["y"] > sums["y"] + sums["height"] + 10, "a space between the two lists"


def club_night() -> Event:
    """An event in the room from table 2 on, with walk-ins at two tables, before its start."""
    event = build.event(
        build.club("The Old Mill by the River, Members and Guests"), name="N" * 80, rounds=2,
        place=Event.Place.MIXED, room_from=2, format="progressive", check_in_minutes=30,
    )  # fmt: skip
    build.let_in(event, longest(10))
    for name in ("Wilhelmina-Maximiliana of Xanten", "Yu"):
        newcomers.enter(event, [name[:NAME_LENGTH]], event.created_by, NOON)
    return event


def scanned(page: Page, pages: Mapping[str, str], which: str) -> list[str]:
    """The paths in the QR codes of a sheet as it prints, read as a phone's camera does."""
    opened(page, pages, which)
    page.emulate_media(media="print")
    found = []
    for code in page.locator(".qr").all():
        (read,) = zxingcpp.read_barcodes(Image.open(BytesIO(code.screenshot())))
        assert read.text.startswith(f"{ADDRESS}/")
        found.append(urlsplit(read.text).path)
    return found


def test_the_cards_and_the_poster_of_a_club_night_fit(page: Page, settings: Any) -> None:
    settings.SITE_URL = ADDRESS
    event = club_night()
    checked(page, all_sheets(event, ("check-in/",)))
    build.begin(event)
    codes.renew(event, 2, event.created_by, reason="Lost.", now=NOON)
    checked(page, all_sheets(event, ("walk-in-cards/", "table-cards/")))


def test_a_scanner_reads_the_codes_of_a_club_night(
    page: Page, client: Client, settings: Any
) -> None:
    settings.SITE_URL = ADDRESS
    event = club_night()
    pages = all_sheets(event, ("check-in/", "walk-in-cards/", "table-cards/"))
    (poster,) = scanned(page, pages, "check-in/")
    assert "Log in, then you come back here" in client.get(poster).text
    cards, tables = (scanned(page, pages, which) for which in ("walk-in-cards/", "table-cards/"))
    assert len(set(cards)) == 2
    assert len(set(tables)) == 3
    build.begin(event)
    assert client.get(poster).status_code == 200
    names = [one.player.name for one in event.walk_ins.select_related("player")]
    for name, path in zip(names, cards, strict=True):
        shown = client.get(path)
        assert (shown.status_code, name in shown.text) == (200, True)
    in_room = dict(build.latest(event).pairings.values_list("number", "in_room"))
    assert {in_room[2], in_room[3]} == {True}
    for number, path in enumerate(tables, start=1):
        shown = client.get(path)
        if in_room[number]:
            assert f"Score at table {number}" in shown.text
        else:
            assert f"Table {number} plays online" in shown.text
            assert client.get(reverse("event", args=[event.pk])).status_code == 200


def test_axe_finds_nothing_on_the_screen(page: Page, axe_path: str) -> None:
    event = build.event(match="deals", deals=2)
    build.let_in(event, longest(9))
    build.begin(event)
    pages = all_sheets(
        event, ("score-cards/", "table-cards/", "movement-cards/", "rounds/1/pairings/")
    )
    script = Path(axe_path).read_text()
    for which in pages:
        opened(page, pages, which)
        page.evaluate(script)
        assert page.evaluate(AXE) == [], which


def test_the_button_prints(page: Page) -> None:
    event = build.event()
    pages = all_sheets(event, ("table-cards/?tables=1",))
    page.add_init_script("window.print = () => { document.title = 'printed'; };")
    opened(page, pages, "table-cards/?tables=1")
    page.get_by_role("button", name="Print", exact=True).click()
    assert page.title() == "printed"
