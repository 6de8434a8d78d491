"""Records of the site's operators: bans, their own actions, reports and failed tasks."""

from typing import Any, ClassVar, Final, NoReturn

from django.db import models
from django.utils import timezone

from .people import Player, User

#: The length of stored names of accounts, clubs and events.
TITLE_LENGTH: Final = 100
REASON_LENGTH: Final = 300


class About(models.TextChoices):
    USER = "user", "Account"
    PLAYER = "player", "Player"
    CLUB = "club", "Club"
    EVENT = "event", "Event"
    TASK = "task", "Task"
    OTHER = "other", "Other"


class Ban(models.Model):
    """The closing of an account, `until` a time or (None) for good, unless it is `lifted` before.

    Meanwhile `User.is_active` is false, so that no other code must query bans. `settled`: the
    account's seats and entries have been given up.
    """

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="bans")
    made = models.DateTimeField(default=timezone.now)
    until = models.DateTimeField(null=True, blank=True)
    reason = models.CharField(max_length=REASON_LENGTH)
    by_name = models.CharField(max_length=TITLE_LENGTH)
    by_id = models.BigIntegerField(null=True, blank=True)
    settled = models.BooleanField(default=False)
    lifted = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering: ClassVar = ["-made", "-pk"]
        indexes: ClassVar = [
            models.Index(
                fields=["until"], condition=models.Q(lifted=None), name="ban_in_order_of_end"
            ),
            models.Index(
                fields=["made"],
                condition=models.Q(lifted=None, settled=False),
                name="ban_to_settle",
            ),
        ]
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["user"], condition=models.Q(lifted=None), name="ban_one_at_a_time"
            ),
            models.CheckConstraint(condition=~models.Q(reason=""), name="ban_has_a_reason"),
        ]

    def __str__(self) -> str:
        return f"Ban {self.pk} of account {self.user_id}"


class ActQuerySet(models.QuerySet["OperatorAct"]):
    """Acts, which can be neither changed nor deleted: both raise TypeError."""

    def update(self, **_kwargs: Any) -> NoReturn:
        raise TypeError("Acts of operators are never changed.")

    def delete(self) -> NoReturn:
        raise TypeError("Acts of operators are never deleted.")


class OperatorAct(models.Model):
    """An action of the site's staff; never changed.

    The actor and the subject are stored by id and name, so that the row outlives both. `detail` is
    what else is needed to undo the act. `undoes` is the act that this one undid.
    """

    class What(models.TextChoices):
        BAN = "ban", "Closed the account"
        LIFT_BAN = "lift_ban", "Opened the account again"
        RENAME = "rename", "Renamed"
        DELETE_ACCOUNT = "delete_account", "Deleted the account"
        CLOSE_CLUB = "close_club", "Closed the club"
        REOPEN_CLUB = "reopen_club", "Opened the club again"
        HAND_OVER = "hand_over", "Handed the club over"
        DECIDE_REPORT = "decide_report", "Decided a case"
        WARN = "warn", "Warned by letter"
        SILENCE = "silence", "Silenced"
        PROPOSE_BAN = "propose_ban", "Proposed to close the account"
        TAKE_BACK = "take_back", "Took back a decision"
        CLEAR_FAILURES = "clear_failures", "Took note of failed tasks"
        ADMIN = "admin", "Changed on the admin pages"

    at = models.DateTimeField(default=timezone.now, db_index=True)
    what = models.CharField(max_length=20, choices=What)
    by_id = models.BigIntegerField(null=True)
    by_name = models.CharField(max_length=TITLE_LENGTH)
    about = models.CharField(max_length=8, choices=About)
    about_id = models.BigIntegerField(null=True)
    about_name = models.CharField(max_length=TITLE_LENGTH)
    reason = models.CharField(max_length=REASON_LENGTH, blank=True)
    detail = models.JSONField(default=dict, blank=True)
    undoes = models.OneToOneField(
        "self", on_delete=models.PROTECT, null=True, blank=True, related_name="undone_by"
    )

    objects = ActQuerySet.as_manager()

    class Meta:
        ordering: ClassVar = ["-at", "-pk"]
        indexes: ClassVar = [models.Index(fields=["about", "about_id"], name="act_of_subject")]

    def __str__(self) -> str:
        return f"Act {self.pk}: {self.what} of {self.about} {self.about_id}"

    def save(self, *args: Any, **kwargs: Any) -> None:
        """Insert the act; raise TypeError for one that exists."""
        if not self._state.adding:
            raise TypeError("Acts of operators are never changed.")
        super().save(*args, **kwargs)

    def delete(self, *_args: Any, **_kwargs: Any) -> NoReturn:
        raise TypeError("Acts of operators are never deleted.")


