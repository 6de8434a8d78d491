"""Players' statistics: one row per player and game."""

from typing import ClassVar

from django.db import models

from .log import Game
from .people import Player


class Performance(models.Model):
    """What one player did in one game, from the log of the ended game.

    The result and the points are those that count, see `games.records.outcomes`. A result without
    any play has no `game` but the id of its `match` and the number of the game in it.

    Calls that a house player made for the player are not counted. `rules` is the rule set's name.
    `result` is 1 for won, 0 for tied, -1 for lost, None for an abandoned game. `called` counts the
    deals in which the player made trump, and of these `made` those with three tricks or more,
    `marched` all five, `euchred` fewer than three; `alone` the lone hands and `alone_marched` those
    with all five tricks. `called_1` to `called_4` and `trumps_1` to `trumps_4` split the calls and
    the trumps held when calling, from the dealer's left (1) to the dealer (4, or 2 with two
    players). `euchres` counts the euchres of the player's side in defence, `lone_euchres` those of
    a lone hand that the player played in person, `lone_defences` the hands that they defended
    alone. `no_trump` are the calls without a trump, which no place counts. `worth` sums over the
    `deals` the expected tricks from the cards dealt to the player's side, `worth_against` those of
    the other.
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
    lone_euchres = models.PositiveSmallIntegerField(default=0)
    lone_defences = models.PositiveSmallIntegerField(default=0)
    no_trump = models.PositiveSmallIntegerField(default=0)
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
