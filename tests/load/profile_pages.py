"""How long pages take on a full database: ``python -m tests.load.profile_pages --data DIR``.

Measured over the database that ``tests.load.fill`` has filled, in the server's own code without a
network, with a member logged in who reads the pages of the player with most games, and lists and
pages of events: the median and the slowest of several readings, the median time of the processor,
and the number of queries.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from random import Random
from statistics import median
from time import perf_counter, process_time

from tests.load.fill import use

#: The pages; 1 is the player with most games, {other} a member of the same club by chance.
PAGES = (
    "/players/1/",
    "/players/1/record/",
    "/players/1/games/",
    "/players/1/and/",
    "/players/1/and/{other}/",
    "/players/1/compare/",
    "/players/1/ratings/classic-online/",
    "/ratings/",
    "/ratings/classic-online/",
    "/ratings/classic-online/?club=club-1",
    "/",
    "/events/",
    "/events/3/",
    "/events/3/standings/",
    "/clubs/",
    "/clubs/club-1/",
    "/api/events",
)


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure every page and print a line for each."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--data", required=True, help="data folder")
    parser.add_argument("--database", help="address of the database; default: the folder's")
    parser.add_argument("--times", type=int, default=15, help="readings of each page")
    asked = parser.parse_args(arguments)
    use(asked.data, asked.database)
    from games.models import Performance

    print(f"{Performance.objects.count():,} lines of what somebody did in a game")
    print(f"{'page':44} {'median':>9} {'slowest':>9} {'processor':>9} {'queries':>7}")
    for page in PAGES:
        _measure(page, asked.times, Random(1))


def _measure(page: str, times: int, rng: Random) -> None:
    """Read a page so many times, and once before to have everything loaded."""
    from django.db import connection
    from django.test import Client
    from django.test.utils import CaptureQueriesContext

    from games.models import User

    client = Client(headers={"host": "localhost"})
    client.force_login(User.objects.get(email="player2@example.com"))
    spent, worked, queries = [], [], 0
    for number in range(-1, times):
        path = page.format(other=rng.randint(2, 10))
        with CaptureQueriesContext(connection) as captured:
            begun, work = perf_counter(), process_time()
            response = client.get(path)
            taken, work = perf_counter() - begun, process_time() - work
        if response.status_code != 200:
            raise SystemExit(f"{path} answered {response.status_code}")
        if number >= 0:
            spent.append(1000 * taken)
            worked.append(1000 * work)
            queries = max(queries, len(captured))
    figures = f"{median(spent):6.0f} ms {max(spent):6.0f} ms {median(worked):6.0f} ms"
    print(f"{page:44} {figures} {queries:7}")


if __name__ == "__main__":
    main()
