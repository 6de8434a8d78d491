"""A browser's side of the sockets of tables, events and calls, within the test's process."""

import json
from typing import Any

from asgiref.sync import sync_to_async
from asgiref.testing import ApplicationCommunicator
from django.conf import settings
from django.contrib.sessions.backends.db import SessionStore

from euchre_site.asgi import application
from games.models import Player
from tests.factories import logged_in

_untyped: Any = ApplicationCommunicator  # asgiref says nothing of its types here


def session_of(player: Player) -> SessionStore:
    """The session of a new browser of a member or a guest, as the server stores it."""
    return SessionStore(logged_in(player).session.session_key)


def shown_in(frame: dict[str, Any]) -> str:
    """What a frame shows to all, as one text."""
    return json.dumps([frame.get("set"), frame.get("add")], ensure_ascii=False)


class Tab:
    """One open tab: its socket, and what its frames say of the page.

    The tab of a table says what its page shows as soon as it is accepted: nothing yet.

    Args:
        address: of the socket, or the number of a table for that table's.
        session: as stored, or None for a visitor without one.
        origin: of the page that opens it, or None.

    Attributes:
        session: as stored, or None.
        frames: every frame as text, in order.
        version: the version of the last picture.
        have: which frame of a table's picture came last, as its page tells it.
    """

    def __init__(
        self, address: str | int, session: SessionStore | None, origin: str | None
    ) -> None:
        self.session = session
        headers = [(b"host", b"localhost")]
        if origin is not None:
            headers.append((b"origin", origin.encode()))
        if session is not None:
            cookie = f"{settings.SESSION_COOKIE_NAME}={session.session_key}"
            headers.append((b"cookie", cookie.encode()))
        self.at_table = isinstance(address, int)
        if isinstance(address, int):
            address = f"/ws/tables/{address}/"
        path, _, query = address.partition("?")
        scope = {
            "type": "websocket",
            "scheme": "ws",
            "path": path,
            "query_string": query.encode(),
            "headers": headers,
            "subprotocols": [],
        }
        self.socket: Any = _untyped(application, scope)
        self.frames: list[str] = []
        self.version = ""
        self.have = ""

    async def accepted(self) -> dict[str, Any]:
        """Connect; returns the ASGI message that answers."""
        await self.socket.send_input({"type": "websocket.connect"})
        return await self.receive()

    async def connect(self) -> int | None:
        """Connect; returns the close code if it was closed at once, else None."""
        message = await self.accepted()
        if message["type"] == "websocket.accept":
            if self.at_table:
                await self.send(have=self.have)
            message = await self.receive()
        if message["type"] == "websocket.close":
            return int(message["code"])
        self._take(message)
        return None

    async def receive(self) -> dict[str, Any]:
        """The next ASGI message, of whatever kind."""
        message: dict[str, Any] = await self.socket.receive_output(timeout=60)
        return message

    async def silent(self) -> bool:
        """Whether nothing comes for a moment."""
        return bool(await self.socket.receive_nothing())

    def _take(self, message: dict[str, Any]) -> dict[str, Any]:
        self.frames.append(message["text"])
        frame: dict[str, Any] = json.loads(message["text"])
        if "answer" not in frame:
            self.version = frame.get("version", self.version)
        if "to" in frame:
            table = frame.get("table", self.have.partition(".")[0])
            self.have = f"{table}.{frame['to']}"
        return frame

    async def send(self, **fields: Any) -> None:
        """Send a message in htmx's envelope."""
        await self.send_raw(text=json.dumps({"headers": {}, "body": fields}))

    async def send_raw(self, **data: str | bytes) -> None:
        """Send ``text`` or ``bytes`` as they are."""
        await self.socket.send_input({"type": "websocket.receive", **data})

    async def frame(self) -> dict[str, Any]:
        """The next frame."""
        return self._take(await self.receive())

    async def answer(self) -> dict[str, Any]:
        """The next answer, which may come inside of a picture; pictures before it are taken."""
        while not {"answer", "done"} & (frame := await self.frame()).keys():
            pass
        if "done" in frame:
            return {"kind": "done", "key": frame["done"], "message": ""}
        answer: dict[str, Any] = frame["answer"]
        return answer

    async def until(self, version: str) -> None:
        """Take frames until the picture of a version has come."""
        while self.version != version:
            await self.frame()

    async def close(self) -> None:
        """Close the tab."""
        await self.socket.send_input({"type": "websocket.disconnect", "code": 1001})
        await self.socket.wait()


async def new_tab(
    address: str | int, player: Player | None = None, origin: str | None = None
) -> Tab:
    """A new tab of a member, a guest or a visitor without a session (None), not yet connected."""
    session = await sync_to_async(session_of)(player) if player is not None else None
    return Tab(address, session, origin)
