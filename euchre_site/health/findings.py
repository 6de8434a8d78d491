"""What `manage.py doctor` says of an installation: a finding for each thing it has looked at."""

from dataclasses import asdict, dataclass
from enum import StrEnum


class Level(StrEnum):
    """How bad a finding is."""

    FINE = "fine"
    NOTE = "note"  # nothing is broken; somebody should know
    WRONG = "wrong"


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at.

    Attributes:
        level: how bad it is.
        title: what was looked at or is wrong, in a few words.
        what: what is so, in plain words; never a key, a password or a card.
        mend: what to do about it; empty where nothing is to be done.
    """

    level: Level
    title: str
    what: str
    mend: str = ""

    def as_dict(self) -> dict[str, str]:
        """The finding for programs."""
        return {**asdict(self), "level": self.level.value}

    def __str__(self) -> str:
        if self.level is Level.FINE:
            return f"fine   {self.title}: {self.what}"
        mend = f"\n       Mend: {self.mend}" if self.mend else ""
        return f"{self.level.upper():<6} {self.title}\n       {self.what}{mend}"


def fine(title: str, what: str) -> Finding:
    """Something that is as it should be."""
    return Finding(Level.FINE, title, what)


def note(title: str, what: str, mend: str = "") -> Finding:
    """Something that breaks nothing, and that somebody should know."""
    return Finding(Level.NOTE, title, what, mend)


def wrong(title: str, what: str, mend: str) -> Finding:
    """Something that is broken, or will be."""
    return Finding(Level.WRONG, title, what, mend)
