"""Rounds of events: their draws, matches and results."""

from datetime import datetime, timedelta
from typing import ClassVar

from django.db import models
from django.utils import timezone

from games.models import Player, Table

from .entries import Entry
from .events import Event


class Round(models.Model):
    """A round as drawn. `stage` is 1, or 2 for the knock-out after a first stage.

    `drawn` is when that was (None in earlier versions) and never moves; `called` is when players
    were called to their tables, `ends` when the time is up (None: no limit), `over` when the last
    result came in: pauses move these.
    """

    event = models.ForeignKey(Event, on_delete=models.CASCADE, related_name="played_rounds")
    number = models.PositiveSmallIntegerField()
    stage = models.PositiveSmallIntegerField(default=1)
    drawn = models.DateTimeField(null=True, blank=True)
    called = models.DateTimeField(default=timezone.now)
    ends = models.DateTimeField(null=True, blank=True)
    over = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering: ClassVar = ["event", "number"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["event", "number"], name="round_once_an_event")
        ]

    def __str__(self) -> str:
        return f"Round {self.number} of {self.event}"


class SitOut(models.Model):
    """An entry that does not play in a round: a sit-out, or a bye."""

    round = models.ForeignKey(Round, on_delete=models.CASCADE, related_name="sit_outs")
    entry = models.ForeignKey(Entry, on_delete=models.CASCADE, related_name="sit_outs")

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["round", "entry"], name="sit_out_once_a_round")
        ]

    def __str__(self) -> str:
        return f"{self.entry} sits out round {self.round_id}"


