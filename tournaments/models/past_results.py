"""Results from before a club came to the site."""

from __future__ import annotations

from typing import ClassVar, Final

from django.core.validators import MinValueValidator
from django.db import models
from django.utils import timezone

from games.models import Player

from .club_lists import LISTED_NAME_LENGTH
from .clubs import Club

EVENT_NAME_LENGTH: Final = 80


class PastResult(models.Model):
    """Somebody's place in an event that a club has brought along; it counts for nothing here.

    Whoever is a member is a `player`, anybody else a `name`. Results that were imported together
    have the same `added`.
    """

    club = models.ForeignKey(Club, on_delete=models.CASCADE, related_name="past_results")
    day = models.DateField()
    event = models.CharField(max_length=EVENT_NAME_LENGTH)
    place = models.PositiveSmallIntegerField(validators=[MinValueValidator(1)])
    name = models.CharField(max_length=LISTED_NAME_LENGTH, blank=True)
    player = models.ForeignKey(
        Player, on_delete=models.CASCADE, null=True, blank=True, related_name="past_results"
    )
    points = models.DecimalField(max_digits=8, decimal_places=2, null=True, blank=True)
    added = models.DateTimeField(default=timezone.now)
    added_by = models.ForeignKey(
        Player, on_delete=models.SET_NULL, null=True, related_name="past_results_imported"
    )

    class Meta:
        ordering: ClassVar = ["-day", "event", "place", "pk"]
        indexes: ClassVar = [
            models.Index(fields=["club", "-day", "event", "place"], name="past_results_in_order")
        ]
        constraints: ClassVar = [
            models.CheckConstraint(condition=models.Q(place__gte=1), name="past_place_from_one"),
            models.CheckConstraint(
                condition=models.Q(player=None) ^ models.Q(name=""), name="past_player_or_name"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.who}, {self.place} in {self.event}"

    @property
    def who(self) -> str:
        return self.player.name if self.player else self.name

    @property
    def score(self) -> str:
        """The points without needless zeros; empty if none were given."""
        if self.points is None:
            return ""
        return f"{self.points:.2f}".rstrip("0").rstrip(".")
