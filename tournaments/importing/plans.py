"""What importing a list would do, shown before it is done.

A list is imported whole or not at all. The confirmation carries the digest of the plan that was
shown; if the club or event has changed since, so that the plan is another, it is shown again.
"""

import hashlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from operator import attrgetter
from typing import Final, Generic, NamedTuple, TypeVar

from tournaments.refusals import RefusedError

Made = TypeVar("Made")

#: The line number of problems of the whole list.
WHOLE: Final = 0


class Problem(NamedTuple):
    """Why a line cannot be imported, and what is allowed; `column` may be empty."""

    number: int
    column: str
    words: str


class Step(NamedTuple):
    """What a line does, in a word such as "stays"; `words` says why where nothing is done."""

    number: int
    what: str
    name: str
    words: str = ""


@dataclass
class Plan(Generic[Made]):
    """Steps and problems of a list, in order; `new` is what will be made.

    faults: what is wrong with cells as they were read. refused: why lines cannot be imported.
    """

    faults: Sequence[Problem] = ()
    steps: list[Step] = field(default_factory=list)
    refused: list[Problem] = field(default_factory=list)
    new: list[Made] = field(default_factory=list)

    @property
    def problems(self) -> list[Problem]:
        """Return all problems by line; of a cell that was read wrongly only the fault."""
        cells = {fault[:2] for fault in self.faults}
        refused = [problem for problem in self.refused if problem[:2] not in cells]
        return sorted([*self.faults, *refused], key=attrgetter("number"))

    @property
    def digest(self) -> str:
        return hashlib.sha256(repr((self.steps, self.problems)).encode()).hexdigest()

    @property
    def counts(self) -> list[tuple[str, int]]:
        """Return how many lines do what, the most first."""
        return Counter(step.what for step in self.steps).most_common()

    def step(self, number: int, what: str, name: str, words: str = "") -> None:
        self.steps.append(Step(number, what, name, words))

    def refuse(self, number: int, column: str, words: str) -> None:
        self.refused.append(Problem(number, column, words))


class ChangedSinceError(RefusedError):
    """The plan is not the one that was shown."""

    def __init__(self) -> None:
        super().__init__("changed", "Something has changed since the preview: look at it again.")


def check(plan: Plan[Made], digest: str) -> bool:
    """Return whether there is something to make; raise ChangedSinceError if it was not shown.

    A list that is sent a second time has nothing left to do, which is no error.
    """
    if not plan.problems and not plan.new:
        return False
    if plan.problems or plan.digest != digest:
        raise ChangedSinceError
    return True
