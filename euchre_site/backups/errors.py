"""Errors of making, verifying and restoring backups."""


class BackupError(Exception):
    """A backup cannot be made or used; the message is one line that says why.

    Messages may be logged, so they never name a card.
    """


class BackupRunningError(BackupError):
    """Another backup is in progress, which is no failure."""
