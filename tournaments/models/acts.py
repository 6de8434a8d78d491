"""What directors have done to events."""

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
    a message it is the text. `kept` has the rows that it removed, for an undo. An act of the kind
    UNDO `undoes` another. The round, match or entry is None if the act was on another, or if a
    later act has removed it.
    """

    class Kind(models.TextChoices):
        """The acts, in the words of the page that lists them."""

        START = "start", "Started the event"
        PAUSE = "pause", "Paused the event"
        RESUME = "resume", "Resumed the event"
        TIME = "time", "Moved the end of the round"
        MORE_TIME = "more_time", "Gave a table more time"
        TIME_UP = "time_up", "Ended the round’s time"
        NEXT_ROUND = "next_round", "Ended the break"
        FINAL = "final", "Made the results final"
        CANCEL = "cancel", "Cancelled the event"
        MESSAGE = "message", "Wrote to all"
        HOUSE = "house", "Added house players"
        ENTER = "enter", "Entered"
        LATE = "late", "Let in late"
        SUBSTITUTE = "substitute", "Put in a substitute"
        CLAIM = "claim", "Claimed a walk-in’s results"
        CHECK_IN = "check_in", "Checked in"
        TABLE_CODE = "table_code", "Gave a table a new code"
        CODE = "code", "Gave a walk-in a new code"
        NAME = "name", "Changed a walk-in’s name"
        WITHDRAW = "withdraw", "Withdrew"
        PUT_BACK = "put_back", "Put back"
        RESULT = "result", "Set a result"
        PENALTY = "penalty", "Gave a penalty"
        REOPEN = "reopen", "Had a match played again"
        MOVE = "move", "Moved a table"
        SEATS = "seats", "Changed seats"
        TAKE_BACK = "take_back", "Took a round back"
        REDRAW = "redraw", "Drew a round again"
        UNDO = "undo", "Undid"

    event = models.ForeignKey(Event, on_delete=models.CASCADE, related_name="acts")
    kind = models.CharField(max_length=10, choices=Kind)
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
        return self.get_kind_display()
