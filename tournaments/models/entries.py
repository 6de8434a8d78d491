"""Entries in events, alone or with a partner, with their results."""

from typing import ClassVar, Final

from django.db import models
from django.utils import timezone

from games.models import Player

from .events import Event


class Entry(models.Model):
    """A place in an event, or the wish for one.

    `arrival` numbers complete entries in order of arrival, which decides who gets a place and the
    order of the waiting list. `invited` is the partner who has not answered yet. `here`: checked in
    while on the waiting list. `house`: filled by house players. `seed` (1 is the best) and `lot`
    (1 goes first) are set at the start, `qualified` (1 is the best) before a second stage, `place`
    at the end. `first_round`: the first in which it can be drawn, not 1 if it came late. `missed`
    counts consecutive rounds without any of its players; `warned`: a letter has warned of the next
    one. `paid`: when a director ticked that its entry money was paid.
    `table_place` seeds it before its rating: in play-offs its rank in the season's table, elsewhere
    the place that a director gave it.
    """

    class State(models.TextChoices):
        SEEKING = "seeking", "Looks for a partner"
        INVITING = "inviting", "Has asked a partner"
        WAITING = "waiting", "On the waiting list"
        ENTERED = "entered", "Entered"
        CHECKED_IN = "checked_in", "Checked in"
        WITHDRAWN = "withdrawn", "Withdrawn"
        NO_SHOW = "no_show", "Did not come"

    event = models.ForeignKey(Event, on_delete=models.CASCADE, related_name="entries")
    state = models.CharField(max_length=10, choices=State)
    arrival = models.PositiveIntegerField(null=True, blank=True)
    made = models.DateTimeField(default=timezone.now)
    invited = models.ForeignKey(
        Player, on_delete=models.CASCADE, null=True, blank=True, related_name="partner_invitations"
    )
    here = models.BooleanField(default=False)
    house = models.BooleanField(default=False)
    seed = models.PositiveSmallIntegerField(null=True, blank=True)
    lot = models.PositiveSmallIntegerField(null=True, blank=True)
    qualified = models.PositiveSmallIntegerField(null=True, blank=True)
    place = models.PositiveSmallIntegerField(null=True, blank=True)
    first_round = models.PositiveSmallIntegerField(default=1)
    missed = models.PositiveSmallIntegerField(default=0)
    warned = models.BooleanField(default=False)
    paid = models.DateTimeField(null=True, blank=True)
    table_place = models.PositiveSmallIntegerField(null=True, blank=True)

    class Meta:
        ordering: ClassVar = ["event", "arrival", "pk"]
        verbose_name_plural = "entries"
        constraints: ClassVar = [
            models.CheckConstraint(
                condition=models.Q(
                    state__in=[
                        "seeking",
                        "inviting",
                        "waiting",
                        "entered",
                        "checked_in",
                        "withdrawn",
                        "no_show",
                    ]
                ),
                name="entry_state_known",
            ),
            models.UniqueConstraint(fields=["event", "arrival"], name="entry_arrival_once"),
            models.UniqueConstraint(fields=["event", "seed"], name="entry_seed_once"),
            models.UniqueConstraint(fields=["event", "lot"], name="entry_lot_once"),
        ]

    def __str__(self) -> str:
        return f"Entry {self.pk}"

    @property
    def name(self) -> str:
        """The players' names, "Maeve and Ben"; prefetch `players__player`."""
        return " and ".join(line.player.name for line in self.players.all())


#: Entries with a place; these and the waiting list; and entries without a partner yet.
PLACED: Final = (Entry.State.ENTERED, Entry.State.CHECKED_IN)
COMPLETE: Final = (*PLACED, Entry.State.WAITING)
INCOMPLETE: Final = (Entry.State.SEEKING, Entry.State.INVITING)
#: Entries that have left.
OUT: Final = (Entry.State.WITHDRAWN, Entry.State.NO_SHOW)


class EntryPlayer(models.Model):
    """A player of an entry; `event` repeats the entry's for the unique constraint.

    `active` becomes false when the entry is withdrawn before the start, so that the player can
    enter again.
    """

    event = models.ForeignKey(Event, on_delete=models.CASCADE, related_name="entered_players")
    entry = models.ForeignKey(Entry, on_delete=models.CASCADE, related_name="players")
    player = models.ForeignKey(Player, on_delete=models.PROTECT, related_name="entries")
    position = models.PositiveSmallIntegerField(default=0)
    active = models.BooleanField(default=True)

    class Meta:
        ordering: ClassVar = ["entry", "position"]
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["event", "player"],
                condition=models.Q(active=True),
                name="player_once_an_event",
            ),
            models.UniqueConstraint(fields=["entry", "position"], name="entry_position_once"),
        ]

    def __str__(self) -> str:
        return str(self.player)


class Substitution(models.Model):
    """Who sat in a seat of an entry before somebody else took it.

    `until`: the last round they could play. Of several for one seat, the one with the lowest
    `until` that is not before a round names who played in it. `gave_up`: they no longer own the
    place, in an event of the time when it could go to whoever plays at the end.
    """

    entry = models.ForeignKey(Entry, on_delete=models.CASCADE, related_name="substitutions")
    position = models.PositiveSmallIntegerField()
    player = models.ForeignKey(Player, on_delete=models.PROTECT, related_name="seats_left")
    until = models.PositiveSmallIntegerField()
    at = models.DateTimeField(default=timezone.now)
    gave_up = models.BooleanField(default=False)

    class Meta:
        ordering: ClassVar = ["entry", "until", "pk"]

    def __str__(self) -> str:
        return f"{self.player} until round {self.until}"


class KeptApart(models.Model):
    """Two entries of an event that its draws keep apart, the one with the lower key first."""

    class Kind(models.TextChoices):
        """What they are never to be; those never at one table are not partners either."""

        PARTNERS = "partners", "Never partners"
        TABLES = "tables", "Never at one table"

    event = models.ForeignKey(Event, on_delete=models.CASCADE, related_name="kept_apart")
    one = models.ForeignKey(Entry, on_delete=models.CASCADE, related_name="+")
    other = models.ForeignKey(Entry, on_delete=models.CASCADE, related_name="+")
    kind = models.CharField(max_length=8, choices=Kind)

    class Meta:
        ordering: ClassVar = ["event", "pk"]
        verbose_name_plural = "kept apart"
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["one", "other"], name="kept_apart_once"),
            models.CheckConstraint(
                condition=models.Q(one__lt=models.F("other")), name="kept_apart_in_order"
            ),
            models.CheckConstraint(
                condition=models.Q(kind__in=["partners", "tables"]), name="kept_apart_kind_known"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.one} and {self.other}"


class Trophy(models.Model):
    """A prize of honour: one of the first three places of an event."""

    event = models.ForeignKey(Event, on_delete=models.CASCADE, related_name="trophies")
    player = models.ForeignKey(Player, on_delete=models.CASCADE, related_name="trophies")
    place = models.PositiveSmallIntegerField()
    entrants = models.PositiveSmallIntegerField()

    class Meta:
        ordering: ClassVar = ["event", "place"]
        verbose_name_plural = "trophies"
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["event", "player"], name="trophy_once_an_event")
        ]

    def __str__(self) -> str:
        return f"Place {self.place} of {self.event}"
