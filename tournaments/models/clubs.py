"""Clubs, their members and roles, house rules and seasons."""

import secrets
from datetime import date
from typing import ClassVar, Final
from zoneinfo import ZoneInfo

from django.db import models
from django.db.models.functions import Lower
from django.utils import timezone

from games.engine.rules import RuleSet
from games.models import Player, Table
from games.models.stored_rules import stored_rules


def new_token() -> str:
    return secrets.token_urlsafe(18)


class Club(models.Model):
    """A club. Invitation-only clubs are visible only to members and to holders of the link.

    `recognised`: the site's staff know that its members play in one room, from one address. A
    `closed` club is visible to the staff only. `names_moderators`: players in a fair-play matter
    see the moderators' names, not only their roles. `embedding_sites`: the origins of web sites
    that may show its results in a frame, one a line. `currency`: of entry money, by its code.
    `talk`: what players may say at the tables of its events; see `Event.talk`. `calls`: its members
    may call the others to their own tables; see `tournaments.clubs.calls`. `venue` and `address`:
    of the room where it usually plays.
    """

    class Joining(models.TextChoices):
        OPEN = "open", "Open to everybody"
        APPROVAL = "approval", "A director approves"
        INVITATION = "invitation", "By invitation only"

    class Talk(models.TextChoices):
        FREE = "free", "Freely, in rated events after the games"
        AFTER = "after", "Freely after the games"
        PHRASES = "phrases", "Phrases only"

    name = models.CharField(max_length=60)
    slug = models.SlugField(max_length=60, unique=True)
    about = models.TextField(max_length=2000, blank=True)
    joining = models.CharField(max_length=10, choices=Joining, default=Joining.OPEN)
    time_zone = models.CharField(max_length=64, default="UTC")
    country = models.CharField(max_length=2, blank=True)
    invite_token = models.CharField(max_length=32, default=new_token, unique=True)
    recognised = models.BooleanField(default=False)
    closed = models.DateTimeField(null=True, blank=True, editable=False)
    names_moderators = models.BooleanField(default=True)
    embedding_sites = models.TextField(max_length=1000, blank=True, default="")
    venue = models.CharField(max_length=80, blank=True, default="")
    address = models.CharField(max_length=160, blank=True, default="")
    currency = models.CharField(max_length=3, blank=True, default="")
    talk = models.CharField(max_length=7, choices=Talk, default=Talk.FREE)
    calls = models.BooleanField(default=True)
    created = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering: ClassVar = [Lower("name")]
        constraints: ClassVar = [
            models.UniqueConstraint(Lower("name"), name="club_name_once"),
            models.CheckConstraint(condition=~models.Q(name=""), name="club_has_a_name"),
            models.CheckConstraint(
                condition=models.Q(joining__in=["open", "approval", "invitation"]),
                name="club_joining_known",
            ),
            models.CheckConstraint(
                condition=models.Q(talk__in=["free", "after", "phrases"]), name="club_talk_known"
            ),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def zone(self) -> ZoneInfo:
        return ZoneInfo(self.time_zone)


class Membership(models.Model):
    """A member of a club and their role.

    `news`: whether they get its announcements by e-mail. `home`: they show it as their home club.
    """

    class Role(models.TextChoices):
        OWNER = "owner", "Owner"
        DIRECTOR = "director", "Director"
        MODERATOR = "moderator", "Moderator"
        MEMBER = "member", "Member"

    club = models.ForeignKey(Club, on_delete=models.CASCADE, related_name="memberships")
    player = models.ForeignKey(Player, on_delete=models.CASCADE, related_name="memberships")
    role = models.CharField(max_length=9, choices=Role, default=Role.MEMBER)
    news = models.BooleanField(default=True)
    home = models.BooleanField(default=False)
    joined = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["club", "player"], name="member_once_a_club"),
            models.UniqueConstraint(
                fields=["player"], condition=models.Q(home=True), name="one_home_club"
            ),
            models.CheckConstraint(
                condition=models.Q(role__in=["owner", "director", "moderator", "member"]),
                name="member_role_known",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.player}, {self.get_role_display()} of {self.club}"


#: Roles that direct the club's events.
DIRECTORS: Final = (Membership.Role.OWNER, Membership.Role.DIRECTOR)


class JoinRequest(models.Model):
    """A request to join; deleted once it is answered."""

    club = models.ForeignKey(Club, on_delete=models.CASCADE, related_name="requests")
    player = models.ForeignKey(Player, on_delete=models.CASCADE, related_name="join_requests")
    words = models.CharField(max_length=200, blank=True)
    asked = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering: ClassVar = ["asked"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["club", "player"], name="join_request_once")
        ]

    def __str__(self) -> str:
        return f"{self.player} asks to join {self.club}"


class ClubCall(models.Model):
    """A member's call to the other members of a club to come to a table, open until `until`."""

    club = models.ForeignKey(Club, on_delete=models.CASCADE, related_name="table_calls")
    table = models.ForeignKey(Table, on_delete=models.CASCADE, related_name="club_calls")
    by = models.ForeignKey(Player, on_delete=models.CASCADE, related_name="+")
    made = models.DateTimeField(default=timezone.now, db_index=True)
    until = models.DateTimeField()

    class Meta:
        ordering: ClassVar = ["-made", "-pk"]

    def __str__(self) -> str:
        return f"{self.by} calls {self.club} to {self.table}"


