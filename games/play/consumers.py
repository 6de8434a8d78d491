"""WebSocket consumers: they send pictures, and accept actions at a table."""

from __future__ import annotations

import json
import time
from abc import ABC, abstractmethod
from collections import defaultdict
from collections.abc import Collection, Mapping
from functools import partial
from types import MappingProxyType
from typing import Any, Final, Self
from uuid import UUID

import structlog
from channels.consumer import AsyncConsumer
from django.conf import settings
from django.core.exceptions import PermissionDenied
from django.db import DatabaseError
from django.http import Http404

from games.access import invitations, tables_for
from games.people import identity, traces, whereabouts
from games.people.addresses import address_of
from games.people.old_words import wants_old_words
from games.people.socket_identities import SocketIdentity, identities_of
from games.people.traces import Origin
from games.picture.frames import OwnPicture
from games.play import play, presence, spectators
from games.play.play import ActAnswer, Decision
from games.shuffle import shuffling
from games.shuffle.shuffling import ShuffleError
from games.sockets import connection_limits, hub, loop, metrics, sessions
from games.sockets.batching import Batcher
from games.sockets.connection_limits import ConnectionSlot
from games.sockets.html_frames import FRAME_LIMIT, answer_frame, changed, frame, swaps
from games.sockets.sessions import SessionEndedError
from games.sockets.watching import Picture, SocketSession, Watched, Watcher
from games.sockets.wire import Wire, wire_of

log = structlog.get_logger(__name__)

#: Close codes: too many sockets or messages of one person, too many sockets from one address.
TOO_MANY: Final = 4429
CROWDED: Final = 4430
#: Message too big (RFC 6455, 7.4.1).
TOO_LONG: Final = 1009
#: Try again later: the database is unavailable.
LATER: Final = 1013
#: Shown when the database is unavailable.
CANNOT: Final = "That cannot be done just now; nothing has changed at the table. Try again."
#: Reply to a page's ping.
PONG: Final = '{"pong": true}'
#: Key under which shuffle messages are answered.
SHUFFLE_KEY: Final = "shuffle"
#: Seconds between batches of opening sockets.
ENTER_EVERY: Final = 0.02
#: Messages refused by the rate limit before the socket is closed.
PATIENCE: Final = 100


class Bucket:
    __slots__ = ("_left", "_most", "_rate", "_since")

    def __init__(self) -> None:
        self._most = self._left = float(settings.SOCKET_BURST)
        self._rate = float(settings.SOCKET_RATE)
        self._since = time.monotonic()

    def take(self) -> bool:
        now = time.monotonic()
        self._left = min(self._most, self._left + (now - self._since) * self._rate)
        self._since = now
        if self._left < 1:
            return False
        self._left -= 1
        return True


