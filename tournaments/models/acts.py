"""What directors have done to events."""

from enum import StrEnum
from typing import ClassVar

from django.db import models
from django.utils import timezone

from games.models import Player

from .entries import Entry
from .events import Event
from .rounds import Pairing, Round


class Act(models.Model):
    """An act of a director on an event: on whom, why, and the values before and after.

    `before` and `after` hold only what the act changed. `reason` is read by the club's members; of
    a message it is the text. `kept` has the rows that an undo restores
    (`tournaments.changes.row_images`). An act of the kind UNDO `undoes` another. The round, match
    or entry is None if the act was on another, or if a later act has removed it.
    """

    class Kind(StrEnum):
        """The kinds that code asks for; `tournaments.acts` has them all, with their words."""

        START = "start"
        PAUSE = "pause"
        RESUME = "resume"
        TIME = "time"
        MORE_TIME = "more_time"
        TIME_UP = "time_up"
        NEXT_ROUND = "next_round"
        FINAL = "final"
        CANCEL = "cancel"
        MESSAGE = "message"
        TO_TABLE = "to_table"
        HOUSE = "house"
        ENTER = "enter"
        LATE = "late"
        SUBSTITUTE = "substitute"
        CLAIM = "claim"
        CHECK_IN = "check_in"
        TABLE_CODE = "table_code"
        CODE = "code"
        NAME = "name"
        WITHDRAW = "withdraw"
        PUT_BACK = "put_back"
        RESULT = "result"
        PENALTY = "penalty"
        REOPEN = "reopen"
        MOVE = "move"
        SEATS = "seats"
        SEEDS = "seeds"
        TAKE_BACK = "take_back"
        REDRAW = "redraw"
        UNDO = "undo"

    event = models.ForeignKey(Event, on_delete=models.CASCADE, related_name="acts")
    kind = models.CharField(max_length=10)
    by = models.ForeignKey(Player, on_delete=models.PROTECT, related_name="+")
    at = models.DateTimeField(default=timezone.now)
    round = models.ForeignKey(Round, on_delete=models.SET_NULL, null=True, related_name="+")
    pairing = models.ForeignKey(Pairing, on_delete=models.SET_NULL, null=True, related_name="acts")
    entry = models.ForeignKey(Entry, on_delete=models.SET_NULL, null=True, related_name="acts")
    reason = models.CharField(max_length=300, blank=True)
    undoes = models.OneToOneField(
        "self", on_delete=models.CASCADE, null=True, related_name="undone_by"
    )
    before = models.JSONField(default=dict)
    after = models.JSONField(default=dict)
    kept = models.JSONField(default=dict)

    class Meta:
        ordering: ClassVar = ["-pk"]

    def __str__(self) -> str:
        return self.kind.replace("_", " ").capitalize()
