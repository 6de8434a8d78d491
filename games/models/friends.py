"""Friendships, who is here, and invitations to tables."""

from typing import ClassVar

from django.db import models
from django.utils import timezone

from .log import Game
from .people import Player
from .tables import Table


class Friendship(models.Model):
    """Two players who are friends since `agreed`, or of whom one has asked the other.

    There is one row for two players; `low` has the smaller id. `low_asked`: which of the two asked,
    at `asked`. `declined` and `withdrawn`: the other has said no, or the one who asked has taken it
    back. `declined` is never shown to the one who asked.
    """

    low = models.ForeignKey(Player, on_delete=models.CASCADE, related_name="+")
    high = models.ForeignKey(Player, on_delete=models.CASCADE, related_name="+")
    low_asked = models.BooleanField()
    asked = models.DateTimeField(default=timezone.now, db_index=True)
    declined = models.BooleanField(default=False)
    withdrawn = models.BooleanField(default=False)
    agreed = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering: ClassVar = ["-asked", "-pk"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["low", "high"], name="friendship_once"),
            models.CheckConstraint(
                condition=models.Q(low__lt=models.F("high")), name="friendship_of_two"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.low} and {self.high}"


class LastHere(models.Model):
    """When a member last asked for a page, to within a minute or so; see `games.people.online`."""

    player = models.OneToOneField(
        Player, on_delete=models.CASCADE, primary_key=True, related_name="last_here"
    )
    at = models.DateTimeField()

    def __str__(self) -> str:
        return f"{self.player} at {self.at:%Y-%m-%d %H:%M:%S}"


class Invitation(models.Model):
    """An invitation to a table, open until `until` or until it is declined.

    `again`: the game after which the same people meet again, if it was made for that. `club`: the
    name of the club whose members were called, if it was made so.
    """

    table = models.ForeignKey(Table, on_delete=models.CASCADE, related_name="invitations")
    by = models.ForeignKey(Player, on_delete=models.CASCADE, related_name="+")
    to = models.ForeignKey(Player, on_delete=models.CASCADE, related_name="invitations")
    made = models.DateTimeField(default=timezone.now, db_index=True)
    until = models.DateTimeField()
    declined = models.BooleanField(default=False)
    again = models.ForeignKey(
        Game, on_delete=models.SET_NULL, null=True, blank=True, related_name="invitations"
    )
    club = models.CharField(max_length=60, blank=True, default="")

    class Meta:
        ordering: ClassVar = ["-made", "-pk"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["table", "to"], name="invitation_once_a_table"),
            models.CheckConstraint(
                condition=~models.Q(by=models.F("to")), name="invitation_of_another"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.by} invites {self.to} to {self.table}"
