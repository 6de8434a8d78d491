"""PostgreSQL and Redis killed under two web processes: what continues and what is answered.

The limits are far above the measured figures, which a run with ``-s`` prints: this is about
outages that cost half a minute, not about tenths of a second.
"""

import asyncio
import itertools
import json
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from uuid import UUID

import httpx
import psycopg
import pytest

from tests.conftest import needed
from tests.faults.servers import PATIENCE, MissingError, Postgres, Stack, open_folder, troubles
from tests.served import HOST, ROOT, Server, free_port
from tests.wire import Wire, answer_in, open_table

pytestmark = [pytest.mark.servers, pytest.mark.slow]

LINES = 12  # what a process may log of a server that is away, at most
PAGE = 8.0  # seconds to a 503; aimed at: 3
BACK = 12.0  # seconds until all play again; aimed at: 5
RUSH = 12  # visitors of each process at once, so that its pool holds several connections
PASSWORD = "grass-lamp-7-river"

#: A table of four people, somebody with an account, and what the four will do.
PREPARE = """
import json
import django
django.setup()
from allauth.account.models import EmailAddress
from games.models import Player, User
from tests.load.people import seat_people

(seated,) = seat_people(1)
greta = User.objects.create_user("greta@example.com", "PASSWORD")
EmailAddress.objects.create(user=greta, email=greta.email, primary=True, verified=True)
Player.objects.create(name="Greta", user=greta)
moves = [seated.mover() for _ in range(40)]
print(json.dumps({"table": seated.table_id, "cookies": seated.cookies, "moves": moves}))
""".replace("PASSWORD", PASSWORD)


class Site(Stack):
    """A stack without worker and schedule, and a table with four players.

    one, other: the web processes. cookies: the players', by position. moves: the seat and action
    of each future action. version: the number of stored ones.
    """

    version = 0

    def start(self) -> None:
        self.one, self.other = self.webs
        self.start_servers()
        done = subprocess.run(
            [sys.executable, "-c", PREPARE],
            cwd=ROOT, env=self.env, check=True, timeout=PATIENCE, capture_output=True,
        )  # fmt: skip
        said = json.loads(done.stdout)
        self.table: int = said["table"]
        self.cookies: list[str] = said["cookies"]
        self.moves: list[tuple[int, str]] = said["moves"]
        self.start_webs()

    def games(self, where: str = "true") -> dict[UUID, int]:
        """Return the versions of the games that match an SQL condition."""
        with psycopg.connect(self.postgres.url) as asked:
            query = f"SELECT id, version FROM games_game WHERE {where}"  # noqa: S608
            return dict(asked.execute(query.encode()).fetchall())

    def waiting(self) -> dict[UUID, int]:
        """Return the games in which a house player is about to act, with their versions."""
        return self.games("state = 'playing' AND due > now()")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    with open_folder() as folder:
        try:
            one = Site(tmp_path_factory.mktemp("site"), Postgres(folder, free_port()))
        except MissingError as error:
            needed(None, str(error))
            raise
        try:
            one.start()
            yield one
        finally:
            one.stop()


class Tab:
    """A browser's tab at the table. version: of the game it shows."""

    def __init__(self) -> None:
        self.version = -1
        self.answers: dict[str, str] = {}
        self.wire: Wire | None = None

    async def open(self, web: Server, table: int, cookie: str) -> "Tab":
        """Open the socket, and wait for the first picture."""
        self.wire = await open_table(HOST, web.port, table, cookie, self._take)
        await until(lambda: self.version >= 0)
        return self

    def _take(self, frame: bytes) -> None:
        if answer := answer_in(frame):
            self.answers[answer["key"]] = answer["kind"]
        said = json.loads(frame)
        if "answer" not in said and "version" in said:
            self.version = int(said["version"].split(".")[1])

    def close(self) -> None:
        assert self.wire is not None
        assert self.wire.transport is not None
        self.wire.transport.close()

    @property
    def is_open(self) -> bool:
        """Return whether the server has not closed it."""
        assert self.wire is not None
        assert self.wire.transport is not None
        return not self.wire.transport.is_closing()

    async def act(self, text: str, version: int) -> str:
        """Send an action; return the type of the answer."""
        assert self.wire is not None
        key = f"{next(_keys)}"
        message = {"action": text, "version": f"1.{version}", "key": key}
        self.wire.send(json.dumps(message).encode())
        await until(lambda: key in self.answers)
        return self.answers[key]


_keys = itertools.count()


async def until(arrived: Callable[[], object]) -> None:
    """Wait until something has arrived."""
    async with asyncio.timeout(PATIENCE):
        while not arrived():  # noqa: ASYNC110 - it says nothing when it arrives
            await asyncio.sleep(0.01)


class Four:
    """The tabs of the four players; the last uses the other web process."""

    def __init__(self, site: Site, tabs: list[Tab]) -> None:
        self.site, self.tabs = site, tabs

    async def act(self) -> str:
        """Let the next player act; return the type of the answer."""
        seat, text = self.site.moves[self.site.version]
        kind = await self.tabs[seat].act(text, self.site.version)
        self.site.version += kind == "done"
        return kind

    async def all_see(self) -> None:
        """Wait until all tabs show the last action."""
        await until(lambda: all(tab.version == self.site.version for tab in self.tabs))


