"""People at tables who do what their browsers do: come back when the line is lost, and say again
under the same key what nobody has answered."""

from __future__ import annotations

import asyncio
import itertools
import json
import random
import sqlite3
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing, suppress
from pathlib import Path
from typing import Any, NamedTuple

import httpx
import psycopg

from tests.load.people import Seated, mover_of
from tests.served import HOST
from tests.wire import VERSION, Wire, answer_in, open_table

#: Seconds for which an answer is waited for before the line is given up, as a browser does.
PATIENCE = 4.0
#: Seconds until a lost line is tried again: at first, and at most.
AGAIN, LONGEST = 0.3, 1.5
#: What asking the database directly raises while it is away.
NO_ANSWER = (psycopg.Error, sqlite3.Error)
#: Asks a database something in SQL.
Ask = Callable[[str], list[tuple[Any, ...]]]
#: Seconds until what was not saved is said again.
PAUSE = 0.5
#: Seconds for which a page is waited for.
LONGEST_PAGE = 60.0


class BrowserTab:
    """One tab at one table.

    Args:
        ports: where the web processes are; one that is not there is passed over.
        table_id: the table.
        cookie: whose session.

    Attributes:
        version: of the game it shows; -1: nothing.
        shown: when it was shown each version first, in monotonic seconds.
        failed: how often the answer was that it was not saved.
    """

    def __init__(self, ports: Sequence[int], table_id: int, cookie: str) -> None:
        self.ports, self.table_id, self.cookie = ports, table_id, cookie
        self.version = -1
        self.shown: dict[int, float] = {}
        self.failed = 0
        self.wire: Wire | None = None
        self.opened = asyncio.Event()
        self.waiting: dict[str, asyncio.Future[tuple[str, int]]] = {}

    def take(self, frame: bytes) -> None:
        """Take a frame: an answer, or what is shown."""
        if answer := answer_in(frame):
            future = self.waiting.get(answer["key"])
            if future is not None and not future.done():
                number = answer["version"].partition(".")[2]
                future.set_result((answer["kind"], int(number or 0)))
        if frame.startswith(b'{"answer"'):
            return
        found = VERSION.search(frame)
        if found:
            self.version = int(found[1].split(b".")[1])
            self.shown.setdefault(self.version, time.monotonic())

    @property
    def is_open(self) -> bool:
        """Whether its line is open."""
        return self.opened.is_set()

    def first_shown(self, version: int) -> float | None:
        """When this version or a later one was shown first; None: not yet."""
        later = [at for shown, at in self.shown.items() if shown >= version]
        return min(later, default=None)

    async def keep_open(self) -> None:
        """Open a line, and another when it is lost, until this is cancelled."""
        pause = AGAIN
        for port in itertools.cycle(self.ports):
            try:
                async with asyncio.timeout(PATIENCE):
                    self.wire = await open_table(HOST, port, self.table_id, self.cookie, self.take)
            except (OSError, TimeoutError):
                await asyncio.sleep(pause * random.uniform(0.5, 1))
                pause = min(2 * pause, LONGEST)
                continue
            pause = AGAIN
            self.opened.set()
            try:
                await self.wire.closed.wait()
            finally:
                self.opened.clear()
                self.version = -1
                self._break()
            await asyncio.sleep(AGAIN * random.random())

    def _break(self) -> None:
        """Whoever waits for an answer learns that none comes over this line."""
        for future in self.waiting.values():
            if not future.done():
                future.set_exception(ConnectionError())

    def give_up(self) -> None:
        """Close the line, for another to be opened."""
        if self.wire is not None and self.wire.transport is not None:
            self.wire.transport.abort()

    async def act(self, text: str, version: int, key: str) -> tuple[str, int]:
        """Say something until it is answered otherwise than that it was not saved.

        Returns the kind of the answer, and the version it names.
        """
        message = json.dumps({"action": text, "version": f"1.{version}", "key": key}).encode()
        while True:
            await self.opened.wait()
            assert self.wire is not None
            future = self.waiting[key] = asyncio.get_running_loop().create_future()
            try:
                self.wire.send(message)
                async with asyncio.timeout(PATIENCE):
                    kind, number = await future
            except ConnectionError:
                continue
            except TimeoutError:
                self.give_up()
                await asyncio.sleep(AGAIN)
                continue
            finally:
                del self.waiting[key]
            if kind != "failed":
                return kind, number
            self.failed += 1
            await asyncio.sleep(PAUSE)


