"""The daily deal: four deals that everybody plays alone on one day, and who has played them."""

from typing import ClassVar, Final

from django.core.validators import MaxValueValidator
from django.db import models
from django.utils import timezone

from games.models import Player, SharedDeals, Table

from .clubs import Club

#: Deals of a day, and the seat of the person who plays them: south.
DEALS: Final = 4
SEAT: Final = 2


class DailyHour(models.Model):
    """A club that has a daily deal of its own, which begins at this hour by the club's clocks."""

    club = models.OneToOneField(Club, on_delete=models.CASCADE, related_name="daily_hour")
    hour = models.PositiveSmallIntegerField(validators=[MaxValueValidator(23)])

    class Meta:
        constraints: ClassVar = [
            models.CheckConstraint(condition=models.Q(hour__lte=23), name="daily_hour_0_to_23")
        ]

    def __str__(self) -> str:
        return f"{self.club} at {self.hour}:00"


class DailyDeal(models.Model):
    """The deals of one day, of the site or of a club.

    `day`: the date on which it opens, by the club's clocks or in UTC. `house_table`: where four
    house players have played it. `house`: their points by deal from the person's seat; None until
    it has been played. `closed`: when the results were computed; `means` are then the average
    points by deal and `played` the number of people who have finished at least one. `worths`: by
    deal, what the choices at the house's decisions were worth (`tournaments.daily.worths`); for the
    first `valued` deals.
    """

    club = models.ForeignKey(
        Club, on_delete=models.CASCADE, null=True, blank=True, related_name="daily_deals"
    )
    day = models.DateField()
    opens = models.DateTimeField()
    closes = models.DateTimeField(db_index=True)
    deals = models.OneToOneField(SharedDeals, on_delete=models.PROTECT, related_name="+")
    house_table = models.OneToOneField(
        Table, on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )
    house = models.JSONField(null=True, blank=True)
    closed = models.DateTimeField(null=True, blank=True)
    means = models.JSONField(default=list, blank=True)
    played = models.PositiveIntegerField(default=0)
    worths = models.JSONField(default=list, blank=True)
    valued = models.PositiveSmallIntegerField(default=0)

    class Meta:
        ordering: ClassVar = ["-opens"]
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["day"], condition=models.Q(club=None), name="daily_deal_once_a_day"
            ),
            models.UniqueConstraint(
                fields=["club", "day"],
                condition=models.Q(club__isnull=False),
                name="daily_deal_once_a_day_in_a_club",
            ),
            models.CheckConstraint(
                condition=models.Q(closes__gt=models.F("opens")), name="daily_deal_closes_later"
            ),
        ]
        indexes: ClassVar = [
            models.Index(
                fields=["closes"], condition=models.Q(closed=None), name="daily_deal_unclosed"
            )
        ]

    def __str__(self) -> str:
        return f"Daily deal of {self.day}" + (f", {self.club}" if self.club else "")


class DailyTry(models.Model):
    """Somebody's one try at a day's deals.

    `points`: by deal, those of their side less the other's; None until the game has ended. `ended`:
    all deals were played. From the close on: `percents`: by deal, how many of 100 others have made
    less, the same counting half. `percent`: their mean, None for a try that has not ended. `place`:
    among the members listed, None for others. `address`: the keyed hash of the address it was begun
    from (`games.people.whereabouts`), until the close; `same_address`: another try began there.
    """

    daily = models.ForeignKey(DailyDeal, on_delete=models.CASCADE, related_name="tries")
    player = models.ForeignKey(Player, on_delete=models.CASCADE, related_name="daily_tries")
    table = models.OneToOneField(
        Table, on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )
    began = models.DateTimeField(default=timezone.now)
    points = models.JSONField(null=True, blank=True)
    ended = models.BooleanField(default=False)
    percents = models.JSONField(default=list, blank=True)
    percent = models.FloatField(null=True, blank=True)
    place = models.PositiveIntegerField(null=True, blank=True)
    address = models.CharField(max_length=32, blank=True)
    same_address = models.BooleanField(default=False)

    class Meta:
        verbose_name_plural = "daily tries"
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["daily", "player"], name="daily_try_once_a_day")
        ]
        indexes: ClassVar = [
            models.Index(
                fields=["daily"],
                condition=models.Q(points__isnull=True),
                name="daily_try_unfinished",
            )
        ]

    def __str__(self) -> str:
        return f"{self.player}, {self.daily}"

    @property
    def total(self) -> int:
        return sum(self.points or ())


class DailyReminder(models.Model):
    """Somebody who is reminded of the site's daily deal at an hour of theirs.

    `hour`: in the time zone `zone`. `due`: when it next begins there.
    """

    player = models.OneToOneField(Player, on_delete=models.CASCADE, related_name="daily_reminder")
    hour = models.PositiveSmallIntegerField(validators=[MaxValueValidator(23)])
    zone = models.CharField(max_length=64)
    due = models.DateTimeField(db_index=True)

    class Meta:
        constraints: ClassVar = [
            models.CheckConstraint(condition=models.Q(hour__lte=23), name="reminder_hour_0_to_23")
        ]

    def __str__(self) -> str:
        return f"{self.player} at {self.hour}:00"