class Pairing(models.Model):
    """A match of a round: its table, its sides and its result.

    `winner` is the side that won, -1 for a tie or an undecided match. `points` are the totals of
    all its games, `games` the games won, `lone` the lone marches. If time runs out during a hand,
    `time_up` keeps "score-score-deal", so that the end of that hand can be recognised. `rated` is
    set when its first game begins; `played_out`: decided by play or on time, even if a director
    changed the result later. `deal_results`: of a duplicate event, the
    result of each deal played there, also before a forfeit (`tournaments.results.travellers`). A
    match `in_room` is played with real cards: it has no table on the site, and `scores` has the
    points of each game. `penalties` are what a director has given each side by penalties, or taken
    from it; `points` include them. `handicap`: further points of each side in the standings, in
    events of the time when they could have one by rating. `more_minutes`: the time its table has
    beyond the end of the round. `director_called`: when its table called for a director, None if it
    has not, or one has come (`tournaments.events.director_calls`). `objection_answered`: when a
    director last answered its objection to the present result.
    """

    class State(models.TextChoices):
        CALLED = "called"
        PLAYING = "playing"
        DECIDED = "decided"

    class How(models.TextChoices):
        """The ways a result can come about."""

        PLAYED = "played", "Played"
        TIME = "time", "On time"
        FORFEIT = "forfeit", "Forfeit"
        DIRECTOR = "director", "By the director"

    round = models.ForeignKey(Round, on_delete=models.CASCADE, related_name="pairings")
    number = models.PositiveSmallIntegerField()
    table = models.OneToOneField(
        Table, on_delete=models.PROTECT, null=True, blank=True, related_name="pairing"
    )
    in_room = models.BooleanField(default=False)
    final = models.BooleanField(default=False)
    state = models.CharField(max_length=8, choices=State, default=State.CALLED, db_index=True)
    how = models.CharField(max_length=8, choices=How, blank=True)
    winner = models.SmallIntegerField(default=-1)
    points_0 = models.PositiveSmallIntegerField(default=0)
    points_1 = models.PositiveSmallIntegerField(default=0)
    games_0 = models.PositiveSmallIntegerField(default=0)
    games_1 = models.PositiveSmallIntegerField(default=0)
    lone_0 = models.PositiveSmallIntegerField(default=0)
    lone_1 = models.PositiveSmallIntegerField(default=0)
    time_up = models.CharField(max_length=20, blank=True)
    rated = models.BooleanField(default=False)
    played_out = models.BooleanField(default=False)
    deal_results = models.JSONField(default=list, blank=True)
    scores = models.JSONField(default=list, blank=True)
    more_minutes = models.PositiveSmallIntegerField(default=0)
    penalty_0 = models.SmallIntegerField(default=0)
    penalty_1 = models.SmallIntegerField(default=0)
    handicap_0 = models.PositiveSmallIntegerField(default=0)
    handicap_1 = models.PositiveSmallIntegerField(default=0)
    decided = models.DateTimeField(null=True, blank=True)
    director_called = models.DateTimeField(null=True, blank=True)
    objection_answered = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering: ClassVar = ["round", "number"]
        indexes: ClassVar = [
            models.Index(
                fields=["round"],
                condition=models.Q(director_called__isnull=False),
                name="pairing_calls_director",
            )
        ]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["round", "number"], name="pairing_number_once_a_round"),
            models.CheckConstraint(
                condition=models.Q(state__in=["called", "playing", "decided"]),
                name="pairing_state_known",
            ),
            models.CheckConstraint(
                condition=models.Q(winner__gte=-1) & models.Q(winner__lte=1),
                name="pairing_winner_a_side",
            ),
        ]

    def __str__(self) -> str:
        return f"Table {self.number}"

    @property
    def ends(self) -> datetime | None:
        """When its time is up: at the end of the round, or later; None without a limit."""
        return self.round.ends and self.round.ends + timedelta(minutes=self.more_minutes)

    @property
    def objects_again(self) -> bool:
        """Whether it calls once more after a director has answered its objection."""
        return None not in (self.director_called, self.objection_answered)

    @property
    def points(self) -> tuple[int, int]:
        return self.points_0, self.points_1

    @property
    def handicap(self) -> tuple[int, int]:
        return self.handicap_0, self.handicap_1

    @property
    def games_won(self) -> tuple[int, int]:
        return self.games_0, self.games_1

    @property
    def lone_hands(self) -> tuple[int, int]:
        return self.lone_0, self.lone_1

    @property
    def penalties(self) -> tuple[int, int]:
        return self.penalty_0, self.penalty_1

    def hide_result(self) -> None:
        """Clear what this instance, never to be saved, says about the result."""
        self.how, self.winner, self.deal_results, self.scores = "", -1, [], []
        self.points_0 = self.points_1 = self.games_0 = self.games_1 = 0
        self.lone_0 = self.lone_1 = self.penalty_0 = self.penalty_1 = 0

    def entries_of_side(self, side: int) -> list[int]:
        """Return the entries of a side; prefetch `entries` in order."""
        return [line.entry_id for line in self.entries.all() if line.side == side]


class PairingEntry(models.Model):
    """An entry's seat in a match: side 0 sits north and south, `position` orders its side.

    `round` repeats the pairing's for the unique constraint.
    """

    round = models.ForeignKey(Round, on_delete=models.CASCADE, related_name="+")
    pairing = models.ForeignKey(Pairing, on_delete=models.CASCADE, related_name="entries")
    entry = models.ForeignKey(Entry, on_delete=models.PROTECT, related_name="pairings")
    side = models.PositiveSmallIntegerField()
    position = models.PositiveSmallIntegerField(default=0)

    class Meta:
        ordering: ClassVar = ["pairing", "side", "position"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["round", "entry"], name="entry_drawn_once_a_round"),
            models.UniqueConstraint(
                fields=["pairing", "side", "position"], name="pairing_seat_once"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.entry} at side {self.side}"


class Correction(models.Model):
    """A result set or changed by a director: before, after, and the reason.

    `before` and `after` hold winner, points, games and how; newer rows also how it `ended`
    (played, on time, by forfeit) and the scores of the games.
    """

    pairing = models.ForeignKey(Pairing, on_delete=models.CASCADE, related_name="corrections")
    by = models.ForeignKey(Player, on_delete=models.PROTECT)
    at = models.DateTimeField(default=timezone.now)
    before = models.JSONField()
    after = models.JSONField()
    reason = models.CharField(max_length=200)

    class Meta:
        ordering: ClassVar = ["at", "pk"]

    def __str__(self) -> str:
        return f"Correction of {self.pairing}"
