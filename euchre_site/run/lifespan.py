"""What a web process does when its event loop starts and before it ends."""

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
from games.play import outages
from games.sockets import metrics
from games.sockets.loop import end_own, set_loop
from tournaments.changes import live

#: Seconds between two looks for garbage in what is young.
COLLECT_YOUNG_EVERY = 0.05
#: Seconds until everything is looked through again, in a second without an action; and at last.
COLLECT_EVERY = 600
COLLECT_AT_LAST = 7200
#: Seconds a thread may keep Python to itself while others wait. The journal gives it up at every
#: statement and then waits to have it back, and a table waits for the journal: with Python's own
#: 5 ms the slowest hundredth of the actions took twice as long to be seen.
SWITCH_EVERY = 0.001


async def lifespan(_scope: Any, receive: Any, send: Any) -> None:
    """ASGI lifespan: name the loop that holds the sockets; at the end close what hangs on it.

    The server does not start on a database that is not of this code and these keys.
    """
    await receive()  # lifespan.startup
    try:
        await sync_to_async(startup.check)()
    except startup.StartError as error:
        # In place of uvicorn's own status, which is the same for every failure
        atexit.register(os._exit, error.status)
        await send({"type": "lifespan.startup.failed", "message": str(error)})
        return
    pulse = await outages.keep_pulse()  # before anything is enforced here
    await take_over()
    sys.setswitchinterval(SWITCH_EVERY)
    shutdown.install_handlers()
    metrics_server.serve()
    collector = asyncio.create_task(collect_now_and_then())
    await send({"type": "lifespan.startup.complete"})
    await receive()  # lifespan.shutdown
    await shutdown.finish()
    collector.cancel()
    pulse.cancel()
    await outages.note_stop()
    set_loop(None)
    live.end()
    await journal.aclose()
    await send({"type": "lifespan.shutdown.complete"})


async def take_over() -> None:
    """Hold sockets and tables on this loop; what a command began on one of its own ends.

    Two loops would let the same table act, and wait for each other's locks in vain.
    """
    set_loop(asyncio.get_running_loop())
    await sync_to_async(end_own)()
    state.forget_all()


async def collect_now_and_then() -> None:
    """Look for garbage in cycles often among what is young, and in everything while nobody acts.

    A table's pieces are many, live long and hold no cycles. With a thousand tables Python's own
    schedule went through all of them again and again, half a second each time, while everybody
    waited (`python -m tests.load.live --tables 1000 --pace 3`). Nor does it look at the young in
    time: it counts what was made less what was freed, which is nothing as long as each new
    picture replaces an old one, and then goes through all that has become of that at once.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(5_000, 1_000_000, 1_000_000)
    collected = quiet_since = time.monotonic()
    acted: dict[str, int] = {}
    while True:
        await asyncio.sleep(COLLECT_YOUNG_EVERY)
        now = time.monotonic()
        if acted != metrics.actions.by:
            acted, quiet_since = dict(metrics.actions.by), now
        if now - collected > (COLLECT_EVERY if now - quiet_since > 1 else COLLECT_AT_LAST):
            gc.collect()
            collected = now
        else:
            gc.collect(0)
