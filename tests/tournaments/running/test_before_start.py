"""What the clock does before the start, and the event it makes for the week after."""

from datetime import UTC, date, datetime, time, timedelta
from itertools import islice, pairwise
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from django.db import IntegrityError, transaction
from hypothesis import given
from hypothesis import strategies as st

from tests.factories import member
from tests.tournaments import build
from tests.tournaments.build import MINUTE, NOON
from tests.tournaments.entering.test_entering import letters_to, states
from tests.tournaments.entering.test_partners import pair, people
from tournaments.acts import starting_and_ending
from tournaments.changes.row_locks import locked
from tournaments.entering import entering, partners
from tournaments.events import repeating
from tournaments.models import Club, Entry, Event, Letter, Notice
from tournaments.running import before_start
from tournaments.setting_up import setting_up

pytestmark = [pytest.mark.django_db, pytest.mark.db]

EARLY = NOON - timedelta(hours=2)
State = Event.State
CAST = ("Maeve", "Ben", "Iris", "Jonah", "Otto", "Clara")


def tick(event: Event, now: datetime) -> None:
    """Do all that is due before the start, as the clock does."""
    with locked(event) as before:
        while before_start.step(before, now):
            pass
    event.refresh_from_db()


def planned(**fields: Any) -> Event:
    """An announced event: registration from 10:00 to 11:30, check-in from 11:45, start at 12:00."""
    return build.event(
        **{
            "state": State.ANNOUNCED,
            "created": EARLY - MINUTE,
            "reminded": NOON,  # there are tests of reminders elsewhere
            "registration_opens": EARLY,
            "registration_closes": NOON - 30 * MINUTE,
            "check_in_minutes": 15,
            "minimum": 4,
            "capacity": 5,
            "rounds": 3,
            "due": EARLY,
            **fields,
        }
    )


class TestTimes:
    def test_the_clock_moves_the_event_when_each_time_has_come(self) -> None:
        event = planned()
        moments = [
            (EARLY - MINUTE, State.ANNOUNCED, EARLY),
            (EARLY, State.REGISTRATION, NOON - 30 * MINUTE),
            (NOON - 31 * MINUTE, State.REGISTRATION, NOON - 30 * MINUTE),
            (NOON - 30 * MINUTE, State.READY, NOON - 15 * MINUTE),
            (NOON - 15 * MINUTE, State.CHECK_IN, NOON),
            (NOON - MINUTE, State.CHECK_IN, NOON),
        ]
        for now, state, due in moments:
            tick(event, now)
            assert (event.state, event.due) == (state, due)

    def test_registration_may_go_on_during_check_in(self) -> None:
        event = planned(registration_closes=NOON)
        tick(event, EARLY)
        assert event.due == NOON - 15 * MINUTE
        tick(event, NOON - 15 * MINUTE)
        assert event.state == State.CHECK_IN
        assert entering.register(event, member("Maeve"), NOON - MINUTE).arrival == 1

    def test_without_check_in_there_is_none(self) -> None:
        event = planned(check_in_minutes=0)
        tick(event, NOON - MINUTE)
        assert (event.state, event.due) == (State.READY, NOON)

    @pytest.mark.parametrize("state", ["draft", "running", "finished", "cancelled"])
    def test_clock_changes_nothing_else(self, state: str) -> None:
        event = planned(state=state)
        tick(event, NOON + MINUTE)
        assert (event.state, event.version) == (state, 0)

    def test_late_clock_catches_up(self) -> None:
        event = planned()
        build.enter(event, 4)
        tick(event, NOON + 60 * MINUTE)
        assert event.state == State.RUNNING

    def test_running_the_clock_twice_changes_nothing(self) -> None:
        event = planned(check_in_minutes=0)
        build.enter(event, 4)
        for _twice in range(2):
            tick(event, NOON)
        assert event.notices.filter(text__startswith="Started").count() == 1


