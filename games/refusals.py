"""What verbs raise when something cannot be done."""

from typing import NamedTuple


class Remedy(NamedTuple):
    """A link after a refusal, to the page that helps."""

    words: str
    path: str


class VerbError(Exception):
    """Something that cannot be done now; nothing has changed.

    code: a word for programs and tests. message: a sentence for the person who asked, which
    names what was wrong and what is allowed.
    """

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
