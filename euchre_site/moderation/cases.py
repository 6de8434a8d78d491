"""The queue of cases: who has taken one, what is decided in it, and taking that back.

Whoever takes a case has it alone for `TAKEN_FOR`, so that two do not decide the same. Every
function that changes something raises RefusedError if it may not be done, and changes nothing then.
It locks the row that says who has the case.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime, timedelta
from typing import Any, Final

import structlog
from django.core.paginator import Paginator
from django.db import IntegrityError, transaction
from django.db.models import F, Q, QuerySet
from django.shortcuts import get_list_or_404
from django.utils import timezone

from euchre_site.moderation.registry import SOURCES
from euchre_site.moderation.sources import (
    EvidenceSource,
    ModerationCase,
    Moderator,
    WaitingSince,
)
from euchre_site.office.account_actions import checked_reason
from euchre_site.office.actions import Subject, What, check_may, check_not_undone, record
from games.models import OperatorAct, TakenCase
from tournaments.refusals import RefusedError

log = structlog.get_logger(__name__)

#: How long a case is kept for whoever has taken it.
TAKEN_FOR: Final = timedelta(minutes=10)
#: The most cases in the queue, and on a page of it.
LISTED: Final = 200
PER_PAGE: Final = 20


class Queue:
    """The open cases that have waited longest, of which a page is read.

    `more`: there are more than these. `unread`: the names of the kinds of evidence that could not
    be read; cases of the others are there all the same.
    """

    def __init__(self, moderator: Moderator, page: str | None = None) -> None:
        self._moderator = moderator
        self.unread: list[str] = []
        self.more = False
        found: list[WaitingSince] = []
        for source in SOURCES.values():
            with self._reading(source):
                oldest, more = source.oldest(moderator, LISTED)
                found += oldest
                self.more |= more
        self.more |= len(found) > LISTED
        self.waiting = sorted(found)[:LISTED]
        self.page = Paginator(self.waiting, PER_PAGE).get_page(page)

    def cases(self) -> list[tuple[ModerationCase, str]]:
        """Return the cases of the page, each with why the moderator may not judge it."""
        found: list[tuple[ModerationCase, str]] = []
        for source in SOURCES.values():
            numbers = [one.number for one in self.page if one.source == source.key]
            with self._reading(source):
                read = source.cases(self._moderator, numbers) if numbers else ()
                found += [(case, source.why_not(case.rows, self._moderator)) for case in read]
        return sorted(found, key=lambda one: one[0].since)

    @contextmanager
    def _reading(self, source: EvidenceSource) -> Iterator[None]:
        try:
            yield
        except Exception:
            log.exception("cases could not be read", kind=source.key)
            self.unread.append(source.label)


def taken(case: ModerationCase) -> TakenCase | None:
    return _claims(case).select_related("by__player", "proposed_by__player").first()


def _claims(case: ModerationCase) -> QuerySet[TakenCase]:
    """Who has a case, a proposal first.

    There is one row, and it may be kept by the number of any of the evidence: a decision that is
    taken back can bring older evidence into a case that somebody has.
    """
    numbers = [row.pk for row in case.rows]
    rows = TakenCase.objects.filter(source=case.source.key, number__in=numbers)
    return rows.order_by(F("proposed_by").asc(nulls_last=True), "number")


@transaction.atomic
def take(moderator: Moderator, case: ModerationCase, now: datetime) -> None:
    """Keep a case for a moderator; taking it again prolongs that.

    Raises RefusedError: ``decided``, ``involved``, ``second`` for whoever proposed what another
    has to confirm, or ``taken`` by somebody else.
    """
    # Not get_or_create: whoever was faster may have decided, and deleted the row, in between.
    if not _claims(case).exists():
        TakenCase.objects.bulk_create(
            [TakenCase(source=case.source.key, number=case.number)], ignore_conflicts=True
        )
    row, _case = _locked(moderator, case, now)
    row.by, row.until = moderator.user, now + TAKEN_FOR
    row.save(update_fields=["by", "until"])


def leave(moderator: Moderator, case: ModerationCase, _now: datetime) -> None:
    """Leave a case to another moderator; harmless if it is not theirs."""
    _claims(case).filter(by=moderator.user).update(by=None, until=None)


@transaction.atomic
def decide(
    moderator: Moderator, case: ModerationCase, given: Mapping[str, Any], now: datetime
) -> str:
    """Decide a case that the moderator has taken; return what has been done.

    given: `decision`, `reason` and the fields that the decision uses. Raises RefusedError:
    ``decided``, ``involved``, ``second``, ``taken``, ``unread`` if reports came after the time for
    which it was kept, ``decision``, ``reason``, or as the decision.
    """
    row, case = _locked(moderator, case, now)  # with the evidence that came meanwhile
    if row.by_id != moderator.user.pk:  # after its time as well, if nobody else has opened it
        raise _not_opened()
    source, until = case.source, row.until
    if until and until <= now and any(getattr(one, source.made) > until for one in case.rows):
        raise RefusedError("unread", "New reports came. Open it again and read them first.")
    chosen = next(
        (one for one in source.decisions(case, moderator) if one.key == given["decision"]), None
    )
    if chosen is None:
        raise RefusedError("decision", "This is not possible here.", 422)
    if chosen.needs_reason:
        given = {**given, "reason": checked_reason(given["reason"])}
    if chosen.key in source.proposed_first and row.proposed_by_id is None:
        check_may(moderator.user, case.players[0].user)
        source.note(moderator, What.PROPOSE_BAN, case, given["reason"])
        row.by, row.until = None, None
        row.proposed_by, row.proposed_reason = moderator.user, given["reason"]
        row.save()
        return "Proposed. Another moderator decides."
    done = source.decide(case, moderator, given, now)
    _claims(case).delete()
    return done


def _locked(
    moderator: Moderator, case: ModerationCase, now: datetime
) -> tuple[TakenCase, ModerationCase]:
    """Lock who has a case, which nobody else has and the moderator may judge; read it again."""
    row = _claims(case).select_for_update().first()
    now_open = case.source.case(moderator, case.number)
    if now_open is None:
        raise RefusedError("decided", "Someone else has already decided this.")
    why_not = case.source.why_not(now_open.rows, moderator)
    if why_not:
        raise RefusedError("involved", why_not, 403)
    if row is None:
        raise _not_opened()
    if row.proposed_by_id == moderator.user.pk:
        raise RefusedError("second", "You proposed this: a second moderator decides.", 403)
    if row.by_id not in (None, moderator.user.pk) and row.until is not None and row.until > now:
        until = timezone.localtime(row.until)
        raise RefusedError("taken", f"Another moderator has opened this until {until:%H:%M}.")
    return row, now_open


def _not_opened() -> RefusedError:
    return RefusedError("taken", "Open it first; it is kept for you for ten minutes.")


# The record -----------------------------------------------------------------------------------


def acts() -> QuerySet[OperatorAct]:
    """Return what was decided in cases and taken back, the latest first."""
    of_cases = Q(detail__has_key="case") | Q(undoes__detail__has_key="case")
    return OperatorAct.objects.filter(of_cases).select_related("undone_by")


@transaction.atomic
def take_back(moderator: Moderator, act: OperatorAct, reason: str, now: datetime) -> OperatorAct:
    """Take back a decision or a proposal, as its source's `reopen` does.

    Raises RefusedError: ``undone``, ``involved`` or ``reason``.
    """
    reason = checked_reason(reason)
    if "case" not in act.detail:
        raise RefusedError("undone", "This is no decision in a case.", 422)
    check_not_undone(act)
    source, rows = SOURCES[act.detail["case"]], act.detail["rows"]
    why_not = source.why_not(get_list_or_404(source.model, pk__in=rows), moderator)
    if why_not:
        raise RefusedError("involved", why_not, 403)
    subject = Subject(act.about, act.about_id or 0, act.about_name)
    try:
        with transaction.atomic():
            undone = record(moderator.user, What.TAKE_BACK, subject, reason, undoes=act)
    except IntegrityError as error:  # at the same moment
        raise RefusedError("undone", "This has been undone already.") from error
    if act.what == What.PROPOSE_BAN:
        proposed = TakenCase.objects.filter(source=source.key, number__in=rows)
        by_them = proposed.filter(proposed_by_id=act.by_id)
        if not by_them.update(proposed_by=None, proposed_reason=""):
            raise RefusedError("undone", "This was decided, or taken back, since.")
    else:
        source.reopen(act, reason, now)
    return undone
