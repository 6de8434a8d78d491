"""Entering alone, the waiting list, checking in and withdrawing."""

from datetime import timedelta
from typing import Any

import pytest
from django.db import IntegrityError, transaction

from games.engine.rules import HEADS_UP
from games.models import Player
from tests.factories import finish, member, people, player
from tests.factories import table as make_table
from tests.tournaments import build
from tests.tournaments.build import MINUTE, NOON
from tournaments.acts import correcting
from tournaments.entering import conditions, entering
from tournaments.models import Entry, EntryPlayer, Event, Letter, Notice
from tournaments.refusals import RefusedError

pytestmark = [pytest.mark.django_db, pytest.mark.db]

EARLY = NOON - timedelta(hours=2)
State = Entry.State


def states(event: Event) -> list[tuple[str, str]]:
    """Everybody with the state of their entry, in the order in which they came."""
    entries = event.entries.exclude(arrival=None).order_by("arrival")
    return [(entry.name, entry.state) for entry in entries.prefetch_related("players__player")]


def letters_to(person: Player) -> list[str]:
    """The subjects of what a person is written."""
    return list(Letter.objects.filter(user=person.user).values_list("subject", flat=True))


class TestRegister:
    def test_register_gives_a_place_and_then_the_waiting_list(self) -> None:
        event = build.event(capacity=4, minimum=4)
        for name in ("Maeve", "Ben", "Iris", "Jonah", "Otto", "Clara"):
            entering.register(event, member(name), EARLY)
        assert states(event) == [
            ("Maeve", State.ENTERED),
            ("Ben", State.ENTERED),
            ("Iris", State.ENTERED),
            ("Jonah", State.ENTERED),
            ("Otto", State.WAITING),
            ("Clara", State.WAITING),
        ]

    def test_registering_twice_changes_nothing(self) -> None:
        event, maeve = build.event(), member("Maeve")
        first = entering.register(event, maeve, EARLY)
        assert entering.register(event, maeve, EARLY).pk == first.pk
        assert event.entries.count() == 1

    def test_registering_advances_the_page_version(self) -> None:
        event = build.event()
        entering.register(event, member("Maeve"), EARLY)
        event.refresh_from_db()
        assert event.version == 1

    def test_single_player_cannot_enter_a_pairs_event(self) -> None:
        event = build.event(format="swiss")
        with pytest.raises(RefusedError, match="ask a partner") as refusal:
            entering.register(event, member("Maeve"), EARLY)
        assert refusal.value.code == "partner"
        assert not event.entries.exists()

    def test_heads_up_is_entered_alone_in_every_format(self) -> None:
        event = build.event(format="swiss", rules=HEADS_UP)
        assert entering.register(event, member("Maeve"), EARLY).state == State.ENTERED

    def test_entry_during_check_in_is_checked_in(self) -> None:
        event = build.event(check_in_minutes=15, capacity=4)
        for name in ("Maeve", "Ben", "Iris", "Jonah", "Otto"):
            entering.register(event, member(name), NOON - 15 * MINUTE)
        assert {state for _name, state in states(event)[:4]} == {State.CHECKED_IN}
        last = event.entries.get(state=State.WAITING)
        assert last.here

    def test_database_allows_one_entry_per_player(self) -> None:
        event, maeve = build.event(), member("Maeve")
        entering.register(event, maeve, EARLY)
        other = Entry.objects.create(event=event, state=State.ENTERED)
        with pytest.raises(IntegrityError), transaction.atomic():
            EntryPlayer.objects.create(event=event, entry=other, player=maeve)


