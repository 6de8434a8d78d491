"""A table's current values, kept between events, and the frames that bring pages up to date.

The shared part of a frame is the same text for everybody and encoded once per event; the changes of
a viewer's own values are appended to it. Frames are numbered: a page says which it had last and is
sent those it missed, or all values if these are no longer kept.
"""

from __future__ import annotations

import json
import secrets
from collections import deque
from collections.abc import Mapping
from typing import Any, Final

from games.engine.observation import Observation
from games.picture import log
from games.picture.cast import Cast, cast_of
from games.picture.log import LogLine
from games.picture.scene import Scene, View, Viewer
from games.picture.values import (
    Values,
    changing_values,
    own_inputs,
    own_values,
    stable_inputs,
    stable_values,
)

#: How many frames are kept for sockets that come back.
KEPT: Final = 20
#: The log's lists, to which lines are only added while a hand is played.
PAST: Final = "log.past"
DEAL: Final = "log.deal"

encode: Final = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


class TablePicture:
    """The shared values of one table and its latest frames.

    name: unique among all processes' pictures. number: how many frames it has made. stamp: the game
    number and version it shows. key: the client key of the latest action, or None.
    """

    def __init__(self) -> None:
        self.name = secrets.token_hex(4)
        self.number = 0
        self.stamp = ""
        self.news = ""
        self.key: str | None = None
        self.cast: Cast = cast_of(("", ""))
        self._version = (0, 0)
        self._inputs: tuple[object, ...] | None = None
        self._changing: Values = {}
        self._stable: Values = {}
        self._past: list[LogLine] = []
        self._bidding: list[LogLine] = []
        self._deal: list[LogLine] = []
        self._frames: deque[str] = deque(maxlen=KEPT)
        self._whole = (0, "")
        self._own: dict[Viewer, OwnPicture] = {}

    @property
    def at(self) -> str:
        """The picture and frame number of a page that is up to date."""
        return f"{self.name}.{self.number}"

    @property
    def values(self) -> Values:
        logs = {PAST: self._past, DEAL: self._deal}
        return {"stamp": self.stamp, **self._changing, **self._stable, **logs}

    def show(self, scene: Scene, seen: Observation | None, key: str | None = None) -> None:
        cast = cast_of(tuple([one.name for one in scene.seats]))
        if len(cast) != len(self.cast):  # other keys: nothing to compare with
            self._changing, self._stable, self._inputs = {}, {}, None
        changing = changing_values(scene, seen, cast)
        changed, self._changing = differences(self._changing, changing), changing
        added: Values = {}
        inputs = stable_inputs(scene, seen)
        if inputs != self._inputs or cast != self.cast:
            self._inputs, self.cast = inputs, cast
            values = stable_values(scene, seen, cast)
            changed |= differences(self._stable, values)
            self._stable = values
            self._bidding = [] if seen is None else list(log.bidding_lines(seen, cast))
            past = _past(scene, seen, cast)
            _add_lines(PAST, self._past, past, changed, added)
            self._past = past
        deal = self._bidding + (
            [] if seen is None else list(log.play_lines(seen, cast, scene.proposals))
        )
        _add_lines(DEAL, self._deal, deal, changed, added)
        self._deal = deal
        if not changed and not added and scene.stamp == self.stamp:
            return
        self.stamp, self.key = scene.stamp, key
        before, self._version = self._version, (scene.game_number, scene.version)
        back = before[0] == scene.game_number and scene.undone_at >= before[1]
        news = log.latest(scene, seen, cast) if seen is not None else ""
        self._add_frame(changed, added, news, back=back)

    def _add_frame(self, changed: Values, added: Values, news: str, *, back: bool) -> None:
        self.number += 1
        fields = [f'"version":"{self.stamp}","from":{self.number - 1},"to":{self.number}']
        if news != self.news:
            self.news = news
            fields.append(f'"say":{encode(news)}')
        if back:
            fields.append('"back":true')
        if changed:
            fields.append(f'"set":{encode(changed)}')
        if added:
            fields.append(f'"add":{encode(added)}')
        self._frames.append(",".join(fields))

    def frames_after(self, number: int) -> list[str]:
        """Return the bodies of the frames after a number (0: none), or of one with all values."""
        if self.keeps(number):
            missed = self.number - number
            return list(self._frames)[len(self._frames) - missed :]
        if self._whole[0] != self.number:
            fields = f'"version":"{self.stamp}","from":0,"to":{self.number},"table":"{self.name}"'
            self._whole = (self.number, f'{fields},"set":{encode(self.values)}')
        return [self._whole[1]]

    def keeps(self, number: int) -> bool:
        return number > 0 and 0 <= self.number - number <= len(self._frames)

    def of(self, view: View) -> OwnPicture:
        """Return one viewer's picture; call it after ``show``."""
        known = self._own.get(view.viewer)
        if known is None:
            known = self._own[view.viewer] = OwnPicture(self)
        known.show(view)
        return known


def differences(before: Mapping[str, Any], values: Mapping[str, Any]) -> Values:
    if not before:
        return dict(values)
    return {name: value for name, value in values.items() if before[name] != value}


def _add_lines(
    name: str, before: list[LogLine], lines: list[LogLine], changed: Values, added: Values
) -> None:
    """Record the lines added to a list, or the whole list if earlier lines have changed."""
    known = len(before)
    if lines[:known] != before or not before:
        if lines != before:
            changed[name] = lines
    elif len(lines) > known:
        added[name] = lines[known:]


def _past(scene: Scene, seen: Observation | None, cast: Cast) -> list[LogLine]:
    if seen is None:
        return []
    records = scene.records[:-1] if seen.result is not None else scene.records
    return list(log.past_lines(records, cast, scene.proposals))


class OwnPicture:
    __slots__ = ("_inputs", "own", "table")

    def __init__(self, table: TablePicture) -> None:
        self.table = table
        self.own: Values = {}
        self._inputs: tuple[object, ...] | None = None

    @property
    def stamp(self) -> str:
        return self.table.stamp

    def show(self, view: View) -> None:
        stable_inputs = own_inputs(view)
        if stable_inputs is None or stable_inputs != self._inputs:
            self._inputs = stable_inputs
            own = own_values(view, self.table.cast)
            if own != self.own:
                self.own = own

    def frames(self, number: int, shown: Mapping[str, Any], key: str | None = None) -> list[str]:
        """Return the frames that bring a page up to date.

        number: the last frame the page has had, 0 for none. shown: the own values it shows. key: of
        an action it is waiting for; if it is the latest, the last frame acknowledges it (``done``).
        """
        table = self.table
        missed = [] if number == table.number else table.frames_after(number)
        more = f',"done":{encode(key)}' if missed and key is not None and key == table.key else ""
        if shown is not self.own:
            mine = differences(shown, self.own)
            if mine:
                more += f',"own":{encode(mine)}'
        if more:
            last = missed.pop() if missed else f'"version":"{self.stamp}"'
            missed.append(last + more)
        return [f"{{{fields}}}" for fields in missed]
