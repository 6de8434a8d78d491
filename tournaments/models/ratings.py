"""Ratings: one a player in each pool, and what every rated game did to them."""

from typing import ClassVar

from django.db import models
from django.utils import timezone

from games.models import Player

from .rounds import Pairing


class Pool(models.Model):
    """Ratings that can be compared: of one kind of game.

    Whoever rates its games has claimed it until `busy_until`; `revision` counts the claims.
    """

    key = models.CharField(max_length=20, unique=True)
    revision = models.PositiveIntegerField(default=0)
    busy_until = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering: ClassVar = ["key"]

    def __str__(self) -> str:
        return self.key


class Rating(models.Model):
    """A player's rating in a pool after his latest rated game, which was at `latest`.

    He is ranked until `ranked_until`: while the rating is sure enough, which wears off without
    play, and he has played lately.
    """

    pool = models.ForeignKey(Pool, on_delete=models.CASCADE, related_name="ratings")
    player = models.ForeignKey(Player, on_delete=models.CASCADE, related_name="ratings")
    mu = models.FloatField()
    sigma = models.FloatField()
    games = models.PositiveIntegerField()
    latest = models.DateTimeField()
    ranked_until = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering: ClassVar = ["pool", "-mu"]
        indexes: ClassVar = [models.Index(fields=["pool", "-mu"], name="rating_of_pool")]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["pool", "player"], name="rating_once_a_pool")
        ]

    def __str__(self) -> str:
        return f"{self.player}: {self.mu:.0f}"


class RatingChange(models.Model):
    """What one rated game did to one player's rating.

    `number` is the game's in its match, 0 for a result that a director set; `position` orders all
    changes of the pool.
    """

    pool = models.ForeignKey(Pool, on_delete=models.CASCADE, related_name="changes", db_index=False)
    pairing = models.ForeignKey(
        Pairing, on_delete=models.CASCADE, related_name="rating_changes", db_index=False
    )
    number = models.PositiveSmallIntegerField()
    player = models.ForeignKey(
        Player, on_delete=models.CASCADE, related_name="rating_changes", db_index=False
    )
    position = models.PositiveIntegerField()
    side = models.PositiveSmallIntegerField()
    winner = models.SmallIntegerField()
    expected = models.FloatField()
    mu_before = models.FloatField()
    sigma_before = models.FloatField()
    mu_after = models.FloatField()
    sigma_after = models.FloatField()
    at = models.DateTimeField()

    class Meta:
        ordering: ClassVar = ["pool", "position", "pk"]
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["pairing", "number", "player"], name="rating_change_once_a_game"
            )
        ]
        indexes: ClassVar = [
            models.Index(fields=["player", "pool", "position"], name="rating_change_of_player"),
            models.Index(fields=["pool", "position"], name="rating_change_in_order"),
        ]

    def __str__(self) -> str:
        return f"{self.player}: {self.mu_before:.0f} to {self.mu_after:.0f}"