class WatchingConsumer(AsyncConsumer, ABC):
    """Socket of one browser tab that watches something, such as a table.

    Messages are handled one after another in the socket's own task. There is no channel layer, so
    Channels' second queue and task per message are left out.

    The user comes from the session on connecting, which is re-checked before each action or answer
    (see `games.sockets.sessions`). A picture is sent as the parts that differ from what this socket
    was sent before.
    """

    watched: Watched
    base_send: Any
    identity: SocketIdentity
    watcher: Watcher | None = None
    session: SocketSession | None = None
    held: tuple[ConnectionSlot, ...] = ()
    ended = False

    @classmethod
    def enter_all(cls, sockets: Collection[Self]) -> Mapping[Self, int | Exception]:
        return {one: _entered(one) for one in sockets}

    def enter(self) -> int:
        """Return the id of what is watched; raise Http404 if `identity` may not see it."""
        raise NotImplementedError

    @abstractmethod
    async def picture(self) -> Picture | None:
        """Return the current picture; None if one will be sent as soon as it is known."""

    async def act(self, message: dict[str, Any]) -> bool:
        """Handle an action, whose session the journal checks; return False if it is not one."""
        return False

    async def take(self, message: dict[str, Any]) -> None:
        """Handle any other message than an action, heartbeat or refresh."""
        await self.answer("", ActAnswer(play.MALFORMED, "", "That message is not understood."))

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        self.scope, self.base_send = scope, send
        try:
            while (message := await receive())["type"] != "websocket.disconnect":
                if message["type"] == "websocket.receive":
                    await self.receive(message.get("text"), message.get("bytes"))
                else:
                    await self.connect()
            await self.disconnect()
        finally:
            self._forget()

    async def connect(self) -> None:
        await self.base_send({"type": "websocket.accept"})
        try:
            await self._enter()
        except DatabaseError as error:
            log.error("socket not accepted", reason=type(error).__name__)
            metrics.refuse("database")
            self._forget()
            self.watcher = None
            await self.close(LATER)

    async def _enter(self) -> None:
        """Accept the socket; the address limit is checked before any query."""
        address = _address(self.scope)
        if not self._hold(f"sockets from {address}", settings.SOCKETS_PER_ADDRESS):
            metrics.refuse("full")
            await self.close(CROWDED)
            return
        try:
            place = await _entering.ask(self)
        except (Http404, PermissionDenied):
            metrics.refuse("not open")
            await self.close(hub.NOT_HERE)
            return
        key, player = self.identity.session.session_key, self.identity.player
        opener = key or f"address {address}"
        person = f"player {player.pk}" if player else key
        if person and not self._hold(f"sockets of {person}", settings.SOCKETS_PER_PERSON):
            metrics.refuse("full")
            await self.close(TOO_MANY)
            return
        sessions.keep_looking()
        self.session = sessions.opened_by(key, self.identity.user)
        player_id = player.pk if player else None
        watcher = Watcher(place, player_id, opener, self.show, self.close, session=self.session)
        await self.join(watcher)

    def _hold(self, whose: str, most: int) -> bool:
        slot = connection_limits.take(whose, most)
        if slot is not None:
            self.held = (*self.held, slot)
        return slot is not None

    async def join(self, watcher: Watcher) -> None:
        self.player_id = watcher.player_id
        self.sent: Any = None
        self.bucket = Bucket()
        self.hasty = 0
        self.watcher = watcher
        self.watched.join(watcher)
        await self._put()

    async def _put(self) -> None:
        picture = await self.picture()
        if picture is not None and self.watcher is not None:
            self.watcher.put(picture)

    async def close(self, code: int) -> None:
        """Close the socket once; pending messages may lead here again."""
        if not self.ended:
            self.ended = True
            try:
                await self.base_send({"type": "websocket.close", "code": code})
            except (OSError, RuntimeError) as error:  # as in `say`
                log.info("connection already closed", reason=type(error).__name__)

    async def send_text(self, text: str) -> None:
        metrics.count_frame(text)
        await self.base_send({"type": "websocket.send", "text": text})

    async def disconnect(self) -> None:
        self._forget()

    def _forget(self) -> None:
        for slot in self.held:
            slot.release()
        self.held = ()
        if self.watcher is not None:
            self.watched.leave(self.watcher)

    async def receive(self, text: str | None, data: bytes | None) -> None:
        if self.watcher is None or self.ended:
            return
        if _bytes_in(text, data) > FRAME_LIMIT:  # not every server enforces the limit
            await self.close(TOO_LONG)
        elif not self.bucket.take():
            await self._slow_down()
        else:
            message = _read(text)
            try:
                await self._heed(message)
            except SessionEndedError:
                await self.close(hub.ANOTHER_SESSION)
            except DatabaseError as error:
                log.error("message not processed", reason=type(error).__name__)
                key = message.get("key") if message is not None else None
                failed = ActAnswer(play.FAILED, "", CANNOT)
                await self.answer(str(key) if _short(key) else "", failed)

    async def _slow_down(self) -> None:
        """Refuse a message over the rate limit; close the socket after too many of them."""
        self.hasty += 1
        if self.hasty > PATIENCE:
            metrics.refuse("rate")
            await self.close(TOO_MANY)
        else:
            metrics.actions_refused.labels("slow down").inc()
            await self.answer("", ActAnswer("slow down", "", "Too many messages; wait a moment."))

    async def _heed(self, message: dict[str, Any] | None) -> None:
        if message is None:
            await self.answer("", ActAnswer(play.MALFORMED, "", "That message is not understood."))
        elif "ping" in message:
            await self.say(PONG)
            await self.heal(message)
        elif not await self.act(message):
            await self._check_session()
            if "have" in message or "beat" in message or "refresh" in message:
                await self._refresh(message)
            else:
                await self.take(message)

    async def _check_session(self) -> None:
        if self.session is not None:  # visitors have none
            await sessions.check(self.session)

    async def heal(self, message: dict[str, Any]) -> None:
        """Send what a page lacks according to its ping."""

    async def answer(self, key: str, answer: ActAnswer) -> None:
        await self.say(answer_frame(key, answer.kind, answer.message, answer.stamp))

    async def say(self, text: str) -> None:
        """Send a text, unless the server has closed the connection after a missed ping."""
        try:
            await self.send_text(text)
        except (OSError, RuntimeError) as error:
            log.info("answer not delivered", reason=type(error).__name__)

    async def show(self, picture: Any) -> None:
        before, self.sent = self.sent, picture
        changes = swaps(changed(before.parts if before is not None else {}, picture.parts))
        if changes or before is None or before.stamp != picture.stamp:
            await self.send_text(self.framed(changes, picture.stamp))

    def framed(self, changes: str, stamp: str) -> str:
        return frame(changes, version=stamp)

    async def _refresh(self, message: dict[str, Any]) -> None:
        """Send the current picture; to a heartbeat only if the browser's is outdated."""
        picture = await self.picture()
        if picture is None or self.watcher is None or message.get("beat") == picture.stamp:
            return
        if "beat" in message:
            self.sent = None  # the browser shows something other than it was sent
            metrics.resyncs.labels("event").inc()
        self.watcher.put(picture)


