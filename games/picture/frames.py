"""A table's present values, kept between events, and the frames that led to them.

The **shared frame** of an event is the same text for everybody and is encoded once; a viewer's own
values that have changed are joined to it. Frames are numbered: a page says which it has had, and is
sent those it lacks, or all values where these are kept no longer.
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
    moving_values,
    own_rests_on,
    own_values,
    resting_values,
    rests_on,
)

#: How many frames are kept for sockets that come back.
KEPT: Final = 20
#: The lists to which lines are only added while a hand is played.
PAST: Final = "log.past"
DEAL: Final = "log.deal"

encode: Final = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


class TablePicture:
    """What everybody sees of one table.

    Attributes:
        name: no other picture has the same.
        number: how many frames it has made.
        stamp: the game number and version it shows.
        cast: the players.
        news: the latest event in a sentence.
        key: the client key of the action it shows, or None.
    """

    def __init__(self) -> None:
        self.name = secrets.token_hex(4)
        self.number = 0
        self.stamp = ""
        self.news = ""
        self.key: str | None = None
        self.cast: Cast = cast_of(("", ""))
        self._version = (0, 0)
        self._rests_on: tuple[object, ...] | None = None
        self._moving: Values = {}
        self._resting: Values = {}
        self._past: list[LogLine] = []
        self._bidding: list[LogLine] = []
        self._deal: list[LogLine] = []
        self._frames: deque[str] = deque(maxlen=KEPT)
        self._whole = (0, "")
        self._own: dict[Viewer, OwnPicture] = {}

    @property
    def at(self) -> str:
        """What a page shows that has had all frames."""
        return f"{self.name}.{self.number}"

    @property
    def values(self) -> Values:
        """All that everybody sees."""
        logs = {PAST: self._past, DEAL: self._deal}
        return {"stamp": self.stamp, **self._moving, **self._resting, **logs}

    def show(self, scene: Scene, seen: Observation | None, key: str | None = None) -> None:
        """Bring the values up to date.

        Args:
            scene: the table.
            seen: what a spectator may know of the cards; None before the first game.
            key: the client key of the latest action, if it had one.
        """
        cast = cast_of(tuple([one.name for one in scene.seats]))
        moving = moving_values(scene, seen, cast)
        changed, self._moving = differences(self._moving, moving), moving
        added: Values = {}
        resting = rests_on(scene, seen)
        if resting != self._rests_on or cast != self.cast:
            self._rests_on, self.cast = resting, cast
            values = resting_values(scene, seen, cast)
            changed |= differences(self._resting, values)
            self._resting = values
            self._bidding = [] if seen is None else list(log.bidding_lines(seen, cast))
            past = _past(scene, seen, cast)
            _add_lines(PAST, self._past, past, changed, added)
            self._past = past
        deal = self._bidding + (
            [] if seen is None else list(log.play_lines(seen, cast, scene.told))
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
        """Keep what leads from the values before to these; back: something was undone since."""
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
        """Return the insides of the frames that lead from an earlier picture to this one.

        Args:
            number: of the earlier picture; 0 for a page that has none.
        """
        if self.keeps(number):
            missed = self.number - number
            return list(self._frames)[len(self._frames) - missed :]
        if self._whole[0] != self.number:
            fields = f'"version":"{self.stamp}","from":0,"to":{self.number},"table":"{self.name}"'
            self._whole = (self.number, f'{fields},"set":{encode(self.values)}')
        return [self._whole[1]]

    def keeps(self, number: int) -> bool:
        """Whether the frames that lead on from an earlier picture are still kept."""
        return number > 0 and 0 <= self.number - number <= len(self._frames)

    def of(self, view: View) -> OwnPicture:
        """Return the picture of one viewer; call it after ``show``.

        Args:
            view: all that the viewer is shown.
        """
        known = self._own.get(view.viewer)
        if known is None:
            known = self._own[view.viewer] = OwnPicture(self)
        known.show(view)
        return known


def differences(before: Mapping[str, Any], values: Mapping[str, Any]) -> Values:
    """Return the values that are not as they were before."""
    if not before:
        return dict(values)
    return {name: value for name, value in values.items() if before[name] != value}


def _add_lines(
    name: str, before: list[LogLine], lines: list[LogLine], changed: Values, added: Values
) -> None:
    """Note the lines that have come to a list, or all of them where earlier ones have changed."""
    known = len(before)
    if lines[:known] != before or not before:
        if lines != before:
            changed[name] = lines
    elif len(lines) > known:
        added[name] = lines[known:]


def _past(scene: Scene, seen: Observation | None, cast: Cast) -> list[LogLine]:
    """The lines of the deals before the present one, which is the last record once it is over."""
    if seen is None:
        return []
    records = scene.records[:-1] if seen.result is not None else scene.records
    return list(log.past_lines(records, cast, scene.told))


class OwnPicture:
    """A table as one viewer sees it.

    Attributes:
        table: what everybody sees.
        own: the viewer's own values; another dictionary whenever one has changed.
    """

    __slots__ = ("_rests_on", "own", "table")

    def __init__(self, table: TablePicture) -> None:
        self.table = table
        self.own: Values = {}
        self._rests_on: tuple[object, ...] | None = None

    @property
    def stamp(self) -> str:
        """The game number and version it shows."""
        return self.table.stamp

    def show(self, view: View) -> None:
        """Bring the viewer's own values up to date."""
        rests_on = own_rests_on(view)
        if rests_on is None or rests_on != self._rests_on:
            self._rests_on = rests_on
            own = own_values(view, self.table.cast)
            if own != self.own:
                self.own = own

    def frames(self, number: int, shown: Mapping[str, Any], key: str | None = None) -> list[str]:
        """Return the frames that lead from what a page shows to this picture.

        Args:
            number: the last frame it has had, 0 for none.
            shown: the own values that it shows.
            key: the client key of an action that this page waits for; if it is what the last
                frame shows, that frame says that it is done.
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
