"""How many tables one machine carries: actions a second, and how soon all four see them.

Run ``python -m tests.load.live --tables 100 --seconds 10`` (flat out: every table acts again as
soon as all four have seen the last action) or with ``--pace 3`` (every table acts once in three
seconds). It starts the one-command server on SQLite in a folder of its own, seats people at the
tables, opens all their sockets, plays legal actions, and prints actions a second, the time from
an action to the last of its four pictures, and the server's processor time and memory.

With ``--restart`` the server is stopped and started when all sockets are open, and all open again:
that is told as well. ``--floor`` prints beside it a bare ASGI server on the same uvicorn that sends
four frames of the same size and stores nothing. ``--processes 2 --database postgres://… --redis
redis://…`` measures that many web processes on PostgreSQL and Redis, each table's sockets spread
over all of them.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import sys
from collections.abc import Sequence

from tests.load.driver import Figures, measure
from tests.load.people import seat_people
from tests.load.scaled import start_scaled
from tests.served import FLAT_OUT, HOST, Server, use_django


def options() -> argparse.Namespace:
    """What was asked for."""
    known = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    known.add_argument("--tables", type=int, default=100)
    known.add_argument("--seconds", type=float, default=10)
    known.add_argument("--pace", type=float, default=0, help="seconds between a table's actions")
    known.add_argument("--restart", action="store_true", help="open all sockets, and restart first")
    known.add_argument("--floor", action="store_true", help="measure the bare server too")
    known.add_argument("--processes", type=int, default=1, help="needs --database and --redis")
    known.add_argument("--database", default="", help="a PostgreSQL server's URL")
    known.add_argument("--redis", default="", help="a Redis server's URL")
    return known.parse_args()


def main() -> None:
    """Measure and print; ends with an error if anything was lost."""
    asked = options()
    if asked.database:
        servers = start_scaled(asked.processes, asked.database, asked.redis)
    else:
        servers = [Server(None, 0, None, **FLAT_OUT).start()]
    os.environ.pop("REDIS_URL", None)  # else what is announced of seating people is read in play
    use_django(servers[0].data)
    tables = [(one.table_id, one.cookies, one.mover) for one in seat_people(asked.tables)]
    figures = run(asked, servers, tables)
    pace = f"one action in {asked.pace:g} s" if asked.pace else "flat out"
    where = f"{len(servers)} processes on PostgreSQL" if asked.database else "one process on SQLite"
    print(f"{asked.tables} tables, {pace}, {where}: {figures}")
    if asked.floor:
        floor = measure_floor(asked, figures)
        print(f"bare server, nothing stored: {floor}")
        print(f"Bower uses {figures.cpu / floor.cpu:.1f} times the bare server's CPU an action.")
    if figures.lost:
        sys.exit(f"{figures.lost} tables stopped: an action or its picture never came")


def run(asked: argparse.Namespace, servers: Sequence[Server], tables: Sequence[tuple]) -> Figures:  # type: ignore[type-arg]
    """Measure the tables on the servers, and stop these."""
    try:
        return asyncio.run(
            measure(servers, tables, asked.seconds, asked.pace, restart=asked.restart)
        )
    finally:
        for server in servers:
            server.stop()


def measure_floor(asked: argparse.Namespace, figures: Figures) -> Figures:
    """Measure the bare server, with frames of the same size."""
    server = Server(FLOOR_BYTES=str(round(figures.frame)))
    server.command = [
        sys.executable, "-m", "uvicorn", "tests.load.floor:app", "--host", HOST, "--port",
        str(server.port), "--ws", "euchre_site.run.wire:FramingProtocol",
        "--ws-per-message-deflate", "false", "--log-level", "warning", "--lifespan", "off",
        "--no-access-log",
    ]  # fmt: skip
    tables = [(number, ["x=y"] * 4, None) for number in range(asked.tables)]
    return run(asked, [server.start()], tables)


if __name__ == "__main__":
    main()
