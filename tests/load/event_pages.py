"""What it costs to show a change of an event to everybody: ``python -m tests.load.event_pages``.

An event is played at many tables, and people watch its page, half of them its players. A change is
shown over and over: a result comes in, a score moves, a round is drawn. Printed are milliseconds of
the processor, medians: of drawing, which a worker thread does, and of the event loop, which sends
everybody what has changed for them; and the bytes sent to one of them.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import time
from collections.abc import Callable, Coroutine
from statistics import median
from typing import TYPE_CHECKING, Any, cast

import django

if TYPE_CHECKING:
    from tournaments.event_page.consumers import EventConsumer
    from tournaments.models import Event

TIMES = 20


def main() -> None:
    """Measure and print."""
    known = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    known.add_argument("--tables", type=int, default=64)
    known.add_argument("--watchers", type=int, default=200)
    asked = known.parse_args()
    os.environ["DJANGO_SETTINGS_MODULE"] = "tests.settings"
    django.setup()
    event = _playing(asked.tables)
    changes = {"nothing": _nothing, "a score": _score, "a result": _result}
    for name, change in changes.items():
        drawing, loop, size = asyncio.run(_measure(event, asked.watchers, change))
        print(
            f"{name:10} drawing {drawing:6.1f} ms  loop {loop:6.1f} ms  {size / 1000:6.1f} KB each"
        )


def _playing(tables: int) -> Event:
    """An event of a rotation whose first round is being played at so many tables."""
    from django.core.management import call_command
    from django.utils import timezone

    from tests.tournaments import build

    call_command("migrate", verbosity=0)
    event = build.event(starts=timezone.now())
    build.enter(event, 4 * tables)
    build.begin(event, timezone.now())
    build.arrive(event)
    build.step(event, timezone.now())
    return event


def _nothing(_event: Event, _time: int) -> None:
    """Change nothing that is shown."""


def _score(_event: Event, time_: int) -> None:
    """Let a score change at one table."""
    from games.models import Game

    Game.objects.filter(pk=Game.objects.earliest("started").pk).update(score_0=time_ % 9)


def _result(event: Event, time_: int) -> None:
    """Let the match of one table end."""
    from tournaments.models import Pairing

    pairing = Pairing.objects.filter(round__event=event).order_by("number")[time_]
    pairing.state, pairing.winner, pairing.how = Pairing.State.DECIDED, 0, Pairing.How.PLAYED
    pairing.points_0 = 5
    pairing.save()


async def _measure(
    event: Event, watchers: int, change: Callable[[Event, int], None]
) -> tuple[float, float, float]:
    """Milliseconds of drawing and of the loop, and bytes a watcher."""
    from tournaments.changes import live
    from tournaments.event_page import showing

    sent: list[int] = []
    players = [line.player_id async for line in event.entered_players.all()][: watchers // 2]
    everybody = [*players, *[None] * (watchers - len(players))]
    consumers = [_consumer(event, player, sent) for player in everybody]
    page = live._pages[event.pk]
    drawing, loops, sizes = [], [], []
    for number in range(-1, TIMES):
        await asyncio.to_thread(change, event, max(number, 0))
        begun = time.process_time()
        drawn = await asyncio.to_thread(showing.draw_event, event.pk, players)
        drawing.append(time.process_time() - begun)
        sent.clear()
        page.drawing, page.players = drawn, frozenset(players)
        begun = time.thread_time()
        await page.show()
        await _settled(consumers)
        loops.append(time.thread_time() - begun)
        sizes.append(sum(sent) / watchers)
    live.end()
    live.events.forget_all()
    return 1000 * median(drawing[1:]), 1000 * median(loops[1:]), median(sizes[1:])


def _consumer(event: Event, player: int | None, sent: list[int]) -> EventConsumer:
    """A socket of the page that is open and takes everything at once."""
    from games.play.consumers import Bucket
    from games.sockets.watching import Watcher
    from tournaments.event_page.consumers import EventConsumer

    async def take(message: Any) -> None:
        sent.append(len(message["text"].encode()))

    consumer = EventConsumer()
    consumer.base_send = take
    consumer.scope = cast("Any", {"query_string": b""})
    consumer.asked = time.monotonic() + 1e6
    consumer.sent, consumer.bucket = None, Bucket()
    send: Callable[[Any], Coroutine[Any, None, None]] = consumer.show
    consumer.watcher = Watcher(event.pk, player, "load", send, consumer.close)
    consumer.watched.join(consumer.watcher)
    return consumer


async def _settled(consumers: list[EventConsumer]) -> None:
    """Wait until every socket has taken its picture."""
    watchers = [consumer.watcher for consumer in consumers if consumer.watcher is not None]
    await asyncio.gather(*(one._sending for one in watchers if one._sending is not None))


if __name__ == "__main__":
    main()
