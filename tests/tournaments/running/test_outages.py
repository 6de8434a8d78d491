"""Outages of the site: no time of an event runs out in one, and none that ran is shorter."""

from datetime import datetime, timedelta
from typing import Any

import pytest

from games.play import outages
from games.play.outages import MARGIN, WEB
from games.sockets import heartbeats
from tests.tournaments import build
from tests.tournaments.build import MINUTE, NOON
from tournaments.acts import round_clock
from tournaments.models import Entry, Event, Pairing, Round
from tournaments.running import clock
from tournaments.running import outages as of_events
from tournaments.setting_up import setting_up

pytestmark = [pytest.mark.django_db, pytest.mark.db]

SECOND = timedelta(seconds=1)
LENGTH = 75 * SECOND
GRACE = LENGTH + MARGIN


def away(began: datetime, length: timedelta = LENGTH) -> datetime:
    """Let the site be away for so long from a moment on; when it is back."""
    heartbeats.beat(WEB, began)
    assert outages.pulse(began + length) is not None
    return began + length


def called(**fields: Any) -> Event:
    """An event whose first round was called at noon, with a minute to come."""
    event = build.event(rounds=3, no_show_minutes=1, **fields)
    build.enter(event, 8)
    build.begin(event)
    return event


def tick(event: Event, now: datetime) -> Event:
    clock.tick(now)
    event.refresh_from_db()
    return event


def undecided(event: Event) -> int:
    first = Pairing.objects.filter(round__event=event, round__number=1)
    return first.filter(state=Pairing.State.CALLED).count()


class TestWaitingForPlayers:
    def test_absence_during_an_outage_is_not_a_forfeit(self) -> None:
        event = called()
        back = away(NOON + 10 * SECOND)
        tick(event, back)
        assert undecided(event) == 2

    def test_no_show_deadline_moves_by_the_outage_and_a_margin(self) -> None:
        event = called()
        away(NOON + 10 * SECOND)
        tick(event, NOON + MINUTE + GRACE - SECOND)
        assert undecided(event) == 2
        tick(event, NOON + MINUTE + GRACE)
        assert undecided(event) == 0

    def test_no_show_deadline_is_unchanged_without_an_outage(self) -> None:
        event = called()
        tick(event, NOON + MINUTE)
        assert undecided(event) == 0

    def test_no_deadline_passes_during_an_outage(self, monkeypatch: pytest.MonkeyPatch) -> None:
        event = called()
        heartbeats.beat(WEB, NOON + 59 * SECOND)
        tick(event, outages.present())
        assert undecided(event) == 2


class TestRounds:
    def test_running_round_is_extended(self) -> None:
        event = called(round_minutes=20)
        build.arrive(event)
        build.step(event, NOON)
        away(NOON + 19 * MINUTE)
        assert build.latest(event).ends == NOON + 20 * MINUTE + GRACE
        tick(event, NOON + 20 * MINUTE + GRACE - SECOND)
        assert build.latest(event).over is None
        tick(event, NOON + 20 * MINUTE + GRACE)
        assert set(_time_ups(event)) != {""}

    def test_deadline_of_the_last_hand_is_extended(self) -> None:
        event = called(round_minutes=20)
        build.arrive(event)
        build.step(event, NOON)
        tick(event, NOON + 20 * MINUTE)
        before = _time_ups(event)
        back = away(NOON + 21 * MINUTE, 10 * MINUTE)
        tick(event, back)
        assert (_time_ups(event), build.latest(event).over) == (before, None)

    def test_round_without_a_limit_stays_unlimited(self) -> None:
        event = called()
        away(NOON + 10 * SECOND)
        assert build.latest(event).ends is None

    def test_finished_round_keeps_its_times(self) -> None:
        event = called(break_seconds=0)
        _forfeit_all(event, NOON + MINUTE)
        first = event.played_rounds.get(number=1)
        back = away(NOON + 2 * MINUTE)
        tick(event, back)
        again = event.played_rounds.get(number=1)
        assert (again.called, again.over) == (first.called, first.over)

    def test_break_is_extended(self) -> None:
        event = called(break_seconds=60)
        _forfeit_all(event, NOON + MINUTE)
        assert event.played_rounds.count() == 1
        away(NOON + MINUTE + 30 * SECOND)
        tick(event, NOON + 2 * MINUTE + GRACE - SECOND)
        assert event.played_rounds.count() == 1
        tick(event, NOON + 2 * MINUTE + GRACE)
        assert event.played_rounds.count() == 2

    def test_paused_event_is_not_moved_twice(self) -> None:
        event = called(round_minutes=20)
        round_clock.pause(event, event.created_by, NOON + MINUTE)
        back = away(NOON + 2 * MINUTE)
        assert build.latest(event).ends == NOON + 20 * MINUTE
        round_clock.resume(event, event.created_by, back)
        assert build.latest(event).ends == NOON + 21 * MINUTE + LENGTH


def _forfeit_all(event: Event, now: datetime) -> None:
    tick(event, now)
    assert undecided(event) == 0


def _time_ups(event: Event) -> list[str]:
    return list(Pairing.objects.filter(round__event=event).values_list("time_up", flat=True))


