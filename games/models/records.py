"""What players have done: one row for each of them in each game that has a result."""

from typing import ClassVar

from django.db import models

from .log import Game
from .people import Player


class Performance(models.Model):
    """What one player did in one game, taken from the game's log once it has ended.

    The result and the points are those that count, see `games.records.outcomes`. A result that was
    set without any play has no `game`: it has the number of its `match`, as whoever drew it counts
    them, and of the game in it, and nothing was done in it.

    Only what the player did in person is theirs: a call that a house player made in their stead is
    not counted. `rules` is the rule set's name. `result` is 1 for won, 0 for a tie, -1 for lost,
    and nothing when the game was given up. `called` counts the deals in which the player made
    trump, and of these `made` those with three tricks or more, `marched` all five, `euchred` fewer
    than three; `alone` the lone hands and `alone_marched` those with all five tricks. `called_1` to
    `called_4` and `trumps_1` to `trumps_4` split the player's calls and the trumps held when
    calling, from the dealer's left (1) to the dealer (4, or 2 when two play). `euchres` are those
    the player's side scored in defence. `worth` sums over the `deals` the tricks that could be
    expected from the cards dealt to that side, `worth_against` the same for the other.
    """

    game = models.ForeignKey(
        Game, on_delete=models.CASCADE, related_name="performances", null=True, db_index=False
    )
    match = models.PositiveBigIntegerField(null=True, blank=True)
    number = models.PositiveSmallIntegerField(default=0)
    player = models.ForeignKey(
        Player, on_delete=models.CASCADE, related_name="performances", db_index=False
    )
    partner = models.ForeignKey(
        Player, on_delete=models.SET_NULL, null=True, related_name="+", db_index=False
    )
    left = models.ForeignKey(
        Player, on_delete=models.SET_NULL, null=True, related_name="+", db_index=False
    )
    right = models.ForeignKey(
        Player, on_delete=models.SET_NULL, null=True, related_name="+", db_index=False
    )
    position = models.PositiveSmallIntegerField()
    rules = models.CharField(max_length=40)
    ended = models.DateTimeField()
    result = models.SmallIntegerField(null=True)
    points = models.PositiveSmallIntegerField()
    against = models.PositiveSmallIntegerField()
    deals = models.PositiveSmallIntegerField()
    called = models.PositiveSmallIntegerField(default=0)
    made = models.PositiveSmallIntegerField(default=0)
    marched = models.PositiveSmallIntegerField(default=0)
    euchred = models.PositiveSmallIntegerField(default=0)
    alone = models.PositiveSmallIntegerField(default=0)
    alone_marched = models.PositiveSmallIntegerField(default=0)
    euchres = models.PositiveSmallIntegerField(default=0)
    called_1 = models.PositiveSmallIntegerField(default=0)
    called_2 = models.PositiveSmallIntegerField(default=0)
    called_3 = models.PositiveSmallIntegerField(default=0)
    called_4 = models.PositiveSmallIntegerField(default=0)
    trumps_1 = models.PositiveSmallIntegerField(default=0)
    trumps_2 = models.PositiveSmallIntegerField(default=0)
    trumps_3 = models.PositiveSmallIntegerField(default=0)
    trumps_4 = models.PositiveSmallIntegerField(default=0)
    worth = models.FloatField(default=0.0)
    worth_against = models.FloatField(default=0.0)

    class Meta:
        ordering: ClassVar = ["-ended"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["game", "player"], name="performance_once_a_game"),
            models.UniqueConstraint(
                fields=["match", "number", "player"], name="performance_once_a_match"
            ),
            models.CheckConstraint(
                condition=models.Q(game__isnull=False, match__isnull=True)
                | models.Q(game__isnull=True, match__isnull=False),
                name="performance_of_game_or_match",
            ),
        ]
        indexes: ClassVar = [
            models.Index(fields=["player", "-ended"], name="performance_of_player")
        ]

    def __str__(self) -> str:
        return f"{self.player} in {self.game or f'match {self.match}'}"
