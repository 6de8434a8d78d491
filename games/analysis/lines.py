"""The board of a link: a position, the lines played on from it, and where one is among them.

A link holds all of it: ``p`` the position, ``lines`` the lines with a dot between them, each the
codes of its actions with ``~`` after them once it was opened again, ``at`` where one is as
``<line>.<step>``, ``seat`` who is looked after, if it is not the side to move of the position, and
``played`` if the first line is what was played.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from string import ascii_uppercase
from typing import Final, NamedTuple, Self
from urllib.parse import urlencode

from games.analysis.completing import PositionError
from games.analysis.positions import BoardPosition
from games.engine.actions import Action
from games.numbers import parse_number

#: Branches kept at most; they are called A, B, C, …
MOST: Final = 6
_LOOKED: Final = "~"


class Line(NamedTuple):
    """Actions from the position on; `looked` says that the line was opened from the list."""

    actions: tuple[Action, ...]
    looked: bool = False


class Board(NamedTuple):
    """A position with its lines, at a step of one of them.

    Attributes:
        root: the position of the link.
        seat: whose board it is: at the bottom of the page, and not played by the house.
        line, step: how many actions of which line have been done; step 0 is the root.
        as_played: whether the first line is what was played in a game.
    """

    root: BoardPosition
    seat: int
    lines: tuple[Line, ...] = ()
    line: int = 0
    step: int = 0
    as_played: bool = False

    @classmethod
    def parse(cls, query: Mapping[str, str]) -> Self:
        """Read a link; raise PositionError, which says what cannot be."""
        root = BoardPosition.parse(query.get("p", ""))
        turn = max(0, root.completed().deal.turn)
        texts = [text for text in query.get("lines", "").split(".") if text]
        if len(texts) > MOST:
            raise PositionError("", f"A link has at most {MOST} lines.")
        lines = tuple([_line(root, text) for text in texts])
        number, _, step = query.get("at", "0.0").partition(".")
        board = cls(
            root,
            _number(query.get("seat", str(turn)), range(root.rules.players)),
            lines,
            line=_number(number, range(max(1, len(lines)))),
            as_played="played" in query,
        )
        whole = lines[board.line].actions if lines else ()
        return board._replace(step=_number(step, range(len(whole) + 1)))

    @property
    def query(self) -> str:
        """Return the link's query, which `parse` reads."""
        found = {"p": self.root.text, "seat": str(self.seat)}
        if self.lines:
            found["lines"] = ".".join(
                _text(self.root, one.actions) + _LOOKED * one.looked for one in self.lines
            )
        if self.as_played:
            found["played"] = "1"
        if self.line or self.step:
            found["at"] = f"{self.line}.{self.step}"
        return urlencode(found, safe=_LOOKED)

    @property
    def here(self) -> BoardPosition:
        """Return the position at this step."""
        return self.position(self.line, self.step)

    @property
    def ahead(self) -> tuple[Action, ...]:
        """Return the actions of the line from this step on."""
        return self.lines[self.line].actions[self.step :] if self.lines else ()

    def position(self, line: int, step: int) -> BoardPosition:
        done = self.lines[line].actions[:step] if step else ()
        return self.root._replace(actions=(*self.root.actions, *done))

    def end(self, line: int) -> BoardPosition:
        return self.position(line, len(self.lines[line].actions))

    def at(self, line: int, step: int) -> Self:
        return self._replace(line=line, step=step)

    @property
    def back(self) -> Self | None:
        """Return the board one step before; before the root, which then is the step before it."""
        if self.step:
            return self._replace(step=self.step - 1)
        if not self.root.actions:
            return None
        *before, last = self.root.actions
        lines = [one._replace(actions=(last, *one.actions)) for one in self.lines]
        root = self.root._replace(actions=tuple(before))
        return self._replace(root=root, lines=tuple(lines) or (Line((last,)),))

    @property
    def on(self) -> Self | None:
        return self._replace(step=self.step + 1) if self.ahead else None

    def opened(self, line: int) -> Self:
        """Return the board at another line, where it leaves the one that is open."""
        looked = self.lines[line]._replace(looked=True)
        lines = (*self.lines[:line], looked, *self.lines[line + 1 :])
        step = min(parting(self.lines[self.line].actions, looked.actions), len(looked.actions))
        return self._replace(lines=lines, line=line, step=step)

    def follows(self, action: Action) -> Self | None:
        """Return the board after an action that a line from here has already, or None."""
        done = (*self._done, action)
        order = sorted(range(len(self.lines)), key=lambda number: number != self.line)
        for number in order:
            if self.lines[number].actions[: len(done)] == done:
                return self.at(number, len(done))
        return None

    def played_on(self, actions: Sequence[Action]) -> Self:
        """Return the board after more actions: the line goes on, or a new one branches off."""
        whole = Line((*self._done, *actions))
        if self.lines and not self.ahead:
            lines = (*self.lines[: self.line], whole, *self.lines[self.line + 1 :])
            return self._replace(lines=lines, step=len(whole.actions))
        lines, as_played = self.lines, self.as_played
        if len(lines) == MOST:
            gone = self._to_forget()
            lines, as_played = lines[:gone] + lines[gone + 1 :], as_played and gone > 0
        return self._replace(
            lines=(*lines, whole),
            line=len(lines),
            step=len(whole.actions),
            as_played=as_played,
        )

    @property
    def _done(self) -> tuple[Action, ...]:
        return self.lines[self.line].actions[: self.step] if self.step else ()

    def _to_forget(self) -> int:
        """Return the oldest line that was never looked at; if all were, the oldest other one.

        What was played, and the line that is open, stay.
        """
        others = [
            number
            for number in range(len(self.lines))
            if number != self.line and not (number == 0 and self.as_played)
        ]
        return min(others, key=lambda number: self.lines[number].looked)


def _number(text: str, among: range) -> int:
    number = parse_number(text)
    if number is None or number not in among:
        raise PositionError("", "There is no such seat, line or step in the position of this link.")
    return number


def letter(line: int) -> str:
    return ascii_uppercase[line]


def parting(one: Sequence[Action], other: Sequence[Action]) -> int:
    """Return after how many actions two lines part."""
    same = 0
    for left, right in zip(one, other, strict=False):
        if left != right:
            break
        same += 1
    return same


def _text(root: BoardPosition, actions: tuple[Action, ...]) -> str:
    return root._replace(actions=actions).text.rpartition(".")[2]


def _line(root: BoardPosition, text: str) -> Line:
    whole = BoardPosition.parse(root.text + text.removesuffix(_LOOKED))
    whole.completed()
    return Line(whole.actions[len(root.actions) :], text.endswith(_LOOKED))
