"""Tables that stand: the same people, the same rules, one game after another."""

from typing import ClassVar

from django.db import models
from django.utils import timezone

from games.engine.rules import RuleSet

from .people import Player
from .stored_rules import stored_rules
from .tables import HOUSE_AFTER, Table


class StandingTable(models.Model):
    """A table of a group of friends, who open it for each game; see `games.friends.standing`.

    turn_seconds, house_after, house_level: of the tables that it opens, as `Table` says.
    """

    name = models.CharField(max_length=40)
    rules_data = models.JSONField()
    turn_seconds = models.PositiveSmallIntegerField(null=True, blank=True)
    house_after = models.PositiveSmallIntegerField(null=True, blank=True, default=HOUSE_AFTER)
    house_level = models.CharField(
        max_length=10, choices=Table.HouseLevel, default=Table.HouseLevel.STRONG
    )
    made = models.DateTimeField(default=timezone.now)

    def __str__(self) -> str:
        return self.name

    @property
    def rules(self) -> RuleSet:
        return stored_rules(self.rules_data)


class StandingPlace(models.Model):
    """Somebody who belongs to a standing table since `agreed`, or has been asked.

    `position`: the seat they had last. `declined` is never shown to the others. `withdrawn`: the
    others have taken the request back.
    """

    standing = models.ForeignKey(StandingTable, on_delete=models.CASCADE, related_name="places")
    player = models.ForeignKey(Player, on_delete=models.CASCADE, related_name="standing_places")
    position = models.PositiveSmallIntegerField(null=True, blank=True)
    asked = models.DateTimeField(default=timezone.now, db_index=True)
    agreed = models.DateTimeField(null=True, blank=True)
    declined = models.BooleanField(default=False)
    withdrawn = models.BooleanField(default=False)

    class Meta:
        ordering: ClassVar = ["pk"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["standing", "player"], name="standing_place_once")
        ]

    def __str__(self) -> str:
        return f"{self.player} at {self.standing}"
