"""Fair play: measures of finished games, matters opened by moderators, and the acts in them."""

from typing import Any, ClassVar

from django.db import models
from django.utils import timezone

from games.models import Game, Player

from .clubs import Club
from .events import Event


class FairPlayLook(models.Model):
    """Marks a finished game as read; `failed`: it could not be read."""

    game = models.OneToOneField(Game, on_delete=models.CASCADE, related_name="fair_play_look")
    event = models.ForeignKey(Event, on_delete=models.CASCADE, related_name="fair_play_looks")
    at = models.DateTimeField(default=timezone.now)
    failed = models.BooleanField(default=False)

    def __str__(self) -> str:
        return f"Look at {self.game_id}"


class FairPlayMeasure(models.Model):
    """A person's measures in one finished game, for `tournaments.fair_play.figures`.

    `calls`: their own first-round calls from the first two places to speak. Over these calls,
    `held` sums the tricks by which the partner's cards were better than those of the opponents who
    had not spoken, and `gained` the points beyond those promised by the caller's own cards;
    `..._squares` sum the squares. `lost`: the game was lost. `left_behind`: a house player took
    over while their side was behind, and played to the end. `turns_...` and `late_...` count their
    own turns, and those near the end of the clock, while their side was behind, level or ahead.
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
    """A sign about one player that a club looks into; its history is in the acts.

    `sign` is the sign's key, so that it is opened once; `said` is its text, which the player
    reads; `games` are those behind it. `event` is None for signs of the whole club. `closed`: when
    it was dismissed; whatever moderators do after that opens it again.
    """

    class Kind(models.TextChoices):
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
    closed = models.DateTimeField(null=True, blank=True)

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
    """Raised on changing or deleting a stored act."""


class FairPlayAct(models.Model):
    """An act in a matter; never changed or deleted.

    `role` is that of `by`; `words` is the reason, or the player's answer. `done` has the match
    whose result was set aside.
    """

    class Kind(models.TextChoices):
        NOTE = "note", "Noted"
        ASK = "ask", "Asked the player"
        ANSWER = "answer", "The player’s answer"
        HOLD = "hold", "Ratings of the games wait"
        SET_ASIDE = "set_aside", "A result set aside"
        DISMISS = "dismiss", "Dismissed"

    matter = models.ForeignKey(FairPlayMatter, on_delete=models.CASCADE, related_name="acts")
    kind = models.CharField(max_length=9, choices=Kind)
    by = models.ForeignKey(Player, on_delete=models.PROTECT, related_name="+")
    role = models.CharField(max_length=20)
    words = models.CharField(max_length=1000)
    at = models.DateTimeField(default=timezone.now)
    done = models.JSONField(default=dict, blank=True)

    class Meta:
        ordering: ClassVar = ["at", "pk"]
        constraints: ClassVar = [
            models.CheckConstraint(
                condition=models.Q(
                    kind__in=["note", "ask", "answer", "hold", "set_aside", "dismiss"]
                ),
                name="fair_play_act_kind_known",
            )
        ]

    def __str__(self) -> str:
        return f"{self.get_kind_display()} by {self.by_id}"

    def save(self, *args: Any, **kwargs: Any) -> None:
        """Save a new act; raise KeptActError for a stored one."""
        if not self._state.adding:
            raise KeptActError("An act on the record is not changed.")
        super().save(*args, **kwargs)

    def delete(self, *_args: Any, **_kwargs: Any) -> tuple[int, dict[str, int]]:
        """Raise KeptActError."""
        raise KeptActError("An act on the record is not removed.")
