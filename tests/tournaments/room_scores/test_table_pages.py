"""The page of a table in the room: what it shows to whom, with forms alone; and its codes."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.db import connection
from django.test import Client, override_settings
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils.html import escape

from games.models import Player
from games.people import limits
from tests.factories import logged_in, member
from tests.tournaments import build
from tests.tournaments.build import NOON, ruled
from tests.tournaments.room_scores.cards_of import (
    card_of,
    dispute,
    drawn,
    hand,
    match_of,
    player_at,
    sign,
    table_of,
)
from tournaments.acts import correcting, moving_table, seating_by_hand, starting_and_ending
from tournaments.attendance import newcomers
from tournaments.models import Club, Event
from tournaments.room_scores import codes, views

pytestmark = pytest.mark.django_db


def path(event: Event, number: int = 1) -> str:
    return reverse("room_table", args=[table_of(event, number).code])


def words(html: str) -> str:
    return re.sub(r"\s+", " ", re.sub(r"<[^>]*>", " ", html))


def forms_on(html: str, kind: str) -> list[dict[str, str]]:
    """The fields of the forms of a kind on a page, as they are sent without a choice."""
    return [
        dict(re.findall(r'type="hidden"\s+name="(\w+)"\s+value="([^"]*)"', form))
        for form in re.findall(r"<form.*?</form>", html, re.DOTALL)
        if f'name="kind" value="{kind}"' in form
    ]


class Phone:
    """A browser at a table, without scripts."""

    def __init__(self, event: Event, player: Player | None = None) -> None:
        self.client = logged_in(player) if player else Client()
        self.path = path(event)

    @property
    def page(self) -> str:
        response = self.client.get(self.path)
        assert response.status_code == 200
        return response.text

    def sit(self, side: int) -> None:
        answer = self.client.post(f"{self.path}side", {"round": "1", "side": side})
        assert answer.status_code == 303

    def send(self, kind: str, status: int = 303, **values: Any) -> str:
        """Fill the form of a kind in, and send it; the text of the answer."""
        (form,) = forms_on(self.page, kind)
        answer = self.client.post(f"{self.path}write", {**form, **values})
        assert answer.status_code == status, words(answer.text)
        return words(answer.text)


class TestPhones:
    def test_a_match_from_the_first_hand_to_the_second_signature(self, club: Club) -> None:
        event = drawn(club)
        north, east = Phone(event), Phone(event)
        assert "Which side do you sit on?" in north.page
        for person in (player_at(event, 0), player_at(event, 1)):
            assert person.name in words(north.page)
        north.sit(0)
        east.sit(1)
        assert "You write for east–west" in words(east.page)
        north.send("hand", caller=0, took="made")
        assert "Hand 2" in words(east.page)
        east.send("hand", caller=0, took="few")
        north.send("sign")
        assert "You have signed 1–2" in north.page
        assert "The other side has signed 1–2. Is that right?" in east.page
        assert "Yes, 1–2" in east.page
        east.send("sign")
        assert "1–2: this score stands" in north.page
        assert forms_on(north.page, "hand") == []
        assert match_of(event).points == (1, 2)

    def test_whoever_signs_reads_the_lone_marches(self, club: Club) -> None:
        event = drawn(club)
        north, east = Phone(event), Phone(event)
        north.sit(0)
        east.sit(1)
        north.send("hand", caller=0, took="march", alone="on")
        north.send("hand", caller=1, took="made")
        assert "Lone marches: 1–0" in words(north.page)
        north.send("sign")
        assert "Lone marches: 1–0" in words(east.page)
        east.send("sign")
        assert match_of(event).lone_hands == (1, 0)

    def test_a_hand_is_changed_and_taken_back(self, club: Club) -> None:
        event = drawn(club)
        north = Phone(event)
        north.sit(0)
        north.send("hand", caller=0, took="march", alone="on")
        page = north.client.get(f"{north.path}?hand=1").text
        assert "Change hand 1" in words(page)
        (form,) = forms_on(page, "hand")
        assert form["seen"] == card_of(event).hands[1].key
        north.client.post(f"{north.path}write", {**form, "caller": 1, "took": "march"})
        assert card_of(event).points == (0, 2)
        north.send("take_back")
        assert card_of(event).hands == {}

    def test_the_final_score_only(self, club: Club) -> None:
        event = drawn(club, match=Event.Match.GAME)
        north = Phone(event)
        north.sit(0)
        page = north.client.get(f"{north.path}?by=game").text
        (form,) = forms_on(page, "game")
        sent = {**form, "points_0": "5", "points_1": "3", "lone_0": "1"}
        assert north.client.post(f"{north.path}write", sent).status_code == 303
        assert "Sign 5–3" in north.page
        assert "Lone marches: 1–0." in north.page  # the other side signs them too

    def test_the_other_side_says_no(self, club: Club) -> None:
        event = drawn(club)
        east = Phone(event)
        east.sit(1)
        hand(event, 1, 0)
        hand(event, 2, 0)
        sign(event, (2, 0))
        east.send("dispute", number=2, said="That was a euchre.")
        assert "You said no: the director is called" in east.page
        assert "Hand 2. “That was a euchre.”" in words(east.page)
        assert "Take it back: 2–0 is right" in words(east.page)

    def test_a_player_with_an_account_has_their_side(self, club: Club) -> None:
        event = drawn(club)
        plays = player_at(event, 1)
        phone = Phone(event, plays)
        assert "You sit east–west" in phone.page
        phone.send("hand", caller=1, took="made")
        assert event.played_rounds.get().pairings.get().score_lines.get().player == plays

    def test_a_player_of_another_table_only_reads(self, club: Club) -> None:
        event = drawn(club, 8)
        phone = Phone(event, player_at(event, 0, number=2))
        assert "You play at another table in this round" in phone.page
        assert "<form" not in phone.page

    def test_refusals_are_said_on_the_page(self, club: Club) -> None:
        event = drawn(club)
        north = Phone(event)
        north.sit(0)
        assert "Say who called." in north.send("hand", 422, took="made")
        assert "Say how many tricks they took." in north.send("hand", 422, caller=0)
        hand(event, 1, 1)
        (form,) = forms_on(north.page, "take_back")
        answer = north.client.post(f"{north.path}write", {**form, "kind": "steal"})
        assert (answer.status_code, "Kinds are hand, game" in answer.text) == (422, True)
        script = north.client.post(
            f"{north.path}write", {**form, "round": "2"}, headers={"HX-Request": "true"}
        )
        assert (script.status_code, script.text) == (
            409, "Round 2 is over. Only the director changes it.",
        )  # fmt: skip

    def test_a_script_is_answered_with_the_card(self, club: Club) -> None:
        event = drawn(club)
        phone = Phone(event, player_at(event, 0))
        (form,) = forms_on(phone.page, "hand")
        answer = phone.client.post(
            f"{phone.path}write", {**form, "caller": "0", "took": "made"},
            headers={"HX-Request": "true"},
        )  # fmt: skip
        assert answer.status_code == 200
        assert "<html" not in answer.text
        assert "Hand 2" in words(answer.text)

    def test_a_script_that_has_the_latest_card_is_sent_none(self, club: Club) -> None:
        event = drawn(club)
        phone = Phone(event, player_at(event, 0))
        found = re.search(r'data-version="(\w+)"', phone.page)
        assert found is not None
        asked = f"{phone.path}?have={found[1]}"
        assert phone.client.get(asked, headers={"HX-Request": "true"}).status_code == 204
        assert phone.client.get(asked).status_code == 200, "whoever loads the page gets it"
        hand(event, 1, 0)
        assert phone.client.get(asked, headers={"HX-Request": "true"}).status_code == 200

    def test_a_script_is_sent_the_card_when_others_sit_there(self, club: Club, ada: Player) -> None:
        event = drawn(club, 8, format="progressive")
        phone = Phone(event)
        phone.sit(0)
        (form,) = forms_on(phone.page, "hand")
        found = re.search(r'data-version="(\w+)"', phone.page)
        assert found is not None
        lines = match_of(event, 1).entries.order_by("side", "position")
        comes = match_of(event, 2).entries.all()[0].entry_id
        wanted = [comes, *lines.values_list("entry", flat=True)[1:]]
        seating_by_hand.seat(match_of(event), ada, wanted, reason="They changed.", now=NOON)
        asked = f"{phone.path}?have={found[1]}"
        assert phone.client.get(asked, headers={"HX-Request": "true"}).status_code == 410
        phone.path = path(event)
        answer = phone.client.post(f"{phone.path}write", {**form, "caller": 0, "took": "made"})
        assert "Others have been drawn to table 1 since" in answer.text
        phone.send("hand", caller=0, took="made")

    def test_haste_is_refused(self, club: Club, monkeypatch: pytest.MonkeyPatch) -> None:
        event = drawn(club)
        phone = Phone(event, player_at(event, 0))
        monkeypatch.setattr(limits, "may_act", lambda *_args, **_more: False)
        (form,) = forms_on(phone.page, "hand")
        answer = phone.client.post(f"{phone.path}write", {**form, "caller": "0", "took": "made"})
        assert (answer.status_code, answer["Retry-After"]) == (429, "20")
        assert not match_of(event).score_lines.exists()

    def test_haste_at_one_table_stops_no_other(
        self, club: Club, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        event = drawn(club, 8)
        one, other = Client(), Client()
        most = 5
        assert one.get(path(event)).status_code == 200
        monkeypatch.setattr(limits, "A_WHILE", 600)
        with override_settings(SOCKET_BURST=most, SOCKET_RATE=0):
            for _time in range(most):
                assert one.post(f"{path(event)}write").status_code == 422
            assert one.post(f"{path(event)}write").status_code == 429
            assert other.post(f"{path(event, 2)}write").status_code == 422

    def test_haste_of_one_browser_stops_no_other_at_the_table(
        self, club: Club, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        event = drawn(club)
        one, other = Client(), Client()
        for phone in (one, other):
            assert phone.get(path(event)).status_code == 200
        monkeypatch.setattr(limits, "A_WHILE", 600)
        with override_settings(SOCKET_BURST=2, SOCKET_RATE=0):
            answers = [one.post(f"{path(event)}write").status_code for _time in range(3)]
            assert answers == [422, 422, 429]
            assert other.post(f"{path(event)}write").status_code == 422

    def test_the_number_of_queries_does_not_grow_with_the_hands(self, club: Club) -> None:
        event = drawn(club, deals=8)
        phone = Phone(event, player_at(event, 0))

        def queries() -> int:
            with CaptureQueriesContext(
                connection,
            ) as captured:
                assert phone.page
            return len(captured)

        hand(event, 1, 0)
        queries()  # the first visit makes a session
        few = queries()
        for number in range(2, 9):
            hand(event, number, 1)
        assert queries() == few


class TestCodes:
    def test_they_are_made_with_the_draw_and_stay(self, club: Club, ada: Player) -> None:
        event = drawn(club, 8)
        known = dict(event.room_tables.values_list("number", "code"))
        assert sorted(known) == [1, 2]
        assert codes.codes_of(event, [1, 2, 3]) == known | {3: table_of(event, 3).code}
        online = drawn(club, 4, place=Event.Place.ONLINE)
        assert not online.room_tables.exists()
        moving_table.move_table(online, ada, 1, 1, NOON, in_room=True)
        assert table_of(online).number == 1

    def test_a_code_is_read_without_regard_to_case_and_spaces(self, club: Club) -> None:
        event = drawn(club)
        code = table_of(event).code
        answer = Client().get(f"/t/{code[:4].lower()} {code[4:]}/")
        assert (answer.status_code, answer["Location"]) == (302, f"/t/{code}/")

    def test_a_wrong_one_is_refused_and_many_are_not_heard(self, club: Club) -> None:
        drawn(club)
        answer = Client().get("/t/CDFGHJKM/")
        assert (answer.status_code, "No table has the code CDFGHJKM" in answer.text) == (404, True)
        for _time in range(limits.WRONG_CODES_IN_TEN_MINUTES):
            Client().post("/t/CDFGHJKM/write")
        assert Client().get("/t/CDFGHJKM/").status_code == 429

    def test_wrong_ones_of_others_in_the_hall_stop_nobody(self, club: Club, ada: Player) -> None:
        event, phone = drawn(club, 7, format="progressive"), Client()
        newcomers.enter(event, ["Xan"], ada, NOON)
        assert phone.get(path(event)).status_code == 200
        for _time in range(limits.WRONG_CODES_IN_TEN_MINUTES + 1):
            for wrong in ("/t/CDFGHJKM/", "/join/CDFGHJKM/", "/claim/CDFGHJKM/"):
                Client().get(wrong)
        new, code = Client(), table_of(event, 1).code
        assert new.get(f"/t/{code}/").status_code == 200
        assert new.get(f"/join/{code}/").status_code == 302
        assert new.get(reverse("walk_in", args=[event.walk_ins.get().code])).status_code == 200
        assert phone.get("/t/CDFGHJKM/").status_code == 404, "its own first slip is explained"
        assert new.get(f"/join/{event.join_code}/").status_code == 302, "those were no join codes"

    def test_wrong_join_codes_of_others_stop_no_account(self, club: Club) -> None:
        event = drawn(club)
        for _time in range(limits.WRONG_CODES_IN_TEN_MINUTES):
            Client().get("/join/22222/")
        join = f"/join/{event.join_code}/"
        assert Client().get(join).status_code == 429
        assert logged_in(member("Otto")).get(join).status_code == 302
        assert Client().get(path(event)).status_code == 200

    def test_many_wrong_ones_of_a_browser_are_not_heard(self, club: Club) -> None:
        event, phone = drawn(club), Client()
        phone.get(path(event))
        wrong = [
            phone.get("/t/CDFGHJKM/").status_code
            for _time in range(limits.WRONG_CODES_IN_TEN_MINUTES + 1)
        ]
        assert (wrong[-2], wrong[-1]) == (404, 429)
        assert phone.get(path(event)).status_code == 200

    def test_it_leads_nowhere_once_the_event_is_over(self, club: Club, ada: Player) -> None:
        event = drawn(club)
        where = path(event)
        starting_and_ending.cancel(event, ada, "Rain.", NOON)
        for answer in (Client().get(where), Client().post(f"{where}write")):
            assert answer.status_code == 410
            assert "is over, so the codes of its tables no longer work" in answer.text
        assert Client().post(f"{where}write", headers={"HX-Request": "true"}).status_code == 410

    def test_before_the_draw_it_says_so(self, club: Club) -> None:
        event = build.event(club, place=Event.Place.ROOM)
        code = codes.codes_of(event, [1])[1]
        answer = Client().get(f"/t/{code}/")
        assert answer.status_code == 409
        assert "has not begun. Come back when round 1 is drawn." in answer.text

    def test_it_opens_its_table_in_a_club_by_invitation_and_nothing_else(self) -> None:
        event = drawn(build.club(joining=Club.Joining.INVITATION))
        assert Client().get(path(event)).status_code == 200
        assert Client().get(reverse("event", args=[event.pk])).status_code == 404

    def test_only_those_who_sit_there_are_shown_it(self, club: Club) -> None:
        event = drawn(club, 8)
        page = reverse("event", args=[event.pk])
        plays = player_at(event, 0)
        assert path(event) in logged_in(plays).get(page).text
        others = (Client(), logged_in(player_at(event, 0, number=2)))
        assert [path(event) in one.get(page).text for one in others] == [False, False]


class TestDirector:
    def test_the_console_says_how_far_each_card_is(self, club: Club, ada: Player) -> None:
        event = drawn(club, 16)
        for number in (1, 2, 3):
            hand(event, 1, 0, at=number)
            if number > 1:
                hand(event, 2, 1, at=number)
                sign(event, (1, 1), at=number)
        dispute(event, at=3, said="A renege.", number=2)
        page = logged_in(ada).get(reverse("manage_event", args=[event.pk])).text
        for said in (
            "1–0, hand 2",
            "1–1, waits for east–west",
            "Disputed by east–west, 1–1, hand 2: A renege.",
            "No score yet",
        ):
            assert f">{said}<" in page, said
        assert page.count('class="alarm"') == 1

    def test_the_console_asks_no_more_for_more_tables(self, club: Club, ada: Player) -> None:
        def queries(event: Event) -> int:
            for match in build.latest(event).pairings.all():
                hand(event, 1, 0, at=match.number)
            with CaptureQueriesContext(connection) as captured:
                logged_in(ada).get(reverse("manage_event", args=[event.pk]))
            return len(captured)

        few, many = drawn(club, 8), drawn(club, 32)
        assert queries(many) == queries(few)

    def test_the_director_decides_with_what_was_written_in_view(
        self, club: Club, ada: Player
    ) -> None:
        event = drawn(club)
        hand(event, 1, 0, "march", alone=True)
        hand(event, 2, 1, "few")
        sign(event, (6, 0))
        dispute(event, said="<b>No</b>")
        answer = logged_in(ada).get(reverse("set_result", args=[event.pk, 1, 1]))
        assert answer.context["form"].initial == {
            "winner": "0", "ended": "played", "points_0": 6, "points_1": 0,
            "lone_0": 1, "lone_1": 0,
        }  # fmt: skip
        for said in (
            "Hand 1: north–south called, all five tricks alone, 4 points",
            "Hand 2: east–west called, too few tricks, 2 points for north–south",
            "Signed 6–0",
            escape("Disputed the score: <b>No</b>"),
        ):
            assert said in answer.text, said
        correcting.set_result(match_of(event), ada, ruled(1, (0, 3)), reason="", now=NOON)
        assert match_of(event).winner == 1


def test_the_service_worker_keeps_the_page_s_files_under_a_name_of_their_own(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def worker() -> str:
        answer = Client().get("/t/worker.js")
        assert answer["Content-Type"].startswith("text/javascript")
        return answer.text

    before = worker()
    assert "/js/score" in before
    assert '"score ' in before
    monkeypatch.setattr(views, "WORKER_FILES", (*views.WORKER_FILES, "js/clock.js"))
    name = re.compile(r'"score \w{12}"')
    assert name.findall(worker()) != name.findall(before)


class TestBoxes:
    """The card has a box for each hand that is played, and no others."""

    def rows(self, html: str) -> list[list[int]]:
        tables = re.findall(r'<table class="hands8"\s*>.*?</thead>', html, re.DOTALL)
        return [[int(at) for at in re.findall(r">(\d+)(?:</a>)?</th>", one)] for one in tables]

    @pytest.mark.parametrize(
        ("deals", "widths"), [(4, [4]), (8, [8]), (10, [5, 5]), (12, [6, 6]), (17, [6, 6, 5])]
    )
    @pytest.mark.parametrize("ties", [Event.Ties.STAND, Event.Ties.HAND])
    def test_there_are_as_many_as_hands(
        self, club: Club, deals: int, widths: list[int], ties: str
    ) -> None:
        event = drawn(club, deals=deals, ties=ties)
        rows = self.rows(Client().get(path(event)).text)
        assert [len(row) for row in rows] == widths
        assert [at for row in rows for at in row] == list(range(1, deals + 1))

    def test_the_hand_of_a_play_off_has_one(self, club: Club) -> None:
        event = drawn(club, deals=2, ties=Event.Ties.HAND)
        hand(event, 1, 0)
        hand(event, 2, 1)
        assert self.rows(Client().get(path(event)).text)[1][0] == 3