class Stored(NamedTuple):
    """An event of a game, as the database has it."""

    seq: int
    key: str
    action: str
    by: str
    seat: int


class Company:
    """Four people who play at a table, one action after the other's answer.

    Args:
        seated: who, and the game.
        ports: where the web processes are.
        pace: seconds from one action to the next.

    Attributes:
        acknowledged: the number of the event by the key of what was answered with ``done``.
        sent: the keys of all that was said.
        delays: seconds from the first try of each action to its answer.
        latest: the highest of these numbers.
        done_at: when each was answered, in monotonic seconds.
    """

    def __init__(self, seated: Seated, ports: Sequence[int], pace: float) -> None:
        self.seated, self.pace, self.table_id = seated, pace, seated.table_id
        self.tabs = [
            BrowserTab([*ports[number % len(ports) :], *ports[: number % len(ports)]],
                       seated.table_id, cookie)
            for number, cookie in enumerate(seated.cookies)
        ]  # fmt: skip
        self.acknowledged: dict[str, int] = {}
        self.latest = 0
        self.done_at: dict[int, float] = {}
        self.sent: set[str] = set()
        self.delays: list[float] = []
        self.overtaken = 0
        self.chance = random.Random(seated.table_id)
        self.move = mover_of(seated.engine, self.chance)

    @property
    def at(self) -> int:
        """How far the game is by what was acknowledged."""
        return self.seated.engine.version

    async def play(self, read: Callable[[int], Sequence[Stored]]) -> None:
        """Play until this is cancelled.

        read: reads what is stored of a table, for when somebody else has acted.
        """
        await asyncio.sleep(self.pace * self.chance.random())
        while True:
            begun, version = time.monotonic(), self.at
            seat, text = self.move()
            key = f"{self.table_id}-{len(self.sent)}"
            self.sent.add(key)
            kind, number = await self.tabs[seat].act(text, version, key)
            if kind == "done":
                self.acknowledged[key] = number
                self.done_at[number] = time.monotonic()
                self.latest = max(self.latest, number)
                self.delays.append(time.monotonic() - begun)
            else:
                self.overtaken += 1
                await asyncio.sleep(PAUSE)
                with suppress(*NO_ANSWER):
                    self.go_on_from(await asyncio.to_thread(read, self.table_id))
            await asyncio.sleep(max(0.0, self.pace - (time.monotonic() - begun)))

    def go_on_from(self, events: Sequence[Stored]) -> None:
        """Bring the own game to what is stored; a game that cannot be replayed raises."""
        from games.engine.actions import parse_action

        while self.seated.engine.version:
            self.seated.engine.pop()
        for one in events:
            self.seated.engine.push(parse_action(one.action))

    def faults(self, events: Sequence[Stored], acknowledged: Mapping[str, int]) -> tuple[int, int]:
        """How many acknowledged actions are not stored as acknowledged, and how many doubled."""
        numbers = {one.key: one.seq for one in events if one.key}
        lost = sum(numbers.get(key) != seq for key, seq in acknowledged.items())
        keyed = [one.key for one in events if one.key]
        doubled = len(keyed) - len(set(keyed)) + len(set(keyed) - self.sent)
        gaps = [one.seq for one in events] != list(range(1, len(events) + 1))
        return lost, doubled + gaps


