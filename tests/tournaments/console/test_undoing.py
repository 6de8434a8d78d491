"""Undoing what a director did: what it restores, what it shows first, and what forbids it."""

import re
from datetime import timedelta
from types import SimpleNamespace

import pytest
from django.urls import reverse

from games.models import Game, Performance, Player, Seat, Table
from tests.factories import logged_in, member
from tests.tournaments import build
from tests.tournaments.build import MINUTE, NOON, ruled
from tests.tournaments.console.first_round import end_round, first_table, running, set_result
from tournaments.acts import (
    checking_in,
    correcting,
    house_players,
    log,
    message_to_all,
    moving_table,
    previews,
    round_clock,
    starting_and_ending,
    undoing,
    withdrawing,
)
from tournaments.console import views
from tournaments.entering import leaving_running_event
from tournaments.models import Act, Correction, Entry, EntryPlayer, Event, Pairing, ScoreLine
from tournaments.refusals import RefusedError
from tournaments.standings import ranking

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _noon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(views, "timezone", SimpleNamespace(now=lambda: NOON))


class TestResult:
    def test_a_corrected_result_is_restored_with_its_way_and_games(self, ada: Player) -> None:
        event = running(ada)
        match = first_table(event)
        end_round(event)
        before = Pairing.objects.values().get(pk=match.pk)
        act = set_result(event, ada, 1, match)
        undoing.undo(act, ada, NOON)
        assert Pairing.objects.values().get(pk=match.pk) == before
        assert Game.objects.get(table=match.table).ruling is None
        latest = Correction.objects.latest("pk")
        assert latest.reason == "Taken back: So it was."
        assert (act.undone_by.by, act.undone_by.kind) == (ada, Act.Kind.UNDO)

    def test_a_corrected_score_of_the_room_is_restored_with_its_lone_hands(
        self, ada: Player
    ) -> None:
        event = build.event(ada.memberships.get().club, place=Event.Place.ROOM, rounds=2)
        build.enter(event, 8)
        build.begin(event)
        entered = ruled(1, (3, 6))._replace(lone=(0, 1))
        correcting.set_result(first_table(event), ada, entered, reason="", now=NOON)
        before = Pairing.objects.values().get(pk=first_table(event).pk)
        change = ruled(0, (6, 3))._replace(lone=(1, 0))
        correcting.set_result(first_table(event), ada, change, reason="Sides.", now=NOON)
        undoing.undo(event.acts.latest("pk"), ada, NOON)
        assert Pairing.objects.values().get(pk=before["id"]) == before

    def test_the_first_score_of_the_room_is_an_act_and_can_be_undone(self, ada: Player) -> None:
        event = build.event(ada.memberships.get().club, place=Event.Place.ROOM, rounds=2)
        build.enter(event, 8)
        build.begin(event)
        before = Pairing.objects.values().get(pk=first_table(event).pk)
        correcting.set_result(first_table(event), ada, ruled(1, (3, 6)), reason="", now=NOON)
        (line,) = log.lines_of(event, event.acts.all())
        assert (line.what, line.before, line.after) == ("Set a result", "none", "3–6")
        assert line.undoable
        undoing.undo(line.row, ada, NOON)
        assert Pairing.objects.values().get(pk=before["id"]) == before
        assert not Performance.objects.exists()

    @pytest.mark.parametrize("over", [False, True])
    def test_a_score_of_the_room_is_undone_without_more_time_for_the_round(
        self, ada: Player, over: bool
    ) -> None:
        event = build.event(
            ada.memberships.get().club, place=Event.Place.ROOM, rounds=2, round_minutes=20,
            break_seconds=600,
        )  # fmt: skip
        build.enter(event, 8)
        build.begin(event)
        ends = build.latest(event).ends
        now = NOON + 15 * MINUTE
        for match in build.latest(event).pairings.order_by("-number")[: 1 + over]:
            correcting.set_result(match, ada, ruled(0, (5, 3)), reason="", now=now)
        build.step(event, now)
        assert (build.latest(event).over is not None) == over
        undoing.undo(event.acts.latest("pk"), ada, now)
        assert (build.latest(event).over, build.latest(event).ends) == (None, ends)

    def test_a_score_of_the_room_is_undone_with_what_its_players_had_missed(
        self, ada: Player
    ) -> None:
        event = build.event(ada.memberships.get().club, place=Event.Place.ROOM, rounds=2)
        build.enter(event, 8)
        build.begin(event)
        event.entries.update(missed=1, warned=True)
        correcting.set_result(first_table(event), ada, ruled(0, (5, 3)), reason="", now=NOON)
        assert event.entries.filter(missed=0, warned=False).count() == 4
        undoing.undo(event.acts.latest("pk"), ada, NOON)
        assert event.entries.filter(missed=1, warned=True).count() == 8

    def test_a_forfeit_that_was_ruled_a_score_is_unrated_again(self, ada: Player) -> None:
        event = build.event(ada.memberships.get().club, place=Event.Place.ROOM, rounds=2)
        build.enter(event, 8)
        build.begin(event)
        forfeit = ruled(0, ended=Pairing.How.FORFEIT)
        correcting.set_result(first_table(event), ada, forfeit, reason="", now=NOON)
        before = Pairing.objects.values().get(pk=first_table(event).pk)
        assert not before["rated"]
        undoing.undo(set_result(event, ada), ada, NOON)
        assert Pairing.objects.values().get(pk=before["id"]) == before

    def test_a_forfeit_in_the_room_is_played_after_all(self, ada: Player) -> None:
        club = ada.memberships.get().club
        event = build.event(club, place=Event.Place.ROOM, format="round_robin", rounds=None)
        build.enter(event, 4)
        build.begin(event)
        entry = first_table(event).entries.get(side=0).entry
        leaving_running_event.withdraw(entry, ada, NOON, reason="Left.")
        assert first_table(event).how == Pairing.How.FORFEIT
        undoing.undo(event.acts.latest("pk"), ada, NOON)
        match = first_table(event)
        assert (match.state, match.how, match.table) == (Pairing.State.PLAYING, "", None)
        assert match.in_room

    def test_a_result_set_too_early_is_played_again_at_a_new_table(self, ada: Player) -> None:
        event = running(ada)
        match = first_table(event)
        old = match.table_id
        undoing.undo(set_result(event, ada), ada, NOON)
        match.refresh_from_db()
        assert (match.state, match.how, match.points) == (Pairing.State.CALLED, "", (0, 0))
        assert not match.corrections.exists()
        assert match.table_id != old
        seats = Seat.objects.order_by("position").values_list("player", flat=True)
        assert list(seats.filter(table=match.table_id)) == list(seats.filter(table=old))
        assert Table.objects.filter(pk=old or 0, state=Table.State.CLOSED).exists()
        build.arrive(event)
        build.step(event, NOON)
        end_round(event)
        assert event.played_rounds.count() == 2

    def test_a_round_that_ended_with_it_goes_on(self, ada: Player) -> None:
        event = running(ada, break_seconds=600)
        first, last = build.latest(event).pairings.order_by("number")
        build.win(first, 0, (5, 2))
        act = set_result(event, ada, match=last)
        build.step(event, NOON)
        assert build.latest(event).over is not None
        undoing.undo(act, ada, NOON + 9 * MINUTE)
        build.step(event, NOON + 13 * MINUTE)
        round_ = build.latest(event)
        assert (round_.number, round_.over, round_.ends) == (1, None, NOON + 29 * MINUTE)
        last.refresh_from_db()
        assert last.state == Pairing.State.CALLED  # they have not been missed yet

    def test_it_is_refused_once_the_next_round_is_drawn_with_it(self, ada: Player) -> None:
        event = running(ada)
        act = set_result(event, ada)
        end_round(event)
        with pytest.raises(RefusedError, match="Round 2 was drawn with the result of table 1 of"):
            undoing.undo(act, ada, NOON)

    def test_a_correction_can_be_undone_after_the_next_round_is_drawn(self, ada: Player) -> None:
        event = running(ada)
        match = first_table(event)
        end_round(event)
        undoing.undo(set_result(event, ada, 1, match), ada, NOON)
        match.refresh_from_db()
        assert (match.winner, match.points) == (0, (5, 2))

    def test_only_the_latest_of_two_corrections_can_be_undone(self, ada: Player) -> None:
        event = running(ada)
        match = first_table(event)
        end_round(event)
        first = set_result(event, ada, 1, match)
        second = set_result(event, ada, 0, match)
        with pytest.raises(RefusedError, match="A later act depends on it: “Set a result”"):
            undoing.undo(first, ada, NOON)
        undoing.undo(second, ada, NOON)
        undoing.undo(first, ada, NOON)
        match.refresh_from_db()
        assert (match.how, match.points) == (Pairing.How.PLAYED, (5, 2))

    def test_nothing_is_undone_twice(self, ada: Player) -> None:
        event = running(ada)
        act = set_result(event, ada)
        undoing.undo(act, ada, NOON)
        with pytest.raises(RefusedError, match="Ada has undone this already"):
            undoing.undo(act, ada, NOON)

    def test_a_director_does_not_undo_at_their_own_table(self, ada: Player) -> None:
        event = running(ada)
        act = set_result(event, ada)
        olga = build.director(build.club("The Quarry"), "Olga")
        build.joined(event.club, olga, "director")
        entry = first_table(event).entries.order_by("pk")[0].entry
        entry.players.update(player=olga)
        with pytest.raises(RefusedError, match="Olga plays at table 1"):
            undoing.undo(act, olga, NOON)

    def test_places_follow_when_the_event_is_over(self, ada: Player) -> None:
        event = running(ada, 2, rounds=1, format="swiss", minimum=2)
        match = first_table(event)
        end_round(event)
        assert event.state == Event.State.FINISHED
        act = set_result(event, ada, 1, match)
        assert match.entries.get(side=1).entry.place == 1
        undoing.undo(act, ada, NOON)
        assert match.entries.get(side=0).entry.place == 1


