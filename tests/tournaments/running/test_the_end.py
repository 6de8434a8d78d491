"""After the last card: who may object until when, what holds up "Final", and the story."""

import re
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone
from pytest_django import Settings

from games.models import Player
from tests.factories import logged_in, member
from tests.tournaments import build
from tests.tournaments.build import MINUTE, NOON, ruled
from tests.tournaments.running.test_grace import GRACE, played
from tournaments.acts import correcting, playing_again, starting_and_ending
from tournaments.console import manage_page
from tournaments.entering import leaving_running_event
from tournaments.event_page import page_values, showing
from tournaments.events import director_calls, ending
from tournaments.models import Event, Pairing, Substitution
from tournaments.refusals import RefusedError

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def ten_minutes(settings: Settings) -> None:
    """As it is set by default."""
    settings.RESULT_GRACE = 10


def again(event: Event) -> Event:
    return Event.objects.select_related("club").get(pk=event.pk)


def match_of(event: Event) -> Pairing:
    return Pairing.objects.select_related("round__event").filter(round__event=event).latest("pk")


def end_part(event: Event, now: Any = NOON) -> str:
    drawn = showing.draw(page_values.read(again(event), now))["event-end"]
    return re.sub(r"\s+", " ", re.sub(r"<[^>]*>", " ", drawn))


class TestObjections:
    def test_an_objection_holds_up_the_end_until_it_is_answered(self, ada: Player) -> None:
        event = played(ada)
        assert "final by themselves at 12:10" in end_part(event)
        director_calls.call(match_of(event), None, NOON + MINUTE)
        assert "objects to a result. “Final” waits" in end_part(event)
        with pytest.raises(RefusedError, match="objects to a result"):
            starting_and_ending.final_now(again(event), ada, NOON + 6 * MINUTE)
        build.step(event, NOON + GRACE)
        assert event.state == Event.State.RUNNING
        assert event.due == NOON + GRACE + ending.MAX_OBJECTION
        assert "Final” waits" in manage_page.read(again(event), ada, NOON + GRACE).no_end
        director_calls.answer(match_of(event), ada)
        event.refresh_from_db()
        assert event.due == NOON + GRACE
        build.step(event, NOON + GRACE + MINUTE)
        assert event.state == Event.State.FINISHED

    def test_a_table_may_object_again_but_keeps_no_event_open(self, ada: Player) -> None:
        event, later = played(ada), NOON + 6 * MINUTE
        for _ in range(2):
            director_calls.call(match_of(event), None, NOON + MINUTE)
            first = logged_in(ada).get(f"/events/{event.pk}/manage/").text
            assert "calls for a director" in first
            director_calls.take_back(match_of(event), None)
        director_calls.call(match_of(event), None, NOON + MINUTE)
        director_calls.answer(match_of(event), ada)
        director_calls.call(match_of(event), None, NOON + 2 * MINUTE)
        assert "objects again, after a director’s answer" in end_part(event)
        page = logged_in(ada).get(f"/events/{event.pk}/manage/").text
        assert "objects again" in page
        assert "its first objection was answered at" in page
        build.step(event, NOON + GRACE)
        assert event.state == Event.State.RUNNING, "it does not end by itself"
        assert manage_page.read(again(event), ada, later).no_end == ""
        starting_and_ending.final_now(again(event), ada, later)
        event.refresh_from_db()
        assert event.state == Event.State.FINISHED

    def test_after_a_correction_the_first_objection_is_to_another_result(self, ada: Player) -> None:
        event = played(ada)
        director_calls.call(match_of(event), None, NOON + MINUTE)
        director_calls.answer(match_of(event), ada)
        correcting.set_result(
            match_of(event), ada, ruled(1, (3, 5)), reason="So.", now=NOON + MINUTE
        )
        director_calls.call(match_of(event), None, NOON + 2 * MINUTE)
        assert "objects to a result. “Final” waits" in end_part(event)

    def test_once_played_again_the_first_objection_is_to_another_result(self, ada: Player) -> None:
        event = played(ada)
        director_calls.call(match_of(event), None, NOON + MINUTE)
        director_calls.answer(match_of(event), ada)
        playing_again.reopen(match_of(event), ada, reason="So.", now=NOON + MINUTE)
        director_calls.call(match_of(event), None, NOON + 2 * MINUTE)
        assert not match_of(event).objects_again

    def test_an_objection_that_nobody_answers_does_not_hold_up_the_end_for_ever(
        self, ada: Player
    ) -> None:
        event = played(ada)
        director_calls.call(match_of(event), None, NOON)
        build.step(event, NOON + GRACE + ending.MAX_OBJECTION)
        assert event.state == Event.State.FINISHED

    def test_the_table_can_take_its_objection_back(self, ada: Player) -> None:
        event = played(ada)
        director_calls.call(match_of(event), None, NOON)
        director_calls.take_back(match_of(event), None)
        build.step(event, NOON + GRACE)
        assert event.state == Event.State.FINISHED

    def test_a_call_from_an_earlier_round_objects_to_nothing(self, ada: Player) -> None:
        event = played(ada, rounds=2)
        assert event.final_at is not None
        Pairing.objects.filter(round__number=1).update(director_called=NOON)
        assert ending.objection(event) == ""
        Pairing.objects.filter(round__number=2).update(director_called=NOON)
        assert ending.objection(event).startswith("Tables 1, 2 object to")

    def test_a_call_from_before_the_last_card_objects_to_nothing(self, ada: Player) -> None:
        event = played(ada)
        Pairing.objects.update(director_called=NOON - MINUTE)
        assert ending.objection(event) == ""
        starting_and_ending.final_now(again(event), ada, NOON + 5 * MINUTE)
        assert again(event).state == Event.State.FINISHED

    def test_a_correction_leaves_as_much_time_to_object_as_the_last_card(self, ada: Player) -> None:
        event, later = played(ada), NOON + 9 * MINUTE
        match = match_of(event)
        correcting.set_result(match, ada, ruled(1, (3, 5)), reason="Misread.", now=later)
        with pytest.raises(RefusedError, match="until Saturday 7 March, 12:14"):
            starting_and_ending.final_now(again(event), ada, later + 4 * MINUTE)
        starting_and_ending.final_now(again(event), ada, later + 5 * MINUTE)
        assert again(event).state == Event.State.FINISHED

    def test_an_unrated_night_is_final_at_once_and_a_rated_one_is_grey(self, ada: Player) -> None:
        event = played(ada)
        path = f"/events/{event.pk}/manage/"
        Event.objects.update(rated=False)
        shown = manage_page.read(again(event), ada, NOON)
        assert (shown.no_end, shown.final_from) == ("", None)
        Event.objects.update(rated=True)
        shown = manage_page.read(again(event), ada, NOON)
        assert shown.final_from == NOON + ending.MIN_GRACE
        Event.objects.update(final_at=NOON + timedelta(days=3650))
        event.played_rounds.update(over=NOON + timedelta(days=3650))
        html = re.sub(r"\s+", " ", logged_in(ada).get(path).text)
        assert re.search(r'aria-disabled="true" aria-describedby="no-end">.*?Final at <time', html)
        assert 'id="no-end">This event is rated, so everybody has until' in html

    def test_the_event_s_page_has_the_button_for_directors_only(self, ada: Player) -> None:
        event = played(ada)
        path = f"/events/{event.pk}/"
        Event.objects.update(rated=False)
        assert "Final now" in logged_in(ada).get(path).text
        assert "Final now" not in logged_in(member("Mona")).get(path).text
        event.played_rounds.update(over=timezone.now())
        Event.objects.update(rated=True)
        html = logged_in(ada).get(path).text
        assert "Final now" not in html
        assert "everybody has until" in html
        assert logged_in(ada).post(f"{path}manage/final-now").status_code == 409


