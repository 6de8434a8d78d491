"""What the console of a large evening costs to keep up to date: ``python -m tests.load.console``.

A progressive event is played at a hundred tables in the room. Its players write their hands and
sign on their phones, some disagree, and an open console asks every five seconds of that evening
what has changed, in the server's own code without a network. Printed are the bytes of the page and
of its answers before compression, milliseconds of the processor and queries, medians and the
largest: when nothing has changed, and over the evening.

With ``--acts 30`` a real server is measured instead: from the press of one director to the changed
row on the console of another, which a socket notifies and which then asks, as a browser does; in
a quiet hall, and in one where tables write on and the page changes every second. With
``--database`` and ``--redis`` two web processes serve one director each.
"""

from __future__ import annotations

import argparse
import json
import os
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from random import Random
from statistics import median
from tempfile import mkdtemp
from threading import Event as Signal
from threading import Thread
from time import monotonic, process_time, sleep
from typing import TYPE_CHECKING, NamedTuple

import httpx
from websockets.sync.client import connect

from tests.load.rating_speed import database
from tests.served import FLAT_OUT, HOST, Server, use_django

if TYPE_CHECKING:
    from django.test import Client

    from tournaments.models import Event

#: Seconds between two refreshes, and of a round.
PACE, ROUND = 5, 20 * 60
HANDS = 8


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--tables", type=int, default=100)
    parser.add_argument("--database", help="a PostgreSQL server on which a database may be made")
    parser.add_argument("--acts", type=int, help="press so often on a real server")
    parser.add_argument("--redis", help="a Redis server, for --acts with two web processes")
    asked = parser.parse_args()
    if asked.acts:
        measure_acts(asked.tables, asked.acts, asked.database, asked.redis)
        return
    os.environ.setdefault("STATIC_LIVE", "true")
    with database(asked.database):
        from django.db import connection

        event, browser = _playing(asked.tables)
        console = Console(event, browser)
        print(f"{connection.vendor}: {asked.tables} tables, the page {console.size / 1000:.1f} KB")
        for _ in range(2):  # what a process does once
            console.refresh()
        _tell("nothing changed", [console.refresh() for _ in range(10)])
        evening = _evening(event, Random(39))
        refreshes = []
        for lines in evening:
            for table, line in lines:
                _write(event, table, line)
            refreshes.append(console.refresh())
        _tell("over an evening", refreshes)


class Refresh(NamedTuple):
    """What one refresh took: bytes, milliseconds of the processor, queries."""

    size: int
    spent: float
    queries: int


class Console:
    """An open console: it keeps what it was sent, as `manage.js` does."""

    def __init__(self, event: Event, browser: Client) -> None:
        self.path = f"/events/{event.pk}/manage/"
        self.browser = browser
        page = browser.get(self.path, headers={"host": "localhost"}).text
        self.size = len(page.encode())
        self.have = dict(_PART.findall(page))

    def refresh(self) -> Refresh:
        from django.db import connection, reset_queries
        from django.test.utils import CaptureQueriesContext

        reset_queries()
        asked = {"have": ",".join(f"{key}:{stamp}" for key, stamp in self.have.items())}
        headers = {"host": "localhost", "HX-Request": "true"}
        with CaptureQueriesContext(connection) as queries:
            begun = process_time()
            answer = self.browser.get(self.path, asked, headers=headers)
            spent = 1000 * (process_time() - begun)
        if answer.status_code not in (200, 204):
            raise SystemExit(f"{self.path} answered {answer.status_code}")
        self.have |= dict(_PART.findall(answer.text))
        return Refresh(len(answer.content), spent, len(queries))


_PART = re.compile(r' id="([^"]+)"\s+data-stamp="([^"]+)"')


# From an act to another director's row ----------------------------------------------------------


def measure_acts(tables: int, acts: int, server: str | None, redis: str | None) -> None:
    """Press so often on one console, and print how long until another one shows it."""
    with _served(server, redis) as servers:
        from django.conf import settings

        from tests.factories import confirmed, logged_in
        from tests.tournaments import build

        event, first = _playing(tables)
        second = logged_in(confirmed(build.director(event.club, "Ben")))
        cookie = settings.SESSION_COOKIE_NAME
        desks = [
            Desk(event.pk, at.port, {cookie: browser.cookies[cookie].value})
            for at, browser in zip((servers[0], servers[-1]), (first, second), strict=True)
        ]
        had = dict.fromkeys(range(1, tables + 1), 0)
        for hall, pause in (("quiet", 0.0), ("busy", 1.0)):
            took = _from_act_to_row(desks, had, acts, pause, Random(39))
            worst = sorted(took)[int(0.95 * len(took))]
            print(
                f"{hall:6} {median(took):6.2f} s, 95 % within {worst:5.2f} s, at most"
                f" {max(took):5.2f} s"
            )


@contextmanager
def _served(database_url: str | None, redis: str | None) -> Iterator[list[Server]]:
    """Start a server on SQLite, or two web processes; this process uses the same database."""
    if database_url and redis:
        import django

        from tests.load.scaled import start_scaled

        servers = start_scaled(2, database_url, redis)
        django.setup()
    else:
        data = Path(mkdtemp(prefix="bower-load-"))
        servers = [Server(data, 0, None, **FLAT_OUT).start()]
        use_django(data)
    try:
        yield servers
    finally:
        for one in servers:
            one.stop()