class TableConsumer(WatchingConsumer):
    """Socket of one browser tab at a table; the player's seat is looked up for every action."""

    watched = hub.sockets
    #: Number of the last frame sent, its picture, and the viewer's own values; None until the page
    #: has reported what it shows.
    at: int | None = None
    table = ""
    wire: Wire | None = None
    own: Mapping[str, Any] = MappingProxyType({})
    #: Client key of the player's action in progress.
    key: str | None = None

    @classmethod
    def enter_all(cls, sockets: Collection[Self]) -> Mapping[Self, int | Exception]:
        """Do as `enter` for each socket; note where seated players are about to see their cards."""
        asked = [
            (one.identity.player, one.table_id, invitations(one.identity.session))
            for one in sockets
        ]
        entered: dict[Self, int | Exception] = {}
        seen, reserved, watching = [], [], []
        for one, access in zip(sockets, tables_for(asked), strict=True):
            entered[one] = Http404() if access is None else one.table_id
            player = one.identity.player
            if access is None or player is None:
                continue
            where = Origin(traces.browser_of(one.identity.session), _address(one.scope))
            if access.spectator:
                if player.user_id is not None:  # to keep players from what watchers say
                    watching.append((access.table, player, where))
                continue
            seen.append((access.table, player, where))
            if access.table.reserved and not access.table.solo:
                reserved.append((one.table_id, player.pk, where.address))
        traces.record_all([*seen, *watching])
        whereabouts.record_all(reserved)
        return entered

    @property
    def table_id(self) -> int:
        return int(self.scope["url_route"]["kwargs"]["table_id"])

    async def join(self, watcher: Watcher) -> None:
        self.wire = wire_of(self.scope)
        watcher.old_words = wants_old_words(self.identity.user, self.scope["cookies"])
        newcomer = watcher.player_id not in hub.connected(self.table_id)
        presence.start()
        await super().join(watcher)
        if newcomer and watcher.player_id is not None:
            await presence.arrive(self.table_id, watcher.player_id)
        spectators.changed(self.table_id)

    async def disconnect(self) -> None:
        await super().disconnect()
        player_id = self.watcher.player_id if self.watcher is not None else None
        if self.watcher is not None:
            spectators.changed(self.table_id)
        if player_id is not None and player_id not in hub.connected(self.table_id):
            await presence.depart(self.table_id, player_id)

    async def picture(self) -> OwnPicture | None:
        """Return the table for its player, once the page has reported what it shows."""
        return await self._picture() if self.at is not None else None

    async def _picture(self) -> OwnPicture:
        old_words = self.watcher is not None and self.watcher.old_words
        return await play.picture_for(self.table_id, self.player_id, old_words=old_words)

    async def show(self, picture: OwnPicture) -> None:
        if self.at is None:
            return
        if picture.table.name != self.table:  # rebuilt, so its frames count from one again
            self.table, self.at, self.own = picture.table.name, 0, {}
        if not picture.table.keeps(self.at):
            metrics.resyncs.labels("table").inc()
        frames = picture.frames(self.at, self.own, self.key)
        if self.at != picture.table.number and picture.table.key == self.key:
            self.key = None  # acknowledged by the last frame
        self.at, self.own = picture.table.number, picture.own
        for text in frames:
            if self.wire is not None and self.wire.open:
                metrics.count_frame(text)
                self.wire.write(text)
            else:
                await self.send_text(text.decode())

    async def heal(self, message: dict[str, Any]) -> None:
        if message.get("have", "") in ("", f"{self.table}.{self.at}"):
            return
        await self._check_session()
        await self._refresh(message)

    async def _refresh(self, message: dict[str, Any]) -> None:
        """Read what the page shows, such as ``3f0a92bc.41``, and send what it lacks."""
        picture = await self._picture()
        if self.watcher is None:
            return
        shown = message.get("have")
        name, _, number = shown.partition(".") if isinstance(shown, str) else ("", "", "")
        had = int(number[:9]) if number.isascii() and number.isdigit() else 0
        if name != picture.table.name:
            had = 0
        if had != self.at or self.table != picture.table.name:  # new, or missed frames
            self.table, self.at, self.own = picture.table.name, had, {}
        self.watcher.put(picture)

    async def act(self, message: dict[str, Any]) -> bool:
        text, stamp, key = (message.get(name) for name in ("action", "version", "key"))
        if not (_short(text) and _short(stamp) and _short(key)):
            return False
        decision = Decision(str(text), str(stamp), str(key))
        self.key = decision.key
        answer = await play.act(self.table_id, self.player_id, decision, self.session)
        if self.key is not None or answer.kind != play.DONE:
            await self.answer(str(key), answer)
        self.key = None
        if answer.kind == play.STALE:
            await self._put()
        return True

    async def take(self, message: dict[str, Any]) -> None:
        if "shuffle" in message:
            await self._throw_in(message)
        elif "quick" in message:
            await self._pace(message["quick"])
        else:
            why = "A message needs an action, the version it was decided on, and a key."
            await self.answer("", ActAnswer(play.MALFORMED, "", why))

    async def _pace(self, quick: object) -> None:
        if not isinstance(quick, bool):
            why = "Whether house players shall be quick is true or false."
            await self.answer("", ActAnswer(play.MALFORMED, "", why))
        elif self.player_id is not None:
            ask = partial(identity.ask_for_pace, self.player_id, quick=quick)
            await loop.in_database(ask)

    async def _throw_in(self, message: dict[str, Any]) -> None:
        verb = shuffling.reveal if "number" in message else shuffling.commit
        match = _match(message["shuffle"])
        thrown = _hexadecimal(message.get("number", message.get("commitment")))
        if match is None or thrown is None or self.player_id is None:
            why = (
                "A shuffle needs its id, and a commitment or a number in hexadecimal, by a player."
            )
            await self.answer(SHUFFLE_KEY, ActAnswer(play.MALFORMED, "", why))
            return
        try:
            await loop.in_database(verb, self.table_id, self.player_id, match, thrown)
        except ShuffleError as error:
            await self.answer(SHUFFLE_KEY, ActAnswer(play.ILLEGAL, "", str(error)))


