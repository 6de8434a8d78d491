"""Two hundred people at the one-command server for half an hour: what grows, and what gets locked?

``python -m tests.faults.long --minutes 30 --tables 50`` lets the server stand idle for a minute,
then four people play at each table while somebody opens pages, one after the other. It prints
memory and processor of the idle server, how long actions took, how much memory it held at most in
the first eleven minutes (in ten all garbage is looked for once) and after, and how often its log
speaks of a lock; and ends with an error if an action was lost or doubled, a page failed, anything
was locked, or memory grew by more than ``--growth``.
"""

from __future__ import annotations

import argparse
import asyncio
import logging
import sys
import time

from tests.faults.people import Crowd, Pages, asking_sqlite, seconds
from tests.load.people import seat_people
from tests.served import FLAT_OUT, Server, use_django

#: Seconds until what grows would show: all garbage has been looked for once.
EARLY = 660
#: Seconds between two looks at the server's memory.
LOOK_EVERY = 5


def options() -> argparse.Namespace:
    """What was asked for."""
    known = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    known.add_argument("--minutes", type=float, default=30)
    known.add_argument("--tables", type=int, default=50, help="four people each")
    known.add_argument("--pace", type=float, default=2, help="seconds between a table's actions")
    known.add_argument("--idle", type=float, default=60, help="seconds before anybody comes")
    known.add_argument("--growth", type=float, default=0.2, help="share of memory it may grow")
    return known.parse_args()


def main() -> None:
    """Wait, play, look."""
    asked = options()
    logging.getLogger("httpx").setLevel(logging.WARNING)
    server = Server(
        None, 0, None, **FLAT_OUT, NEXT_DEAL_PAUSE="3600", STATIC_LIVE="true", LOG_FORMAT="json"
    ).start()
    try:
        use_django(server.data)
        cpu = server.cpu
        time.sleep(asked.idle)
        print(
            f"idle for {asked.idle:g} s: {server.resident:.0f} MB, "
            f"{100 * (server.cpu - cpu) / asked.idle:.1f} % of a core",
            flush=True,
        )
        wrong = asyncio.run(story(server, asked))
    finally:
        server.stop()
    if wrong:
        sys.exit("; ".join(wrong))


async def story(server: Server, asked: argparse.Namespace) -> list[str]:
    """Let all play; print, and return what is wrong."""
    seated = await asyncio.to_thread(seat_people, asked.tables)
    crowd = Crowd(seated, [server.port], asking_sqlite(server.data / "db.sqlite3"), asked.pace)
    paths = ("/", f"/tables/{seated[0].table_id}/", "/api/tables", "/events/")
    pages, over = Pages([server.port], paths, seated[0].cookies[0]), asyncio.Event()
    await crowd.come()
    cpu, begun = server.cpu, time.monotonic()
    opening = asyncio.create_task(pages.open_until(over))
    before = len(_log(server))
    lasts = 60 * asked.minutes
    early = await _most_held(server, min(EARLY, lasts / 2))
    late = await _most_held(server, lasts - min(EARLY, lasts / 2))
    over.set()
    await opening
    await crowd.all_right()
    used = (server.cpu - cpu) / (time.monotonic() - begun)
    counted = await asyncio.to_thread(crowd.count)
    locked = sum("locked" in line for line in _log(server)[before:])
    delays = [delay for company in crowd.companies for delay in company.delays]
    await crowd.go()
    print(
        f"{4 * asked.tables} people for {asked.minutes:g} minutes: {counted}; an action to its "
        f"answer {seconds(delays)}; {pages}; {used:.2f} cores; at most {early:.0f} MB in the first "
        f"{min(EARLY, lasts / 2) / 60:.0f} minutes, {late:.0f} MB after; {locked} lines of the log "
        "about locks"
    )
    wrong = [str(counted)] if counted.faults else []
    wrong += ["pages failed"] if set(pages.statuses) != {200} else []
    wrong += [f"{locked} times locked"] if locked else []
    return wrong + (["memory grew"] if late > early * (1 + asked.growth) else [])


async def _most_held(server: Server, lasts: float) -> float:
    """The megabytes the server holds at most in so many seconds."""
    ends, most = time.monotonic() + lasts, 0.0
    while (left := ends - time.monotonic()) > 0:
        most = max(most, server.resident)
        await asyncio.sleep(min(LOOK_EVERY, left))
    return most


def _log(server: Server) -> list[str]:
    return (server.data / "server.log").read_text().splitlines()


if __name__ == "__main__":
    main()
