"""Positions asked about on the analysis board."""

from django.db import models
from django.utils import timezone


class Analysis(models.Model):
    """What the choices of a position are worth, or the work on it; kept for a day.

    `key` is the digest of the rules and of what the player in turn sees: equal questions share a
    row, which names nobody. `position` is a position with that view, as in a link. `sums` are those
    of `games.analysis.valuing`. `due` is when a worker may take it up: it lies ahead while one is
    at work, and is None once `made`, stopped or failed; `error` says why it failed.
    """

    key = models.CharField(max_length=64, primary_key=True)
    position = models.TextField()
    asked = models.DateTimeField(default=timezone.now, db_index=True)
    due = models.DateTimeField(null=True, blank=True, default=timezone.now, db_index=True)
    tries = models.PositiveSmallIntegerField(default=0)
    sums = models.JSONField(null=True, blank=True)
    made = models.DateTimeField(null=True, blank=True)
    error = models.CharField(max_length=200, blank=True)

    class Meta:
        verbose_name_plural = "analyses"

    def __str__(self) -> str:
        return f"Analysis {self.key[:8]}"

    @property
    def worlds(self) -> int:
        return self.sums["worlds"] if self.sums else 0
