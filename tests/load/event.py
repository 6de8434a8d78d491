"""A whole event of house players, and what people at other tables and on its page feel meanwhile.

Run ``python -m tests.load.event --tables 64``: the one-command server on SQLite plays a rotation
of four house players a table from the first draw to the result, in their usual pace. Beside it
people play at other tables, one action a second each, and spectators watch the event's page. It
prints how long every round took to be drawn and opened, and p50, p99 and the longest time of an
action until all four have seen it, of a load of the event's page, and of the page's live frames.
"""

from __future__ import annotations

import argparse
import asyncio
import logging
import statistics
import sys
import time
from collections.abc import Sequence
from datetime import timedelta
from typing import TYPE_CHECKING

import httpx

from tests.load.driver import measure
from tests.load.people import seat_people
from tests.served import FLAT_OUT, HOST, Server, use_django
from tests.wire import open_wire

if TYPE_CHECKING:
    from tournaments.models import Event

SEATS = 4
PROBES = 10  # tables of people beside the event
PACE = 1.0  # seconds between two actions of each
HAND = 38  # seconds a hand of house players takes, about
LONGEST = 1800  # seconds the event may take


def options() -> argparse.Namespace:
    """What was asked for."""
    known = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    known.add_argument("--tables", type=int, default=64)
    known.add_argument("--rounds", type=int, default=3)
    known.add_argument("--hands", type=int, default=2, help="hands of a match")
    known.add_argument("--spectators", type=int, default=50, help="on the event's page")
    return known.parse_args()


def main() -> None:
    """Measure and print; ends with an error if the event did not come to its result."""
    asked = options()
    logging.getLogger("httpx").setLevel(logging.WARNING)
    server = Server(None, 0, None, **FLAT_OUT).start()
    try:
        use_django(server.data)
        probes = [(one.table_id, one.cookies, one.mover) for one in seat_people(PROBES)]
        event = ready_event(asked.tables, asked.rounds, asked.hands)
        asyncio.run(_watch(asked, server, event, probes))
        event.refresh_from_db()
        _report(event)
        print(f"server: {server.cpu:.0f} s CPU, {server.memory:.0f} MB")
    finally:
        server.stop()
    if event.state != "finished":
        sys.exit(f"The event is {event.state}: {event.trouble or 'it took too long'}")


def ready_event(tables: int, rounds: int, hands: int) -> Event:
    """An event of house players that begins a few seconds from now."""
    from django.utils import timezone

    from games.engine.rules import CLASSIC_24, rules_to_data
    from games.models import Player
    from tournaments.acts import house_players
    from tournaments.models import Club, Event

    now = timezone.now()
    club = Club.objects.create(name="Load", slug="load")
    director = Player.objects.create(name="Greta")
    event = Event.objects.create(
        club=club,
        name="Load",
        created_by=director,
        rules_data=rules_to_data(CLASSIC_24),
        format="rotation",
        rounds=rounds,
        match=Event.Match.DEALS,
        deals=hands,
        capacity=tables * SEATS,
        rated=False,
        break_seconds=5,
        registration_opens=now,
        registration_closes=now,
        starts=now + timedelta(seconds=10),
        due=now + timedelta(seconds=10),
        state=Event.State.READY,
    )
    house_players.add_house_entries(event, director, tables * SEATS, now)
    return event


async def _watch(
    asked: argparse.Namespace,
    server: Server,
    event: Event,
    probes: Sequence[tuple],  # type: ignore[type-arg]
) -> None:
    """Play at the other tables, and read the event's page, until the event is over."""
    frames: list[int] = []
    wires = [
        await open_wire(
            HOST,
            server.port,
            f"/ws/events/{event.pk}/",
            "look=plain",
            lambda frame: frames.append(len(frame)),
        )
        for _spectator in range(asked.spectators)
    ]
    over, loads = asyncio.Event(), list[float]()
    reading = asyncio.create_task(_read(server, event, loads, over))
    ending = asyncio.create_task(_wait(event, over))
    seconds = asked.rounds * asked.hands * HAND
    figures = await measure([server], probes, seconds, PACE)
    print(f"people at {PROBES} other tables meanwhile, {seconds} s: {figures}", flush=True)
    await ending
    await reading
    print(f"the event's page, {len(loads)} loads meanwhile: {_spread(loads)}")
    size = sum(frames) / max(1, len(frames)) / 1024
    print(f"{len(wires)} spectators: {len(frames)} live frames of {size:.1f} kB on average")


async def _wait(event: Event, over: asyncio.Event) -> None:
    """Wait until the event is over."""
    ends = time.monotonic() + LONGEST
    while time.monotonic() < ends:
        await asyncio.to_thread(event.refresh_from_db)
        if event.state in ("finished", "cancelled"):
            break
        await asyncio.sleep(1)
    over.set()


async def _read(server: Server, event: Event, loads: list[float], over: asyncio.Event) -> None:
    """Load the event's page twice a second until the event is over."""
    async with httpx.AsyncClient(timeout=30) as client:
        while not over.is_set():
            begun = time.perf_counter()
            page = await client.get(f"http://{HOST}:{server.port}/events/{event.pk}/")
            loads.append(time.perf_counter() - begun)
            page.raise_for_status()
            await asyncio.sleep(0.5)


def _report(event: Event) -> None:
    """Print what the event did, and how long each round took to be opened and to end."""
    from games.models import GameEvent

    if event.started is None or event.ended is None:
        return
    lasted = (event.ended - event.started).total_seconds()
    actions = GameEvent.objects.filter(game__table__pairing__round__event=event).count()
    print(
        f"event: {lasted:.0f} s, {actions} actions of house players, "
        f"{actions / lasted:.0f} a second"
    )
    for round_ in event.played_rounds.all():
        tables = [pairing.table for pairing in round_.pairings.all() if pairing.table]
        begun = [game.started for table in tables for game in table.games.all()]
        opened = (max(begun) - round_.called).total_seconds()
        print(
            f"round {round_.number}: {len(tables)} tables, "
            f"all playing {opened:.1f} s after the draw"
        )


def _spread(seconds: Sequence[float]) -> str:
    ordered = sorted(seconds)
    p99 = ordered[min(len(ordered) - 1, int(len(ordered) * 0.99))]
    median = statistics.median(ordered)
    return (
        f"p50 {1000 * median:.0f} ms, p99 {1000 * p99:.0f} ms, longest {1000 * ordered[-1]:.0f} ms"
    )


if __name__ == "__main__":
    main()
