"""Archived games: those whose events and shuffle are one compressed record."""

from typing import ClassVar

from django.db import models

from .log import Game
from .people import Player


class GameArchive(models.Model):
    """The events and the shuffle's numbers of a game in the form of `games.files.archive`.

    It takes the place of the rows of `GameEvent`, and of `secret`, `seat_commitments` and
    `contributions` of the game, which are empty then. Only `Game` reads it.
    """

    game = models.OneToOneField(
        Game, on_delete=models.CASCADE, primary_key=True, related_name="archive"
    )
    record = models.BinaryField()

    def __str__(self) -> str:
        return f"Archive of {self.game_id}"


class GameSubstitute(models.Model):
    """A player who acted in an archived game that counts for others: they may still see it."""

    game = models.ForeignKey(
        Game, on_delete=models.CASCADE, related_name="substitutes", db_index=False
    )
    player = models.ForeignKey(Player, on_delete=models.PROTECT, related_name="+")

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["game", "player"], name="game_substitute_once")
        ]

    def __str__(self) -> str:
        return f"{self.player} in {self.game_id}"
