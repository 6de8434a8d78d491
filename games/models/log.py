"""Games, their players and their events."""

import uuid
from functools import cached_property
from typing import Any, ClassVar, Final

from django.db import models
from django.utils import timezone

from games.engine.actions import PLAY, UNDO, parse_action
from games.engine.rules import RuleSet
from games.engine.shuffle import NOTHING
from games.files.archive import ArchivedEvent, ArchivedGame, unpack

from .people import Player
from .stored_rules import stored_rules
from .tables import Table

#: The `how` of a ruling after a resignation.
RESIGNED: Final = "resigned"


class Game(models.Model):
    """A game and its state.

    `secret` is the shuffle's secret, encrypted. `seat_commitments` and `contributions` have 32
    bytes for each seat, zeros for one that sent none; shared deals keep their own. `archived`:
    these three and the events are in its `GameArchive` (`games.records.archiving`);
    `archive_after`: when to retry after they could not be put there. `published`:
    the public log has the secret; `publish_after`: when to retry a failed publication. `version` is
    the number of events; only the journal advances it, together with the columns that follow it,
    which cache for lists and sweeps what a replay of the events gives. `noted`: the performances
    have been stored; then
    `stood_in` has a hexadecimal digit for each finished hand, the seats for which a house player
    acted in it (bit i for seat i). `counts`: an abandoned game counts at its score, as when time
    was up; not if its match was forfeited, decided otherwise or called off. `ruling` is the result
    that counts instead of the log's after a resignation or a director's decision: ``results`` of
    both sides, ``score`` and ``how``; only `games.records.outcomes` and `resigned` read it.
    `for_practice`: nothing of it counts, because a hint was asked for (`games.hints`), or the house
    took back what it had done, alone with a person; or, once it is `noted`, because of what was
    taken back elsewhere.
    """

    class State(models.TextChoices):
        PLAYING = "playing"
        OVER = "over"
        ABANDONED = "abandoned"

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    # The unique constraint begins with this column and serves as its index, here and below.
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
    archived = models.BooleanField(default=False)
    archive_after = models.DateTimeField(null=True, blank=True)
    published = models.BooleanField(default=False)
    publish_after = models.DateTimeField(null=True, blank=True)
    stood_in = models.TextField(blank=True)
    counts = models.BooleanField(default=True)
    ruling = models.JSONField(null=True, blank=True)
    for_practice = models.BooleanField(default=False)

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
                fields=["ended"],
                condition=models.Q(archived=False, ended__isnull=False),
                name="game_to_archive",
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
        return stored_rules(self.rules_data)

    @property
    def resigned(self) -> int:
        """Return the side that resigned, or -1."""
        if self.ruling is None or self.ruling["how"] != RESIGNED:
            return -1
        return int(self.ruling["results"][1] < 0)

    @cached_property
    def archived_game(self) -> ArchivedGame:
        """Return what its archive holds; it must have one."""
        return unpack(self.archive.record)

    def stored_events(self) -> tuple[ArchivedEvent, ...]:
        """Return all events in order, also undone ones, from the journal or from the archive."""
        if not self.archived:
            rows = self.events.order_by("seq").values_list(*ArchivedEvent._fields)
            events = tuple(ArchivedEvent(*row) for row in rows)
            # It may have been archived since this row was read.
            if events or not type(self).objects.filter(pk=self.pk, archived=True).exists():
                return events
        return self.archived_game.events

    def line_of_play(self, *fields: str) -> list[tuple[Any, ...]]:
        """Return these fields of the events in order, without undone actions and undo events."""
        stands: list[tuple[Any, ...]] = []
        for event in self.stored_events():
            action = parse_action(event.action)
            if action.kind == UNDO:
                del stands[-action.value :]
            else:
                stands.append(tuple(getattr(event, field) for field in fields))
        return stands

    @property
    def practice(self) -> bool:
        """Return True after a hint, or if house players have taken back cards they had shown."""
        if self.for_practice:
            return True
        stands: list[bool] = []
        for event in self.stored_events():
            action = parse_action(event.action)
            if action.kind != UNDO:
                stands.append(action.kind == PLAY and event.by == GameEvent.By.HOUSE)
                continue
            if any(stands[-action.value :]):
                return True
            del stands[-action.value :]
        return False

    @property
    def commitments_and_contributions(self) -> tuple[tuple[bytes, ...], tuple[bytes, ...]]:
        """Return the commitments and the contributions by seat; zeros in games older than these.

        Of shared deals they are those of the seats of all tables.
        """
        shared = self.table.shared_deals
        if shared is not None:
            joined = shared.seat_commitments, shared.contributions
            return self._by_seat(joined[0], shared.seats), self._by_seat(joined[1], shared.seats)
        seats = self.rules.players
        if self.archived:
            joined = self.archived_game.commitments, self.archived_game.contributions
        else:
            joined = self.seat_commitments, self.contributions
        return self._by_seat(joined[0], seats), self._by_seat(joined[1], seats)

    def _by_seat(self, numbers: bytes | memoryview, seats: int) -> tuple[bytes, ...]:
        size = len(NOTHING)
        joined = bytes(numbers) or NOTHING * seats
        return tuple(joined[size * seat : size * (seat + 1)] for seat in range(seats))


class GameSeat(models.Model):
    """The player for whom a game counts: the seat's player, or the one who left it for good."""

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
    """An event of a game; never changed, and deleted only when the game is archived."""

    class By(models.TextChoices):
        """The actor: the seat's player, a house player in their place, or the table's clock."""

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
