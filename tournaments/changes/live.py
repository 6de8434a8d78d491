"""Notifies open pages that an event has changed, or that players are called.

Messages may be lost: a heartbeat compares what is shown with the database and makes up for it. A
changed event is rendered once for all who watch it, at most once in `PACE` seconds, in a worker
thread. Each socket is then sent what differs for it. Consoles fetch their own parts: they are only
told, and do not wait for a rendering.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Collection, Mapping
from typing import Any, Final, NamedTuple, TypeAlias

import structlog
from django.conf import settings

from games.sockets import loop, news
from games.sockets.watching import HtmlParts, Watched, Watcher
from tournaments.models import Event

log = structlog.get_logger(__name__)

#: Minimum seconds between two renderings of an event, and between two checks of all calls.
PACE: Final = 1.0
#: Minimum seconds between two notifications of an event's consoles.
CONSOLE_PACE: Final = 0.5
#: Seconds between heartbeats, and between polls of the events' versions where other processes may
#: change them and their messages may be lost.
BEAT: Final = 5.0
LOOK: Final = 1.25
#: Sockets sent to before yielding to other work, so that tables do not wait for all of them.
AT_ONCE: Final = 20
#: Topics of messages: an event has changed, players are called.
EVENTS: Final = "events"
CALLS: Final = "calls"

Parts: TypeAlias = Mapping[str, str]


class Drawing(NamedTuple):
    """An event's rendered page: HTML by part id, and the parts of some players.

    `pulse` is a value that changes whenever the page does.
    """

    stamp: str
    parts: Parts
    mine: Mapping[int, Parts]
    pulse: object


class Drawers(NamedTuple):
    """The functions that render, each called in a worker thread."""

    event: Callable[[int, Collection[int]], Drawing | None]
    pulses: Callable[[Collection[int]], Mapping[int, object]]
    calls: Callable[[Collection[int]], Mapping[int, Parts]]


class Paced:
    """Rate-limits a coroutine on the event loop.

    The first request is served at once. Requests that arrive while it runs, or in the `pace`
    seconds after, are served together by one more call, so the last request is never lost. Failures
    are logged.
    """

    def __init__(self, do: Callable[[], Awaitable[None]], pace: float) -> None:
        self._do = do
        self._pace = pace
        self._asked = False
        self._task: asyncio.Task[None] | None = None

    def ask(self) -> None:
        self._asked = True
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._go_on())

    def end(self) -> None:
        self._asked = False
        if self._task is not None:
            self._task.cancel()
            self._task = None

    async def _go_on(self) -> None:
        while self._asked and not loop.is_cancelled():
            self._asked = False
            try:
                await self._do()
            except Exception:
                log.exception("not done at its pace")
            await rest(self._pace)


async def rest(seconds: float) -> None:
    """Wait between two calls."""
    await asyncio.sleep(seconds)


class _State:
    drawers: Drawers | None = None
    heart: asyncio.Task[None] | None = None


def drawn_by(drawers: Drawers) -> None:
    """Register the functions that render."""
    _State.drawers = drawers


# Publishing -----------------------------------------------------------------------------------


def announce(event_id: int) -> None:
    """Publish from any thread, after the commit, that an event has changed."""
    loop.spawn(news.publish(EVENTS, event_id))


def call(player_ids: Collection[int]) -> None:
    """Publish from any thread, after the commit, that the calls of players have changed."""
    loop.spawn(news.publish(CALLS, list(player_ids)))


# Showing --------------------------------------------------------------------------------------


class _Page:
    """An event's page as this process shows it."""

    def __init__(self, event_id: int) -> None:
        self.event_id = event_id
        self.drawing: Drawing | None = None
        self.players: frozenset[int] = frozenset()  # players it was rendered for
        self.paced = Paced(self._draw, PACE)

    async def _draw(self) -> None:
        if _State.drawers is None or self.event_id not in events:
            return
        players = frozenset(events.connected(self.event_id))
        drawing = await loop.in_database(_State.drawers.event, self.event_id, players)
        self.drawing, self.players = drawing, players
        await self.show()

    async def show(self) -> None:
        """Send everybody what was rendered for them, yielding to other work now and then."""
        for number, watcher in enumerate(events.watchers(self.event_id), start=1):
            picture = self.picture(watcher.player_id)
            if picture is not None:
                watcher.put(picture)
            if number % AT_ONCE == 0:
                await asyncio.sleep(0)

    def picture(self, player_id: int | None) -> HtmlParts | None:
        """Return the page as one player sees it, if it was rendered for them."""
        if self.drawing is None or (player_id is not None and player_id not in self.players):
            return None
        own = self.drawing.mine.get(player_id) if player_id is not None else None
        parts = {**self.drawing.parts, **own} if own else self.drawing.parts
        return HtmlParts(self.drawing.stamp, parts)


_pages: dict[int, _Page] = {}


def picture_for(watcher: Watcher, had: int) -> HtmlParts | None:
    """Return what the socket of an event's page shows now; if None, a rendering is requested.

    `had` is the version of the event that the page shows already.
    """
    page = _pages[watcher.place]
    picture = page.picture(watcher.player_id)
    if picture is None or int(picture.stamp) < had:
        page.paced.ask()
        return None
    return picture


