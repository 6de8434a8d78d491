"""What a day of the daily deal costs, and whether those who play at other tables feel it.

``python -m tests.load.daily_day --players 2000 --real 90`` starts two web processes, a worker, a
schedule, a PostgreSQL and a Redis of its own. Of the members who play the day, `--real` do so
through pages and sockets as browsers do, a share of their choices by chance and the rest like a
steady house player; they and the house pause less than people do. The others' tries are made by
the functions that the server calls, played by chance, and stored without a browser, and so their
house players do not think; every twentieth stops after two deals.

Meanwhile `--tables` of four people act once a second. Phases in which they are alone alternate with
phases in which people begin the daily deal, and both are printed, so that noise can be told from
cost. Then the day closes, and all real players open its results within ten seconds. For each phase
it prints processor time by part, rows and bytes written, and the time from an action at the tables
to the last of its four pictures; at the end what a try costs, from the differences. It ends with an
error if anything was lost or a try is not counted.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import random
import statistics
import sys
import time
from collections import Counter
from collections.abc import Coroutine, Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import cycle
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import httpx
import psycopg

from tests.faults.people import BrowserTab
from tests.faults.servers import Postgres, Stack, open_folder, use_django
from tests.load.driver import Driver, Table, open_all, play_on
from tests.load.people import seat_people
from tests.load.quick_crowd import TABLE, TOKEN, make_members
from tests.served import HOST, free_port

if TYPE_CHECKING:
    from games.engine.game import Game as Engine
    from tournaments.models import DailyDeal

#: People and house players are quick here, and no limit counts those who come from one address.
SETTINGS: dict[str, Any] = {
    "HOUSE_PAUSE": "0.05,0.15",
    "TRICK_REST": "0.1",
    "TABLES_IN_TEN_MINUTES": "1000000",
}
#: Seconds a person thinks, those at the end of a phase in which nobody begins any more, and those
#: after which somebody who has not finished is lost.
THINKS, LAST, LONGEST = 0.1, 18.0, 120.0
#: Seconds for the close, and those within which all open the results.
CLOSING, RESULTS_WITHIN = 30.0, 10.0
#: Every so many tries stored without a browser stop after two deals.
UNFINISHED = 20
#: Seconds between two actions at a table beside it, and until PostgreSQL has counted what it wrote.
PACE, SETTLING = 1.0, 1.5
ACTIONS = """
SELECT event.action FROM games_gameevent event JOIN games_game game ON game.id = event.game_id
WHERE game.table_id = %s AND event.seq > %s ORDER BY event.seq
"""
WRITTEN = """
SELECT sum(n_tup_ins)::bigint, sum(n_tup_upd)::bigint, pg_current_wal_lsn() - '0/0',
       pg_database_size(current_database()) FROM pg_stat_user_tables
