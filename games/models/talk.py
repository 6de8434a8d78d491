"""What people say at tables."""

from typing import ClassVar, Final

from django.db import models
from django.utils import timezone

from .log import Game
from .office import REASON_LENGTH, TITLE_LENGTH
from .people import Player
from .tables import Table

#: The most characters of a line.
WORDS_LENGTH: Final = 200


class TalkLine(models.Model):
    """A line said at a table: a set phrase by its number (`games.talk.phrases`), or free words.

    `channel`: who reads it, the players of the table or those who watch. `game` and `version`: the
    moment of the game at which it was said; no game before the first. Lines are deleted after
    `TALK_DAYS`, and are part of no game's record.
    """

    class Channel(models.TextChoices):
        PLAYERS = "players"
        WATCHERS = "watchers"

    table = models.ForeignKey(
        Table, on_delete=models.CASCADE, related_name="talk_lines", db_index=False
    )
    channel = models.CharField(max_length=8, choices=Channel)
    player = models.ForeignKey(Player, on_delete=models.CASCADE, related_name="talk_lines")
    phrase = models.PositiveSmallIntegerField(null=True, blank=True)
    words = models.CharField(max_length=WORDS_LENGTH, blank=True)
    game = models.ForeignKey(
        Game, on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )
    version = models.PositiveIntegerField(default=0)
    at = models.DateTimeField(default=timezone.now, db_index=True)

    class Meta:
        ordering: ClassVar = ["pk"]
        indexes: ClassVar = [models.Index(fields=["table", "id"], name="talk_line_of_table")]
        constraints: ClassVar = [
            models.CheckConstraint(
                condition=models.Q(channel__in=["players", "watchers"]),
                name="talk_line_channel_known",
            ),
            models.CheckConstraint(
                condition=models.Q(phrase__isnull=False, words="")
                | (models.Q(phrase=None) & ~models.Q(words="")),
                name="talk_line_phrase_or_words",
            ),
        ]

    def __str__(self) -> str:
        return f"Line {self.pk} at table {self.table_id}"


class Mute(models.Model):
    """`by` hears nothing that `other` says; shown to nobody but `by`."""

    by = models.ForeignKey(Player, on_delete=models.CASCADE, related_name="mutes")
    other = models.ForeignKey(Player, on_delete=models.CASCADE, related_name="+")
    since = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering: ClassVar = ["-since", "-pk"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["by", "other"], name="mute_once"),
            models.CheckConstraint(
                condition=~models.Q(by=models.F("other")), name="mute_of_another"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.by} does not hear {self.other}"


class TalkReport(models.Model):
    """A report of a line to the moderators, who decide on it in the office.

    `lines`: the line and those around it as the reporter heard them, since the rows may go before
    (`games.talk.reporting`); emptied with the lines of that time. `line`: the number of the
    reported one. `game`, `version`: the moment of the game at which it was said. All open reports
    on one player at one table form a case and are decided together.
    """

    class Reason(models.TextChoices):
        RUDE = "rude", "Rude or insulting"
        CARDS = "cards", "Told cards to a partner"
        SPAM = "spam", "Advert or spam"
        OTHER = "other", "Something else"

    player = models.ForeignKey(
        Player, on_delete=models.SET_NULL, null=True, related_name="talk_reports"
    )
    reporter = models.ForeignKey(
        Player, on_delete=models.SET_NULL, null=True, related_name="talk_reports_made"
    )
    reason = models.CharField(max_length=5, choices=Reason)
    table = models.ForeignKey(Table, on_delete=models.SET_NULL, null=True, related_name="+")
    game = models.ForeignKey(Game, on_delete=models.SET_NULL, null=True, related_name="+")
    version = models.PositiveIntegerField(default=0)
    line = models.BigIntegerField()
    lines = models.JSONField(default=list)
    made = models.DateTimeField(default=timezone.now, db_index=True)
    decided = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering: ClassVar = ["made", "pk"]
        indexes: ClassVar = [
            models.Index(
                fields=["made"], condition=models.Q(decided=None), name="talk_report_to_decide"
            )
        ]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["reporter", "line"], name="talk_report_once_a_line")
        ]

    def __str__(self) -> str:
        return f"Report {self.pk} of line {self.line}"


class Sanction(models.Model):
    """A warning for what somebody said, or a silence (`until`), unless it is `lifted` before.

    Whoever is silenced plays on and says set phrases only.
    """

    player = models.ForeignKey(Player, on_delete=models.CASCADE, related_name="sanctions")
    made = models.DateTimeField(default=timezone.now)
    until = models.DateTimeField(null=True, blank=True)
    reason = models.CharField(max_length=REASON_LENGTH)
    by_id = models.BigIntegerField(null=True, blank=True)
    by_name = models.CharField(max_length=TITLE_LENGTH)
    lifted = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering: ClassVar = ["-made", "-pk"]
        constraints: ClassVar = [
            models.CheckConstraint(condition=~models.Q(reason=""), name="sanction_has_a_reason")
        ]

    def __str__(self) -> str:
        return f"Sanction {self.pk} of {self.player_id}"

    @property
    def what(self) -> str:
        return "Warning" if self.until is None else "Silence"

    def in_words(self) -> str:
        """Tell the player what it means and why."""
        if self.until is None:
            return f"A moderator warns you: {self.reason}"
        until = timezone.localtime(self.until)
        return f"You can use the phrases until {until:%A, %-d %B, %H:%M %Z}: {self.reason}"
