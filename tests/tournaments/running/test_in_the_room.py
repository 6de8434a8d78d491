"""Tables in the room: no table on the site, scores from the director, rounds that wait for them."""

import csv
import io
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from games.engine.rules import HEADS_UP
from games.models import Performance, Player, Table
from tests.factories import logged_in
from tests.tournaments import build
from tests.tournaments.build import MINUTE, NOON, ruled
from tests.tournaments.room_scores import cards_of
from tournaments.acts import correcting, house_players, moving_table, starting_and_ending
from tournaments.entering import leaving_running_event
from tournaments.event_page import exports, own_status, page_values
from tournaments.models import Club, Event, Pairing
from tournaments.refusals import RefusedError
from tournaments.running import steps
from tournaments.standings import ranking

pytestmark = pytest.mark.django_db

ROOM, MIXED = Event.Place.ROOM, Event.Place.MIXED
How = Pairing.How


def drawn(club: Club, entries: int = 8, **fields: Any) -> Event:
    """An event whose first round is drawn; all of it in the room unless it is said."""
    event = build.event(club, **{"place": ROOM, "rounds": 2, **fields})
    build.enter(event, entries)
    build.begin(event)
    return event


def table(event: Event, number: int = 1) -> Pairing:
    return build.latest(event).pairings.get(number=number)


def enter(match: Pairing, by: Player, winner: int, *scores: tuple[int, int], **more: Any) -> None:
    """Let a director enter the score of a match in the room, without a word."""
    correcting.set_result(match, by, ruled(winner, *scores, **more), reason="", now=NOON)


def points(event: Event) -> list[int]:
    """The points of everybody, the fewest first."""
    return sorted(line.points_for or 0 for line in ranking.standings_of(event).lines)


class TestDrawing:
    def test_no_table_is_opened_on_the_site(self, club: Club) -> None:
        event = drawn(club)
        assert not Table.objects.exists()
        assert {one.in_room for one in build.latest(event).pairings.all()} == {True}

    def test_tables_of_a_mixed_event_are_in_the_room_from_the_number_that_is_set(
        self, club: Club
    ) -> None:
        event = drawn(club, 12, place=MIXED, room_from=2)
        rows = build.latest(event).pairings.order_by("number")
        found = [(one.number, one.in_room, one.table is None) for one in rows]
        assert found == [(1, False, False), (2, True, True), (3, True, True)]

    def test_a_house_player_plays_online(self, club: Club) -> None:
        event = build.event(club, place=MIXED, room_from=1, rounds=2)
        build.enter(event, 7)
        steps.add_house(event, 1, set())
        event.entries.filter(house=True).update(arrival=8)
        build.begin(event)
        found = {
            one.in_room: any(line.entry.house for line in one.entries.select_related("entry"))
            for one in build.latest(event).pairings.all()
        }
        assert found == {True: False, False: True}

    def test_heads_up(self, club: Club, ada: Player) -> None:
        event = drawn(club, 2, rules=HEADS_UP, format="round_robin", minimum=2)
        enter(table(event), ada, 0, (10, 4))
        build.step(event, NOON)
        assert points(event) == [4, 10]


class TestTheClock:
    def test_nothing_happens_until_every_score_is_there(self, club: Club, ada: Player) -> None:
        event = drawn(club, round_minutes=20, no_show_minutes=5)
        build.step(event, NOON + 90 * MINUTE)
        assert event.played_rounds.count() == 1
        assert set(build.latest(event).pairings.values_list("state", flat=True)) == {"playing"}
        enter(table(event, 1), ada, 0, (5, 4))
        build.step(event, NOON)
        assert event.played_rounds.count() == 1
        enter(table(event, 2), ada, 1, (3, 6))
        build.step(event, NOON)
        assert event.played_rounds.count() == 2

    def test_a_mixed_round_waits_for_both_kinds(self, club: Club, ada: Player) -> None:
        event = drawn(club, place=MIXED, room_from=2)
        build.arrive(event)
        build.step(event, NOON)
        build.win(table(event, 1), 0)
        build.step(event, NOON)
        assert event.played_rounds.count() == 1
        enter(table(event, 2), ada, 1, (3, 5))
        build.step(event, NOON)
        assert event.played_rounds.count() == 2
        assert points(event) == [3, 3, 5, 5, 5, 5, 10, 10]


