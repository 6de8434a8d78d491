"""Reports of members to the staff, and the staff's decisions.

All open reports on a subject form one case and are decided together.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from django.db import IntegrityError, transaction
from django.db.models import Count, Max, Min, QuerySet
from django.urls import reverse

from euchre_site.accounts.accounts import user_display
from euchre_site.office import account_actions, club_actions
from euchre_site.office.actions import Subject, What, record, subject_of
from games.models import About, Player, Report, User
from games.models.office import REASON_LENGTH, TITLE_LENGTH
from games.notifying import pushes
from games.notifying.kinds import REPORTS
from games.people import limits
from tournaments.models import Club, Event
from tournaments.models.clubs import DIRECTORS
from tournaments.outbox import letters
from tournaments.refusals import RefusedError

Decision = Report.Decision
#: Maximum number of open reports of a member.
MAX_OPEN: Final = 20
SUBJECTS: Final[Mapping[str, type[Player] | type[Club] | type[Event]]] = {
    About.PLAYER: Player,
    About.CLUB: Club,
    About.EVENT: Event,
}


@dataclass(frozen=True)
class Case:
    """The open reports on one subject.

    first: time of the oldest. report: the primary key of one of them.
    """

    subject: Subject
    number: int
    first: datetime
    report: int


def make(
    reporter: Player, target: Player | Club | Event, reason: str, words: str, now: datetime
) -> Report:
    """Report a player, club or event to the staff.

    Raises RefusedError: ``account``, ``yourself``, ``house``, ``reported`` if the reporter's
    earlier report on it is still open, ``many`` or ``too fast``.
    """
    if reporter.user_id is None:
        raise RefusedError("account", "You need an account to report something.", 403)
    if isinstance(target, Player):
        if target.pk == reporter.pk:
            raise RefusedError("yourself", "You cannot report yourself.")
        if target.kind == Player.Kind.HOUSE:
            raise RefusedError("house", "House players are run by the site and cannot be reported.")
    subject = subject_of(target)
    mine = Report.objects.filter(reporter=reporter, decided=None)
    if mine.filter(about=subject.about, about_id=subject.key).exists():
        raise _reported()
    if mine.count() >= MAX_OPEN:
        raise RefusedError("many", f"You already have {MAX_OPEN} open reports.", 429)
    if not limits.may_report(reporter):
        raise RefusedError("too fast", "Too many reports in ten minutes. Wait a little.", 429)
    try:
        with transaction.atomic():
            return Report.objects.create(
                reporter=reporter,
                about=subject.about,
                about_id=subject.key,
                about_name=subject.name,
                reason=reason,
                words=words,
                made=now,
            )
    except IntegrityError as error:  # sent twice at the same moment
        raise _reported() from error


def _reported() -> RefusedError:
    return RefusedError(
        "reported", "You have reported this already. You will get a message once it is reviewed."
    )


def cases() -> list[Case]:
    waiting = (
        Report.objects.filter(decided=None)
        .order_by()
        .values("about", "about_id")
        .annotate(number=Count("pk"), first=Min("made"), latest=Max("pk"))
        .order_by("first", "latest")
    )
    names = dict(
        Report.objects.filter(pk__in=[row["latest"] for row in waiting]).values_list(
            "pk", "about_name"
        )
    )
    return [
        Case(
            Subject(row["about"], row["about_id"], names[row["latest"]]),
            row["number"],
            row["first"],
            row["latest"],
        )
        for row in waiting
    ]


def case_of(report: Report) -> QuerySet[Report]:
    same = Report.objects.filter(about=report.about, about_id=report.about_id, decided=None)
    return same.select_related("reporter")


def target_of(report: Report) -> Player | Club | Event | None:
    found: Player | Club | Event | None
    found = SUBJECTS[report.about].objects.filter(pk=report.about_id).first()
    return found


def decisions_for(target: Player | Club | Event | None) -> list[str]:
    always: list[str] = [Decision.NOTHING, Decision.OTHER]
    if target is None:
        return always
    if isinstance(target, Player):
        of_account = [Decision.WARN, Decision.BAN] if target.user_id else []
        return always if target.former else [*always, Decision.RENAME, *of_account]
    return [*always, Decision.WARN, Decision.RENAME]


def _concerns(operator: User, target: Player | Club | Event | None) -> bool:
    if target is None or isinstance(target, Player):
        return target is not None and target.user_id == operator.pk
    club = target.club if isinstance(target, Event) else target
    return club.memberships.filter(player__user=operator, role__in=DIRECTORS).exists()


def decide(
    operator: User,
    report: Report,
    decision: str,
    now: datetime,
    *,
    reason: str = "",
    private: str = "",
    name: str = "",
    until: datetime | None = None,
) -> int:
    """Decide on all open reports of a report's case, and notify the reporters; return their number.

    reason: for the reported player, or the club's owners. private: a note for the staff. name: the
    new name, if it is renamed. until: end of the account's closure; None for good.

    Raises RefusedError: ``yourself``, ``decided`` if another operator was faster, ``decision``,
    or as the action itself. Nothing is changed then.
    """
    with transaction.atomic():
        rows = list(case_of(report).select_related(None).select_for_update())
        if not rows:
            raise RefusedError("decided", "Someone else has already decided this.")
        target = target_of(report)
        if _concerns(operator, target):
            raise RefusedError("yourself", "This is about you: let another operator decide.", 403)
        if decision not in decisions_for(target):
            raise RefusedError("decision", "This is not possible here.", 422)
        if target is not None:
            _carry_out(operator, target, decision, now, reason=reason, name=name, until=until)
        decided = Report.objects.filter(pk__in=[row.pk for row in rows])
        decided.update(
            decision=decision,
            decided=now,
            by_id=operator.pk,
            by_name=user_display(operator)[:TITLE_LENGTH],
            note=private[:REASON_LENGTH],
        )
        about = Subject(report.about, report.about_id, rows[-1].about_name)
        record(operator, What.DECIDE_REPORT, about, private, decision=decision, reports=len(rows))
        for row in decided.select_related("reporter__user"):
            if row.reporter is not None:
                letters.write(
                    f"report {row.pk} looked at", [row.reporter], "Your report has been reviewed",
                    "report_looked_at", kind=REPORTS, report=row,
                )  # fmt: skip
                pushes.queue(
                    REPORTS, f"report {row.pk} looked at", [row.reporter.pk],
                    "Your report has been reviewed", reverse("notifications"),
                )  # fmt: skip
    return len(rows)


def _carry_out(
    operator: User,
    target: Player | Club | Event,
    decision: str,
    now: datetime,
    *,
    reason: str,
    name: str,
    until: datetime | None,
) -> None:
    if decision == Decision.WARN:
        _warn(operator, target, reason)
    elif decision == Decision.RENAME:
        if isinstance(target, Player):
            account_actions.rename(operator, target, name, reason)
        elif isinstance(target, Club):
            club_actions.rename(operator, target, name, reason)
        else:
            club_actions.rename_event(operator, target, name, reason)
    elif decision == Decision.BAN and isinstance(target, Player) and target.user is not None:
        account_actions.ban(operator, target.user, reason, until, now)


def _warn(operator: User, target: Player | Club | Event, words: str) -> None:
    if isinstance(target, Player):
        account_actions.warn(operator, target, words)
        return
    club = target if isinstance(target, Club) else target.club
    words = account_actions.checked_reason(words)
    act = record(operator, What.WARN, subject_of(target), words)
    letters.write(
        f"warning {act.pk}", club_actions.owners(club), "A message from the site’s staff",
        "warned_by_staff", words=f"About {target}: {words}",
    )  # fmt: skip
