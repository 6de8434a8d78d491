"""Proposals to the other players of a game."""

from datetime import timedelta
from typing import ClassVar, Final

from django.db import models
from django.utils import timezone

from .log import Game
from .people import Player

#: The time to answer a proposal to resign, during which play goes on.
ANSWER_WITHIN: Final = timedelta(seconds=60)
#: The time to answer a claim or an undo, during which the table waits.
ANSWER_AT_ONCE: Final = timedelta(seconds=15)
#: Proposals a seat may make in one hand.
MAX_PER_HAND: Final = 2
#: The same of a person alone with the house in a practice game, who may take back freely.
MAX_IN_PRACTICE: Final = 50


class Proposal(models.Model):
    """A proposal that other players of the game must agree to; kept for the table's log.

    It is valid while it is open, `until` its deadline, in the hand it was made in (resigning;
    `deal_number`) or at the `version` it was made at (all others). `cards`: the number of cards
    played in the hand when it was made. `agreed`: the positions that have agreed. `answered_by`:
    the player who declined it. Proposals that need no consent, such as leaving for good, are
    created as agreed.
    """

    class Kind(models.TextChoices):
        LEAVE = "leave"
        RESIGN = "resign"
        CLAIM = "claim"
        UNDO = "undo"

    #: Executed by the table as soon as all agree, and valid only at the version of the game.
    AT_ONCE: ClassVar = (Kind.CLAIM, Kind.UNDO)

    class State(models.TextChoices):
        """The answer; an expired proposal stays open until it is marked as lapsed."""

        OPEN = "open"
        AGREED = "agreed"
        DECLINED = "declined"
        WITHDRAWN = "withdrawn"
        LAPSED = "lapsed"

    game = models.ForeignKey(Game, on_delete=models.CASCADE, related_name="proposals")
    kind = models.CharField(max_length=6, choices=Kind)
    position = models.PositiveSmallIntegerField()
    player = models.ForeignKey(Player, on_delete=models.CASCADE, related_name="+")
    made = models.DateTimeField(default=timezone.now)
    until = models.DateTimeField()
    deal_number = models.PositiveIntegerField()
    version = models.PositiveIntegerField()
    cards = models.PositiveSmallIntegerField()
    state = models.CharField(max_length=9, choices=State, default=State.OPEN)
    agreed = models.JSONField(default=list, blank=True)
    answered_by = models.ForeignKey(
        Player, on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )

    class Meta:
        ordering: ClassVar = ["pk"]
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["game"],
                condition=models.Q(state="open"),
                name="proposal_one_open_a_game",
            ),
            models.CheckConstraint(
                condition=models.Q(kind__in=["leave", "resign", "claim", "undo"]),
                name="proposal_kind_known",
            ),
            models.CheckConstraint(
                condition=models.Q(state__in=["open", "agreed", "declined", "withdrawn", "lapsed"]),
                name="proposal_state_known",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind} by {self.player} in {self.game}"
