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
        values: what everybody sees; another dictionary whenever something has changed.
        key: the client key of the action it shows, or None.
    """

    def __init__(self) -> None:
        self.name = secrets.token_hex(4)
        self.number = 0
        self.stamp = ""
        self.news = ""
        self.key: str | None = None
        self.cast: Cast = cast_of(("", ""))
        self.values: Values = {}
        self._version = (0, 0)
        self._rests_on: tuple[object, ...] | None = None
        self._resting: Values = {}
        self._frames: deque[str] = deque(maxlen=KEPT)
        self._whole = (0, "")
        self._own: dict[Viewer, OwnPicture] = {}

    @property
    def at(self) -> str:
        """What a page shows that has had all frames."""
        return f"{self.name}.{self.number}"

    def show(self, scene: Scene, seen: Observation | None, key: str | None = None) -> None:
        """Bring the values up to date.

        Args:
            scene: the table.
            seen: what a spectator may know of the cards; None before the first game.
            key: the client key of the latest action, if it had one.
        """
        cast, before = cast_of(tuple([one.name for one in scene.seats])), self.values
        added: Values = {}
        resting = rests_on(scene, seen)
        if resting != self._rests_on or cast != self.cast:
            self._rests_on, self.cast = resting, cast
            self._resting = resting_values(scene, seen, cast)
            self._resting[PAST] = _past(scene, seen, cast)
        values = {"stamp": scene.stamp, **moving_values(scene, seen, cast), **self._resting}
        values[DEAL] = list(log.deal_lines(seen, cast, scene.told)) if seen is not None else []
        changed = {
            name: value
            for name, value in values.items()
            if name not in before or before[name] != value
        }
        if not changed:
            return
        for name in (PAST, DEAL):
            known = before.get(name)
            if name in changed and known and values[name][: len(known)] == known:
                added[name] = changed.pop(name)[len(known) :]
        self.values, self.stamp, self.key = values, scene.stamp, key
        changed.pop("stamp", None)
        at, self._version = self._version, (scene.game_number, scene.version)
        back = at[0] == scene.game_number and scene.undone_at >= at[1]
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
            mine = {name: value for name, value in self.own.items() if _differs(shown, name, value)}
            if mine:
                more += f',"own":{encode(mine)}'
        if more:
            last = missed.pop() if missed else f'"version":"{self.stamp}"'
            missed.append(last + more)
        return [f"{{{fields}}}" for fields in missed]


def _differs(shown: Mapping[str, Any], name: str, value: Any) -> bool:
    return name not in shown or shown[name] != value
