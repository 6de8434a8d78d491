"""During an outage of PostgreSQL or Redis each process logs it once."""

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
    """A site with all its processes, and the log file of each."""

    site: Site
    logs: dict[str, Path]


@pytest.fixture(scope="module")
def watched(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Watched]:
    """Two web processes, a worker and a schedule, with their own database and Redis."""
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
    """Wait for heartbeats of schedule and worker."""
    beating = "EXISTS (SELECT 1 FROM games_heartbeat WHERE name = 'ticks')"
    await until(lambda: watched.site.games(beating))


def causes(lines: list[str]) -> Counter[str]:
    """Count the lines of each logger and cause; lines that are no JSON are causes too."""
    found: Counter[str] = Counter()
    for line in lines:
        said = json.loads(line) if line.startswith("{") else {"logger": "none", "event": line}
        event = re.sub(r"[0-9a-f]{8}-[0-9a-f-]{27}|\d+", "", said["event"])
        found[f"{said['logger']}: {event[:160]} {said.get('reason', '')[:80]}"] += 1
    return found
