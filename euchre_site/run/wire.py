"""uvicorn's WebSocket protocol with a wire to write texts to at once (`games.sockets.wire`).

For other commands than `quickstart`: ``uvicorn --ws euchre_site.run.wire:FramingProtocol``.
"""

from typing import Any

from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets.protocol import State

from games.sockets.wire import EXTENSION


class FramingProtocol(WebSocketsSansIOProtocol):
    _congested = False

    async def run_asgi(self) -> None:
        extensions: dict[Any, Any] = self.scope.setdefault("extensions", {})
        extensions[EXTENSION] = self
        await super().run_asgi()

    def pause_writing(self) -> None:
        self._congested = True
        super().pause_writing()

    def resume_writing(self) -> None:
        self._congested = False
        super().resume_writing()

    @property
    def open(self) -> bool:
        if self._congested or self.conn.state is not State.OPEN or self.conn.extensions:
            return False
        return not self.transport.is_closing()

    def write(self, text: bytes) -> None:
        """Write a text as one frame, unmasked as a server's (RFC 6455, 5.2)."""
        size = len(text)
        if size < 126:
            head = b"\x81%c" % size
        elif size < 65536:
            head = b"\x81\x7e" + size.to_bytes(2, "big")
        else:
            head = b"\x81\x7f" + size.to_bytes(8, "big")
        self.transport.write(head + text)
