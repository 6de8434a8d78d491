"""kill -9 of every part of a site at random, while people play and an event goes on.

``python -m tests.faults.kills --each 50 --tables 50`` starts two web processes, a worker, a
schedule, a Redis and a PostgreSQL of its own. Each is killed so often, and both web processes at
once, which is an outage. People play at the tables by sockets and say again,
under the same key, what nobody has answered; every other table has a clock for turns. Meanwhile
events of house players, with members who do not come, are played round by round; members get
letters, a club's webhook leads to a receiver here, and events of other days are rated. It ends with
an error if an acknowledged action is lost or doubled, a house player has acted for anybody, a round
is drawn twice, or a rating, a letter or a message is there twice. It prints how soon all were shown
what is stored and every table went on: since the kill while one web process is left and the
database is there, else since the part is back. What a worker was just sending when it was killed is
sent again under the same name (Message-ID, webhook-id), which is told apart.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import re
import sys
import time
from collections import Counter
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path
from typing import NamedTuple

import psycopg

from tests.faults.people import Counted, Crowd, Right, asking_postgres, seconds
from tests.faults.servers import Postgres, Process, Stack, open_folder, use_django
from tests.receiver import Receiver, receiving
from tests.served import Server, free_port

#: Seconds within which what was being sent at a kill is sent again, and events have ended that
#: outages have put off.
SETTLED = 300
#: Members who do not come, house players, and rounds of each event.
MEMBERS, HOUSE, ROUNDS = 2, 6, 3

#: What must not be there, as questions to the database.
WRONG = {
    "rounds drawn twice": "SELECT count(*) FROM (SELECT event_id, number FROM tournaments_round "
    "GROUP BY event_id, number HAVING count(*) > 1) twice",
    "entries drawn twice in a round": "SELECT count(*) FROM (SELECT round_id, entry_id FROM "
    "tournaments_pairingentry GROUP BY round_id, entry_id HAVING count(*) > 1) twice",
    "rounds too many": "SELECT count(*) FROM tournaments_round r JOIN tournaments_event e "
    "ON e.id = r.event_id WHERE r.number > e.rounds AND e.rounds > 0",
    "ratings doubled": "SELECT count(*) FROM tournaments_rating r WHERE r.games <> (SELECT count(*)"
    " FROM tournaments_ratingchange c WHERE c.pool_id = r.pool_id AND c.player_id = r.player_id)",
    "letters doubled": "SELECT count(*) FROM (SELECT user_id, subject, text FROM "
    "tournaments_letter GROUP BY user_id, subject, text HAVING count(*) > 1) twice",
    "events in trouble": "SELECT count(*) FROM tournaments_event WHERE trouble <> ''",
}
#: What is still to come.
COMING = """
SELECT (SELECT count(*) FROM tournaments_event
        WHERE state IN ('ready', 'running', 'registration') OR to_rate)
     + (SELECT count(*) FROM tournaments_letter WHERE sent IS NULL AND due IS NOT NULL)
     + (SELECT count(*) FROM tournaments_delivery WHERE arrived IS NULL AND due IS NOT NULL)