class TestScores:
    def test_they_count_like_those_of_a_table_online(self, club: Club, ada: Player) -> None:
        event = drawn(club, 4, rounds=1)
        ruling = ruled(1, (3, 6))._replace(lone=(0, 1))
        correcting.set_result(table(event), ada, ruling, reason="", now=NOON)
        match = table(event)
        assert (match.state, match.how, match.winner) == ("decided", How.PLAYED, 1)
        assert (match.points, match.games_won, match.lone_hands) == ((3, 6), (0, 1), (0, 1))
        assert not match.corrections.exists()
        assert "table 1, in the room: 3–6." in event.notices.latest("pk").text
        build.step(event, NOON)
        assert points(event) == [3, 3, 6, 6]
        assert Performance.objects.filter(result=1).count() == 2

    @pytest.mark.parametrize(
        ("ruling", "field"),
        [
            (ruled(0, (9, 4)), "points_0"),
            (ruled(1, (5, 4)), "winner"),
            (ruled(0, (5, 4))._replace(lone=(3, 0)), "lone_0"),
            (ruled(0, (5, 4), ended=How.TIME), "ended"),
        ],
    )
    def test_impossible_ones_are_refused(
        self, club: Club, ada: Player, ruling: Any, field: str
    ) -> None:
        event = drawn(club, 4)
        with pytest.raises(correcting.ImpossibleError) as refused:
            correcting.set_result(table(event), ada, ruling, reason="", now=NOON)
        assert list(refused.value.fields) == [field]
        assert table(event).state == Pairing.State.PLAYING

    def test_hands_thrown_in_count_among_those_of_a_match(self, club: Club, ada: Player) -> None:
        event = drawn(club, 4, match=Event.Match.DEALS, deals=8)
        enter(table(event), ada, 0, (4, 2))
        assert table(event).points == (4, 2)

    def test_a_correction_needs_a_reason_and_stands_on_record(
        self, club: Club, ada: Player
    ) -> None:
        event = drawn(club)
        enter(table(event), ada, 0, (5, 4))
        with pytest.raises(RefusedError, match="Give a reason"):
            enter(table(event), ada, 1, (4, 5))
        change = ruled(1, (4, 5))._replace(lone=(0, 1))
        correcting.set_result(table(event), ada, change, reason="Sides swapped.", now=NOON)
        match, row = table(event), table(event).corrections.get()
        assert (match.winner, match.how, match.scores) == (1, How.DIRECTOR, [[4, 5]])
        assert (row.before["points"], row.before["lone"]) == ([5, 4], [0, 0])
        assert (row.after["points"], row.after["lone"]) == ([4, 5], [0, 1])
        assert Performance.objects.filter(result=1).count() == 2
        back = ruled(0, (5, 4))._replace(lone=(0, 0))
        correcting.set_result(table(event), ada, back, reason="No, they were not.", now=NOON)
        assert table(event).how == How.PLAYED

    def test_several_games_keep_their_scores(self, club: Club, ada: Player) -> None:
        event = drawn(club, 4, match=Event.Match.BEST_OF_3)
        enter(table(event), ada, 0, (5, 4), (2, 5), (5, 3))
        (match,) = page_values.round_of(event, 1).matches  # type: ignore[union-attr]
        assert (match.scores, table(event).games_won) == ("5–4, 2–5, 5–3", (2, 1))
        assert match.words == "Played in the room"

    def test_exports_have_the_score_of_each_game(self, club: Club, ada: Player) -> None:
        event = drawn(club, 4, match=Event.Match.BEST_OF_3)
        enter(table(event), ada, 1, (5, 4), (2, 5), (3, 5))
        (row,) = exports.results(event)
        games = [(game["id"], game["north_south"], game["east_west"]) for game in row["games"]]
        assert games == [(None, 5, 4), (None, 2, 5), (None, 3, 5)]
        (line,) = csv.DictReader(io.StringIO(exports.as_csv(event, "results")))
        assert (line["games_north_south"], line["games_east_west"]) == ("5; 2; 3", "4; 5; 5")
        assert line["games_id"] == ""

    def test_a_forfeit_has_no_points(self, club: Club, ada: Player) -> None:
        event = drawn(club, 4)
        enter(table(event), ada, 1, ended=How.FORFEIT)
        match = table(event)
        assert (match.how, match.winner, match.points, match.scores) == ("forfeit", 1, (0, 0), [])

    def test_nobody_enters_the_score_of_their_own_table(self, club: Club) -> None:
        event = drawn(club, 4)
        plays = table(event).entries.get(side=0, position=0).entry.players.get().player
        build.joined(club, plays, "director")
        with pytest.raises(RefusedError, match="somebody else"):
            enter(table(event), plays, 0, (5, 4))


