"""Clocks for what asks for the time more than once."""

from datetime import datetime, timedelta


class Clock:
    """Shows a time that only the test moves on."""

    def __init__(self, now: datetime) -> None:
        self.now = now

    def __call__(self) -> datetime:
        """Return the time."""
        return self.now

    def advance(self, seconds: float) -> None:
        """Move on by some seconds."""
        self.now += timedelta(seconds=seconds)
