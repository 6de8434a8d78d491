"""What people ask about their own data: to take it away, and to be forgotten."""

from typing import ClassVar

from django.db import models
from django.utils import timezone

from .people import NAME_LENGTH, Player, User


class Deletion(models.Model):
    """Somebody wants their account deleted; until `due` they can take that back.

    `hindered`: what stood in the way when it was due, in words that have been sent to them.
    """

    user = models.OneToOneField(User, on_delete=models.CASCADE, related_name="deletion")
    asked = models.DateTimeField(default=timezone.now)
    due = models.DateTimeField(db_index=True)
    hindered = models.CharField(max_length=300, blank=True)

    class Meta:
        ordering: ClassVar = ["due", "pk"]

    def __str__(self) -> str:
        return f"Deletion of account {self.user_id}"


class Farewell(models.Model):
    """The last mail to an account that is deleted already; gone once it is sent or given up."""

    address = models.EmailField()
    made = models.DateTimeField(default=timezone.now)
    due = models.DateTimeField(null=True, blank=True, default=timezone.now, db_index=True)
    tries = models.PositiveSmallIntegerField(default=0)

    class Meta:
        ordering: ClassVar = ["made", "pk"]

    def __str__(self) -> str:
        return f"Farewell {self.pk}"


class PastName(models.Model):
    """A name that somebody had until a moment, so that texts of that time can be found again."""

    player = models.ForeignKey(Player, on_delete=models.CASCADE, related_name="past_names")
    name = models.CharField(max_length=NAME_LENGTH)
    until = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering: ClassVar = ["until", "pk"]

    def __str__(self) -> str:
        return f"A past name of {self.player}"


class HeldName(models.Model):
    """A deleted account's name, which nobody is given for a while: they would be taken for it.

    Of the name only a keyed hash is kept, of what it has in common with all that look like it.
    """

    digest = models.CharField(max_length=64, unique=True)
    until = models.DateTimeField(db_index=True)

    def __str__(self) -> str:
        return f"Name held until {self.until:%Y-%m-%d}"


class Takeaway(models.Model):
    """All data about somebody, asked for to be taken away; kept for a day.

    `due` is when it is tried next; nothing once it is `made` or given up.
    """

    player = models.ForeignKey(Player, on_delete=models.CASCADE, related_name="takeaways")
    asked = models.DateTimeField(default=timezone.now)
    due = models.DateTimeField(null=True, blank=True, default=timezone.now, db_index=True)
    tries = models.PositiveSmallIntegerField(default=0)
    made = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering: ClassVar = ["asked", "pk"]

    def __str__(self) -> str:
        return f"What {self.player} takes away"


class TakeawayFile(models.Model):
    """One of the files, a zip; the first has everything but the later games."""

    takeaway = models.ForeignKey(Takeaway, on_delete=models.CASCADE, related_name="files")
    number = models.PositiveSmallIntegerField()
    data = models.BinaryField()
    size = models.PositiveIntegerField()

    class Meta:
        ordering: ClassVar = ["takeaway", "number"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["takeaway", "number"], name="takeaway_file_once")
        ]

    def __str__(self) -> str:
        return f"File {self.number} of {self.takeaway_id}"