class TestMoving:
    def test_to_the_room_and_back(self, club: Club, ada: Player) -> None:
        event = drawn(club, place=Event.Place.ONLINE)
        opened = table(event, 2).table
        moving_table.move_table(event, ada, 1, 2, NOON, in_room=True)
        match = table(event, 2)
        assert (match.in_room, match.table, match.state) == (True, None, "playing")
        opened.refresh_from_db()  # type: ignore[union-attr]
        assert opened.state == Table.State.CLOSED  # type: ignore[union-attr]
        moving_table.move_table(event, ada, 1, 2, NOON, in_room=False)
        match = table(event, 2)
        assert (match.in_room, match.state) == (False, "called")
        build.arrive(event)
        build.step(event, NOON)
        build.win(table(event, 2), 1)
        build.step(event, NOON)
        assert table(event, 2).winner == 1

    def test_whoever_is_moved_online_is_given_the_time_to_come(
        self, club: Club, ada: Player
    ) -> None:
        event = drawn(club, no_show_minutes=5, round_minutes=30)
        now = NOON + 12 * MINUTE
        moving_table.move_table(event, ada, 1, 2, now, in_room=False)
        build.step(event, now + 4 * MINUTE)
        assert table(event, 2).state == Pairing.State.CALLED
        build.step(event, now + 5 * MINUTE)
        assert table(event, 2).how == How.FORFEIT

    def test_a_score_that_was_begun_stays_in_the_room(self, club: Club, ada: Player) -> None:
        event = cards_of.drawn(club)
        key = cards_of.hand(event, 1, 0)
        with pytest.raises(RefusedError, match="has been begun in the room"):
            moving_table.move_table(event, ada, 1, 1, NOON, in_room=False)
        cards_of.send(event, "take_back", {}, number=1, seen=key)
        moving_table.move_table(event, ada, 1, 1, NOON, in_room=False)
        assert not table(event).in_room

    def test_those_who_have_left_are_replaced_online(self, club: Club, ada: Player) -> None:
        event = drawn(club, 4)
        left = table(event).entries.get(side=0, position=0).entry
        leaving_running_event.withdraw(left, ada, NOON)
        assert table(event).state == Pairing.State.PLAYING, "somebody sits in for them"
        moving_table.move_table(event, ada, 1, 1, NOON, in_room=False)
        seat = table(event).table.seats.get(player=left.players.get().player)  # type: ignore[union-attr]
        assert seat.stand_in

    @pytest.mark.parametrize(
        ("fields", "act", "words"),
        [
            ({}, {"in_room": True}, "in the room already"),
            ({"place": Event.Place.ONLINE}, {"in_room": False}, "online already"),
            ({"place": MIXED, "room_from": 9, "began": True}, {"in_room": True}, "begun online"),
            ({"decided": True}, {"in_room": False}, "is over"),
            ({"table": 7}, {"in_room": False}, "Only tables of round 1"),
            ({"place": "online", "format": "duplicate", "match": "deals", "deals": 4,
              "entries": 12},
             {"in_room": True}, "duplicate event"),
        ],
    )  # fmt: skip
    def test_what_is_refused(
        self, club: Club, ada: Player, fields: Any, act: Any, words: str
    ) -> None:
        began, decided = fields.pop("began", False), fields.pop("decided", False)
        number = fields.pop("table", 1)
        event = drawn(club, **fields)
        if began:
            build.arrive(event)
            build.step(event, NOON)
        if decided:
            enter(table(event), ada, 0, (5, 4))
        with pytest.raises(RefusedError, match=words):
            moving_table.move_table(event, ada, 1, number, NOON, **act)

    def test_whoever_plays_there_leaves_it_to_others(self, club: Club) -> None:
        event = drawn(club, 4)
        plays = table(event).entries.get(side=0, position=0).entry.players.get().player
        build.joined(club, plays, "director")
        with pytest.raises(RefusedError, match="somebody else has to move it"):
            moving_table.move_table(event, plays, 1, 1, NOON, in_room=False)

    def test_house_players_are_not_moved(self, club: Club, ada: Player) -> None:
        event = build.event(club, rounds=1)
        build.enter(event, 3)
        steps.add_house(event, 1, set())
        event.entries.filter(house=True).update(arrival=4)
        build.begin(event)
        with pytest.raises(RefusedError, match="House players cannot sit"):
            moving_table.move_table(event, ada, 1, 1, NOON, in_room=True)

    def test_house_players_are_not_entered_for_the_room(self, club: Club, ada: Player) -> None:
        event = build.event(club, place=ROOM)
        with pytest.raises(RefusedError, match="House players cannot sit"):
            house_players.add_house_entries(event, ada, 1, NOON)


