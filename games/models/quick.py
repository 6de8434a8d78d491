"""The queue for quick games."""

import secrets
from typing import ClassVar

from django.db import models
from django.utils import timezone

from .people import Player
from .tables import Table


def pair_token() -> str:
    return secrets.token_urlsafe(12)


class Pair(models.Model):
    """Two people who look for a quick game as partners, or of whom one has asked the other.

    `to`: nobody yet if `by` asked by a link, whose secret is `token`. `rules`, `turn_seconds`,
    `rated`: the game, as in `Seeker`. The rest is for the row of `by` in the queue: `throws_in`,
    `session`, `address`, and `seen`, when their page last asked. The request is open until `until`.
    `declined` is not shown to `by`. `agreed`: since when both are in the queue. `left_by`: who has
    left it; the row then waits for the other to be told. It is deleted once both sit.
    """

    by = models.ForeignKey(Player, on_delete=models.CASCADE, related_name="pairs_asked")
    to = models.ForeignKey(
        Player, on_delete=models.CASCADE, null=True, blank=True, related_name="pairs"
    )
    token = models.CharField(max_length=24, default=pair_token, unique=True)
    rules = models.CharField(max_length=40)
    turn_seconds = models.PositiveSmallIntegerField()
    rated = models.BooleanField(default=False)
    throws_in = models.BooleanField(default=False)
    session = models.CharField(max_length=64, blank=True)
    address = models.CharField(max_length=64, blank=True)
    asked = models.DateTimeField(default=timezone.now)
    seen = models.DateTimeField(default=timezone.now)
    until = models.DateTimeField(db_index=True)
    declined = models.BooleanField(default=False)
    agreed = models.DateTimeField(null=True, blank=True)
    left_by = models.ForeignKey(
        Player, on_delete=models.CASCADE, null=True, blank=True, related_name="+"
    )

    class Meta:
        ordering: ClassVar = ["-asked", "-pk"]
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["by"], condition=models.Q(left_by=None), name="pair_one_of_asker"
            ),
            models.CheckConstraint(condition=~models.Q(by=models.F("to")), name="pair_of_two"),
        ]

    def __str__(self) -> str:
        return f"{self.by} and {self.to or 'whoever has the link'}"


class Seeker(models.Model):
    """A person in the queue for a quick game; the row is deleted once they sit or give up.

    `rules`: the key of a rule set. `turn_seconds`: the pace. `rated`: the game counts for ratings,
    so it waits until people take all seats. `seen`: when their page last asked.
    `table`: the table whose players have been asked to let them in, since `asked`; `passed_over`:
    the ids of tables where that came to nothing. `due`: when they are to have a seat. `session` and
    `address`: keyed digests of where they came from, to tell that two people are one. `pair`: they
    come with a partner, whose row has the same pair, table and times.
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
    pair = models.ForeignKey(
        Pair, on_delete=models.CASCADE, null=True, blank=True, related_name="seekers"
    )

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
