"""Calls for a director from tables: who makes them, who reads them, and how they end."""

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from games.models import Player
from tests.factories import logged_in, member
from tests.tournaments import build
from tests.tournaments.build import MINUTE, NOON, ruled
from tournaments.acts import correcting
from tournaments.console import manage_page
from tournaments.event_page.calls import calls_by_player, listening
from tournaments.events import director_calls
from tournaments.models import Club, Event, Pairing
from tournaments.refusals import RefusedError

pytestmark = pytest.mark.django_db


@pytest.fixture
def event(club: Club, ada: Player) -> Event:
    """An event with three tables in its first round, all in the room."""
    made = build.event(club, place="room", rounds=2)
    build.enter(made, 12)
    build.begin(made)
    return made


def table(event: Event, number: int, round_: int = 1) -> Pairing:
    rows = Pairing.objects.select_related("round__event")
    return rows.get(round__event=event, round__number=round_, number=number)


def player_at(match: Pairing) -> Player:
    entered = match.entries.get(side=0, position=0).entry.players.get()
    return Player.objects.get(pk=entered.player_id)


def calling(event: Event) -> list[int]:
    return [one.number for one in director_calls.calling(event)]


def post(browser: Client, name: str, *at: object) -> Any:
    return browser.post(reverse(name, args=at))


class TestCalling:
    def test_a_table_calls_until_a_director_answers(self, event: Event, ada: Player) -> None:
        director_calls.call(table(event, 2), None, NOON)
        director_calls.call(table(event, 1), player_at(table(event, 1)), NOON + MINUTE)
        assert calling(event) == [2, 1]
        director_calls.answer(table(event, 2), ada)
        assert calling(event) == [1]
        director_calls.take_back(table(event, 1), player_at(table(event, 1)))
        assert calling(event) == []
        record = [line.text for line in event.notices.order_by("-pk")[:4]]
        assert record == [
            "Round 1, table 1 has taken its call for a director back.",
            "Round 1, table 2 had called for a director: answered.",
            "Round 1, table 1 calls for a director.",
            "Round 1, table 2 calls for a director.",
        ]

    def test_calling_twice_is_one_call(self, event: Event) -> None:
        for minutes in range(3):
            director_calls.call(table(event, 1), None, NOON + minutes * MINUTE)
        assert table(event, 1).director_called == NOON
        assert event.notices.filter(text__contains="calls for").count() == 1

    def test_answering_twice_is_noted_once(self, event: Event, ada: Player) -> None:
        director_calls.call(table(event, 1), None, NOON)
        for _ in range(2):
            director_calls.answer(table(event, 1), ada)
        assert event.notices.filter(text__contains="answered").count() == 1

    def test_a_match_that_is_over_can_call_until_the_next_round(
        self, event: Event, ada: Player
    ) -> None:
        for number in (1, 2, 3):
            correcting.set_result(table(event, number), ada, ruled(0, (5, 4)), reason="", now=NOON)
        director_calls.call(table(event, 1), None, NOON)
        build.step(event, NOON)
        assert calling(event) == [1], "it is not forgotten by the next round"
        with pytest.raises(RefusedError, match="call from your table of the next one"):
            director_calls.call(table(event, 2), None, NOON)

    def test_nobody_is_called_when_the_event_is_over(self, event: Event) -> None:
        Event.objects.update(state=Event.State.FINISHED)
        with pytest.raises(RefusedError, match="Finished"):
            director_calls.call(table(event, 1), None, NOON)


class TestPages:
    def test_a_player_calls_from_the_event_page_and_takes_it_back(self, event: Event) -> None:
        browser = logged_in(player_at(table(event, 2)))
        path = reverse("event", args=[event.pk])
        assert "Call the director" in browser.get(path).text
        assert post(browser, "call_director", event.pk).status_code == 303
        assert calling(event) == [2]
        page = browser.get(path).text
        assert "A director has been called." in page
        assert "Call the director" not in page
        assert post(browser, "take_back_call", event.pk).status_code == 303
        assert calling(event) == []

    def test_a_late_call_is_refused_with_the_reason(self, event: Event) -> None:
        browser = logged_in(player_at(table(event, 2)))
        event.played_rounds.create(number=2)
        answer = post(browser, "call_director", event.pk)
        assert answer.status_code == 409
        assert "Round 1 is over" in answer.text

    def test_others_have_no_table_to_call_from(self, event: Event) -> None:
        browser = logged_in(member("Otto"))
        assert "Call the director" not in browser.get(reverse("event", args=[event.pk])).text
        assert post(browser, "call_director", event.pk).status_code == 403

    def test_the_director_reads_and_answers(self, event: Event, ada: Player) -> None:
        director_calls.call(table(event, 3), None, NOON)
        desk = logged_in(ada)
        assert (
            "Table 3 calls for a director, since"
            in desk.get(reverse("manage_event", args=[event.pk])).text
        )
        assert post(desk, "answer_call", event.pk, 1, 3).status_code == 303
        assert not manage_page.read(event, ada, NOON).calls


class TestEverywhere:
    """Directors are called on every page of the site that they read."""

    def test_one_call_names_all_tables(self, event: Event, ada: Player) -> None:
        for number in (3, 1):
            director_calls.call(table(event, number), None, NOON + number * MINUTE)
        (call,) = calls_by_player([ada.pk], NOON)[ada.pk]
        assert call.title == "Thursday euchre: tables 1 and 3 call for a director"
        assert call.url == reverse("manage_event", args=[event.pk])
        assert call.since == NOON + MINUTE
        director_calls.answer(table(event, 1), ada)
        (call,) = calls_by_player([ada.pk], NOON)[ada.pk]
        assert call.title == "Thursday euchre: table 3 calls for a director"

    def test_members_are_not_called(self, event: Event, club: Club) -> None:
        otto = member("Otto")
        build.joined(club, otto)
        director_calls.call(table(event, 1), None, NOON)
        assert calls_by_player([otto.pk], NOON)[otto.pk] == []

    def test_pages_of_directors_listen_while_an_event_is_running(
        self, event: Event, ada: Player
    ) -> None:
        begins = listening(ada, NOON).begins
        assert begins is not None
        assert begins < NOON
        Event.objects.update(state=Event.State.FINISHED)
        assert listening(ada, NOON).begins is None
