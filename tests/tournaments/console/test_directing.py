"""What a director may do to a running event."""

from datetime import timedelta
from random import Random
from typing import Any

import pytest
from django.test import Client

from games.models import Game, Performance, Player, Table
from games.records import performances
from tests.factories import member
from tests.tournaments import build
from tests.tournaments.build import MINUTE, NOON, ruled
from tournaments.acts import (
    correcting,
    house_players,
    message_to_all,
    round_clock,
    starting_and_ending,
)
from tournaments.entering import leaving_running_event
from tournaments.models import Entry, EntryPlayer, Event, Letter, Pairing
from tournaments.refusals import RefusedError
from tournaments.running import clock
from tournaments.standings import ranking

pytestmark = [pytest.mark.django_db, pytest.mark.db]

DAY = timedelta(days=1)


@pytest.fixture
def ada() -> Player:
    """The director."""
    return member("Ada")


def running(players: int = 8, **fields: Any) -> Event:
    event = build.event(**{"rounds": 3, "round_minutes": 20, **fields})
    build.enter(event, players)
    build.begin(event)
    build.arrive(event)
    build.step(event, NOON)
    return event


def end_round(event: Event, now: Any = NOON) -> None:
    for pairing in build.latest(event).pairings.filter(state=Pairing.State.PLAYING):
        build.win(pairing, 0)
    build.step(event, now)