class TestStarts:
    def planned(self, **fields: Any) -> Event:
        due = NOON - timedelta(days=1)
        event = build.event(**{"rounds": 3, "check_in_minutes": 15, "due": due, **fields})
        build.enter(event, 8)
        return event

    def test_near_start_and_check_in_are_postponed(self) -> None:
        event = tick(self.planned(), NOON - 10 * MINUTE)
        assert event.state == Event.State.CHECK_IN
        back = away(NOON - MINUTE)
        tick(event, back)
        assert (event.state, event.starts) == (Event.State.CHECK_IN, NOON + GRACE)
        Entry.objects.filter(event=event).update(state=Entry.State.CHECKED_IN)
        tick(event, NOON + GRACE - SECOND)
        assert event.state == Event.State.CHECK_IN
        tick(event, NOON + GRACE)
        assert (event.state, event.started) == (Event.State.RUNNING, NOON + GRACE)

    def test_postponed_start_keeps_check_ins(self) -> None:
        event = tick(self.planned(), NOON - 15 * MINUTE)
        Entry.objects.filter(event=event).update(state=Entry.State.CHECKED_IN)
        back = away(NOON - 15 * MINUTE + SECOND, 5 * MINUTE)
        tick(event, back)
        states = set(event.entries.values_list("state", flat=True))
        assert (event.state, states) == (Event.State.CHECK_IN, {Entry.State.CHECKED_IN})

    def test_start_without_check_in_leaves_time_to_return(self) -> None:
        event = self.planned(check_in_minutes=0)
        back = away(NOON - MINUTE)
        tick(event, back)
        assert event.state != Event.State.RUNNING
        tick(event, NOON + GRACE)
        assert event.state == Event.State.RUNNING

    def test_distant_start_is_not_moved(self) -> None:
        event = self.planned()
        away(NOON - timedelta(hours=3))
        event.refresh_from_db()
        assert (event.starts, event.notices.count()) == (NOON, 0)

    def test_start_missed_by_hours_is_left_to_the_directors(self) -> None:
        event = self.planned()
        back = away(NOON - MINUTE, timedelta(hours=3))
        tick(event, back)
        assert (event.starts, event.state) == (NOON, Event.State.REGISTRATION)
        assert event.notices.filter(text__startswith="Missed its start").exists()

    def test_next_weekly_event_keeps_the_original_time(self) -> None:
        event = tick(self.planned(recurrence="weekly"), NOON - 10 * MINUTE)
        away(NOON - MINUTE)
        tick(event, NOON + GRACE)
        later = Event.objects.get(repeat_of=event)
        assert (later.starts, later.put_off) == (NOON + timedelta(days=7), timedelta())
        assert later.registration_closes == NOON + timedelta(days=7)

    def test_start_reset_by_a_director_is_kept(self) -> None:
        event = self.planned()
        away(NOON - MINUTE)
        event.refresh_from_db()
        wanted = Event.objects.get(pk=event.pk)
        wanted.starts = NOON + timedelta(hours=1)
        setting_up.change(event, wanted, event.created_by, NOON + LENGTH)
        event.refresh_from_db()
        assert event.put_off == timedelta()


class TestTold:
    def test_entries_are_mailed_about_the_outage(self) -> None:
        event = called()
        version = event.version
        away(NOON + 10 * SECOND)
        event.refresh_from_db()
        (told,) = event.notices.filter(public=True)
        away_for = "1 minute 15 seconds"
        assert told.text == (
            f"The site was away for {away_for}. All times are 1 minute 35 seconds later."
        )
        assert event.version > version

    @pytest.mark.parametrize(
        ("seconds", "words"),
        [
            (1, "1 second"),
            (60, "1 minute"),
            (140, "2 minutes 20 seconds"),
            (3600, "1 hour"),
            (11105, "3 hours 5 minutes"),
        ],
    )
    def test_outage_in_words(self, seconds: int, words: str) -> None:
        assert of_events.in_words(timedelta(seconds=seconds)) == words


def test_finished_events_and_drafts_are_not_moved() -> None:
    over = called()
    Event.objects.filter(pk=over.pk).update(state=Event.State.FINISHED)
    draft = build.event(over.club, state=Event.State.DRAFT)
    before = list(Round.objects.values_list("called", flat=True))
    away(NOON - MINUTE)
    assert list(Round.objects.values_list("called", flat=True)) == before
    draft.refresh_from_db()
    assert draft.starts == NOON
    assert not over.notices.filter(public=True).exists()


class TestBusy:
    """A heartbeat that comes late by load alone moves no event, and nothing is said."""

    def late(self, length: timedelta, *, ran: bool) -> Event:
        event = called()
        heartbeats.beat(WEB, NOON + 10 * SECOND)
        outage = outages.pulse(NOON + 10 * SECOND + length, ran=ran)
        assert outage is not None
        event.refresh_from_db()
        return event

    def test_a_process_that_ran_all_the_time_was_only_slow(self) -> None:
        event = self.late(7 * SECOND, ran=True)
        assert not event.notices.filter(public=True).exists()
        assert build.latest(event).called == NOON

    @pytest.mark.parametrize(("seconds", "ran"), [(7, False), (31, True)])
    def test_a_new_process_or_a_longer_time_is_an_outage(self, seconds: int, ran: bool) -> None:
        event = self.late(seconds * SECOND, ran=ran)
        assert event.notices.get(public=True).text.startswith(f"The site was away for {seconds} s")
        assert build.latest(event).called > NOON
