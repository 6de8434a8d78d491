"""What do players notice while others send nonsense, and open sockets without end?

``python -m tests.load.hostile`` starts the one-command server with its own limits, lets tables
play, and measures them: first alone, then beside a process that sends malformed frames of more
than thirty kinds, each over a socket of its own, and opens hostile sockets from one address: such
as stay silent, never read, send without pause, never finish their request, or come back as soon as
they are refused. It prints what became of both, how many tracebacks the server has logged, and how
soon players saw each other's actions. It ends with an error if a traceback was logged, a table
lost, or more let in than the limit.
"""

from __future__ import annotations

import argparse
import asyncio
import base64
import itertools
import multiprocessing
import os
import resource
import statistics
import sys
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import suppress
from typing import Final, NamedTuple

from tests.load.driver import Driver, open_all
from tests.load.people import Seated, seat_people
from tests.served import HOST, Server, use_django

#: Opcodes of RFC 6455, 5.2.
CONTINUED, TEXT, BINARY, CLOSE, PING, PONG = 0, 1, 2, 8, 9, 10
#: Frames under way at the same time, and hostile sockets that are opened at the same time.
AT_ONCE: Final = 40
#: Seconds after which nobody waits for what became of a frame.
PATIENCE: Final = 5.0
#: How often a socket that was refused comes back.
RETURNS: Final = 3
#: Sockets that the server lets in from one address.
MAX_PER_ADDRESS: Final = 200
#: The address from which all hostile sockets come, as the proxy says; frames come from others.
ADDRESS: Final = "203.0.113.66"


def frame(
    opcode: int,
    payload: bytes = b"",
    *,
    fin: bool = True,
    reserved: int = 0,
    masked: bool = True,
    length: bytes | None = None,
) -> bytes:
    """A frame as a client sends it; what it says of itself may be wrong.

    reserved: the bits RSV1 to RSV3. length: as it is told, if not as it is; its first byte is less
    than 128.
    """
    size = len(payload)
    if length is None:
        length = bytes((size,)) if size < 126 else b"\x7e" + size.to_bytes(2, "big")
    first = (0x80 if fin else 0) | reserved << 4 | opcode
    head = bytes((first, length[0] | (0x80 if masked else 0))) + length[1:]
    return head + (b"\0\0\0\0" if masked else b"") + payload


def text(message: str) -> bytes:
    """A well-made frame of a text that may be none."""
    return frame(TEXT, message.encode())


#: The kinds of malformed frames: of the protocol, and of what is said by it.
KINDS: Final[Mapping[str, bytes]] = {
    "not masked": frame(TEXT, b"{}", masked=False),
    "first reserved bit": frame(TEXT, b"{}", reserved=4),
    "other reserved bits": frame(TEXT, b"{}", reserved=3),
    "unknown opcode": frame(3, b"{}"),
    "unknown control opcode": frame(11),
    "ping in parts": frame(PING, b"x", fin=False),
    "ping too long": frame(PING, b"x" * 126),
    "goes on with nothing": frame(CONTINUED, b"{}"),
    "begins anew before the end": frame(TEXT, b"{", fin=False) + frame(TEXT, b"{}"),
    "longer than can be": frame(TEXT, b"x", length=b"\x7f" + b"\xff" * 8),
    "two to the power of 62 bytes": frame(TEXT, b"x", length=b"\x7f\x3f" + b"\xff" * 7),
    "much is promised": frame(TEXT, b"x", length=b"\x7e\x1f\xff"),
    "more than 8 KiB": frame(TEXT, b"x" * 9000),
    "more than 8 KiB in parts": frame(TEXT, b"x" * 8000, fin=False) + frame(CONTINUED, b"x" * 8000),
    "length in too many bytes": frame(TEXT, b"{}", length=b"\x7e\x00\x02"),
    "a thousand parts": frame(TEXT, b"[", fin=False) + frame(CONTINUED, b"[", fin=False) * 1000,
    "no UTF-8": frame(TEXT, b"\xff\xfe{}"),
    "no UTF-8 over two parts": frame(TEXT, b"\xc3", fin=False) + frame(CONTINUED, b"{"),
    "close of one byte": frame(CLOSE, b"\x03"),
    "close with no code": frame(CLOSE, (999).to_bytes(2, "big")),
    "close for no reason in UTF-8": frame(CLOSE, (1000).to_bytes(2, "big") + b"\xff"),
    "half a head": b"\x81",
    "a request": b"GET / HTTP/1.1\r\nHost: x\r\n\r\n",
    "bytes": frame(BINARY, b"\x00\xff" * 20),
    "empty": text(""),
    "no JSON": text("{action: pass}"),
    "no object": text('["action", NaN, -Infinity]'),
    "nested": text('{"a":' * 1600),
    "a number of 8,000 figures": text('{"version": ' + "9" * 8000 + "}"),
    "half characters": text('{"action": "\\ud800", "version": "\\udfff", "key": "\\ud800"}'),
    "zeros": text('{"action": "pass\\u0000", "version": "1.0\\u0000", "key": "\\u0000"}'),
    "other types": text('{"action": {"a": []}, "version": 1e999, "key": true, "have": []}'),
    "a foolish picture": text('{"have": "' + "9." * 3000 + '"}'),
    "no shuffle": text('{"shuffle": "x", "number": -1, "commitment": {}}'),
    "an envelope in an envelope": text('{"body": {"body": {"action": "pass"}}, "headers": 3}'),
    "the same twice": text('{"ping": 1, "ping": {}, "have": null, "beat": [], "quick": 0}'),
}  # fmt: skip


