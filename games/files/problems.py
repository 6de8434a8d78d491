"""What is wrong with a file of a game, and where."""

from __future__ import annotations

from typing import Final

#: What stands for the place of something that concerns the whole file.
WHOLE: Final = "the file"


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
