"""What a large club night costs: ``python -m tests.load.club_night``.

A director imports the club's list as CSV and those it invites say yes; then a list of entries fills
a progressive evening in the room. Its rounds are drawn and their scores entered by the director.
Everything is asked for as a browser does, in the server's own code without a network. Printed are
milliseconds, the median and the slowest of several readings and the time of the processor, with
the number of queries; of the drawing of each round the seconds in all. Chromium, the one named by
CHROMIUM or on the path, makes PDFs of the sheets, which is timed apart; ``--keep DIR`` keeps them.
"""

from __future__ import annotations

import argparse
import gc
import os
import re
import shutil
import tempfile
from collections.abc import Callable, Mapping
from datetime import timedelta
from functools import partial
from pathlib import Path
from statistics import median
from time import perf_counter, process_time
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from tests.load.rating_speed import database
from tests.served import ROOT

if TYPE_CHECKING:
    from django.test import Client
    from playwright.sync_api import Route

    from games.models import Player
    from tournaments.models import Club, Event

SITE = "http://localhost"
#: Readings of each page.
TIMES = 15
ROUNDS = 4


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--members", type=int, default=500)
    parser.add_argument("--players", type=int, default=400, help="of the members; four to a table")
    parser.add_argument("--database", help="a PostgreSQL server on which a database may be made")
    parser.add_argument("--keep", type=Path, help="a folder for the PDFs of the sheets")
    asked = parser.parse_args()
    os.environ.setdefault("STATIC_LIVE", "true")
    os.environ.setdefault("RESULT_GRACE", "0")
    with database(asked.database), tempfile.TemporaryDirectory(prefix="bower-night-") as folder:
        from django.db import connection

        gc.collect()  # as a web process does
        gc.freeze()
        gc.set_threshold(5_000, 1_000_000, 1_000_000)
        print(f"{connection.vendor}: {asked.members} members, {asked.players} players")
        club, director = _club_of(asked.members)
        night = Night(_event_of(club, director, asked.players), director)
        night.enter(asked.players)
        night.play()
        keep = asked.keep or Path(folder)
        keep.mkdir(parents=True, exist_ok=True)
        _print_sheets(night, keep)


# The club and its evening ------------------------------------------------------------------


def _club_of(members: int) -> tuple[Club, Player]:
    """Import a club's list with invitations, which everybody accepts."""
    from games.models import Player, User
    from tests.factories import confirmed, logged_in
    from tests.tournaments import build
    from tournaments.importing import invitations
    from tournaments.models import ListedName

    club = build.club(recognised=True)
    director = confirmed(build.director(club, "Maeve"))
    lines = ["name,email", *(f"Member {n},member{n}@example.org" for n in range(1, members + 1))]
    path = f"/clubs/{club.slug}/list/"
    _import(logged_in(director), path, "\n".join(lines), f"import {members} members")
    for row in ListedName.objects.filter(club=club).select_related("club"):
        user = User.objects.create_user(row.email)
        invitations.accept(row, Player.objects.create(name=row.name, user=user))
    return club, director


def _event_of(club: Club, director: Player, players: int) -> Event:
    from django.utils import timezone

    from tests.tournaments import build

    starts = timezone.now() + timedelta(minutes=10)
    return build.event(
        club, format="progressive", place="room", rounds=ROUNDS, capacity=players, match="deals",
        deals=8, round_minutes=20, created_by=director, starts=starts, registration_closes=starts,
        check_in_minutes=30,
    )  # fmt: skip


def _import(browser: Client, path: str, text: str, name: str) -> None:
    """Preview a list and import it, as its page does."""
    browser.get(path, headers={"host": "localhost"})  # what a process does once
    begun = perf_counter()
    preview = browser.post(path, {"text": text}, headers={"host": "localhost"})
    previewed = perf_counter()
    plan = re.search(r'name="plan" value="(\w+)"', preview.text)
    if plan is None:
        raise SystemExit(f"{path} cannot be imported: {preview.text}")
    answer = browser.post(path, {"text": text, "plan": plan[1]}, headers={"host": "localhost"})
    if answer.status_code != 303:
        raise SystemExit(f"{path} answered {answer.status_code}")
    spent = perf_counter() - previewed
    print(f"{name}: preview {1000 * (previewed - begun):.0f} ms, import {1000 * spent:.0f} ms")


