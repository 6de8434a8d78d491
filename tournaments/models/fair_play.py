"""Fair play: what was counted in finished games, what a club looks into, and what was done."""

from typing import Any, ClassVar, Final

from django.db import models
from django.utils import timezone

from games.models import Game, Player

from .clubs import Club
from .events import Event


class FairPlayLook(models.Model):
    """That a finished game of an event was read for figures; `failed`: that it could not be."""

    game = models.OneToOneField(Game, on_delete=models.CASCADE, related_name="fair_play_look")
    event = models.ForeignKey(Event, on_delete=models.CASCADE, related_name="fair_play_looks")
    at = models.DateTimeField(default=timezone.now)
    failed = models.BooleanField(default=False)

    def __str__(self) -> str:
        return f"Look at {self.game_id}"


class FairPlayMeasure(models.Model):
    """What a person did in one finished game, as `tournaments.fair_play.figures` counts it.

    `calls`: their first-round calls from the two places that speak first, made in person. Of each
    of these `held` sums by how much the partner's cards were better than those of the opponents
    who had not spoken, in tricks, and `gained` the points it brought beyond what the caller's own
    cards promised; `..._squares` sum the squares. `lost`: the game was lost; `left_behind`: from a
    moment when their side was behind a house player played for them to its end. `turns_...` and
    `late_...` count the turns they took in person, and those near the end of the clock, while
    their side was behind, level and ahead.
    """

    game = models.ForeignKey(Game, on_delete=models.CASCADE, related_name="fair_play_measures")
    event = models.ForeignKey(Event, on_delete=models.CASCADE, related_name="fair_play_measures")
    player = models.ForeignKey(Player, on_delete=models.CASCADE, related_name="+")
    partner = models.ForeignKey(Player, on_delete=models.CASCADE, null=True, related_name="+")
    ended = models.DateTimeField()
    calls = models.PositiveSmallIntegerField(default=0)
    held = models.FloatField(default=0.0)
    held_squares = models.FloatField(default=0.0)
    gained = models.FloatField(default=0.0)
    gained_squares = models.FloatField(default=0.0)
    lost = models.BooleanField(default=False)
    left_behind = models.BooleanField(default=False)
    turns_behind = models.PositiveSmallIntegerField(default=0)
    turns_level = models.PositiveSmallIntegerField(default=0)
    turns_ahead = models.PositiveSmallIntegerField(default=0)
    late_behind = models.PositiveSmallIntegerField(default=0)
    late_level = models.PositiveSmallIntegerField(default=0)
    late_ahead = models.PositiveSmallIntegerField(default=0)

    class Meta:
        ordering: ClassVar = ["-ended", "-pk"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["game", "player"], name="fair_play_once_a_game")
        ]
        indexes: ClassVar = [models.Index(fields=["event", "-ended"], name="fair_play_of_event")]

    def __str__(self) -> str:
        return f"{self.player} in {self.game_id}"


class FairPlayMatter(models.Model):
    """A sign that a club looks into, of one player; what was done is in its acts.

    `sign` names what it came from, so that it is opened once; `said` is what was counted, as the
    player reads it, `games` are those behind it. `event` is where it was seen, None for the club.
    """

    class Kind(models.TextChoices):
        """What was seen."""

        ADDRESS = "address", "One address at two seats"
        CALLS = "calls", "Calls and a partner’s cards"
        LEFT = "left", "Seats left while behind"
        CLOCK = "clock", "Turns near the end of the clock"

    club = models.ForeignKey(Club, on_delete=models.CASCADE, related_name="fair_play_matters")
    event = models.ForeignKey(
        Event, on_delete=models.CASCADE, null=True, related_name="fair_play_matters"
    )
    player = models.ForeignKey(Player, on_delete=models.PROTECT, related_name="fair_play_matters")
    kind = models.CharField(max_length=7, choices=Kind)
    sign = models.CharField(max_length=60)
    said = models.CharField(max_length=500)
    games = models.ManyToManyField(Game, related_name="+")
    opened_by = models.ForeignKey(Player, on_delete=models.PROTECT, related_name="+")
    opened = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering: ClassVar = ["-opened", "-pk"]
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["club", "sign", "player"], name="fair_play_matter_once"
            ),
            models.CheckConstraint(
                condition=models.Q(kind__in=["address", "calls", "left", "clock"]),
                name="fair_play_matter_kind_known",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.get_kind_display()}: {self.player}"


class KeptActError(Exception):
    """An act on the record was to be changed or removed."""


class FairPlayAct(models.Model):
    """What somebody did in a matter; never changed, never removed: taken back by another act.

    `role` is as what `by` did it, `words` why, or what the player says. `done` keeps what is
    needed to take it back: the matches that were held, the result that was there before.
    """

    class Kind(models.TextChoices):
        """What was done."""

        NOTE = "note", "Noted"
        ASK = "ask", "Asked the player"
        ANSWER = "answer", "The player’s answer"
        HOLD = "hold", "Ratings of the games wait"
        SET_ASIDE = "set_aside", "A result set aside"
        DISMISS = "dismiss", "Dismissed"
        TAKE_BACK = "take_back", "Taken back"
        APPEAL = "appeal", "The player’s appeal"
        UPHOLD = "uphold", "Appeal: what was done stands"
        ALLOW = "allow", "Appeal: what was done is taken back"

    matter = models.ForeignKey(FairPlayMatter, on_delete=models.CASCADE, related_name="acts")
    kind = models.CharField(max_length=9, choices=Kind)
    by = models.ForeignKey(Player, on_delete=models.PROTECT, related_name="+")
    role = models.CharField(max_length=20)
    words = models.CharField(max_length=1000)
    at = models.DateTimeField(default=timezone.now)
    done = models.JSONField(default=dict, blank=True)
    takes_back = models.OneToOneField(
        "self", on_delete=models.PROTECT, null=True, blank=True, related_name="taken_back"
    )

    class Meta:
        ordering: ClassVar = ["at", "pk"]
        constraints: ClassVar = [
            models.CheckConstraint(
                condition=models.Q(
                    kind__in=[
                        "note", "ask", "answer", "hold", "set_aside", "dismiss", "take_back",
                        "appeal", "uphold", "allow",
                    ]
                ),
                name="fair_play_act_kind_known",
            ),
            models.CheckConstraint(
                condition=models.Q(kind="take_back", takes_back__isnull=False)
                | (~models.Q(kind="take_back") & models.Q(takes_back__isnull=True)),
                name="fair_play_act_takes_back_one",
            ),
        ]  # fmt: skip

    def __str__(self) -> str:
        return f"{self.get_kind_display()} by {self.by_id}"

    def save(self, *args: Any, **kwargs: Any) -> None:
        """Store a new act; raise KeptActError for one that is stored."""
        if not self._state.adding:
            raise KeptActError("An act on the record is not changed.")
        super().save(*args, **kwargs)

    def delete(self, *_args: Any, **_kwargs: Any) -> tuple[int, dict[str, int]]:
        """Raise KeptActError."""
        raise KeptActError("An act on the record is not removed.")


#: What only those who look into a matter do, and may take back.
OF_MODERATORS: Final = (
    FairPlayAct.Kind.NOTE,
    FairPlayAct.Kind.ASK,
    FairPlayAct.Kind.HOLD,
    FairPlayAct.Kind.SET_ASIDE,
    FairPlayAct.Kind.DISMISS,
    FairPlayAct.Kind.UPHOLD,
    FairPlayAct.Kind.ALLOW,
)
