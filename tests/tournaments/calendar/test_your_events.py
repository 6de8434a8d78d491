"""A player's own page of events."""

from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from games.models import Player
from tests.factories import logged_in, member, player
from tests.tournaments.build import NOON, club, event, joined
from tests.tournaments.statistics.test_player_page import entered
from tournaments.calendar.your_events import your_events
from tournaments.models import Entry, Event
from tournaments.standings.winners import ordinal

pytestmark = pytest.mark.django_db
State, Stand = Event.State, Entry.State


def shown(who: Player) -> str:
    return logged_in(who).get("/you/events/").content.decode()


def names(entries: Any) -> list[str]:
    return [entry.event.name for entry in entries]


@pytest.mark.parametrize("who", [None, "guest"])
def test_visitor_is_asked_to_sign_up(who: str | None) -> None:
    browser = logged_in(player()) if who else Client()
    page = browser.get("/you/events/").content.decode()
    assert "/accounts/signup/?next=/you/events/" in page
    assert "/accounts/login/?next=/you/events/" in page


def test_entries_are_listed_by_section() -> None:
    at, maeve, ben = club(), member(), member("Ben")
    later = {"starts": NOON + timedelta(days=7)}
    entered(event(at, name="Later", **later), maeve)
    entered(event(at, name="Sooner"), maeve, state=Stand.CHECKED_IN)
    entered(event(at, name="Full"), maeve, state=Stand.WAITING, arrival=3)
    entered(event(at, name="Alone"), maeve, state=Stand.SEEKING)
    entered(event(at, name="Asked"), maeve, state=Stand.INVITING, invited=ben)
    entered(event(at, name="Last year", state=State.FINISHED), maeve, place=1)
    entered(event(at, name="Last week", state=State.CANCELLED, **later), maeve)
    entered(event(at, name="Draft", state=State.DRAFT), maeve)
    entered(event(at, name="Somebody else's"), ben)
    yours = your_events(maeve)
    assert names(yours["next"]) == ["Sooner", "Later"]
    assert sorted(names(yours["unsure"])) == ["Alone", "Asked", "Full"]
    assert [line.entry.event.name for line in yours["past"]] == ["Last week", "Last year"]
    assert [line.ending for line in yours["past"]] == ["Cancelled", "1st of 1"]
    assert yours["invitations"] == ()
    assert names(your_events(ben)["invitations"]) == ["Asked"]
    assert [entry.partner for entry in your_events(ben)["invitations"]] == ["Maeve"]


def test_page_states_the_status_of_each_entry() -> None:
    at, maeve, ben = club(), member(), member("Ben")
    full = event(at, name="Full")
    for arrival, who in enumerate((ben, member("Iris"), maeve), start=4):
        entered(full, who, state=Stand.WAITING, arrival=arrival)
    entered(event(at, name="Pairs"), maeve, ben)
    soon = timezone.now() + timedelta(minutes=10)
    now = event(
        at, name="Now", state=State.CHECK_IN, starts=soon, registration_closes=soon,
        check_in_minutes=15,
    )  # fmt: skip
    entered(now, maeve)
    page = shown(maeve)
    assert "Waiting list, 3rd" in page
    assert "with Ben" in page
    assert 'Check in<span class="unseen"> to Now</span>' in page
    assert "Maeve asks you" not in page


def test_an_invitation_leads_to_the_event_where_it_is_answered() -> None:
    maeve, ben = member(), member("Ben")
    made = event(name="Pairs")
    entered(made, maeve, state=Stand.INVITING, invited=ben)
    page = shown(ben)
    assert "Maeve asks you" in page
    assert f'href="/events/{made.pk}/"' in page
    Event.objects.update(state=State.CANCELLED)
    assert "asks you" not in shown(ben)


def test_withdrawn_and_absent_entries_are_labelled() -> None:
    at, maeve = club(), member()
    entered(event(at, state=State.FINISHED), maeve, state=Stand.NO_SHOW)
    assert [line.ending for line in your_events(maeve)["past"]] == ["Did not come"]


def test_each_club_has_a_switch_for_its_news() -> None:
    maeve = member()
    joined(club(), maeve)
    quiet = joined(club("Lakeside"), maeve)
    quiet.news = False
    quiet.save()
    page = shown(maeve)
    assert 'action="/clubs/the-old-mill/news"' in page
    assert "Stop<span" in page
    assert "Send me<span" in page


def test_empty_lists_say_what_to_do_next() -> None:
    page = shown(member())
    for words in ("Find an event", "Find a club", "Make my calendar"):
        assert words in page


def test_the_number_of_queries_does_not_grow() -> None:
    maeve = member()
    browser = logged_in(maeve)
    counts = []
    for number in range(8):
        at = club(f"Club {number}")
        joined(at, maeve)
        entered(event(at, state=State.FINISHED), maeve, member(f"Partner {number}"), place=1)
        entered(event(at), maeve)
        with CaptureQueriesContext(connection) as queries:
            browser.get("/you/events/")
        counts.append(len(queries))
    assert counts[1:] == [counts[0]] * 7


def test_account_page_links_here() -> None:
    assert 'href="/you/events/"' in logged_in(member()).get("/you/").content.decode()


@pytest.mark.parametrize(
    ("number", "words"),
    [(1, "1st"), (2, "2nd"), (3, "3rd"), (4, "4th"), (11, "11th"), (12, "12th"), (13, "13th"),
     (21, "21st"), (102, "102nd"), (111, "111th")],
)  # fmt: skip
def test_places_in_words(number: int, words: str) -> None:
    assert ordinal(number) == words
