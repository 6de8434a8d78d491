"""The outbox of e-mail: letters are stored in the transaction that causes them."""

from typing import ClassVar

from django.conf import settings
from django.db import models
from django.utils import timezone


class Letter(models.Model):
    """An e-mail. `key` identifies its cause and recipient, so that it is written once."""

    key = models.CharField(max_length=120, unique=True)
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="letters"
    )
    subject = models.CharField(max_length=150)
    text = models.TextField()
    made = models.DateTimeField(default=timezone.now)
    due = models.DateTimeField(null=True, blank=True, default=timezone.now, db_index=True)
    sent = models.DateTimeField(null=True, blank=True)
    tries = models.PositiveSmallIntegerField(default=0)

    class Meta:
        ordering: ClassVar = ["made", "pk"]

    def __str__(self) -> str:
        return f"{self.subject} to {self.user_id}"