def _enter_all(sockets: Collection[WatchingConsumer]) -> Mapping[WatchingConsumer, int | Exception]:
    name = settings.SESSION_COOKIE_NAME
    keys = {one: one.scope["cookies"].get(name) for one in sockets}
    identities = identities_of({*keys.values()})
    kinds: defaultdict[type[WatchingConsumer], list[WatchingConsumer]] = defaultdict(list)
    for one, key in keys.items():
        one.identity = identities[key]
        kinds[type(one)].append(one)
    entered: dict[WatchingConsumer, int | Exception] = {}
    for kind, some in kinds.items():
        entered |= kind.enter_all(some)
    return entered


_entering: Final = Batcher[WatchingConsumer, int](_enter_all, pause=ENTER_EVERY)


def _entered(socket: WatchingConsumer) -> int | Exception:
    try:
        return socket.enter()
    except Exception as error:  # noqa: BLE001 - raised to its own socket only
        return error


def _match(value: object) -> UUID | None:
    try:
        return UUID(value) if isinstance(value, str) else None
    except ValueError:
        return None


def _hexadecimal(value: object) -> bytes | None:
    if not isinstance(value, str) or len(value) != 64 or set(value) - set("0123456789abcdef"):
        return None
    return bytes.fromhex(value)


def _address(scope: Mapping[str, Any]) -> str:
    forwarded = dict(scope["headers"]).get(b"x-forwarded-for", b"").decode("latin-1")
    peer = (scope.get("client") or ("", 0))[0]
    return address_of(forwarded, peer)


def _read(text: str | None) -> dict[str, Any] | None:
    """Return the fields of a message, bare or in htmx's envelope; None if it is neither."""
    if text is None:
        return None
    try:
        message = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if isinstance(message, dict) and isinstance(message.get("body"), dict):
        message = message["body"]
    return message if isinstance(message, dict) else None


def _bytes_in(text: str | None, data: bytes | None) -> int:
    if text is None:
        return len(data or b"")
    # A text has at least as many bytes as characters.
    if len(text) > FRAME_LIMIT or text.isascii():
        return len(text)
    return len(text.encode(errors="surrogatepass"))


def _short(value: object) -> bool:
    return isinstance(value, str) and 0 < len(value) <= 40
