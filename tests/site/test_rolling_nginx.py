"""Rolling restarts of two web processes behind nginx with the guide's file.

Minimal servers replace the site's; nginx and its file are the real ones.
"""

import asyncio
import ssl
from collections.abc import Callable
from contextlib import AsyncExitStack
from pathlib import Path

import httpx
import pytest

from tests.served import HOST, free_port
from tests.site.processes import NAME, PATIENCE, as_by_default, nginx_before

SOCKET = f"GET /ws/ HTTP/1.1\r\nHost: {NAME}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n"
OPENED = b"HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n"
PAGE = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi"


class Web:
    """A web process's port: it answers pages, and keeps sockets open until it is stopped."""

    def __init__(self) -> None:
        self.port = free_port()
        self.sockets: list[asyncio.StreamWriter] = []
        self.open: set[asyncio.StreamWriter] = set()

    async def start(self) -> None:
        self.server = await asyncio.start_server(self._answer, HOST, self.port)

    async def stop(self) -> None:
        """Refuse new connections, and close the open ones."""
        self.server.close()
        for one in self.open:
            one.close()
        self.open.clear()
        self.sockets.clear()

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.open.add(writer)
        try:
            while head := await reader.readuntil(b"\r\n\r\n"):
                writer.write(OPENED if b"pgrade: websocket" in head else PAGE)
                if b"pgrade: websocket" in head:
                    self.sockets.append(writer)
        except (asyncio.IncompleteReadError, ConnectionError):
            self.open.discard(writer)
            writer.close()


class Visitors:
    def __init__(self, port: int, folder: Path) -> None:
        self.port = port
        self.trusts = ssl.create_default_context(cafile=str(folder / "cert.pem"))

    async def open_socket(self) -> asyncio.StreamWriter:
        """Open a socket, and leave it open."""
        reader, writer = await asyncio.open_connection(
            HOST, self.port, ssl=self.trusts, server_hostname=NAME
        )
        writer.write(SOCKET.encode())
        async with asyncio.timeout(PATIENCE):
            assert b" 101 " in await reader.readuntil(b"\r\n\r\n")
        return writer

    async def pages(self, count: int) -> list[int]:
        """Load pages; return their statuses."""
        async with httpx.AsyncClient(verify=self.trusts, headers={"Host": NAME}) as browser:
            address = f"https://{HOST}:{self.port}/"
            return [(await browser.get(address)).status_code for _ in range(count)]


def shipped(text: str) -> str:
    """Return the guide's file unchanged."""
    return text


@pytest.mark.parametrize(
    ("change", "answers"),
    [
        pytest.param(shipped, {200}, id="the guide's file"),
        pytest.param(as_by_default, {502}, id="nginx's defaults"),
    ],
)
async def test_pages_are_answered_while_a_process_is_away(
    change: Callable[[str], str], answers: set[int], tmp_path: Path
) -> None:
    first, second = Web(), Web()
    async with AsyncExitStack() as later:
        for web in (first, second):
            await web.start()
            later.push_async_callback(web.stop)
        port = later.enter_context(nginx_before([first.port, second.port], tmp_path, change))
        visitors = Visitors(port, tmp_path)
        for _ in range(6):
            later.callback((await visitors.open_socket()).close)
        assert first.sockets
        assert second.sockets
        await first.stop()
        assert await visitors.pages(6) == [200] * 6, "the other process answers"
        await first.start()
        later.callback((await visitors.open_socket()).close)  # whose socket was closed
        await second.stop()
        assert set(await visitors.pages(6)) == answers
