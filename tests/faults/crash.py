"""kill -9 at random moments of a running game: is anything acknowledged lost or doubled?

``python -m tests.faults.crash --kills 30`` plays a game over real sockets as fast as it goes, kills
the server at a random moment, compares what was acknowledged with what is stored, starts the
server again on the same data and plays on from there. It ends with an error if an acknowledged
action is missing or stored twice, if what is stored cannot be replayed, or if more was stored
than was sent; it prints the counts and how soon the table was there again.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import sys
import time

from tests.load.people import Seated, mover_of, seat_people
from tests.served import HOST, Server, use_django
from tests.wire import Wire, answer_in, open_table

Stored = list[tuple[int, str, str]]


class Player:
    """Plays a table from all four seats, one action after the other's answer."""

    def __init__(self, table: Seated) -> None:
        self.table = table
        self.acknowledged: dict[str, int] = {}
        self.sent = 0
        self.wires: list[Wire] = []
        self.answered = asyncio.Event()

    def on_frame(self, frame: bytes) -> None:
        """Note an acknowledged action and its number."""
        if answer := answer_in(frame):
            if answer["kind"] != "done":
                raise SystemExit(f"refused: {answer}")
            self.acknowledged[answer["key"]] = int(answer["version"].split(".")[1])
            self.answered.set()

    async def connect(self, port: int) -> None:
        """Open the sockets of all four."""
        self.answered = asyncio.Event()
        self.wires = [
            await open_table(HOST, port, self.table.table_id, cookie, self.on_frame)
            for cookie in self.table.cookies
        ]

    async def play(self, server: Server, seconds: float, chance: random.Random) -> None:
        """Play until the server is killed, after so many seconds."""
        move = mover_of(self.table.engine, chance)
        asyncio.get_running_loop().call_later(seconds, self._kill, server)
        while server.alive:
            stamp = f"1.{self.table.engine.version}"
            seat, text = move()
            self.sent += 1
            key = f"key-{self.sent}"
            self.answered.clear()
            message = {"action": text, "version": stamp, "key": key}
            self.wires[seat].send(json.dumps(message).encode())
            await self.answered.wait()

    def _kill(self, server: Server) -> None:
        server.kill()
        self.answered.set()


def stored(table: Seated) -> Stored:
    """What the database holds of the table's game: number, key, action."""
    from django.db import connection

    from games.models import GameEvent

    connection.close()
    events = GameEvent.objects.filter(game__table=table.table_id).order_by("seq")
    return [(one.seq, one.client_key or "", one.action) for one in events]


def check(player: Player, events: Stored) -> None:
    """End with an error unless the database holds what was acknowledged, each once."""
    numbers = {key: seq for seq, key, _ in events}
    missing = [key for key, seq in player.acknowledged.items() if numbers.get(key) != seq]
    if missing:
        sys.exit(f"acknowledged but not stored as acknowledged: {missing}")
    if [seq for seq, _, _ in events] != list(range(1, len(events) + 1)):
        sys.exit("the numbers of the stored events have a gap or a double")
    if len(numbers) != len(events) or len(events) > player.sent:
        sys.exit("more is stored than was sent")


def go_on_from(table: Seated, events: Stored) -> None:
    """Bring the driver's own game to what is stored; a game that cannot be replayed raises."""
    from games.engine.actions import parse_action

    while table.engine.version:
        table.engine.pop()
    for _, _, action in events:
        table.engine.push(parse_action(action))


async def story(server: Server, table: Seated, kills: int, seed: int) -> None:
    """Play and kill, again and again."""
    chance = random.Random(seed)
    player, back = Player(table), []
    for _ in range(kills):
        begun = time.perf_counter()
        await player.connect(server.port)
        back.append(time.perf_counter() - begun)
        await player.play(server, chance.uniform(0.01, 0.6), chance)
        events = await asyncio.to_thread(stored, table)
        check(player, events)
        go_on_from(table, events)
        await asyncio.to_thread(server.start)
    lost_answers = len(await asyncio.to_thread(stored, table)) - len(player.acknowledged)
    print(
        f"{kills} kills: {player.sent} actions sent, {len(player.acknowledged)} acknowledged, "
        f"0 of them lost, 0 doubled; {lost_answers} stored whose answer the kill cut off; "
        f"all four sockets open again {1000 * max(back):.0f} ms after the server at the latest"
    )


def main() -> None:
    """Read the options, play, kill, compare."""
    options = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    options.add_argument("--kills", type=int, default=30)
    options.add_argument("--seed", type=int, default=20)
    asked = options.parse_args()
    # No hand follows by itself, though the server may be away for longer than people wait for it.
    server = Server(SOCKET_BURST="100000", SOCKET_RATE="100000", NEXT_DEAL_PAUSE="3600").start()
    use_django(server.data)
    (table,) = seat_people(1)
    try:
        asyncio.run(story(server, table, asked.kills, asked.seed))
    finally:
        server.stop()


if __name__ == "__main__":
    main()