class TestClock:
    def test_pause_stops_time_and_postpones_all_deadlines(self, ada: Player) -> None:
        event = running(time_up=Event.TimeUp.SCORE)
        round_clock.pause(event, ada, NOON + 10 * MINUTE)
        event.refresh_from_db()
        build.step(event, NOON + 60 * MINUTE)
        assert build.latest(event).pairings.filter(state=Pairing.State.PLAYING).count() == 2
        round_clock.resume(event, ada, NOON + 60 * MINUTE)
        assert build.latest(event).ends == NOON + 70 * MINUTE
        build.step(event, NOON + 69 * MINUTE)
        assert build.latest(event).over is None
        build.step(event, NOON + 70 * MINUTE)
        assert event.played_rounds.get(number=1).over == NOON + 70 * MINUTE

    def test_pause_cannot_be_repeated_or_ended_before_it_began(self, ada: Player) -> None:
        event = running()
        with pytest.raises(RefusedError, match="not paused"):
            round_clock.resume(event, ada, NOON)
        round_clock.pause(event, ada, NOON)
        with pytest.raises(RefusedError, match="only once"):
            round_clock.pause(event, ada, NOON)

    def test_pause_has_a_maximum(self, ada: Player) -> None:
        event = running(round_minutes=None)
        round_clock.pause(event, ada, NOON)
        round_clock.extend_round(event, ada, 10, NOON + DAY)
        build.step(event, NOON + DAY)  # what a director sets is looked at, and changes no pause
        round_clock.resume(event, ada, NOON + 5 * DAY)
        round_clock.pause(event, ada, NOON + 5 * DAY)
        clock.tick(NOON + 7 * DAY - MINUTE)
        event.refresh_from_db()
        assert event.paused is not None
        clock.tick(NOON + 7 * DAY)
        event.refresh_from_db()
        assert event.paused_for == 7 * DAY
        assert not Event.objects.filter(paused__isnull=False).exists()
        assert event.notices.filter(
            text="Resumed automatically after pauses of 7 days in total.", public=True
        ).exists()
        assert build.latest(event).ends == NOON + 7 * DAY + 10 * MINUTE
        with pytest.raises(RefusedError, match="paused for 7 days"):
            round_clock.pause(event, ada, NOON + 8 * DAY)

    def test_a_round_is_made_longer_and_shorter(self, ada: Player) -> None:
        event = running()
        round_clock.extend_round(event, ada, 5, NOON)
        assert build.latest(event).ends == NOON + 25 * MINUTE
        round_clock.extend_round(event, ada, -10, NOON)
        assert build.latest(event).ends == NOON + 15 * MINUTE

    def test_a_break_goes_on_after_a_pause_where_it_stopped(self, ada: Player) -> None:
        event = running(break_seconds=600)
        end_round(event, NOON + MINUTE)
        round_clock.pause(event, ada, NOON + 3 * MINUTE)
        round_clock.resume(event, ada, NOON + 33 * MINUTE)
        build.step(event, NOON + 40 * MINUTE)
        assert (build.latest(event).number, event.due) == (1, NOON + 41 * MINUTE)
        build.step(event, NOON + 41 * MINUTE)
        assert build.latest(event).number == 2

    def test_time_called_during_a_pause_is_up_when_the_pause_ends(self, ada: Player) -> None:
        event = running(time_up=Event.TimeUp.SCORE)
        round_clock.pause(event, ada, NOON + 5 * MINUTE)
        round_clock.end_round_now(event, ada, NOON + 15 * MINUTE)
        round_clock.resume(event, ada, NOON + 25 * MINUTE)
        build.step(event, NOON + 25 * MINUTE)
        assert event.played_rounds.get(number=1).over == NOON + 25 * MINUTE

    def test_a_limit_given_during_a_pause_counts_from_its_end(self, ada: Player) -> None:
        event = running(round_minutes=None)
        round_clock.pause(event, ada, NOON + 5 * MINUTE)
        round_clock.extend_round(event, ada, 10, NOON + 15 * MINUTE)
        round_clock.resume(event, ada, NOON + 25 * MINUTE)
        assert build.latest(event).ends == NOON + 35 * MINUTE

    def test_a_break_ended_during_a_pause_is_over_when_the_pause_ends(self, ada: Player) -> None:
        event = running(break_seconds=600)
        end_round(event)
        round_clock.pause(event, ada, NOON + MINUTE)
        round_clock.next_round_now(event, ada, NOON + 2 * MINUTE)
        build.step(event, NOON + 3 * MINUTE)
        assert build.latest(event).number == 1
        round_clock.resume(event, ada, NOON + 4 * MINUTE)
        build.step(event, NOON + 4 * MINUTE)
        assert build.latest(event).number == 2

    @pytest.mark.parametrize("minutes", [0, 121, -121])
    def test_number_of_extra_minutes_is_limited(self, ada: Player, minutes: int) -> None:
        with pytest.raises(RefusedError, match="From 1 to 120 minutes"):
            round_clock.extend_round(running(), ada, minutes, NOON)

    def test_time_is_called(self, ada: Player) -> None:
        event = running(time_up=Event.TimeUp.SCORE)
        round_clock.end_round_now(event, ada, NOON + MINUTE)
        build.step(event, NOON + MINUTE)
        past = event.played_rounds.get(number=1)
        assert {pairing.how for pairing in past.pairings.all()} == {Pairing.How.TIME}

    def test_a_break_is_ended(self, ada: Player) -> None:
        event = running(break_seconds=600)
        with pytest.raises(RefusedError, match="still being played"):
            round_clock.next_round_now(event, ada, NOON)
        end_round(event)
        round_clock.next_round_now(event, ada, NOON + MINUTE)
        build.step(event, NOON + MINUTE)
        assert build.latest(event).number == 2

    def test_an_event_is_started_before_its_time(self, ada: Player) -> None:
        event = build.event(rounds=3)
        build.enter(event, 4)
        starting_and_ending.start_now(event, ada, NOON - timedelta(hours=3))
        build.step(event, NOON - timedelta(hours=3))
        assert build.latest(event).called == NOON - timedelta(hours=3)

    def test_entry_without_check_in_is_left_out_of_a_manual_start(self, ada: Player) -> None:
        event = build.event(rounds=3, state=Event.State.CHECK_IN, check_in_minutes=60)
        entries = build.enter(event, 6)
        here = [entry.pk for entry in entries[:4]]
        Entry.objects.filter(pk__in=here).update(state=Entry.State.CHECKED_IN)
        starting_and_ending.start_now(event, ada, NOON - 10 * MINUTE)
        assert {entry.pk for entry in event.entries.filter(seed__isnull=False)} == set(here)

    def test_manually_started_weekly_event_keeps_its_weekday_and_time(self, ada: Player) -> None:
        event = build.event(rounds=3, recurrence="weekly")
        build.enter(event, 4)
        starting_and_ending.start_now(event, ada, NOON - timedelta(hours=3))
        assert event.repeats.get().starts == NOON + timedelta(days=7)

    def test_event_with_too_few_entries_is_not_started(self, ada: Player) -> None:
        event = build.event(rounds=3)
        build.enter(event, 3)
        with pytest.raises(RefusedError, match="At least 4 entries"):
            starting_and_ending.start_now(event, ada, NOON - timedelta(hours=3))
        event.refresh_from_db()
        assert (event.state, event.starts) == (Event.State.REGISTRATION, NOON)


