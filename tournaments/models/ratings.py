"""Ratings: a player's in each pool, their change by each rated game, and games on hold."""

from typing import ClassVar, Final

from django.db import models
from django.utils import timezone

from games.models import Game, Player
from tournaments.rating_formula import MODEL, Skill

from .clubs import Club
from .rounds import Pairing


def current_model() -> int:
    return MODEL


#: Of a match or of a quick game, never of both.
OF_ONE: Final = models.Q(pairing__isnull=False, game__isnull=True) | models.Q(
    pairing__isnull=True, game__isnull=False
)


class Pool(models.Model):
    """A pool of comparable ratings, of one kind of game.

    A worker rating its games has claimed it until `busy_until`; `revision` counts the claims.
    `model` is the version of the model (`tournaments.rating_formula.MODEL`) used for its ratings.
    """

    key = models.CharField(max_length=20, unique=True)
    revision = models.PositiveIntegerField(default=0)
    busy_until = models.DateTimeField(null=True, blank=True)
    model = models.PositiveSmallIntegerField(default=current_model)

    class Meta:
        ordering: ClassVar = ["key"]

    def __str__(self) -> str:
        return self.key


class Rating(models.Model):
    """A player's rating in a pool after their latest rated game, which ended at `latest`.

    It is ranked until `ranked_until`, while it is settled and the player active, and only with
    enough different `opponents` (counted up to `tournaments.rating_formula.ENOUGH`). `only_club` is
    the club of all its games, None if there are several; with a single club it is ranked only if
    the club is recognised. Quick games have no club. With several clubs in the room it is ranked
    only if these vouch for it (`vouched`, from `tournaments.ratings.vouching`).
    """

    pool = models.ForeignKey(Pool, on_delete=models.CASCADE, related_name="ratings")
    player = models.ForeignKey(Player, on_delete=models.CASCADE, related_name="ratings")
    mu = models.FloatField()
    sigma = models.FloatField()
    games = models.PositiveIntegerField()
    latest = models.DateTimeField()
    ranked_until = models.DateTimeField(default=timezone.now)
    opponents = models.PositiveSmallIntegerField(default=0)
    only_club = models.ForeignKey(
        Club, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    vouched = models.BooleanField(default=False)

    class Meta:
        ordering: ClassVar = ["pool", "-mu"]
        indexes: ClassVar = [models.Index(fields=["pool", "-mu"], name="rating_of_pool")]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["pool", "player"], name="rating_once_a_pool")
        ]

    def __str__(self) -> str:
        return f"{self.player}: {self.mu:.0f}"


class RatingChange(models.Model):
    """The change of a player's rating by one rated game.

    The game is one of a match (`pairing`), or a quick game (`game`). `number` is its number in the
    match, or at its table; 0 for a result that a director set. `position` orders all changes of the
    pool. `weight` is the share of the game that counts for the player, from 0 to 1;
    `opponents` is the number of different opponents so far, at most `ENOUGH`.
    """

    pool = models.ForeignKey(Pool, on_delete=models.CASCADE, related_name="changes", db_index=False)
    pairing = models.ForeignKey(
        Pairing, on_delete=models.CASCADE, null=True, blank=True, related_name="rating_changes",
        db_index=False,
    )  # fmt: skip
    game = models.ForeignKey(
        Game, on_delete=models.CASCADE, null=True, blank=True, related_name="rating_changes",
        db_index=False,
    )  # fmt: skip
    number = models.PositiveSmallIntegerField()
    player = models.ForeignKey(
        Player, on_delete=models.CASCADE, related_name="rating_changes", db_index=False
    )
    position = models.PositiveIntegerField()
    side = models.PositiveSmallIntegerField()
    winner = models.SmallIntegerField()
    expected = models.FloatField()
    weight = models.FloatField(default=1.0)
    mu_before = models.FloatField()
    sigma_before = models.FloatField()
    mu_after = models.FloatField()
    sigma_after = models.FloatField()
    opponents = models.PositiveSmallIntegerField(default=0)
    at = models.DateTimeField()

    class Meta:
        ordering: ClassVar = ["pool", "position", "pk"]
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["pairing", "number", "player"], name="rating_change_once_a_game"
            ),
            models.UniqueConstraint(
                fields=["game", "player"],
                condition=models.Q(game__isnull=False),
                name="rating_change_once_a_quick_game",
            ),
            models.CheckConstraint(condition=OF_ONE, name="rating_change_of_one_game"),
        ]
        indexes: ClassVar = [
            models.Index(fields=["player", "pool", "position"], name="rating_change_of_player"),
            models.Index(fields=["pool", "position"], name="rating_change_in_order"),
        ]

    def __str__(self) -> str:
        return f"{self.player}: {self.mu_before:.0f} to {self.mu_after:.0f}"

    @property
    def before(self) -> Skill:
        return Skill(self.mu_before, self.sigma_before)

    @property
    def after(self) -> Skill:
        return Skill(self.mu_after, self.sigma_after)


class RatingHold(models.Model):
    """A match, or a quick game, that waits for a moderator of the site before it is rated.

    It was found by `tournaments.ratings.holds`, with the counts in `found`, or requested by
    a moderator of the club. A match let through is rated in its place; a refused one never is.
    `by`, `decided` and `words` are the moderator, time and reason of the decision.
    """

    class Reason(models.TextChoices):
        FEW = "few", "Many matches between the same few"
        FAST = "fast", "Many or fast games in little time"
        ADDRESS = "address", "Many matches from one address"
        CLUB = "club", "A moderator of the club asked for it"

    class State(models.TextChoices):
        WAITING = "waiting", "Waiting for a moderator"
        PASSED = "passed", "Let through"
        REFUSED = "refused", "Not rated"

    pairing = models.OneToOneField(
        Pairing, on_delete=models.CASCADE, null=True, blank=True, related_name="rating_hold"
    )
    game = models.OneToOneField(
        Game, on_delete=models.CASCADE, null=True, blank=True, related_name="rating_hold"
    )
    reason = models.CharField(max_length=7, choices=Reason)
    found = models.CharField(max_length=200)
    state = models.CharField(max_length=7, choices=State, default=State.WAITING, db_index=True)
    made = models.DateTimeField(default=timezone.now)
    by = models.ForeignKey(Player, on_delete=models.PROTECT, null=True, blank=True)
    decided = models.DateTimeField(null=True, blank=True)
    words = models.CharField(max_length=200, blank=True)

    class Meta:
        ordering: ClassVar = ["made", "pk"]
        constraints: ClassVar = [
            models.CheckConstraint(
                condition=models.Q(state__in=["waiting", "passed", "refused"]),
                name="rating_hold_state_known",
            ),
            models.CheckConstraint(
                condition=models.Q(reason__in=["few", "fast", "address", "club"]),
                name="rating_hold_reason_known",
            ),
            models.CheckConstraint(condition=OF_ONE, name="rating_hold_of_one_game"),
        ]

    def __str__(self) -> str:
        return f"{self.get_reason_display()}: {self.pairing or self.game}"
