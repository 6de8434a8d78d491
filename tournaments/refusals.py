"""What the verbs of clubs and events raise when something cannot be done."""

from games.refusals import Remedy, VerbError


class RefusedError(VerbError):
    """Something that cannot be done in a club or an event.

    status: how it reads over HTTP. remedy: a page where whoever asked can do something about it.
    """

    def __init__(
        self, code: str, message: str, status: int = 409, remedy: Remedy | None = None
    ) -> None:
        super().__init__(code, message)
        self.status = status
        self.remedy = remedy
