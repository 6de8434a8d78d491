"""Calendars of clubs and players, read back as a calendar program reads them."""

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from icalendar import Calendar
from icalendar import Event as Entered

from games.models import Player
from tests.factories import logged_in, member
from tests.tournaments.build import NOON, club, event, joined
from tournaments.calendar import feeds
from tournaments.models import Club, Entry, EntryPlayer, Event, FeedKey, Notice

pytestmark = [pytest.mark.django_db, pytest.mark.db]
SITE = "https://euchre.example.org"


@pytest.fixture(autouse=True)
def _site(settings: Any) -> None:
    settings.SITE_URL = SITE


def read(feed: bytes) -> list[Entered]:
    """The events of a calendar, which has to be a valid one."""
    parsed = Calendar.from_ical(feed)
    assert isinstance(parsed, Calendar)
    assert parsed["VERSION"] == "2.0"
    assert parsed["PRODID"]
    assert parsed.errors == []
    assert all(len(line) <= 75 for line in feed.split(b"\r\n"))
    for entered in parsed.events:
        assert entered.errors == []
        assert {"UID", "DTSTAMP", "DTSTART", "DTEND"} <= entered.keys()
        assert entered.end > entered.start
    return parsed.events


def of_club(at: Club) -> list[Entered]:
    return read(feeds.club_calendar(at, NOON))


def entered(player: Player, into: Event, state: str = Entry.State.ENTERED) -> Entry:
    """An entry of a player."""
    entry = Entry.objects.create(event=into, state=state)
    EntryPlayer.objects.create(event=into, entry=entry, player=player)
    return entry


def test_an_event_says_what_it_is_when_and_where() -> None:
    about = "Tea, cake; and\nmore: " + "naïve café " * 20
    made = event(version=7, about=about, name="Thursday, euchre")
    (found,) = of_club(made.club)
    assert found["UID"] == f"event-{made.pk}@euchre.example.org"
    assert found["SUMMARY"] == "Thursday, euchre, The Old Mill"
    assert found["SEQUENCE"] == 7
    assert found["STATUS"] == "CONFIRMED"
    assert found["URL"] == f"{SITE}/events/{made.pk}/"
    description = str(found["DESCRIPTION"])
    assert about in description
    assert "Perfect rotation" in description
    assert found.start == NOON
    feed = feeds.club_calendar(made.club, NOON)
    assert b"\r\nDTSTART:20260307T120000Z\r\nDTEND:20260307T143000Z\r\n" in feed
    assert b"\r\nREFRESH-INTERVAL;VALUE=DURATION:PT1H\r\n" in feed


def test_the_place_of_an_event_is_its_location_and_the_page_its_url() -> None:
    made = event(place="room", venue="The Old Mill", address="12 Mill Lane; Ashford")
    (found,) = of_club(made.club)
    assert found["LOCATION"] == "The Old Mill, 12 Mill Lane; Ashford"
    assert found["URL"] == f"{SITE}/events/{made.pk}/"
    assert f"{SITE}/events/{made.pk}/" in str(found["DESCRIPTION"])


def test_an_event_online_has_no_location() -> None:
    (found,) = of_club(event().club)
    assert "LOCATION" not in found


def test_no_control_character_reaches_a_calendar() -> None:
    made = event(about="Tea\x07 and\x0b cake\x1b[31m\x85.\r\nMore\ttea.")
    feed = feeds.club_calendar(made.club, NOON)
    assert not {chr(byte) for byte in feed if byte < 32} - {"\r", "\n", "\t"}
    (found,) = of_club(made.club)
    assert "Tea and\n cake[31m\n.\nMore\ttea." in str(found["DESCRIPTION"])


def test_event_keeps_its_uid_through_every_change() -> None:
    made = event()
    (before,) = of_club(made.club)
    Event.objects.filter(pk=made.pk).update(
        name="Friday", starts=NOON + timedelta(days=1), version=9, state=Event.State.CANCELLED
    )
    (after,) = of_club(made.club)
    assert after["UID"] == before["UID"]
    assert (before["SEQUENCE"], after["SEQUENCE"]) == (0, 9)
    assert after["STATUS"] == "CANCELLED"


@pytest.mark.parametrize(
    ("fields", "minutes"),
    [
        ({"rounds": 6, "round_minutes": 20, "break_seconds": 60}, 126),
        ({"rounds": 6}, 150),
        ({"round_minutes": 20}, 150),
        ({"started": NOON + timedelta(minutes=5)}, 155),
        ({"ended": NOON + timedelta(minutes=80)}, 80),
        ({"ended": NOON - timedelta(minutes=80), "state": "cancelled"}, 150),
    ],
)
def test_end_is_actual_or_estimated(fields: dict[str, Any], minutes: int) -> None:
    assert feeds.ends(event(**fields)) == NOON + timedelta(minutes=minutes)


