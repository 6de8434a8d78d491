"""Seats in games that are being played: who asks for one, and from where hands are seen."""

from datetime import timedelta
from typing import ClassVar, Final

from django.db import models
from django.utils import timezone

from .people import Player
from .tables import Table

#: How long a request counts that nobody answers.
OPEN_FOR: Final = timedelta(minutes=5)


class SeatRequest(models.Model):
    """Somebody asks those who play at a table for a seat; one row for each person and table.

    It counts for some minutes and until the game ends. `refused`: it was, for this game. `session`
    and `address` say from where it came, as in `Trace`.
    """

    table = models.ForeignKey(Table, on_delete=models.CASCADE, related_name="requests")
    player = models.ForeignKey(Player, on_delete=models.CASCADE, related_name="seat_requests")
    position = models.PositiveSmallIntegerField()
    asked = models.DateTimeField(default=timezone.now)
    refused = models.BooleanField(default=False)
    session = models.CharField(max_length=64, blank=True)
    address = models.CharField(max_length=64, blank=True)

    class Meta:
        ordering: ClassVar = ["asked", "pk"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["table", "player"], name="seat_request_one_a_player")
        ]

    def __str__(self) -> str:
        return f"{self.player} asks for seat {self.position} at {self.table}"


class Trace(models.Model):
    """A session or an address from which a hand is seen at a table.

    Neither is kept: `digest` is made of it with the site's key and differs from table to table.
    It goes when the next game begins without the player, or the table is closed.
    """

    class Kind(models.TextChoices):
        """What it is of."""

        SESSION = "session"
        ADDRESS = "address"

    table = models.ForeignKey(Table, on_delete=models.CASCADE, related_name="traces")
    player = models.ForeignKey(Player, on_delete=models.CASCADE, related_name="traces")
    kind = models.CharField(max_length=7, choices=Kind)
    digest = models.CharField(max_length=64)

    class Meta:
        ordering: ClassVar = ["pk"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["table", "player", "digest"], name="trace_once"),
            models.CheckConstraint(
                condition=models.Q(kind__in=["session", "address"]), name="trace_kind_known"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind} of {self.player} at {self.table}"
