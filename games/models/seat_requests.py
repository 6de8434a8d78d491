"""Requests for a seat in a running game, and traces of players who see its hands."""

from datetime import timedelta
from typing import ClassVar, Final

from django.db import models
from django.utils import timezone

from .people import Player
from .tables import Table

#: The time after which an unanswered request expires.
OPEN_FOR: Final = timedelta(minutes=5)


class SeatRequest(models.Model):
    """A player's request for a seat at a table, at most one per player and table.

    It expires after some minutes, at the latest when the game ends. `refused`: declined for this
    game. `sits_from`: of somebody from the queue of quick games, who sits down between two hands
    from then on, unless refused. `session` and `address` are digests of its origin, as in `Trace`.
    """

    table = models.ForeignKey(Table, on_delete=models.CASCADE, related_name="requests")
    player = models.ForeignKey(Player, on_delete=models.CASCADE, related_name="seat_requests")
    position = models.PositiveSmallIntegerField()
    asked = models.DateTimeField(default=timezone.now)
    refused = models.BooleanField(default=False)
    sits_from = models.DateTimeField(null=True, blank=True, db_index=True)
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
    """A session or an address from which a player sees a hand at a table.

    Only a `digest` is stored, keyed with the site's key and different for each table. It is deleted
    when the next game begins without the player, or the table is closed.
    """

    class Kind(models.TextChoices):
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