class TestConditions:
    def why(self, event: Event, who: Player | None) -> list[str]:
        return conditions.reasons_not_to_enter(event, who, EARLY)

    def test_eligible_player_has_no_reasons_against(self) -> None:
        assert self.why(build.event(), member("Maeve")) == []

    @pytest.mark.parametrize("who", [None, "guest"])
    def test_guests_are_asked_to_sign_up(self, who: str | None) -> None:
        asker = player("Otto") if who else None
        assert self.why(build.event(), asker) == [conditions.NO_ACCOUNT]

    def test_members_only(self) -> None:
        club = build.club()
        event, maeve = build.event(club, members_only=True), member("Maeve")
        assert self.why(event, maeve) == ["Only members of The Old Mill can enter."]
        build.joined(club, maeve)
        assert self.why(event, maeve) == []

    def test_finished_games(self) -> None:
        event, maeve = build.event(min_games=1), member("Maeve")
        assert self.why(event, maeve) == ["1 finished game is required; Maeve has 0."]
        table = make_table(maeve, house_seats=(1, 2, 3))
        assert table.games.filter(seats__player=maeve).exists()
        assert self.why(event, maeve) == ["1 finished game is required; Maeve has 0."]
        finish(table)
        assert self.why(event, maeve) == []

    def test_finished_games_in_the_room_count_too(self) -> None:
        event, maeve = build.event(min_games=1), member("Maeve")
        night = build.event(build.club("Lakeside"), place=Event.Place.ROOM, rounds=1)
        build.let_in(night, [maeve, *people(3)])
        build.begin(night)
        ben = build.director(night.club, "Ben")
        (match,) = build.latest(night).pairings.all()
        correcting.set_result(match, ben, build.ruled(0, (5, 3)), reason="", now=NOON)
        assert self.why(event, maeve) == []

    @pytest.mark.parametrize(
        ("limits", "reason"),
        [
            ({"min_rating": 1501}, "Requires a rating of at least 1501; Maeve is rated 1500."),
            ({"max_rating": 1499}, "Requires a rating of at most 1499; Maeve is rated 1500."),
            ({"min_rating": 1500, "max_rating": 1500}, None),
        ],
    )
    def test_rating(self, limits: dict[str, Any], reason: str | None) -> None:
        assert self.why(build.event(**limits), member("Maeve")) == ([reason] if reason else [])

    def test_registration_times_are_stated_in_the_clubs_zone(self) -> None:
        club = build.club(time_zone="America/New_York")
        event = build.event(
            club, registration_opens=EARLY + MINUTE, registration_closes=NOON - MINUTE
        )
        maeve = member("Maeve")
        assert conditions.reasons_not_to_enter(event, maeve, EARLY) == [
            "Registration opens on Saturday 7 March, 5:01 am New York time."
        ]
        assert conditions.reasons_not_to_enter(event, maeve, EARLY + MINUTE) == []
        assert conditions.reasons_not_to_enter(event, maeve, NOON - MINUTE) == [
            "Registration closed on Saturday 7 March, 6:59 am New York time."
        ]

    def test_registration_depends_on_times_not_on_the_stored_state(self) -> None:
        event = build.event(state=Event.State.ANNOUNCED)
        assert self.why(event, member("Maeve")) == []

    @pytest.mark.parametrize("state", ["running", "finished", "cancelled"])
    def test_started_or_ended_event_refuses_entries(self, state: str) -> None:
        assert self.why(build.event(state=state), member("Maeve")) == [f"This event is {state}."]

    def test_all_reasons_are_listed_and_nothing_is_stored(self) -> None:
        event = build.event(members_only=True, min_rating=1600)
        with pytest.raises(RefusedError) as refusal:
            entering.register(event, member("Maeve"), EARLY)
        assert refusal.value.message == (
            "Only members of The Old Mill can enter."
            " Requires a rating of at least 1600; Maeve is rated 1500."
        )
        assert not event.entries.exists()


