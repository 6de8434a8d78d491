"""Seats changed by hand: who moves, what forbids it, and the rounds that follow."""

from types import SimpleNamespace
from typing import Any

import pytest
from django.urls import reverse

from games.models import Player, Seat, Table
from tests.factories import logged_in, member
from tests.tournaments import build
from tests.tournaments.build import NOON, ruled, seen_in
from tests.tournaments.console.first_round import end_round, running, set_result
from tests.tournaments.room_scores import cards_of
from tournaments.acts import correcting, page, previews, seating_by_hand, undoing
from tournaments.models import Act, Event, Pairing, PairingEntry, SitOut
from tournaments.refusals import RefusedError
from tournaments.results import match_lines

pytestmark = pytest.mark.django_db


def called(ada: Player, players: int = 9, **fields: Any) -> Event:
    """A progressive event whose players have been called to their tables of round 1."""
    more = {"format": "progressive", "rounds": 3, "round_minutes": 20, **fields}
    event = build.event(ada.memberships.get().club, **more)
    build.enter(event, players)
    build.begin(event)
    return event


def table(event: Event, number: int = 1) -> Pairing:
    return build.latest(event).pairings.get(number=number)


def seats(match: Pairing) -> list[int]:
    return list(match.entries.order_by("side", "position").values_list("entry", flat=True))


def seat(match: Pairing, by: Player, wanted: list[int], reason: str = "So.") -> None:
    seating_by_hand.seat(match, by, wanted, reason=reason, now=NOON)


def rows(event: Event) -> list[Any]:
    lines = PairingEntry.objects.filter(round__event=event).order_by("pk")
    return [
        list(lines.values()),
        list(SitOut.objects.filter(round__event=event).order_by("pk").values()),
    ]


class TestMoves:
    def test_two_players_of_different_tables_change_places(self, ada: Player) -> None:
        event = called(ada)
        one, other = table(event, 1), table(event, 2)
        (a, b, c, d), (e, f, g, h) = seats(one), seats(other)
        old = [one.table_id, other.table_id]
        seat(one, ada, [a, b, c, e])
        assert (seats(one), seats(other)) == ([a, b, c, e], [d, f, g, h])
        for match in (table(event, 1), table(event, 2)):
            assert match.table_id not in old
            sat = Seat.objects.filter(table=match.table_id).order_by("position")
            north, south, east, west = seats(match)
            players = [one.player_id for one in sat]
            entered = event.entered_players
            assert players == [
                entered.get(entry=one).player_id for one in (north, east, south, west)
            ]
        assert set(
            Table.objects.filter(pk__in=[one for one in old if one]).values_list("state", flat=True)
        ) == {"closed"}

    def test_the_preview_says_who_sat_out_and_now_plays(self, ada: Player) -> None:
        event = called(ada)
        a, b, c, d = seats(table(event, 2))
        out = SitOut.objects.get(round__event=event).entry_id
        shown = previews.preview(event, lambda: seat(table(event, 2), ada, [a, b, c, out])).changes
        name = {one.pk: match_lines.team_of(one).name for one in event.entries.all()}
        lines = {one.thing: (one.before, one.after) for one in shown}
        assert lines[f"Round 1: {name[out]}"] == ("sat out", "plays at table 2")
        assert lines[f"Round 1: {name[d]}"] == ("plays at table 2", "sits out")
        assert f"Round 1: {name[a]}" not in lines  # table 2's seats say it

    def test_partners_change_within_a_table(self, ada: Player) -> None:
        event = called(ada)
        a, b, c, d = seats(table(event))
        seat(table(event), ada, [a, c, b, d])
        assert seats(table(event)) == [a, c, b, d]

    def test_who_sits_out_comes_in_for_somebody(self, ada: Player) -> None:
        event = called(ada)
        (idle,) = build.latest(event).sit_outs.values_list("entry", flat=True)
        a, b, c, d = seats(table(event))
        seat(table(event), ada, [a, b, c, idle])
        assert seats(table(event)) == [a, b, c, idle]
        assert list(build.latest(event).sit_outs.values_list("entry", flat=True)) == [d]

    def test_the_next_round_is_drawn_from_the_seats_as_they_were_played(self, ada: Player) -> None:
        event = called(ada, 8)
        a, b, c, d = seats(table(event, 1))
        e, f, g, h = seats(table(event, 2))
        seat(table(event, 1), ada, [e, f, c, d])
        build.arrive(event)
        build.step(event, NOON)
        end_round(event)
        assert event.played_rounds.count() == 2
        # The first sides won: those of table 2 come to table 1.
        assert {*seats(table(event, 1))} == {e, f, a, b}
        assert {*seats(table(event, 2))} == {c, d, g, h}

    def test_teams_of_a_swiss_round_change_places(self, ada: Player) -> None:
        event = called(ada, 4, format="swiss", rounds=None, place=Event.Place.ROOM)
        (a, b), (c, d) = seats(table(event, 1)), seats(table(event, 2))
        seat(table(event, 1), ada, [a, c])
        assert (seats(table(event, 1)), seats(table(event, 2))) == ([a, c], [b, d])
        assert table(event, 1).state == Pairing.State.PLAYING
        assert table(event, 1).table is None


