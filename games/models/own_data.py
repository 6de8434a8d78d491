"""Export of a person's data, and deletion of accounts."""

from typing import ClassVar

from django.db import models
from django.utils import timezone

from .people import NAME_LENGTH, Player, User


class Deletion(models.Model):
    """A request to delete an account, which can be withdrawn until `due`.

    `hindered`: what prevented it when it was due, as explained to the person by mail.
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
    """The last mail to a deleted account; the row is deleted after it is sent or has failed."""

    address = models.EmailField()
    made = models.DateTimeField(default=timezone.now)
    due = models.DateTimeField(null=True, blank=True, default=timezone.now, db_index=True)
    tries = models.PositiveSmallIntegerField(default=0)

    class Meta:
        ordering: ClassVar = ["made", "pk"]

    def __str__(self) -> str:
        return f"Farewell {self.pk}"


class PastName(models.Model):
    """A former name of a player, by which texts of that time can be found."""

    player = models.ForeignKey(Player, on_delete=models.CASCADE, related_name="past_names")
    name = models.CharField(max_length=NAME_LENGTH)
    until = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering: ClassVar = ["until", "pk"]

    def __str__(self) -> str:
        return f"A past name of {self.player}"


class HeldName(models.Model):
    """A deleted account's name, reserved for a while so that nobody is mistaken for its owner.

    Only a keyed hash of the name's skeleton is stored (`games.lookalikes`).
    """

    digest = models.CharField(max_length=64, unique=True)
    until = models.DateTimeField(db_index=True)

    def __str__(self) -> str:
        return f"Name held until {self.until:%Y-%m-%d}"


class Takeaway(models.Model):
    """A requested export of a player's data, kept for a day; `due` is None once made or failed."""

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
    """A zip file of an export; the first has everything but the later games."""

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