class TestCancel:
    def test_cancelling_ends_games_and_mails_the_reason(self, ada: Player) -> None:
        event = running()
        maeve = member("Maeve")
        EntryPlayer.objects.filter(entry=event.entries.first()).update(player=maeve)
        starting_and_ending.cancel(event, ada, "The power is out.", NOON)
        event.refresh_from_db()
        assert event.state == Event.State.CANCELLED
        assert not Game.objects.filter(state=Game.State.PLAYING).exists()
        assert "The power is out." in Letter.objects.get(user=maeve.user).text
        build.step(event, NOON + MINUTE)
        assert event.played_rounds.count() == 1

    def test_cancelled_weekly_event_is_repeated_the_next_week(self, ada: Player) -> None:
        event = build.event(rounds=3, recurrence="weekly")
        starting_and_ending.cancel(event, ada, "The hall is closed.", NOON - timedelta(days=1))
        assert event.repeats.get().starts == NOON + timedelta(days=7)

    def test_cancelling_needs_a_reason(self, ada: Player) -> None:
        with pytest.raises(RefusedError, match="1 to 200 characters"):
            starting_and_ending.cancel(running(), ada, "  ", NOON)

    def test_finished_event_cannot_be_cancelled(self, ada: Player) -> None:
        event = build.event(rounds=1)
        build.enter(event, 4)
        build.play_to_end(event)
        with pytest.raises(RefusedError, match="Finished"):
            starting_and_ending.cancel(event, ada, "Too late.", NOON)

    def test_aborted_round_counts_no_bye(self, ada: Player) -> None:
        event = running(5, format="swiss", rated=True)
        end_round(event)
        assert build.latest(event).sit_outs.exists()
        starting_and_ending.cancel(event, ada, "The power is out.", NOON)
        event.refresh_from_db()
        standings = ranking.standings_of(event)
        assert standings.rounds == 1
        assert sum(line.sat_out for line in standings.lines) == 1
        page = Client().get(f"/events/{event.pk}/").content.decode()
        assert "while it was being played" in page
        assert "It would have started" not in page
        assert "Broken off" in page
        assert "Everybody’s ratings" in page
        assert "watch table" not in page

    def test_cancelled_before_a_finished_round_has_no_standings(self, ada: Player) -> None:
        event = running()
        starting_and_ending.cancel(event, ada, "The power is out.", NOON)
        assert "Standings appear" not in Client().get(f"/events/{event.pk}/").content.decode()
        page = Client().get(f"/events/{event.pk}/standings/").content.decode()
        assert "No round was finished." in page