class TestUndo:
    def test_undo_restores_every_row(self, ada: Player) -> None:
        event = called(ada)
        before = rows(event)
        (idle,) = build.latest(event).sit_outs.values_list("entry", flat=True)
        a, _, _, d = seats(table(event))
        seat(table(event), ada, [d, seats(table(event, 2))[0], idle, a])
        assert rows(event) != before
        undoing.undo(event.acts.get(), ada, NOON)
        assert rows(event) == before

    def test_not_once_a_result_stands_at_the_other_table(self, ada: Player) -> None:
        event = called(ada, place=Event.Place.ROOM)
        a, b, c, _d = seats(table(event))
        seat(table(event), ada, [a, b, c, seats(table(event, 2))[0]])
        act = event.acts.get()
        score = ruled(0, (5, 3))
        correcting.set_result(table(event, 2), ada, score, reason="", now=NOON)
        with pytest.raises(RefusedError, match="table 2 is over"):
            undoing.undo(act, ada, NOON)

    def test_not_once_a_score_card_has_been_begun(self, ada: Player) -> None:
        event = called(ada, place=Event.Place.ROOM)
        a, b, c, _d = seats(table(event))
        cards_of.hand(event, 1, caller=0, at=2)
        with pytest.raises(RefusedError, match="score card of table 2 has been begun"):
            seat(table(event), ada, [a, b, c, seats(table(event, 2))[0]])
        page = logged_in(ada).get(reverse("manage_event", args=[event.pk]), {"open": "2"}).text
        assert page.count("The score card of table 2 has been begun.") == 1

    def test_not_once_somebody_has_moved_on(self, ada: Player) -> None:
        event = called(ada, place=Event.Place.ROOM)
        a, b, c, _d = seats(table(event))
        seat(table(event), ada, [a, b, c, seats(table(event, 2))[0]])
        act = event.acts.get()
        seat(table(event, 2), ada, [seats(table(event, 1))[0], *seats(table(event, 2))[1:]])
        with pytest.raises(RefusedError, match="seated elsewhere since"):
            undoing.undo(act, ada, NOON)


class TestRefusals:
    def test_not_at_a_table_that_has_begun_or_is_over(self, ada: Player) -> None:
        event = running(ada, format="progressive")
        with pytest.raises(RefusedError, match="table 1 has begun"):
            seat(table(event), ada, seats(table(event))[::-1])
        set_result(event, ada)
        with pytest.raises(RefusedError, match="table 1 is over"):
            seat(table(event), ada, seats(table(event))[::-1])

    def test_not_in_an_earlier_round(self, ada: Player) -> None:
        event = running(ada, format="progressive")
        first = table(event)
        end_round(event)
        with pytest.raises(RefusedError, match="Round 2 was drawn with round 1"):
            seat(first, ada, seats(first)[::-1])

    def test_seats_are_complete_and_of_this_round(self, ada: Player) -> None:
        event = called(ada)
        a, b, c, d = seats(table(event))
        for wrong in ([a, b, c], [a, b, c, c]):
            with pytest.raises(RefusedError, match="4 different ones"):
                seat(table(event), ada, wrong)
        with pytest.raises(RefusedError, match="Only those drawn in round 1"):
            seat(table(event), ada, [a, b, c, 0])
        with pytest.raises(RefusedError, match="sit there already"):
            seat(table(event), ada, [a, b, c, d])
        with pytest.raises(RefusedError, match="Give a reason"):
            seat(table(event), ada, [b, a, c, d], reason=" ")

    def test_no_house_player_sits_in_the_room(self, ada: Player) -> None:
        event = called(ada, 4)
        house = event.entries.last()
        assert house is not None
        match = table(event)
        house.house = True
        house.save()
        match.in_room = True
        match.save()
        with pytest.raises(RefusedError, match="House players"):
            seat(match, ada, seats(match)[::-1])

    def test_a_director_who_plays_seats_neither_their_table_nor_themselves(
        self, ada: Player
    ) -> None:
        event = called(ada, 9)
        first, second = table(event, 1), table(event, 2)
        for match in (first, second):
            a, b, c, d = seats(match)
            player = event.entered_players.get(entry=a).player
            build.joined(event.club, player, "director")
            with pytest.raises(RefusedError, match="somebody else has to change its seats"):
                seat(match, player, [b, a, c, d])
        (idle,) = build.latest(event).sit_outs.values_list("entry", flat=True)
        player = event.entered_players.get(entry=idle).player
        with pytest.raises(RefusedError, match="cannot seat their own entry"):
            seat(first, player, [*seats(first)[:3], idle])


