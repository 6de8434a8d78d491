"""A club's own list: people it has invited, and people on paper, who play without an account."""

from typing import ClassVar, Final

from django.db import models
from django.db.models.functions import Lower
from django.utils import timezone

from games.models import Player

from .clubs import Club, new_token

#: Characters of a name on a list.
LISTED_NAME_LENGTH: Final = 60


class ListedName(models.Model):
    """A person on a club's list.

    With an `email` they are invited and become a member by saying yes; without, they are on paper.
    `key` is the secret of the invitation's link. Names that were added together have the same
    `added`. `plays_as`: the player without an account who has their results, the same every night;
    None before the first. `player`: the account that has said yes, or has taken the results over
    (at `claimed`). `joined_to`: the line of the same person, itself joined to none. `moved`: the
    lines and rows of seasons that went there, or to the account. `code`: the digest of a code that
    claims the results until `code_until`.
    """

    club = models.ForeignKey(Club, on_delete=models.CASCADE, related_name="listed_names")
    name = models.CharField(max_length=LISTED_NAME_LENGTH)
    email = models.EmailField(blank=True)
    player = models.ForeignKey(
        Player, on_delete=models.SET_NULL, null=True, blank=True, related_name="listed_as"
    )
    plays_as = models.OneToOneField(
        Player, on_delete=models.PROTECT, null=True, blank=True, related_name="on_paper"
    )
    claimed = models.DateTimeField(null=True, blank=True)
    joined_to = models.ForeignKey(
        "self", on_delete=models.SET_NULL, null=True, blank=True, related_name="joined"
    )
    moved = models.JSONField(default=dict, blank=True, editable=False)
    code = models.CharField(max_length=64, blank=True, db_index=True, editable=False)
    code_until = models.DateTimeField(null=True, blank=True)
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
            models.CheckConstraint(condition=~models.Q(name=""), name="listed_name_not_empty"),
        ]

    def __str__(self) -> str:
        return self.name


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
