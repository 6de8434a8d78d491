"""WebSocket consumers of event pages, and of calls on any page."""

from __future__ import annotations

import json
import time
from typing import Final
from urllib.parse import parse_qs

from asgiref.sync import sync_to_async
from django.core.exceptions import PermissionDenied
from django.http import Http404

from games.play.consumers import WatchingConsumer
from games.sockets import hub, loop
from games.sockets.html_frames import frame
from games.sockets.watching import HtmlParts, Picture, Watched, Watcher
from tournaments.access import event_for
from tournaments.changes import live
from tournaments.event_page import showing

#: Seconds after which a viewer's permission to see the event is checked again.
TRUST: Final = 15.0
#: How many pages of an event in this process may fetch their own parts per second, after news.
ASKING: Final = 12
#: Seconds after which a page may fetch them however many there are, as it would without news.
LONGEST_WAIT: Final = 8.0
#: Seconds within which a page that is sent no parts fetches them; only directors have such pages.
DIRECTORS_WAIT: Final = 0.2


class EventConsumer(WatchingConsumer):
    """One browser tab that shows an event.

    Each change comes with "news": the seconds within which the page may fetch its own parts, at a
    random moment. With `?news`, of a console, it is sent no parts. With `?have=` it names the
    version it was loaded with and is sent nothing older, since the last rendering may be up to a
    second behind.
    """

    watched: Watched = live.events
    had = 0

    def enter(self) -> int:
        """Return the event's id; raise Http404 unless the viewer may see it."""
        event_id: int = self.scope["url_route"]["kwargs"]["event_id"]
        event = event_for(self.identity.player, event_id, self.identity.session).event
        have = parse_qs(self.scope["query_string"].decode("latin-1")).get("have", [""])[0]
        had = int(have[:18]) if have.isascii() and have.isdigit() else 0
        self.had = min(had, event.version)  # or it would be rendered again and again
        self.asked = time.monotonic()
        return event_id

    def framed(self, changes: str, stamp: str) -> str:
        if self.watched is live.consoles:
            return json.dumps({"version": stamp, "news": DIRECTORS_WAIT})
        audience = live.events.audience(self.watcher.place) if self.watcher else 1
        return frame(changes, version=stamp, news=round(min(LONGEST_WAIT, audience / ASKING), 2))

    async def join(self, watcher: Watcher) -> None:
        if self.scope["query_string"] == b"news":
            self.watched = live.consoles
        await self.say(json.dumps({"now": round(time.time() * 1000)}))
        await super().join(watcher)

    async def picture(self) -> Picture | None:
        if self.watcher is None or self.watched is live.consoles:
            return None
        return live.picture_for(self.watcher, self.had)

    async def show(self, picture: HtmlParts) -> None:
        """Send what has changed, if the viewer may still see it."""
        if int(picture.stamp) < self.had:
            return
        if time.monotonic() - self.asked > TRUST:
            try:
                await sync_to_async(loop.on_fresh_connection)(self.enter)
            except (Http404, PermissionDenied):
                await self.close(hub.NOT_HERE)
                return
        await super().show(picture)


class CallConsumer(WatchingConsumer):
    """One browser tab of a player who may be called; `?at=` names the page it shows.

    It is sent `{"calls": …, "end": …, "turn": …}`: the HTML of all calls except those to the page
    itself; when the time of the player's table is up, if the page is that table's; and the turn for
    which the player is away from the table, as table and version, or None.
    """

    watched = live.callers

    def enter(self) -> int:
        if self.identity.player is None:
            raise Http404
        return self.identity.player.pk

    async def join(self, watcher: Watcher) -> None:
        self.at = parse_qs(self.scope["query_string"].decode("latin-1")).get("at", [""])[0]
        self.shown: str | None = None
        await super().join(watcher)

    async def picture(self) -> Picture | None:
        """Return nothing: calls are sent as soon as they are known."""
        return None

    async def show(self, picture: HtmlParts) -> None:
        parts = dict(picture.parts)
        turn = parts.pop(showing.TURN, None)
        end = parts.get(f"{showing.END}{self.at}", "")
        calls = "".join(
            html
            for key, html in parts.items()
            if key.partition("#")[0] != self.at and not key.startswith(showing.END)
        )
        shown = json.dumps({"calls": calls, "end": end, "turn": turn})
        if shown != self.shown:
            self.shown = shown
            await self.send_text(shown)


live.drawn_by(showing.DRAWERS)
