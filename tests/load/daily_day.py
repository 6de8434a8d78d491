"""What a day of the daily deal costs: rows, and processor time of each try and of the close.

``python -m tests.load.daily_day --players 2000`` plays a day in a database of its own: everybody
begins a try, plays by chance without a browser, and the day closes. It prints the rows of each
model, milliseconds of a processor for beginning and for reading a try, and for the close. What the
house players of the tables think is not in it; the house's own game is.
"""

from __future__ import annotations

import argparse
import base64
import os
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from tests.served import use_django

if TYPE_CHECKING:
    from collections.abc import Iterator


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--players", type=int, default=2000)
    players = parser.parse_args().players
    with tempfile.TemporaryDirectory() as data:
        os.environ.update(
            SECRET_KEY="x" * 50, DEAL_KEY=base64.urlsafe_b64encode(bytes(32)).decode()
        )
        use_django(Path(data))
        from django.core.management import call_command

        call_command("migrate", verbosity=0)
        _day(players)


@contextmanager
def _timed(what: str, count: int) -> Iterator[None]:
    start, wall = time.process_time(), time.monotonic()
    yield
    used, took = time.process_time() - start, time.monotonic() - wall
    print(f"{what}: {1000 * used / count:.1f} ms of a processor each, {took:.1f} s in all")


def _day(players: int) -> None:
    from django.apps import apps
    from django.utils import timezone

    from games.models import Player
    from games.sockets import hub
    from tests.tournaments.daily import days_for_tests
    from tournaments.daily import closing, panel, tries

    setattr(hub, "announce", lambda _table_id: None)  # noqa: B010 - no page is open
    daily = days_for_tests.today()
    with _timed("The house's own game", 1):
        closing.play_house(daily, timezone.now())
    people = Player.objects.bulk_create(Player(name=f"Player {n}") for n in range(players))
    begun = []
    with _timed("Beginning a try", players):
        for number, player in enumerate(people):
            begun.append(tries.begin(daily, player, f"192.0.2.{number % 250}", timezone.now()))
    for number, mine in enumerate(begun):
        days_for_tests.play(mine, number)
    with _timed("Reading the points of a try", players):
        while tries.store_points(tries.just_ended(closing.CHUNK)):
            pass
    with _timed("Asking for the page's panel", 100):
        for player in people[:100]:
            panel.panel_of(None, player, timezone.now())
    with _timed("The close", 1):
        days_for_tests.closed(daily)
    for model in apps.get_models():
        if (rows := model._default_manager.count()) >= players:
            print(f"{model.__name__}: {rows / players:.1f} rows a try")


if __name__ == "__main__":
    main()
