"""A browser's end of a WebSocket with next to nothing in it, so that the server is measured.

It masks with zeros, reads frame heads only, answers pings, and finds the version in a
picture's text.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Callable

TEXT, PING, PONG = 1, 9, 10
VERSION = re.compile(rb'"version":"(\d+\.\d+)"')


def answer_in(frame: bytes) -> dict[str, str] | None:
    """Return the key, kind and version of the answer in a frame; None if it brings none.

    The picture that shows an action says itself, to whoever asked for it, that it is done.
    """
    if not frame.startswith(b'{"answer"') and b'"done":' not in frame:
        return None
    said = json.loads(frame)
    if "answer" in said:
        return {**said["answer"], "version": said["version"]}
    if "done" not in said:  # but in a value
        return None
    return {"key": said["done"], "kind": "done", "version": said["version"]}


class Wire(asyncio.Protocol):
    """One socket.

    Args:
        request: the HTTP request that opens it.
        on_frame: called with every text frame.
    """

    def __init__(self, request: bytes, on_frame: Callable[[bytes], None]) -> None:
        self.request = request
        self.on_frame = on_frame
        self.opened: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.buffer = bytearray()
        self.transport: asyncio.Transport | None = None
        self.closed = asyncio.Event()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Ask for the socket."""
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport
        transport.write(self.request)

    def connection_lost(self, exc: Exception | None) -> None:
        """Say that it is closed; and if it never opened, that too."""
        self.closed.set()
        if not self.opened.done():
            self.opened.set_exception(ConnectionError("closed before it was open"))

    def data_received(self, data: bytes) -> None:
        """Take the answer to the request, then frames."""
        self.buffer += data
        if not self.opened.done():
            end = self.buffer.find(b"\r\n\r\n")
            if end < 0:
                return
            head = bytes(self.buffer[:end])
            del self.buffer[: end + 4]
            if b" 101 " not in head.split(b"\r\n", 1)[0]:
                self.opened.set_exception(ConnectionError(head[:200].decode()))
                return
            self.opened.set_result(None)
        while (frame := self._next()) is not None:
            self.on_frame(frame)

    def _next(self) -> bytes | None:
        """The next whole text frame; others are passed over."""
        buffer = self.buffer
        while len(buffer) >= 2:
            length, start = buffer[1] & 127, 2
            if length == 126:
                length, start = int.from_bytes(buffer[2:4], "big"), 4
            elif length == 127:
                length, start = int.from_bytes(buffer[2:10], "big"), 10
            if len(buffer) < start + length:
                return None
            opcode, frame = buffer[0] & 15, bytes(buffer[start : start + length])
            del buffer[: start + length]
            if opcode == TEXT:
                return frame
            if opcode == PING:
                self._write(PONG, frame)
        return None

    def send(self, text: bytes) -> None:
        """Send one text frame of less than 64 KiB."""
        self._write(TEXT, text)

    def _write(self, opcode: int, data: bytes) -> None:
        assert self.transport is not None
        size = len(data)
        length = bytes((0x80 | size,)) if size < 126 else b"\xfe" + size.to_bytes(2, "big")
        self.transport.write(bytes((0x80 | opcode,)) + length + b"\0\0\0\0" + data)


async def open_table(
    host: str, port: int, table_id: int, cookie: str, on_frame: Callable[[bytes], None]
) -> Wire:
    """Open a table's socket, and say that its page shows nothing yet."""
    wire = await open_wire(host, port, f"/ws/tables/{table_id}/", cookie, on_frame)
    wire.send(b'{"have":""}')
    return wire


async def open_wire(
    host: str, port: int, path: str, cookie: str, on_frame: Callable[[bytes], None]
) -> Wire:
    """Open a socket.

    Raises:
        ConnectionError: the server did not accept it.
    """
    request = (
        f"GET {path} HTTP/1.1\r\nHost: {host}:{port}\r\nUpgrade: websocket\r\n"
        "Connection: Upgrade\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
        f"Sec-WebSocket-Version: 13\r\nOrigin: http://{host}:{port}\r\nCookie: {cookie}\r\n\r\n"
    )
    loop = asyncio.get_running_loop()
    _, wire = await loop.create_connection(lambda: Wire(request.encode(), on_frame), host, port)
    await wire.opened
    return wire
