"""How long, and how slowly, the head of a request may come: uvicorn itself waits for ever.

A head is the first line and the headers; what follows is bounded by `euchre_site.guards.bodies`.
"""

import asyncio
from typing import Any, Final

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from games.sockets import metrics

#: Bytes in a head; servers commonly take 8 to 64 KiB.
MOST: Final = 32 * 1024
#: Seconds from the first byte, or from the opening of the connection, to the end of the head.
PATIENCE: Final = 20.0

TOO_LARGE: Final = b"The headers of a request may have 32 KiB.\n"
ANSWER: Final = (
    b"HTTP/1.1 431 Request Header Fields Too Large\r\nConnection: close\r\n"
    b"Content-Type: text/plain\r\nContent-Length: %d\r\n\r\n%s" % (len(TOO_LARGE), TOO_LARGE)
)


class BoundedHeads(HttpToolsProtocol):
    """uvicorn's protocol, which closes the connection of a head that is too long or too slow."""

    patience = PATIENCE
    _taken: int | None = None  # bytes of the head that is coming; None between heads
    _late: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        """Begin to wait for the first request."""
        super().connection_made(transport)
        self._head_begins()

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait for nothing more."""
        self._head_ends()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Read on, unless the head has become too long."""
        if self._taken is not None:
            self._taken += len(data)
        super().data_received(data)
        if self._taken is not None and self._taken > MOST and not self.transport.is_closing():
            metrics.refuse("head")
            self.transport.write(ANSWER)
            self.transport.close()

    def on_message_begin(self) -> None:
        """A head begins."""
        super().on_message_begin()
        if self._taken is None:
            self._head_begins()

    def on_headers_complete(self) -> None:
        """The head has come."""
        self._head_ends()
        super().on_headers_complete()

    def _head_begins(self) -> None:
        self._taken = 0
        self._late = self.loop.call_later(self.patience, self._give_up)

    def _give_up(self) -> None:
        if self._taken:  # a connection on which nothing came is none that is refused
            metrics.refuse("head")
        self.transport.close()

    def _head_ends(self) -> None:
        self._taken = None
        if self._late is not None:
            self._late.cancel()
            self._late = None