def test_a_partnership_that_leaves_loses_its_match(club: Club, ada: Player) -> None:
    event = drawn(club, 4, format="swiss")
    match = table(event)
    leaving_running_event.withdraw(match.entries.get(side=1).entry, ada, NOON)
    match.refresh_from_db()
    assert (match.how, match.winner) == (How.FORFEIT, 0)


def test_cancelling_breaks_matches_off(club: Club, ada: Player) -> None:
    event = drawn(club, 4)
    starting_and_ending.cancel(event, ada, "Rain.", NOON)
    event.refresh_from_db()
    (match,) = page_values.round_of(event, 1).matches  # type: ignore[union-attr]
    assert match.words == "Broken off"


class TestPages:
    def test_players_read_where_to_go(self, club: Club) -> None:
        event = drawn(club, 4)
        plays = table(event).entries.get(side=0, position=0).entry.players.get().player
        mine = own_status.status_of(page_values.read(event, NOON), plays.pk)
        assert mine is not None
        assert (mine.label, mine.heading) == ("Round 1, you play in the room at", "Table 1")
        page = logged_in(plays).get(reverse("event", args=[event.pk])).text
        assert "Enter the score" in page
        others = Client().get(reverse("event", args=[event.pk])).text
        assert "Played in the room, with real cards" in others
        assert "watch" not in others.lower()

    def test_everybody_sees_which_tables_are_in_the_room(self, club: Club) -> None:
        event = drawn(club, place=MIXED, room_from=2)
        page = Client().get(reverse("event", args=[event.pk])).text
        assert page.count("In the room") == 1
        assert "some tables in the room" in page
        api = Client().get(f"/api/events/{event.pk}").json()
        assert api["place"] == "mixed"
        rows = exports.pairings(event)
        assert [row["in_room"] for row in rows] == [False, True]

    def test_the_director_enters_and_moves_by_forms(self, club: Club, ada: Player) -> None:
        event = drawn(club)
        desk = logged_in(ada)
        console = reverse("manage_event", args=[event.pk])
        page = desk.get(f"{console}?round=1&open=2").text
        assert page.count("Move online") == 1
        form = desk.get(reverse("set_result", args=[event.pk, 1, 1])).text
        assert "Lone marches of" in form
        assert "Remark" in form
        answer = desk.post(
            reverse("set_result", args=[event.pk, 1, 1]),
            {"winner": "0", "ended": "played", "points_0": "5", "points_1": "3", "lone_0": "1"},
        )
        assert answer.status_code == 303, answer.text
        assert table(event).lone_hands == (1, 0)
        move = f"{reverse('move_table', args=[event.pk, 1, 2])}?to=online"
        assert f'href="{move}"' in page
        assert build.acted_by_form(desk, move).status_code == 303
        assert not table(event, 2).in_room
        assert "Table 2 is online already." in desk.get(move).text

    def test_the_form_of_a_correction_has_what_was_entered(self, club: Club, ada: Player) -> None:
        event = drawn(club, 4)
        ruling = ruled(1, (3, 6))._replace(lone=(0, 1))
        correcting.set_result(table(event), ada, ruling, reason="", now=NOON)
        form = logged_in(ada).get(reverse("set_result", args=[event.pk, 1, 1])).context["form"]
        assert form.initial == {
            "winner": "1", "ended": "played", "points_0": 3, "points_1": 6,
            "lone_0": 0, "lone_1": 1,
        }  # fmt: skip
        assert form.fields["reason"].required


def test_more_tables_take_no_more_queries_to_draw(club: Club, ada: Player) -> None:
    asked = []
    for players in (8, 48):
        event = drawn(club, players, format="progressive", rounds=3)
        for match in build.latest(event).pairings.all():
            enter(match, ada, 0, (5, 3))
        with CaptureQueriesContext(connection) as queries:
            build.step(event, NOON)
        assert build.latest(event).number == 2
        asked.append(len(queries))
    assert asked[0] == asked[1]
