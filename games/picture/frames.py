"""A table's current values, kept between events, and the frames that bring pages up to date.

The shared part of a frame is the same bytes for everybody and encoded once per event; the changes
of a viewer's own values are appended to it. Frames are numbered: a page says which it had last and
is sent those it missed, or all values if these are no longer kept.
"""

from __future__ import annotations

import secrets
from collections import deque
from collections.abc import Hashable, Mapping
from operator import attrgetter
from typing import Any, Final

import msgspec

from games.engine.observation import DONE, Observation
from games.picture import log
from games.picture.cast import Cast, cast_of
from games.picture.log import Line
from games.picture.scene import Scene, View
from games.picture.values import (
    SECTIONS,
    Section,
    Values,
    asked_reads,
    asked_values,
    undo_values,
    waiting_reads,
    waiting_values,
)
from games.picture.wording import Play

#: How many frames are kept for sockets that come back, and for how many viewers their own values.
KEPT: Final = 20
VIEWERS: Final = 1000
#: The log's lists, to which lines are only added while a hand is played.
PAST: Final = "log.past"
DEAL: Final = "log.deal"
LOGS: Final = (PAST, DEAL)

encode: Final = msgspec.json.encode


class TablePicture:
    """The shared values of one table and its latest frames.

    name: unique among all processes' pictures. number: how many frames it has made. stamp: the game
    number and version it shows. key: the client key of the latest action, or None. latest: the
    last frame without anybody's own values.
    """

    def __init__(self) -> None:
        self.name = secrets.token_hex(4)
        self.number = 0
        self.stamp = ""
        self.news: str | Play = ""
        self.key: str | None = None
        self.cast: Cast = cast_of(("", ""))
        self._version = (0, 0)
        self._reads: list[object] = [None] * len(_PARTS)
        self._values: Values = {}
        self._called: tuple[object, ...] = ()
        self._bidding: list[Line] = []
        self._frames: deque[bytes] = deque(maxlen=KEPT)
        self.latest = b""
        self._whole = (0, b"")
        self._own: dict[Hashable, OwnPicture] = {}

    @property
    def at(self) -> str:
        """The picture and frame number of a page that is up to date."""
        return f"{self.name}.{self.number}"

    @property
    def values(self) -> Values:
        return {"stamp": self.stamp, **self._values}

    def show(self, scene: Scene, seen: Observation | None, key: str | None = None) -> None:
        cast = cast_of(tuple([one.name for one in scene.seats]))
        if len(cast) != len(self.cast):  # other names: nothing to compare with
            self._values = {}
        self.cast = cast
        changed, added = self._changes(scene, seen)
        if not changed and not added and scene.stamp == self.stamp:
            return
        self.stamp, self.key = scene.stamp, key
        if scene.veiled and seen is not None and seen.phase == DONE:
            self._frames.clear()  # they hold the cards of a deal that is gone
        before, self._version = self._version, (scene.game_number, scene.version)
        back = before[0] == scene.game_number and scene.undone_at >= before[1]
        news = log.latest(scene, seen, cast) if seen is not None else ""
        self._add_frame(changed, added, news, back=back)

    def _changes(self, scene: Scene, seen: Observation | None) -> tuple[Values, Values]:
        """Bring the values up to date; return those that differ, and lines added to the log."""
        changed, added = Values(), Values()
        for number, section in enumerate(_PARTS):
            made_from = section.reads(scene, seen)
            if made_from is not None:
                if (self.cast, made_from) == self._reads[number]:
                    continue
                self._reads[number] = (self.cast, made_from)
            self._set(section.values(scene, seen, self.cast), changed, added)
        self._set({DEAL: self._deal_lines(scene, seen)}, changed, added)
        return changed, added

    def _set(self, new: Values, changed: Values, added: Values) -> None:
        values = self._values
        for name, value in new.items():
            if name in values and values[name] == value:
                continue
            before, values[name] = values.get(name), value
            if name in LOGS and before and before == value[: len(before)]:
                added[name] = value[len(before) :]
            else:
                changed[name] = value

    def _deal_lines(self, scene: Scene, seen: Observation | None) -> list[Line]:
        if seen is None or (scene.veiled and seen.phase == DONE):
            return []
        called = (
            self.cast, seen.calls, seen.phase, seen.turn_up, seen.turned_suit, seen.standing,
            seen.dealer, seen.sitting_out, seen.maker, seen.answers,
        )  # fmt: skip
        if called != self._called:
            self._called, self._bidding = called, list(log.bidding_lines(seen, self.cast))
            if scene.solo:
                del self._bidding[0]  # the number of the deal, which the page shows beside
        return [*self._bidding, *log.play_lines(seen, self.cast, scene.proposals)]

    def _add_frame(self, changed: Values, added: Values, news: str | Play, *, back: bool) -> None:
        self.number += 1
        fields = [
            b'"version":"%b","from":%d,"to":%d'
            % (self.stamp.encode(), self.number - 1, self.number)
        ]
        if news != self.news:
            self.news = news
            fields.append(b'"say":' + encode(news))
        if back:
            fields.append(b'"back":true')
        if changed:
            fields.append(b'"set":' + encode(changed))
        if added:
            fields.append(b'"add":' + encode(added))
        body = b",".join(fields)
        self._frames.append(body)
        self.latest = b"{%b}" % body

    def frames_after(self, number: int) -> list[bytes]:
        """Return the bodies of the frames after a number (0: none), or of one with all values."""
        if self.keeps(number):
            missed = self.number - number
            return list(self._frames)[len(self._frames) - missed :]
        if self._whole[0] != self.number:
            fields = b'"version":"%b","from":0,"to":%d,"table":"%b","set":%b' % (
                self.stamp.encode(), self.number, self.name.encode(), encode(self.values),
            )  # fmt: skip
            self._whole = (self.number, fields)
        return [self._whole[1]]

    def keeps(self, number: int) -> bool:
        return number > 0 and 0 <= self.number - number <= len(self._frames)

    def of(self, viewer: Hashable) -> OwnPicture:
        """Return a viewer's picture; beyond ``VIEWERS`` the one made first is forgotten."""
        picture = self._own.get(viewer)
        if picture is None:
            if len(self._own) == VIEWERS:
                del self._own[next(iter(self._own))]
            picture = self._own[viewer] = OwnPicture(self)
        return picture