class _Events(Watched):
    def join(self, watcher: Watcher) -> None:
        page = _pages.setdefault(watcher.place, _Page(watcher.place))
        if watcher.place not in self:
            page.drawing = None  # may be outdated, since nobody watched
        super().join(watcher)
        _start()


class _Consoles(Watched):
    def join(self, watcher: Watcher) -> None:
        """Add the socket of a console, and tell it the event's version soon."""
        super().join(watcher)
        _start()
        _tell_consoles(watcher.place)


class _Callers(Watched):
    def join(self, watcher: Watcher) -> None:
        """Add a socket and send it the player's calls soon."""
        super().join(watcher)
        _start()
        _calls.ask()


events: Final = _Events()
consoles: Final = _Consoles()
callers: Final = _Callers()


class _Console:
    """An event whose consoles this process notifies; `pulse` is the latest one known."""

    def __init__(self, event_id: int) -> None:
        self.event_id = event_id
        self.pulse: object = None
        self.paced = Paced(self._tell, CONSOLE_PACE)

    async def _tell(self) -> None:
        those = [self.event_id]
        versions = await loop.in_database(_versions, those)
        if _State.drawers is not None:
            self.pulse = (await loop.in_database(_State.drawers.pulses, those)).get(self.event_id)
        told = HtmlParts(str(versions.get(self.event_id, 0)), {"pulse": repr(self.pulse)})
        for watcher in consoles.watchers(self.event_id):
            watcher.put(told)


_consoles: dict[int, _Console] = {}


def _tell_consoles(event_id: int) -> _Console:
    console = _consoles.setdefault(event_id, _Console(event_id))
    console.paced.ask()
    return console


async def _show_calls() -> None:
    players = callers.places()
    if _State.drawers is None or not players:
        return
    drawn = await loop.in_database(_State.drawers.calls, players)
    for player_id, parts in drawn.items():
        for watcher in callers.watchers(player_id):
            watcher.put(HtmlParts("", parts))


_calls: Final = Paced(_show_calls, PACE)


# Receiving ------------------------------------------------------------------------------------


async def _event_changed(event_id: Any) -> None:
    if event_id in consoles:
        _tell_consoles(event_id)
    if event_id in events:
        _pages[event_id].paced.ask()
    if callers.places():
        _calls.ask()


async def _called(player_ids: Any) -> None:
    if any(player_id in callers for player_id in player_ids):
        _calls.ask()


async def _missed() -> None:
    for event_id in {*events.places(), *consoles.places()}:
        await _event_changed(event_id)
    if callers.places():
        _calls.ask()


news.subscribe(EVENTS, _event_changed, missed=_missed)
news.subscribe(CALLS, _called)


# The heartbeat --------------------------------------------------------------------------------


def _start() -> None:
    """Start the heartbeat in the running loop unless it is running."""
    heart = _State.heart
    if heart is None or heart.done() or heart.get_loop() is not asyncio.get_running_loop():
        _State.heart = asyncio.create_task(_beat_for_ever())


async def _beat_for_ever() -> None:
    looks = 0
    while not loop.is_cancelled():
        await asyncio.sleep(LOOK if settings.REDIS_URL else BEAT)
        looks += 1
        try:
            if settings.REDIS_URL and looks * LOOK % BEAT:
                await look()
            else:
                await beat()
        except Exception:
            log.exception("heartbeat of events failed")


async def beat() -> None:
    """Render outdated pages, and forget the pages that nobody watches."""
    for event_id in [one for one in _pages if one not in events]:
        _pages.pop(event_id).paced.end()
    for event_id in [one for one in _consoles if one not in consoles]:
        _consoles.pop(event_id).paced.end()
    if _State.drawers is not None and (_pages or _consoles):
        places = {*events.places(), *consoles.places()}
        pulses = await loop.in_database(_State.drawers.pulses, places)
        for event_id, pulse in pulses.items():
            console = _consoles.get(event_id)
            if console is not None and console.pulse != pulse:
                console.pulse = pulse
                console.paced.ask()
            page = _pages.get(event_id)
            if page is not None and (page.drawing is None or page.drawing.pulse != pulse):
                page.paced.ask()
    if callers.places():
        _calls.ask()


async def look() -> None:
    """Render pages that another process has changed, in case its message was lost.

    Consoles learn of it by the next heartbeat.
    """
    if not events.places():
        return
    for event_id, version in (await loop.in_database(_versions, events.places())).items():
        page = _pages.get(event_id)
        if page is not None and page.drawing is not None and int(page.drawing.stamp) < version:
            page.paced.ask()


def _versions(event_ids: Collection[int]) -> dict[int, int]:
    return dict(Event.objects.filter(pk__in=event_ids).values_list("pk", "version"))


def end() -> None:
    """Stop rendering at shutdown."""
    for page in _pages.values():
        page.paced.end()
    for console in _consoles.values():
        console.paced.end()
    _pages.clear()
    _consoles.clear()
    _calls.end()
    if _State.heart is not None:
        _State.heart.cancel()
