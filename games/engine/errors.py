"""Errors about actions and texts.

Each message names what is wrong, its place and what is allowed, in words for players.
"""

from __future__ import annotations


class EngineError(Exception):
    """Base class of what the engine refuses; raised before anything has changed."""


class MalformedError(EngineError):
    """A text that is not a card, an action, a deal or a game."""


class IllegalActionError(EngineError):
    pass


class OutOfTurnError(EngineError):
    pass


class StaleError(EngineError):
    """An action decided on an outdated version of the game."""

    def __init__(self, decided_on: int, present: int) -> None:
        self.decided_on = decided_on
        self.present = present
        super().__init__(
            f"The table has moved on: you decided on version {decided_on}, "
            f"it is at version {present}."
        )


class RuleSetError(EngineError):
    """An invalid rule set; `problems` says by field name what is wrong and what is allowed."""

    def __init__(self, problems: dict[str, str]) -> None:
        self.problems = problems
        super().__init__("; ".join(f"{field}: {why}" for field, why in problems.items()))
