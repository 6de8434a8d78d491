"""What the verbs of clubs and events raise when something cannot be done."""

from games.refusals import VerbError


class RefusedError(VerbError):
    """Something that cannot be done in a club or an event. status: how it reads over HTTP."""

    def __init__(self, code: str, message: str, status: int = 409) -> None:
        super().__init__(code, message)
        self.status = status
