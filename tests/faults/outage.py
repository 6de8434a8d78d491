"""kill -9 of a server in a timed game and in a round that waits for its players: who pays for it?

``python -m tests.faults.outage`` lets four people play with ten seconds a turn, and calls eight to
the first round of an event whose wait is about to end. It kills the server, leaves it away for
longer than either lasts, starts it again on the same data and opens all sockets. It ends with an
error if anybody's seat was given to a house player, a match was forfeited, or the player in turn
cannot act.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import time
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from tests.load.people import Seated, cookie_of, seat_people
from tests.served import HOST, Server, use_django
from tests.wire import Wire, answer_in, open_table

if TYPE_CHECKING:
    from tournaments.models import Event

TURN = 10  # seconds
LEFT = 8  # seconds until the wait of the round ends, when the server is killed
SETTLED = 4  # seconds in which whatever is overdue would be done

#: Seconds to wait for the players of an event to be noticed.
LONGEST = 60


def main() -> None:
    """Play, kill, wait, start again, look."""
    options = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    options.add_argument("--away", type=float, default=TURN + 2, help="seconds")
    asked = options.parse_args()
    server = Server().start()
    use_django(server.data)
    try:
        (table,) = seat_people(1)
        event = call_players()
        let_clocks_run(table, event)
        server.kill()
        killed = time.monotonic()
        time.sleep(asked.away)
        server.start()
        away = time.monotonic() - killed
        asyncio.run(come_back(server, table, event))
    finally:
        server.stop()
    print(f"away for {away:.1f} s: nobody replaced, nothing forfeited, the player in turn acted")


def call_players() -> Event:
    """An event of eight people who have been called to their tables."""
    from games.models import Player
    from tests.tournaments import build
    from tournaments.models import Event

    now = _now()
    host = Player.objects.create(name="Greta")
    event = build.event(
        created_by=host, rounds=2, no_show_minutes=1, no_show=Event.NoShow.FORFEIT,
        starts=now, registration_opens=now, registration_closes=now,
    )  # fmt: skip
    build.enter(event, 8)
    build.begin(event, now)
    return event


def let_clocks_run(table: Seated, event: Event) -> None:
    """Let the turn begin now, and the wait of the round end in a few seconds."""
    from games.models import Game, Table

    now = _now()
    Table.objects.filter(pk=table.table_id).update(turn_seconds=TURN)
    Game.objects.filter(table=table.table_id).update(moved=now, due=now + timedelta(seconds=TURN))
    event.played_rounds.update(called=now - timedelta(seconds=60 - LEFT))


async def come_back(server: Server, table: Seated, event: Event) -> None:
    """Open everybody's sockets at once; end with an error if somebody has paid."""
    answers: asyncio.Queue[dict[str, str]] = asyncio.Queue()

    def on_frame(frame: bytes) -> None:
        if answer := answer_in(frame):
            answers.put_nowait(answer)

    async def sit(table_id: int, cookie: str) -> Wire:
        return await open_table(HOST, server.port, table_id, cookie, on_frame)

    wires = [await sit(table.table_id, cookie) for cookie in table.cookies]
    for table_id, cookie in await asyncio.to_thread(called, event):
        await sit(table_id, cookie)
    await asyncio.sleep(SETTLED)
    await asyncio.to_thread(all_play, event)
    await asyncio.to_thread(check, event)
    stamp = f"1.{table.engine.version}"
    seat, text = table.mover()
    wires[seat].send(json.dumps({"action": text, "version": stamp, "key": "back"}).encode())
    answer = await asyncio.wait_for(answers.get(), 10)
    if answer["kind"] != "done":
        sys.exit(f"the player in turn could not act: {answer}")


def called(event: Event) -> list[tuple[int, str]]:
    """The table and the session of everybody called to one."""
    from games.models import Seat

    seats = Seat.objects.filter(table__pairing__round__event=event)
    found = seats.values_list("table_id", "player_id")
    return [(table, cookie_of(player)) for table, player in found if player is not None]


def all_play(event: Event) -> None:
    """Wait until everybody who has come is noticed, as long as it takes a busy machine."""
    from tournaments.models import Pairing

    until = time.monotonic() + LONGEST
    matches = Pairing.objects.filter(round__event=event, state=Pairing.State.CALLED)
    while matches.exists() and time.monotonic() < until:
        time.sleep(0.5)


def check(event: Event) -> None:
    """End with an error if a seat was given away or a match forfeited, or one has not begun."""
    from django.db import connection

    from games.models import Seat
    from tournaments.models import Pairing

    connection.close()
    replaced = list(Seat.objects.filter(stand_in=True).values_list("table", "position"))
    if replaced:
        sys.exit(f"house players play for somebody: {replaced}")
    states = Pairing.objects.filter(round__event=event).values_list("state", "how")
    if set(states) != {(Pairing.State.PLAYING.value, "")}:
        sys.exit(f"not every match is being played: {list(states)}")


def _now() -> datetime:
    from django.utils import timezone

    return timezone.now()


if __name__ == "__main__":
    main()