def test_drafts_and_long_finished_events_are_left_out() -> None:
    at = club()
    event(at, state=Event.State.DRAFT)
    long_ago = NOON - timedelta(days=400)
    event(at, starts=long_ago, registration_opens=long_ago, registration_closes=long_ago)
    assert of_club(at) == []


def test_last_modified_is_the_time_of_the_last_notice() -> None:
    made = event(created=NOON - timedelta(days=3))
    Notice.objects.create(event=made, text="Moved.", at=NOON - timedelta(days=1))
    Notice.objects.create(event=made, text="Moved.", at=NOON - timedelta(days=2))
    (found,) = of_club(made.club)
    assert found.stamp == found.last_modified == NOON - timedelta(days=1)


def test_player_calendar_has_only_entered_events() -> None:
    maeve, at = member(), club()
    states = Entry.State
    event(at, name="Not entered")
    entered(maeve, event(at, name="In"))
    entered(maeve, event(at, name="Waiting"), states.WAITING)
    entered(maeve, event(at, name="Draft", state=Event.State.DRAFT))
    gone = entered(maeve, event(at, name="Withdrawn"), states.WITHDRAWN)
    gone.players.update(active=False)
    found = read(feeds.player_calendar(maeve, NOON))
    assert {one["SUMMARY"]: one["STATUS"] for one in found} == {
        "In, The Old Mill": "CONFIRMED",
        "Waiting, The Old Mill": "TENTATIVE",
    }


def fetched(path: str, client: Client | None = None, **headers: str) -> Any:
    return (client or Client()).get(path, headers=headers)


def test_open_club_calendar_is_public() -> None:
    made = event()
    response = fetched("/clubs/the-old-mill/calendar.ics")
    assert response.status_code == 200
    assert response["Content-Type"] == "text/calendar; charset=utf-8"
    assert response["Cache-Control"] == "max-age=300, public"
    assert [one["URL"] for one in read(response.content)] == [f"{SITE}/events/{made.pk}/"]


def test_closed_club_calendar_needs_membership_or_key() -> None:
    at = club(joining=Club.Joining.INVITATION)
    event(at)
    maeve = member()
    joined(at, maeve)
    path = "/clubs/the-old-mill/calendar.ics"
    assert fetched(path).status_code == 404
    assert fetched(f"{path}?key=").status_code == 404
    assert fetched(f"{path}?key=wrong").status_code == 404
    assert fetched(f"{path}?key=ключ").status_code == 404
    assert fetched(path, logged_in(member("Ben"))).status_code == 404
    assert len(read(fetched(path, logged_in(maeve)).content)) == 1
    opened = fetched(f"{path}?key={at.invite_token}")
    assert len(read(opened.content)) == 1
    assert opened["Cache-Control"] == "max-age=300, private"
    other = club("Lakeside", joining=Club.Joining.INVITATION)
    assert fetched(f"{path}?key={other.invite_token}").status_code == 404


def test_unchanged_calendar_is_304() -> None:
    made = event()
    path = "/clubs/the-old-mill/calendar.ics"
    etag = fetched(path)["ETag"]
    same = fetched(path, **{"If-None-Match": etag})
    assert (same.status_code, same.content) == (304, b"")
    assert same["Cache-Control"] == "max-age=300, public"
    Event.objects.filter(pk=made.pk).update(version=1)
    assert fetched(path, **{"If-None-Match": etag}).status_code == 200


def test_player_creates_a_calendar_and_renews_its_address() -> None:
    maeve = member()
    entered(maeve, event())
    browser = logged_in(maeve)
    assert browser.post("/you/events/calendar").status_code == 303
    first = FeedKey.objects.get().token
    response = fetched(f"/calendar/{first}.ics")
    assert len(read(response.content)) == 1
    assert response["Cache-Control"] == "max-age=300, private"
    page = browser.get("/you/events/").content.decode()
    assert f'value="http://testserver/calendar/{first}.ics"' in page
    browser.post("/you/events/calendar")
    assert fetched(f"/calendar/{first}.ics").status_code == 404
    assert fetched(f"/calendar/{first}%00.ics").status_code == 404
    assert fetched(f"/calendar/{FeedKey.objects.get().token}.ics").status_code == 200


def test_calendar_needs_an_account() -> None:
    guest = Player.objects.create(name="Otto")
    assert logged_in(guest).post("/you/events/calendar").status_code == 303
    assert Client().post("/you/events/calendar").status_code == 303
    assert not FeedKey.objects.exists()
