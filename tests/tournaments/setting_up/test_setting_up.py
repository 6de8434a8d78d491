"""Setting an event up, publishing it, and what can be changed when."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from games.engine.rules import STICK_THE_DEALER, rules_to_data
from tests.factories import member
from tests.tournaments import build
from tests.tournaments.build import MINUTE, NOON
from tests.tournaments.entering.test_entering import letters_to, states
from tournaments.entering import entering
from tournaments.models import Entry, Event, Letter
from tournaments.refusals import RefusedError
from tournaments.setting_up import setting_up

pytestmark = pytest.mark.django_db

EARLY = NOON - timedelta(hours=2)
State = Event.State
ANOTHER: dict[str, Any] = {
    "name": "Friday euchre",
    "about": "Bring cake.",
    "round_minutes": 20,
    "time_up": Event.TimeUp.SCORE,
    "break_seconds": 120,
    "turn_seconds": 30,
    "no_show": Event.NoShow.STAND_IN,
    "no_show_minutes": 3,
    "withdraw_absent": True,
    "delayed": True,
    "starts": NOON + 60 * MINUTE,
    "registration_closes": NOON + 30 * MINUTE,
    "check_in_minutes": 30,
    "scoring": Event.Scores.MATCHPOINTS,
    "recurrence": "weekly",
    "no_event_on": ["2026-12-24"],
    "capacity": 32,
    "minimum": 8,
    "rounds": 5,
    "cycles": 2,
    "rules_data": rules_to_data(STICK_THE_DEALER),
    "format": "progressive",
    "place": "mixed",
    "room_from": 3,
    "venue": "The Anchor",
    "address": "1 Quay",
    "movement": Event.Movement.UP_AND_DOWN,
    "second_stage": "single_elimination",
    "qualifiers": 8,
    "third_place": True,
    "match": Event.Match.DEALS,
    "deals": 8,
    "final_match": Event.Match.DEALS,
    "final_deals": 12,
    "tie_breaks": ["wins"],
    "sit_out": Event.SitOut.FIXED,
    "credit_half_wins": 1,
    "late_half_wins": 1,
    "rated": False,
    "house_prizes": True,
    "ties": Event.Ties.HAND,
    "members_only": True,
    "min_rating": 1400,
    "max_rating": 1600,
    "min_games": 3,
    "registration_opens": EARLY + MINUTE,
    "currency": "EUR",
    "entry_money": 500,
    "club_share": 100,
    "lone_pot": 50,
    "euchre_pot": 40,
    "prizes": [{"amount": 0, "percent": 100}],
}


def altered(event: Event, **fields: Any) -> Event:
    """The event as a form wants it to be, not stored."""
    wanted = Event.objects.get(pk=event.pk)
    for name, value in fields.items():
        setattr(wanted, name, value)
    return wanted


def ada(event: Event) -> Any:
    """A director of the event's club."""
    return build.director(event.club)


class TestNew:
    def test_new_event_begins_in_a_week_in_the_clubs_evening(self) -> None:
        club = build.club(time_zone="America/New_York")
        now = datetime(2026, 11, 27, 2, tzinfo=UTC)  # still Thursday in New York
        event = setting_up.new_event(club, now)
        assert event.name == "Thursday euchre"
        assert event.starts.astimezone(club.zone).isoformat() == "2026-12-03T19:30:00-05:00"
        assert event.registration_opens == now
        event.clean()

    def test_copied_event_is_a_draft_on_the_next_same_weekday(self) -> None:
        club = build.club(time_zone="America/New_York")
        played = build.event(
            club, starts=datetime(2026, 10, 29, 23, 30, tzinfo=UTC), recurrence="weekly",
            state=State.FINISHED, capacity=20,
        )  # fmt: skip
        event = setting_up.copy_to_next_date(played, datetime(2026, 11, 20, 12, tzinfo=UTC))
        assert event.starts.astimezone(club.zone).isoformat() == "2026-11-26T19:30:00-05:00"
        assert (event.capacity, event.state) == (20, State.DRAFT)
        assert not event.recurrence
        assert not Event.objects.exclude(pk=played.pk).exists()


