"""What a web process does when its event loop starts and before it ends."""

import asyncio
import gc
from typing import Any

from games import journal
from games.loop import set_loop

#: Seconds between two looks through everything.
COLLECT_EVERY = 600


async def lifespan(_scope: Any, receive: Any, send: Any) -> None:
    """ASGI lifespan: name the loop that holds the sockets; at the end close what hangs on it."""
    await receive()  # lifespan.startup
    set_loop(asyncio.get_running_loop())
    collector = asyncio.create_task(collect_now_and_then())
    await send({"type": "lifespan.startup.complete"})
    await receive()  # lifespan.shutdown
    collector.cancel()
    set_loop(None)
    await journal.aclose()
    await send({"type": "lifespan.shutdown.complete"})


async def collect_now_and_then() -> None:
    """Look for garbage in cycles among all there is only every few minutes.

    A table's pieces are many, live long and hold no cycles. With a thousand tables Python's own
    schedule went through all of them again and again, half a second each time, while everybody
    waited (`python -m tests.load.live --tables 1000 --pace 3`). What is young is still looked
    through often.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(5_000, 200, 1_000_000)
    while True:
        await asyncio.sleep(COLLECT_EVERY)
        gc.collect()
