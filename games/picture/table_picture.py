"""A table's present picture, kept between events, and the frames that led to it.

The **shared frame** of an event is the same text for everybody and is made once. Beside it a
viewer is sent their own parts where these have changed. Frames are numbered; a page says which it
has had and is sent those it lacks, or the whole picture when they are kept no longer. The sum of
frames is the page as it would be drawn afresh.
"""

from __future__ import annotations

import json
import secrets
from collections import deque
from collections.abc import Iterator, Mapping
from typing import Any, Final

from markupsafe import Markup

from games.engine.observation import Observation
from games.picture import log, own, stage
from games.picture.cast import Cast, cast_of
from games.picture.draw import filled, log_line, log_list, macro
from games.picture.log import LogLine
from games.picture.scene import Scene, View, Viewer

#: How many frames are kept for sockets that come back.
KEPT: Final = 20

_json: Final = json.JSONEncoder(ensure_ascii=False).encode
_stamp: Final = macro("stamp")


def _in_frame(html: str) -> str:
    """Drawn parts as a JSON text; in single quotes, which JSON leaves as they are.

    What people have written is escaped, so that every double quote belongs to an attribute.
    """
    return _json(html.replace('"', "'"))


class LinesOfLog:
    """A part of the log as it was drawn last."""

    __slots__ = ("html", "id", "lines")

    def __init__(self, part: str) -> None:
        self.id = part
        self.lines: tuple[LogLine, ...] = ()
        self.html: tuple[Markup, ...] = ()

    def advance(self, lines: tuple[LogLine, ...]) -> tuple[Markup, ...] | None:
        """Take the present lines; returns what is added to those before, or None if they differ."""
        known = len(self.lines)
        if self.lines and lines[:known] == self.lines:
            added = tuple([log_line(line) for line in lines[known:]])
            self.lines, self.html = lines, self.html + added
            return added
        self.lines, self.html = lines, tuple([log_line(line) for line in lines])
        return None


class TablePicture:
    """What is shown of one table.

    Attributes:
        name: no other picture has the same.
        number: how many frames it has made.
        stamp: the game number and version it shows.
        cast: everybody at the table.
        news: the latest event in a sentence.
    """

    def __init__(self) -> None:
        self.name = secrets.token_hex(4)
        self.number = 0
        self.stamp = ""
        self._version = (0, 0)
        self.news = ""
        self.cast: Cast = cast_of(("", ""))
        self._values: dict[str, tuple[Any, ...]] = {}
        self._html: dict[str, str] = {}
        self._rests_on: tuple[object, ...] | None = None
        self._past = LinesOfLog("log-past")
        self._deal = LinesOfLog("log-deal")
        self._frames: deque[str] = deque(maxlen=KEPT)
        self._whole = (0, "")
        self._own: dict[Viewer, OwnPicture] = {}

    @property
    def at(self) -> str:
        """What a page shows that has had all frames."""
        return f"{self.name}.{self.number}"

    def show(self, scene: Scene, seen: Observation | None) -> None:
        """Bring the picture up to date.

        Args:
            scene: the table.
            seen: what a spectator may know of the cards; None before the first game.
        """
        cast = cast_of(tuple([seat.name for seat in scene.seats]))
        changed = self._changed(stage.moving_parts(scene, seen, cast), scene.stamp)
        rests_on = stage.rests_on(scene, seen)
        if rests_on != self._rests_on or cast != self.cast:
            self._rests_on, self.cast = rests_on, cast
            changed += self._changed(stage.resting_parts(scene, seen, cast), scene.stamp)
            # The deals before the present one, which is the last record once it is over.
            over = seen is not None and seen.result is not None
            records = scene.records[:-1] if over else scene.records
            past = tuple(log.past_lines(records, cast, scene.told)) if seen is not None else ()
            if self._past.id not in self._html or past != self._past.lines:
                self._past.advance(past)
                changed.append(self._list(self._past))
        deal = tuple(log.deal_lines(seen, cast, scene.told)) if seen is not None else ()
        added: tuple[Markup, ...] | None = ()
        if self._deal.id not in self._html or deal != self._deal.lines:
            added = self._deal.advance(deal)
            whole = self._list(self._deal)
            if added is None:
                changed.append(whole)
        if not changed and not added and scene.stamp == self.stamp:
            return
        news = log.latest(scene, seen, cast) if seen is not None else ""
        before, self._version = self._version, (scene.game_number, scene.version)
        back = before[0] == scene.game_number and scene.undone_at >= before[1]
        self._frame(scene.stamp, changed, added or (), news, back=back)

    def _changed(self, parts: Iterator[stage.Part], stamp: str) -> list[str]:
        """Those parts that are told from other values than before, drawn.

        A clock that only goes on is drawn for pages to come; those that have it count themselves.
        """
        drawn = []
        for part, values in parts:
            before = self._values.get(part)
            if before == values:
                continue
            self._values[part] = values
            self._html[part] = stage.DRAWN_BY[type(values)](values)
            if isinstance(values, stage.Turn) and isinstance(before, stage.Turn):
                goes_on = values._replace(left=before.left) == before and values.left < before.left
                if goes_on and stamp == self.stamp:
                    self._whole = (0, "")
                    continue
            drawn.append(self._html[part])
        return drawn

    def _list(self, book: LinesOfLog) -> str:
        html = self._html[book.id] = log_list(book.id, book.html)
        return html

    def _frame(
        self, stamp: str, changed: list[str], added: tuple[Markup, ...], news: str, *, back: bool
    ) -> None:
        """Note what leads from the picture before to this; back: something was undone since."""
        self.stamp = stamp
        self.number += 1
        fields = [f'"version":"{stamp}","from":{self.number - 1},"to":{self.number}']
        if news != self.news:
            self.news = news
            fields.append(f'"say":{_json(news)}')
        if back:
            fields.append('"back":true')
        if changed:
            fields.append(f'"parts":{_in_frame("".join(changed))}')
        if added:
            fields.append(f'"log":{_in_frame("".join(added))}')
        self._frames.append(",".join(fields))

    def frames_after(self, number: int) -> list[str]:
        """The insides of the frames that lead from an earlier picture to the present one.

        Args:
            number: of the earlier picture; 0 for a page that has none.
        """
        if self.keeps(number):
            missed = self.number - number
            return list(self._frames)[len(self._frames) - missed :]
        if self._whole[0] != self.number:
            whole = _in_frame("".join(self._html.values()))
            fields = f'"version":"{self.stamp}","from":0,"to":{self.number}'
            self._whole = (self.number, f'{fields},"table":"{self.name}","parts":{whole}')
        return [self._whole[1]]

    def keeps(self, number: int) -> bool:
        """Whether the frames that lead on from an earlier picture are kept still."""
        return number > 0 and 0 <= self.number - number <= len(self._frames)

    def of(self, view: View) -> OwnPicture:
        """The picture of one viewer, their own parts with it; call it after ``show``.

        Args:
            view: all that the viewer is shown.
        """
        known = self._own.get(view.viewer)
        if known is None:
            known = self._own[view.viewer] = OwnPicture(self)
        known.show(view)
        return known

    def parts(self) -> Iterator[tuple[str, str]]:
        """What everybody sees, part by part, as it stands on a page."""
        yield "stamp", _stamp(self.stamp)
        for part, html in self._html.items():
            yield part, filled(html)