"""


def options() -> argparse.Namespace:
    known = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    known.add_argument("--players", type=int, default=2000)
    known.add_argument("--real", type=int, default=90, help="of them, through pages and sockets")
    known.add_argument("--chance", type=float, default=0.2, help="share of their choices by chance")
    known.add_argument("--tables", type=int, default=40, help="of four people, beside it")
    known.add_argument("--seconds", type=float, default=45, help="of each phase")
    known.add_argument("--pairs", type=int, default=3, help="of phases without and with it")
    return known.parse_args()


class Person(BrowserTab):
    """A member who plays a day's deals; `why`: what went wrong, if anything.

    engine: the deals, on which what happened is played again. chance: of their choices.
    """

    def __init__(self, cookie: str, engine: Engine, chance: random.Random, share: float) -> None:
        super().__init__([], 0, cookie)
        self.engine, self.chance, self.share = engine, chance, share
        self.asked, self.why, self.lasted, self.waited = asyncio.Event(), "", 0.0, 0.0

    def take(self, frame: bytes) -> None:
        super().take(frame)
        if b'"question.waits":"' in frame:
            self.asked.set()

    async def come(self, delay: float, port: int, path: str, database: psycopg.Connection) -> None:
        """Begin the deals of a day's page by its form, play them, and look at the points."""
        await asyncio.sleep(delay)
        begun = time.monotonic()
        try:
            async with asyncio.timeout(LONGEST), self.browser(port) as browser:
                (await browser.get(path)).raise_for_status()
                table = (await browser.post(f"{path}begin")).headers["Location"]
                (await browser.get(table)).raise_for_status()
                self.ports, self.table_id = [port], int(TABLE.match(table)[1])  # type: ignore[index]
                line = asyncio.create_task(self.keep_open())
                await self._play(database)
                line.cancel()
                (await browser.get(path)).raise_for_status()
        except (httpx.HTTPError, KeyError, TimeoutError) as error:
            self.why = repr(error)
        self.lasted = time.monotonic() - begun

    def browser(self, port: int) -> httpx.AsyncClient:
        headers = {"Cookie": f"{self.cookie}; bower_csrf={TOKEN}", "X-CSRFToken": TOKEN}
        return httpx.AsyncClient(
            base_url=f"http://{HOST}:{port}", headers=headers, timeout=LONGEST,
            verify=False,  # noqa: S501 - plain HTTP; reading certificates holds up all others here
        )  # fmt: skip

    async def _play(self, database: psycopg.Connection) -> None:
        from games.bots import house
        from games.engine.actions import parse_action
        from tournaments.models.daily import SEAT

        engine = self.engine
        while not engine.standing.over:
            with suppress(TimeoutError):
                await asyncio.wait_for(self.asked.wait(), 1)
            self.asked.clear()
            for (action,) in database.execute(ACTIONS, [self.table_id, engine.version]):
                engine.push(parse_action(action))
            if engine.turn == SEAT or (engine.between_deals and not engine.standing.over):
                await asyncio.sleep(THINKS)
                action = self.chance.choice(engine.legal_actions())
                if not engine.between_deals and self.chance.random() >= self.share:
                    action = house.choose(engine.observe(SEAT), self.chance)
                await self.act(str(action), engine.version, f"k{engine.version}")

    async def look(self, delay: float, port: int, path: str) -> None:
        """Open the results of a day that has closed."""
        await asyncio.sleep(delay)
        async with self.browser(port) as browser:
            begun = time.monotonic()
            response = await browser.get(path)
            self.waited = time.monotonic() - begun
            if response.status_code != httpx.codes.OK or "card by card" not in response.text:
                self.why = f"results answered with {response.status_code}"


class Meter:
    """Processor time of the parts of a site, and what its database has written."""

    def __init__(self, stack: Stack) -> None:
        self.stack = stack
        self.database = psycopg.connect(stack.postgres.url, autocommit=True)

    def read(self) -> dict[str, float]:
        """Return what was used up to now: seconds by part, rows, and megabytes."""
        stack = self.stack
        webs = [web.process.pid for web in stack.webs if web.process is not None]
        own = sum(web.cpu for web in stack.webs)
        inserted, updated, log, size = self.database.execute(WRITTEN).fetchone() or (0, 0, 0, 0)
        return {
            "web s": own,
            "house players s": sum(map(processor_time, webs)) - own,
            "worker s": processor_time(stack.worker.pid),
            "schedule s": processor_time(stack.schedule.pid),
            "PostgreSQL s": processor_time(stack.postgres.pid),
            "Redis s": processor_time(stack.redis.pid),
            "rows inserted": float(inserted),
            "rows updated": float(updated),
            "MB of log": float(log) / 1e6,
            "MB of data": float(size) / 1e6,
        }

    @contextmanager
    def measuring(self, what: str) -> Iterator[None]:
        before, begun = self.read(), time.monotonic()
        yield
        lasted = time.monotonic() - begun
        print(f"{what}, {lasted:.0f} s: {in_words(self.since(before))}", flush=True)

    def since(self, before: dict[str, float]) -> dict[str, float]:
        time.sleep(SETTLING)
        return {name: amount - before[name] for name, amount in self.read().items()}


