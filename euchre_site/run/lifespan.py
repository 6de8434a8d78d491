"""ASGI lifespan: what a web process does when its event loop starts and before it ends."""

import asyncio
import atexit
import gc
import os
import sys
import time
from typing import Any

from asgiref.sync import sync_to_async

from euchre_site import shutdown
from euchre_site.monitoring import metrics_server
from euchre_site.startup import startup
from games.live import journal, state
from games.people import online
from games.play import outages
from games.sockets import metrics
from games.sockets.loop import set_web_loop, stop_fallback_loop
from tournaments.changes import live

#: Seconds between two collections of the young generation, and while no one has acted for a second.
COLLECT_YOUNG_EVERY = 0.05
COLLECT_YOUNG_AT_REST = 0.5
#: Seconds between two full collections: COLLECT_EVERY applies only when nothing has happened for a
#: second, COLLECT_AT_LATEST always.
COLLECT_EVERY = 600
COLLECT_AT_LATEST = 7200
#: Python's thread switch interval in seconds. The journal's thread releases the GIL at every
#: statement and then waits for it, and a table waits for the journal: with the default of 5 ms the
#: slowest percentile of actions took twice as long to be shown.
SWITCH_INTERVAL = 0.001


async def lifespan(_scope: Any, receive: Any, send: Any) -> None:
    """Run the ASGI lifespan protocol.

    The server does not start if the database does not fit this version and these keys.
    """
    await receive()  # lifespan.startup
    try:
        await sync_to_async(startup.check)()
    except startup.StartError as error:
        # Instead of uvicorn's own status, which is the same for every failure
        atexit.register(os._exit, error.status)
        await send({"type": "lifespan.startup.failed", "message": str(error)})
        return
    pulse = await outages.keep_pulse()  # before anything is enforced here
    await take_over()
    sys.setswitchinterval(SWITCH_INTERVAL)
    shutdown.install_handlers()
    metrics_server.serve()
    collector = asyncio.create_task(collect_garbage())
    storing = asyncio.create_task(online.keep_storing())
    await send({"type": "lifespan.startup.complete"})
    await receive()  # lifespan.shutdown
    await shutdown.finish()
    collector.cancel()
    storing.cancel()
    pulse.cancel()
    await outages.record_stop()
    set_web_loop(None)
    live.end()
    await journal.aclose()
    await send({"type": "lifespan.shutdown.complete"})


async def take_over() -> None:
    """Move sockets and tables to this event loop, from one that a command may have started.

    With two loops, both would act for the same table and could deadlock on each other's locks.
    """
    set_web_loop(asyncio.get_running_loop())
    await sync_to_async(stop_fallback_loop)()
    state.forget_all()


async def collect_garbage() -> None:
    """Collect the young generation often, and everything while no one is acting.

    A table has many long-lived objects without cycles. With a thousand tables Python's own schedule
    kept traversing all of them, half a second each time, while everybody waited
    (`python -m tests.load.live --tables 1000 --pace 3`). It also collects the young generation too
    late: it counts allocations minus deallocations, which stays near zero while each new picture
    replaces an old one.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(5_000, 1_000_000, 1_000_000)
    collected = quiet_since = time.monotonic()
    acted: dict[str, int] = {}
    while True:
        at_rest = time.monotonic() - quiet_since > 1
        await asyncio.sleep(COLLECT_YOUNG_AT_REST if at_rest else COLLECT_YOUNG_EVERY)
        now = time.monotonic()
        if acted != metrics.actions.by:
            acted, quiet_since = dict(metrics.actions.by), now
        if now - collected > (COLLECT_EVERY if now - quiet_since > 1 else COLLECT_AT_LATEST):
            gc.collect()
            collected = now
        else:
            gc.collect(0)
