"""Shuffles of games that have not started, and the public log of all shuffles."""

import uuid
from typing import Any, ClassVar

from django.db import models
from django.utils import timezone

from .people import Player
from .tables import Table


class Shuffle(models.Model):
    """The shuffle of a table's next game, from the server's commitment until the game starts.

    The game takes over its id and its data. `secret` is encrypted. `frozen`: when the seats'
    commitments were fixed, and with them `reversed_by`, the seats that deal their packets in the
    reverse order (see ``RuleSet``). `due`: when it continues without missing contributions; None
    until all seats are taken.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    table = models.ForeignKey(
        Table, on_delete=models.CASCADE, related_name="shuffles", db_index=False
    )
    number = models.PositiveIntegerField()
    secret = models.BinaryField()
    commitment = models.BinaryField(max_length=32)
    made = models.DateTimeField(default=timezone.now)
    frozen = models.DateTimeField(null=True, blank=True)
    reversed_by = models.PositiveSmallIntegerField(default=0)
    due = models.DateTimeField(null=True, blank=True, db_index=True)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["table", "number"], name="shuffle_once_a_game")
        ]

    def __str__(self) -> str:
        return f"Shuffle of game {self.number} at {self.table}"

    @property
    def match(self) -> uuid.UUID:
        """Return the id under which the server has committed itself: the game's, or that of all."""
        shared: uuid.UUID | None = self.table.shared_deals_id
        return shared or self.pk


class Contribution(models.Model):
    """A seat's contribution to a shuffle: first its commitment, later the number."""

    shuffle = models.ForeignKey(
        Shuffle, on_delete=models.CASCADE, related_name="contributions", db_index=False
    )
    position = models.PositiveSmallIntegerField()
    player = models.ForeignKey(Player, on_delete=models.CASCADE, related_name="contributions")
    commitment = models.BinaryField(max_length=32)
    number = models.BinaryField(max_length=32, null=True, blank=True)

    class Meta:
        ordering: ClassVar = ["shuffle", "position"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["shuffle", "position"], name="contribution_once_a_seat")
        ]

    def __str__(self) -> str:
        return f"{self.player}, seat {self.position}, {self.shuffle}"


class PublishedLineError(Exception):
    def __init__(self) -> None:
        super().__init__("A line of the public log is never changed and never removed.")


class LogLineQuerySet(models.QuerySet["LogLine"]):
    """Lines of the public log; changing one that has a place raises PublishedLineError."""

    def update(self, **changes: Any) -> int:
        if self.filter(place__isnull=False).exists():
            raise PublishedLineError
        return super().update(**changes)

    def delete(self) -> tuple[int, dict[str, int]]:
        raise PublishedLineError

    def drop_data(self) -> int:
        """Empty the `data` of lines that have been published, whose `text` says the same."""
        return models.QuerySet.update(self.filter(place__isnull=False), data={})


class LogLine(models.Model):
    """A line of the public log of shuffles.

    It is stored in the transaction of its event. Afterwards it gets its `place` and its published
    `text`, which holds the hash of the line before, and can no longer be changed or deleted. Only
    the `data` of which the text was made is dropped when the game is archived.
    """

    class Kind(models.TextChoices):
        CREATED = "created"
        STARTED = "started"
        ABORTED = "aborted"
        REVEALED = "revealed"
        OPENED = "opened"

    match = models.UUIDField()
    kind = models.CharField(max_length=8, choices=Kind)
    data = models.JSONField()
    at = models.DateTimeField(default=timezone.now)
    place = models.PositiveBigIntegerField(null=True, blank=True, unique=True)
    text = models.TextField(blank=True)
    hash = models.BinaryField(max_length=32, null=True, blank=True)

    objects = LogLineQuerySet.as_manager()

    class Meta:
        indexes: ClassVar = [
            models.Index(
                fields=["id"], condition=models.Q(place__isnull=True), name="log_line_to_chain"
            )
        ]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["match", "kind"], name="log_line_once_a_match"),
            models.CheckConstraint(
                condition=models.Q(
                    kind__in=["created", "started", "aborted", "revealed", "opened"]
                ),
                name="log_line_kind_known",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.match}"

    def save(self, *args: Any, **kwargs: Any) -> None:
        if LogLine.objects.filter(pk=self.pk, place__isnull=False).exists():
            raise PublishedLineError
        super().save(*args, **kwargs)

    def delete(self, *_args: Any, **_kwargs: Any) -> tuple[int, dict[str, int]]:
        raise PublishedLineError