class TestCheckIn:
    def test_check_in_letter_goes_once_to_entries_and_waiting_list(self) -> None:
        event = planned(registration_closes=NOON, capacity=4)
        tick(event, EARLY)
        people = [member(name) for name in CAST]
        for person in people:
            entering.register(event, person, EARLY)
        for _twice in range(2):
            tick(event, NOON - 15 * MINUTE)
        for person in people:
            assert letters_to(person) == ["Check in now: Thursday euchre"]
        text = Letter.objects.filter(user=people[0].user).get().text
        assert "Saturday 7 March, 12:00" in text
        assert f"/events/{event.pk}/" in text

    def test_absent_entries_lose_their_places_to_checked_in_waiting_entries(self) -> None:
        event = planned(registration_closes=NOON, capacity=4)
        tick(event, EARLY)
        people = [member(name) for name in (*CAST, "Theo")]
        for person in people:
            entering.register(event, person, EARLY)
        tick(event, NOON - 15 * MINUTE)
        for person in (*people[:3], *people[5:]):  # neither Jonah nor Otto, who waits first
            entering.check_in(event, person, NOON - MINUTE)
        tick(event, NOON)
        assert event.state == State.RUNNING
        assert dict(states(event)) == {
            "Maeve": Entry.State.CHECKED_IN,
            "Ben": Entry.State.CHECKED_IN,
            "Iris": Entry.State.CHECKED_IN,
            "Jonah": Entry.State.NO_SHOW,
            "Otto": Entry.State.WAITING,
            "Clara": Entry.State.CHECKED_IN,
            "Theo": Entry.State.WAITING,
        }
        assert "You have a place: Thursday euchre" in letters_to(people[5])
        assert event.notices.filter(text="Jonah: did not check in.").exists()
        assert event.entries.filter(seed__isnull=False).count() == 4

    def test_unopened_check_in_removes_no_entry(self) -> None:
        event = planned()
        build.enter(event, 4)
        tick(event, NOON)  # no worker ran before
        assert event.entries.filter(seed__isnull=False).count() == 4

    def test_house_players_need_not_check_in(self) -> None:
        event = planned()
        build.enter(event, 4)
        event.entries.update(house=True)
        tick(event, NOON - 15 * MINUTE)
        tick(event, NOON)
        assert event.state == State.RUNNING


class TestStart:
    def test_event_begins_with_the_minimum_number(self) -> None:
        event = planned(check_in_minutes=0)
        build.enter(event, 4)
        tick(event, NOON - MINUTE)
        tick(event, NOON)
        assert (event.state, event.started) == (State.RUNNING, NOON)

    def test_event_with_too_few_entries_is_cancelled_and_mailed(self) -> None:
        event = planned(check_in_minutes=0)
        people = [member(name) for name in CAST[:3]]
        for person in people:
            entering.register(event, person, EARLY)
        tick(event, NOON - MINUTE)
        tick(event, NOON)
        assert (event.state, event.ended, event.due) == (State.CANCELLED, NOON, None)
        notice = Notice.objects.get(event=event, public=True)
        assert notice.text == "Cancelled. At least 4 entries are needed; there are 3."
        for person in people:
            assert letters_to(person) == ["Thursday euchre is cancelled"]

    def test_seekers_without_a_partner_are_mailed_during_check_in(self) -> None:
        event = planned(format="swiss", registration_closes=NOON - 5 * MINUTE)
        tick(event, EARLY)
        (maeve,) = people(event, "Maeve")
        partners.seek(event, maeve, EARLY)
        tick(event, NOON - 15 * MINUTE)
        assert (event.state, event.due) == (State.CHECK_IN, NOON - 5 * MINUTE)
        tick(event, NOON - 5 * MINUTE)
        assert (event.state, event.due) == (State.CHECK_IN, NOON)
        assert letters_to(maeve) == ["No partner found: Thursday euchre"]
        assert not event.entries.exists()

    def test_seekers_without_a_partner_are_mailed_when_registration_closes(self) -> None:
        event = planned(format="swiss", minimum=2, capacity=4)
        maeve, ben, iris, jonah = people(event, "Maeve", "Ben", "Iris", "Jonah")
        pair(event, maeve, ben)
        partners.seek(event, iris, EARLY)
        partners.invite(event, jonah, iris, EARLY)
        tick(event, NOON - 31 * MINUTE)
        assert event.entries.count() == 3
        tick(event, NOON - 30 * MINUTE)
        assert [entry.name for entry in event.entries.all()] == ["Maeve and Ben"]
        for person in (iris, jonah):
            assert letters_to(person)[-1] == "No partner found: Thursday euchre"


