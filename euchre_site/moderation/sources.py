"""What brings evidence: a subclass of `EvidenceSource` for each kind of it.

A case is the open evidence of one source on one subject, and is decided as a whole. A source says
which cases are open, what a moderator may decide in one, and what follows; `cases` does the rest.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, ClassVar, NamedTuple

from django.db.models import Model
from django.shortcuts import get_object_or_404
from django.urls import reverse

from euchre_site.office.actions import Subject, record
from games.models import OperatorAct, Player, User
from games.models.office import REASON_LENGTH
from games.notifying import pushes
from games.notifying.kinds import REPORTS
from tournaments.models import Club
from tournaments.outbox import letters

REVIEWED = "Your report has been reviewed"


class Moderator(NamedTuple):
    """Somebody of the site's staff, or a moderator of a club."""

    user: User
    player: Player


class Decision(NamedTuple):
    """A decision that is offered; `fields` are those of the form that it uses besides a reason.

    `matches` are those among which it chooses, by key.
    """

    key: str
    label: str
    effect: str
    needs_reason: bool = True
    fields: tuple[str, ...] = ()
    matches: tuple[tuple[int, str], ...] = ()


@dataclass(frozen=True)
class ModerationCase:
    """The open evidence of one source on one subject, the oldest row first.

    `subject` is what the record says it is about, `players` are those whom it concerns. `club`:
    its moderators decide.
    """

    source: EvidenceSource
    rows: Sequence[Any]
    subject: Subject
    reasons: str
    origin: str
    since: datetime
    players: tuple[Player, ...] = ()
    club: Club | None = None

    @property
    def number(self) -> int:
        key: int = self.rows[0].pk
        return key

    @property
    def name(self) -> str:
        return ", ".join(one.name for one in self.players) or self.subject.name


class EvidenceSource(ABC):
    """A kind of evidence: its model, its name, and the template that shows it."""

    key: ClassVar[str]
    label: ClassVar[str]
    model: ClassVar[type[Model]]
    template: ClassVar[str]
    #: The most characters of a reason.
    reason_length: ClassVar[int] = REASON_LENGTH
    #: Decisions that one moderator proposes and another confirms.
    proposed_first: ClassVar[Collection[str]] = ()

    @abstractmethod
    def cases(self, moderator: Moderator) -> list[ModerationCase]:
        """Return the open cases that the moderator may see."""

    def case(self, moderator: Moderator, number: int) -> ModerationCase | None:
        """Return the open case with this evidence, None if it is decided.

        Raises Http404 if there is no such evidence.
        """
        get_object_or_404(self.model, pk=number)
        found = self.cases(moderator)
        return next((one for one in found if any(row.pk == number for row in one.rows)), None)

    @abstractmethod
    def why_not(self, rows: Sequence[Any], moderator: Moderator) -> str:
        """Return why a moderator may not judge this evidence; empty if they may."""

    @abstractmethod
    def decisions(self, case: ModerationCase, moderator: Moderator) -> list[Decision]: ...

    def context(self, case: ModerationCase, moderator: Moderator, now: datetime) -> dict[str, Any]:
        """Return what the template needs besides the case."""
        return {}

    @abstractmethod
    def decide(
        self, case: ModerationCase, moderator: Moderator, given: Mapping[str, Any], now: datetime
    ) -> str:
        """Carry out ``given["decision"]``, and return what has been done, for the moderator.

        given: the form's data. It runs in a transaction in which nobody else decides the case.
        """

    def reopen(self, act: OperatorAct, reason: str, now: datetime) -> None:
        """Undo a decision that `note` has stored; its evidence waits again."""
        raise NotImplementedError

    def note(
        self, moderator: Moderator, what: str, case: ModerationCase, reason: str, **detail: Any
    ) -> OperatorAct:
        """Store a decision on the staff's record, from which it can be undone."""
        rows = [row.pk for row in case.rows]
        return record(
            moderator.user, what, case.subject, reason, case=self.key, rows=rows, **detail
        )

    def thank(self, rows: Sequence[Any], act: OperatorAct) -> None:
        """Write to each reporter once that somebody has looked into it."""
        for row in {row.reporter_id: row for row in reversed(rows)}.values():
            if row.reporter is None:
                continue
            key = f"{self.key} {row.pk} reviewed {act.pk}"
            letters.write(
                key, [row.reporter], REVIEWED, "report_reviewed", kind=REPORTS, made=row.made
            )
            pushes.queue(REPORTS, key, [row.reporter.pk], REVIEWED, reverse("notifications"))