def _past(scene: Scene, seen: Observation | None, cast: Cast) -> Values:
    if seen is None:
        return {PAST: []}
    records = scene.records[:-1] if seen.result is not None else scene.records
    return {PAST: list(log.past_lines(records, cast, scene.proposals))}


_PARTS: Final = (
    *SECTIONS,
    Section(_past, attrgetter("records", "proposals"), attrgetter("result", "dealer")),
)


def differences(before: Mapping[str, Any], values: Mapping[str, Any]) -> Values:
    if not before:
        return dict(values)
    return {name: value for name, value in values.items() if before[name] != value}


class OwnPicture:
    """One viewer's own values.

    view: the last. place: all that it depends on besides the cards, or None if time can change it.
    waits: what `Game.waiting` said of the viewer's seat.
    """

    __slots__ = (
        "_asked", "_before", "_changed", "_waiting", "own", "place", "table", "view", "waits",
    )  # fmt: skip

    def __init__(self, table: TablePicture) -> None:
        self.table = table
        self.own: Values = {}
        self.view: View | None = None
        self.place: tuple[object, ...] | None = None
        self.waits: tuple[object, ...] | None = None
        self._before: Values = {}
        self._changed = b""
        self._asked: tuple[object, ...] | None = None
        self._waiting: tuple[object, ...] | None = None

    @property
    def stamp(self) -> str:
        return self.table.stamp

    def show(self, view: View) -> None:
        """Bring the values up to date; call it after the table's ``show``."""
        cast = self.table.cast
        changed = undo_values(view.scene, view.viewer.seat)
        waiting = waiting_reads(view)
        if waiting != self._waiting:
            self._waiting = waiting
            changed |= waiting_values(view, cast)
        asked = asked_reads(view)
        if asked is None or asked != self._asked:
            self._asked = asked
            changed |= asked_values(view, cast)
        self._set(changed)

    def show_undo(self, scene: Scene, seat: int | None) -> None:
        """Do as ``show`` for a viewer whom the cards have not touched."""
        self._set(undo_values(scene, seat))

    def _set(self, changed: Values) -> None:
        own = self.own
        differing = {
            name: value for name, value in changed.items() if name not in own or own[name] != value
        }
        if differing:
            self._before, self.own = own, {**own, **differing}
            self._changed = encode(differing)

    def frames(self, number: int, shown: Mapping[str, Any], key: str | None = None) -> list[bytes]:
        """Return the frames that bring a page up to date, in UTF-8.

        number: the last frame the page has had, 0 for none. shown: the own values it shows. key: of
        an action it is waiting for; if it is the latest, the last frame acknowledges it (``done``).
        """
        table = self.table
        done = key is not None and key == table.key
        if 0 < number == table.number - 1 and shown is self.own and not done:
            return [table.latest]  # the same for all viewers
        missed = [] if number == table.number else table.frames_after(number)
        more = b',"done":' + encode(key) if missed and done else b""
        if shown is self._before:
            more += b',"own":' + self._changed
        elif shown is not self.own and (mine := differences(shown, self.own)):
            more += b',"own":' + encode(mine)
        if more:
            last = missed.pop() if missed else b'"version":"%b"' % self.stamp.encode()
            missed.append(last + more)
        return [b"{%b}" % fields for fields in missed]
