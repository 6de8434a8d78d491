"""A rated event in a server's database, put there by a process of its own."""

from __future__ import annotations

import json
import subprocess
import sys
from functools import cache
from typing import NamedTuple

from tests.served import ROOT, Server


class RatedGame(NamedTuple):
    """A game that has been rated, and the pages that tell of it by their names."""

    game_id: str
    paths: dict[str, str]


@cache
def rated_game(server: Server) -> RatedGame:
    """Let four people have finished a rated event and games of their own, once for each server."""
    made = subprocess.run(
        [sys.executable, "-m", "tests.browser.rated"],
        cwd=ROOT,
        env={**server.env, "BOWER_DATA": str(server.data)},
        check=True,
        capture_output=True,
        text=True,
    )
    return RatedGame(**json.loads(made.stdout.splitlines()[-1]))


def main() -> None:
    """Make the event and print what a `RatedGame` holds."""
    import django

    django.setup()
    from django.db import transaction

    from games.models import Game
    from tests.factories import cast
    from tests.tournaments.build import noted_game, rated

    people = cast()
    with transaction.atomic():  # the server notes and rates by itself what is there half done
        event = rated(*people, rounds=3)
        for winner in (0, 0, 1):
            noted_game(*people, winner=winner, called=4, called_1=4, trumps_1=11, made=3, euchred=1)
    game = Game.objects.filter(table__pairing__round__event=event).earliest("number", "table")
    paths = {
        "pools": "/ratings/",
        "leaderboard": "/ratings/classic-online/",
        "player": f"/players/{people[0].pk}/ratings/classic-online/",
        "how": "/ratings/how/",
        "event ratings": f"/events/{event.pk}/ratings/",
        "event": f"/events/{event.pk}/",
    }
    print(json.dumps({"game_id": str(game.pk), "paths": paths}))


if __name__ == "__main__":
    main()
