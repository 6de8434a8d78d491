"""Plays tables over real sockets and measures what their players feel."""

from __future__ import annotations

import asyncio
import itertools
import json
import random
import statistics
import time
from collections.abc import Sequence
from typing import NamedTuple, TypeAlias

from tests.load.people import Mover
from tests.served import HOST, Server
from tests.wire import VERSION, Wire, open_table

#: Seconds after which a picture counts as lost.
LONGEST = 60
#: And for which all sockets may take to be shown their tables.
LONGEST_OPENING = 300
#: How many lost actions are told of in full.
SHOWN = 3


class Driver:
    """One table: whoever must act acts, and the clock runs until all its sockets have seen it."""

    def __init__(self, seats: int, mover: Mover | None) -> None:
        self.wires: list[Wire] = []
        self.seats = seats
        self.mover = mover
        self.seen = 0
        self.version = 0
        self.newest = 0
        self.sizes: list[int] = []
        self.lost = 0
        self.answer = b""
        self.why = ""
        self.delays: list[float] = []
        self.all_seen = asyncio.Event()
        self.all_shown = asyncio.Event()

    def on_frame(self, frame: bytes) -> None:
        """Count a picture of the version waited for; answers and other pictures pass."""
        if frame.startswith(b'{"answer"'):
            self.answer = frame
            return
        self.sizes.append(len(frame))
        if len(self.sizes) == self.seats:
            self.all_shown.set()
        found = VERSION.match(frame, 1)
        if found is None:
            return
        shown = int(found[1].split(b".")[1])
        self.newest = max(self.newest, shown)
        if shown == self.version:
            self.seen += 1
            if self.seen == self.seats:
                self.all_seen.set()

    async def play(self, ends: float, pace: float) -> None:
        """Act until ``ends`` (monotonic seconds), ``pace`` seconds from action to action."""
        if pace:
            await asyncio.sleep(random.random() * pace)
        while time.perf_counter() < ends:
            begun = time.perf_counter()
            seat, text = self.mover() if self.mover else (0, "pass")
            stamp, self.version = f"1.{self.version}", self.version + 1
            if self.newest >= self.version:  # the next hand was dealt without a press
                continue
            self.seen = 0
            self.all_seen.clear()
            message = {"action": text, "version": stamp, "key": f"k{self.version}"}
            self.wires[seat].send(json.dumps(message).encode())
            try:
                await asyncio.wait_for(self.all_seen.wait(), LONGEST)
            except TimeoutError:
                self.lost = 1
                self.why = f"{message} seen by {self.seen}; last answer {self.answer.decode()}"
                return
            self.delays.append(time.perf_counter() - begun)
            if pace:
                await asyncio.sleep(max(0, pace - (time.perf_counter() - begun)))


class Figures(NamedTuple):
    """What was measured.

    Attributes:
        actions: how many actions all four had seen in time.
        lost: tables that stopped because an action or a picture never came.
        per_second: actions a second.
        p50, p99, longest: milliseconds from an action to the last of its pictures.
        cpu: milliseconds of the servers' processor time an action.
        share: cores the servers used.
        memory: megabytes all servers held at most.
        frame, middle: bytes a picture frame, on average and at the median.
        opened: seconds until every socket had its first picture.
        again: the same after a restart, or 0 without one.
    """

    actions: int
    lost: int
    per_second: float
    p50: float
    p99: float
    longest: float
    cpu: float
    share: float
    memory: float
    frame: float
    middle: float
    opened: float
    again: float

    def __str__(self) -> str:
        again = f", {self.again:.1f} s after a restart" if self.again else ""
        return (
            f"{self.per_second:.0f} actions/s ({self.actions} in all, {self.lost} lost); action to "
            f"last picture p50 {self.p50:.1f} ms, p99 {self.p99:.1f} ms, longest "
            f"{self.longest:.0f} ms; servers {self.cpu:.3f} ms CPU an action "
            f"({self.share:.2f} cores), {self.memory:.0f} MB; {self.frame:.0f} bytes a frame, "
            f"{self.middle:.0f} at the median; "
            f"all sockets shown after {self.opened:.1f} s{again}"
        )


#: A table: its number, its people's cookies, and what they do; None: they only pass.
Table: TypeAlias = tuple[int, list[str], Mover | None]


async def open_all(
    servers: Sequence[Server], tables: Sequence[Table]
) -> tuple[list[Driver], float]:
    """Open all sockets, those of a table spread over the servers, and wait until each is shown.

    Returns those who drive the tables, and the seconds it took.
    """
    drivers = [Driver(len(cookies), mover) for _, cookies, mover in tables]
    opening = time.perf_counter()
    for (table_id, cookies, _), driver in zip(tables, drivers, strict=True):
        for cookie, server in zip(cookies, itertools.cycle(servers), strict=False):
            wire = await open_table(HOST, server.port, table_id, cookie, driver.on_frame)
            driver.wires.append(wire)
    shown = asyncio.gather(*(driver.all_shown.wait() for driver in drivers))
    await asyncio.wait_for(shown, LONGEST_OPENING)
    return drivers, time.perf_counter() - opening


async def measure(
    servers: Sequence[Server],
    tables: Sequence[Table],
    seconds: float,
    pace: float,
    *,
    restart: bool = False,
) -> Figures:
    """Open all sockets and play for some seconds; before that restart the servers if asked to."""
    drivers, opened = await open_all(servers, tables)
    again = 0.0
    if restart:
        for server in servers:
            server.stop()
            server.start()
        drivers, again = await open_all(servers, tables)
    return await play_on(servers, drivers, seconds, pace, opened=opened, again=again)


async def play_on(
    servers: Sequence[Server],
    drivers: Sequence[Driver],
    seconds: float,
    pace: float,
    *,
    opened: float = 0.0,
    again: float = 0.0,
) -> Figures:
    """Play at tables whose sockets are open; what was measured before does not count."""
    for driver in drivers:
        driver.sizes.clear()
        driver.delays.clear()
    cpu, begun = sum(server.cpu for server in servers), time.perf_counter()
    await asyncio.gather(*(driver.play(begun + seconds, pace) for driver in drivers))
    lasted = time.perf_counter() - begun
    for driver in [one for one in drivers if one.lost][:SHOWN]:
        print(f"lost: {driver.why}")
    used = sum(server.cpu for server in servers) - cpu
    delays = sorted(itertools.chain.from_iterable(driver.delays for driver in drivers))
    actions = len(delays)
    sizes = [size for driver in drivers for size in driver.sizes] or [0]
    return Figures(
        actions=actions,
        lost=sum(driver.lost for driver in drivers),
        per_second=actions / lasted,
        p50=1000 * statistics.median(delays),
        p99=1000 * delays[int(actions * 0.99)],
        longest=1000 * delays[-1],
        cpu=1000 * used / actions,
        share=used / lasted,
        memory=sum(server.memory for server in servers),
        frame=statistics.mean(sizes),
        middle=statistics.median(sizes),
        opened=opened,
        again=again,
    )
