"""Entering the results of a round in one screen."""

import re
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from games.models import Player
from tests.factories import logged_in
from tests.tournaments import build
from tests.tournaments.room_scores import cards_of
from tournaments.models import Event, Pairing

pytestmark = pytest.mark.django_db

SCRIPT = {"HX-Request": "true"}


@pytest.fixture
def event(ada: Player) -> Event:
    """Three tables in the room that play two hands each."""
    return cards_of.drawn(ada.memberships.get().club, 12)


@pytest.fixture
def desk(ada: Player) -> Client:
    return logged_in(ada)


def path_of(event: Event) -> str:
    return reverse("enter_results", args=[event.pk, 1])


def typed(**scores: tuple[object, object]) -> dict[str, object]:
    """The fields of tables: `t2=(2, 0)`."""
    return {
        f"points_{table[1:]}_{side}": score[side]
        for table, score in scores.items()
        for side in (0, 1)
    }


def results(event: Event) -> dict[int, tuple[int, int]]:
    """The points of the tables that are decided."""
    rows = build.latest(event).pairings.filter(state=Pairing.State.DECIDED)
    return {row.number: row.points for row in rows}


def line_of(page: str, table: int) -> str:
    found = re.search(rf'<li class="res" id="res-{table}".*?</li>', page, re.DOTALL)
    assert found is not None
    return found[0]


class TestWithoutScripts:
    def test_one_button_keeps_all_results(self, desk: Client, event: Event) -> None:
        answer = desk.post(path_of(event), typed(t1=(2, 0), t2=(1, 1), t3=(0, 4)))
        assert (answer.status_code, answer["Location"]) == (303, path_of(event))
        assert results(event) == {1: (2, 0), 2: (1, 1), 3: (0, 4)}
        assert build.latest(event).pairings.get(number=3).winner == 1

    def test_a_wrong_line_holds_up_no_other(self, desk: Client, event: Event) -> None:
        answer = desk.post(path_of(event), typed(t1=(9, 0), t2=(2, 0), t3=("x", 1)))
        assert answer.status_code == 422
        assert results(event) == {2: (2, 0)}
        assert "2 hands bring 0 to 8 points together, not 9." in line_of(answer.text, 1)
        assert 'value="9"' in line_of(answer.text, 1)
        assert "wrongline" in line_of(answer.text, 3)
        assert "Undo" in line_of(answer.text, 2)

    def test_one_side_alone_is_not_kept(self, desk: Client, event: Event) -> None:
        answer = desk.post(path_of(event), typed(t1=(2, "")))
        assert "Enter the points of both sides." in line_of(answer.text, 1)
        assert results(event) == {}

    def test_an_empty_line_is_left_alone(self, desk: Client, event: Event) -> None:
        assert desk.post(path_of(event), typed(t1=("", ""))).status_code == 303
        assert results(event) == {}

    def test_what_is_missing_is_named(self, desk: Client, event: Event) -> None:
        desk.post(path_of(event), typed(t2=(2, 0)))
        page = desk.get(path_of(event)).text
        assert "<b>1</b> of 3 tables have a result" in page
        assert re.findall(r'<a href="#res-(\d)">', page) == ["1", "3"]


class TestByScript:
    def test_a_line_is_kept_by_itself(self, desk: Client, event: Event) -> None:
        fields: dict[str, Any] = typed(t1=(2, 0), t2=(2, 0)) | {"only": 1}
        answer = desk.post(path_of(event), fields, headers=SCRIPT)
        assert results(event) == {1: (2, 0)}
        assert answer.text.count('<li class="res"') == 1
        assert "Kept" in line_of(answer.text, 1)
        assert "<b>1</b> of 3 tables" in answer.text

    def test_a_wrong_line_comes_back_with_what_was_typed(self, desk: Client, event: Event) -> None:
        answer = desk.post(path_of(event), typed(t1=(9, 0)) | {"only": 1}, headers=SCRIPT)
        assert answer.status_code == 200  # or it would not be swapped in
        assert 'value="9"' in line_of(answer.text, 1)


class TestPhones:
    def test_another_score_by_phone_is_named_and_can_be_overruled(
        self, desk: Client, event: Event
    ) -> None:
        cards_of.hand(event, 1, 0)
        cards_of.hand(event, 2, 0)
        cards_of.sign(event, (2, 0))
        answer = desk.post(path_of(event), typed(t1=(1, 1)))
        line = line_of(answer.text, 1)
        assert "The table’s phone wrote 2–0. Enter once more keeps 1–1." in line
        assert results(event) == {}
        desk.post(path_of(event), typed(t1=(1, 1)) | {"sure_1": "2–0"})
        assert results(event) == {1: (1, 1)}

    def test_a_score_that_has_changed_again_is_named_again(
        self, desk: Client, event: Event
    ) -> None:
        cards_of.hand(event, 1, 0)
        cards_of.hand(event, 2, 0)
        answer = desk.post(path_of(event), typed(t1=(1, 1)) | {"sure_1": "3–0"})
        assert "The table’s phone wrote 2–0." in line_of(answer.text, 1)

    def test_a_signed_table_is_no_field(self, desk: Client, event: Event) -> None:
        for number in (1, 2):
            cards_of.hand(event, number, 0)
        for side in (0, 1):
            cards_of.sign(event, (2, 0), side=side)
        assert "<input" not in line_of(desk.get(path_of(event)).text, 1)
        desk.post(path_of(event), typed(t1=(1, 1)))
        assert results(event) == {1: (2, 0)}


def test_nobody_enters_the_result_of_their_own_table(event: Event) -> None:
    player = cards_of.player_at(event, 0)
    own = build.members(event.club, "Bo")[0]
    event.entered_players.filter(player=player).update(player=own)
    event.club.memberships.filter(player=own).update(role="director")
    answer = logged_in(own).post(path_of(event), typed(t1=(2, 0), t2=(2, 0)))
    assert results(event) == {2: (2, 0)}
    assert "wrongline" in line_of(answer.text, 1)


def test_a_table_online_is_entered_on_a_page_of_its_own(ada: Player) -> None:
    event = build.event(ada.memberships.get().club)
    build.enter(event, 8)
    build.begin(event)
    desk = logged_in(ada)
    assert "<input name=" not in line_of(desk.get(path_of(event)).text, 1)
    desk.post(path_of(event), typed(t1=(5, 0)))
    assert results(event) == {}


def test_a_round_that_is_not_drawn_is_not_found(desk: Client, event: Event) -> None:
    assert desk.get(reverse("enter_results", args=[event.pk, 9])).status_code == 404
