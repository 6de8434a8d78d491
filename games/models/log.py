"""What was played: games, who sat at them, and every event in order."""

import uuid
from typing import Any, ClassVar, Final

from django.db import models
from django.utils import timezone

from games.engine.actions import PLAY, UNDO, parse_action
from games.engine.rules import RuleSet
from games.engine.shuffle import NOTHING

from .people import Player
from .stored_rules import stored_rules
from .tables import Table

#: How a ruling says that a side gave the game up.
RESIGNED: Final = "resigned"


class Game(models.Model):
    """A game and where it stands; the events give everything else.

    `secret` is the shuffle's secret, encrypted until the game has ended; `seat_commitments`
    and `contributions` are what the seats threw in, 32 bytes each, zeros for a seat that threw in
    nothing. `published` says that the public log tells the secret, and `publish_after` when that is
    tried again after it has failed. `version` is the number of events; only the journal advances
    it, together with the columns that follow it, which repeat for lists and sweeps what replaying
    the events gives. `noted` says that the players' performances have been taken from a game that
    has ended; then `stood_in` has a hexadecimal figure for each of its finished hands: for whom a
    house player has acted in it (bit i for seat i). `counts` says whether one
    that was given up counts as it stood, as when time was up; not so one whose match was
    forfeited, decided otherwise or called off. `ruling` is the result that counts instead of the
    log's, where whoever gave the table's seats has set one, or a side has resigned: ``results`` of
    both sides, ``score`` and ``how``; only `games.records.outcomes` and `resigned` read it.
    """

    class State(models.TextChoices):
        """Being played, ended by its rules, or given up."""

        PLAYING = "playing"
        OVER = "over"
        ABANDONED = "abandoned"

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    # What the rows are unique by begins with this and serves as its index, here and below.
    table = models.ForeignKey(Table, on_delete=models.PROTECT, related_name="games", db_index=False)
    number = models.PositiveIntegerField()
    rules_data = models.JSONField()
    secret = models.BinaryField()
    commitment = models.BinaryField(max_length=32)
    seat_commitments = models.BinaryField(max_length=128, default=bytes)
    contributions = models.BinaryField(max_length=128, default=bytes)
    mixed = models.BinaryField(max_length=32)
    first_dealer = models.PositiveSmallIntegerField()
    started = models.DateTimeField(default=timezone.now)
    ended = models.DateTimeField(null=True, blank=True)

    version = models.PositiveIntegerField(default=0)
    state = models.CharField(max_length=10, choices=State, default=State.PLAYING, db_index=True)
    moved = models.DateTimeField(default=timezone.now)
    due = models.DateTimeField(null=True, blank=True, db_index=True)
    turn = models.SmallIntegerField(default=-1)
    deal_number = models.PositiveIntegerField(default=1)
    score_0 = models.PositiveSmallIntegerField(default=0)
    score_1 = models.PositiveSmallIntegerField(default=0)
    winner = models.SmallIntegerField(default=-1)
    noted = models.BooleanField(default=False)
    published = models.BooleanField(default=False)
    publish_after = models.DateTimeField(null=True, blank=True)
    stood_in = models.TextField(blank=True)
    counts = models.BooleanField(default=True)
    ruling = models.JSONField(null=True, blank=True)

    class Meta:
        indexes: ClassVar = [
            models.Index(
                fields=["ended"],
                condition=models.Q(noted=False, ended__isnull=False),
                name="game_to_note",
            ),
            models.Index(
                fields=["ended"],
                condition=models.Q(published=False, ended__isnull=False),
                name="game_to_publish",
            ),
            models.Index(
                fields=["ended", "id"],
                condition=models.Q(ended__isnull=False),
                name="game_by_end",
            ),
        ]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["table", "number"], name="game_number_once_a_table"),
            models.CheckConstraint(
                condition=models.Q(state__in=["playing", "over", "abandoned"]),
                name="game_state_known",
            ),
        ]

    def __str__(self) -> str:
        return f"Game {self.number} at {self.table}"

    @property
    def rules(self) -> RuleSet:
        """The rule set played."""
        return stored_rules(self.rules_data)

    @property
    def resigned(self) -> int:
        """The side that gave the game up, or -1."""
        if self.ruling is None or self.ruling["how"] != RESIGNED:
            return -1
        return int(self.ruling["results"][1] < 0)

    def line_of_play(self, *fields: str) -> list[tuple[Any, ...]]:
        """What was done and stands, in order: without what was undone, and without the undoing.

        fields: of `GameEvent`, which make a tuple for each.
        """
        stands: list[tuple[Any, ...]] = []
        for text, *row in self.events.order_by("seq").values_list("action", *fields):
            action = parse_action(text)
            if action.kind == UNDO:
                del stands[-action.value :]
            else:
                stands.append(tuple(row))
        return stands

    @property
    def practice(self) -> bool:
        """Whether house players have taken back cards that they had shown."""
        stands: list[bool] = []
        for text, by in self.events.order_by("seq").values_list("action", "by"):
            action = parse_action(text)
            if action.kind != UNDO:
                stands.append(action.kind == PLAY and by == GameEvent.By.HOUSE)
                continue
            if any(stands[-action.value :]):
                return True
            del stands[-action.value :]
        return False

    @property
    def thrown_in(self) -> tuple[tuple[bytes, ...], tuple[bytes, ...]]:
        """The commitments and the contributions by seat; a game older than these has zeros."""
        return self._by_seat(self.seat_commitments), self._by_seat(self.contributions)

    def _by_seat(self, numbers: bytes | memoryview) -> tuple[bytes, ...]:
        size, seats = len(NOTHING), self.rules.players
        joined = bytes(numbers) or NOTHING * seats
        return tuple(joined[size * seat : size * (seat + 1)] for seat in range(seats))


class GameSeat(models.Model):
    """For whom a game counts: who has a seat, or left it for good, until it ends."""

    game = models.ForeignKey(Game, on_delete=models.CASCADE, related_name="seats", db_index=False)
    position = models.PositiveSmallIntegerField()
    player = models.ForeignKey(Player, on_delete=models.PROTECT, related_name="game_seats")

    class Meta:
        ordering: ClassVar = ["game", "position"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["game", "position"], name="game_seat_once")
        ]

    def __str__(self) -> str:
        return f"{self.player} in seat {self.position}"


class GameEvent(models.Model):
    """One thing that happened in a game; never changed, never removed."""

    class By(models.TextChoices):
        """Who made it happen: the seat's person, a house player, or the table's clock."""

        PERSON = "person"
        HOUSE = "house"
        CLOCK = "clock"

    game = models.ForeignKey(Game, on_delete=models.CASCADE, related_name="events", db_index=False)
    seq = models.PositiveIntegerField()
    seat = models.SmallIntegerField(default=-1)
    player = models.ForeignKey(Player, on_delete=models.PROTECT, null=True, blank=True)
    by = models.CharField(max_length=6, choices=By)
    action = models.CharField(max_length=16)
    client_key = models.CharField(max_length=36, null=True, blank=True)  # noqa: DJ001
    at = models.DateTimeField()

    class Meta:
        ordering: ClassVar = ["game", "seq"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["game", "seq"], name="event_seq_once_a_game"),
            models.UniqueConstraint(
                fields=["game", "client_key"],
                condition=models.Q(client_key__isnull=False),
                name="event_client_key_once_a_game",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.seq}: {self.action}"
