"""Sixty people open the same page at once, and somebody plays meanwhile, on PostgreSQL.

Run ``python -m tests.load.rush --database postgres://… --pool 4``: one web process with so many
connections for pages. Sixty visitors ask at the same moment for a table's page, for a replay, for
an event's page, and then for all three mixed, while the people at that table go on playing by
their sockets. It prints the longest answer of each kind and the longest time until an action was
seen by all four, and ends with an error if a page was not answered with 200 or an action was lost.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import sys
import time
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from tests.load.driver import Driver
from tests.load.people import Seated, seat_people
from tests.load.scaled import start_scaled
from tests.served import HOST, Server
from tests.wire import open_table

#: Seconds between two actions at the table.
PACE = 0.1
#: Seconds after which nobody waits for a page any more.
LONGEST = 120


def options() -> argparse.Namespace:
    """What was asked for."""
    known = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    known.add_argument("--database", required=True, help="a PostgreSQL server's URL")
    known.add_argument("--pool", type=int, default=8, help="DB_POOL")
    known.add_argument("--visitors", type=int, default=60)
    return known.parse_args()


class Rush(NamedTuple):
    """What became of a rush.

    Attributes:
        statuses: how many pages were answered with each status; 0: not at all.
        longest: seconds of the slowest page.
    """

    statuses: Counter[int]
    longest: float


def main() -> None:
    """Measure and print; end with an error if anything failed."""
    asked = options()
    os.environ["DB_POOL"] = str(asked.pool)
    (server,) = start_scaled(1, asked.database, "")
    try:
        failed = asyncio.run(_rushes(asked, server, *_prepared()))
    finally:
        server.stop()
    if failed:
        sys.exit("; ".join(failed))


def _prepared() -> tuple[Seated, dict[str, str]]:
    """A table of people who play, and the paths of the three pages."""
    import django

    django.setup()
    from tests import factories
    from tests.load.event import ready_event

    (seated,) = seat_people(1)
    finished = factories.play_out(factories.table(*factories.cast()))
    event = ready_event(tables=8, rounds=3, hands=2)
    return seated, {
        "table": f"/tables/{seated.table_id}/",
        "replay": f"/games/{finished.pk}/replay/",
        "event": f"/events/{event.pk}/",
    }


async def _rushes(
    asked: argparse.Namespace, server: Server, seated: Seated, paths: dict[str, str]
) -> list[str]:
    """Rush to each page in turn; return what failed."""
    driver = Driver(len(seated.cookies), seated.mover)
    for cookie in seated.cookies:
        wire = await open_table(HOST, server.port, seated.table_id, cookie, driver.on_frame)
        driver.wires.append(wire)
    await asyncio.wait_for(driver.all_shown.wait(), LONGEST)
    for path in paths.values():
        await _page(server.port, path)
    failed = []
    rushes = {name: [path] * asked.visitors for name, path in paths.items()}
    rushes["all three"] = [*paths.values()] * (asked.visitors // len(paths))
    for name, wanted in rushes.items():
        driver.delays.clear()
        over = asyncio.Event()
        playing = asyncio.create_task(_play(driver, over))
        await asyncio.sleep(5 * PACE)
        cpu = server.cpu
        rush = await _rush(server.port, wanted)
        cpu = server.cpu - cpu
        over.set()
        await playing
        longest = LONGEST if driver.lost else max(driver.delays)
        print(
            f"{name}: {len(wanted)} pages {dict(rush.statuses)}, the slowest {rush.longest:.2f} s, "
            f"{1000 * cpu / len(wanted):.0f} ms CPU a page; "
            f"{len(driver.delays)} actions, the slowest {longest:.2f} s",
            flush=True,
        )
        if set(rush.statuses) != {200}:
            failed.append(f"{name}: a page failed")
        if driver.lost:
            failed.append(f"{name}: an action was lost")
            break
    return failed


async def _play(driver: Driver, over: asyncio.Event) -> None:
    """Act until the rush is over; an action that has been begun is finished."""
    while not over.is_set() and not driver.lost:
        await driver.play(time.perf_counter() + 0.001, 0)
        await asyncio.sleep(PACE)


async def _rush(port: int, paths: Sequence[str]) -> Rush:
    """Ask for all pages at once."""
    pages = await asyncio.gather(*(_page(port, path) for path in paths))
    return Rush(Counter(status for status, _ in pages), max(seconds for _, seconds in pages))


async def _page(port: int, path: str) -> tuple[int, float]:
    """The status of a page, 0 if there was none, and the seconds until its last byte."""
    begun = time.perf_counter()
    try:
        async with asyncio.timeout(LONGEST):
            reader, writer = await asyncio.open_connection(HOST, port)
            writer.write(
                f"GET {path} HTTP/1.1\r\nHost: {HOST}:{port}\r\nConnection: close\r\n\r\n".encode()
            )
            answer = await reader.read()
            while not reader.at_eof():
                answer += await reader.read()
            writer.close()
        status = int(answer.split(b" ", 2)[1])
    except (OSError, TimeoutError, IndexError):
        status = 0
    return status, time.perf_counter() - begun


if __name__ == "__main__":
    main()