class HouseRules(models.Model):
    """A club's own rule set for its events."""

    club = models.ForeignKey(Club, on_delete=models.CASCADE, related_name="house_rules")
    rules_data = models.JSONField()
    name = models.CharField(max_length=40)

    class Meta:
        ordering: ClassVar = [Lower("name")]
        constraints: ClassVar = [
            models.UniqueConstraint("club", Lower("name"), name="house_rules_name_once_a_club")
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def rules(self) -> RuleSet:
        return stored_rules(self.rules_data)


class Season(models.Model):
    """A season of a club: its table counts the events from `first_day` to `last_day`, inclusive.

    A club without seasons has one for each calendar year, made in memory and never saved.
    `rule_data`: how points are counted (`tournaments.seasons.rule`); empty: the usual rule.
    `movers`: how many go up and down between neighbouring divisions when the season is over.
    `team_best`: how many scores of a team count each evening.
    `nights`: how many are planned, if that is known. `line`: who has a line in its table; the pairs
    are teams of two.
    """

    class Line(models.TextChoices):
        """Who has a line in the table of a season."""

        PERSON = "person", "Each person"
        PAIR = "pair", "Pairs"
        TEAM = "team", "Teams"

    club = models.ForeignKey(Club, on_delete=models.CASCADE, related_name="seasons")
    name = models.CharField(max_length=40)
    first_day = models.DateField()
    last_day = models.DateField()
    rule_data = models.JSONField(default=dict, blank=True)
    movers = models.PositiveSmallIntegerField(default=0)
    team_best = models.PositiveSmallIntegerField(default=4)
    nights = models.PositiveSmallIntegerField(null=True, blank=True)
    line = models.CharField(max_length=6, choices=Line, default=Line.PERSON)

    class Meta:
        ordering: ClassVar = ["-first_day"]
        constraints: ClassVar = [
            models.UniqueConstraint("club", Lower("name"), name="season_name_once_a_club"),
            models.CheckConstraint(
                condition=models.Q(last_day__gte=models.F("first_day")), name="season_has_days"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.name} of {self.club}"

    def includes(self, day: date) -> bool:
        return self.first_day <= day <= self.last_day


class Division(models.Model):
    """A division of a season; `number` 1 is the highest."""

    season = models.ForeignKey(Season, on_delete=models.CASCADE, related_name="divisions")
    number = models.PositiveSmallIntegerField()
    name = models.CharField(max_length=40)

    class Meta:
        ordering: ClassVar = ["number"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["season", "number"], name="division_number_once"),
            models.UniqueConstraint("season", Lower("name"), name="division_name_once_a_season"),
        ]

    def __str__(self) -> str:
        return f"{self.name} of {self.season}"


class DivisionPlayer(models.Model):
    """A player of a division; `season` is the division's, so that nobody plays in two."""

    season = models.ForeignKey(Season, on_delete=models.CASCADE, related_name="division_players")
    division = models.ForeignKey(Division, on_delete=models.CASCADE, related_name="players")
    player = models.ForeignKey(Player, on_delete=models.CASCADE, related_name="divisions")

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["season", "player"], name="one_division_a_season")
        ]

    def __str__(self) -> str:
        return f"{self.player} in {self.division}"


class SeasonTeam(models.Model):
    """A team of a season: the best `Season.team_best` scores of its people count each evening."""

    season = models.ForeignKey(Season, on_delete=models.CASCADE, related_name="teams")
    name = models.CharField(max_length=40)

    class Meta:
        ordering: ClassVar = ["pk"]
        constraints: ClassVar = [
            models.UniqueConstraint("season", Lower("name"), name="team_name_once_a_season"),
        ]

    def __str__(self) -> str:
        return f"{self.name} of {self.season}"


class TeamPlayer(models.Model):
    """A player of a team or a registered substitute; `season` is the team's: nobody is in two."""

    season = models.ForeignKey(Season, on_delete=models.CASCADE, related_name="team_players")
    team = models.ForeignKey(SeasonTeam, on_delete=models.CASCADE, related_name="players")
    player = models.ForeignKey(Player, on_delete=models.CASCADE, related_name="teams")
    substitute = models.BooleanField(default=False)

    class Meta:
        ordering: ClassVar = ["substitute", "pk"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["season", "player"], name="one_team_a_season")
        ]

    def __str__(self) -> str:
        return f"{self.player} in {self.team}"


class SeasonChange(models.Model):
    """A change of a season; by: None if the account was deleted.

    `before` and `after` are its rule, or `words` say what else has changed.
    """

    season = models.ForeignKey(Season, on_delete=models.CASCADE, related_name="changes")
    by = models.ForeignKey(Player, on_delete=models.SET_NULL, null=True, related_name="+")
    at = models.DateTimeField(default=timezone.now)
    before = models.JSONField(default=dict, blank=True)
    after = models.JSONField(default=dict, blank=True)
    words = models.TextField(blank=True)

    class Meta:
        ordering: ClassVar = ["-at", "-pk"]

    def __str__(self) -> str:
        return f"Change of {self.season}"


class FeedKey(models.Model):
    """The secret token of a player's calendar feed, which needs no login."""

    player = models.OneToOneField(Player, on_delete=models.CASCADE, related_name="feed_key")
    token = models.CharField(max_length=32, default=new_token, unique=True)

    def __str__(self) -> str:
        return f"Calendar of {self.player}"