class TestEntries:
    def test_a_withdrawn_player_takes_the_seat_back_from_the_house(self, ada: Player) -> None:
        event = running(ada)
        entry = event.entries.order_by("pk")[0]
        leaving_running_event.withdraw(entry, ada, NOON, reason="Ill.")
        seat = Seat.objects.get(player=entry.players.get().player)
        assert seat.stand_in
        undoing.undo(event.acts.get(), ada, NOON)
        entry.refresh_from_db()
        seat.refresh_from_db()
        assert (entry.state, seat.stand_in) == (Entry.State.ENTERED, False)

    def test_a_match_that_a_withdrawal_lost_is_played_again(self, ada: Player) -> None:
        event = running(ada, 4, format="swiss", rounds=2)
        match = first_table(event)
        entry = match.entries.get(side=0).entry
        before = list(Entry.objects.order_by("pk").values())
        leaving_running_event.withdraw(entry, ada, NOON, reason="Ill.")
        undoing.undo(event.acts.get(), ada, NOON)
        match.refresh_from_db()
        assert match.state == Pairing.State.CALLED
        assert list(Entry.objects.order_by("pk").values()) == before

    def test_a_round_drawn_without_them_is_named(self, ada: Player) -> None:
        event = running(ada)
        entry = event.entries.order_by("pk")[0]
        leaving_running_event.withdraw(entry, ada, NOON, reason="Ill.")
        withdrawal = event.acts.get()
        end_round(event)
        with pytest.raises(RefusedError, match="Round 2 was drawn without"):
            undoing.undo(withdrawal, ada, NOON)
        leaving_running_event.put_back(entry, ada, NOON)
        undoing.undo(event.acts.latest("pk"), ada, NOON)
        entry.refresh_from_db()
        assert entry.state == Entry.State.WITHDRAWN

    def test_nobody_puts_themselves_back_by_undoing(self, ada: Player) -> None:
        event = running(ada)
        olga = build.director(build.club("The Quarry"), "Olga")
        build.joined(event.club, olga, "director")
        entry = event.entries.order_by("pk")[0]
        entry.players.update(player=olga)
        leaving_running_event.withdraw(entry, ada, NOON, reason="Ill.")
        with pytest.raises(RefusedError, match="cannot put their own entry back"):
            undoing.undo(event.acts.get(), olga, NOON)

    def test_a_place_that_has_gone_is_named(self, ada: Player) -> None:
        event = build.event(ada.memberships.get().club, rounds=3, capacity=5)
        build.enter(event, 6)
        first, *_, last = event.entries.order_by("arrival")
        event.entries.filter(pk=last.pk).update(state=Entry.State.WAITING)
        withdrawing.withdraw(first, ada, NOON - MINUTE, reason="Ill.")
        with pytest.raises(RefusedError, match="has gone to the next on the waiting list"):
            undoing.undo(event.acts.get(), ada, NOON - MINUTE)
        assert [act.kind for act in event.acts.all()] == [Act.Kind.WITHDRAW]

    def test_acts_before_the_start_are_undone(self, ada: Player) -> None:
        event = build.event(
            ada.memberships.get().club, rounds=3, check_in_minutes=30, state=Event.State.CHECK_IN
        )
        build.enter(event, 5)
        first, second, *_ = event.entries.order_by("arrival")
        before = list(Entry.objects.order_by("pk").values())
        active = list(EntryPlayer.objects.order_by("pk").values())
        checking_in.check_in(first, ada, NOON - MINUTE)
        withdrawing.withdraw(second, ada, NOON - MINUTE, reason="Ill.")
        house_players.add_house_entries(event, ada, 3, NOON - MINUTE)
        for act in event.acts.order_by("-pk"):
            undoing.undo(act, ada, NOON - MINUTE)
        assert list(Entry.objects.order_by("pk").values()) == before
        assert list(EntryPlayer.objects.order_by("pk").values()) == active
        assert event.acts.count() == 6

    def test_places_of_house_players_go_to_those_who_wait(self, ada: Player) -> None:
        event = build.event(ada.memberships.get().club, rounds=3, capacity=6)
        build.enter(event, 5)
        last = event.entries.order_by("arrival").last()
        assert last is not None
        event.entries.filter(pk=last.pk).update(state=Entry.State.WAITING)
        house_players.add_house_entries(event, ada, 2, NOON - MINUTE)
        undoing.undo(event.acts.get(), ada, NOON - MINUTE)
        last.refresh_from_db()
        assert last.state == Entry.State.ENTERED

    def test_an_entry_that_is_gone_keeps_nobody_from_reading_the_log(self, ada: Player) -> None:
        event = build.event(ada.memberships.get().club, rounds=3)
        house_players.add_house_entries(event, ada, 2, NOON - MINUTE)
        house = event.acts.get()
        withdrawing.withdraw(event.entries.all()[0], ada, NOON - MINUTE, reason="Enough people.")
        gone = event.acts.latest("pk")
        undoing.undo(house, ada, NOON - MINUTE)
        why = undoing.refusals(event, event.acts.all(), ada, NOON - MINUTE)
        assert why == {gone.pk: "This entry has been taken out of the event."}