class Target(NamedTuple):
    """What is attacked.

    Attributes:
        port: of the server.
        table_id: a table that everybody may watch.
        cookies: of the attackers who sit there.
    """

    port: int
    table_id: int
    cookies: Sequence[str]


class Attack(NamedTuple):
    """What became of an attack.

    Attributes:
        frames: how malformed frames were answered: by a frame, a close, or nothing.
        sockets: close codes of hostile sockets, or what else became of them; and how many.
    """

    frames: Counter[str]
    sockets: Counter[str]


class Line(NamedTuple):
    """A connection to the server."""

    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter

    async def next(self) -> tuple[int, bytes] | None:
        """The next frame's opcode and payload; None where the line has ended."""
        try:
            head = await self.reader.readexactly(2)
            size = head[1] & 127
            if size > 125:
                size = int.from_bytes(await self.reader.readexactly(2 if size == 126 else 8), "big")
            return head[0] & 15, await self.reader.readexactly(size)
        except (OSError, asyncio.IncompleteReadError):
            return None

    def end(self) -> None:
        """Hang up."""
        self.writer.transport.abort()


async def dial(target: Target, address: str, cookie: str = "") -> Line:
    """Open a socket at the table as a proxy does for a visitor from an address.

    Raises:
        OSError, asyncio.IncompleteReadError: it was not opened.
    """
    reader, writer = await asyncio.open_connection(HOST, target.port)
    key = base64.b64encode(os.urandom(16)).decode()
    writer.write(
        f"GET /ws/tables/{target.table_id}/ HTTP/1.1\r\nHost: {HOST}:{target.port}\r\n"
        f"Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: {key}\r\n"
        f"Sec-WebSocket-Version: 13\r\nX-Forwarded-For: {address}\r\n"
        f"Cookie: {cookie or 'x=y'}\r\n\r\n".encode()
    )
    await reader.readuntil(b"\r\n\r\n")
    return Line(reader, writer)


# Malformed frames ----------------------------------------------------------------------------


