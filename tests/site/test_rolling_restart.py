"""Rolling restarts of web processes during play lose no action."""

from __future__ import annotations

import asyncio
import json
import re
import signal
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path

import httpx
import psycopg
import pytest

from tests.faults.servers import PATIENCE, Postgres, open_folder, troubles
from tests.served import HOST, Server, free_port
from tests.site.processes import as_by_default, nginx_before
from tests.site.test_outage_servers import Four, Site, Tab, four, until
from tests.site.test_rolling_nginx import shipped
from tests.wire import open_table

pytestmark = [pytest.mark.servers, pytest.mark.slow]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """Two web processes with their own database and Redis."""
    with open_folder() as folder:
        one = Site(tmp_path_factory.mktemp("rolling"), Postgres(folder, free_port()))
        try:
            one.start()
            yield one
        finally:
            one.stop()


async def test_replacing_each_process_loses_no_action(site: Site) -> None:
    async with four(site) as people:
        assert await people.act() == "done"
        await people.all_see()
        webs = [site.one, site.one, site.one, site.other]  # as `four` opens them
        for ended, other in ((site.one, site.other), (site.other, site.one)):
            mine = [n for n, web in enumerate(webs) if web is ended]
            await replace(people, ended, other, mine)
            for n in mine:
                webs[n] = other
            for _time in range(3):
                assert await people.act() == "done"
            await people.all_see()
    assert set(site.games().values()) == {site.version}
    assert gone(site) == 0, "who was let go has not left"
    assert [troubles(web) for web in (site.one, site.other)] == [[], []]


@pytest.mark.parametrize(
    "change", [shipped, pytest.param(as_by_default, marks=pytest.mark.thorough)]
)
async def test_nginx_answers_throughout_a_restart(
    site: Site, change: Callable[[str], str], tmp_path: Path
) -> None:
    ports = [site.one.port, site.other.port]
    with nginx_before(ports, tmp_path, lambda text: without_tls(change(text))) as port:
        tabs = [asyncio.create_task(stay(port, site, n)) for n in range(8)]
        over = asyncio.Event()
        loading = asyncio.create_task(load(port, over))
        for web in (site.one, site.other):
            assert web.process is not None
            web.process.send_signal(signal.SIGTERM)
            assert await asyncio.to_thread(web.process.wait, PATIENCE) == -signal.SIGTERM
            await asyncio.to_thread(web.start, PATIENCE)
        over.set()
        answers = await loading
        for tab in tabs:
            tab.cancel()
        await asyncio.gather(*tabs, return_exceptions=True)
    assert answers[200] > 0
    assert set(answers) == ({200} if change is shipped else {200, 502})


def without_tls(text: str) -> str:
    """Return the guide's file without TLS, for any port."""
    text = text.replace("Host $host;", "Host $http_host;")
    text = re.sub(r"\n  ssl_.*;", "", text)
    return re.sub(r"listen (\d+) ssl http2;", r"listen \1;", text)


async def stay(port: int, site: Site, number: int) -> None:
    """Keep a socket open through nginx; reopen it when it is closed, as browsers do."""
    cookie = site.cookies[number % len(site.cookies)]
    while True:
        with suppress(ConnectionError):
            wire = await open_table(HOST, port, site.table, cookie, lambda _frame: None)
            await wire.closed.wait()
        await asyncio.sleep(0.5)


async def load(port: int, over: asyncio.Event) -> Counter[int]:
    """Load a page repeatedly until the end; return the number of each status."""
    answers: Counter[int] = Counter()
    async with httpx.AsyncClient(timeout=PATIENCE) as browser:
        while not over.is_set():
            answers[(await browser.get(f"http://{HOST}:{port}/play/")).status_code] += 1
            await asyncio.sleep(0.1)
    return answers


async def replace(people: Four, ended: Server, other: Server, mine: list[int]) -> None:
    """Stop a process in mid-turn; its players reconnect to the other one and continue."""
    site = people.site
    seat, text = site.moves[site.version]
    key = f"replacing at {site.version}"
    ask(people.tabs[seat], text, site.version, key)
    assert ended.process is not None
    ended.process.send_signal(signal.SIGTERM)
    for n in mine:
        await until(partial(closed, people.tabs[n]))
        answered = people.tabs[n].answers
        people.tabs[n] = await Tab().open(other, site.table, site.cookies[n])
        people.tabs[n].answers.update(answered)
    mover = people.tabs[seat]
    if key not in mover.answers:  # the browser asks again, by the same key
        ask(mover, text, site.version, key)
    await until(lambda: key in mover.answers)
    assert mover.answers[key] == "done"
    site.version += 1
    # In threads: the tabs go on answering pings meanwhile.
    assert await asyncio.to_thread(ended.process.wait, PATIENCE) == -signal.SIGTERM
    await asyncio.to_thread(ended.start, PATIENCE)


def closed(tab: Tab) -> bool:
    """Return whether the server has closed a tab."""
    return not tab.is_open


def ask(tab: Tab, text: str, version: int, key: str) -> None:
    """Send an action without waiting for the answer."""
    assert tab.wire is not None
    asked = {"action": text, "version": f"1.{version}", "key": key}
    tab.wire.send(json.dumps(asked).encode())


def gone(site: Site) -> int:
    """Return the number of players marked as gone."""
    with psycopg.connect(site.postgres.url) as asked:
        row = asked.execute("SELECT count(*) FROM games_seat WHERE missing_since IS NOT NULL")
        found = row.fetchone()
    return int(found[0]) if found else 0