class TestTime:
    def test_late_times_are_taken_back(self, ada: Player) -> None:
        event = running(ada)
        round_clock.extend_round(event, ada, 5, NOON)
        undoing.undo(event.acts.get(), ada, NOON)
        assert build.latest(event).ends == NOON + 20 * MINUTE

    def test_a_pause_since_then_is_kept(self, ada: Player) -> None:
        event = running(ada)
        round_clock.extend_round(event, ada, 5, NOON)
        act = event.acts.get()
        round_clock.pause(event, ada, NOON)
        round_clock.resume(event, ada, NOON + 10 * MINUTE)
        undoing.undo(act, ada, NOON + 10 * MINUTE)
        assert build.latest(event).ends == NOON + 30 * MINUTE

    def test_tables_that_time_has_ended_are_named(self, ada: Player) -> None:
        event = running(ada, time_up=Event.TimeUp.SCORE, break_seconds=600)
        first, _ = build.latest(event).pairings.order_by("number")
        round_clock.end_round_now(event, ada, NOON)
        act = event.acts.get()
        Pairing.objects.filter(pk=first.pk).update(
            state=Pairing.State.DECIDED, how=Pairing.How.TIME, decided=NOON
        )
        with pytest.raises(RefusedError, match="Time has ended table 1"):
            undoing.undo(act, ada, NOON)
        build.step(event, NOON)
        with pytest.raises(RefusedError, match="The round is over"):
            undoing.undo(act, ada, NOON)

    @pytest.mark.parametrize("verb", [round_clock.pause, starting_and_ending.start_now])
    def test_acts_that_have_an_opposite_or_an_end_are_not_undone(
        self, ada: Player, verb: object
    ) -> None:
        event = build.event(ada.memberships.get().club, rounds=3)
        build.enter(event, 8)
        if verb is round_clock.pause:
            build.begin(event)
        verb(event, ada, NOON)  # type: ignore[operator]
        with pytest.raises(RefusedError, match="cannot be undone"):
            undoing.undo(event.acts.get(), ada, NOON)


