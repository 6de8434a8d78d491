"""What brings evidence: a subclass of `EvidenceSource` for each kind of it.

A case is the open evidence of one source on one subject, and is decided as a whole. A source says
which cases are open, what a moderator may decide in one, and what follows; `cases` does the rest.
"""

from __future__ import annotations

import operator
from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import reduce
from typing import Any, ClassVar, NamedTuple

from django.db.models import Min, Model, Q, QuerySet
from django.http import Http404
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


class WaitingSince(NamedTuple):
    """A case as the queue is ordered: `number` is the key of any of its evidence."""

    since: datetime
    source: str
    number: int


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
    #: The fields in which the rows of a case are equal, and the one that says when a row was made.
    same: ClassVar[tuple[str, ...]] = ("pk",)
    made: ClassVar[str] = "made"
    #: The most characters of a reason.
    reason_length: ClassVar[int] = REASON_LENGTH
    #: Decisions that one moderator proposes and another confirms.
    proposed_first: ClassVar[Collection[str]] = ()

    @abstractmethod
    def waiting(self, moderator: Moderator) -> QuerySet[Any]:
        """Return the open evidence that the moderator may see."""

    def oldest(self, moderator: Moderator, most: int) -> tuple[list[WaitingSince], bool]:
        """Return the open cases that wait longest, `most` of them, and whether there are more."""
        groups = self.waiting(moderator).order_by().values(*self.same)
        groups = groups.annotate(since=Min(self.made), number=Min("pk"))
        rows = groups.order_by("since", "number").values_list("since", "number")[: most + 1]
        found = [WaitingSince(since, self.key, number) for since, number in rows]
        return found[:most], len(found) > most

    def cases(self, moderator: Moderator, numbers: Collection[int]) -> list[ModerationCase]:
        """Return the open cases with this evidence, in two queries."""
        of_evidence: QuerySet[Any] = QuerySet(self.model).filter(pk__in=numbers).order_by()
        each = [Q(**one) for one in of_evidence.values(*self.same).distinct()]
        found: dict[tuple[Any, ...], list[Any]] = {}
        rows = self.waiting(moderator).filter(reduce(operator.or_, each)) if each else ()
        for row in rows:
            found.setdefault(tuple(getattr(row, one) for one in self.same), []).append(row)
        return [self.case_of(one) for one in found.values()]

    def case(self, moderator: Moderator, number: int) -> ModerationCase | None:
        """Return the open case with this evidence, None if it is decided.

        Raises Http404 if there is no such evidence.
        """
        found = self.cases(moderator, [number])
        if not found and not QuerySet(self.model).filter(pk=number).exists():
            raise Http404
        return found[0] if found else None

    @abstractmethod
    def case_of(self, rows: Sequence[Any]) -> ModerationCase: ...

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
