"""Reviews of finished games, and the puzzles made from them."""

from typing import ClassVar

from django.db import models
from django.utils import timezone

from .log import Game
from .people import Player


class Review(models.Model):
    """The review of a game, or the work on it.

    `version` is that of the judging (`games.review.reports`). `result` lists the judged decisions
    of the hands judged so far, which `done` counts; `hands` is how many there are. `due` is when a
    worker may take it up: it lies ahead while one is at work, and is None once `made` or failed.
    `error` says why it failed.
    """

    game = models.OneToOneField(
        Game, on_delete=models.CASCADE, primary_key=True, related_name="review"
    )
    version = models.PositiveSmallIntegerField()
    asked = models.DateTimeField(default=timezone.now)
    due = models.DateTimeField(null=True, blank=True, default=timezone.now, db_index=True)
    tries = models.PositiveSmallIntegerField(default=0)
    hands = models.PositiveIntegerField(default=0)
    done = models.PositiveIntegerField(default=0)
    result = models.JSONField(default=list, blank=True)
    made = models.DateTimeField(null=True, blank=True)
    error = models.CharField(max_length=200, blank=True)

    def __str__(self) -> str:
        return f"Review of {self.game_id}"

    @property
    def failed(self) -> bool:
        return self.made is None and self.due is None


class Puzzle(models.Model):
    """A decision of a player, marked in a review, that is asked again as a question.

    `hand`, `step` and `position` are those of the decision. `gap` is how many points lie between
    the best option and the second. `tries` counts answers, `solved` is when the best was found and
    `shown` when the answer was looked up before that.
    """

    game = models.ForeignKey(Game, on_delete=models.CASCADE, related_name="puzzles", db_index=False)
    player = models.ForeignKey(Player, on_delete=models.CASCADE, related_name="puzzles")
    hand = models.PositiveIntegerField()
    step = models.PositiveSmallIntegerField()
    position = models.PositiveSmallIntegerField()
    gap = models.FloatField()
    tries = models.PositiveSmallIntegerField(default=0)
    solved = models.DateTimeField(null=True, blank=True)
    shown = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering: ClassVar = ["pk"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["game", "hand", "step"], name="puzzle_once_a_decision")
        ]

    def __str__(self) -> str:
        return f"Puzzle from {self.game_id}, hand {self.hand}, step {self.step}"