def test_a_message_is_taken_from_the_page(ada: Player) -> None:
    event = running(ada)
    message_to_all.post_message(event, ada, "Tea.", NOON)
    undoing.undo(event.acts.get(), ada, NOON)
    assert not event.notices.filter(public=True).exists()


class TestPages:
    def test_what_will_change_is_shown_first_and_done_then(self, ada: Player) -> None:
        event, browser = running(ada), logged_in(ada)
        match = first_table(event)
        end_round(event)
        act = set_result(event, ada, 1, match)
        path = reverse("undo_act", args=[event.pk, act.pk])
        assert path in browser.get(reverse("event_acts", args=[event.pk])).text
        shown = browser.get(path).text
        assert "Round 1, table 1" in shown
        assert re.search(r"<s>3–5</s>.*<b>5–2</b>", shown, re.DOTALL)
        match.refresh_from_db()
        assert match.points == (3, 5)
        seen = re.search(r'name="seen" value="(\w+)"', shown)
        assert seen is not None
        assert browser.post(path, {"seen": seen[1]}).status_code == 303
        match.refresh_from_db()
        assert match.points == (5, 2)
        listed = browser.get(reverse("event_acts", args=[event.pk])).text
        assert "Undid “Corrected a result”" in listed
        assert "undone by Ada" in listed
        assert path not in listed

    def test_the_second_of_two_directors_is_answered_and_does_nothing(self, ada: Player) -> None:
        event, browser = running(ada), logged_in(ada)
        match = first_table(event)
        end_round(event)
        act = set_result(event, ada, 1, match)
        path = reverse("undo_act", args=[event.pk, act.pk])
        seen = re.search(r'name="seen" value="(\w+)"', browser.get(path).text)
        assert seen is not None
        assert browser.post(path, {"seen": seen[1]}).status_code == 303
        second = browser.post(path, {"seen": seen[1]})
        assert second.status_code == 409
        assert "Ada has undone this already" in second.text
        assert event.acts.filter(kind=Act.Kind.UNDO).count() == 1

    def test_anything_else_than_was_shown_is_not_done(self, ada: Player) -> None:
        event, browser = running(ada), logged_in(ada)
        act = set_result(event, ada)
        path = reverse("undo_act", args=[event.pk, act.pk])
        answer = browser.post(path, {"seen": "0" * 16})
        assert answer.status_code == 409
        assert "look at it again" in answer.text
        assert first_table(event).state == Pairing.State.DECIDED
        assert event.acts.count() == 1

    def test_what_depends_on_it_is_named_instead_of_the_button(self, ada: Player) -> None:
        event, browser = running(ada), logged_in(ada)
        act = set_result(event, ada)
        end_round(event)
        shown = browser.get(reverse("undo_act", args=[event.pk, act.pk])).text
        assert "Not now: Round 2 was drawn with the result of table 1" in shown
        assert 'name="seen"' not in shown

    def test_members_are_offered_nothing_to_undo(self, ada: Player) -> None:
        event = running(ada)
        act = set_result(event, ada)
        reader = member("Ben")
        build.joined(event.club, reader)
        text = logged_in(reader).get(reverse("event_acts", args=[event.pk])).text
        assert "Set a result" in text
        assert reverse("undo_act", args=[event.pk, act.pk]) not in text

    def test_an_act_of_another_event_is_not_found(self, ada: Player) -> None:
        act, other = set_result(running(ada), ada), running(ada)
        path = reverse("undo_act", args=[other.pk, act.pk])
        assert logged_in(ada).get(path).status_code == 404


