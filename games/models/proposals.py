"""What somebody proposes to the others at a table, who must agree: one at a time."""

from datetime import timedelta
from typing import ClassVar, Final

from django.db import models
from django.utils import timezone

from .log import Game
from .people import Player

#: How long the others have to agree to giving the game up, which the hand may go on beside.
ANSWER_WITHIN: Final = timedelta(seconds=60)
#: And to a claim or an undo, for which the table stands still meanwhile.
ANSWER_AT_ONCE: Final = timedelta(seconds=15)
#: How much somebody may propose in one hand.
MOST_A_HAND: Final = 2


class Proposal(models.Model):
    """Something that one of a game's players wants and others must agree to.

    It stays when it has been answered, for the table's log. It counts while it is open, `until`
    then, and as long as the game stands where it was made: resigning in its hand (`deal_number`),
    anything else at its `version`. `cards`: how many had been played in that hand. `agreed`: the
    positions of those who have. `answered_by`: who declined it, whoever has the seat later. What
    needs nobody's consent, such as leaving for good, is agreed from the first.
    """

    class Kind(models.TextChoices):
        """To leave the game for good, to give it up, to have the rest of the hand played out, to
        undo one's last action."""

        LEAVE = "leave"
        RESIGN = "resign"
        CLAIM = "claim"
        UNDO = "undo"

    #: What the table does as soon as all agree; it counts only at the version of the game.
    AT_ONCE: ClassVar = (Kind.CLAIM, Kind.UNDO)

    class State(models.TextChoices):
        """How it was answered; one that nobody answered in time is lapsed, or still says open."""

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
