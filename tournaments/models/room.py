"""Tables in the room and the lines of their score cards."""

from __future__ import annotations

import secrets
from typing import ClassVar, Final

from django.db import models
from django.utils import timezone

from games.models import Player

from .events import JOIN_LETTERS, Event
from .rounds import Pairing

CODE_LENGTH: Final = 8


def new_table_code() -> str:
    """Return a random code: about 1.5e11 are possible, so none is found by trying."""
    return "".join(secrets.choice(JOIN_LETTERS) for _ in range(CODE_LENGTH))


class RoomTable(models.Model):
    """The number of a table in the room, and the code that opens its score card.

    `seated` is a digest of the people who have the code, empty until somebody has sat there: others
    get another code. `renewed` is when a director last gave it another one, None if never.
    """

    event = models.ForeignKey(Event, on_delete=models.CASCADE, related_name="room_tables")
    number = models.PositiveSmallIntegerField()
    code = models.CharField(
        max_length=CODE_LENGTH, unique=True, default=new_table_code, editable=False
    )

    seated = models.CharField(max_length=32, blank=True, default="", editable=False)
    renewed = models.DateTimeField(null=True, blank=True, editable=False)

    class Meta:
        ordering: ClassVar = ["event", "number"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["event", "number"], name="room_table_once_an_event")
        ]

    def __str__(self) -> str:
        return f"Table {self.number} of {self.event}"


class RetiredCode(models.Model):
    """A code that a table had before it got another one; it opens nothing."""

    table = models.ForeignKey(RoomTable, on_delete=models.CASCADE, related_name="retired_codes")
    code = models.CharField(max_length=CODE_LENGTH, unique=True, editable=False)

    class Meta:
        ordering: ClassVar = ["pk"]

    def __str__(self) -> str:
        return f"Former code of {self.table}"


class ScoreLine(models.Model):
    """A line of the score card of a match in the room; lines are added, never changed.

    `key` is made by the phone, so that a line sent twice is stored once. `side` wrote it; `number`
    is that of the hand or game, `values` what was written (`tournaments.room_scores.cards`), `said`
    why a score is disputed. A director writes penalties, and lifts them, against a `side`.
    `phone` is a digest of the browser, empty for a director; `player` is None for a phone without
    an account at the table. `address` is a keyed hash of where a signature came from, kept as long
    as `games.people.whereabouts` keeps its own.
    """

    class Kind(models.TextChoices):
        """What a line says."""

        HAND = "hand", "Wrote a hand"
        GAME = "game", "Wrote the score of a game"
        TAKE_BACK = "take_back", "Took the last hand or game back"
        SIGN = "sign", "Signed the score"
        DISPUTE = "dispute", "Disputed the score"
        CLEAR = "clear", "Cleared the card"
        PENALTY = "penalty", "Gave a penalty"
        LIFT = "lift", "Lifted a penalty"

    pairing = models.ForeignKey(Pairing, on_delete=models.CASCADE, related_name="score_lines")
    key = models.CharField(max_length=40, unique=True)
    kind = models.CharField(max_length=9, choices=Kind)
    side = models.PositiveSmallIntegerField()
    number = models.PositiveSmallIntegerField(default=0)
    values = models.JSONField(default=dict)
    said = models.CharField(max_length=200, blank=True)
    phone = models.CharField(max_length=64, blank=True)
    address = models.CharField(max_length=32, blank=True, default="")
    player = models.ForeignKey(
        Player, on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering: ClassVar = ["pk"]

    def __str__(self) -> str:
        return f"{self.get_kind_display()} at {self.pairing}"
