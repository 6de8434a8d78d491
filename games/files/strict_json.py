"""Strict, bounded reading of JSON files from untrusted sources, with the place of each error.

pydantic was tried and not kept. It accepts duplicate keys and keys in any order, which records must
not have; bounds that depend on the rule set (seats, cards of the pack) need validators anyway; and
its messages ("Input should be a valid integer") do not say what a person should write instead.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final, NoReturn

#: The place of an error that concerns the whole file.
WHOLE: Final = "the file"
#: The largest file that is read, in bytes.
MAX_BYTES: Final = 1_000_000
#: How many characters of a wrong value a message repeats.
_MAX_SHOWN: Final = 40


class FileError(Exception):
    """A file that cannot be read as a game; `place` is such as ``deals[2].phases[0].calls[1]``."""

    def __init__(self, place: str, reason: str) -> None:
        self.place = place or WHOLE
        self.reason = reason
        super().__init__(f"{self.place}: {reason}")


class UnsupportedGameError(Exception):
    """A game that a format cannot represent; the message is a sentence that says why."""


@dataclass(frozen=True, slots=True)
class FileNode:
    """A value inside a file and its path.

    Every method that reads raises FileError with the place if the value is of another type or out
    of bounds.
    """

    value: Any
    place: str = ""

    def refuse(self, reason: str) -> NoReturn:
        raise FileError(self.place, reason)

    def __getitem__(self, key: str) -> FileNode:
        dot = "." if self.place else ""
        return FileNode(self.value[key], f"{self.place}{dot}{key}")

    def fields(
        self,
        needed: Collection[str],
        allowed: Collection[str] = (),
        older: Mapping[str, str] = MappingProxyType({}),
    ) -> Mapping[str, FileNode]:
        """Read an object with all needed keys and any of the allowed ones.

        `older` names of keys are read as the names of today.
        """
        if not isinstance(self.value, dict):
            self.refuse(f"This must be an object, not {shown(self.value)}.")
        found: dict[str, FileNode] = {}
        for key in self.value:
            name = older.get(key, key)
            if name not in needed and name not in allowed:
                known = ", ".join(dict.fromkeys((*needed, *allowed)))
                self.refuse(f"Unknown key {shown(key)}; expected one of: {known}.")
            if name in found:
                self.refuse(f"The key {name} is here twice, under its older name too.")
            found[name] = self[key]
        for key in needed:
            if key not in found:
                self.refuse(f"The key {key} is missing.")
        return found

    def ordered(self, *keys: str) -> Mapping[str, FileNode]:
        """Read an object with exactly these keys in this order."""
        found = self.fields(keys)
        if tuple(found) != keys:
            self.refuse(f"The keys here must be in the order {', '.join(keys)}.")
        return found

    def items(self, least: int = 0, most: int | None = None) -> list[FileNode]:
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
        """Read a text of 1 to ``most`` visible characters."""
        if not isinstance(self.value, str):
            self.refuse(f"This must be a text, not {shown(self.value)}.")
        if not self.value.strip() or len(self.value) > most:
            self.refuse(f"This must be a text of 1 to {most} characters.")
        if not self.value.isprintable():
            self.refuse("This text must have no line breaks or invisible characters.")
        return self.value

    def words(self, most: int) -> str:
        """Read a text of up to ``most`` visible characters and line breaks; it may be empty."""
        if not isinstance(self.value, str) or len(self.value) > most:
            self.refuse(f"This must be a text of at most {most} characters.")
        if not all(line.isprintable() for line in self.value.splitlines()):
            self.refuse("This text must have no invisible characters.")
        return self.value

    def number(self, low: int, high: int) -> int:
        if type(self.value) is not int or not low <= self.value <= high:
            bounds = f"{low}" if low == high else f"a whole number from {low} to {high}"
            self.refuse(f"This must be {bounds}, not {shown(self.value)}.")
        return self.value

    def flag(self) -> bool:
        if not isinstance(self.value, bool):
            self.refuse(f"This must be true or false, not {shown(self.value)}.")
        return self.value

    def choice(self, allowed: Collection[str]) -> str:
        if not isinstance(self.value, str) or self.value not in allowed:
            self.refuse(f"This must be one of {', '.join(allowed)}, not {shown(self.value)}.")
        return self.value

    def hexadecimal(self, size: int) -> bytes:
        """Read ``size`` bytes, written as two lower-case hexadecimal digits each."""
        text = self.text(2 * size)
        if len(text) != 2 * size or set(text) - set("0123456789abcdef"):
            self.refuse(f"This must be {2 * size} digits 0 to 9 and a to f.")
        return bytes.fromhex(text)


def shown(value: Any) -> str:
    """Return a wrong value for a message: shortened, and visible characters only."""
    if isinstance(value, dict):
        return "an object"
    if isinstance(value, list):
        return "a list"
    text = json.dumps(value)
    return text if len(text) <= _MAX_SHOWN else f"{text[:_MAX_SHOWN]}…"


class _Duplicated(dict[str, Any]):
    def __init__(self, fields: Mapping[str, Any], key: str) -> None:
        super().__init__(fields)
        self.key = key


def decoded(data: bytes) -> str:
    """Return the text of a file; raise FileError if it is too large or not UTF-8."""
    if len(data) > MAX_BYTES:
        raise FileError(
            "", f"A game file may have at most {MAX_BYTES:,} bytes; this one has {len(data):,}."
        )
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as why:
        raise FileError("", f"This is not text in UTF-8 (byte {why.start}).") from None


def load(data: bytes) -> FileNode:
    return load_text(decoded(data))


def load_text(text: str, place: str = "") -> FileNode:
    """Parse JSON; raise FileError if it is not JSON or has duplicate keys.

    place: of the text inside a file of another format.
    """
    duplicated: list[_Duplicated] = []

    def read_object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) == len(pairs):
            return found
        key = Counter(key for key, _ in pairs).most_common(1)[0][0]
        duplicated.append(_Duplicated(found, key))
        return duplicated[-1]

    def refuse_constant(name: str) -> NoReturn:
        raise FileError(place, f"{name} is not a number in JSON.")

    try:
        file = FileNode(
            json.loads(text, object_pairs_hook=read_object, parse_constant=refuse_constant), place
        )
        if duplicated:
            _refuse_duplicated(file)
    except json.JSONDecodeError as why:
        place = place or f"line {why.lineno}, column {why.colno}"
        raise FileError(place, f"This is not JSON: {why.msg}.") from None
    except RecursionError:
        raise FileError(place, "This is nested too deeply to be a game.") from None
    except ValueError:
        raise FileError(place, "A number in this file is too long.") from None
    return file


def _refuse_duplicated(node: FileNode) -> None:
    """Raise FileError at the first object with a duplicate key."""
    if isinstance(node.value, _Duplicated):
        node.refuse(f"The key {shown(node.value.key)} appears twice in this object.")
    if isinstance(node.value, dict):
        for key, value in node.value.items():
            # Show an odd key as JSON in brackets, so that the path stays legible.
            plain = key.isascii() and key.isidentifier() and len(key) <= _MAX_SHOWN
            step = f"{'.' if node.place else ''}{key}" if plain else f"[{shown(key)}]"
            _refuse_duplicated(FileNode(value, node.place + step))
    elif isinstance(node.value, list):
        for one in node.items():
            _refuse_duplicated(one)
