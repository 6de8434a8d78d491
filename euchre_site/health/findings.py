"""Findings of the health checks, for the doctor's output and the staff overview."""

from dataclasses import asdict, dataclass
from enum import StrEnum


class Level(StrEnum):
    FINE = "fine"
    NOTE = "note"  # nothing is broken, but the operator should know
    WRONG = "wrong"


@dataclass(frozen=True, slots=True)
class Finding:
    """The result of one check.

    title: what was checked or is wrong, in a few words. what: details; never a key, a password or
    a card. mend: how to fix it, if anything needs fixing. link: path of a page about it, if any.
    """

    level: Level
    title: str
    what: str
    mend: str = ""
    link: str = ""

    def as_dict(self) -> dict[str, str]:
        return {key: str(value) for key, value in asdict(self).items() if key != "link"}

    def __str__(self) -> str:
        if self.level is Level.FINE:
            return f"fine   {self.title}: {self.what}"
        fix = f"\n       Fix: {self.mend}" if self.mend else ""
        return f"{self.level.upper():<6} {self.title}\n       {self.what}{fix}"


def fine(title: str, what: str, link: str = "") -> Finding:
    """Return a finding that all is well."""
    return Finding(Level.FINE, title, what, link=link)


def note(title: str, what: str, mend: str = "", link: str = "") -> Finding:
    """Return a finding about something that breaks nothing but is worth knowing."""
    return Finding(Level.NOTE, title, what, mend, link)


def wrong(title: str, what: str, mend: str, link: str = "") -> Finding:
    """Return a finding about something that is broken or soon will be."""
    return Finding(Level.WRONG, title, what, mend, link)


def first_line(error: Exception) -> str:
    """Return the first line of an error's message without its full stop, or the error's class."""
    return next(iter(str(error).strip().splitlines()), type(error).__name__).rstrip(".")
