"""Reports of members on a player, a club or an event; the open ones on a subject are a case."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, Final

from django.db import IntegrityError, transaction
from django.db.models import QuerySet

from euchre_site.accounts.accounts import user_display
from euchre_site.moderation.sources import Decision, EvidenceSource, ModerationCase, Moderator
from euchre_site.office import account_actions, club_actions
from euchre_site.office.actions import Subject, What, record, subject_of
from euchre_site.office.forms import FOR_GOOD, FRIENDLY
from games.models import About, OperatorAct, Player, Report
from games.models.office import REASON_LENGTH, TITLE_LENGTH
from games.people import limits
from tournaments.models import Club, Event
from tournaments.models.clubs import DIRECTORS
from tournaments.outbox import letters
from tournaments.refusals import RefusedError

Key = Report.Decision
#: Maximum number of open reports of a member.
MAX_OPEN: Final = 20
SUBJECTS: Final[Mapping[str, type[Player] | type[Club] | type[Event]]] = {
    About.PLAYER: Player,
    About.CLUB: Club,
    About.EVENT: Event,
}
RENAMED_BY: Final = {
    Player: account_actions.rename,
    Club: club_actions.rename,
    Event: club_actions.rename_event,
}
ALWAYS: Final = [
    Decision(Key.NOTHING, "Nothing", "There is no problem", False, ("private",)),
    Decision(Key.OTHER, "Other", "Dealt with in another way", False, ("private",)),
]
WARN: Final = Decision(Key.WARN, "Warn", "A letter says why")
RENAME: Final = Decision(Key.RENAME, "Rename", "Gets another name", fields=("name",))
BAN: Final = Decision(Key.BAN, "Close the account", "For some time or for good", fields=("long",))


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


def target_of(report: Report) -> Player | Club | Event | None:
    found: Player | Club | Event | None
    found = SUBJECTS[report.about].objects.filter(pk=report.about_id).first()
    return found


class MemberReports(EvidenceSource):
    key, label, model = "reports", "Reported", Report
    template = "site/moderation/_member_reports.html"
    same = ("about", "about_id")

    def waiting(self, moderator: Moderator) -> QuerySet[Report]:
        if not moderator.user.is_staff:
            return Report.objects.none()
        return Report.objects.filter(decided=None).select_related("reporter__user")

    def case_of(self, rows: Sequence[Report]) -> ModerationCase:
        last = rows[-1]
        return ModerationCase(
            self,
            rows,
            Subject(last.about, last.about_id, last.about_name),
            ", ".join(dict.fromkeys(one.get_reason_display() for one in rows)),
            f"{last.get_about_display()}, {len(rows)} report{'s' * (len(rows) > 1)}",
            rows[0].made,
        )

    def why_not(self, rows: Sequence[Report], moderator: Moderator) -> str:
        target = target_of(rows[0])
        if target is None:
            return ""
        if isinstance(target, Player):
            own = target.user_id == moderator.user.pk
        else:
            club = target.club if isinstance(target, Event) else target
            own = club.memberships.filter(player__user=moderator.user, role__in=DIRECTORS).exists()
        return "This is about you or your club: another moderator decides." if own else ""

    def decisions(self, case: ModerationCase, moderator: Moderator) -> list[Decision]:
        target = target_of(case.rows[0])
        if target is None or (isinstance(target, Player) and target.former):
            return ALWAYS
        if not isinstance(target, Player):
            return [*ALWAYS, WARN, RENAME]
        rename = RENAME._replace(effect=f"Gets another name. {FRIENDLY}")
        return [*ALWAYS, rename, *([WARN, BAN] if target.user_id else [])]

    def context(self, case: ModerationCase, moderator: Moderator, now: datetime) -> dict[str, Any]:
        return {"target": target_of(case.rows[0]), "report": case.rows[0]}

    def decide(
        self, case: ModerationCase, moderator: Moderator, given: Mapping[str, Any], now: datetime
    ) -> str:
        """Decide on all reports of a case, and write to the reporters.

        given: `private`, a note for the staff; `name`, the new one; `long`, for how many days the
        account is closed.
        """
        done = self._carry_out(moderator, target_of(case.rows[0]), given, now)
        private = given["private"][:REASON_LENGTH]
        decided = Report.objects.filter(pk__in=[row.pk for row in case.rows])
        decided.update(
            decision=given["decision"],
            decided=now,
            by_id=moderator.user.pk,
            by_name=user_display(moderator.user)[:TITLE_LENGTH],
            note=private,
        )
        act = self.note(
            moderator, What.DECIDE_REPORT, case, private, decision=str(given["decision"]), **done
        )
        self.thank(case.rows, act)
        return "Decided. The reporters are told that you looked at it."

    def _carry_out(
        self,
        moderator: Moderator,
        target: Player | Club | Event | None,
        given: Mapping[str, Any],
        now: datetime,
    ) -> dict[str, Any]:
        """Do what was decided; return what the record keeps of it."""
        by, decision, reason = moderator.user, given["decision"], given["reason"]
        if decision == Key.WARN and target is not None:
            act = record(by, What.WARN, subject_of(target), reason)
            if isinstance(target, Player):
                to, words = [target], reason
            else:
                club = target if isinstance(target, Club) else target.club
                to, words = club_actions.owners(club), f"About {target}: {reason}"
            letters.write(
                f"warning {act.pk}", to, "A message from the site’s staff", "warned_by_staff",
                words=words,
            )  # fmt: skip
            return {"warning": act.pk, "warned": [one.pk for one in to]}
        if decision == Key.RENAME and target is not None:
            rename: Any = RENAMED_BY[type(target)]
            rename(by, target, given["name"], reason)
        elif decision == Key.BAN and isinstance(target, Player) and target.user is not None:
            if not given["long"]:
                raise RefusedError("long", "Choose how long.", 422)
            good = given["long"] == FOR_GOOD
            until = None if good else now + timedelta(days=int(given["long"]))
            account_actions.ban(by, target.user, reason, until, now)
        return {}

    def reopen(self, act: OperatorAct, reason: str, now: datetime) -> None:
        """Open the reports again, except those of members who have reported it again since.

        Whoever was warned is written to that it is taken back.
        """
        if "warning" in act.detail:
            key = f"warning {act.detail['warning']}"
            letters.delete_unsent(key)
            warned = Player.objects.filter(pk__in=act.detail["warned"])
            letters.write(
                f"{key} lifted", list(warned), "A message from the site’s staff", "warning_lifted",
                words=reason,
            )  # fmt: skip
        since = Report.objects.filter(about=act.about, about_id=act.about_id or 0, decided=None)
        again = since.exclude(reporter=None).values("reporter")
        reports = Report.objects.filter(pk__in=act.detail["rows"]).exclude(reporter__in=again)
        reports.update(decided=None, decision="")