class TestWithdraw:
    def test_withdrawal_gives_the_place_to_the_first_in_line(self) -> None:
        event = build.event(capacity=4)
        people = [member(name) for name in ("Maeve", "Ben", "Iris", "Jonah", "Otto", "Clara")]
        for person in people:
            entering.register(event, person, EARLY)
        entering.withdraw(event, people[1], EARLY)
        assert dict(states(event)) == {
            "Maeve": State.ENTERED,
            "Ben": State.WITHDRAWN,
            "Iris": State.ENTERED,
            "Jonah": State.ENTERED,
            "Otto": State.ENTERED,
            "Clara": State.WAITING,
        }
        assert letters_to(people[4]) == ["You have a place: Thursday euchre"]
        assert letters_to(people[5]) == []

    def test_withdrawal_from_the_waiting_list_frees_no_place(self) -> None:
        event = build.event(capacity=4)
        people = [member(name) for name in ("Maeve", "Ben", "Iris", "Jonah", "Otto", "Clara")]
        for person in people:
            entering.register(event, person, EARLY)
        entering.withdraw(event, people[4], EARLY)
        assert event.entries.filter(state=State.ENTERED).count() == 4
        assert states(event)[-1] == ("Clara", State.WAITING)

    def test_entering_again_joins_the_end_of_the_line(self) -> None:
        event = build.event(capacity=4)
        people = [member(name) for name in ("Maeve", "Ben", "Iris", "Jonah", "Otto")]
        for person in people:
            entering.register(event, person, EARLY)
        entering.withdraw(event, people[0], EARLY)
        entering.register(event, people[0], EARLY)
        assert states(event)[-1] == ("Maeve", State.WAITING)

    def test_withdrawal_without_an_entry_is_refused(self) -> None:
        with pytest.raises(RefusedError, match="Maeve is not entered in this event"):
            entering.withdraw(build.event(), member("Maeve"), EARLY)

    def test_withdrawal_is_recorded(self) -> None:
        event, maeve = build.event(), member("Maeve")
        entering.register(event, maeve, EARLY)
        entering.withdraw(event, maeve, EARLY)
        line = Notice.objects.get(event=event)
        assert (line.text, line.by) == ("Maeve: withdrawn before the start.", maeve)

    def test_after_the_start_the_entry_stays_in_the_standings(self) -> None:
        event = build.event(rounds=3)
        people = [member(name) for name in ("Maeve", "Ben", "Iris", "Jonah", "Otto")]
        for person in people:
            entering.register(event, person, EARLY)
        build.begin(event)
        entering.withdraw(event, people[0], NOON + MINUTE)
        entry = event.entries.get(players__player=people[0])
        assert entry.state == State.WITHDRAWN
        assert entry.seed is not None
        assert entry.players.get().active
        with pytest.raises(RefusedError, match="Maeve does not play in this event"):
            entering.withdraw(event, people[0], NOON + MINUTE)

    def test_withdrawal_after_the_end_is_refused(self) -> None:
        event, maeve = build.event(), member("Maeve")
        entering.register(event, maeve, EARLY)
        Event.objects.update(state=Event.State.FINISHED)
        with pytest.raises(RefusedError, match="finished"):
            entering.withdraw(event, maeve, NOON)


class TestCheckIn:
    def test_check_in_within_its_window(self) -> None:
        event, maeve = build.event(check_in_minutes=15), member("Maeve")
        entering.register(event, maeve, EARLY)
        with pytest.raises(RefusedError, match="opens on Saturday 7 March, 11:45"):
            entering.check_in(event, maeve, NOON - 15 * MINUTE - timedelta(seconds=1))
        for _twice in range(2):
            entry = entering.check_in(event, maeve, NOON - 15 * MINUTE)
            assert entry.state == State.CHECKED_IN
        with pytest.raises(RefusedError, match="over"):
            entering.check_in(event, maeve, NOON)

    def test_check_in_on_the_waiting_list(self) -> None:
        event = build.event(check_in_minutes=15, capacity=4)
        people = [member(name) for name in ("Maeve", "Ben", "Iris", "Jonah", "Otto")]
        for person in people:
            entering.register(event, person, EARLY)
        entry = entering.check_in(event, people[4], NOON - MINUTE)
        assert (entry.state, entry.here) == (State.WAITING, True)
        entering.withdraw(event, people[0], NOON - MINUTE)
        entry.refresh_from_db()
        assert (entry.state, entry.here) == (State.CHECKED_IN, False)

    def test_check_in_without_a_check_in_period_is_refused(self) -> None:
        event, maeve = build.event(), member("Maeve")
        entering.register(event, maeve, EARLY)
        with pytest.raises(RefusedError, match="has no check-in"):
            entering.check_in(event, maeve, NOON - MINUTE)

    def test_check_in_without_an_entry_is_refused(self) -> None:
        event = build.event(check_in_minutes=15)
        with pytest.raises(RefusedError, match="not entered"):
            entering.check_in(event, member("Maeve"), NOON - MINUTE)
