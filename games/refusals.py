"""What verbs raise when something cannot be done."""


class VerbError(Exception):
    """Something that cannot be done now; nothing has changed.

    code: a word for programs and tests. message: a sentence for the person who asked, which
    names what was wrong and what is allowed.
    """

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