class OwnPicture:
    """A table as one viewer sees it.

    Attributes:
        table: what everybody sees.
        own: the viewer's own parts as HTML, by id; another mapping whenever one has changed.
    """

    __slots__ = ("_hand_after", "_rests_on", "_values", "own", "table")

    def __init__(self, table: TablePicture) -> None:
        self.table = table
        self.own: Mapping[str, str] = {}
        self._values: dict[str, tuple[Any, ...]] = {}
        self._rests_on: tuple[object, ...] | None = None
        #: A hand as it was drawn, and what is sent to a page that shows it.
        self._hand_after = ("", "")

    @property
    def stamp(self) -> str:
        """The game number and version it shows."""
        return self.table.stamp

    def show(self, view: View) -> None:
        """Bring the viewer's own parts up to date."""
        parts: list[tuple[str, tuple[Any, ...]]] = [own.undo_part(view)]
        rests_on = own.rests_on(view)
        if rests_on is None or rests_on != self._rests_on:
            self._rests_on = rests_on
            parts += own.own_parts(view, self.table.cast)
        changed = {}
        for part, value in parts:
            before = self._values.get(part)
            if before != value:
                self._values[part] = value
                changed[part] = own.draw_own(value)
                if isinstance(value, own.Hand) and isinstance(before, own.Hand):
                    self._hand_after = (self.own[part], own.draw_hand_after(value, before))
        if changed:
            self.own = {**self.own, **changed}

    @property
    def parts(self) -> Mapping[str, str]:
        """All parts of the viewer's page, by id."""
        return dict(self.table.parts()) | {part: filled(html) for part, html in self.own.items()}

    def frames(self, number: int, shown: Mapping[str, str]) -> list[str]:
        """The frames that lead from what a page shows to this picture.

        Args:
            number: the last frame it has had, 0 for none.
            shown: the viewer's own parts that it shows.
        """
        missed = [] if number == self.table.number else self.table.frames_after(number)
        changed = {part: html for part, html in self.own.items() if shown.get(part) is not html}
        if "hand" in changed and shown.get("hand") is self._hand_after[0]:
            changed["hand"] = self._hand_after[1]
        mine = "".join(changed.values())
        if mine:
            last = missed.pop() if missed else f'"version":"{self.stamp}"'
            missed.append(f'{last},"own":{_in_frame(mine)}')
        return [f"{{{fields}}}" for fields in missed]
