"""How long ratings take: ``python -m tests.load.rating_speed --games 100000``.

Writes finished rated events with games of everybody with everybody into an empty database, SQLite
or a new one on the PostgreSQL server given by ``--database``. Then ``manage.py recompute_ratings``
rates all of them, first from nothing and then again, when nothing differs. At last one more event
is rated, and the third game of all is corrected, so that everything after it is rated anew; of
these it also prints for how long the transaction that stores the result lasted, during which on
SQLite nobody else can write.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import timedelta
from typing import Any
from unittest.mock import patch

import psycopg

from euchre_site.startup import data_folder
from tests.served import ROOT

#: Events written one by one at most; further ones are copies of these.
EVENTS = 500
#: Games after which the model's own time is told.
SAMPLE = 20_000


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--games", type=int, default=100_000)
    parser.add_argument("--players", type=int, default=5000)
    parser.add_argument("--database", help="a PostgreSQL server on which a database may be made")
    asked = parser.parse_args(arguments)
    with database(asked.database):
        measure(asked.games, asked.players)


@contextmanager
def database(server: str | None) -> Iterator[None]:
    """Let Django use an empty database, on a server or in a folder that is deleted in the end."""
    name = f"bower_rating_{os.getpid()}"
    with tempfile.TemporaryDirectory(prefix="bower-load-") as folder:
        data_folder.prepare(["--data", folder])
        os.environ.setdefault("DJANGO_SETTINGS_MODULE", "euchre_site.settings")
        if server is None:
            _migrate()
            yield
            return
        with psycopg.connect(server, autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {name}")
            try:
                os.environ["DATABASE_URL"] = f"{server.rpartition('/')[0]}/{name}"
                _migrate()
                yield
            finally:
                connection.execute(f"DROP DATABASE {name} WITH (FORCE)")


def _migrate() -> None:
    import django
    from django.core.management import call_command

    django.setup()
    call_command("migrate", verbosity=0)


def measure(games: int, players: int) -> None:
    """Write so many games, rate them in all ways, and print what that takes."""
    from django.db import connection
    from django.utils import timezone

    from tests.factories import people
    from tests.tournaments import build
    from tournaments.models import Event, Pairing
    from tournaments.ratings import rating_games

    began = time.monotonic()
    members = people(players)
    copies = -(-games // (EVENTS * build.GAMES_AN_EVENING))
    written = build.evenings(-(-games // (copies * build.GAMES_AN_EVENING)), members)
    copy_all(copies)
    games = copies * len(written) * build.GAMES_AN_EVENING
    print(f"{connection.vendor}: {games:,} games of {players:,} players", end="")
    print(f" (written in {time.monotonic() - began:.0f} s)")
    print(f"openskill alone: {model_seconds() / SAMPLE * games:.1f} s")
    for name in ("from nothing", "again"):
        seconds, cpu, memory = recompute()
        print(f"{name}: {seconds:.1f} s, {cpu:.1f} s of the processor here, ", end="")
        print(f"{games / seconds:,.0f} games/s, {memory:.0f} MB at most")

    (last,) = build.evenings(1, members, seed=2)
    Event.objects.filter(pk=last).update(to_rate=True, ended=timezone.now() + timedelta(days=9999))
    print("one more event:", caught_up())
    third = Pairing.objects.filter(round__event=written[0]).order_by("round__number", "number")[2]
    winner = int(third.rating_changes.all()[0].winner == 0)
    Pairing.objects.filter(pk=third.pk).update(how=Pairing.How.DIRECTOR, winner=winner)
    rating_games.queue_rating(Event.objects.get(pk=written[0]))
    print("game 3 corrected:", caught_up())


def copy_all(copies: int) -> None:
    """Let there be so many copies of every event with all its rows; the same people played them.

    Keys are moved on by the highest of the table; the ORM would take half a millisecond a game.
    """
    from django.core.management.color import no_style
    from django.db import connection, transaction
    from django.db.models import Max

    from games.models import Game, Table
    from tournaments import models as events

    copied: list[Any] = [
        events.Event, events.Entry, events.EntryPlayer, events.Round, Table, events.Pairing,
        events.PairingEntry, Game,
    ]  # fmt: skip
    highest = {
        model: model.objects.aggregate(most=Max("pk"))["most"] for model in copied if model != Game
    }
    random_key = {"postgresql": "gen_random_uuid()", "sqlite": "lower(hex(randomblob(16)))"}
    with transaction.atomic(), connection.cursor() as cursor:
        for model in copied:
            fields = model._meta.concrete_fields
            moved = [
                f'"{field.column}" + %s * {highest[owns]}'
                if (owns := model if field.primary_key else field.related_model) in highest
                else (random_key[connection.vendor] if field.primary_key else f'"{field.column}"')
                for field in fields
            ]
            names = ", ".join(f'"{field.column}"' for field in fields)
            rows = f'"{model._meta.db_table}"'
            key, owner = ("table_id", Table) if model is Game else ("id", model)
            for copy in range(1, copies):
                cursor.execute(
                    f"INSERT INTO {rows} ({names}) SELECT {', '.join(moved)} FROM {rows}"  # noqa: S608
                    f' WHERE "{key}" <= {highest[owner]}',
                    [copy] * sum("%s" in each for each in moved),
                )
        for statement in connection.ops.sequence_reset_sql(no_style(), list(highest)):
            cursor.execute(statement)


def recompute() -> tuple[float, float, float]:
    """Run the command; return its seconds, those of the processor, and its megabytes at most."""
    began = time.monotonic()
    command = [sys.executable, "manage.py", "recompute_ratings"]
    with subprocess.Popen(command, cwd=ROOT) as process:
        _pid, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit("The command failed.")
    return time.monotonic() - began, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024


def caught_up() -> str:
    """Rate what waits; say what that took, and for how long the database was held by it."""
    from tournaments.ratings import rating_games
    from tournaments.ratings.claims import PoolClaim

    storing = PoolClaim.storing
    held: list[float] = []

    @contextmanager
    def timed(claim: Any) -> Iterator[None]:
        with storing(claim):
            began = time.monotonic()
            yield
        held.append(time.monotonic() - began)

    began = time.monotonic()
    with patch.object(PoolClaim, "storing", timed):
        rating_games.catch_up()
    return f"{time.monotonic() - began:.3f} s, stored within {sum(held):.3f} s"


def model_seconds() -> float:
    """The processor's time for rating `SAMPLE` games by the library, without anything around it."""
    from tournaments import rating_formula as formula
    from tournaments.rating_formula import START

    sides = ([START, START], [START, START])
    began = time.process_time()
    for game in range(SAMPLE):
        formula.updated(sides, game % 2)
    return time.process_time() - began


if __name__ == "__main__":
    main()
