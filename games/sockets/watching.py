"""Open sockets and what they watch.

A socket has one slot that holds only the latest picture, so a slow browser costs nothing and never
gets an old one. `games.access` decides who may watch a table.
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
    """A page's content for one viewer."""

    @property
    def stamp(self) -> str: ...


class HtmlParts(NamedTuple):
    """A picture as HTML by part id, of which only changed parts are sent."""

    stamp: str
    parts: Mapping[str, str]


class SocketSession(NamedTuple):
    """State of a session when it opened a socket; see `games.sockets.sessions`."""

    key: str
    user_id: int | None
    password: str


@coroutine
def _begun(sending: Coroutine[Any, None, None], waits_for: Any) -> Generator[Any, None, None]:
    """Finish a coroutine whose first step, which yielded `waits_for`, was run outside any task."""
    while True:
        try:
            done = yield waits_for
        except BaseException as error:  # noqa: BLE001 - thrown into the coroutine below
            step = partial(sending.throw, error)
        else:
            step = partial(sending.send, done)
        try:
            waits_for = step()
        except StopIteration:
            return


class Watcher:
    """One socket.

    place: the id of what it watches, such as a table. opener: the session key, or a substitute
    without a session. send: delivers a picture; never called concurrently. session: its state on
    opening; None if there is nothing to re-check. old_words: calls are shown in their old words.
    """

    __slots__ = (
        "_close",
        "_send",
        "_sending",
        "_slot",
        "old_words",
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
        self.old_words = False
        self._send = send
        self._close = close
        self._slot: Picture | None = None
        self._sending: asyncio.Task[None] | None = None

    def put(self, picture: Picture) -> None:
        """Send a picture at once; while the socket is busy, only the latest one is kept."""
        if self._sending is not None:
            self._slot = picture
            return
        sending = self._send(picture)
        try:
            waits_for = sending.send(None)
        except StopIteration:
            return
        except Exception as error:  # noqa: BLE001 - the consumer sees a broken socket too
            self._not_delivered(error)
            return
        self._sending = asyncio.create_task(self._go_on(_begun(sending, waits_for)))

    async def _go_on(self, sending: Awaitable[None]) -> None:
        """Finish a slow send, then send the latest picture."""
        try:
            await sending
            while (picture := self._slot) is not None:
                self._slot = None
                await self._send(picture)
        except Exception as error:  # noqa: BLE001 - the consumer sees a broken socket too
            self._not_delivered(error)
        finally:
            self._sending = None

    def _not_delivered(self, error: Exception) -> None:
        log.info("picture not delivered", place=self.place, reason=type(error).__name__)

    async def close(self, code: int) -> None:
        await self._close(code)


class Watched:
    """Sockets in this process by place, for one kind of place such as tables."""

    every: list[Watched]

    def __init__(self) -> None:
        self._places: dict[int, set[Watcher]] = {}
        self._visits = 0
        self._visited: dict[int, int] = {}
        Watched.every.append(self)

    def join(self, watcher: Watcher) -> None:
        """Add a socket to its place; call on the event loop."""
        self._places.setdefault(watcher.place, set()).add(watcher)
        self._note_visit(watcher.place)
        news.listen()

    def leave(self, watcher: Watcher) -> None:
        watchers = self._places.get(watcher.place, set())
        if watcher not in watchers:
            return
        watchers.discard(watcher)
        self._note_visit(watcher.place)
        if not watchers:
            del self._places[watcher.place], self._visited[watcher.place]

    def _note_visit(self, place: int) -> None:
        self._visits += 1
        self._visited[place] = self._visits

    def visited(self, place: int) -> int:
        """Return a number that differs after a socket has joined or left a place."""
        return self._visited.get(place, 0)

    def forget_all(self) -> None:
        self._places.clear()
        self._visited.clear()

    def watchers(self, place: int) -> frozenset[Watcher]:
        return frozenset(self._places.get(place, ()))

    def total(self) -> int:
        """Return the number of sockets, from any thread."""
        return sum(len(watchers) for watchers in list(self._places.values()))

    def audience(self, place: int) -> int:
        return len(self._places.get(place, ()))

    def places(self) -> list[int]:
        return list(self._places)

    def __contains__(self, place: int) -> bool:
        return place in self._places

    def connected(self, place: int) -> set[int]:
        watchers = self._places.get(place, ())
        return {one.player_id for one in watchers if one.player_id is not None}

    async def end(self, those: Callable[[Watcher], bool], code: int) -> None:
        for watcher in filter(those, self.everybody()):
            await watcher.close(code)

    def everybody(self) -> list[Watcher]:
        return [one for watchers in self._places.values() for one in watchers]


Watched.every = []
