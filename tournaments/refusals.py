"""What the verbs of clubs and events raise when something cannot be done."""


class RefusedError(Exception):
    """Something that cannot be done now; nothing has changed.

    code: a word for programs and tests. message: a sentence for the person who asked, which
    names what was wrong and what is allowed. status: how it reads over HTTP.
    """

    def __init__(self, code: str, message: str, status: int = 409) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.status = status
