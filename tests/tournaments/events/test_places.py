"""The place of an event: its name and address, wherever the event is announced."""

from typing import Any

import pytest

from games.models import Player
from tests.factories import logged_in, member
from tests.tournaments import build
from tests.tournaments.setting_up.test_event_form import offered, posted
from tournaments.calendar.feeds import club_calendar
from tournaments.events.event_words import facts
from tournaments.models import Club, Event, Letter, Membership
from tournaments.setting_up import setting_up

pytestmark = pytest.mark.django_db

MILL = {"venue": "The Old Mill", "address": "12 Mill Lane, Ashford"}


@pytest.fixture
def club() -> Club:
    return build.club(**MILL)


def told(event: Event) -> list[str]:
    """The texts of the letters about an event, without those about others."""
    return [letter.text for letter in Letter.objects.order_by("pk")]


def test_a_new_event_in_the_room_is_at_the_usual_place_of_its_club(club: Club, ada: Player) -> None:
    assert posted(logged_in(ada), club, place="room").status_code == 303
    event = Event.objects.get()
    assert (event.venue, event.address) == ("The Old Mill", "12 Mill Lane, Ashford")


def test_an_event_online_has_no_place(club: Club, ada: Player) -> None:
    assert posted(logged_in(ada), club, place="online").status_code == 303
    event = Event.objects.get()
    assert (event.venue, event.address, event.where) == ("", "", "")


def test_its_page_has_the_name_and_the_address(club: Club, ada: Player) -> None:
    event = build.event(club, place="room", **MILL)
    page = logged_in(ada).get(f"/events/{event.pk}/").content.decode()
    assert "at The Old Mill" in page
    assert "12 Mill Lane, Ashford" in page
    said = logged_in(ada).get("/api/events/" + str(event.pk)).json()
    assert (said["venue"], said["address"]) == ("The Old Mill", "12 Mill Lane, Ashford")


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"place": "room"}, "in the room"),
        ({"place": "room", "venue": "The Anchor"}, "at The Anchor"),
        ({"place": "mixed", "room_from": 2, "venue": "The Anchor"}, "some tables at The Anchor"),
        ({"place": "mixed", "room_from": 2}, "some tables in the room"),
    ],
)
def test_lists_say_where_it_is(fields: dict[str, Any], words: str) -> None:
    assert words in facts(build.event(**fields), 8)


def test_a_moved_place_is_told_by_letter_and_in_calendars(club: Club, ada: Player) -> None:
    assert posted(logged_in(ada), club, place="room").status_code == 303
    event = Event.objects.get()
    build.let_in(event, build.members(club, "Maeve", "Ben"))
    data = {**offered(club, event), "venue": "The Anchor", "address": "1 Quay"}
    assert logged_in(ada).post(f"/events/{event.pk}/edit/", data).status_code == 303
    assert told(event)
    assert all("Where: The Anchor, 1 Quay" in text for text in told(event))
    assert "name of the place" in told(event)[0]
    assert b"LOCATION:The Anchor\\, 1 Quay" in club_calendar(club, event.created)


def test_the_owner_says_where_the_club_usually_plays() -> None:
    club, founder = build.club(), member("Founder")
    build.joined(club, founder, Membership.Role.OWNER)
    data = {"name": club.name, "joining": "open", "time_zone": "Europe/Dublin", **MILL}
    browser, path = logged_in(founder), f"/clubs/{club.slug}/settings/"
    assert browser.post(path, data).status_code == 303
    club.refresh_from_db()
    assert (club.venue, club.address) == ("The Old Mill", "12 Mill Lane, Ashford")
    assert "12 Mill Lane, Ashford" in browser.get(path).text


def test_a_copy_is_at_the_same_place(club: Club) -> None:
    event = build.event(club, place="room", venue="The Anchor", address="1 Quay")
    assert setting_up.copy_to_next_date(event, event.starts).where == "The Anchor, 1 Quay"
