"""A worker and a schedule, started as in the guide, run an event to its end."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import psycopg
import pytest
import redis
from cryptography.fernet import Fernet

from tests.faults.servers import guide_commands
from tests.receiver import Receiver, receiving
from tests.served import ROOT
from tests.site.processes import PATIENCE, environment

pytestmark = [pytest.mark.postgres, pytest.mark.redis]

#: An event of one person, who does not come, and three house players; and one of another day that
#: waits to be rated.
PREPARE = """
import sys
from datetime import timedelta
import django
django.setup()
from django.core.management import call_command
from django.utils import timezone
from tests.factories import member, people
from tests.tournaments import build
from tournaments.models import Entry, EntryPlayer, Event
from tournaments.acts import house_players
from tournaments.ratings import rating_games
from tournaments.webhooks import webhooks

call_command("migrate", verbosity=0)
now = timezone.now()
maeve, club = member(), build.club()
webhooks.make(club, sys.argv[-1])
event = build.event(
    club, rounds=1, match=Event.Match.DEALS, deals=1, rated=False, created_by=maeve,
    no_show=Event.NoShow.STAND_IN, no_show_minutes=0, registration_opens=now - timedelta(days=1),
    registration_closes=now, starts=now, due=now, state=Event.State.READY,
)
entry = Entry.objects.create(event=event, state=Entry.State.ENTERED, arrival=1)
EntryPlayer.objects.create(event=event, entry=entry, player=maeve)
house_players.add_house_entries(event, maeve, 3, now)
(other,) = build.evenings(1, people(16), tables=4, rounds=1)
rating_games.queue_rating(Event.objects.get(pk=other))
"""


@pytest.fixture
def site(postgres_url: str, redis_url: str, tmp_path: Path) -> Iterator[dict[str, str]]:
    """The environment of a site with its own database and broker."""
    base, _, _ = postgres_url.rpartition("/")
    with psycopg.connect(postgres_url, autocommit=True) as server:
        server.execute("DROP DATABASE IF EXISTS bower_worker WITH (FORCE)")
        server.execute("CREATE DATABASE bower_worker")
        redis.Redis.from_url(redis_url).flushdb()
        yield environment() | {
            "BOWER_DATA": str(tmp_path),
            "DATABASE_URL": f"{base}/bower_worker",
            "REDIS_URL": redis_url,
            "SECRET_KEY": "a" * 60,
            "DEAL_KEY": Fernet.generate_key().decode(),
            "DJANGO_SETTINGS_MODULE": "euchre_site.settings",
            "LOG_FORMAT": "json",
            "WEBHOOKS_TO_PRIVATE": "true",
            "WEBHOOKS_HTTP_HOSTS": "127.0.0.1",
            "DB_POOL": "2",
            "RESULT_GRACE": "0",
            "RATING_HAND_SECONDS": "0",  # nobody has played the games of the other day
            "HOUSE_PAUSE": "0,0",
            "TRICK_REST": "0",
            "NEXT_DEAL_PAUSE": "0",
            "NEXT_GAME_PAUSE": "0",
        }
        server.execute("DROP DATABASE IF EXISTS bower_worker WITH (FORCE)")


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    """The receiver of the club's webhook."""
    with receiving() as one:
        yield one


def until(arrived: Callable[[], object], what: str) -> None:
    ends = time.monotonic() + PATIENCE
    while not arrived():
        assert time.monotonic() < ends, f"{what}: not within {PATIENCE} s"
        time.sleep(0.1)


def test_an_event_finishes_without_errors(
    site: dict[str, str], receiver: Receiver, tmp_path: Path
) -> None:
    subprocess.run(
        [sys.executable, "-c", PREPARE, receiver.url],
        cwd=ROOT, env=site, check=True, timeout=PATIENCE,
    )  # fmt: skip
    commands = guide_commands()
    running = {name: tmp_path / f"{name}.log" for name in ("worker", "schedule")}
    processes = []
    try:
        for name, log in running.items():
            with log.open("wb") as out:
                processes.append(
                    subprocess.Popen(
                        commands[name], cwd=ROOT, env=site, stdout=out, stderr=subprocess.STDOUT
                    )
                )
        with psycopg.connect(site["DATABASE_URL"], autocommit=True) as database:

            def count(query: str) -> int:
                row = database.execute(query).fetchone()
                return int(row[0]) if row else 0

            arrivals = {
                "the event's result": "SELECT COUNT(*) FROM tournaments_event e "
                "JOIN tournaments_club c ON c.id = e.club_id "
                "WHERE c.name = 'The Old Mill' AND e.state = 'finished'",
                "letters": "SELECT COUNT(*) FROM tournaments_letter WHERE sent IS NOT NULL",
                "ratings": "SELECT COUNT(*) FROM tournaments_rating",
                "signs of life": "SELECT COUNT(*) / 3 FROM games_heartbeat",
            }
            for what, query in arrivals.items():
                until(partial(count, query), what)
            until(lambda: receiver.received, "webhooks")
            assert count("SELECT COUNT(*) FROM tournaments_letter WHERE tries > 1") == 0
            assert count("SELECT COUNT(*) FROM tournaments_event WHERE trouble <> ''") == 0
            assert count("SELECT COUNT(*) FROM tournaments_event WHERE to_rate") == 0
    finally:
        # The schedule first: a task that arrives while the worker stops is logged as undeliverable.
        for process in reversed(processes):
            process.terminate()
            process.wait(PATIENCE)
    assert json.loads(receiver.received[0].body)["type"] == "event.finished"
    assert list((tmp_path / "mail").iterdir())
    for name, log in running.items():
        assert troubles(log.read_text()) == [], name


def troubles(log: str) -> list[Any]:
    """Return the lines of a log that report problems, and those that are no log lines.

    Celery warns about a worker run by root, as in a container of tests and not in the guide.
    """
    lines = [json.loads(line) for line in log.splitlines() if line.startswith("{")]
    assert "Traceback" not in log
    as_root = "SecurityWarning: You're running the worker with superuser privileges"
    return [
        line
        for line in lines
        if line["level"] not in ("debug", "info")
        and not (os.geteuid() == 0 and as_root in line["event"])
    ]
