"""The demonstration club: a weekly event, months of results, and play to watch at any time.

Its members are not people: the house has played their games, and their pages say so.
"""

import secrets
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

from django.conf import settings
from django.db import transaction
from django.urls import reverse
from django.utils.formats import date_format

from games.engine.rules import CLASSIC_24, JOKER_33, STICK_THE_DEALER, rules_to_data
from games.models import Player, User
from games.records import performances
from games.seats import house_tables
from tournaments.acts import house_players
from tournaments.clubs import clubs
from tournaments.demonstration import house_events
from tournaments.models import Club, Event, Membership
from tournaments.ratings import rating_games
from tournaments.running import before_start
from tournaments.times import days_later

NAME = "Demonstration club"
ABOUT = (
    "A club to look around in. Its members are made up: the house has played all their games for "
    "them. Enter its next event, or watch its house table: a game is always being played there."
)
EMAIL = "director@demonstration.example"
#: Birds, since the house players are plants.
MEMBERS = (
    "Robin", "Wren", "Jay", "Lark", "Kestrel", "Finch", "Heron", "Swift", "Teal", "Starling",
    "Dove", "Linnet", "Crane", "Plover",
)  # fmt: skip
DAY = timedelta(days=1)
THURSDAY = 3
EVENING = (19, 30)

#: Matches of duplicate events.
OF_HANDS: dict[str, Any] = {"match": Event.Match.DEALS, "deals": 4}
#: Past evenings: how many members came, alone or in pairs, and what was played.
PAST: tuple[dict[str, Any], ...] = (
    {"members": 12, "rules": CLASSIC_24, "format": "rotation", "rounds": 6},
    {"members": 12, "rules": CLASSIC_24, "format": "progressive", "rounds": 5},
    {"members": 12, "rules": CLASSIC_24, "format": "swiss", "rounds": 4},
    {"members": 13, "rules": CLASSIC_24, "format": "rotation", "rounds": 6},
    {"members": 12, "rules": JOKER_33, "format": "single_elimination", "third_place": True},
    {"members": 12, "rules": CLASSIC_24, "format": "duplicate", "rounds": 5} | OF_HANDS,
    {"members": 12, "rules": CLASSIC_24, "format": "round_robin"},
    {"members": 12, "rules": CLASSIC_24, "format": "duplicate_pairs"} | OF_HANDS,
    {"members": 14, "rules": CLASSIC_24, "format": "progressive", "rounds": 6},
    {"members": 8, "rules": STICK_THE_DEALER, "format": "double_elimination"},
    {"members": 12, "rules": CLASSIC_24, "format": "rotation", "rounds": 6},
    {"members": 13, "rules": CLASSIC_24, "format": "progressive", "rounds": 5},
)


class Demo(NamedTuple):
    """What was created, with the director's login."""

    club: Club
    email: str
    password: str
    running: Event
    live: int


#: Progress of `make`: the step, the number of steps, and what is being created.
Tell = Callable[[int, int, str], object]


@transaction.atomic
def make(now: datetime, tell: Tell = lambda *_: None) -> Demo | None:
    """Create the demonstration club with ratings and statistics; None if it exists.

    It is one transaction: if it is interrupted nothing is left, and it can be repeated. The past
    events end before `now`. `tell` is called before each step.
    """
    if Club.objects.filter(name__iexact=NAME).exists():
        return None
    steps = len(PAST) + 2
    password = secrets.token_urlsafe(9)
    user = User.objects.create_user(EMAIL, password)
    director = Player.objects.create(name="Demo director", user=user)
    club = clubs.create(director, name=NAME, about=ABOUT, time_zone=settings.TIME_ZONE)
    club.recognised = True  # so that its members are ranked, as they play nowhere else
    club.save(update_fields=["recognised"])
    members = [Player.objects.create(name=name, demonstration=True) for name in MEMBERS]
    Membership.objects.bulk_create(Membership(club=club, player=player) for player in members)
    latest, coming = evenings(now, club.zone)
    for number, each in enumerate(PAST):
        # Members who were absent last time come this time.
        present = [*members[number * 4 % len(members) :], *members][: each["members"]]
        starts = days_later(latest, 7 * (number + 1 - len(PAST)), club.zone)
        fields = {key: value for key, value in each.items() if key != "members"}
        state = Event.State.READY
        event = _event(club, director, starts, capacity=16, minimum=2, state=state, **fields)
        day = date_format(starts.astimezone(club.zone), "j F")
        tell(number + 1, steps, f"{day}: {event.get_format_display()}, {len(present)} members")
        house_events.simulate(event, present)
    tell(steps - 1, steps, "Ratings and statistics")
    while performances.record_ended():
        pass
    rating_games.catch_up()
    tell(steps, steps, "The next event, and play to watch")
    upcoming = _event(
        club,
        director,
        coming,
        rules=CLASSIC_24,
        format="rotation",
        rounds=4,
        capacity=16,
        members_only=False,
        rated=False,
        sit_out=Event.SitOut.HOUSE,
        round_minutes=25,
        turn_seconds=45,
        no_show=Event.NoShow.STAND_IN,
        recurrence=Event.Recurrence.WEEKLY,
        state=Event.State.REGISTRATION,
        about="Come alone: everybody changes partners every round. House players fill the tables.",
    )
    house_players.add_house_entries(upcoming, director, 3, now)
    before_start.set_due(upcoming, now)
    running = house_events.start_house_event(club, director, now)
    live = house_tables.open_house_table(
        director,
        STICK_THE_DEALER,
        title=f"House table of the {NAME}",
        back=reverse("club", args=[club.slug]),
    )
    return Demo(club, EMAIL, password, running, live.pk)


def evenings(now: datetime, zone: ZoneInfo) -> tuple[datetime, datetime]:
    """Return the club's latest Thursday evening that is over, and the next from tomorrow on."""
    local = (now + DAY).astimezone(zone)
    hour, minute = EVENING
    local += timedelta(days=(THURSDAY - local.weekday()) % 7)
    coming = local.replace(hour=hour, minute=minute, second=0, microsecond=0)
    latest = days_later(coming, -7, zone)
    return (latest if latest < now - DAY else days_later(coming, -14, zone)), coming


def _event(club: Club, director: Player, starts: datetime, **fields: Any) -> Event:
    rules = fields.pop("rules")
    return Event.objects.create(
        club=club,
        name="Thursday euchre",
        rules_data=rules_to_data(rules),
        created_by=director,
        created=starts - timedelta(days=6),
        registration_opens=starts - timedelta(days=6),
        registration_closes=starts,
        starts=starts,
        **fields,
    )
