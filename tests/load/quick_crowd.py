"""What people who come cost those who play: ``python -m tests.load.quick_crowd``.

With ``--tables 500 --joins 200`` 2,000 people sit at tables that each act once in ``--pace``
seconds; after ``--seconds`` of that, 200 members a minute come as well. Each presses "Play now",
waits on the page of the queue as its script does, opens their table and its socket, says a phrase,
and leaves the table after ``--stay`` seconds. A third phase is without newcomers again. Printed for
each phase: the time from an action at the 500 tables to the last of its four pictures; and how long
the newcomers waited for their table.

``--processes 2 --database postgres://… --redis redis://…``: that many web processes, and the
newcomers' requests spread over them.
"""

from __future__ import annotations

import argparse
import asyncio
import logging
import re
import statistics
import sys
import time
from collections import Counter
from collections.abc import Sequence
from itertools import cycle
from typing import TYPE_CHECKING

import httpx

from tests.load.driver import Driver, Figures, Table, open_all, play_on
from tests.load.people import seat_people
from tests.load.scaled import start_scaled
from tests.served import FLAT_OUT, HOST, Server, use_django
from tests.wire import open_table

if TYPE_CHECKING:
    from games.models import Player

#: The queue as on any site, and no limit for all who come from this one address.
SETTINGS = {"QUICK_GATHER": "2", "TABLES_IN_TEN_MINUTES": "100000"}
#: A token for forms, as the cookie and the field have it.
TOKEN = "a" * 32
#: Seconds between two looks of a page that waits for its table, and after which it gives up.
LOOK, LONGEST = 1.0, 60.0
TABLE = re.compile(r"/tables/(\d+)")


class Newcomer:
    """A member who presses "Play now"; `waited` is None until they sit.

    cookie: of their session. `why`: what went wrong, if anything.
    """

    def __init__(self, cookie: str) -> None:
        self.cookie = cookie
        self.waited: float | None = None
        self.why = ""

    async def come(self, server: Server, stay: float) -> None:
        headers = {"Cookie": f"{self.cookie}; bower_csrf={TOKEN}", "X-CSRFToken": TOKEN}
        at = f"http://{HOST}:{server.port}"
        async with httpx.AsyncClient(base_url=at, headers=headers, timeout=LONGEST) as client:
            try:
                table = await self._sit(client)
                wire = await open_table(HOST, server.port, table, self.cookie, lambda _frame: None)
                said = await client.post(f"/tables/{table}/say", data={"phrase": "0"})
                if said.status_code != httpx.codes.SEE_OTHER:
                    self.why = f"a phrase was answered with {said.status_code}"
                await asyncio.sleep(stay)
                assert wire.transport is not None
                wire.transport.close()
                await client.post(f"/tables/{table}/leave")
            except (httpx.HTTPError, OSError, TimeoutError) as error:
                self.why = repr(error)

    async def _sit(self, client: httpx.AsyncClient) -> int:
        """Press the button and look until there is a table; return its number."""
        begun = time.perf_counter()
        answer = await client.post("/play/now/", data={"rules": "stick-the-dealer"})
        while time.perf_counter() < begun + LONGEST:
            if answer.is_redirect:
                path = answer.headers["Location"]
                if found := TABLE.match(path):
                    await client.get(path)
                    self.waited = time.perf_counter() - begun
                    return int(found[1])
                answer = await client.get(path)
            elif answer.is_error:
                raise httpx.HTTPError(f"{answer.status_code}: {answer.text[:200]}")
            else:
                await asyncio.sleep(LOOK)
                answer = await client.get("/play/seat/")
        raise TimeoutError("no table")


def options() -> argparse.Namespace:
    known = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    known.add_argument("--tables", type=int, default=500)
    known.add_argument("--joins", type=int, default=200, help="newcomers a minute")
    known.add_argument("--seconds", type=float, default=60, help="of each phase")
    known.add_argument("--pace", type=float, default=3, help="seconds between a table's actions")
    known.add_argument("--stay", type=float, default=20, help="seconds a newcomer stays")
    known.add_argument("--processes", type=int, default=1, help="needs --database and --redis")
    known.add_argument("--database", default="", help="a PostgreSQL server's URL")
    known.add_argument("--redis", default="", help="a Redis server's URL")
    return known.parse_args()


def make_members(number: int) -> list[str]:
    """Make members; return the cookies of their sessions."""
    from django.conf import settings
    from django.contrib.auth.hashers import make_password

    from games.models import Player, User
    from tests.factories import logged_in

    password = make_password(None)
    users = User.objects.bulk_create(
        User(email=f"newcomer{n}@example.com", password=password) for n in range(number)
    )
    made: list[Player] = Player.objects.bulk_create(
        Player(name=f"Newcomer {n}", user=user) for n, user in enumerate(users)
    )
    name = settings.SESSION_COOKIE_NAME
    return [f"{name}={logged_in(one).cookies[name].value}" for one in made]


async def run(
    asked: argparse.Namespace,
    servers: Sequence[Server],
    tables: Sequence[Table],
    newcomers: Sequence[Newcomer],
) -> int:
    """Measure and print the three phases; return how many tables were lost."""
    drivers, opened = await open_all(servers, tables)
    print(f"{asked.tables} tables, all sockets shown after {opened:.1f} s", flush=True)
    lost = 0
    for name, coming in (("alone", ()), ("with newcomers", newcomers), ("alone again", ())):
        figures = await one_phase(asked, servers, drivers, coming)
        lost += figures.lost
        print(f"{name}: {figures}", flush=True)
    return lost


async def one_phase(
    asked: argparse.Namespace,
    servers: Sequence[Server],
    drivers: Sequence[Driver],
    newcomers: Sequence[Newcomer],
) -> Figures:
    """Play for the time of a phase while people come, evenly."""
    async with asyncio.TaskGroup() as tasks:
        playing = tasks.create_task(play_on(servers, drivers, asked.seconds, asked.pace))
        for one, server in zip(newcomers, cycle(servers), strict=False):
            tasks.create_task(one.come(server, asked.stay))
            await asyncio.sleep(60 / asked.joins)
    return playing.result()


def main() -> None:
    """Measure and print; ends with an error if anything was lost."""
    asked = options()
    logging.getLogger("httpx").setLevel(logging.WARNING)
    if asked.database:
        servers = start_scaled(asked.processes, asked.database, asked.redis, **SETTINGS)
    else:
        servers = [Server(None, 0, None, **FLAT_OUT | SETTINGS).start()]
    use_django(servers[0].data)
    cookies = make_members(round(asked.joins * asked.seconds / 60))
    newcomers = [Newcomer(cookie) for cookie in cookies]
    tables = [(one.table_id, one.cookies, one.mover) for one in seat_people(asked.tables)]
    try:
        lost = asyncio.run(run(asked, servers, tables, newcomers))
    finally:
        for server in servers:
            server.stop()
    waits = sorted(one.waited for one in newcomers if one.waited is not None)
    if waits:
        p95 = waits[int(len(waits) * 0.95)]
        print(
            f"{len(waits)} newcomers sat after {statistics.median(waits):.1f} s (p95 {p95:.1f} s)"
        )
    failed = Counter(one.why for one in newcomers if one.why)
    for why, number in failed.most_common():
        print(f"{number} times: {why}")
    if lost or failed or len(waits) < len(newcomers):
        sys.exit(f"{lost} tables stopped, {len(newcomers) - len(waits)} newcomers never sat")


if __name__ == "__main__":
    main()
