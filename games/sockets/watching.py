"""Open sockets and what they watch.

A socket has one slot that holds only the latest picture, so a slow browser costs nothing and is
never sent an old one.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping

import structlog

from games.sockets import frames, news

log = structlog.get_logger(__name__)


class Picture:
    """What one viewer is shown.

    Attributes:
        stamp: the version it shows.
        parts: part id to HTML.
    """

    __slots__ = ("_parts", "stamp")

    def __init__(self, stamp: str, parts: Mapping[str, str]) -> None:
        self.stamp = stamp
        self._parts = parts

    @property
    def parts(self) -> Mapping[str, str]:
        """Part id to HTML."""
        return self._parts

    def changes(self, before: Picture | None) -> str:
        """The parts that differ from those of an earlier picture, as they stand in a frame."""
        return frames.swaps(frames.changed(before.parts if before else {}, self.parts))


class Watcher:
    """One socket.

    Args:
        place: the number of what it watches, such as a table.
        player_id: who watches, or None for a visitor.
        opener: the key of the session it was opened in, or a word for where one without came from.
        send: delivers a picture; called for one picture at a time.
        close: ends the socket, with a close code.
    """

    __slots__ = ("_close", "_send", "_sending", "_slot", "opener", "place", "player_id")

    def __init__(
        self,
        place: int,
        player_id: int | None,
        opener: str,
        send: Callable[[Picture], Awaitable[None]],
        close: Callable[[int], Awaitable[None]],
    ) -> None:
        self.place = place
        self.player_id = player_id
        self.opener = opener
        self._send = send
        self._close = close
        self._slot: Picture | None = None
        self._sending: asyncio.Task[None] | None = None

    def put(self, picture: Picture) -> None:
        """Show a picture as soon as the socket has taken the one before; later ones replace it."""
        self._slot = picture
        if self._sending is None:
            self._sending = asyncio.create_task(self._drain())

    async def _drain(self) -> None:
        try:
            while (picture := self._slot) is not None:
                self._slot = None
                await self._send(picture)
        except Exception as error:  # noqa: BLE001 - its consumer hears of a broken socket too
            log.info("picture not delivered", place=self.place, reason=type(error).__name__)
        finally:
            self._sending = None

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
        everybody = [one for watchers in self._places.values() for one in watchers]
        for watcher in filter(those, everybody):
            await watcher.close(code)


Watched.every = []
