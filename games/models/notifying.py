"""What people want to be told, when not, and on which devices."""

from typing import ClassVar

from django.db import models
from django.utils import timezone

from .people import Player

#: The days of the week, Monday first, as digits.
EVERY_DAY = "0123456"


class NotificationChoice(models.Model):
    """A choice that differs from the default of a kind of notification and a way to send it.

    kind, way: keys in `games.notifying.kinds`.
    """

    player = models.ForeignKey(
        Player, on_delete=models.CASCADE, related_name="notification_choices", db_index=False
    )
    kind = models.CharField(max_length=20)
    way = models.CharField(max_length=8)
    on = models.BooleanField()

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["player", "kind", "way"], name="notification_choice_once"
            )
        ]

    def __str__(self) -> str:
        return f"{self.kind} by {self.way} to {self.player}: {'on' if self.on else 'off'}"


class QuietHours(models.Model):
    """Hours in which no push reaches a player; they may be switched off but kept.

    starts, ends: local times in `zone`; the hours may last past midnight. days: digits of the days
    on which they start, Monday being 0. own_rounds: their own rounds get through.
    """

    player = models.OneToOneField(Player, on_delete=models.CASCADE, related_name="quiet_hours")
    on = models.BooleanField(default=False)
    starts = models.TimeField()
    ends = models.TimeField()
    days = models.CharField(max_length=7, default=EVERY_DAY, blank=True)
    zone = models.CharField(max_length=60, blank=True)
    own_rounds = models.BooleanField(default=True)

    def __str__(self) -> str:
        return f"Quiet hours of {self.player}: {self.starts:%H:%M} to {self.ends:%H:%M}"


class PushDevice(models.Model):
    """A browser that a player allowed to receive push (RFC 8030), and its keys (RFC 8291).

    endpoint: the URL of the browser maker's push service; whoever knows it can send there, so it is
    a secret. name: such as "Firefox on Android". used: when a push last reached the service.
    """

    player = models.ForeignKey(Player, on_delete=models.CASCADE, related_name="push_devices")
    endpoint = models.CharField(max_length=600, unique=True)
    p256dh = models.CharField(max_length=100)
    auth = models.CharField(max_length=40)
    name = models.CharField(max_length=60)
    made = models.DateTimeField(default=timezone.now)
    used = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering: ClassVar = ["made", "pk"]

    def __str__(self) -> str:
        return f"{self.name} of {self.player}"


class PushMessage(models.Model):
    """A push message to a device. `key` identifies its cause and device, so that it is sent once.

    It is not sent after `until`. tag: a later message with the same one takes its place. It never
    has a card or a secret: it passes through somebody else's service, and lies on a locked screen.
    """

    key = models.CharField(max_length=120, unique=True)
    device = models.ForeignKey(PushDevice, on_delete=models.CASCADE, related_name="messages")
    title = models.CharField(max_length=150)
    text = models.CharField(max_length=200, blank=True)
    path = models.CharField(max_length=100)
    tag = models.CharField(max_length=40)
    made = models.DateTimeField(default=timezone.now)
    until = models.DateTimeField()
    due = models.DateTimeField(null=True, blank=True, db_index=True)
    sent = models.DateTimeField(null=True, blank=True)
    tries = models.PositiveSmallIntegerField(default=0)

    class Meta:
        ordering: ClassVar = ["made", "pk"]

    def __str__(self) -> str:
        return f"{self.title} to {self.device_id}"
