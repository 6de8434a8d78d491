"""The exception of refused actions."""

from typing import NamedTuple


class Remedy(NamedTuple):
    words: str
    path: str


class VerbError(Exception):
    """An action was refused, and nothing has changed; the message says what is allowed."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
