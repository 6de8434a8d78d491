"""What members have made of the puzzles that everybody is asked."""

from typing import ClassVar

from django.db import models

from .people import User


class PuzzleProgress(models.Model):
    """An account's answers to the set of puzzles, and its rush; see `games.puzzles.progress`.

    `attempts` are tries, solved and shown by the puzzle's number as text. `rush` is the latest one
    (`games.puzzles.rush`), `best` the most puzzles solved in one.
    """

    user = models.OneToOneField(
        User, on_delete=models.CASCADE, primary_key=True, related_name="puzzle_progress"
    )
    attempts = models.JSONField(default=dict, blank=True)
    rush = models.JSONField(default=dict, blank=True)
    best = models.PositiveSmallIntegerField(default=0)

    class Meta:
        verbose_name_plural: ClassVar = "puzzle progress"

    def __str__(self) -> str:
        return f"Puzzles of account {self.user_id}"
