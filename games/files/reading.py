"""Reads JSON from strangers: strictly, within bounds, and always saying where it is wrong."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any, Final, NoReturn

#: What stands for the place of something that concerns the whole file.
WHOLE: Final = "the file"
#: The largest file that is read, in bytes.
LARGEST: Final = 1_000_000
#: How much of a wrong value is repeated to its sender.
_SHOWN: Final = 40


class FileError(Exception):
    """A file that cannot be read as a game.

    Args:
        place: the path of the value that is wrong, such as ``deals[2].phases[0].calls[1]``.
        reason: what is wrong with it and what was allowed, as a sentence.
    """

    def __init__(self, place: str, reason: str) -> None:
        self.place = place or WHOLE
        self.reason = reason
        super().__init__(f"{self.place}: {reason}")


class CannotHoldError(Exception):
    """A game that a format has no way to write; the message says why, as a sentence."""


@dataclass(frozen=True, slots=True)
class FileNode:
    """A value inside a file and the path that leads to it.

    Every method that reads raises FileError, with the place, when the value is of another kind
    or out of bounds.
    """

    value: Any
    place: str = ""

    def refuse(self, reason: str) -> NoReturn:
        """Say that this value is wrong."""
        raise FileError(self.place, reason)

    def __getitem__(self, key: str) -> FileNode:
        """The value of a key that is there, of an object that was read."""
        dot = "." if self.place else ""
        return FileNode(self.value[key], f"{self.place}{dot}{key}")

    def fields(
        self, needed: Collection[str], allowed: Collection[str] = ()
    ) -> Mapping[str, FileNode]:
        """Read an object with exactly these keys, the allowed ones if they are there."""
        if not isinstance(self.value, dict):
            self.refuse(f"This must be an object, not {shown(self.value)}.")
        for key in self.value:
            if key not in needed and key not in allowed:
                known = ", ".join(dict.fromkeys((*needed, *allowed)))
                self.refuse(f"There is no key {shown(key)} here; there may be: {known}.")
        for key in needed:
            if key not in self.value:
                self.refuse(f"The key {key} is missing.")
        return {key: self[key] for key in self.value}

    def ordered(self, *keys: str) -> Mapping[str, FileNode]:
        """Read an object with exactly these keys in this order."""
        found = self.fields(keys)
        if tuple(found) != keys:
            self.refuse(f"The keys here must stand in the order {', '.join(keys)}.")
        return found

    def items(self, least: int = 0, most: int | None = None) -> list[FileNode]:
        """Read a list with a number of entries within bounds."""
        if not isinstance(self.value, list):
            self.refuse(f"This must be a list, not {shown(self.value)}.")
        count = len(self.value)
        if count < least or (most is not None and count > most):
            bounds = (
                f"{least}" if most == least else f"{least} to {'any' if most is None else most}"
            )
            self.refuse(f"This list must have {bounds} entries, not {count}.")
        return [FileNode(value, f"{self.place}[{at}]") for at, value in enumerate(self.value)]

    def text(self, most: int = 200) -> str:
        """Read a text of visible characters, of 1 to so many."""
        if not isinstance(self.value, str):
            self.refuse(f"This must be a text, not {shown(self.value)}.")
        if not self.value.strip() or len(self.value) > most:
            self.refuse(f"This must be a text of 1 to {most} characters.")
        if not self.value.isprintable():
            self.refuse("This text must have no line breaks or invisible characters.")
        return self.value

    def words(self, most: int) -> str:
        """Read a text of up to so many visible characters and line breaks; it may be empty."""
        if not isinstance(self.value, str) or len(self.value) > most:
            self.refuse(f"This must be a text of at most {most} characters.")
        if not all(line.isprintable() for line in self.value.splitlines()):
            self.refuse("This text must have no invisible characters.")
        return self.value

    def number(self, low: int, high: int) -> int:
        """Read a whole number within bounds."""
        if type(self.value) is not int or not low <= self.value <= high:
            bounds = f"{low}" if low == high else f"a whole number from {low} to {high}"
            self.refuse(f"This must be {bounds}, not {shown(self.value)}.")
        return self.value

    def flag(self) -> bool:
        """Read true or false."""
        if not isinstance(self.value, bool):
            self.refuse(f"This must be true or false, not {shown(self.value)}.")
        return self.value

    def choice(self, allowed: Collection[str]) -> str:
        """Read one of some texts."""
        if not isinstance(self.value, str) or self.value not in allowed:
            self.refuse(f"This must be one of {', '.join(allowed)}, not {shown(self.value)}.")
        return self.value

    def hexadecimal(self, size: int) -> bytes:
        """Read so many bytes, written as two small hexadecimal digits each."""
        text = self.text(2 * size)
        if len(text) != 2 * size or set(text) - set("0123456789abcdef"):
            self.refuse(f"This must be {2 * size} digits 0 to 9 and a to f.")
        return bytes.fromhex(text)


def shown(value: Any) -> str:
    """A wrong value as its sender is told of it: shortened, and nothing but visible characters."""
    if isinstance(value, dict):
        return "an object"
    if isinstance(value, list):
        return "a list"
    text = json.dumps(value)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"


class _Doubled(dict[str, Any]):
    """An object in which a key stands twice."""

    def __init__(self, fields: Mapping[str, Any], key: str) -> None:
        super().__init__(fields)
        self.key = key


def load(data: bytes) -> FileNode:
    """Read a file as JSON.

    Raises:
        FileError: it is too large, not UTF-8 or not JSON, or an object has a key twice.
    """
    if len(data) > LARGEST:
        raise FileError("", f"A game file has at most {LARGEST:,} bytes, this one {len(data):,}.")
    doubled: list[_Doubled] = []

    def read_object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) == len(pairs):
            return found
        key = Counter(key for key, _ in pairs).most_common(1)[0][0]
        doubled.append(_Doubled(found, key))
        return doubled[-1]

    def refuse_constant(name: str) -> NoReturn:
        raise FileError("", f"{name} is not a number that JSON knows.")

    try:
        text = data.decode("utf-8-sig")
        file = FileNode(
            json.loads(text, object_pairs_hook=read_object, parse_constant=refuse_constant)
        )
        if doubled:
            _refuse_doubled(file)
    except UnicodeDecodeError as why:
        raise FileError("", f"This is not text in UTF-8 (byte {why.start}).") from None
    except json.JSONDecodeError as why:
        place = f"line {why.lineno}, column {why.colno}"
        raise FileError(place, f"This is not JSON: {why.msg}.") from None
    except RecursionError:
        raise FileError("", "This is nested too deeply to be a game.") from None
    except ValueError:
        raise FileError("", "There is a number here that is too long.") from None
    return file


def _refuse_doubled(node: FileNode) -> None:
    """Refuse the first object inside a value that has a key twice."""
    if isinstance(node.value, _Doubled):
        node.refuse(f"The key {shown(node.value.key)} stands twice in this object.")
    if isinstance(node.value, dict):
        for key, value in node.value.items():
            # A plain name stands as it is in a place, any other as JSON, in brackets.
            plain = key.isascii() and key.isidentifier() and len(key) <= _SHOWN
            step = f"{'.' if node.place else ''}{key}" if plain else f"[{shown(key)}]"
            _refuse_doubled(FileNode(value, node.place + step))
    elif isinstance(node.value, list):
        for one in node.items():
            _refuse_doubled(one)
