"""Where people sit down together: tables and their seats."""

import secrets
from datetime import UTC, datetime, timedelta
from typing import ClassVar, Final

from django.db import models
from django.utils import timezone

from games.engine.rules import RuleSet

from .people import Player
from .stored_rules import stored_rules

#: What is told of people at a table.
CAME, LEFT, BACK = "came", "left", "back"
#: Unseen for so long, an owner's seat counts as empty.
PATIENCE = timedelta(seconds=60)
#: Seconds after which the house plays for somebody who is gone, unless a table has it otherwise.
HOUSE_AFTER: Final = 12
#: When a player was last seen who said goodbye, or has not come yet.
LONG_AGO = datetime(2000, 1, 1, tzinfo=UTC)


def invite_token() -> str:
    """A word nobody guesses, for the link that lets its holder in."""
    return secrets.token_urlsafe(12)


class Table(models.Model):
    """A table in the club room: one rule set, its seats, and the games played at it.

    At a `reserved` table whoever made it gives the seats and begins the games: nobody else sits
    down, stands up or begins one. `title` and `back` are its name and the path of the page it
    belongs to. `turn_seconds`: when somebody has not acted for so long, a house player stands in.
    `house_after`: so many seconds after somebody has gone a house player plays for them until they
    are back; None: never. It counts only where seats are not given (`games.live.absence`).
    `plays_on`: its house players begin another game by themselves (`games.seats.house_tables`).
    `comings`: who came or left last: `CAME`, `LEFT` or `BACK`, the player's number, their seat and
    the moment.
    """

    class State(models.TextChoices):
        """Waiting for players, shuffling, playing, between games, or left for good."""

        GATHERING = "gathering"
        SHUFFLING = "shuffling"
        PLAYING = "playing"
        FINISHED = "finished"
        CLOSED = "closed"

    rules_data = models.JSONField()
    open = models.BooleanField(default=True)
    invite_token = models.CharField(max_length=24, default=invite_token)
    host = models.ForeignKey(Player, on_delete=models.PROTECT, related_name="hosted_tables")
    state = models.CharField(max_length=10, choices=State, default=State.GATHERING, db_index=True)
    created = models.DateTimeField(default=timezone.now)
    reserved = models.BooleanField(default=False)
    title = models.CharField(max_length=150, blank=True)
    back = models.CharField(max_length=100, blank=True)
    turn_seconds = models.PositiveSmallIntegerField(null=True, blank=True)
    house_after = models.PositiveSmallIntegerField(null=True, blank=True, default=HOUSE_AFTER)
    plays_on = models.BooleanField(default=False)
    comings = models.JSONField(default=list, blank=True)

    class Meta:
        indexes: ClassVar = [
            models.Index(
                fields=["state"], condition=models.Q(plays_on=True), name="table_that_plays_on"
            )
        ]
        constraints: ClassVar = [
            models.CheckConstraint(
                condition=models.Q(
                    state__in=["gathering", "shuffling", "playing", "finished", "closed"]
                ),
                name="table_state_known",
            )
        ]

    def __str__(self) -> str:
        return f"Table {self.pk}"

    @property
    def rules(self) -> RuleSet:
        """The rule set played here."""
        return stored_rules(self.rules_data)


#: The states in which a table's game is still to begin.
BEFORE_A_GAME: Final = (Table.State.GATHERING, Table.State.SHUFFLING)


class SeenFrom(models.Model):
    """That somebody who has a seat at a reserved table has been there from an address.

    `digest` is a keyed hash of it, good for nothing but to see that two addresses are one; it is
    kept for `games.people.whereabouts.KEPT` and shown to nobody.
    """

    table = models.ForeignKey(Table, on_delete=models.CASCADE, related_name="seen_from")
    player = models.ForeignKey(Player, on_delete=models.CASCADE, related_name="+")
    digest = models.CharField(max_length=32)
    at = models.DateTimeField(default=timezone.now, db_index=True)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["table", "player", "digest"], name="seen_from_once_a_table"
            )
        ]

    def __str__(self) -> str:
        return f"{self.player} at {self.table}"


#: States in which a game is being shuffled for or played.
BEGUN = (Table.State.SHUFFLING, Table.State.PLAYING)


class Seat(models.Model):
    """One seat of a table and who has it.

    `last_seen` is when its person last loaded the page, acted or had an open socket (written
    every few seconds while one is open). `missing_since` is from when on the others wait for its
    person, whose last socket has closed; None while that person is here. `stand_in` says that a
    house player plays for that person, `since` when they sat down or last took their seat back:
    their turn does not begin before. `throws_in` says that their browser throws a number into the
    shuffle.
    """

    table = models.ForeignKey(Table, on_delete=models.CASCADE, related_name="seats", db_index=False)
    position = models.PositiveSmallIntegerField()
    player = models.ForeignKey(
        Player, on_delete=models.PROTECT, null=True, blank=True, related_name="seats"
    )
    stand_in = models.BooleanField(default=False)
    throws_in = models.BooleanField(default=False)
    since = models.DateTimeField(default=timezone.now)
    last_seen = models.DateTimeField(default=timezone.now)
    missing_since = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering: ClassVar = ["table", "position"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["table", "position"], name="seat_once_a_table"),
            models.UniqueConstraint(
                fields=["table", "player"],
                condition=models.Q(player__isnull=False),
                name="seat_one_a_player",
            ),
            models.CheckConstraint(
                condition=models.Q(position__lte=3), name="seat_position_0_to_3"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.table} seat {self.position}"