class Report(models.Model):
    """A member's report of a player, a club or an event's text; `note` is for the staff only."""

    class Reason(models.TextChoices):
        NAME = "name", "An insulting name"
        WORDS = "words", "Insulting or indecent words"
        CHEATING = "cheating", "Cheating"
        SPAM = "spam", "Advertising or nonsense"
        OTHER = "other", "Something else"

    class Decision(models.TextChoices):
        NOTHING = "nothing", "Nothing was to be done"
        WARN = "warn", "Warned by letter"
        RENAME = "rename", "Renamed"
        BAN = "ban", "Account closed"
        OTHER = "other", "Dealt with in another way"

    reporter = models.ForeignKey(
        Player, on_delete=models.SET_NULL, null=True, related_name="reports_made"
    )
    about = models.CharField(max_length=8, choices=About)
    about_id = models.BigIntegerField()
    about_name = models.CharField(max_length=TITLE_LENGTH)
    reason = models.CharField(max_length=8, choices=Reason)
    words = models.CharField(max_length=500, blank=True)
    made = models.DateTimeField(default=timezone.now)
    decision = models.CharField(max_length=8, choices=Decision, blank=True)
    decided = models.DateTimeField(null=True, blank=True)
    by_id = models.BigIntegerField(null=True, blank=True)
    by_name = models.CharField(max_length=TITLE_LENGTH, blank=True)
    note = models.CharField(max_length=REASON_LENGTH, blank=True)

    class Meta:
        ordering: ClassVar = ["made", "pk"]
        indexes: ClassVar = [
            models.Index(fields=["about", "about_id"], name="report_of_subject"),
            models.Index(
                fields=["made"], condition=models.Q(decided=None), name="report_to_decide"
            ),
        ]
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["reporter", "about", "about_id"],
                condition=models.Q(decided=None),
                name="report_one_open_a_subject",
            )
        ]

    def __str__(self) -> str:
        return f"Report {self.pk} of {self.about} {self.about_id}"


class TakenCase(models.Model):
    """Who has a case of moderation (`euchre_site.moderation`), `until` then.

    `source` and `number`: the kind of its evidence, and the key of the oldest row. `proposed_by`
    proposes what a second moderator has to confirm, for `proposed_reason`.
    """

    source = models.CharField(max_length=10)
    number = models.BigIntegerField()
    by = models.ForeignKey(User, on_delete=models.SET_NULL, null=True, blank=True, related_name="+")
    until = models.DateTimeField(null=True, blank=True)
    proposed_by = models.ForeignKey(
        User, on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )
    proposed_reason = models.CharField(max_length=REASON_LENGTH, blank=True)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["source", "number"], name="taken_case_once")
        ]

    def __str__(self) -> str:
        return f"Case {self.number} of {self.source}"


class TaskFailure(models.Model):
    """The failures of a task by the class of the exception, whose message could hold anything."""

    name = models.CharField(max_length=100)
    error = models.CharField(max_length=100)
    count = models.PositiveIntegerField(default=1)
    first = models.DateTimeField(default=timezone.now)
    last = models.DateTimeField(default=timezone.now, db_index=True)

    class Meta:
        ordering: ClassVar = ["-last"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["name", "error"], name="task_failure_once_a_cause")
        ]

    def __str__(self) -> str:
        return f"{self.name}: {self.error}"
