"""How soon a page shows what was pressed, on a device whose processor is slowed.

Run ``python -m tests.load.presses --slowed 4``. It starts the one-command server, plays a game
against house players in Chromium (the one named by CHROMIUM or on the path), on a desk and on a
phone, with the cards moving as they do where nobody has chosen otherwise, and prints the time
from each press to the next picture that the browser paints, as the Event Timing interface tells
it; what takes less than 16 ms it does not tell.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import statistics
import tempfile
from pathlib import Path

from playwright.sync_api import Browser, expect, sync_playwright

from tests.browser.conftest import FAST
from tests.browser.person import PATIENCE, Person
from tests.served import HOST, Server

WINDOWS = ((1440, 900), (390, 844))
#: Milliseconds, the least that the interface tells.
LEAST = 16
_LISTEN = """() => {
  window.presses = {};
  new PerformanceObserver(list => {
    for (const {interactionId, duration} of list.getEntries()) {
      if (interactionId) {
        window.presses[interactionId] = Math.max(window.presses[interactionId] ?? 0, duration);
      }
    }
  }).observe({type: "event", durationThreshold: 16});
}"""


def main() -> None:
    """Measure and print."""
    asks = argparse.ArgumentParser(description=__doc__)
    asks.add_argument("--slowed", type=float, default=4, help="how many times slower")
    asked = asks.parse_args()
    chromium = os.environ.get("CHROMIUM") or shutil.which("chromium")
    expect.set_options(timeout=1000 * PATIENCE)
    with tempfile.TemporaryDirectory(prefix="bower-presses-") as data, sync_playwright() as player:
        server = Server(Path(data), 0, None, **FAST | {"TRICK_REST": "0.3"}).start()
        try:
            browser = player.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
            for width, height in WINDOWS:
                pressed, told = play(browser, server, width, height, asked.slowed)
                told += [LEAST] * (pressed - len(told))
                print(
                    f"{width}x{height}, {asked.slowed:g} times slower: {pressed} presses, painted "
                    f"after {statistics.median(told):.0f} ms at the median, "
                    f"{max(told):.0f} ms at most"
                )
        finally:
            server.stop()


def play(
    browser: Browser, server: Server, width: int, height: int, slowed: float
) -> tuple[int, list[float]]:
    """Play a game; returns the number of presses and the milliseconds of those that are told."""
    context = browser.new_context(viewport={"width": width, "height": height})
    one = Person(f"Player {width}", context, f"http://{HOST}:{server.port}")
    one.play_now()
    one.wait_until_live()
    tools = context.new_cdp_session(one.page)
    tools.send("Emulation.setCPUThrottlingRate", {"rate": slowed})
    one.page.evaluate(_LISTEN)
    chance, pressed = random.Random(width), 0
    while one.wait_for_turn() != "over":
        one.choose(chance)
        pressed += 1
    told = one.page.evaluate("() => Object.values(window.presses)")
    context.close()
    return pressed, told


if __name__ == "__main__":
    main()
