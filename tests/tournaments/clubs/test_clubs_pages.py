"""What a club's page and the panel of one's clubs show, to whom, and for how many queries."""

from datetime import UTC, datetime, timedelta

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from tests.factories import logged_in, member, player
from tests.tournaments.build import club, director, enter, event, joined
from tournaments.models import Club, Entry, EntryPlayer, Event, Membership

pytestmark = pytest.mark.django_db
MILL = "/clubs/the-old-mill/"


def coming(at: Club, name: str, days: int, state: str = Event.State.REGISTRATION) -> Event:
    """An event that starts so many days from now."""
    starts = timezone.now() + timedelta(days=days)
    return event(
        at,
        name=name,
        state=state,
        starts=starts,
        registration_opens=starts - timedelta(days=30),
        registration_closes=starts,
    )


def page(browser: Client | None = None, path: str = MILL) -> str:
    return (browser or Client()).get(path).content.decode()


def test_next_event_comes_first_with_a_register_link() -> None:
    mill = club()
    coming(mill, "Sunday rotation", 9, Event.State.ANNOUNCED)
    thursday = coming(mill, "Thursday euchre", 3)
    enter(thursday, 5)
    shown = page()
    assert shown.index("Thursday euchre") < shown.index("Sunday rotation")
    assert f'<a class="button" href="/events/{thursday.pk}/">Register' in shown
    assert "5 of 256 places taken" in shown


@pytest.mark.parametrize(
    ("state", "words"),
    [
        (Event.State.RUNNING, "Watch"),
        (Event.State.CHECK_IN, "See the event"),  # registration has closed
        (Event.State.READY, "See the event"),
    ],
)
def test_event_page_explains_its_purpose(state: str, words: str) -> None:
    made = coming(club(), "Thursday euchre", 0, state)
    assert f'href="/events/{made.pk}/">{words}' in page()


def test_times_are_in_the_clubs_zone_across_summer_time() -> None:
    mill = club(time_zone="America/Chicago")
    for starts in (datetime(2026, 3, 8, 1, tzinfo=UTC), datetime(2026, 3, 9, 1, tzinfo=UTC)):
        event(mill, starts=starts, registration_opens=starts, registration_closes=starts)
    shown = page()
    zone, twelve = 'data-zone="America/Chicago"', "data-twelve"
    stamp = "2026-03-07T19:00-06:00"
    assert f'<time datetime="{stamp}" {zone} data-form="time" {twelve}>7:00 pm</time>' in shown
    stamp = "2026-03-08T20:00-05:00"
    day = f'<time datetime="{stamp}" {zone} data-form="long" {twelve}>Sunday 8 March, 8:00 pm'
    assert f'{day}</time><span class="zone"> Chicago time</span>' in shown


def test_drafts_are_shown_to_directors_only() -> None:
    mill = club()
    coming(mill, "Winter cup", 3, Event.State.DRAFT)
    ben = member("Ben")
    joined(mill, ben, Membership.Role.MODERATOR)
    assert "Winter cup" in page(logged_in(director(mill)))
    assert "Winter cup" not in page(logged_in(ben))
    assert "No event has been announced" in page()


def test_cancelled_events_are_not_listed_as_upcoming() -> None:
    coming(club(), "Winter cup", 3, Event.State.CANCELLED)
    assert "Winter cup" not in page()


def test_results_name_the_winners() -> None:
    mill = club()
    done = coming(mill, "Autumn cup", -7, Event.State.FINISHED)
    for place, names in ((1, ("Maeve", "Ben")), (2, ("Iris", "Jonah"))):
        entry = Entry.objects.create(event=done, state=Entry.State.CHECKED_IN, place=place)
        for position, name in enumerate(names):
            EntryPlayer.objects.create(
                event=done, entry=entry, player=player(name), position=position
            )
    shown = page()
    assert f'<a href="/events/{done.pk}/">Autumn cup</a>' in shown
    assert "<td> Maeve and Ben </td>" in " ".join(shown.split())
    assert "<td>Iris and Jonah</td>" not in shown


def test_user_text_is_escaped() -> None:
    mill = club(about="<script>go()</script>")
    Club.objects.filter(pk=mill.pk).update(name="<b>Mill</b>")
    shown = page()
    assert "&lt;b&gt;Mill&lt;/b&gt;" in shown
    assert "&lt;script&gt;go()" in shown
    assert "<script>go" not in shown


def test_join_requests_are_shown_to_those_who_answer_them() -> None:
    mill = club(joining=Club.Joining.APPROVAL)
    mill.requests.create(player=member("Ben"))
    otto = member("Otto")
    joined(mill, otto)
    ada = logged_in(director(mill))
    assert "1 person asks to join" in page(ada)
    assert f"{MILL}members/#requests" in page(ada, "/")
    assert "asks to join" not in page(logged_in(otto))
    assert "#requests" not in page(logged_in(otto), "/")


def test_an_empty_club_says_what_to_do_next() -> None:
    mill = club()
    shown = page(logged_in(director(mill)))
    assert "No event has been announced" in shown
    assert f'href="{MILL}announce/"' in shown
    assert f'href="{MILL}rules/"' in shown


def test_the_home_page_lists_the_visitors_clubs() -> None:
    mill, lake = club(joining=Club.Joining.INVITATION), club("Lakeside")
    club("Sunday Pairs")
    ben = member("Ben")
    for one in (mill, lake):
        joined(one, ben)
    coming(lake, "Later", 9)
    coming(lake, "Thursday euchre", 3)
    shown = page(logged_in(ben), "/")
    assert shown.index("Lakeside") < shown.index("The Old Mill")
    assert "Thursday euchre" in shown
    assert "Sunday Pairs" not in shown[shown.index("Your clubs") :]
    assert "Join a club and its next events appear here" in page(logged_in(member("Otto")), "/")


def queries(browser: Client, path: str) -> int:
    """How many queries a page takes."""
    browser.get(path)
    with CaptureQueriesContext(connection) as captured:
        assert browser.get(path).status_code == 200
    return len(captured)


@pytest.mark.parametrize("path", [MILL, f"{MILL}members/", f"{MILL}rules/", "/clubs/", "/"])
def test_the_number_of_queries_does_not_grow(path: str) -> None:
    mill = club()
    ada = director(mill)
    browser = logged_in(ada)

    def fill(number: int) -> None:
        other = club(f"Club {number}")
        joined(other, ada, Membership.Role.OWNER)
        joined(mill, member(f"Member{number}"))
        mill.requests.create(player=member(f"Asker{number}"))
        coming(other, f"There {number}", number)
        enter(coming(mill, f"Next {number}", number), 4)
        done = coming(mill, f"Past {number}", -number, Event.State.FINISHED)
        for place, entry in enumerate(enter(done, 4), start=1):
            Entry.objects.filter(pk=entry.pk).update(place=place)

    fill(1)
    few = queries(browser, path)
    for number in range(2, 5):
        fill(number)
    assert queries(browser, path) == few
