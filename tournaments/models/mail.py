"""Outgoing e-mail, stored in the transaction that causes it."""

from typing import ClassVar

from django.conf import settings
from django.db import models
from django.utils import timezone

from .events import Event


class Letter(models.Model):
    """An e-mail. `key` identifies its cause and recipient, so that it is written once.

    It goes to an account, or to the `address` of somebody who is invited and may have none. It is
    no longer sent once the event that it `reminds_of` has started, or its reader has left that.
    """

    key = models.CharField(max_length=120, unique=True)
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.CASCADE,
        null=True,
        blank=True,
        related_name="letters",
    )
    address = models.EmailField(blank=True)
    reminds_of = models.ForeignKey(
        Event, on_delete=models.CASCADE, null=True, blank=True, related_name="reminders"
    )
    #: The key of the kind of notification that one press in a mail program turns off
    kind = models.CharField(max_length=20, blank=True, default="")
    subject = models.CharField(max_length=150)
    text = models.TextField()
    made = models.DateTimeField(default=timezone.now)
    due = models.DateTimeField(null=True, blank=True, default=timezone.now, db_index=True)
    sent = models.DateTimeField(null=True, blank=True)
    tries = models.PositiveSmallIntegerField(default=0)

    class Meta:
        ordering: ClassVar = ["made", "pk"]
        constraints: ClassVar = [
            models.CheckConstraint(
                condition=models.Q(user__isnull=False, address="")
                | models.Q(user__isnull=True) & ~models.Q(address=""),
                name="letter_has_one_receiver",
            )
        ]

    def __str__(self) -> str:
        return f"{self.subject} to {self.user_id or self.address}"
