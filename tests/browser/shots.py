"""Pictures of every state of a table, in every size of window, light and dark.

``python -m tests.browser.shots <folder>``; Chromium is the one named by CHROMIUM or on the path.
"""

from __future__ import annotations

import argparse
import os
import shutil
import tempfile
from pathlib import Path

from playwright.sync_api import expect, sync_playwright

from tests.browser.conftest import FAST
from tests.browser.crowding import SIZES
from tests.browser.person import PATIENCE, Person
from tests.browser.states import states
from tests.served import HOST, Server


def main() -> None:
    """Take the pictures that the command line asks for."""
    asks = argparse.ArgumentParser(description=__doc__)
    asks.add_argument("folder", type=Path, help="where the pictures go")
    asks.add_argument("--sizes", default="", help="such as 1280x800,390x844; all if left out")
    asked = asks.parse_args()
    sizes = [size for size in SIZES if not asked.sizes or f"{size[0]}x{size[1]}" in asked.sizes]
    asked.folder.mkdir(parents=True, exist_ok=True)
    chromium = os.environ.get("CHROMIUM") or shutil.which("chromium")
    expect.set_options(timeout=1000 * PATIENCE)
    with tempfile.TemporaryDirectory(prefix="bower-shots-") as data, sync_playwright() as player:
        server = Server(Path(data), 0, None, **FAST).start()
        try:
            browser = player.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
            context = browser.new_context(reduced_motion="reduce")
            one = Person("Maeve", context, f"http://{HOST}:{server.port}")
            one.sign_up()
            for state in states(one, server):
                take(one, state, sizes, asked.folder)
        finally:
            server.stop()


def take(one: Person, state: str, sizes: list[tuple[int, int]], folder: Path) -> None:
    """Take pictures of what somebody is shown, in these sizes, light and dark."""
    was = one.page.viewport_size
    for width, height in sizes:
        one.page.set_viewport_size({"width": width, "height": height})
        for theme in ("light", "dark"):
            one.page.emulate_media(color_scheme=theme)
            name = f"{state.replace(' ', '-')}-{width}x{height}-{theme}.png"
            one.page.screenshot(path=folder / name, animations="disabled")
    one.page.emulate_media(color_scheme="light")
    if was:
        one.page.set_viewport_size(was)
    print(state, flush=True)


if __name__ == "__main__":
    main()
