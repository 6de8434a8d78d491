"""The exception of refused actions."""

from collections.abc import Mapping
from typing import ClassVar, NamedTuple


class Remedy(NamedTuple):
    words: str
    path: str


class VerbError(Exception):
    """An action was refused, and nothing has changed; the message says what is allowed.

    `remedy` is the path of a page where the user can solve it.
    """

    #: The HTTP status of each code; any other is a conflict.
    STATUS: ClassVar[Mapping[str, int]] = {}

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.status = self.STATUS.get(code, 409)
        self.remedy: Remedy | None = None
