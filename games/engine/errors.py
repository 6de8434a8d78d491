"""What can be wrong with an action or a text, each its own class.

A message names the thing, where it stands and what was allowed, in words a player can read.
"""

from __future__ import annotations


class EngineError(Exception):
    """Anything the engine refuses; nothing has changed when it is raised."""


class MalformedError(EngineError):
    """A text that does not say a card, an action, a deal or a game at all."""


class IllegalActionError(EngineError):
    """A well-formed action that the rules do not allow at this moment."""


class OutOfTurnError(EngineError):
    """An action by a seat whose turn it is not."""


class StaleError(EngineError):
    """An action decided on an older state of the game than the present one.

    Args:
        decided_on: the version the player saw.
        present: the version the game is at.
    """

    def __init__(self, decided_on: int, present: int) -> None:
        self.decided_on = decided_on
        self.present = present
        super().__init__(
            f"The table has moved on: you decided on version {decided_on}, "
            f"it is at version {present}."
        )


class RuleSetError(EngineError):
    """A rule set that makes no sense.

    Args:
        problems: field name to the reason it was refused and what is allowed.
    """

    def __init__(self, problems: dict[str, str]) -> None:
        self.problems = problems
        super().__init__("; ".join(f"{field}: {why}" for field, why in problems.items()))