class TestPage:
    @pytest.fixture(autouse=True)
    def _noon(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(page, "timezone", SimpleNamespace(now=lambda: NOON))

    def path(self, event: Event, number: int = 1) -> str:
        return reverse("seats_by_hand", args=[event.pk, 1, number])

    def fields(self, one: int, other: int) -> dict[str, str]:
        return {"one": str(one), "other": str(other)}

    def test_what_will_change_is_shown_first_and_done_then(self, ada: Player) -> None:
        event, browser = called(ada), logged_in(ada)
        assert (
            self.path(event)
            in browser.get(reverse("manage_event", args=[event.pk]), {"open": "1"}).text
        )
        last = seats(table(event))[-1]
        for first_press in ({}, {"one": last}):
            asked = browser.get(self.path(event), first_press)
            assert (asked.status_code, "What will change" in asked.text) == (200, False)
        sent = self.fields(last, seats(table(event, 2))[0])
        before = rows(event)
        shown = browser.get(self.path(event), sent).text
        assert "Round 1, table 1, seats" in shown
        assert rows(event) == before
        said = sent | {"seen": seen_in(shown), "reason": "They sat down so."}
        assert browser.post(self.path(event), said).status_code == 303
        assert rows(event) != before
        act = event.acts.get()
        assert (act.kind, act.reason) == (Act.Kind.SEATS, "They sat down so.")
        log = browser.get(reverse("event_acts", args=[event.pk])).text
        assert "Changed seats: round 1, table 1" in log
        assert "9" in log

    def test_the_second_of_two_directors_does_nothing(self, ada: Player) -> None:
        event, browser = called(ada), logged_in(ada)
        a, b, c, d = seats(table(event))
        sent = self.fields(a, b)
        said = sent | {"seen": seen_in(browser.get(self.path(event), sent).text), "reason": "So."}
        seat(table(event), ada, [c, d, a, b])
        answer = browser.post(self.path(event), said)
        assert answer.status_code == 409
        assert "look at it again" in answer.text
        assert seats(table(event)) == [c, d, a, b]

    def test_a_reason_and_known_people_are_needed(self, ada: Player) -> None:
        event, browser = called(ada), logged_in(ada)
        a, b, *_others = seats(table(event))
        sent = self.fields(a, b)
        seen = seen_in(browser.get(self.path(event), sent).text)
        answer = browser.post(self.path(event), sent | {"seen": seen, "reason": ""})
        assert answer.status_code == 422
        wrong = browser.get(self.path(event), sent | {"one": "x"})
        assert wrong.status_code == 422
        assert "Choose somebody who was drawn" in wrong.text
        assert not event.acts.exists()

    def test_what_is_not_possible_says_why(self, ada: Player) -> None:
        event, browser = called(ada), logged_in(ada)
        set_result(event, ada)
        desk = browser.get(reverse("manage_event", args=[event.pk]), {"open": "1"}).text
        assert "Not now: The match at table 1 is over." in desk
        shown = browser.get(self.path(event)).text
        assert "Not now: The match at table 1 is over." in shown
        assert 'name="one"' not in shown
        assert reverse("set_result", args=[event.pk, 1, 1]) in shown
        assert reverse("take_back_round", args=[event.pk, 1]) in shown
        a, b, c, d = seats(table(event))
        sent = self.fields(a, b) | {"reason": "So.", "seen": "0"}
        assert browser.post(self.path(event), sent).status_code == 409
        assert seats(table(event)) == [a, b, c, d]

    def test_only_directors_see_it(self, ada: Player) -> None:
        event = called(ada)
        reader = member("Ben")
        build.joined(event.club, reader)
        assert logged_in(reader).get(self.path(event)).status_code == 403
        assert logged_in(ada).get(self.path(event, 7)).status_code == 404
