"""News between two web processes is lost on its way: does what they show part, and for how long?

``python -m tests.faults.news --tables 20 --seconds 60`` lets people play at tables whose sockets
are spread over two web processes that hear only some of each other's news (the loss is made in
these processes by ``tests.faults.wrapped``): all of it, four fifths, and nothing. It prints how
long after an action was answered the last of the four was shown it, and ends with an error if
somebody was never shown what is stored, an acknowledged action is lost or doubled, or the p99 is
above ``--stale`` seconds.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
from collections.abc import Sequence

from tests.faults.people import Company, Crowd, asking_postgres, seconds
from tests.faults.servers import Postgres, Stack, open_folder, use_django
from tests.load.people import Seated, seat_people
from tests.served import free_port

#: Shares of the news that are not heard.
SHARES = (0.0, 0.2, 1.0)


def options() -> argparse.Namespace:
    """What was asked for."""
    known = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    known.add_argument("--tables", type=int, default=20)
    known.add_argument("--seconds", type=float, default=60, help="of play at each share of loss")
    known.add_argument("--pace", type=float, default=2, help="seconds between a table's actions")
    known.add_argument("--stale", type=float, default=2, help="seconds the p99 may have")
    return known.parse_args()


def main() -> None:
    """Play with less and less news."""
    asked = options()
    wrong = []
    with open_folder() as folder, open_folder() as of_postgres:
        stack = Stack(
            folder, Postgres(of_postgres, free_port()), wrapper="tests.faults.wrapped",
            NEXT_DEAL_PAUSE="3600",
        )  # fmt: skip
        try:
            stack.start_servers()
            use_django(stack)
            for share in SHARES:
                for web in stack.webs:
                    web.env["FAULTS_DEAF"] = str(share)
                stack.start_webs()
                wrong += asyncio.run(play(stack, seat_people(asked.tables), share, asked))
                for web in stack.webs:
                    web.stop()
        finally:
            stack.stop()
    if wrong:
        sys.exit("; ".join(wrong))


async def play(
    stack: Stack, seated: Sequence[Seated], share: float, asked: argparse.Namespace
) -> list[str]:
    """Play for a while; print, and return what is wrong."""
    ports = [web.port for web in stack.webs]
    crowd = Crowd(seated, ports, asking_postgres(stack.postgres.url), asked.pace)
    await crowd.come()
    await asyncio.sleep(asked.seconds)
    await crowd.all_right()
    counted = await asyncio.to_thread(crowd.count)
    late = [delay for company in crowd.companies for delay in staleness(company)]
    await crowd.go()
    p99 = sorted(late)[int(len(late) * 0.99)]
    print(f"{share:.0%} of the news lost: {counted}; the last of four is shown it {seconds(late)}")
    wrong = [f"at {share:.0%}: {counted}"] if counted.faults else []
    return wrong + ([f"at {share:.0%}: p99 {p99:.1f} s"] if p99 > asked.stale else [])


def staleness(company: Company) -> list[float]:
    """Seconds from each answer to the last of the four being shown that version or a later one."""
    late = []
    for number, done in company.done_at.items():
        shown = [tab.first_shown(number) for tab in company.tabs]
        seen = [at for at in shown if at is not None]
        if len(seen) == len(shown):
            late.append(max(0.0, max(seen) - done))
    return late


if __name__ == "__main__":
    main()
