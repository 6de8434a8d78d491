"""Fills an empty database with years of club life: ``python -m tests.load.fill --data DIR``.

Without options 10,000 persons have played 200,000 games, nine of ten in rated events of a hundred
clubs, and the first of them 3,000. The same options give the same rows. The games have no log: a
game's page shows its players and its score only. Log in as player1@example.com after giving that
account a password, or serve the data folder by ``manage.py quickstart --data DIR``.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Sequence
from datetime import UTC, datetime

from euchre_site.startup import data_folder


def main(arguments: Sequence[str] | None = None) -> None:
    """Fill the database and say how long it took."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--data", required=True, help="data folder, made if it is missing")
    parser.add_argument("--database", help="address of an empty database; default: the folder's")
    parser.add_argument("--players", type=int, default=10_000)
    parser.add_argument("--games", type=int, default=200_000)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args(arguments)
    use(asked.data, asked.database)
    fill(asked.players, asked.games, datetime.now(UTC), asked.seed)


def use(folder: str, database: str | None = None) -> None:
    """Let Django use a data folder, made if it is missing, and a database with all its tables."""
    import django
    from django.core.management import call_command

    data_folder.prepare(["--data", folder])
    if database:
        os.environ["DATABASE_URL"] = database
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "euchre_site.settings")
    os.environ.setdefault("STATIC_LIVE", "true")
    django.setup()
    call_command("migrate", verbosity=0)


def fill(players: int, games: int, now: datetime, seed: int = 1) -> None:
    """Write everything in one transaction; end with one line if the database is not empty."""
    from django.db import connection, transaction

    from games.models import Player
    from tests.load.club_life import ClubLife

    if Player.objects.exists():
        sys.exit("There are players in this database already; it must be empty.")
    if connection.vendor == "sqlite":
        with connection.cursor() as cursor:
            cursor.execute("PRAGMA synchronous = OFF")
            cursor.execute("PRAGMA cache_size = -200000")
    begun = time.monotonic()
    with connection.constraint_checks_disabled(), transaction.atomic():
        ClubLife(players, games, now, seed).write()
    print(f"{players:,} players and {games:,} games in {time.monotonic() - begun:.0f} s")


if __name__ == "__main__":
    main()