class Night:
    """The evening and the browser of its director."""

    def __init__(self, event: Event, director: Player) -> None:
        from tests.factories import logged_in

        self.event = event
        self.director = director
        self.browser = logged_in(director)
        self.path = f"/events/{event.pk}/"

    def get(self, path: str, *, part: bool = False) -> bytes:
        headers = {"host": "localhost"} | ({"HX-Request": "true"} if part else {})
        answer = self.browser.get(f"{self.path}{path}", headers=headers)
        if answer.status_code != 200:
            raise SystemExit(f"{path} answered {answer.status_code}")
        return answer.content

    def measure(self, when: str) -> None:
        """Print what the pages of the evening take now."""
        pages = {
            "console": lambda: self.get("manage/"),
            "console, refreshed": lambda: self.get("manage/", part=True),
            "found by name": lambda: self.get("manage/people/?q=member+12", part=True),
            "event's page": lambda: self.get(""),
        }
        for name, ask in pages.items():
            print(f"{when}: {name:20} {_figures(ask)}")

    def enter(self, players: int) -> None:
        from tournaments.models import Membership

        rows = Membership.objects.filter(club=self.event.club).exclude(player=self.director)
        numbers = list(rows.order_by("pk").values_list("player", flat=True)[:players])
        text = "\n".join(["players_id", *map(str, numbers)])
        _import(self.browser, f"{self.path}manage/import/", text, f"enter {players} players")
        self.measure("before the start")

    def play(self) -> None:
        """Draw the rounds; the last one is left half played."""
        from django.utils import timezone

        from tests.tournaments import build

        begun = perf_counter()
        build.begin(self.event, timezone.now())
        print(f"start and draw of round 1: {perf_counter() - begun:.2f} s")
        for number in range(1, ROUNDS):
            self.score(number, half=False)
            spent = _milliseconds(lambda: build.step(self.event, timezone.now()))
            print(f"draw of round {number + 1}: {spent / 1000:.2f} s")
        self.measure(f"round {ROUNDS} drawn")
        self.score(ROUNDS, half=True)
        self.measure(f"round {ROUNDS}, half of it played")

    def score(self, number: int, *, half: bool) -> None:
        """Enter the scores of a round, as the director's form does."""
        from tournaments.models import Pairing

        tables = Pairing.objects.filter(round__event=self.event, round__number=number).count()
        spent = []
        for table in range(1, tables // (1 + half) + 1):
            score = (10, table % 9) if table % 2 else (table % 9, 10)
            spent.append(_milliseconds(partial(self.set_result, number, table, score)))
        print(f"results of round {number}: {median(spent):.0f} ms each at the median")

    def set_result(self, number: int, table: int, score: tuple[int, int]) -> None:
        fields = {
            "winner": str(int(score[1] > score[0])), "ended": "played", "reason": "",
            "points_0": str(score[0]), "points_1": str(score[1]),
        }  # fmt: skip
        path = f"{self.path}manage/rounds/{number}/tables/{table}/"
        answer = self.browser.post(path, fields, headers={"host": "localhost"})
        if answer.status_code != 303:
            raise SystemExit(f"{path} answered {answer.status_code}: {answer.text}")


def _milliseconds(ask: Callable[[], object]) -> float:
    begun = perf_counter()
    ask()
    return 1000 * (perf_counter() - begun)


def _queries(ask: Callable[[], object]) -> int:
    from django.db import connection, reset_queries
    from django.test.utils import CaptureQueriesContext

    reset_queries()  # the log of them is limited
    with CaptureQueriesContext(connection) as queries:
        ask()
    return len(queries)


def _figures(ask: Callable[[], object]) -> str:
    ask()  # what a process does once
    begun = process_time()
    spent = [_milliseconds(ask) for _ in range(TIMES)]
    worked = 1000 * (process_time() - begun) / TIMES
    return (
        f"{median(spent):5.0f} ms, at most {max(spent):5.0f} ms, of the processor {worked:5.0f} ms,"
        f" {_queries(ask):3} queries"
    )


# Sheets ------------------------------------------------------------------------------------


def _print_sheets(night: Night, keep: Path) -> None:
    """Draw every sheet of the evening as HTML and as PDF."""
    sheets: dict[str, tuple[str, bytes]] = {}
    total = 0.0
    wanted = (
        "table-cards/", "score-cards/", "score-cards/?tables=100", f"rounds/{ROUNDS}/pairings/",
        f"rounds/{ROUNDS - 1}/results/", "standings/",
    )  # fmt: skip
    for name in wanted:
        path = f"print/{name}"
        begun = perf_counter()
        content = night.get(path)
        spent = perf_counter() - begun
        total += spent
        sheets[f"{night.path}{path}"] = (name, content)
        print(f"{name:24} {spent:5.2f} s, {len(content) / 1000:.0f} KB of HTML")
    print(f"all sheets as HTML: {total:.1f} s")
    _make_pdfs(sheets, keep)


def _make_pdfs(sheets: Mapping[str, tuple[str, bytes]], keep: Path) -> None:
    from playwright.sync_api import sync_playwright

    def answer(route: Route) -> None:
        parts = urlsplit(route.request.url)
        path = f"{parts.path}?{parts.query}" if parts.query else parts.path
        if path in sheets:
            route.fulfill(body=sheets[path][1], content_type="text/html")
        else:
            route.fulfill(path=ROOT / parts.path.removeprefix("/"))

    chromium = os.environ.get("CHROMIUM") or shutil.which("chromium")
    total = 0.0
    with sync_playwright() as player:
        browser = player.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        page = browser.new_page()
        page.route("**/*", answer)
        for path, (name, _content) in sheets.items():
            begun = perf_counter()
            page.goto(f"{SITE}{path}")
            made = page.pdf(path=keep / f"{_file(name)}.pdf", prefer_css_page_size=True)
            spent = perf_counter() - begun
            total += spent
            pages = len(re.findall(rb"/Type\s*/Page\b", made))
            print(f"{name:24} {spent:5.2f} s, {pages} pages of PDF, {len(made) / 1000:.0f} KB")
        browser.close()
    print(f"all sheets as PDF: {total:.1f} s")


def _file(name: str) -> str:
    return re.sub(r"\W+", "-", name).strip("-")


if __name__ == "__main__":
    main()