class TestEntries:
    def test_house_players_take_free_places(self, ada: Player) -> None:
        event = build.event(rounds=3, capacity=8)
        build.enter(event, 3)
        with pytest.raises(RefusedError, match="5 free places, not 6"):
            house_players.add_house_entries(event, ada, 6, NOON)
        house_players.add_house_entries(event, ada, 5, NOON)
        build.begin(event)
        assert event.entries.filter(house=True, seed__isnull=False).count() == 5
        names = EntryPlayer.objects.filter(entry__house=True).values_list("player__name", flat=True)
        assert len(set(names)) == 5

    def test_withdrawn_team_forfeits_and_is_not_drawn_again(self, ada: Player) -> None:
        event = running(6, format="swiss")
        line = build.latest(event).pairings.order_by("number")[0].entries.get(side=0)
        leaving_running_event.withdraw(line.entry, ada, NOON)
        line.pairing.refresh_from_db()
        assert (line.pairing.how, line.pairing.winner) == (Pairing.How.FORFEIT, 1)
        assert line.pairing.table is not None
        assert line.pairing.table.state == Table.State.CLOSED
        end_round(event)
        assert build.latest(event).pairings.count() == 2
        assert not build.latest(event).pairings.filter(entries__entry=line.entry).exists()
        assert len(ranking.standings_of(event).lines) == 6

    def test_house_player_replaces_a_withdrawn_individual(self, ada: Player) -> None:
        event = running()
        line = build.latest(event).pairings.order_by("number")[0].entries.get(side=0, position=0)
        leaving_running_event.withdraw(line.entry, ada, NOON)
        line.pairing.refresh_from_db()
        assert line.pairing.state == Pairing.State.PLAYING
        assert line.pairing.table is not None
        assert line.pairing.table.seats.get(position=0).stand_in

    def test_player_may_leave_before_the_game_has_begun(self, ada: Player) -> None:
        event = build.event(rounds=3)
        build.enter(event, 4)
        build.begin(event)
        entry = event.entries.all()[0]
        leaving_running_event.withdraw(entry, ada, NOON)
        assert build.latest(event).pairings.get().state == Pairing.State.CALLED
        build.arrive(event)
        build.step(event, NOON)
        player = entry.players.get().player
        assert build.latest(event).pairings.get().state == Pairing.State.PLAYING
        assert player.seats.get().stand_in

    def test_player_may_leave_before_the_first_round_is_drawn(self, ada: Player) -> None:
        event = build.event(rounds=3)
        entries = build.enter(event, 9)
        starting_and_ending.start_now(event, ada, NOON)
        leaving_running_event.withdraw(event.entries.get(pk=entries[0].pk), ada, NOON)
        build.step(event, NOON)
        assert build.latest(event).pairings.count() == 2
        assert not build.latest(event).sit_outs.exists()

    def test_withdrawn_player_returns(self, ada: Player) -> None:
        event = running()
        entry = event.entries.all()[0]
        with pytest.raises(RefusedError, match="played and withdrawn"):
            leaving_running_event.put_back(entry, ada, NOON)
        leaving_running_event.withdraw(entry, ada, NOON)
        with pytest.raises(RefusedError, match="is not playing"):
            leaving_running_event.withdraw(entry, ada, NOON)
        leaving_running_event.put_back(entry, ada, NOON)
        end_round(event)
        assert build.latest(event).pairings.count() == 2

    def test_withdrawal_from_a_knock_out_forfeits_the_rest(self, ada: Player) -> None:
        event = running(4, format="single_elimination", break_seconds=60)
        end_round(event)
        winner = event.played_rounds.get(number=1).pairings.order_by("number")[0]
        leaving_running_event.withdraw(winner.entries.get(side=0).entry, ada, NOON)
        build.step(event, NOON + MINUTE)
        assert event.state == Event.State.FINISHED
        assert build.latest(event).pairings.get().how == Pairing.How.FORFEIT


class TestRecords:
    """What a game that an event stopped is in the records of its players."""

    def results(self, event: Event) -> set[int | None]:
        """Results of those who sat north and south."""
        performances.record_ended()
        noted = Performance.objects.filter(game__table__pairing__round__event=event)
        return set(noted.filter(position__in=(0, 2)).values_list("result", flat=True))

    def led(self) -> tuple[Event, Pairing]:
        """An event with one match, in which north and south lead."""
        event = running(4, time_up=Event.TimeUp.SCORE)
        Game.objects.update(score_0=4, score_1=1)
        return event, build.latest(event).pairings.get()

    def test_leader_wins_when_time_is_up(self) -> None:
        event, _match = self.led()
        build.step(event, NOON + 20 * MINUTE)
        assert self.results(event) == {1}

    def test_leader_who_withdraws_loses_the_match(self, ada: Player) -> None:
        event = running(2, format="single_elimination", minimum=2)
        Game.objects.update(score_0=4, score_1=1)
        match = build.latest(event).pairings.get()
        leaving_running_event.withdraw(match.entries.get(side=0).entry, ada, NOON)
        match.refresh_from_db()
        assert (match.how, match.winner) == (Pairing.How.FORFEIT, 1)
        assert self.results(event) == {-1}

    def test_directors_result_of_a_running_match_counts(self, ada: Player) -> None:
        event, match = self.led()
        correcting.set_result(match, ada, ruled(1, (3, 5)), reason="Nobody came back.", now=NOON)
        assert self.results(event) == {-1}

    def test_running_match_of_a_cancelled_event_does_not_count(self, ada: Player) -> None:
        event, _match = self.led()
        starting_and_ending.cancel(event, ada, "The power is out.", NOON)
        assert self.results(event) == {None}


