"""The error that actions on clubs and events raise when they are refused."""

from games.refusals import Remedy, VerbError


class RefusedError(VerbError):
    def __init__(
        self, code: str, message: str, status: int = 409, remedy: Remedy | None = None
    ) -> None:
        super().__init__(code, message)
        self.status = status
        self.remedy = remedy