class TestPublish:
    @pytest.mark.parametrize(
        ("now", "state"),
        [
            (EARLY - MINUTE, State.ANNOUNCED),
            (EARLY, State.REGISTRATION),
            (NOON - 40 * MINUTE, State.READY),
            (NOON - 5 * MINUTE, State.CHECK_IN),
        ],
    )
    def test_published_event_has_the_state_of_its_times(self, now: datetime, state: State) -> None:
        draft = build.event(
            state=State.DRAFT, registration_opens=EARLY, check_in_minutes=15,
            registration_closes=NOON - 45 * MINUTE,
        )  # fmt: skip
        event = setting_up.publish(draft, ada(draft), now)
        assert event.state == state
        assert event.due is not None
        assert event.due > now

    def test_only_a_draft_can_be_published(self) -> None:
        event = build.event()
        for now in (NOON - MINUTE, NOON):
            with pytest.raises(RefusedError, match="published already"):
                setting_up.publish(event, event.created_by, now)

    def test_draft_cannot_be_published_after_its_start(self) -> None:
        event = build.event(state=State.DRAFT)
        with pytest.raises(RefusedError, match="Set a later one"):
            setting_up.publish(event, ada(event), NOON)

    def test_only_a_draft_is_deleted(self) -> None:
        draft, event = build.event(state=State.DRAFT), build.event(build.club("Two"))
        setting_up.delete_draft(draft)
        with pytest.raises(RefusedError, match="Cancel the event instead"):
            setting_up.delete_draft(event)
        assert Event.objects.get() == event