class TestRepeated:
    def test_next_weekly_event_is_made_when_this_one_begins(self) -> None:
        event = planned(check_in_minutes=0, recurrence="weekly", name="Thursday euchre")
        build.enter(event, 4)
        tick(event, NOON)
        later = event.repeats.get()
        assert (later.state, later.name, later.capacity) == (State.ANNOUNCED, event.name, 5)
        assert later.starts == NOON + timedelta(days=7)
        assert later.registration_opens == EARLY + timedelta(days=7)
        assert later.due == later.registration_opens
        assert later.recurrence == "weekly"
        assert later.seed != event.seed
        assert (later.version, later.started, later.entries.count()) == (0, None, 0)

    def test_next_weekly_event_is_made_when_this_one_is_cancelled(self) -> None:
        event = planned(recurrence="weekly")
        tick(event, NOON)
        assert event.state == State.CANCELLED
        assert event.repeats.get().starts == NOON + timedelta(days=7)

    def test_next_weekly_event_is_made_once(self) -> None:
        event = planned(recurrence="weekly")
        tick(event, NOON)
        assert repeating.make_next(event, NOON) is None
        again = repeating.on_day(event, NOON.date() + timedelta(days=7), NOON)
        again.repeat_of = event
        with pytest.raises(IntegrityError), transaction.atomic():
            again.save()

    def test_the_local_time_stays_when_the_clocks_are_changed(self) -> None:
        club = build.club(time_zone="America/New_York")
        start = datetime(2026, 3, 5, 0, 30, tzinfo=UTC)  # Wednesday, 19:30; clocks: 8 March
        event = planned(
            of=club, starts=start, registration_opens=start - 60 * MINUTE,
            registration_closes=start, recurrence="weekly",
        )  # fmt: skip
        for _week in range(36):
            tick(event, event.starts)
            event = event.repeats.get()
        series = [one.starts for one in club.events.order_by("starts")]
        local = {moment.astimezone(club.zone).strftime("%A %H:%M") for moment in series}
        assert local == {"Wednesday 19:30"}
        assert {(later - one) // timedelta(hours=1) for one, later in pairwise(series)} == {
            167, 168, 169,
        }  # fmt: skip

    def test_skipped_local_time_is_postponed(self) -> None:
        club = build.club(time_zone="America/New_York")
        start = datetime(2026, 3, 1, 7, 30, tzinfo=UTC)  # 2:30; on the 8th there is none
        event = planned(
            of=club, starts=start, registration_opens=start - 60 * MINUTE,
            registration_closes=start, recurrence="weekly",
        )  # fmt: skip
        tick(event, start)
        later = event.repeats.get()
        assert later.starts.astimezone(club.zone).strftime("%d %H:%M") == "08 03:30"

    @pytest.mark.parametrize("name", ["starts", "registration_closes"])
    def test_only_the_date_without_that_hour_is_postponed(self, name: str) -> None:
        club = build.club(time_zone="America/New_York")
        skipped = datetime(2026, 3, 1, 7, 30, tzinfo=UTC)  # 2:30; on the 8th there is none
        times = {"starts": skipped + 60 * MINUTE, "registration_closes": skipped, name: skipped}
        opens = skipped - 60 * MINUTE
        event = planned(of=club, registration_opens=opens, recurrence="weekly", **times)
        for _week in range(3):
            tick(event, event.starts)
            event = event.repeats.get()
        series = [getattr(one, name) for one in club.events.order_by("starts")]
        local = [moment.astimezone(club.zone).strftime("%d %H:%M") for moment in series]
        assert local == ["01 02:30", "08 03:30", "15 02:30", "22 02:30"]

    def test_a_start_moved_by_a_director_on_such_a_date_stays_moved(self) -> None:
        club = build.club(time_zone="America/New_York")
        start = datetime(2026, 3, 1, 7, 30, tzinfo=UTC)
        event = planned(
            of=club, starts=start, registration_opens=start - 60 * MINUTE,
            registration_closes=start, recurrence="weekly",
        )  # fmt: skip
        tick(event, start)
        later = event.repeats.get()
        later.starts += 30 * MINUTE  # 4:00
        later.save()
        tick(later, later.starts)
        assert later.repeats.get().starts.astimezone(club.zone).strftime("%d %H:%M") == "15 04:00"

    def test_registration_at_once_stays_at_once(self) -> None:
        made = NOON - 20 * MINUTE
        event = planned(
            created=made, registration_opens=made.replace(second=0), registration_closes=NOON,
            check_in_minutes=0, recurrence="weekly", state=State.REGISTRATION, due=NOON,
        )  # fmt: skip
        build.enter(event, 4)
        tick(event, NOON)
        later = event.repeats.get()
        assert (later.state, later.registration_opens) == (State.REGISTRATION, NOON)
        assert later.registration_closes == NOON + timedelta(days=7)
        tick(later, later.starts)
        assert later.repeats.get().registration_opens == later.starts

    @pytest.mark.parametrize("by", [timedelta(days=-2), timedelta(days=3, hours=1)])
    def test_a_night_that_is_moved_does_not_move_those_after_it(self, by: timedelta) -> None:
        opens = EARLY - timedelta(days=5)
        event = planned(
            recurrence="weekly", created=opens - MINUTE, registration_opens=opens,
            registration_closes=NOON - 60 * MINUTE,
        )  # fmt: skip
        tick(event, NOON)
        moved = event.repeats.get()
        moved.starts += by
        moved.registration_closes += by
        moved.due = moved.starts
        moved.save()
        tick(moved, moved.starts)
        later = moved.repeats.get()
        assert later.starts.date() == later.series_day == NOON.date() + timedelta(days=14)
        assert later.starts.time() == moved.starts.time()
        assert later.registration_opens == opens + timedelta(days=14)
        assert later.registration_opens <= later.registration_closes <= later.starts

    def test_a_series_goes_on_from_its_first_date_though_that_night_is_moved(self) -> None:
        draft = planned(state=State.DRAFT, recurrence="weekly")
        by = build.director(draft.club)
        event = setting_up.publish(draft, by, EARLY)
        wanted = Event.objects.get(pk=event.pk)
        wanted.starts += timedelta(hours=30)
        setting_up.change(event, wanted, by, EARLY)
        tick(event, wanted.starts)
        assert event.repeats.get().starts == NOON + timedelta(days=7, hours=6)

    def test_a_night_moved_to_another_date_of_its_series_takes_that_date(self) -> None:
        before = NOON.date() - timedelta(days=7)
        event = planned(recurrence="weekly", series_day=before, state=State.READY)
        build.enter(event, 4)
        assert repeating.passed_over(event) == [NOON.date()]
        by = build.director(event.club)
        starting_and_ending.start_now(event, by, NOON - MINUTE)
        assert event.repeats.get().series_day == NOON.date() + timedelta(days=7)

    def test_a_cancelled_night_that_was_moved_takes_no_date_of_its_series(self) -> None:
        event = planned(recurrence="weekly", series_day=NOON.date() - timedelta(days=7))
        by = build.director(event.club)
        starting_and_ending.cancel(event, by, "Snow.", EARLY)
        assert event.repeats.get().series_day == NOON.date()

    @pytest.mark.parametrize(
        ("state", "days"), [(State.REGISTRATION, 14), (State.DRAFT, 7), (State.CANCELLED, 7)]
    )
    def test_a_series_leaves_out_a_date_that_is_planned_already(
        self, state: Event.State, days: int
    ) -> None:
        event = planned(recurrence="weekly", name="Thursday euchre")
        again = repeating.on_day(event, NOON.date() + timedelta(days=7), NOON)
        again.state, again.recurrence = state, ""
        again.save()
        tick(event, NOON)
        assert event.repeats.get().starts == NOON + timedelta(days=days)

    def test_another_rule_begins_with_the_date_that_the_night_has_then(self) -> None:
        event = planned(recurrence="weekly", series_day=NOON.date() - timedelta(days=1))
        wanted = Event.objects.get(pk=event.pk)
        wanted.recurrence = "fortnightly"
        setting_up.change(event, wanted, build.director(event.club), EARLY)
        tick(event, NOON)
        assert event.repeats.get().starts == NOON + timedelta(days=14)

    def test_weekly_series_resumes_in_the_future_after_an_outage(self) -> None:
        event = planned(recurrence="weekly")
        tick(event, NOON + timedelta(days=16))
        assert event.repeats.get().starts == NOON + timedelta(days=21)

    def test_fortnightly_series_keeps_to_its_weeks_after_an_outage(self) -> None:
        event = planned(recurrence="fortnightly")
        tick(event, NOON + timedelta(days=16))
        assert event.repeats.get().starts == NOON + timedelta(days=28)

    @pytest.mark.parametrize(
        ("recurrence", "first", "following"),
        [
            ("fortnightly", "2026-12-10", ["2026-12-24", "2027-01-07", "2027-01-21"]),
            ("monthly", "2026-12-10", ["2027-01-14", "2027-02-11", "2027-03-11"]),
            ("monthly", "2026-10-01", ["2026-11-05", "2026-12-03", "2027-01-07"]),
            ("monthly", "2026-10-28", ["2026-11-25", "2026-12-23", "2027-01-27"]),
            ("last", "2026-10-29", ["2026-11-26", "2026-12-31", "2027-01-28"]),
            ("last", "2028-01-25", ["2028-02-29", "2028-03-28", "2028-04-25"]),
        ],
    )
    def test_days_of_a_series(self, recurrence: str, first: str, following: list[str]) -> None:
        # Half past seven in New York is the next day in UTC.
        zone = ZoneInfo("America/New_York")
        start = datetime.fromisoformat(f"{first}T19:30").replace(tzinfo=zone)
        event = planned(
            of=build.club(time_zone=zone.key), starts=start, recurrence=recurrence,
            registration_opens=start - 60 * MINUTE, registration_closes=start,
        )  # fmt: skip
        days = []
        for _ in following:
            tick(event, event.starts)
            event = event.repeats.get()
            days.append(event.starts.astimezone(zone).isoformat(timespec="minutes")[:16])
        assert days == [f"{day}T19:30" for day in following]

    @given(
        st.dates(date(2020, 1, 1), date(2099, 1, 1)),
        st.sampled_from([one for one in Event.Recurrence if one]),
        st.sets(st.integers(0, 5)),
    )
    def test_dates_of_a_series_follow_its_recurrence(
        self, first: date, recurrence: Event.Recurrence, free: set[int]
    ) -> None:
        event = Event(starts=datetime.combine(first, time(12), UTC), recurrence=recurrence)
        event.club = Club(time_zone="UTC")
        every = list(islice(repeating.following_dates(event), 9))
        assert first < every[0]
        assert {day.weekday() for day in every} == {first.weekday()}
        gaps = {(later - day).days for day, later in pairwise([first, *every])}
        if recurrence == Event.Recurrence.WEEKLY:
            assert gaps == {7}
        elif recurrence == Event.Recurrence.FORTNIGHTLY:
            assert gaps == {14}
        else:
            assert len({(day.year, day.month) for day in every}) == 9
            assert gaps <= {*range(21, 64, 7)}
        if recurrence == Event.Recurrence.LAST:
            assert all((day + timedelta(days=7)).month != day.month for day in every)
        event.no_event_on = [every[number].isoformat() for number in free]
        left = [day for number, day in enumerate(every) if number not in free]
        assert list(islice(repeating.following_dates(event), len(left))) == left

    def test_days_without_an_event_are_kept_for_the_rest_of_the_series(self) -> None:
        free = ["2026-12-24", "2026-12-31"]
        start = datetime(2026, 12, 10, 19, tzinfo=UTC)
        event = planned(
            starts=start, registration_opens=start - 60 * MINUTE, registration_closes=start,
            recurrence="weekly", no_event_on=free,
        )  # fmt: skip
        for day in (17, 38):  # 7 January is the 38th day from 1 December
            tick(event, event.starts)
            event = event.repeats.get()
            assert event.starts == start + timedelta(days=day - 10)
            assert event.no_event_on == free

    def test_the_series_is_ended_from_any_of_its_events(self) -> None:
        event = planned(recurrence="weekly")
        tick(event, NOON)
        later = event.repeats.get()
        repeating.stop(event, build.director(event.club))
        later.refresh_from_db()
        assert not later.recurrence
        tick(later, later.starts)
        assert not later.repeats.exists()
