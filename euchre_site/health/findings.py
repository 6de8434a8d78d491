"""Findings of the health checks, for the doctor's output and the staff overview."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum


class Level(StrEnum):
    FINE = "fine"
    NOTE = "note"  # nothing is broken, but the operator should know
    WRONG = "wrong"  # broken, or soon will be


@dataclass(frozen=True, slots=True)
class Finding:
    """The result of one check.

    details: never a key, a password or a card. fix: how to fix it, if anything needs fixing.
    link: path of a page about it, if any.
    """

    level: Level
    title: str
    details: str
    fix: str = ""
    link: str = ""

    def as_dict(self) -> dict[str, str]:
        """Return the finding as in `manage.py doctor --json`, see docs/running.md."""
        return {
            "level": str(self.level),
            "title": self.title,
            "what": self.details,
            "mend": self.fix,
        }

    def __str__(self) -> str:
        if self.level is Level.FINE:
            return f"fine   {self.title}: {self.details}"
        fix = f"\n       Fix: {self.fix}" if self.fix else ""
        return f"{self.level.upper():<6} {self.title}\n       {self.details}{fix}"


def fine(title: str, details: str, link: str = "") -> Finding:
    return Finding(Level.FINE, title, details, link=link)


def note(title: str, details: str, fix: str = "", link: str = "") -> Finding:
    return Finding(Level.NOTE, title, details, fix, link)


def wrong(title: str, details: str, fix: str, link: str = "") -> Finding:
    return Finding(Level.WRONG, title, details, fix, link)


def worst_first(findings: Iterable[Finding]) -> list[Finding]:
    order = [Level.WRONG, Level.NOTE, Level.FINE]
    return sorted(findings, key=lambda one: order.index(one.level))


def first_line(error: Exception) -> str:
    """Return the first line of an error's message without its full stop, or the error's class."""
    return next(iter(str(error).strip().splitlines()), type(error).__name__).rstrip(".")
