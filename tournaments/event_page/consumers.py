"""The sockets of event pages, and those by which players are called on any page."""

from __future__ import annotations

import json
import time
from typing import Final
from urllib.parse import parse_qs

from asgiref.sync import sync_to_async
from django.core.exceptions import PermissionDenied
from django.http import Http404

from games.play.consumers import NOT_HERE, WatchingConsumer
from games.sockets import loop
from games.sockets.frames import frame
from games.sockets.watching import HtmlParts, Picture, Watcher
from tournaments.access import event_for
from tournaments.changes import live
from tournaments.event_page import showing

#: Seconds for which somebody who may see an event is taken to be still allowed to.
TRUST: Final = 15.0
#: How many pages of an event in this process may ask for their own parts in a second, at news.
ASKING: Final = 12
#: Seconds after which a page may ask however many there are, as it would without news.
LONGEST_WAIT: Final = 8.0
#: Seconds within which a page asks that is sent nothing else; only directors have such pages.
DIRECTORS_WAIT: Final = 0.5


class EventConsumer(WatchingConsumer):
    """One browser tab that shows an event.

    With each change it is told ``"news"``, the seconds within which its page may ask for the parts
    that nobody shares, at a moment of its own choice. With `?news` it is sent no parts. With
    `?have=` it names the version its page was loaded with, and is shown nothing older: what was
    drawn last for all may be up to a second behind a page.
    """

    watched = live.events
    had = 0

    def enter(self) -> int:
        """The event; raise Http404 unless its asker may see it."""
        event_id: int = self.scope["url_route"]["kwargs"]["event_id"]
        event = event_for(self.identity.player, event_id, self.identity.session).event
        have = parse_qs(self.scope["query_string"].decode("latin-1")).get("have", [""])[0]
        had = int(have[:18]) if have.isascii() and have.isdigit() else 0
        self.had = min(had, event.version)  # or it would be drawn again and again
        self.asked = time.monotonic()
        return event_id

    def framed(self, changes: str, stamp: str) -> str:
        """The frame that shows changes and tells that there is news."""
        if self.scope["query_string"] == b"news":
            return json.dumps({"version": stamp, "news": DIRECTORS_WAIT})
        audience = live.events.audience(self.watcher.place) if self.watcher else 1
        return frame(changes, version=stamp, news=round(min(LONGEST_WAIT, audience / ASKING), 2))

    async def join(self, watcher: Watcher) -> None:
        """Tell the browser the time, by which its clocks go, and begin to watch."""
        await self.say(json.dumps({"now": round(time.time() * 1000)}))
        await super().join(watcher)

    async def picture(self) -> Picture | None:
        """The event as it was drawn last."""
        return live.picture_for(self.watcher, self.had) if self.watcher is not None else None

    async def show(self, picture: HtmlParts) -> None:
        """Send what has changed, if its viewer may still see it."""
        if int(picture.stamp) < self.had:
            return
        if time.monotonic() - self.asked > TRUST:
            try:
                await sync_to_async(loop.on_fresh_connection)(self.enter)
            except (Http404, PermissionDenied):
                await self.close(NOT_HERE)
                return
        await super().show(picture)


class CallConsumer(WatchingConsumer):
    """One browser tab of a player who may be called; `?at=` names the page it shows.

    It is sent ``{"calls": …}``, the HTML of all calls but that to the page itself.
    """

    watched = live.callers

    def enter(self) -> int:
        """The player who is called; raise Http404 for a visitor."""
        if self.identity.player is None:
            raise Http404
        return self.identity.player.pk

    async def join(self, watcher: Watcher) -> None:
        """Begin to listen."""
        self.at = parse_qs(self.scope["query_string"].decode("latin-1")).get("at", [""])[0]
        self.shown: str | None = None
        await super().join(watcher)

    async def picture(self) -> Picture | None:
        """Nothing: the calls come as soon as they are known."""
        return None

    async def show(self, picture: HtmlParts) -> None:
        """Send the calls if they have changed."""
        calls = "".join(html for url, html in picture.parts.items() if url != self.at)
        if calls != self.shown:
            self.shown = calls
            await self.send_text(json.dumps({"calls": calls}))


live.drawn_by(showing.DRAWERS)
