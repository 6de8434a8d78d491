"""One zone and one clock on all that is read on an event's night: the club's."""

import re
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from tests.factories import logged_in
from tests.tournaments import build
from tests.tournaments.build import NOON
from tournaments.acts import round_clock
from tournaments.models import Event
from tournaments.times import clock_time

pytestmark = pytest.mark.django_db

#: A time of day, not the length of a round ("of 25:00").
TIME = re.compile(r"(?<!of )\b\d{1,2}:\d\d\b(?: [ap]m)?")


@pytest.mark.parametrize(
    ("zone", "words"),
    [
        ("America/Detroit", ["12:05 am", "11:59 am", "12:00 pm", "7:30 pm"]),
        ("Australia/Sydney", ["12:05 am", "11:59 am", "12:00 pm", "7:30 pm"]),
        ("Europe/Dublin", ["00:05", "11:59", "12:00", "19:30"]),
        ("UTC", ["00:05", "11:59", "12:00", "19:30"]),
    ],
)
def test_a_zone_has_the_clock_of_its_people(zone: str, words: list[str]) -> None:
    times = [(0, 5), (11, 59), (12, 0), (19, 30)]
    moments = [datetime(2026, 11, 26, *at, tzinfo=ZoneInfo(zone)) for at in times]
    assert [clock_time(moment.astimezone(UTC), ZoneInfo(zone)) for moment in moments] == words


def test_pages_console_and_sheets_say_the_same_times() -> None:
    club = build.club(time_zone="America/Detroit")
    ada = build.director(club)
    event = build.event(
        club, place=Event.Place.MIXED, round_minutes=20, match="deals", deals=4, rounds=2
    )
    build.enter(event, 8)
    build.begin(event, NOON)
    round_clock.extend_round(event, ada, 5, NOON + timedelta(minutes=1))
    table = event.room_tables.order_by("number").first()
    assert table is not None
    paths = [
        *(f"/events/{event.pk}/{page}" for page in ("", "manage/", "acts/", "projector/")),
        *(f"/events/{event.pk}/print/{sheet}" for sheet in ("table-cards/", "rounds/1/pairings/")),
        f"/t/{table.code}/",
    ]
    for path in paths:
        response = logged_in(ada).get(path)
        assert response.status_code == 200, path
        text = re.sub(r"<title>.*?</title>|<time[^>]*timer[^>]*>[^<]*</time>", "", response.text)
        words = re.sub(r"\s+", " ", re.sub(r"<[^>]*>", " ", text))
        found = TIME.findall(words)
        assert found or path.endswith(("acts/", "projector/", "table-cards/")), path
        assert all(one.endswith(("am", "pm")) for one in found), (path, found)
