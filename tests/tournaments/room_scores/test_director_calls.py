"""Calling the director from the page of a table in the room."""

from __future__ import annotations

import pytest
from django.test import Client
from django.urls import reverse

from games.models import Player
from games.people import limits
from tests.factories import logged_in
from tests.tournaments.build import NOON, ruled
from tests.tournaments.room_scores.cards_of import drawn, match_of, player_at, table_of
from tournaments.acts import correcting, starting_and_ending
from tournaments.events import director_calls
from tournaments.models import Club, Event
from tournaments.room_scores import card_page

pytestmark = pytest.mark.django_db


def call(browser: Client, event: Event, word: str = "director", number: int = 1) -> int:
    path = reverse("call_to_room_table", args=[table_of(event, number).code])
    return browser.post(path, {"call": word}).status_code


def page(browser: Client, event: Event) -> str:
    return browser.get(reverse("room_table", args=[table_of(event).code])).text


def test_a_phone_without_an_account_calls_and_sees_that_somebody_comes(
    club: Club, ada: Player
) -> None:
    event, phone = drawn(club), Client()
    assert "Call the director" in page(phone, event)
    before = card_page.version_of(event, match_of(event), NOON)
    assert call(phone, event) == 303
    assert card_page.version_of(event, match_of(event), NOON) != before, "other phones look again"
    assert "The director is coming" in page(Client(), event)
    manage = reverse("manage_event", args=[event.pk])
    assert "Table 1 calls for a director" in logged_in(ada).get(manage).text
    director_calls.answer(match_of(event), ada)
    assert "Call the director" in page(phone, event)


def test_the_table_takes_its_call_back(club: Club) -> None:
    event, phone = drawn(club), Client()
    call(phone, event)
    assert call(phone, event, "back") == 303
    assert match_of(event).director_called is None


def test_a_match_that_is_over_can_still_call(club: Club, ada: Player) -> None:
    event = drawn(club, 8)
    correcting.set_result(match_of(event), ada, ruled(0, (2, 0)), reason="", now=NOON)
    assert call(Client(), event) == 303
    assert match_of(event).director_called is not None


def test_a_player_of_another_table_cannot_call(club: Club) -> None:
    event = drawn(club, 8)
    other = logged_in(player_at(event, 0, 2))
    assert call(other, event) == 403
    assert "Call the director" not in page(other, event)
    assert call(logged_in(player_at(event, 0, 1)), event) == 303
    record = event.notices.latest("pk")
    assert record.by == player_at(event, 0, 1)


def test_calls_are_limited_by_table_and_taking_back_is_not(club: Club) -> None:
    event = drawn(club, 8)
    for _time in range(limits.CALLS_IN_TEN_MINUTES):
        assert call(Client(), event) == 303
        assert call(Client(), event, "back") == 303
    assert call(Client(), event) == 429
    assert call(Client(), event, number=2) == 303, "each table has calls of its own"
    assert call(logged_in(player_at(event, 0)), event) == 303, "and so has who sits there"


def test_nobody_calls_once_the_event_is_over(club: Club, ada: Player) -> None:
    event = drawn(club)
    starting_and_ending.cancel(event, ada, "Rain.", NOON)
    assert call(Client(), event) == 410
