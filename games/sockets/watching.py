"""Open sockets and what they watch.

A socket has one slot that holds only the latest picture, so a slow browser costs nothing and is
never sent an old one. Who may watch a table is decided in `games.access`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Generator, Mapping
from functools import partial
from types import coroutine
from typing import Any, NamedTuple, Protocol

import structlog

from games.sockets import news

log = structlog.get_logger(__name__)


class Picture(Protocol):
    """What one viewer is shown."""

    @property
    def stamp(self) -> str:
        """The version it shows."""


class Drawn(NamedTuple):
    """A picture drawn part by part, of which those that have changed are sent.

    Attributes:
        stamp: the version it shows.
        parts: part id to HTML.
    """

    stamp: str
    parts: Mapping[str, str]


class SocketSession(NamedTuple):
    """What a session was when it let somebody in; see ``games.sockets.sessions``.

    Attributes:
        key: of the session.
        user_id: of the account; None for a guest or a visitor.
        password: what is stored of the account's password; empty without an account.
    """

    key: str
    user_id: int | None
    password: str


@coroutine
def _begun(sending: Coroutine[Any, None, None], waits_for: Any) -> Generator[Any, None, None]:
    """Go on with a coroutine whose first step has been taken already, outside any task.

    Args:
        sending: the coroutine.
        waits_for: the future it gave in that step.
    """
    while True:
        try:
            done = yield waits_for
        except BaseException as error:  # noqa: BLE001 - what its task is told, such as to end
            step = partial(sending.throw, error)
        else:
            step = partial(sending.send, done)
        try:
            waits_for = step()
        except StopIteration:
            return


class Watcher:
    """One socket.

    Args:
        place: the number of what it watches, such as a table.
        player_id: who watches, or None for a visitor.
        opener: the key of the session it was opened in, or a word for where one without came from.
        send: delivers a picture; called for one picture at a time.
        close: ends the socket, with a close code.
        session: as it was when it let them in; None where there is none to look at again.
    """

    __slots__ = (
        "_close",
        "_send",
        "_sending",
        "_slot",
        "opener",
        "place",
        "player_id",
        "session",
    )

    def __init__(
        self,
        place: int,
        player_id: int | None,
        opener: str,
        send: Callable[[Picture], Coroutine[Any, None, None]],
        close: Callable[[int], Awaitable[None]],
        *,
        session: SocketSession | None = None,
    ) -> None:
        self.place = place
        self.player_id = player_id
        self.opener = opener
        self.session = session
        self._send = send
        self._close = close
        self._slot: Picture | None = None
        self._sending: asyncio.Task[None] | None = None

    def put(self, picture: Picture) -> None:
        """Show a picture, at once if the socket takes it now.

        While it does not, the picture waits for it, and later ones take its place.
        """
        if self._sending is not None:
            self._slot = picture
            return
        sending = self._send(picture)
        try:
            waits_for = sending.send(None)
        except StopIteration:
            return
        except Exception as error:  # noqa: BLE001 - its consumer hears of a broken socket too
            self._not_delivered(error)
            return
        self._sending = asyncio.create_task(self._go_on(_begun(sending, waits_for)))

    async def _go_on(self, sending: Awaitable[None]) -> None:
        """Finish what a slow socket has begun to take, then send what it lacks by then."""
        try:
            await sending
            while (picture := self._slot) is not None:
                self._slot = None
                await self._send(picture)
        except Exception as error:  # noqa: BLE001 - its consumer hears of a broken socket too
            self._not_delivered(error)
        finally:
            self._sending = None

    def _not_delivered(self, error: Exception) -> None:
        log.info("picture not delivered", place=self.place, reason=type(error).__name__)

    async def close(self, code: int) -> None:
        """End the socket."""
        await self._close(code)


class Watched:
    """The places of one kind, such as tables, and the sockets that watch each in this process."""

    every: list[Watched]

    def __init__(self) -> None:
        self._places: dict[int, set[Watcher]] = {}
        Watched.every.append(self)

    def join(self, watcher: Watcher) -> None:
        """Let a socket watch its place; call it on the event loop."""
        self._places.setdefault(watcher.place, set()).add(watcher)
        news.listen()

    def leave(self, watcher: Watcher) -> None:
        """Forget a socket."""
        watchers = self._places.get(watcher.place, set())
        if watcher not in watchers:
            return
        watchers.discard(watcher)
        if not watchers:
            del self._places[watcher.place]

    def forget_all(self) -> None:
        """Forget every socket, as a process that ends does."""
        self._places.clear()

    def watchers(self, place: int) -> frozenset[Watcher]:
        """The sockets that watch a place."""
        return frozenset(self._places.get(place, ()))

    def total(self) -> int:
        """How many sockets there are; ask it from any thread."""
        return sum(len(watchers) for watchers in list(self._places.values()))

    def audience(self, place: int) -> int:
        """How many sockets watch a place."""
        return len(self._places.get(place, ()))

    def places(self) -> list[int]:
        """The places somebody watches."""
        return list(self._places)

    def __contains__(self, place: int) -> bool:
        return place in self._places

    def connected(self, place: int) -> set[int]:
        """The players with a socket open at a place."""
        watchers = self._places.get(place, ())
        return {one.player_id for one in watchers if one.player_id is not None}

    async def end(self, those: Callable[[Watcher], bool], code: int) -> None:
        """End some sockets.

        Args:
            those: says of a socket whether it is one of them.
            code: why, as a close code.
        """
        for watcher in filter(those, self.everybody()):
            await watcher.close(code)

    def everybody(self) -> list[Watcher]:
        """All sockets."""
        return [one for watchers in self._places.values() for one in watchers]


Watched.every = []
