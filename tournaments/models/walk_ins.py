"""Players without an account whom a director has entered at the club night."""

import secrets
from typing import ClassVar, Final

from django.db import models
from django.utils import timezone

from games.models import Player

from .club_lists import ListedName
from .events import JOIN_LETTERS, Event

#: Nobody guesses one of 150 billion codes while wrong ones are limited.
CODE_LENGTH: Final = 8


def new_code() -> str:
    return "".join(secrets.choice(JOIN_LETTERS) for _ in range(CODE_LENGTH))


class WalkIn(models.Model):
    """A player of one event whom a director entered by a name only.

    They have no browser that the site knows, so they play in the room only. `listed`: their line on
    the club's list, by which the `player` is the same every night; None in events from before there
    was one. `code` leads to a page that says where they go now. `claimed_by`: the account whose
    these results are since it claimed them, at `claimed`; matches drawn before that are not rated.
    """

    event = models.ForeignKey(Event, on_delete=models.CASCADE, related_name="walk_ins")
    player = models.ForeignKey(Player, on_delete=models.PROTECT, related_name="walk_ins")
    listed = models.ForeignKey(
        ListedName, on_delete=models.SET_NULL, null=True, blank=True, related_name="nights"
    )
    code = models.CharField(max_length=CODE_LENGTH, unique=True, default=new_code)
    claimed_by = models.ForeignKey(
        Player, on_delete=models.PROTECT, null=True, blank=True, related_name="claims"
    )
    claimed = models.DateTimeField(null=True, blank=True)
    made = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering: ClassVar = ["event", "pk"]
        verbose_name = "walk-in"
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["event", "player"], name="walk_in_once_an_event")
        ]

    def __str__(self) -> str:
        return str(self.player)

    @property
    def spaced_code(self) -> str:
        """The code in two halves, as it is printed: "2345 6789"."""
        half = CODE_LENGTH // 2
        return f"{self.code[:half]} {self.code[half:]}"
