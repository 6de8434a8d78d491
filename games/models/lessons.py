"""What members have learnt."""

from typing import ClassVar

from django.db import models
from django.utils import timezone

from .people import User


class SolvedStep(models.Model):
    """A step of a lesson that an account has solved, last `at`; see `games.lessons.progress`.

    `lesson` is the lesson's slug, `number` that of the step, from 1.
    """

    user = models.ForeignKey(
        User, on_delete=models.CASCADE, related_name="solved_steps", db_index=False
    )
    lesson = models.CharField(max_length=40)
    number = models.PositiveSmallIntegerField()
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering: ClassVar = ["at", "pk"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["user", "lesson", "number"], name="solved_step_once")
        ]

    def __str__(self) -> str:
        return f"Step {self.number} of {self.lesson} by account {self.user_id}"
