"""The hall's poster: what whoever scans it is shown, and that looking changes nothing."""

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from games.models import Player
from tests.factories import logged_in, member
from tests.tournaments import build
from tests.tournaments.build import MINUTE
from tournaments.models import Club, Entry, Event

pytestmark = pytest.mark.django_db


def opened(club: Club, minutes: int = 30) -> Event:
    """An event that starts in ten minutes, with check-in in so many minutes before."""
    starts = timezone.now() + 10 * MINUTE
    return build.event(
        club, starts=starts, check_in_minutes=minutes, registration_closes=starts,
        registration_opens=starts - 60 * MINUTE,
    )  # fmt: skip


def entered(event: Event) -> Player:
    maeve = member("Maeve")
    build.let_in(event, [maeve])
    return maeve


def page(browser: Client, event: Event) -> str:
    return browser.get(f"/join/{event.join_code}/here/").text


def test_whoever_has_entered_presses_once(club: Club) -> None:
    event = opened(club)
    browser = logged_in(entered(event))
    shown = page(browser, event)
    assert "I am here" in shown
    assert event.entries.get().state == Entry.State.ENTERED, "looking changes nothing"
    path = reverse("check_in", args=[event.pk])
    assert path in shown
    assert browser.post(path).status_code == 303
    assert event.entries.get().state == Entry.State.CHECKED_IN
    assert "You are checked in" in page(browser, event)


def test_others_are_told_what_to_do(club: Club) -> None:
    event = opened(club)
    stranger = page(Client(), event)
    assert "Log in, then you come back here" in stranger
    assert f"/join/{event.join_code}/here/" in stranger
    assert "You have not entered this event" in page(logged_in(member("Nils")), event)


def test_before_check_in_and_after_the_start(club: Club) -> None:
    event = opened(club, minutes=5)
    browser = logged_in(entered(event))
    assert "Check-in opens" in page(browser, event)
    Event.objects.update(state=Event.State.RUNNING, started=timezone.now())
    assert "Check-in is over" in page(browser, event)


def test_the_code_of_a_closed_club_leads_nowhere(club: Club) -> None:
    Club.objects.update(joining=Club.Joining.INVITATION)
    event = opened(club)
    assert Client().get(f"/join/{event.join_code}/here/").status_code == 404


def test_the_poster(club: Club) -> None:
    browser = logged_in(build.director(club))
    event = opened(club)
    index = browser.get(reverse("print_event", args=[event.pk])).text
    path = reverse("print_check_in", args=[event.pk])
    assert path in index
    assert f"/join/{event.join_code}/here/" in browser.get(path).text
    plain = build.event(club, check_in_minutes=0)
    assert browser.get(reverse("print_check_in", args=[plain.pk])).status_code == 409