def test_a_preview_changes_nothing(ada: Player) -> None:
    event = running(ada)
    act = set_result(event, ada)
    before = list(Pairing.objects.values()), event.acts.count(), Table.objects.count()
    shown = previews.preview(event, lambda: undoing.undo(act, ada, NOON + timedelta(minutes=1)))
    assert [change.falls for change in shown.changes if change.thing == "Round 1, table 1"] == [
        True
    ]
    assert (list(Pairing.objects.values()), event.acts.count(), Table.objects.count()) == before
    assert not ranking.standings_of(event).rounds


class TestMovedTables:
    def moved(self, ada: Player) -> tuple[Event, Act]:
        club = ada.memberships.get().club
        event = build.event(club, place=Event.Place.MIXED, room_from=9, rounds=2)
        build.enter(event, 8)
        build.begin(event)
        moving_table.move_table(event, ada, 1, 1, NOON, in_room=True)
        return event, event.acts.latest("pk")

    def test_it_stands_in_the_log_and_is_undone(self, ada: Player) -> None:
        event, act = self.moved(ada)
        (line,) = log.lines_of(event, [act])
        assert (line.what, line.before, line.after) == ("Moved a table", "online", "in the room")
        undoing.undo(act, ada, NOON)
        match = first_table(event)
        assert (match.in_room, match.state) == (False, Pairing.State.CALLED)
        assert match.table is not None

    def test_not_once_its_score_is_begun(self, ada: Player) -> None:
        event, act = self.moved(ada)
        values = {"caller": 0, "took": "made", "alone": False}
        ScoreLine.objects.create(
            pairing=first_table(event), key="1", kind="hand", side=0, number=1, values=values
        )
        with pytest.raises(RefusedError, match="has been begun"):
            undoing.undo(act, ada, NOON)
