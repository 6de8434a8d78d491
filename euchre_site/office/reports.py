"""Reports of members to the staff, and the staff's decisions.

All open reports on a subject form one case and are decided together.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from django.db import IntegrityError, transaction
from django.db.models import Count, Max, Min, QuerySet

from euchre_site.accounts.accounts import user_display
from euchre_site.office import account_acts, club_acts
from euchre_site.office.acts import Subject, What, note, subject_of
from games.models import About, Player, Report, User
from games.models.office import REASON_LENGTH, TITLE_LENGTH
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

    subject: with its name at the last report. number: of reports. first: time of the oldest.
    report: the primary key of one of them.
    """

    subject: Subject
    number: int
    first: datetime
    report: int


def make(
    reporter: Player, one: Player | Club | Event, reason: str, words: str, now: datetime
) -> Report:
    """Report a player, club or event to the staff.

    Raises:
        RefusedError: ``account``, ``yourself``, ``house``, ``reported`` if an earlier report on
        it is still open, ``many`` or ``too fast``.
    """
    if reporter.user_id is None:
        raise RefusedError("account", "You need an account to report something.", 403)
    if isinstance(one, Player):
        if one.pk == reporter.pk:
            raise RefusedError("yourself", "You cannot report yourself.")
        if one.kind == Player.Kind.HOUSE:
            raise RefusedError("house", "House players are run by the site and cannot be reported.")
    subject = subject_of(one)
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


def subject(report: Report) -> Player | Club | Event | None:
    found: Player | Club | Event | None
    found = SUBJECTS[report.about].objects.filter(pk=report.about_id).first()
    return found


def decisions_for(one: Player | Club | Event | None) -> list[str]:
    always: list[str] = [Decision.NOTHING, Decision.OTHER]
    if one is None:
        return always
    if isinstance(one, Player):
        of_account = [Decision.WARN, Decision.BAN] if one.user_id else []
        return always if one.former else [*always, Decision.RENAME, *of_account]
    return [*always, Decision.WARN, Decision.RENAME]


def _concerns(operator: User, one: Player | Club | Event | None) -> bool:
    if one is None or isinstance(one, Player):
        return one is not None and one.user_id == operator.pk
    club = one.club if isinstance(one, Event) else one
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
    """Decide on all open reports on a subject, and notify the reporters; return their number.

    Args:
        operator: who decides.
        report: any report of the case.
        decision: a `Report.Decision`.
        now: the present time.
        reason: for the reported player, or the club's owners.
        private: a note for the staff.
        name: the new name, if it is renamed.
        until: end of the account's closure; None for good.

    Raises:
        RefusedError: ``yourself``, ``decided`` if somebody else was faster, ``decision``, or as
            the action itself. Nothing is changed then.
    """
    with transaction.atomic():
        rows = list(case_of(report).select_related(None).select_for_update())
        if not rows:
            raise RefusedError("decided", "Someone else has already decided this.")
        one = subject(report)
        if _concerns(operator, one):
            raise RefusedError("yourself", "This is about you: let somebody else decide.", 403)
        if decision not in decisions_for(one):
            raise RefusedError("decision", "This is not possible here.", 422)
        if one is not None:
            _carry_out(operator, one, decision, now, reason=reason, name=name, until=until)
        decided = Report.objects.filter(pk__in=[row.pk for row in rows])
        decided.update(
            decision=decision,
            decided=now,
            by_id=operator.pk,
            by_name=user_display(operator)[:TITLE_LENGTH],
            note=private[:REASON_LENGTH],
        )
        about = Subject(report.about, report.about_id, rows[-1].about_name)
        note(operator, What.DECIDE_REPORT, about, private, decision=decision, reports=len(rows))
        for row in decided.select_related("reporter__user"):
            if row.reporter is not None:
                letters.write(
                    f"report {row.pk} looked at", [row.reporter], "Your report has been reviewed",
                    "report_looked_at", report=row,
                )  # fmt: skip
    return len(rows)


def _carry_out(
    operator: User,
    one: Player | Club | Event,
    decision: str,
    now: datetime,
    *,
    reason: str,
    name: str,
    until: datetime | None,
) -> None:
    if decision == Decision.WARN:
        _warn(operator, one, reason)
    elif decision == Decision.RENAME:
        if isinstance(one, Player):
            account_acts.rename(operator, one, name, reason)
        elif isinstance(one, Club):
            club_acts.rename(operator, one, name, reason)
        else:
            club_acts.rename_event(operator, one, name, reason)
    elif decision == Decision.BAN and isinstance(one, Player) and one.user is not None:
        account_acts.ban(operator, one.user, reason, until, now)


def _warn(operator: User, one: Player | Club | Event, words: str) -> None:
    if isinstance(one, Player):
        account_acts.warn(operator, one, words)
        return
    club = one if isinstance(one, Club) else one.club
    words = account_acts.checked_reason(words)
    act = note(operator, What.WARN, subject_of(one), words)
    letters.write(
        f"warning {act.pk}", club_acts.owners(club), "A message from the site’s staff",
        "warned_by_staff", words=f"About {one}: {words}",
    )  # fmt: skip
