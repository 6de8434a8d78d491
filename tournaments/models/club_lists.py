"""A club's own list of names: people it has invited, and names on paper."""

from typing import ClassVar, Final

from django.db import models
from django.db.models.functions import Lower
from django.utils import timezone

from games.models import Player

from .clubs import Club, new_token

#: Characters of a name on a list.
LISTED_NAME_LENGTH: Final = 60


class ListedName(models.Model):
    """A name on a club's list.

    With an `email` that person is invited and becomes a member by saying yes, then `player` is set;
    without, it is a name on paper. `key` is the secret of the invitation's link. Names that were
    added together have the same `added`.
    """

    club = models.ForeignKey(Club, on_delete=models.CASCADE, related_name="listed_names")
    name = models.CharField(max_length=LISTED_NAME_LENGTH)
    email = models.EmailField(blank=True)
    player = models.ForeignKey(
        Player, on_delete=models.SET_NULL, null=True, blank=True, related_name="listed_as"
    )
    key = models.CharField(max_length=32, default=new_token, unique=True, editable=False)
    added = models.DateTimeField(default=timezone.now)
    added_by = models.ForeignKey(
        Player, on_delete=models.SET_NULL, null=True, related_name="names_listed"
    )

    class Meta:
        ordering: ClassVar = [Lower("name"), "pk"]
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["club", "email"],
                condition=~models.Q(email=""),
                name="listed_email_once_a_club",
            ),
            models.UniqueConstraint(
                "club",
                Lower("name"),
                condition=models.Q(email=""),
                name="name_on_paper_once_a_club",
            ),
            models.CheckConstraint(condition=~models.Q(name=""), name="listed_name_not_empty"),
            models.CheckConstraint(
                condition=models.Q(player=None) | ~models.Q(email=""),
                name="only_the_invited_become_players",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.name}, on the list of {self.club}"


class UnwantedAddress(models.Model):
    """An address that wants no invitation, from one club or from any.

    Only a keyed digest of club and address is kept, see `tournaments.importing.invitations`.
    """

    digest = models.CharField(max_length=64, unique=True)
    asked = models.DateTimeField(default=timezone.now)

    class Meta:
        verbose_name_plural = "unwanted addresses"

    def __str__(self) -> str:
        return self.digest[:8]
