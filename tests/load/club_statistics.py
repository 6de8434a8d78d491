"""What a club's statistics cost: ``python -m tests.load.club_statistics --data DIR``.

The folder is one that `tests.load.fill` has filled; ``--players 200 --games 22222`` there makes one
club of 200 members whose events had 20,000 games. Each page is asked for as the club's owner does:
first with nothing kept, then over and over. Printed are milliseconds of the server, and the
queries of both.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable
from statistics import median

from tests.load.fill import use

TIMES = 21


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--data", required=True, help="a folder that tests.load.fill has filled")
    parser.add_argument("--database", help="address of its database; default: the folder's")
    parser.add_argument("--club", default="club-1", help="the club's word in addresses")
    asked = parser.parse_args()
    os.environ["ALLOWED_HOSTS"] = "testserver"
    use(asked.data, asked.database)
    for season in ("all", ""):
        path = f"/clubs/{asked.club}/statistics/?season={season}"
        measure(path, _page_of_owner(asked.club, path))


def measure(path: str, ask: Callable[[], None]) -> None:
    """Print what a page costs at first, and at the median of many times."""
    from django.core.cache import cache

    ask()  # what a process does once
    cache.clear()
    first, queries = _timed(ask)
    again = [_timed(ask) for _ in range(TIMES)]
    print(
        f"{path}: first {first:.0f} ms and {queries} queries,"
        f" then {median(took for took, _ in again):.1f} ms and {again[-1][1]} queries"
    )


def _timed(ask: Callable[[], None]) -> tuple[float, int]:
    from django.db import connection
    from django.test.utils import CaptureQueriesContext

    with CaptureQueriesContext(connection) as queries:
        begun = time.perf_counter()
        ask()
        return 1000 * (time.perf_counter() - begun), len(queries)


def _page_of_owner(club: str, path: str) -> Callable[[], None]:
    from tests.factories import logged_in
    from tournaments.models import Membership

    owner = Membership.objects.get(club__slug=club, role=Membership.Role.OWNER).player
    browser = logged_in(owner)

    def ask() -> None:
        answer = browser.get(path)
        assert answer.status_code == 200, answer.status_code

    return ask


if __name__ == "__main__":
    main()