class TestStory:
    def test_who_withdrew_and_who_sat_in_is_told(self, ada: Player) -> None:
        event = build.event(ada.memberships.get().club, rounds=2, format="swiss")
        entries = build.enter(event, 6)
        build.begin(event)
        leaver, sitter = entries[0], entries[1].players.get(position=0)
        Substitution.objects.create(
            entry=entries[1], position=0, player=member("Lee Marsh"), until=1
        )
        leaving_running_event.withdraw(leaver, ada, NOON, reason="Ill.")
        while event.final_at is None and event.state == Event.State.RUNNING:
            build.arrive(event)
            build.step(event, NOON)
            for match in build.latest(event).pairings.filter(state=Pairing.State.PLAYING):
                build.win(match, 0, (5, 3))
            build.step(event, NOON + 2 * MINUTE)
        names = page_values.read(again(event), NOON).teams[leaver.pk].name
        provisional = end_part(event)
        assert f"{names} were withdrawn by Ada in round 1: 6th of 6 in the standings." in (
            provisional.replace("&amp;", "&")
        )
        sat = f"{sitter.player.name} sat for Lee Marsh in round 2. The result is Lee Marsh’s."
        assert sat in provisional
        build.step(event, NOON + 60 * MINUTE)
        assert event.state == Event.State.FINISHED
        assert sat in end_part(event)

    def test_nothing_is_told_while_it_is_played(self, ada: Player) -> None:
        event = build.event(ada.memberships.get().club, rounds=2, format="swiss")
        entries = build.enter(event, 4)
        build.begin(event)
        leaving_running_event.withdraw(entries[0], ada, NOON)
        assert page_values.read(again(event), NOON).story == ()
