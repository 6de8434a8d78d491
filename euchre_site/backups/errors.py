"""What is raised when a backup cannot be made, used or put back."""


class BackupError(Exception):
    """A backup that is refused; the message is one line that names what was wrong.

    It may stand in logs: it never names a card.
    """


class BackupRunningError(BackupError):
    """Another backup is being made at this moment: none has failed."""
