"""Limits on the size and duration of a request's head, its first line and headers.

uvicorn's httptools parser has no limit of its own, and waits for ever. Behind a proxy nginx or
Caddy does this; quickstart can serve a network directly.
"""

import asyncio
from typing import Any, Final

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from games.sockets import metrics

#: Maximum bytes in a head; servers commonly allow 8 to 64 KiB.
MAX_SIZE: Final = 32 * 1024
#: Seconds for a head, from its first byte or from the opening of the connection.
TIMEOUT: Final = 20.0

TOO_LARGE: Final = b"The headers of a request may have 32 KiB.\n"
ANSWER: Final = (
    b"HTTP/1.1 431 Request Header Fields Too Large\r\nConnection: close\r\n"
    b"Content-Type: text/plain\r\nContent-Length: %d\r\n\r\n%s" % (len(TOO_LARGE), TOO_LARGE)
)


class BoundedHeaders(HttpToolsProtocol):
    """uvicorn's protocol; it closes connections whose head is too long or too slow."""

    timeout = TIMEOUT
    _size: int | None = None  # bytes of the current head; None outside heads
    _timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self._start_head()

    def connection_lost(self, exc: Exception | None) -> None:
        self._end_head()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        if self._size is not None:
            self._size += len(data)
        super().data_received(data)
        if self._size is not None and self._size > MAX_SIZE and not self.transport.is_closing():
            metrics.refuse("head")
            self.transport.write(ANSWER)
            self.transport.close()

    def on_message_begin(self) -> None:
        super().on_message_begin()
        if self._size is None:
            self._start_head()

    def on_headers_complete(self) -> None:
        self._end_head()
        super().on_headers_complete()

    def _start_head(self) -> None:
        self._size = 0
        self._timer = self.loop.call_later(self.timeout, self._time_out)

    def _time_out(self) -> None:
        if self._size:  # an idle connection is closed without counting it
            metrics.refuse("head")
        self.transport.close()

    def _end_head(self) -> None:
        self._size = None
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
