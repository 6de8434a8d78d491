"""What several people do together at a table."""

from __future__ import annotations

import random
from collections.abc import Sequence

from tests.browser.person import Person

CLOCKWISE = ("South", "West", "North", "East")


def sit_together(
    people: Sequence[Person], rules: str, *, open_to_all: bool = False, house_after: str = "12"
) -> None:
    """Let the first make a table in South and the others come in clockwise by its link.

    At an open table they find it in the lobby once they have followed the link.
    """
    host, *others = people
    seats = None if len(people) == 4 else {"south": "me"}
    host.make_table(rules, open=open_to_all, seats=seats, house_after=house_after)
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


def play_on(people: Sequence[Person], chance: random.Random) -> bool:
    """Let whoever is asked choose by chance; whether the game goes on.

    Every browser must show each new state before the next thing is done.
    """
    shown = all_show(people)
    if shown[0]["over"]:
        return False
    asked = [one for one, now in zip(people, shown, strict=True) if now["asked"]]
    assert len(asked) in (1, len(people)), "one is asked, or all are asked for the next hand"
    asked[0].choose(chance)
    return True


def mover(people: Sequence[Person]) -> Person:
    """Whoever is asked now."""
    shown = all_show(people)
    return next(one for one, now in zip(people, shown, strict=True) if now["asked"])
