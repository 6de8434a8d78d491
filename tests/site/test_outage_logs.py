"""While PostgreSQL or Redis is away no process tells of it again and again."""

from __future__ import annotations

import asyncio
import json
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.faults.servers import Postgres, Process, open_folder
from tests.served import free_port
from tests.site.test_outage_servers import Site, until

pytestmark = [pytest.mark.servers, pytest.mark.slow]

#: Seconds for which each is away; every task of the schedule comes up in them.
AWAY = 15.0
#: How often a process may tell of one cause in that time: once, and once more where what the
#: server says changes on its way down.
OFTEN = 2


class Watched(NamedTuple):
    """A site of which every process runs, and where each writes its log."""

    site: Site
    logs: dict[str, Path]


@pytest.fixture(scope="module")
def watched(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Watched]:
    """Two web processes, a worker and a schedule on a database and a Redis of their own."""
    with open_folder() as data:
        site = Site(tmp_path_factory.mktemp("logs"), Postgres(data, free_port()))
        logs = {
            "web": site.webs[0].data / "server.log",
            "worker": site.worker.log,
            "schedule": site.schedule.log,
        }
        try:
            site.start()
            site.start_rest()
            yield Watched(site, logs)
        finally:
            site.stop()


@pytest.mark.parametrize("which", ["redis", "postgres"])
async def test_an_outage_is_logged_once(watched: Watched, which: str) -> None:
    server: Process = getattr(watched.site, which)
    await at_work(watched)
    begun = {name: len(path.read_text().splitlines()) for name, path in watched.logs.items()}
    server.kill()
    await asyncio.sleep(AWAY)
    told = {
        name: causes(path.read_text().splitlines()[begun[name] :])
        for name, path in watched.logs.items()
    }
    server.start()
    often = {name: {c: n for c, n in found.items() if n > OFTEN} for name, found in told.items()}
    assert often == {name: {} for name in watched.logs}


async def at_work(watched: Watched) -> None:
    """Wait until schedule and worker have given a sign of life."""
    beating = "EXISTS (SELECT 1 FROM games_heartbeat WHERE name = 'ticks')"
    await until(lambda: watched.site.games(beating))


def causes(lines: list[str]) -> Counter[str]:
    """How often each logger has told the same; what is no line of a log is a cause of its own."""
    found: Counter[str] = Counter()
    for line in lines:
        said = json.loads(line) if line.startswith("{") else {"logger": "none", "event": line}
        event = re.sub(r"[0-9a-f]{8}-[0-9a-f-]{27}|\d+", "", said["event"])
        found[f"{said['logger']}: {event[:160]} {said.get('reason', '')[:80]}"] += 1
    return found
