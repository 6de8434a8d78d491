"""The exception of refused actions."""

from typing import NamedTuple


class Remedy(NamedTuple):
    """A link shown with a refusal, to a page that helps."""

    words: str
    path: str


class VerbError(Exception):
    """An action was refused; nothing has changed.

    code: for programs and tests. message: a sentence for the user that says what was wrong and what
    is allowed.
    """

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
