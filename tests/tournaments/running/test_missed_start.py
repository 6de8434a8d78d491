"""An event that missed its start while the site was off does not begin by itself days later."""

from datetime import datetime, timedelta
from typing import Any

import pytest

from games.models import Player
from tests.factories import logged_in, member
from tests.tournaments import build
from tests.tournaments.build import MINUTE, NOON
from tests.tournaments.entering.test_entering import letters_to
from tournaments.acts import starting_and_ending
from tournaments.models import Club, Event, Letter
from tournaments.running import clock
from tournaments.setting_up import setting_up

pytestmark = pytest.mark.django_db

State = Event.State
LATEST = NOON + timedelta(hours=2, minutes=15)
LATER = NOON + timedelta(days=3)
MISSED = "Thursday euchre has missed its start"


@pytest.fixture
def event(club: Club) -> Event:
    """An event with a check-in of 15 minutes that starts at noon, and its six entries."""
    return planned(club)


def planned(club: Club, **fields: Any) -> Event:
    made = build.event(club, **{"rounds": 3, "check_in_minutes": 15, "due": NOON, **fields})
    build.enter(made, 6)
    return made


def tick(event: Event, now: datetime) -> None:
    clock.tick(now)
    event.refresh_from_db()


def wanted(event: Event, **fields: Any) -> Event:
    other = Event.objects.get(pk=event.pk)
    for name, value in fields.items():
        setattr(other, name, value)
    return other


def test_event_late_by_less_than_two_hours_begins(event: Event) -> None:
    tick(event, LATEST)
    assert event.state == State.RUNNING


def test_event_late_by_more_than_two_hours_asks_its_directors_once(
    event: Event, ada: Player
) -> None:
    maeve = member("Maeve")
    build.joined(event.club, maeve)
    for minutes in (1, 2):
        tick(event, LATEST + minutes * MINUTE)
    assert (event.state, event.due, event.started) == (State.REGISTRATION, None, None)
    assert event.notices.filter(text__startswith="Missed its start.", public=True).count() == 1
    assert (letters_to(ada), letters_to(maeve)) == ([MISSED], [])
    text = Letter.objects.get(user=ada.user).text
    assert "Saturday 7 March, 12:00" in text
    assert f"/events/{event.pk}/manage/" in text


def test_pages_state_the_missed_start(event: Event, ada: Player) -> None:
    tick(event, LATER)
    browser = logged_in(ada)
    page = browser.get(f"/events/{event.pk}/").content.decode()
    assert "This event missed its start." in page
    assert "Missed its start</span>" in " ".join(page.split()).replace(" </span>", "</span>")
    assert "Registration open" not in page
    assert "Starts in" not in page
    desk = browser.get(f"/events/{event.pk}/manage/").content.decode()
    assert "the site was down" in desk
    assert f'href="/events/{event.pk}/edit/">Move it' in desk
    assert "It starts automatically" not in desk


def test_director_can_start_a_missed_event(event: Event, ada: Player) -> None:
    tick(event, LATER)
    starting_and_ending.start_now(event, ada, LATER)
    tick(event, LATER)
    assert event.state == State.RUNNING
    assert build.latest(event).number == 1


def test_director_can_move_a_missed_event(event: Event, ada: Player) -> None:
    tick(event, LATER)
    start = LATER + timedelta(days=1)
    moved = wanted(event, starts=start, registration_closes=start)
    setting_up.change(event, moved, ada, LATER)
    event.refresh_from_db()
    assert (event.state, event.due) == (State.REGISTRATION, start - 60 * MINUTE)
    tick(event, start - 15 * MINUTE)
    assert event.state == State.CHECK_IN


def test_director_can_cancel_a_missed_event(event: Event, ada: Player) -> None:
    tick(event, LATER)
    starting_and_ending.cancel(event, ada, "Too late.", LATER)
    event.refresh_from_db()
    assert event.state == State.CANCELLED


def test_editing_texts_of_a_missed_event_sends_no_check_in_calls(event: Event, ada: Player) -> None:
    tick(event, LATER)
    setting_up.change(event, wanted(event, about="Bring tea."), ada, LATER)
    tick(event, LATER + MINUTE)
    assert event.state == State.REGISTRATION
    assert event.notices.filter(text__startswith="Missed").count() == 1


def test_the_next_event_of_a_series_is_made(club: Club) -> None:
    event = planned(club, recurrence="weekly")
    tick(event, LATER)
    assert event.repeats.get().starts == NOON + timedelta(days=7)
