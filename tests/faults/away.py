"""Redis and PostgreSQL stopped, hung and slow under a site: what do people get meanwhile?

``python -m tests.faults.away --seconds 10 --tables 20`` lets people play and open pages at two web
processes, and takes Redis and then PostgreSQL away in three ways: killed, standing still with all
lines open (SIGSTOP), and answering each question later. It prints what pages were answered, how
soon the first action was taken and all was right after the server was back, and what the logs told;
and ends with an error if a page was answered with 500, an action was lost or doubled, or a house
player has acted for anybody.
"""

from __future__ import annotations

import argparse
import asyncio
import logging
import sys
import threading
import time
from collections.abc import Callable
from functools import partial

from tests.faults.people import Crowd, Pages, asking_postgres
from tests.faults.servers import Postgres, Process, Stack, open_folder, troubles, use_django
from tests.load.people import Seated, seat_people
from tests.served import HOST, free_port


class SlowLine:
    """Passes bytes on to a port of this machine, on a thread of its own.

    target: the port. Attribute `delay`: by how many seconds each piece comes later, each way.
    """

    def __init__(self, target: int) -> None:
        self.target = target
        self.port = free_port()
        self.delay = 0.0
        self.loop = asyncio.new_event_loop()
        self.tasks: set[asyncio.Task[None]] = set()
        ready = threading.Event()
        threading.Thread(target=self._run, args=[ready], daemon=True).start()
        ready.wait()

    def _run(self, ready: threading.Event) -> None:
        serving = asyncio.start_server(self._serve, HOST, self.port, backlog=200)
        self.loop.run_until_complete(serving)
        ready.set()
        self.loop.run_forever()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            there, to_there = await asyncio.open_connection(HOST, self.target)
        except OSError:
            writer.transport.abort()
            return
        for source, sink in ((reader, to_there), (there, writer)):
            task = asyncio.create_task(self._pass_on(source, sink, (writer, to_there)))
            self.tasks.add(task)
            task.add_done_callback(self.tasks.discard)

    async def _pass_on(
        self,
        source: asyncio.StreamReader,
        sink: asyncio.StreamWriter,
        both: tuple[asyncio.StreamWriter, asyncio.StreamWriter],
    ) -> None:
        try:
            while piece := await source.read(65536):
                if self.delay:
                    await asyncio.sleep(self.delay)
                sink.write(piece)
                await sink.drain()
        except OSError:
            pass
        finally:
            for writer in both:
                writer.close()


TURN = 10  # seconds at every other table

#: A fault: its name, what makes it, and what ends it.
Fault = tuple[str, Callable[[], object], Callable[[], object]]


def options() -> argparse.Namespace:
    """What was asked for."""
    known = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    known.add_argument("--seconds", type=float, default=10, help="of each fault")
    known.add_argument("--tables", type=int, default=20)
    known.add_argument("--pace", type=float, default=1, help="seconds between a table's actions")
    known.add_argument("--delay", type=float, default=0.2, help="seconds each way, where slow")
    return known.parse_args()


def main() -> None:
    """Break, wait, mend, look."""
    asked = options()
    logging.getLogger("httpx").setLevel(logging.WARNING)
    with open_folder() as folder, open_folder() as of_postgres:
        postgres = Postgres(of_postgres, free_port())
        to_postgres, to_redis = SlowLine(postgres.port), SlowLine(redis_port := free_port())
        stack = Stack(
            folder, postgres, database=f"postgres://bower@{HOST}:{to_postgres.port}/postgres",
            broker=f"redis://{HOST}:{to_redis.port}/0", redis_port=redis_port,
            NEXT_DEAL_PAUSE="3600",
        )  # fmt: skip
        try:
            stack.start_servers()
            use_django(stack)
            seated = seat_people(asked.tables)
            _let_clocks_run(seated)
            stack.start_webs()
            stack.start_rest()
            faults = [
                *_faults("Redis", stack.redis, to_redis, asked.delay),
                *_faults("PostgreSQL", stack.postgres, to_postgres, asked.delay),
            ]
            wrong = asyncio.run(story(stack, seated, faults, asked))
        finally:
            stack.stop()
    if wrong:
        sys.exit("; ".join(wrong))


def _let_clocks_run(seated: list[Seated]) -> None:
    from django.db import connections

    from games.models import Table

    timed = [one.table_id for one in seated[::2]]
    Table.objects.filter(pk__in=timed).update(turn_seconds=TURN)
    connections.close_all()


def _faults(name: str, server: Process, line: SlowLine, delay: float) -> list[Fault]:
    return [
        (f"{name} stopped", server.kill, server.start),
        (f"{name} hung", server.hang, server.go_on),
        (
            f"{name} slow",
            partial(setattr, line, "delay", delay),
            partial(setattr, line, "delay", 0),
        ),
    ]


async def story(
    stack: Stack, seated: list[Seated], faults: list[Fault], asked: argparse.Namespace
) -> list[str]:
    """Make each fault and end it; print, and return what is wrong."""
    ports = [web.port for web in stack.webs]
    crowd = Crowd(seated, ports, asking_postgres(stack.postgres.url), asked.pace)
    paths = ("/", f"/tables/{seated[0].table_id}/", "/api/tables", "/events/")
    wrong = []
    await crowd.come()
    await crowd.all_right()
    for name, make, end in faults:
        pages, over = Pages(ports, paths, seated[0].cookies[0]), asyncio.Event()
        lines = [len(troubles(web)) for web in stack.webs]
        done = crowd.acknowledged
        make()
        opening = asyncio.create_task(pages.open_until(over))
        await asyncio.sleep(asked.seconds)
        during = crowd.acknowledged - done
        over.set()
        await asyncio.to_thread(end)
        mended = time.monotonic()
        right = await crowd.all_right()
        await opening
        told = [len(troubles(web)) - before for web, before in zip(stack.webs, lines, strict=True)]
        print(
            f"{name} for {asked.seconds:g} s: {during} actions taken meanwhile, {pages}; back: all "
            f"shown what is stored after {right.seen:.1f} s, every table has gone on after "
            f"{right.acted:.1f} s, pages after {time.monotonic() - mended:.1f} s at most; "
            f"{told} lines in the logs",
            flush=True,
        )
        bad = {status: n for status, n in pages.statuses.items() if status not in (200, 503)}
        wrong += [f"{name}: pages {bad}"] if bad else []
    counted = await asyncio.to_thread(crowd.count)
    print(counted)
    await crowd.go()
    return wrong + ([str(counted)] if counted.faults else [])


if __name__ == "__main__":
    main()
