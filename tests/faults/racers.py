"""A thousand lines over which the same turn is taken at the same moment: how many win it?

``python -m tests.faults.racers --racers 1000 --races 10`` opens so many sockets of one person, each
in a session of its own, and whenever that person is in turn all of them act on the same version
under keys of their own: on SQLite in one process, then on PostgreSQL spread over two. It ends with
an error unless exactly one is answered with ``done`` in each race, all others are told that the
table has moved on, and exactly that one event is stored.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import json
import sys
import time
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from tests.faults.people import Ask, asking_postgres, asking_sqlite
from tests.faults.servers import Postgres, Stack, open_folder
from tests.faults.servers import use_django as use_stack
from tests.load.people import Seated, cookie_of, seat_people
from tests.served import FLAT_OUT, HOST, Server, free_port, use_django
from tests.wire import Wire, answer_in, open_table

#: Seconds for which answers are waited for.
PATIENCE = 120
#: The position of whoever has all the sockets.
RACER = 0
#: Lets one person have as many sockets as race.
SOCKETS = "100000"
DATABASES = ("sqlite", "postgresql")


def options() -> argparse.Namespace:
    """What was asked for."""
    known = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    known.add_argument("--racers", type=int, default=1000)
    known.add_argument("--races", type=int, default=10)
    known.add_argument("--database", choices=DATABASES, help="only on this one")
    return known.parse_args()


def main() -> None:
    """Race on both databases; a process of Python's Django has one, so each has its own."""
    asked = options()
    if asked.database is None:
        from tests.faults.servers import run_module

        given = ("--racers", str(asked.racers), "--races", str(asked.races))
        failed = [
            name
            for name in DATABASES
            if run_module("tests.faults.racers", *given, "--database", name)[0]
        ]
        sys.exit(f"wrong on {', '.join(failed)}" if failed else None)
    (_on_sqlite if asked.database == "sqlite" else _on_postgresql)(asked)


def _on_sqlite(asked: argparse.Namespace) -> None:
    server = Server(
        None,
        0,
        None,
        **FLAT_OUT,
        SOCKETS_PER_PERSON=SOCKETS,
        NEXT_DEAL_PAUSE="3600",
        STATIC_LIVE="true",
    ).start()
    try:
        use_django(server.data)
        _race([server], asking_sqlite(server.data / "db.sqlite3"), asked)
    finally:
        server.stop()


def _on_postgresql(asked: argparse.Namespace) -> None:
    with open_folder() as folder, open_folder() as of_postgres:
        stack = Stack(
            folder,
            Postgres(of_postgres, free_port()),
            SOCKETS_PER_PERSON=SOCKETS,
            NEXT_DEAL_PAUSE="3600",
        )
        try:
            stack.start_servers()
            use_stack(stack)
            stack.start_webs()
            _race(stack.webs, asking_postgres(stack.postgres.url), asked)
        finally:
            stack.stop()


def _race(webs: Sequence[Server], ask: Ask, asked: argparse.Namespace) -> None:
    """Prepare a table of which one person has all the sockets, and race."""
    from django.db import connections, transaction

    from games.models import Seat

    (table,) = seat_people(1)
    racer = Seat.objects.get(table=table.table_id, position=RACER).player_id or 0
    with transaction.atomic():
        cookies = [cookie_of(racer) for _ in range(asked.racers)]
    connections.close_all()
    field = Field(table.table_id, [web.port for web in webs])
    won, wrong = asyncio.run(_races(field, table, cookies, asked.races))
    query = (
        "SELECT count(*), count(DISTINCT seq) FROM games_gameevent e "  # noqa: S608
        f"JOIN games_game g ON g.id = e.game_id WHERE g.table_id = {table.table_id:d}"
    )
    if (rows := ask(query)) != [(won.acts, won.acts)]:
        wrong.append(f"{rows[0][0]} events are stored of {won.acts}")
    print(
        f"{asked.database}, {len(webs)} process(es): {asked.racers} racers, {asked.races} races, "
        f"{won.done} won; {rows[0][0]} of {won.acts} events stored; all answered within "
        f"{won.longest:.2f} s"
    )
    if wrong:
        sys.exit("; ".join(wrong))


class Won(NamedTuple):
    """What became of the races.

    Attributes:
        done: how often somebody was told that it was their action.
        acts: events there must be, with those between the races.
        longest: seconds until all racers were answered, at most.
    """

    done: int
    acts: int
    longest: float


class Field:
    """The sockets of those at a table, and what they are answered.

    Args:
        table_id: the table.
        ports: the web processes, over which they are spread.
    """

    def __init__(self, table_id: int, ports: Sequence[int]) -> None:
        self.table_id, self.ports = table_id, ports
        self.kinds: Counter[str] = Counter()
        self.awaited = 0
        self.all_answered = asyncio.Event()

    async def open(self, cookies: Sequence[str]) -> list[Wire]:
        """Open a socket for each session."""
        ports = itertools.cycle(self.ports)
        return [
            await open_table(HOST, port, self.table_id, cookie, self.take)
            for cookie, port in zip(cookies, ports, strict=False)
        ]

    def take(self, frame: bytes) -> None:
        """Count an answer; pictures pass."""
        if answer := answer_in(frame):
            self.kinds[answer["kind"]] += 1
            if self.kinds.total() == self.awaited:
                self.all_answered.set()

    async def race(self, wires: Sequence[Wire], text: str, version: int) -> float:
        """Let all do the same on the same version; seconds until all are answered."""
        self.kinds.clear()
        self.awaited = len(wires)
        self.all_answered.clear()
        begun = time.monotonic()
        for number, wire in enumerate(wires):
            message = {"action": text, "version": f"1.{version}", "key": f"{version}-{number}"}
            wire.send(json.dumps(message).encode())
        await asyncio.wait_for(self.all_answered.wait(), PATIENCE)
        return time.monotonic() - begun


async def _races(
    field: Field, table: Seated, cookies: Sequence[str], races: int
) -> tuple[Won, list[str]]:
    """Race whenever it is the racer's turn; return how it went, and what is wrong."""
    racers = await field.open(cookies)
    single = [await field.open([cookie]) for cookie in table.cookies]
    wrong: list[str] = []
    longest, won, raced, version = 0.0, 0, 0, 0
    while raced < races:
        seat, text = table.mover()
        lasted = await field.race(racers if seat == RACER else single[seat], text, version)
        version += 1
        if field.kinds["done"] != 1 or set(field.kinds) - {"done", "stale"}:
            wrong.append(f"at version {version}: {dict(field.kinds)}")
            break
        if seat == RACER:
            raced, won, longest = raced + 1, won + field.kinds["done"], max(longest, lasted)
    return Won(won, version, longest), wrong


if __name__ == "__main__":
    main()