class Crowd:
    """People at many tables.

    Args:
        seated: the tables.
        ports: where the web processes are.
        ask: asks the database itself, in SQL; raises one of `NO_ANSWER` while it cannot.
        pace: seconds between two actions of a table.
    """

    def __init__(
        self, seated: Sequence[Seated], ports: Sequence[int], ask: Ask, pace: float
    ) -> None:
        self.companies = [Company(one, list(ports), pace) for one in seated]
        self.ask = ask
        self.tasks: list[asyncio.Task[None]] = []

    @property
    def acknowledged(self) -> int:
        """How many actions have been answered with ``done``."""
        return sum(len(one.acknowledged) for one in self.companies)

    @property
    def failed(self) -> int:
        """How often somebody was told that nothing was saved."""
        return sum(tab.failed for one in self.companies for tab in one.tabs)

    async def come(self) -> None:
        """Let all open their tabs, and begin to play when they have."""
        tabs = [tab for company in self.companies for tab in company.tabs]
        self.tasks = [asyncio.create_task(tab.keep_open()) for tab in tabs]
        await asyncio.wait_for(self._shown(tabs), 300)
        self.tasks += [asyncio.create_task(one.play(self.stored)) for one in self.companies]

    async def _shown(self, tabs: Sequence[BrowserTab]) -> None:
        while any(tab.version < 0 for tab in tabs):  # noqa: ASYNC110 - nothing says so
            await asyncio.sleep(0.02)

    async def go(self) -> None:
        """Let all stop; a task that has failed meanwhile raises here."""
        failed = [task for task in self.tasks if task.done()]
        for task in self.tasks:
            task.cancel()
        await asyncio.gather(*self.tasks, return_exceptions=True)
        for task in failed:
            task.result()

    async def all_right(self, patience: float = 120) -> Right:
        """Wait until all are shown what is stored now, and each table has gone on from there.

        Ends the program if that takes longer than so many seconds.
        """
        begun = time.monotonic()
        seen = 0.0
        versions: dict[int, int] = {}
        while time.monotonic() - begun < patience:
            if not versions:
                with suppress(*NO_ANSWER):
                    versions = await asyncio.to_thread(self.versions)
                continue
            if not seen and all(self._shows(one, versions) for one in self.companies):
                seen = time.monotonic() - begun
            if seen and all(one.latest > versions[one.table_id] for one in self.companies):
                return Right(seen, time.monotonic() - begun)
            await asyncio.sleep(0.02)
        told = [
            (
                one.table_id,
                versions.get(one.table_id),
                one.latest,
                [tab.version for tab in one.tabs],
            )
            for one in self.companies
            if not self._shows(one, versions) or one.latest <= versions[one.table_id]
        ]
        raise SystemExit(f"not everybody is right again after {patience} s: {told}")

    @staticmethod
    def _shows(one: Company, versions: dict[int, int]) -> bool:
        stored = versions.get(one.table_id, -1)
        return all(tab.is_open and tab.version >= stored for tab in one.tabs)

    def versions(self) -> dict[int, int]:
        """How far each table's game is, as stored."""
        return dict(self.ask("SELECT table_id, version FROM games_game"))

    def stored(self, table_id: int) -> list[Stored]:
        """The events of a table's game, as stored."""
        rows = self.ask(
            'SELECT seq, client_key, action, e."by", seat FROM games_gameevent e '  # noqa: S608
            f"JOIN games_game g ON g.id = e.game_id WHERE g.table_id = {table_id:d} ORDER BY seq"
        )
        return [Stored(seq, key or "", action, by, seat) for seq, key, action, by, seat in rows]

    def count(self) -> Counted:
        """Compare what was acknowledged with what is stored, at all tables.

        While people play this is asked first: what is acknowledged after that is not counted.
        """
        lost = doubled = charged = actions = 0
        for one in self.companies:
            acknowledged = dict(one.acknowledged)
            events = self.stored(one.table_id)
            missing, twice = one.faults(events, acknowledged)
            lost, doubled = lost + missing, doubled + twice
            charged += sum(event.by == "house" for event in events)
            actions += len(acknowledged)
        sent = sum(len(one.sent) for one in self.companies)
        return Counted(sent, actions, lost, doubled, charged)


