"""Personal API tokens."""

from datetime import datetime
from typing import ClassVar

from django.db import models
from django.utils import timezone

from .people import Player


class Scope(models.TextChoices):
    """What a token allows beyond reading public data."""

    READ = "read", "Read what you may see: your clubs, events, games and invitations"
    ENTER = "enter", "Register for events and withdraw from them"
    PLAY = "play", "Hold a seat at unrated tables and play"


class Token(models.Model):
    """A personal token to act as `player` within `scopes`.

    Only a digest of its secret is stored; `hint` is the secret's beginning, to recognise it by.
    """

    player = models.ForeignKey(Player, on_delete=models.CASCADE, related_name="tokens")
    name = models.CharField(max_length=60)
    digest = models.CharField(max_length=64, unique=True)
    hint = models.CharField(max_length=12)
    scopes = models.JSONField(default=list)
    created = models.DateTimeField(default=timezone.now)
    expires = models.DateTimeField(null=True, blank=True)
    used = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering: ClassVar = ["-created"]

    def __str__(self) -> str:
        return f"{self.name} of {self.player}"

    def expired(self, now: datetime) -> bool:
        return self.expires is not None and self.expires <= now
