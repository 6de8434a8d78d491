"""Texts that read differently to different viewers, kept as one until somebody reads them.

Most of what is said of a table reads the same to all who watch it, but for "you": "You lead" to
one, "Iris leads" to the others. Such a text is drawn once for everybody, with both wordings
between marks; what a viewer is sent has been read for him, and holds his wording alone. The marks
are characters for private use, which no name may hold.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Final

_OPEN, _OR, _CLOSE = "\ue000", "\ue001", "\ue002"
_CHOICE: Final = re.compile(f"{_OPEN}([0-9]+){_OR}([^{_CLOSE}]*?){_OR}([^{_CLOSE}]*){_CLOSE}")
_MARKS: Final = str.maketrans("", "", f"{_OPEN}{_OR}{_CLOSE}")

#: The viewers are a set of bits: one for each seat, and this one for all who only watch.
WATCHING: Final = 1 << 4


def viewer_bit(seat: int | None) -> int:
    """The bit of a seat; that of the spectators for None."""
    return WATCHING if seat is None else 1 << seat


def plain(text: str) -> str:
    """A text from outside without the marks."""
    return text.translate(_MARKS)


def either(viewers: int, theirs: str, others: str) -> str:
    """What reads in one way to some viewers, a set of bits, and in another to all others."""
    return f"{_OPEN}{viewers}{_OR}{theirs}{_OR}{others}{_CLOSE}"


def for_each(texts: Sequence[str]) -> str:
    """What each viewer reads, given for every seat in order and then for spectators.

    The texts hold no marks.
    """
    viewers: dict[str, int] = {}
    for seat, text in enumerate(texts[:-1]):
        viewers[text] = viewers.get(text, 0) | 1 << seat
    viewers[texts[-1]] = viewers.get(texts[-1], 0) | WATCHING
    if len(viewers) == 1:
        return texts[0]
    (first, bits), *others = viewers.items()
    if len(others) == 1:
        return either(bits, first, others[0][0])
    return "".join([either(bits, text, "") for text, bits in viewers.items()])


def in_both(make: Callable[[str], str], text: str) -> str:
    """What is made of a text, in both of its wordings if it is but a choice between two."""
    choice = _CHOICE.fullmatch(text)
    if choice is None:
        return make(text)
    return either(int(choice[1]), make(choice[2]), make(choice[3]))


class Wording:
    """A text taken apart, so that several viewers may read it quickly."""

    __slots__ = ("_pieces",)

    def __init__(self, text: str) -> None:
        # plain text, then again and again: viewers, what they read, what others read, plain text
        self._pieces = _CHOICE.split(text)

    def read(self, viewer: int) -> str:
        """The text as one viewer, a bit, reads it."""
        pieces = self._pieces
        read = [pieces[0]]
        for at in range(1, len(pieces), 4):
            read.append(pieces[at + 1] if int(pieces[at]) & viewer else pieces[at + 2])
            read.append(pieces[at + 3])
        return "".join(read)


def read(text: str, viewer: int) -> str:
    """A text as one viewer, a bit, reads it."""
    return Wording(text).read(viewer) if _OPEN in text else text