class TestResults:
    def test_result_set_by_the_director_ends_the_match(self, ada: Player) -> None:
        event = running()
        pairing = build.latest(event).pairings.order_by("number")[0]
        correcting.set_result(pairing, ada, ruled(1, (4, 7)), reason="The net failed.", now=NOON)
        pairing.refresh_from_db()
        assert (pairing.state, pairing.how) == (Pairing.State.DECIDED, Pairing.How.DIRECTOR)
        assert (pairing.winner, pairing.points_0, pairing.points_1) == (1, 4, 7)
        assert pairing.table is not None
        assert pairing.table.games.get().state == Game.State.ABANDONED

    def test_a_correction_is_recorded_and_changes_the_standings_and_trophies(
        self, ada: Player
    ) -> None:
        event = build.event(rounds=1)
        build.enter(event, 4)
        build.begin(event)
        build.play_round(event, NOON, Random(1))
        pairing = event.played_rounds.get().pairings.get()
        before = {entry.pk: entry.place for entry in event.entries.all()}
        other = 1 - pairing.winner
        points = (5, 0) if other == 0 else (0, 5)
        correcting.set_result(pairing, ada, ruled(other, points), reason="Misread.", now=NOON)
        after = {entry.pk: entry.place for entry in event.entries.all()}
        winners = set(pairing.entries.filter(side=other).values_list("entry", flat=True))
        assert {pk for pk, place in after.items() if place in {1, 2}} == winners
        assert winners == {pk for pk, place in before.items() if place in {3, 4}}
        correction = pairing.corrections.get()
        assert correction.before["winner"] == pairing.winner
        assert correction.after["winner"] == other
        assert correction.reason == "Misread."
        assert event.trophies.filter(place=1).get().player.entries.get().entry_id in winners

    @pytest.mark.parametrize(
        ("winner", "points", "reason"),
        [(2, (1, 1), "x"), (0, (-1, 3), "x"), (0, (1000, 3), "x"), (0, (5, 3), "")],
    )
    def test_impossible_result_is_refused(
        self, ada: Player, winner: int, points: tuple[int, int], reason: str
    ) -> None:
        pairing = build.latest(running()).pairings.all()[0]
        with pytest.raises(RefusedError):
            correcting.set_result(pairing, ada, ruled(winner, points), reason=reason, now=NOON)
        pairing.refresh_from_db()
        assert pairing.state == Pairing.State.PLAYING

    def test_tie_in_a_knock_out_is_refused(self, ada: Player) -> None:
        pairing = build.latest(running(4, format="single_elimination")).pairings.all()[0]
        with pytest.raises(RefusedError, match="has a winner"):
            correcting.set_result(pairing, ada, ruled(-1, (5, 5)), reason="Even.", now=NOON)

    def test_winner_already_drawn_keeps_the_win_but_points_can_change(self, ada: Player) -> None:
        event = running(4, format="single_elimination")
        end_round(event)
        pairing = event.played_rounds.get(number=1).pairings.order_by("number")[0]
        with pytest.raises(RefusedError, match="next round has been drawn"):
            correcting.set_result(pairing, ada, ruled(1, (3, 5)), reason="Misread.", now=NOON)
        correcting.set_result(pairing, ada, ruled(0, (5, 4)), reason="Misread.", now=NOON)
        pairing.refresh_from_db()
        assert pairing.points_1 == 4

    def test_final_is_not_corrected_if_it_would_need_another_match(self, ada: Player) -> None:
        event = running(2, format="double_elimination")
        end_round(event)
        build.arrive(event)
        build.step(event, NOON)
        final = build.latest(event).pairings.get()
        unbeaten = next(
            line.side for line in final.entries.all() if line.entry_id == _winner_of_round_1(event)
        )
        build.win(final, unbeaten)
        build.step(event, NOON)
        assert event.state == Event.State.FINISHED
        other = ruled(1 - unbeaten, (5, 3) if unbeaten else (3, 5))
        with pytest.raises(RefusedError, match="another match"):
            correcting.set_result(final, ada, other, reason="Misread.", now=NOON)
        assert event.entries.filter(place=1).count() == 1
        same = ruled(unbeaten, (3, 5) if unbeaten else (5, 3))
        correcting.set_result(final, ada, same, reason="Misread.", now=NOON)


def _winner_of_round_1(event: Event) -> int:
    match = event.played_rounds.get(number=1).pairings.get()
    return match.entries.get(side=match.winner).entry_id


def test_directors_actions_are_recorded(ada: Player) -> None:
    event = running()
    message_to_all.post_message(event, ada, "Tea after round 2.", NOON)
    round_clock.extend_round(event, ada, 5, NOON)
    round_clock.pause(event, ada, NOON)
    lines = [(line.text, line.public) for line in event.notices.filter(by=ada).order_by("pk")]
    assert lines == [
        ("Tea after round 2.", True),
        ("Round 1: +5 minutes.", False),
        ("Paused.", False),
    ]
    assert Entry.objects.filter(event=event).count() == 8