"""


#: Parts without which nobody can play.
NEEDED = ("both webs", "PostgreSQL")


class Kill(NamedTuple):
    """One kill: of which part, when (Unix time), how long it was away, how soon all was right."""

    part: str
    at: float
    away: float
    right: Right


def options() -> argparse.Namespace:
    """What was asked for."""
    known = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    known.add_argument("--each", type=int, default=50, help="kills of each part")
    known.add_argument("--tables", type=int, default=50)
    known.add_argument("--pace", type=float, default=1, help="seconds between a table's actions")
    known.add_argument("--events", type=int, default=4)
    known.add_argument("--each-told", action="store_true", help="print a line for each kill")
    known.add_argument("--turn", type=int, default=10, help="seconds at every other table")
    known.add_argument("--seed", type=int, default=20)
    return known.parse_args()


def main() -> None:
    """Play, kill, count."""
    asked = options()
    with open_folder() as folder, open_folder() as of_postgres, receiving() as receiver:
        stack = Stack(
            folder,
            Postgres(of_postgres, free_port()),
            HOUSE_PAUSE="0.2,0.5",
            TRICK_REST="0.1",
            NEXT_DEAL_PAUSE="3600",  # no hand follows by itself
            WEBHOOKS_TO_PRIVATE="true",
            WEBHOOKS_HTTP_HOSTS="127.0.0.1",
        )
        try:
            stack.start_servers()
            use_django(stack)
            crowd, evenings = prepare(stack, receiver, asked)
            stack.start_webs()
            stack.start_rest()
            kills, counted = asyncio.run(story(stack, crowd, evenings, asked))
            settle(stack)
            wrong = report(stack, crowd, counted, receiver, kills)
        finally:
            stack.stop()
    if wrong:
        sys.exit("; ".join(wrong))


def prepare(stack: Stack, receiver: Receiver, asked: argparse.Namespace) -> tuple[Crowd, list[int]]:
    """Tables of people, events to be played, and events of other days to be rated."""
    from django.db import connections
    from django.utils import timezone

    from games.models import Table
    from games.play.outages import WEB
    from games.sockets import heartbeats
    from tests.factories import member, people
    from tests.load.people import seat_people
    from tests.tournaments import build
    from tournaments.acts import house_players
    from tournaments.models import Event
    from tournaments.webhooks import webhooks

    seated = seat_people(asked.tables)
    timed = [one.table_id for one in seated[::2]]
    Table.objects.filter(pk__in=timed).update(turn_seconds=asked.turn)
    club, now = build.club(), timezone.now()
    heartbeats.beat(WEB, now)  # as at a site that was away since; first turns have begun, too
    webhooks.make(club, receiver.url)
    members = [member(f"Member {number}") for number in range(MEMBERS)]
    for number in range(asked.events):
        starts = now + timedelta(seconds=20 + 40 * number)
        event = build.event(
            club, name=f"Evening {number}", rounds=ROUNDS, match=Event.Match.DEALS, deals=1,
            rated=False, created_by=members[0], no_show=Event.NoShow.STAND_IN, no_show_minutes=0,
            registration_opens=now - timedelta(days=1), registration_closes=starts, starts=starts,
            due=starts, state=Event.State.READY, seed=f"{number:032x}",
        )  # fmt: skip
        build.let_in(event, members)
        house_players.add_house_entries(event, members[0], HOUSE, now)
    evenings = build.evenings(6 * asked.each, people(32), tables=4, rounds=1)
    connections.close_all()
    ports = [web.port for web in stack.webs]
    return Crowd(seated, ports, asking_postgres(stack.postgres.url), asked.pace), evenings


async def story(
    stack: Stack, crowd: Crowd, evenings: Sequence[int], asked: argparse.Namespace
) -> tuple[list[Kill], Counted]:
    """Kill every part so often; return how each kill went, and what became of what people did."""
    chance = random.Random(asked.seed)
    parts: dict[str, list[Server | Process]] = {
        "web": [*stack.webs], "both webs": [*stack.webs], "worker": [stack.worker],
        "schedule": [stack.schedule], "Redis": [stack.redis], "PostgreSQL": [stack.postgres],
    }  # fmt: skip
    order = [name for name in parts for _ in range(asked.each)]
    chance.shuffle(order)
    kills = []
    await crowd.come()
    await crowd.all_right()
    for name, evening in zip(order, evenings, strict=True):
        await asyncio.to_thread(mark, stack, evening)
        await asyncio.sleep(chance.uniform(0.1, 1.5))
        those = parts[name] if name == "both webs" else [chance.choice(parts[name])]
        begun, at = time.monotonic(), time.time()
        for one in those:
            one.kill()
        starting = [asyncio.create_task(asyncio.to_thread(one.start)) for one in those]
        if name in NEEDED:
            await asyncio.wait(starting)
        right = asyncio.create_task(crowd.all_right())
        await asyncio.gather(*starting)
        away = time.monotonic() - begun
        kills.append(Kill(name, at, away, await right))
        if asked.each_told:
            print(kills[-1], flush=True)
    await crowd.all_right()
    counted = await asyncio.to_thread(crowd.count)
    await crowd.go()
    return kills, counted


def mark(stack: Stack, evening: int) -> None:
    """Let an event of another day be rated."""
    with psycopg.connect(stack.postgres.url, autocommit=True) as database:
        database.execute(
            "UPDATE tournaments_event SET to_rate = true, version = version + 1 WHERE id = %s",
            [evening],
        )


def settle(stack: Stack) -> None:
    """Wait until events are over and all is sent and rated, for as long as that may take."""
    ends = time.monotonic() + SETTLED
    while time.monotonic() < ends and _asked(stack, COMING):
        time.sleep(0.5)


def report(
    stack: Stack, crowd: Crowd, counted: Counted, receiver: Receiver, kills: Sequence[Kill]
) -> list[str]:
    """Print what became of it; return what is wrong."""
    for part in dict.fromkeys(one.part for one in kills):
        those = [one for one in kills if one.part == part]
        print(
            f"{part} killed {len(those)} times: away {seconds([one.away for one in those])}; "
            f"all are shown what is stored after {seconds([one.right.seen for one in those])}; "
            f"every table has gone on after {seconds([one.right.acted for one in those])}"
        )
    delays = [delay for company in crowd.companies for delay in company.delays]
    print(f"{counted}; an action to its answer {seconds(delays)}")
    if counted.charged:
        print(f"played by the house {' and '.join(_charged_after(stack, crowd, kills))}")
    found = {name: _asked(stack, query) for name, query in WRONG.items()}
    found["still to come"] = _asked(stack, COMING)
    messages = Counter(one.headers["webhook-id"] for one in receiver.received)
    written = _asked(stack, "SELECT count(*) FROM tournaments_delivery")
    found["webhooks doubled"] = max(0, len(messages) - written)
    mails = Counter(_message_ids(stack.folder / "mail"))
    again = sum(messages.values()) - len(messages), sum(mails.values()) - len(mails)
    played = _asked(stack, "SELECT count(*) FROM tournaments_round r JOIN tournaments_event e "
                           "ON e.id = r.event_id WHERE e.rated = false")  # fmt: skip
    rated = _asked(stack, "SELECT count(DISTINCT pairing_id) FROM tournaments_ratingchange")
    print(
        f"{played} rounds of events, {rated} matches rated, {len(mails)} letters, {len(messages)} "
        f"webhooks; {', '.join(f'{count} {name}' for name, count in found.items())}; sent again "
        f"under the same name after a kill: {again[0]} webhooks, {again[1]} letters"
    )
    wrong = [f"{count} {name}" for name, count in found.items() if count]
    return [*wrong, *([str(counted)] if counted.faults else [])]


def _charged_after(stack: Stack, crowd: Crowd, kills: Sequence[Kill]) -> list[str]:
    """How often a house player acted for somebody after which kills, and how long after them."""
    query = """
        SELECT extract(epoch FROM e.at) FROM games_gameevent e JOIN games_game g ON g.id = e.game_id
        WHERE e.by = 'house' AND g.table_id = ANY(%s)
    """
    with psycopg.connect(stack.postgres.url) as database:
        rows = database.execute(query, [[one.table_id for one in crowd.companies]]).fetchall()
    after: dict[str, list[float]] = {}
    for (moment,) in rows:
        last = max((one for one in kills if one.at < moment), key=lambda one: one.at, default=None)
        part, at = (last.part, last.at) if last else ("none", kills[0].at)
        after.setdefault(part, []).append(float(moment) - at)
    return [f"{len(late)} times after {part}: {seconds(late)}" for part, late in after.items()]


def _asked(stack: Stack, query: str) -> int:
    with psycopg.connect(stack.postgres.url) as database:
        row = database.execute(query.encode()).fetchone()
    return int(row[0]) if row else 0


def _message_ids(folder: Path) -> list[str]:
    texts = [path.read_text() for path in folder.iterdir()] if folder.exists() else []
    return re.findall(r"^Message-ID: (.+)$", "\n".join(texts), re.MULTILINE)


if __name__ == "__main__":
    main()