def in_words(used: dict[str, float]) -> str:
    return ", ".join(f"{name} {amount:.3g}" for name, amount in used.items())


def processor_time(pid: int) -> float:
    """Return the seconds of a process and of all that it has started."""
    total, waiting = 0, [pid]
    while waiting:
        process = Path(f"/proc/{waiting.pop()}")
        with suppress(OSError):  # it has ended meanwhile
            fields = (process / "stat").read_text().rsplit(") ", 1)[1].split()
            total += sum(map(int, fields[11:15]))
            for thread in process.glob("task/*/children"):
                waiting += map(int, thread.read_text().split())
    return total / os.sysconf("SC_CLK_TCK")


def main() -> None:
    asked = options()
    with open_folder() as folder, open_folder() as of_postgres:
        stack = Stack(folder, Postgres(of_postgres, free_port()), **SETTINGS)
        try:
            stack.start_servers()
            use_django(stack)
            wrong = measure(stack, asked)
        finally:
            stack.stop()
    if wrong:
        sys.exit("; ".join(wrong))


def measure(stack: Stack, asked: argparse.Namespace) -> list[str]:
    """Prepare the day, and measure; return what went wrong."""
    from django.db import connections

    from games.engine.game import Game as Engine
    from games.models import Player, User
    from games.shuffle.dealing import packs_of
    from games.sockets import hub
    from tests.tournaments.daily import days_for_tests
    from tournaments.daily import tries

    stack.start_webs()
    stack.start_rest()
    setattr(hub, "announce", lambda _table_id: None)  # noqa: B010 - no page of these is open
    tables = [(one.table_id, one.cookies, one.mover) for one in seat_people(asked.tables)]
    cookies, others = make_members(asked.real), asked.players - asked.real
    users = User.objects.bulk_create(User(email=f"{n}@example.com") for n in range(others))
    players: list[Player] = Player.objects.bulk_create(
        Player(name=f"Member {n}", user=user) for n, user in enumerate(users)
    )
    daily, meter = days_for_tests.today(), Meter(stack)
    with meter.measuring(f"{others} tries stored without a browser"):
        begun, used = [], time.process_time()
        for number, one in enumerate(players):
            begun.append(days_for_tests.begun(daily, one, f"192.0.2.{number % 250}"))
        used = time.process_time() - used
        for number, mine in enumerate(begun):
            days_for_tests.play(mine, number, 4 if number % UNFINISHED else 2)
        while tries.just_ended(1):  # until the worker has read them
            time.sleep(1)
    print(f"beginning one: {1000 * used / others:.1f} ms of the process that does it", flush=True)
    game = days_for_tests.table_of(begun[0]).games.get()
    packs = packs_of(game)
    people = [
        Person(cookie, Engine(game.rules, game.first_dealer, packs), random.Random(n), asked.chance)
        for n, cookie in enumerate(cookies)
    ]
    connections.close_all()
    return asyncio.run(live(meter, asked, daily, tables, people))