@asynccontextmanager
async def four(site: Site) -> AsyncIterator[Four]:
    """Open the four tabs on a site without an outage."""
    site.redis.start()
    site.postgres.start()
    webs = [site.one, site.one, site.one, site.other]
    opened = [
        Tab().open(*place) for place in zip(webs, [site.table] * 4, site.cookies, strict=True)
    ]
    tabs = await asyncio.gather(*opened)
    yield Four(site, list(tabs))
    for tab in tabs:
        tab.close()


class Visitor:
    """A browser without scripts. web: the process it asks."""

    def __init__(self, web: Server) -> None:
        self.client = httpx.AsyncClient(base_url=f"http://{HOST}:{web.port}", timeout=PATIENCE)
        self.longest = 0.0

    async def get(self, path: str) -> httpx.Response:
        return await self._timed(self.client.get(path))

    async def fill_in(self, path: str, send_to: str = "", **fields: str) -> httpx.Response:
        """Open a page and send its form."""
        await self.get(path)
        fields["csrfmiddlewaretoken"] = self.client.cookies["bower_csrf"]
        return await self._timed(self.client.post(send_to or path, data=fields))

    async def _timed(self, asking: Awaitable[httpx.Response]) -> httpx.Response:
        began = time.monotonic()
        response = await asking
        self.longest = max(self.longest, time.monotonic() - began)
        return response


async def test_play_continues_without_redis(site: Site) -> None:
    async with four(site) as people:
        assert await people.act() == "done"
        await people.all_see()
        before = {web: len(troubles(web)) for web in (site.one, site.other)}
        site.redis.kill()
        new, known = Visitor(site.one), Visitor(site.one)
        address = {"email": "maeve@example.com", "password1": PASSWORD}
        answers = [
            await new.fill_in("/accounts/signup/", name="Maeve", **address),
            await new.fill_in("/play/", "/play/now/", rules="classic-24"),
            await known.fill_in("/accounts/login/", login="greta@example.com", password=PASSWORD),
        ]
        assert [answer.status_code // 100 for answer in answers] == [3, 3, 3], answers
        for visitor, name in ((new, "Maeve"), (known, "Greta")):
            assert name in (await visitor.get("/you/")).text
        assert (await new.get("/api/tables")).status_code == 200
        began = time.monotonic()
        for _ in range(3):
            assert await people.act() == "done"
        acted = time.monotonic() - began
        told = [len(troubles(web)) - lines for web, lines in before.items()]
        site.redis.start()
        began = time.monotonic()
        await people.all_see()
        missed = time.monotonic() - began
        began = time.monotonic()
        assert await people.act() == "done"
        await people.all_see()
        heard = time.monotonic() - began
    longest = max(new.longest, known.longest)
    print(
        f"without Redis: a request {longest:.2f} s at most, three actions {acted:.2f} s, "
        f"{told} lines in the logs; back: what was missed is seen after {missed:.2f} s, "
        f"the next action after {heard:.2f} s"
    )
    assert max(told) <= LINES
    assert longest < PAGE
    assert acted < PAGE
    assert missed < BACK
    assert heard < BACK


@pytest.mark.parametrize("away", [0.0, 5.0], ids=["noticed afterwards", "asked meanwhile"])
async def test_play_resumes_after_a_postgresql_outage(away: float, site: Site) -> None:
    webs = (site.one, site.other)
    async with four(site) as people:
        assert await people.act() == "done"
        await people.all_see()
        rush = [Visitor(web).get(f"/tables/{site.table}/") for web in webs for _ in range(RUSH)]
        assert {page.status_code for page in await asyncio.gather(*rush)} == {200}
        while not site.waiting():  # at every fourth table a person acts first
            newcomer = Visitor(site.one)
            seated = await newcomer.fill_in("/play/", "/play/now/", rules="classic-24")
            assert seated.status_code == 303
        waiting = site.waiting()
        before = {web: len(troubles(web)) for web in webs}
        site.postgres.kill()
        pages = [asyncio.create_task(ask_until_back(web, site)) for web in webs]
        ends = time.monotonic() + away
        while time.monotonic() < ends:
            assert await people.act() == "failed"
        told = [len(troubles(web)) - lines for web, lines in before.items()]
        site.postgres.start()
        began = time.monotonic()
        while await people.act() != "done":
            pass
        back = time.monotonic() - began
        await people.all_see()
        seen = time.monotonic() - began
        slowest, pages_back = zip(*[await page for page in pages], strict=True)
        await until(lambda: not waiting.items() & site.games().items())
        house = time.monotonic() - began
        still_open = [tab.is_open for tab in people.tabs]
    print(
        f"PostgreSQL away for {away} s: a 503 after {max(slowest):.2f} s at most, {told} lines in "
        f"the logs; back: an action is taken after {back:.2f} s, seen by all after {seen:.2f} s, "
        f"pages after {[round(page - began, 2) for page in pages_back]} s, "
        f"house players have acted after {house:.2f} s"
    )
    assert all(still_open)
    assert max(slowest) < PAGE
    assert max(told) <= LINES
    assert max(seen, house, *(page - began for page in pages_back)) < BACK


async def ask_until_back(web: Server, site: Site) -> tuple[float, float]:
    """Request pages until they work; return the seconds of the slowest 503, and its time."""
    visitor = Visitor(web)
    for path in itertools.cycle(("/", f"/tables/{site.table}/", "/api/tables")):
        longest = visitor.longest
        response = await visitor.get(path)
        if response.status_code == 200:
            return longest, time.monotonic()
        assert (response.status_code, response.headers["Retry-After"]) == (503, "3")
        await asyncio.sleep(0.1)
    raise AssertionError