class Right(NamedTuple):
    """How soon all was right again.

    Attributes:
        seen: seconds until all were shown what was stored at the beginning.
        acted: seconds until, besides, each table had gone on from there.
    """

    seen: float
    acted: float


class Counted(NamedTuple):
    """What became of what people did.

    Attributes:
        sent, acknowledged: actions said, and those answered with ``done``.
        lost: acknowledged and not stored so.
        doubled: stored twice, or never said, or tables whose numbers have gaps.
        charged: actions that a house player did for somebody.
    """

    sent: int
    acknowledged: int
    lost: int
    doubled: int
    charged: int

    def __str__(self) -> str:
        return (
            f"{self.sent} actions sent, {self.acknowledged} acknowledged, {self.lost} of them "
            f"lost, {self.doubled} doubled, {self.charged} played by the house for somebody"
        )

    @property
    def faults(self) -> int:
        """How much is wrong."""
        return self.lost + self.doubled + self.charged


def asking_postgres(url: str) -> Ask:
    """Asks a PostgreSQL, each time over a line of its own."""

    def ask(query: str) -> list[tuple[Any, ...]]:
        with psycopg.connect(url, connect_timeout=2) as database:
            return database.execute(query.encode()).fetchall()

    return ask


def asking_sqlite(file: Path) -> Ask:
    """Asks a SQLite file."""

    def ask(query: str) -> list[tuple[Any, ...]]:
        with closing(sqlite3.connect(f"file:{file}?mode=ro", uri=True)) as database:
            return database.execute(query).fetchall()

    return ask


class Pages:
    """Somebody who opens pages one after the other, as fast as they come.

    Args:
        ports: whom to ask.
        paths: for what.
        cookie: as whom.

    Attributes:
        statuses: how many were answered with each; 0: not within `LONGEST_PAGE`.
        slowest: seconds of the slowest.
    """

    def __init__(self, ports: Sequence[int], paths: Sequence[str], cookie: str) -> None:
        self.ports, self.paths, self.cookie = ports, paths, cookie
        self.statuses: Counter[int] = Counter()
        self.slowest = 0.0

    async def open_until(self, over: asyncio.Event) -> None:
        """Open pages until it is over."""
        await asyncio.gather(*(self._open(port, over) for port in self.ports))

    async def _open(self, port: int, over: asyncio.Event) -> None:
        headers = {"Cookie": self.cookie, "Accept": "text/html"}
        paths = itertools.cycle(self.paths)
        limits = httpx.Limits(max_keepalive_connections=0)
        async with httpx.AsyncClient(
            base_url=f"http://{HOST}:{port}", headers=headers, timeout=LONGEST_PAGE, limits=limits
        ) as client:
            while not over.is_set():
                begun = time.monotonic()
                try:
                    status = (await client.get(next(paths))).status_code
                except httpx.HTTPError:
                    status = 0
                self.statuses[status] += 1
                self.slowest = max(self.slowest, time.monotonic() - begun)
                await asyncio.sleep(0.2)

    def __str__(self) -> str:
        told = ", ".join(f"{count} × {status}" for status, count in sorted(self.statuses.items()))
        return f"pages {told}, the slowest {self.slowest:.1f} s"


def seconds(values: Sequence[float]) -> str:
    """Median, p99 and longest of some times."""
    ordered = sorted(values)
    if not ordered:
        return "none"
    p99 = ordered[min(len(ordered) - 1, int(len(ordered) * 0.99))]
    return f"p50 {ordered[len(ordered) // 2]:.3g} s, p99 {p99:.3g} s, longest {ordered[-1]:.3g} s"
