"""What the console of a large evening costs to keep up to date: ``python -m tests.load.console``.

A progressive event is played at a hundred tables in the room. Its players write their hands and
sign on their phones, some disagree, and an open console asks every five seconds of that evening
what has changed, in the server's own code without a network. Printed are the bytes of the page and
of its answers before compression, milliseconds of the processor and queries, medians and the
largest: when nothing has changed, and over the evening.
"""

from __future__ import annotations

import argparse
import os
import re
from collections.abc import Iterator
from random import Random
from statistics import median
from time import process_time
from typing import TYPE_CHECKING, NamedTuple

from tests.load.rating_speed import database

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
    asked = parser.parse_args()
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