class Desk:
    """A director's browser at a console."""

    def __init__(self, event_id: int, port: int, cookies: dict[str, str]) -> None:
        self.at = f"{HOST}:{port}"
        self.event_id, self.cookies = event_id, cookies
        self.path = f"/events/{event_id}/manage/"
        self.client = httpx.Client(base_url=f"http://{self.at}", cookies=cookies, timeout=60)
        page = self.client.get(self.path)
        page.raise_for_status()
        self.have = dict(_PART.findall(page.text))
        self.token = re.findall(r'name="csrfmiddlewaretoken" value="(\w+)"', page.text)[0]

    def press(self, table: int, had: int) -> None:
        path = f"{self.path}rounds/1/tables/{table}/five-minutes"
        data = {"csrfmiddlewaretoken": self.token, "had": str(had)}
        answer = self.client.post(path, data=data)
        if answer.status_code != 303:
            raise SystemExit(f"{path} answered {answer.status_code}: {answer.text[:300]}")

    def refresh(self) -> dict[str, str]:
        """Ask what has changed, and return it."""
        asked = {"have": ",".join(f"{key}:{stamp}" for key, stamp in self.have.items())}
        answer = self.client.get(self.path, params=asked, headers={"HX-Request": "true"})
        changed = dict(_PART.findall(answer.text))
        self.have |= changed
        return changed

    def watch(self, shown: dict[int, float], ready: Signal, ends: Signal, rng: Random) -> None:
        """Follow the news as `news.js` does; put down when the row of each table has changed."""
        cookie = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        headers = {"Cookie": cookie, "Origin": f"http://{self.at}"}
        url, refreshed = f"ws://{self.at}/ws/events/{self.event_id}/?news", 0.0
        with connect(url, additional_headers=headers, max_size=None) as socket:
            ready.set()
            while not ends.is_set():
                try:
                    said = json.loads(socket.recv(timeout=0.1))
                except TimeoutError:
                    continue
                if "news" not in said:
                    continue
                news = said["news"]
                sleep(max(0.0, refreshed + news / 2 - monotonic()) + news * rng.random())
                refreshed = monotonic()
                for key in self.refresh():
                    if key.startswith("at-"):
                        shown.setdefault(int(key.removeprefix("at-")), monotonic())


def _from_act_to_row(
    desks: Sequence[Desk], had: dict[int, int], acts: int, pause: float, rng: Random
) -> list[float]:
    """Return the seconds of each act.

    had: the minutes that each table has more. pause: seconds between changes at other tables, 0 if
    there are none.
    """
    here, there = desks
    shown: dict[int, float] = {}
    ready, ends, tables = Signal(), Signal(), len(had)
    there.refresh()
    watching = Thread(target=there.watch, args=(shown, ready, ends, rng))
    busy = Desk(here.event_id, int(here.at.rpartition(":")[2]), here.cookies)

    def write_on() -> None:
        number = 0
        while not ends.wait(pause):
            number += 1
            table = tables // 2 + number % (tables // 2) + 1
            if had[table] < 50:
                busy.press(table, had[table])
                had[table] += 5

    others = Thread(target=write_on)
    watching.start()
    ready.wait(60)
    if pause:
        others.start()
    took = []
    try:
        for number in range(acts):
            sleep(1 + rng.random())
            table = number % (tables // 2) + 1
            shown.pop(table, None)
            begun = monotonic()
            here.press(table, had[table])
            had[table] += 5
            while table not in shown and monotonic() < begun + 30:
                sleep(0.005)
            took.append(shown.get(table, begun + 30) - begun)
    finally:
        ends.set()
        watching.join()
        if pause:
            others.join()
    return took


# The event ----------------------------------------------------------------------------------


def _playing(tables: int) -> tuple[Event, Client]:
    """Start an event in the room, in its first round; return it and its director's browser."""
    from django.utils import timezone

    from tests.factories import confirmed, logged_in
    from tests.tournaments import build

    club = build.club()
    director = confirmed(build.director(club, "Maeve"))
    event = build.event(
        club, format="progressive", place="room", rounds=4, capacity=4 * tables, match="deals",
        deals=HANDS, round_minutes=ROUND // 60, created_by=director, starts=timezone.now(),
    )  # fmt: skip
    build.enter(event, 4 * tables)
    build.begin(event, timezone.now())
    return event, logged_in(director)


def _evening(event: Event, rng: Random) -> Iterator[list[tuple[int, int]]]:
    """Yield table and line of each five seconds: the hands, then both sides sign or disagree."""
    due = []
    for table in event.room_tables.values_list("number", flat=True):
        pace = rng.uniform(0.6, 0.95) * ROUND / (HANDS + 2)
        lines = range(1, HANDS + 3)
        due += [((line + rng.uniform(-0.3, 0.3)) * pace, table, line) for line in lines]
    due.sort()
    for second in range(0, ROUND, PACE):
        yield [one[1:] for one in due if second <= one[0] < second + PACE]


def _write(event: Event, table: int, line: int) -> None:
    """Write a line on the card of a table; at one of twelve the second side disagrees."""
    from django.utils import timezone

    from tests.tournaments.room_scores import cards_of

    now = timezone.now()
    if line <= HANDS:
        cards_of.hand(event, line, (table + line) % 2, at=table, now=now)
    elif line > HANDS + 1 and table % 12 == 0:
        cards_of.dispute(event, at=table, now=now)
    else:
        score = cards_of.card_of(event, table).points
        cards_of.sign(event, score, side=line - HANDS - 1, at=table, now=now)


def _tell(when: str, refreshes: list[Refresh]) -> None:
    for what, digits in (("size", 0), ("spent", 1), ("queries", 0)):
        values = [getattr(one, what) for one in refreshes]
        print(f"{when:16} {what:8} {median(values):9.{digits}f}, at most {max(values):9.{digits}f}")


if __name__ == "__main__":
    main()