class TestChange:
    def test_every_setting_can_be_changed_in_a_draft(self) -> None:
        assert ANOTHER.keys() == setting_up.SETTINGS
        event = build.event(state=State.DRAFT)
        setting_up.change(event, altered(event, **ANOTHER), ada(event), EARLY - MINUTE)
        event.refresh_from_db()
        assert {name: getattr(event, name) for name in ANOTHER} == ANOTHER

    @pytest.mark.parametrize("state", State)
    def test_each_setting_changes_or_is_refused_as_documented(self, state: State) -> None:
        event = build.event(state=state, started=NOON if state == State.RUNNING else None)
        if state != State.ANNOUNCED:
            build.enter(event, 1)
        by, now = ada(event), EARLY
        if state == State.ANNOUNCED:
            now -= timedelta(days=2)
        for name, value in ANOTHER.items():
            wanted = altered(event, **{name: value})
            if name in setting_up.changeable(event):
                assert setting_up.change(event, wanted, by, now) == [name]
            else:
                with pytest.raises(RefusedError) as refusal:
                    setting_up.change(event, wanted, by, now)
                assert refusal.value.code == "fixed"
                assert setting_up.in_words(name) in refusal.value.message
            stored = Event.objects.get(pk=event.pk)
            assert (getattr(stored, name) == value) == (name in setting_up.changeable(event))

    def test_everything_can_be_changed_before_the_first_entry(self) -> None:
        event = build.event()
        assert setting_up.changeable(event) == setting_up.SETTINGS
        assert setting_up.changeable_in_words(event) == ""
        by = ada(event)
        wanted = altered(event, format="progressive", registration_opens=NOON - MINUTE)
        setting_up.change(event, wanted, by, EARLY)
        event.refresh_from_db()
        assert (event.format, event.state) == ("progressive", State.ANNOUNCED)
        setting_up.change(event, altered(event, registration_opens=EARLY), by, EARLY)
        entering.register(Event.objects.get(pk=event.pk), member("Maeve"), EARLY)
        event.refresh_from_db()
        assert "format" not in setting_up.changeable(event)
        said = "what follows a tie and the pace can be changed"
        assert said in setting_up.changeable_in_words(event)
        assert {"starts", "capacity", "about"} <= setting_up.changeable(event)

    def test_entries_are_mailed_about_changes(self) -> None:
        event, maeve = build.event(), member("Maeve")
        entering.register(event, maeve, EARLY)
        by = ada(event)
        setting_up.change(event, altered(event, round_minutes=25, rounds=4), by, EARLY)
        setting_up.change(event, altered(event, about="Bring cake."), by, EARLY)
        setting_up.change(event, altered(event, recurrence="weekly"), by, EARLY)
        assert letters_to(maeve) == ["Changed: Thursday euchre"] * 2
        pace, text = Letter.objects.filter(user=maeve.user).order_by("pk")
        assert "Ada has changed" in pace.text
        assert "round minutes, rounds" in pace.text
        assert ": description." in text.text

    def test_a_letter_names_the_zone_of_its_times(self) -> None:
        event = build.event(build.club(time_zone="Europe/Dublin"))
        maeve = member("Maeve")
        entering.register(event, maeve, EARLY)
        later = altered(event, starts=NOON + 60 * MINUTE)
        setting_up.change(event, later, ada(event), EARLY)
        text = Letter.objects.get(user=maeve.user).text
        assert "starts on Saturday 7 March, 13:00 Dublin time." in text

    def test_change_is_recorded(self) -> None:
        event = build.event()
        by = ada(event)
        wanted = altered(event, capacity=300, break_seconds=60)
        setting_up.change(event, wanted, by, EARLY)
        line = event.notices.get()
        assert (line.text, line.by) == ("Changed: break seconds, places.", by)

    def test_nothing_changed_is_no_change(self) -> None:
        event = build.event()
        assert setting_up.change(event, altered(event), ada(event), EARLY) == []
        assert not event.notices.exists()

    def test_added_places_go_to_the_waiting_list(self) -> None:
        event = build.event(capacity=4)
        people = [member(name) for name in ("Maeve", "Ben", "Iris", "Jonah", "Otto", "Clara")]
        for person in people:
            entering.register(event, person, EARLY)
        setting_up.change(event, altered(event, capacity=5), ada(event), EARLY)
        assert states(event)[4:] == [
            ("Otto", Entry.State.ENTERED),
            ("Clara", Entry.State.WAITING),
        ]
        assert "You have a place: Thursday euchre" in letters_to(people[4])

    def test_reducing_places_below_entries_is_refused(self) -> None:
        event = build.event(capacity=8)
        build.enter(event, 6)
        with pytest.raises(RefusedError, match="6 have a place already"):
            setting_up.change(event, altered(event, capacity=5), ada(event), EARLY)

    def test_entries_are_mailed_about_a_new_start(self) -> None:
        event, maeve = build.event(), member("Maeve")
        entering.register(event, maeve, EARLY)
        by, later = ada(event), NOON + 60 * MINUTE
        setting_up.change(event, altered(event, starts=later), by, EARLY)
        setting_up.change(event, altered(event, starts=NOON), by, EARLY)
        assert letters_to(maeve) == ["Another time: Thursday euchre"] * 2
        with pytest.raises(RefusedError, match="in the future"):
            setting_up.change(event, altered(event, starts=EARLY), by, EARLY)

    def test_clock_follows_changed_times(self) -> None:
        event = build.event(state=State.READY, registration_closes=EARLY)
        wanted = altered(event, registration_closes=NOON)
        setting_up.change(event, wanted, ada(event), EARLY + MINUTE)
        event.refresh_from_db()
        assert (event.state, event.due) == (State.REGISTRATION, NOON)

    def test_postponed_start_resets_check_ins(self) -> None:
        event = build.event(state=State.CHECK_IN, check_in_minutes=15)
        maeve = member("Maeve")
        entering.register(event, maeve, NOON - 5 * MINUTE)
        assert event.entries.get().state == Entry.State.CHECKED_IN
        later = NOON + 60 * MINUTE
        wanted = altered(event, starts=later, registration_closes=later)
        setting_up.change(event, wanted, ada(event), NOON - 4 * MINUTE)
        event.refresh_from_db()
        assert event.state == State.REGISTRATION
        assert event.entries.get().state == Entry.State.ENTERED

    def test_changed_running_event_is_due_at_once(self) -> None:
        event = build.event(rounds=3)
        build.enter(event, 4)
        build.begin(event)
        wanted = altered(event, break_seconds=30)
        setting_up.change(event, wanted, ada(event), NOON + MINUTE)
        event.refresh_from_db()
        assert event.due == NOON + MINUTE
