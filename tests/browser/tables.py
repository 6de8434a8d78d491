"""People together at a table: sitting down, playing on, and every state that a table can show.

``python -m tests.browser.tables <folder>`` takes screenshots of each state in every window size,
light and dark. Chromium is the one named by CHROMIUM or on the path.
"""

from __future__ import annotations

import argparse
import os
import random
import re
import shutil
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import expect, sync_playwright

from tests.browser.checks import SIZES
from tests.browser.conftest import FAST
from tests.browser.person import PATIENCE, Person, named
from tests.browser.store import cut_themselves
from tests.served import HOST, Server

LOST = "() => document.getElementById('link').textContent.trim() === 'Offline'"
CLOCKWISE = ("South", "West", "North", "East")


def sit_together(
    people: Sequence[Person],
    rules: str,
    *,
    open_to_all: bool = False,
    house_rules: Mapping[str, str] | None = None,
    house_after: str = "12",
) -> None:
    """Let the first make a table in South and the others come in clockwise by its link.

    At an open table they find it in the lobby once they have followed the link.
    """
    host, *others = people
    seats = None if len(people) == 4 else {"south": "me"}
    host.make_table(
        rules, open=open_to_all, seats=seats, house_rules=house_rules, house_after=house_after
    )
    compass = CLOCKWISE[1:] if len(people) == 4 else ("North",)
    link = host.invitation
    for guest, seat in zip(others, compass, strict=True):
        guest.page.goto(link)
        if open_to_all:
            guest.go("/play/")
            guest.take_seat_in_lobby(f"Sit {seat}", host.table_id)
        else:
            guest.sit_here(seat)
    for one in people:
        one.wait_until_live()
        one.wait_until_dealt()


def all_show(people: Sequence[Person]) -> list[dict[str, str]]:
    """Wait until all browsers show the same version and somebody is asked something.

    Returns:
        What each shows, in the order of `people`.
    """
    while True:
        shown = [one.now() for one in people]
        newest = max(shown, key=lambda now: _version(now["stamp"]))["stamp"]
        behind = [one for one, now in zip(people, shown, strict=True) if now["stamp"] != newest]
        for one in behind:
            one.wait_past(shown[people.index(one)]["stamp"])
        if not behind:
            if shown[0]["over"] or any(now["asked"] for now in shown):
                return shown
            people[0].wait_past(newest)


def _version(stamp: str) -> tuple[int, ...]:
    return tuple(int(part) for part in stamp.split("."))


def play_on(
    people: Sequence[Person], chance: random.Random, *, dealt_at_once: bool = False
) -> bool:
    """Let whoever is asked choose by chance; whether the game goes on.

    Every browser must show each new state before the next thing is done. dealt_at_once: the next
    hand comes by itself, so that nobody asks for it.
    """
    shown = all_show(people)
    if shown[0]["over"]:
        return False
    asked = [one for one, now in zip(people, shown, strict=True) if now["asked"]]
    assert len(asked) in (1, len(people)), "one is asked, or all are asked for the next hand"
    if dealt_at_once and any(now["asked"] == "next" for now in shown):
        asked[0].wait_past(shown[0]["stamp"])
    else:
        asked[0].choose(chance)
    return True


def mover(people: Sequence[Person]) -> Person:
    """Whoever is asked now."""
    shown = all_show(people)
    return next(one for one, now in zip(people, shown, strict=True) if now["asked"])


def come_back(people: list[Person], server: Server) -> None:
    """Start the server again, wait until all are live, and print how long each took."""
    for each in people:
        each.until(LOST)
    server.start()
    answers = time.monotonic()
    took = []
    for each in people:
        each.wait_until_live()
        took.append(time.monotonic() - answers)
    print(f"live again after {', '.join(f'{one:.2f}' for one in took)} s")
    all_show(people)


# Every state ----------------------------------------------------------------------------------

#: Every state that `states` comes to, most of them in this order.
STATES = (
    "waiting", "cut", "first round", "second round", "discard", "lead", "follow", "hand over",
    "all hands", "last trick", "keys", "my table", "log", "game over",
)  # fmt: skip
#: What is opened over the table, by its button's name, once there is a trick to look back at.
OPENED = {"all hands": "See all hands", "last trick": "Previous trick", "my table": "My table"}


def states(one: Person, server: Server) -> Iterator[str]:
    """Play at a table with house players until every state has been shown.

    The game has a cut. Whoever plays passes, unless they deal or must name a suit, so that every
    kind of question comes; a game that is over before that is followed by another.

    Args:
        one: who plays, with a browser; they make the table.
        server: where.

    Yields:
        The name of a state that is shown for the first time.
    """
    house = dict.fromkeys(("north", "east", "west"), "free")
    one.make_table("house-rules", seats=house, house_rules={"target": "5", "cut": "on"})
    cut_themselves(server)
    left = set(STATES)

    def first(state: str) -> Iterator[str]:
        if state in left:
            left.discard(state)
            yield state

    yield from first("waiting")
    one.wait_until_live()
    one.call("Fill with house players and start")
    one.wait_until_dealt()
    while left:
        asked = one.wait_for_turn()
        state = "game over" if asked == "over" else _state(one)
        if state != "game over" or left == {"game over"}:
            yield from first(state)
        if state == "hand over":
            for name in sorted(left & {*OPENED, "keys", "log"}):
                with opened(one, name):
                    yield from first(name)
        if asked == "over":
            if left:
                stamp = one.stamp
                one.call("Play again")
                one.wait_past(stamp)
            continue
        _go_on(one, state)


@contextmanager
def opened(one: Person, name: str) -> Iterator[None]:
    """While this holds, something lies open over the table: one of `OPENED`, or keys or log.

    Raises nothing where the log stands beside the table: there is nothing to open.
    """
    page = one.page
    if name in OPENED:
        page.get_by_role("button", name=OPENED[name], exact=True).click()
    elif name == "keys" or page.locator("button.only-small[popovertarget=side]").is_visible():
        page.keyboard.press({"keys": "?", "log": "g"}[name])
    yield
    page.keyboard.press("Escape")


def _state(one: Person) -> str:
    head = one.question[0]
    asked = one.now()["asked"]
    if asked == "next":
        return "hand over"
    if head == "Cut the pack":
        return "cut"
    if head.startswith("Discard"):
        return "discard"
    if asked == "card":
        return "lead" if "lead" in head else "follow"
    return "second round" if one.page.locator("#question .suits").count() else "first round"


def _go_on(one: Person, state: str) -> None:
    question = one.page.locator("#question")
    if state == "hand over":
        one.call("Next hand")
    elif state == "cut":
        one.call("Cut here")
    elif state == "first round":
        take = question.get_by_role("button", name=re.compile(r"^(Take|Pick) it up(?!,)"))
        passing = question.get_by_role("button", name=named("Pass"))
        one.press(take if take.count() else passing)
    elif state == "second round":
        one.press(question.locator(".name-suit").first)
    else:
        one.play_a_card()


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