async def send_malformed(target: Target, count: int) -> Counter[str]:
    """Send so many frames of all kinds in turn, each over a socket of its own."""
    told: Counter[str] = Counter()
    kinds = itertools.islice(itertools.cycle(KINDS.values()), count)
    numbered = enumerate(kinds)

    async def send() -> None:
        for number, kind in numbered:
            cookie = target.cookies[number // 2 % len(target.cookies)] if number % 2 else ""
            told[await _send_one(target, kind, f"198.51.100.{number % 250}", cookie)] += 1

    await asyncio.gather(*(send() for _ in range(AT_ONCE)))
    return told


async def _send_one(target: Target, kind: bytes, address: str, cookie: str) -> str:
    try:
        line = await dial(target, address, cookie)
    except (OSError, asyncio.IncompleteReadError):
        return "not let in"
    line.writer.write(kind + frame(PING, b"still there?"))
    try:
        async with asyncio.timeout(PATIENCE):
            while (heard := await line.next()) is not None:
                if heard[0] in {TEXT, PONG}:
                    return "answered"
                if heard[0] == CLOSE:
                    return "closed"
            return "closed"
    except TimeoutError:
        return "waited for the rest"
    finally:
        line.end()


# Hostile sockets -----------------------------------------------------------------------------


async def open_hostile(target: Target, count: int, over: float) -> Counter[str]:
    """Open so many hostile sockets of all manners in turn, and keep them for ``over`` seconds."""
    told: Counter[str] = Counter()
    manners: Sequence[Callable[[Target, float], Awaitable[str]]] = (
        _stay_silent, _never_read, _never_pause, _never_finish, _come_back,
    )  # fmt: skip
    ends = time.monotonic() + over
    opening = asyncio.Semaphore(AT_ONCE)

    async def one(manner: Callable[[Target, float], Awaitable[str]]) -> None:
        async with opening:
            await asyncio.sleep(0.005)
        told[await manner(target, ends)] += 1

    async with asyncio.TaskGroup() as tasks:
        for manner in itertools.islice(itertools.cycle(manners), count):
            tasks.create_task(one(manner))
    return told


async def _until_closed(line: Line, ends: float) -> str:
    """What becomes of a socket until the end: why it was closed, or that it is still open."""
    try:
        async with asyncio.timeout(max(0.1, ends - time.monotonic())):
            while (heard := await line.next()) is not None:
                if heard[0] == CLOSE:
                    code, why = int.from_bytes(heard[1][:2], "big"), heard[1][2:].decode()
                    return f"closed with {code} {why}".rstrip()
            return "cut off"
    except TimeoutError:
        return "let in"
    finally:
        line.end()


async def _dialled(target: Target) -> Line | None:
    with suppress(OSError, asyncio.IncompleteReadError):
        return await dial(target, ADDRESS)
    return None


async def _stay_silent(target: Target, ends: float) -> str:
    line = await _dialled(target)
    return await _until_closed(line, ends) if line else "not let in"


async def _never_read(target: Target, ends: float) -> str:
    """Ask for the whole picture again and again, and take nothing."""
    line = await _dialled(target)
    if line is None:
        return "not let in"
    with suppress(OSError):
        for _ in range(30):
            line.writer.write(text('{"have": ""}'))
    await asyncio.sleep(max(0.1, ends - time.monotonic()) / 2)
    return await _until_closed(line, ends)


async def _never_pause(target: Target, ends: float) -> str:
    """Send what costs most, without pause."""
    line = await _dialled(target)
    if line is None:
        return "not let in"
    with suppress(OSError):
        for _ in range(400):
            line.writer.write(text('{"have": "x.1"}'))
    return await _until_closed(line, ends)


async def _never_finish(target: Target, ends: float) -> str:
    """Begin a request, and never end it."""
    try:
        reader, writer = await asyncio.open_connection(HOST, target.port)
    except OSError:
        return "not let in"
    writer.write(b"GET /ws/tables/1/ HTTP/1.1\r\nHost: x\r\nX-A: ")
    with suppress(TimeoutError, OSError):
        await asyncio.wait_for(reader.read(1), max(0.1, ends - time.monotonic()))
    writer.transport.abort()
    return "request never finished"


async def _come_back(target: Target, ends: float) -> str:
    """Come back at once when refused."""
    told = "not let in"
    for _ in range(RETURNS):
        told = await _stay_silent(target, ends)
        if told == "let in":
            break
    return told


def attack(target: Target, frames: int, sockets: int, seconds: float) -> Attack:
    """Do all of it, for about so many seconds; in a process of its own."""

    async def both() -> Attack:
        open_ones = asyncio.create_task(open_hostile(target, sockets, seconds))
        told = await send_malformed(target, frames)
        return Attack(told, await open_ones)

    return asyncio.run(both())


# Playing -------------------------------------------------------------------------------------


async def measured(
    drivers: Sequence[Driver], pace: float, until: Awaitable[object]
) -> Sequence[float]:
    """Let all tables play until something is done; return milliseconds to the last picture."""
    over = asyncio.Event()

    async def play(driver: Driver) -> None:
        while not over.is_set() and not driver.lost:
            await driver.play(time.perf_counter() + pace, pace)

    for driver in drivers:
        driver.delays.clear()
    playing = asyncio.gather(*map(play, drivers))
    await until
    over.set()
    await playing
    return sorted(1000 * one for driver in drivers for one in driver.delays)


def told_of(delays: Sequence[float]) -> str:
    """Figures of how soon actions were seen."""
    p99 = delays[int(len(delays) * 0.99)]
    return f"{len(delays)} actions, p50 {statistics.median(delays):.1f} ms, p99 {p99:.1f} ms"


def options() -> argparse.Namespace:
    """What was asked for."""
    known = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    known.add_argument("--tables", type=int, default=100, help="that play meanwhile")
    known.add_argument("--pace", type=float, default=2, help="seconds between a table's actions")
    known.add_argument("--frames", type=int, default=10_000, help="malformed ones")
    known.add_argument("--sockets", type=int, default=2_000, help="hostile ones")
    known.add_argument("--seconds", type=float, default=40, help="for which these stay")
    known.add_argument("--quiet", type=float, default=10, help="seconds of play before")
    return known.parse_args()


async def run(
    asked: argparse.Namespace, server: Server, seated: Sequence[Seated]
) -> tuple[Attack, int]:
    """Measure and print; return what became of the attack, and how many tables were lost."""
    *tables, theirs = seated
    target = Target(server.port, theirs.table_id, theirs.cookies)
    drivers, _ = await open_all(
        [server], [(one.table_id, one.cookies, one.mover) for one in tables]
    )
    quiet = await measured(drivers, asked.pace, asyncio.sleep(asked.quiet))
    print(f"{asked.tables} tables alone: {told_of(quiet)}", flush=True)
    cpu, begun = server.cpu, time.perf_counter()
    loop = asyncio.get_running_loop()
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
        attacking = loop.run_in_executor(
            pool, attack, target, asked.frames, asked.sockets, asked.seconds
        )
        beside = await measured(drivers, asked.pace, attacking)
    attacked = await attacking
    seconds = time.perf_counter() - begun
    print(f"{asked.frames} malformed frames of {len(KINDS)} kinds: {dict(attacked.frames)}")
    print(f"{asked.sockets} hostile sockets: {dict(attacked.sockets)}")
    print(
        f"{asked.tables} tables beside them: {told_of(beside)}; {seconds:.0f} s, "
        f"{(server.cpu - cpu) / seconds:.2f} cores, {server.memory:.0f} MB"
    )
    return attacked, sum(driver.lost for driver in drivers)


def main() -> None:
    """Attack, print, and end with an error if it was noticed where it must not be."""
    asked = options()
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))  # the server takes that over
    limit = {"SOCKETS_PER_ADDRESS": str(max(MAX_PER_ADDRESS, 4 * asked.tables + 4))}
    server = Server(None, 0, None, TRUSTED_PROXIES="1", **limit).start()
    use_django(server.data)
    try:
        seated = seat_people(asked.tables + 1)
        attacked, lost = asyncio.run(run(asked, server, seated))
        alive = server.alive
    finally:
        server.stop()
    logged = (server.data / "server.log").read_text(errors="replace")
    tracebacks = logged.count("Traceback (most recent call last)")
    let_in = attacked.sockets["let in"]
    print(
        f"{tracebacks} tracebacks in the log, {lost} tables lost, {let_in} hostile sockets let in"
    )
    too_many = let_in > int(limit["SOCKETS_PER_ADDRESS"])
    if tracebacks or lost or too_many or not alive:
        sys.exit(f"It was noticed: see {server.data / 'server.log'}")


if __name__ == "__main__":
    main()
