"""Tables and their seats."""

import secrets
from datetime import UTC, datetime, timedelta
from typing import ClassVar, Final

from django.db import models
from django.utils import timezone

from games.bots import levels
from games.engine.rules import RuleSet

from .people import Player
from .shared_deals import SharedDeals
from .stored_rules import stored_rules

#: Kinds of entries in `Table.comings`.
CAME, LEFT, BACK = "came", "left", "back"
#: A player not seen for this time counts as gone.
PATIENCE = timedelta(seconds=60)
#: The default of `Table.house_after`, in seconds.
HOUSE_AFTER: Final = 12
#: The `last_seen` of a player who has left or has not come yet.
LONG_AGO = datetime(2000, 1, 1, tzinfo=UTC)


def invite_token() -> str:
    return secrets.token_urlsafe(12)


class Table(models.Model):
    """A table with one rule set, its seats and its games.

    A `reserved` table's owner assigns the seats and starts the games; players cannot. `title` and
    `back` are its name and the path of the page it belongs to. `turn_seconds`: the time limit for
    an action, after which a house player stands in. `house_after`: seconds after which a house
    player stands in for a player who has gone, until they return; None: never; ignored at
    reserved tables (`games.live.absence`). `house_level`: how strong its house players are; it
    stays as the table was made. `plays_on`: its house players start another game by themselves
    (`games.seats.house_tables`). `comings`: the latest arrivals and departures, as kind (`CAME`,
    `LEFT` or `BACK`), player id, position and Unix time. `shared_deals`: it plays the same deals
    as other tables, `number_in_deals` being its number among them, from 1. `quick`: people from the
    queue of quick games replace its house players (`games.quick`). `delayed`: whoever has no seat
    sees a running game two hands later (`games.picture.delay`). `rated`: its only game
    is a rated quick game. `rating_due` counts the requests to rate it; 0: there is none left.
    `talk`: whether its players may say something in their own words, or only after a game, or only
    phrases (`games.talk`). `solo`: one person plays shared deals alone with house players that do
    the same in the same position at each of the tables.
    """

    class State(models.TextChoices):
        GATHERING = "gathering"
        SHUFFLING = "shuffling"
        PLAYING = "playing"
        FINISHED = "finished"
        CLOSED = "closed"

    class HouseLevel(models.TextChoices):
        STEADY = levels.STEADY
        STRONG = levels.STRONG

    class Talk(models.TextChoices):
        FREE = "free"
        AFTER = "after"
        PHRASES = "phrases"

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
    house_level = models.CharField(max_length=10, choices=HouseLevel, default=HouseLevel.STEADY)
    house_after = models.PositiveSmallIntegerField(null=True, blank=True, default=HOUSE_AFTER)
    plays_on = models.BooleanField(default=False)
    quick = models.BooleanField(default=False)
    delayed = models.BooleanField(default=False)
    rated = models.BooleanField(default=False)
    rating_due = models.PositiveIntegerField(default=0)
    talk = models.CharField(max_length=7, choices=Talk, default=Talk.FREE)
    comings = models.JSONField(default=list, blank=True)
    shared_deals = models.ForeignKey(
        SharedDeals, on_delete=models.PROTECT, null=True, blank=True, related_name="tables"
    )
    number_in_deals = models.PositiveSmallIntegerField(default=1)
    solo = models.BooleanField(default=False)

    class Meta:
        indexes: ClassVar = [
            models.Index(
                fields=["state"], condition=models.Q(plays_on=True), name="table_that_plays_on"
            ),
            models.Index(fields=["state"], condition=models.Q(quick=True), name="table_quick"),
            models.Index(fields=["state"], condition=models.Q(rated=True), name="table_rated"),
            models.Index(
                fields=["id"], condition=models.Q(rating_due__gt=0), name="table_rating_due"
            ),
        ]
        constraints: ClassVar = [
            models.CheckConstraint(
                condition=models.Q(
                    state__in=["gathering", "shuffling", "playing", "finished", "closed"]
                ),
                name="table_state_known",
            ),
            models.CheckConstraint(
                condition=models.Q(house_level__in=["steady", "strong"]),
                name="table_house_level_known",
            ),
            models.CheckConstraint(
                condition=models.Q(talk__in=["free", "after", "phrases"]), name="table_talk_known"
            ),
        ]

    def __str__(self) -> str:
        return f"Table {self.pk}"

    @property
    def rules(self) -> RuleSet:
        return stored_rules(self.rules_data)

    @property
    def sealed(self) -> bool:
        """Return True while nobody else may see its games; see `shared_deals.sealed`."""
        return self.shared_deals is not None and self.shared_deals.opened is None

    @property
    def first_place(self) -> int:
        """Return the number of its first seat among those of all tables that share its deals."""
        return 4 * (self.number_in_deals - 1) if self.shared_deals_id is not None else 0


#: States before a game starts.
BEFORE_A_GAME: Final = (Table.State.GATHERING, Table.State.SHUFFLING)


class SeenFrom(models.Model):
    """An address from which a player has visited their reserved table.

    `digest` is a keyed hash, useful only to see that two addresses are the same. It is kept for
    `games.people.whereabouts.KEPT` and never shown.
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


#: States from the shuffle to the end of a game.
BEGUN = (Table.State.SHUFFLING, Table.State.PLAYING)


class Seat(models.Model):
    """A seat of a table and its player.

    `last_seen`: when the player last loaded the page, acted or had an open socket (updated every
    few seconds while one is open). `missing_since`: when their last socket closed; None while they
    are here. `stand_in`: a house player plays for them. `since`: when they sat down or took the
    seat back; their turn does not start before. `throws_in`: their browser contributes to the
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