async def live(
    meter: Meter,
    asked: argparse.Namespace,
    daily: DailyDeal,
    tables: Sequence[Table],
    people: Sequence[Person],
) -> list[str]:
    """Play the phases, the close and the opening of the results; return what went wrong."""
    from tests.tournaments.daily import days_for_tests
    from tournaments.daily import tries

    webs, path = meter.stack.webs, tries.path_of(daily)
    drivers, _ = await open_all(webs, tables)
    await play_on(webs, drivers, 10, PACE)  # those who have just come cost more
    phases: dict[str, list[Phase]] = {"without": [], "with": []}
    ports = cycle(web.port for web in webs)
    for number in range(asked.pairs):
        coming = people[number :: asked.pairs]
        pause = (asked.seconds - LAST) / len(coming)
        acts = [
            one.come(at * pause, next(ports), path, meter.database) for at, one in enumerate(coming)
        ]
        for name, doing in (("without", []), ("with", acts)):
            phases[name].append(await measured(name, meter, drivers, asked.seconds, doing))
    tell_of(phases, len(people))
    await asyncio.to_thread(days_for_tests.pass_by, daily)
    await measured("the close", meter, drivers, CLOSING, [closing(daily.pk)])
    await daily.arefresh_from_db(fields=["day", "played"])
    path = tries.path_of(daily)
    pause = RESULTS_WITHIN / len(people)
    looks = [one.look(at * pause, next(ports), path) for at, one in enumerate(people)]
    await measured("the results opened", meter, drivers, 2 * RESULTS_WITHIN, looks)
    waits = sorted(one.waited for one in people)
    lasted = statistics.median(one.lasted for one in people)
    print(
        f"a try lasted {lasted:.0f} s; the results came after {1000 * statistics.median(waits):.0f}"
        f" ms at the median, {1000 * waits[-1]:.0f} ms at most"
    )
    lost = [f"{why}: {count}" for why, count in Counter(one.why for one in people).items() if why]
    if daily.played != asked.players:
        lost.append(f"{daily.played} tries counted")
    return lost + [driver.why for driver in drivers if driver.lost]


class Phase(NamedTuple):
    """What was used, and the delays in seconds of actions at the tables beside it."""

    used: dict[str, float]
    delays: list[float]


async def measured(
    name: str,
    meter: Meter,
    drivers: Sequence[Driver],
    seconds: float,
    doing: Sequence[Coroutine[Any, Any, None]],
) -> Phase:
    """Play at the tables while other things are done; print and return what was measured."""
    before, begun = meter.read(), time.monotonic()
    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(play_on(meter.stack.webs, drivers, seconds, PACE))
        for one in doing:
            tasks.create_task(one)
    lasted = time.monotonic() - begun
    used = await asyncio.to_thread(meter.since, before)
    delays = [delay for driver in drivers for delay in driver.delays]
    print(f"{name}, {lasted:.0f} s: {milliseconds(delays)}; {in_words(used)}", flush=True)
    return Phase(used, delays)


def milliseconds(delays: Sequence[float]) -> str:
    ordered = sorted(delays)
    p50, p99 = statistics.median(ordered), ordered[int(len(ordered) * 0.99)]
    return (
        f"{len(ordered)} actions, p50 {1000 * p50:.1f} ms, p99 {1000 * p99:.1f} ms, "
        f"longest {1000 * ordered[-1]:.0f} ms"
    )


def tell_of(phases: dict[str, list[Phase]], players: int) -> None:
    """Print all phases without and with the daily deal together, and what a try has cost."""
    for name, those in phases.items():
        print(f"all {name}: {milliseconds([delay for one in those for delay in one.delays])}")
    without, with_it = (
        {name: sum(one.used[name] for one in those) for name in those[0].used}
        for those in phases.values()
    )
    a_try = {name: (with_it[name] - without[name]) / players for name in without}
    print(f"a try: {in_words(a_try)}", flush=True)


async def closing(daily_id: int) -> None:
    """Wait until a day is closed, and print how long that took."""
    from tournaments.models import DailyDeal

    begun, opened = time.monotonic(), 0.0
    async with asyncio.timeout(LONGEST):
        while True:
            daily = await DailyDeal.objects.select_related("deals").aget(pk=daily_id)
            if daily.closed is not None:
                break
            if daily.deals.opened is not None and not opened:
                opened = time.monotonic() - begun
            await asyncio.sleep(0.05)
    closed = time.monotonic() - begun
    print(f"deals opened {opened:.1f} s and results compared {closed:.1f} s after the hour")
    print(f"{daily.played} tries counted, means {daily.means}, the house {daily.house}")


if __name__ == "__main__":
    main()
