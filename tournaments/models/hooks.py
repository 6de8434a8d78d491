"""Webhooks of clubs and their deliveries."""

from typing import ClassVar

from django.db import models
from django.utils import timezone

from .clubs import Club


class Webhook(models.Model):
    """A URL that receives a message when a result of the club's events is final.

    `secret` is the signing key, stored encrypted. After too many failures in a row the webhook is
    `paused` until an owner resumes it.
    """

    club = models.ForeignKey(Club, on_delete=models.CASCADE, related_name="webhooks")
    url = models.URLField(max_length=300)
    secret = models.BinaryField()
    created = models.DateTimeField(default=timezone.now)
    failures = models.PositiveSmallIntegerField(default=0)
    paused = models.BooleanField(default=False)

    class Meta:
        ordering: ClassVar = ["created"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["club", "url"], name="webhook_once_a_club")
        ]

    def __str__(self) -> str:
        return f"{self.url} of {self.club}"


class Delivery(models.Model):
    """A message to a webhook; deleted some weeks after it arrived or was given up.

    `due` is the time of the next try, None once it has `arrived` or is given up. `status` is the
    last HTTP status, and `trouble` the last error.
    """

    webhook = models.ForeignKey(Webhook, on_delete=models.CASCADE, related_name="deliveries")
    key = models.CharField(max_length=60)
    body = models.TextField()
    created = models.DateTimeField(default=timezone.now)
    due = models.DateTimeField(null=True, blank=True, db_index=True)
    attempts = models.PositiveSmallIntegerField(default=0)
    status = models.PositiveSmallIntegerField(null=True, blank=True)
    trouble = models.CharField(max_length=200, blank=True)
    arrived = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering: ClassVar = ["-created"]
        verbose_name_plural = "deliveries"
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["webhook", "key"], name="delivery_once_a_webhook")
        ]

    def __str__(self) -> str:
        return f"{self.key} to {self.webhook}"
