"""The queue for quick games."""

from typing import ClassVar

from django.db import models
from django.utils import timezone

from .people import Player
from .tables import Table


class Seeker(models.Model):
    """A person in the queue for a quick game; the row is deleted once they sit or give up.

    `rules`: the key of a rule set. `turn_seconds`: the pace. `rated`: the game counts for ratings,
    so it waits until people take all seats. `seen`: when their page last asked.
    `table`: the table whose players have been asked to let them in, since `asked`; `passed_over`:
    the ids of tables where that came to nothing. `due`: when they are to have a seat. `session` and
    `address`: keyed digests of where they came from, to tell that two people are one.
    """

    player = models.OneToOneField(Player, on_delete=models.CASCADE, related_name="seeker")
    rules = models.CharField(max_length=40)
    turn_seconds = models.PositiveSmallIntegerField()
    rated = models.BooleanField(default=False)
    throws_in = models.BooleanField(default=False)
    since = models.DateTimeField(default=timezone.now)
    seen = models.DateTimeField(default=timezone.now)
    due = models.DateTimeField(db_index=True)
    table = models.ForeignKey(
        Table, on_delete=models.SET_NULL, null=True, blank=True, related_name="seekers"
    )
    asked = models.DateTimeField(null=True, blank=True)
    passed_over = models.JSONField(default=list, blank=True)
    session = models.CharField(max_length=64, blank=True)
    address = models.CharField(max_length=64, blank=True)

    class Meta:
        ordering: ClassVar = ["since", "pk"]

    def __str__(self) -> str:
        return f"{self.player} looks for a game of {self.rules}"


class Avoidance(models.Model):
    """`by` does not want to meet `other` in quick games; shown to nobody but `by`."""

    by = models.ForeignKey(Player, on_delete=models.CASCADE, related_name="avoidances")
    other = models.ForeignKey(Player, on_delete=models.CASCADE, related_name="+")
    since = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering: ClassVar = ["-since", "-pk"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["by", "other"], name="avoidance_once"),
            models.CheckConstraint(
                condition=~models.Q(by=models.F("other")), name="avoidance_of_another"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.by} not with {self.other}"
