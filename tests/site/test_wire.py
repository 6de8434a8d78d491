"""The server's WebSocket protocol: texts written at once are what ASGI would have sent.

It relies on some of uvicorn's attributes: these tests fail when they are no longer there.
"""

from __future__ import annotations

import asyncio
from typing import Any, NamedTuple

import pytest
from uvicorn.config import Config
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from uvicorn.server import ServerState
from websockets.client import ClientProtocol
from websockets.extensions.permessage_deflate import ClientPerMessageDeflateFactory
from websockets.frames import Frame
from websockets.uri import parse_uri

from euchre_site.run.wire import FramingProtocol
from games.sockets.wire import Wire, wire_of


class Line(asyncio.Transport):
    """A connection that keeps what is written until it is taken."""

    def __init__(self) -> None:
        super().__init__()
        self.written = b""
        self.closing = False

    def write(self, data: Any) -> None:
        self.written += bytes(data)

    def taken(self) -> bytes:
        taken, self.written = self.written, b""
        return taken

    def is_closing(self) -> bool:
        return self.closing

    def close(self) -> None:
        self.closing = True

    def pause_reading(self) -> None:
        pass

    def resume_reading(self) -> None:
        pass


class Opened(NamedTuple):
    """A server's end of a socket, and a browser's."""

    server: WebSocketsSansIOProtocol
    line: Line
    browser: ClientProtocol
    calls: list[tuple[dict[str, Any], Any]]

    @property
    def wire(self) -> Wire:
        wire = wire_of(self.calls[0][0])
        assert wire is not None
        return wire

    def takes(self) -> bool:
        return self.wire.open

    async def send(self, text: str) -> None:
        await self.calls[0][1]({"type": "websocket.send", "text": text})

    def arrived(self) -> list[str]:
        """Return the texts that have come to the browser."""
        self.browser.receive_data(self.line.taken())
        frames = [one for one in self.browser.events_received() if isinstance(one, Frame)]
        return [bytes(one.data).decode() for one in frames]

    def say(self) -> None:
        """Give the server what the browser has to say."""
        self.server.data_received(b"".join(self.browser.data_to_send()))


async def asked(
    kind: type[WebSocketsSansIOProtocol] = FramingProtocol, *, deflate: bool = False
) -> Opened:
    """Return a socket that has been asked for, and not accepted yet."""
    calls: list[tuple[dict[str, Any], Any]] = []

    async def app(scope: Any, receive: Any, send: Any) -> None:
        calls.append((scope, send))
        while (await receive())["type"] != "websocket.disconnect":
            pass

    config = Config(app, ws=kind, ws_per_message_deflate=deflate, lifespan="off", log_config=None)
    config.load()
    server, line = kind(config, ServerState(), {}), Line()
    extensions = [ClientPerMessageDeflateFactory()] if deflate else []
    browser = ClientProtocol(parse_uri("ws://localhost/"), extensions=extensions)
    server.connection_made(line)
    browser.send_request(browser.connect())
    made = Opened(server, line, browser, calls)
    made.say()
    await asyncio.sleep(0)
    assert calls
    return made


async def opened(
    kind: type[WebSocketsSansIOProtocol] = FramingProtocol, *, deflate: bool = False
) -> Opened:
    at = await asked(kind, deflate=deflate)
    await at.calls[0][1]({"type": "websocket.accept"})
    at.arrived()
    return at


@pytest.mark.parametrize("size", [0, 1, 125, 126, 65535, 65536, 70000])
async def test_a_text_written_at_once_is_the_frame_that_is_sent_through_asgi(size: int) -> None:
    at = await opened()
    text = ("Zoë" * size)[:size]
    while len(text.encode()) > size:
        text = text[:-1]
    assert at.takes()
    at.wire.write(text.encode())
    written = at.line.taken()
    await at.send(text)
    assert at.line.taken() == written
    at.line.write(written)
    assert at.arrived() == [text]


async def test_texts_arrive_in_the_order_in_which_they_were_sent_either_way() -> None:
    at = await opened()
    for number in range(6):
        if number % 2:
            at.wire.write(f"{number}".encode())
        else:
            await at.send(f"{number}")
    assert at.arrived() == ["0", "1", "2", "3", "4", "5"]


async def test_the_line_between_two_texts_lives_on_with_pings_and_messages() -> None:
    at = await opened()
    at.wire.write(b"one")
    at.browser.send_ping(b"there?")
    at.say()
    at.browser.send_text(b"hello")
    at.say()
    await asyncio.sleep(0)
    at.wire.write(b"two")
    assert at.arrived() == ["one", "there?", "two"]


async def test_nothing_is_written_before_the_socket_is_accepted() -> None:
    at = await asked()
    assert not at.takes()
    await at.calls[0][1]({"type": "websocket.accept"})
    assert at.takes()


async def test_nothing_is_written_to_a_socket_that_is_closed_here() -> None:
    at = await opened()
    await at.calls[0][1]({"type": "websocket.close", "code": 4404})
    assert not at.takes()


async def test_nothing_is_written_after_the_answer_to_a_browsers_goodbye() -> None:
    at = await opened()
    at.browser.send_close(1001)
    at.say()
    at.line.closing = False  # as while what was written before is still on its way
    assert not at.takes()


async def test_nothing_is_written_to_a_broken_line() -> None:
    at = await opened()
    at.line.closing = True  # what asyncio says of it
    assert not at.takes()


async def test_a_congested_line_is_waited_for() -> None:
    at = await opened()
    at.server.pause_writing()
    assert not at.takes()
    sending = asyncio.create_task(at.send("later"))
    await asyncio.sleep(0)
    assert at.arrived() == []
    at.server.resume_writing()
    await sending
    assert at.takes()
    assert at.arrived() == ["later"]


async def test_a_compressed_line_takes_texts_through_asgi_alone() -> None:
    at = await opened(deflate=True)
    assert at.server.conn.extensions
    assert not at.takes()
    await at.send("squeezed " * 20)
    assert at.arrived() == ["squeezed " * 20]


async def test_other_servers_have_no_wire() -> None:
    at = await opened(WebSocketsSansIOProtocol)
    assert wire_of(at.calls[0][0]) is None
    assert wire_of({"type": "websocket"}) is None


async def test_a_request_that_is_no_handshake_is_refused() -> None:
    at = await opened()
    server, line = FramingProtocol(at.server.config, ServerState(), {}), Line()
    server.connection_made(line)
    server.data_received(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
    assert b" 426 " in line.taken().split(b"\r\n", 1)[0]
    assert len(at.calls) == 1
