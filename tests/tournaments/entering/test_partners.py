"""Pairs: asking, answering, and the list of those who look for a partner."""

from datetime import timedelta

import pytest

from games.models import Player
from games.people.identity import keep_record
from tests.factories import member
from tests.tournaments import build
from tests.tournaments.build import NOON, rating
from tests.tournaments.entering.test_entering import letters_to
from tournaments.entering import entering, leaving_running_event, partners
from tournaments.models import Entry, Event, Letter
from tournaments.refusals import RefusedError

pytestmark = [pytest.mark.django_db, pytest.mark.db]

EARLY = NOON - timedelta(hours=2)
State = Entry.State


@pytest.fixture
def swiss() -> Event:
    """A Swiss event for partners, members only, with room for two pairs."""
    return build.event(format="swiss", capacity=2, minimum=2, members_only=True)


def people(event: Event, *names: str) -> list[Player]:
    """Members of the event's club."""
    made = [member(name) for name in names]
    for person in made:
        build.joined(event.club, person)
    return made


def pair(event: Event, one: Player, other: Player) -> Entry:
    """Two who have found each other."""
    entry = partners.invite(event, one, other, EARLY)
    return partners.accept(event, entry.pk, other, EARLY)


class TestAsking:
    @pytest.mark.parametrize("words", ["Ben", " ben ", "ben@example.com", "BEN@example.com"])
    def test_by_name_or_address(self, swiss: Event, words: str) -> None:
        maeve, ben = people(swiss, "Maeve", "Ben")
        entry = partners.ask(swiss, maeve, words, EARLY)
        assert (entry.state, entry.invited, entry.arrival) == (State.INVITING, ben, None)
        assert letters_to(ben) == ["Maeve asks you to be their partner: Thursday euchre"]
        assert [one.pk for one in partners.invitations_of(swiss, ben)] == [entry.pk]

    def test_nobody_is_called_so(self, swiss: Event) -> None:
        (maeve,) = people(swiss, "Maeve")
        member("Otto")  # not of the club
        for words in ("Otto", "otto@example.com", ""):
            with pytest.raises(RefusedError, match=f"is called “{words}”"):
                partners.ask(swiss, maeve, words, EARLY)
        assert not swiss.entries.exists()

    def test_several_are_called_so(self, swiss: Event) -> None:
        maeve, _ben, iris = people(swiss, "Maeve", "Ben", "Iris")
        iris.name = "Ben"
        iris.save()
        with pytest.raises(RefusedError, match="Several members"):
            partners.ask(swiss, maeve, "Ben", EARLY)
        assert partners.ask(swiss, maeve, "iris@example.com", EARLY).invited == iris

    def test_who_is_no_member_finds_nobody_by_address(self, swiss: Event) -> None:
        Event.objects.update(members_only=False)
        people(swiss, "Ben")
        otto = member("Otto")
        with pytest.raises(RefusedError, match="is called"):
            partners.ask(swiss, otto, "ben@example.com", EARLY)
        assert partners.ask(swiss, otto, "Ben", EARLY).state == State.INVITING

    def test_oneself_or_who_has_a_partner_cannot_be_asked(self, swiss: Event) -> None:
        maeve, ben, iris = people(swiss, "Maeve", "Ben", "Iris")
        pair(swiss, ben, iris)
        for partner, code in ((maeve, "yourself"), (iris, "taken")):
            with pytest.raises(RefusedError) as refusal:
                partners.invite(swiss, maeve, partner, EARLY)
            assert refusal.value.code == code

    def test_who_has_a_partner_cannot_ask(self, swiss: Event) -> None:
        maeve, ben, iris = people(swiss, "Maeve", "Ben", "Iris")
        pair(swiss, maeve, ben)
        with pytest.raises(RefusedError, match="Maeve has already entered"):
            partners.invite(swiss, maeve, iris, EARLY)

    def test_strangers_cannot_be_asked_unless_they_look_for_a_partner(self, swiss: Event) -> None:
        Event.objects.update(members_only=False)
        (maeve,) = people(swiss, "Maeve")
        otto = member("Otto")
        with pytest.raises(RefusedError) as refusal:
            partners.invite(swiss, maeve, otto, EARLY)
        assert refusal.value.code == "stranger"
        partners.seek(swiss, otto, EARLY)
        assert partners.invite(swiss, maeve, otto, EARLY).invited == otto

    def test_the_one_asked_has_to_meet_the_conditions(self, swiss: Event) -> None:
        Event.objects.update(min_games=1)
        maeve, ben = people(swiss, "Maeve", "Ben")
        with pytest.raises(RefusedError, match="Maeve has 0"):
            partners.invite(swiss, maeve, ben, EARLY)

    @pytest.mark.parametrize(
        ("private", "why"),
        [
            (False, "Ratings up to 1400. Ben has 1500."),
            (True, "Ben does not meet the conditions of Thursday euchre."),
        ],
    )
    def test_why_one_cannot_be_asked_tells_nothing_of_a_private_record(
        self, swiss: Event, private: bool, why: str
    ) -> None:
        maeve, ben = people(swiss, "Maeve", "Ben")
        rating(maeve, 1300)
        keep_record(ben, private=private)
        swiss.max_rating = 1400
        swiss.save()
        with pytest.raises(RefusedError) as refused:
            partners.ask(swiss, maeve, "Ben", EARLY)
        assert refused.value.message == why

    def test_a_second_question_takes_back_the_first(self, swiss: Event) -> None:
        maeve, ben, iris = people(swiss, "Maeve", "Ben", "Iris")
        first = partners.invite(swiss, maeve, ben, EARLY)
        second = partners.invite(swiss, maeve, iris, EARLY)
        assert first.pk == second.pk
        assert partners.invitations_of(swiss, ben) == []
        with pytest.raises(RefusedError, match="withdrawn or answered"):
            partners.accept(swiss, first.pk, ben, EARLY)

    def test_there_are_no_partners_where_everybody_enters_alone(self) -> None:
        event = build.event()
        maeve, ben = people(event, "Maeve", "Ben")
        with pytest.raises(RefusedError, match="alone"):
            partners.seek(event, maeve, EARLY)
        with pytest.raises(RefusedError, match="alone"):
            partners.invite(event, maeve, ben, EARLY)


class TestAnswering:
    def test_accepting_makes_the_pair_and_gives_it_its_place(self, swiss: Event) -> None:
        maeve, ben = people(swiss, "Maeve", "Ben")
        entry = pair(swiss, maeve, ben)
        assert (entry.state, entry.arrival, entry.invited) == (State.ENTERED, 1, None)
        assert Entry.objects.get(pk=entry.pk).name == "Maeve and Ben"
        assert letters_to(maeve) == ["Ben is your partner: Thursday euchre"]

    def test_the_order_is_that_in_which_pairs_were_complete(self, swiss: Event) -> None:
        maeve, ben, iris, jonah, otto, clara = people(
            swiss, "Maeve", "Ben", "Iris", "Jonah", "Otto", "Clara"
        )
        first = partners.invite(swiss, maeve, ben, EARLY)
        assert pair(swiss, iris, jonah).arrival == 1
        assert pair(swiss, otto, clara).arrival == 2
        late = partners.accept(swiss, first.pk, ben, EARLY)
        assert (late.arrival, late.state) == (3, State.WAITING)

    def test_accepting_twice_is_the_same_as_once(self, swiss: Event) -> None:
        maeve, ben = people(swiss, "Maeve", "Ben")
        entry = pair(swiss, maeve, ben)
        assert partners.accept(swiss, entry.pk, ben, EARLY).arrival == 1
        assert entry.players.count() == 2

    def test_only_who_was_asked_can_accept(self, swiss: Event) -> None:
        maeve, ben, iris = people(swiss, "Maeve", "Ben", "Iris")
        entry = partners.invite(swiss, maeve, ben, EARLY)
        with pytest.raises(RefusedError) as refusal:
            partners.accept(swiss, entry.pk, iris, EARLY)
        assert refusal.value.code == "gone"

    def test_not_after_registration_has_closed(self, swiss: Event) -> None:
        maeve, ben = people(swiss, "Maeve", "Ben")
        entry = partners.invite(swiss, maeve, ben, EARLY)
        with pytest.raises(RefusedError, match="Registration closed"):
            partners.accept(swiss, entry.pk, ben, NOON)

    def test_two_who_ask_each_other_are_a_pair_at_once(self, swiss: Event) -> None:
        maeve, ben = people(swiss, "Maeve", "Ben")
        partners.invite(swiss, maeve, ben, EARLY)
        entry = partners.invite(swiss, ben, maeve, EARLY)
        assert entry.state == State.ENTERED
        assert swiss.entries.count() == 1

    def test_who_else_asked_is_told_and_looks_on(self, swiss: Event) -> None:
        maeve, ben, iris = people(swiss, "Maeve", "Ben", "Iris")
        partners.invite(swiss, iris, ben, EARLY)
        pair(swiss, maeve, ben)
        assert [entry.name for entry in partners.seekers(swiss)] == ["Iris"]
        assert letters_to(iris) == ["Ben cannot be your partner: Thursday euchre"]

    def test_what_the_one_who_accepts_has_asked_himself_is_taken_back(self, swiss: Event) -> None:
        maeve, ben, iris = people(swiss, "Maeve", "Ben", "Iris")
        partners.invite(swiss, ben, iris, EARLY)
        pair(swiss, maeve, ben)
        assert partners.invitations_of(swiss, iris) == []
        assert swiss.entries.count() == 1

    def test_declining_puts_the_other_on_the_list(self, swiss: Event) -> None:
        maeve, ben = people(swiss, "Maeve", "Ben")
        entry = partners.invite(swiss, maeve, ben, EARLY)
        partners.decline(swiss, entry.pk, ben)
        entry.refresh_from_db()
        assert (entry.state, entry.invited) == (State.SEEKING, None)
        with pytest.raises(RefusedError) as refusal:
            partners.decline(swiss, entry.pk, ben)
        assert refusal.value.code == "gone"


class TestTheList:
    def test_who_looks_for_a_partner_can_be_asked_and_accepts(self, swiss: Event) -> None:
        maeve, ben = people(swiss, "Maeve", "Ben")
        partners.seek(swiss, ben, EARLY)
        entry = pair(swiss, maeve, ben)
        assert entry.state == State.ENTERED
        assert partners.seekers(swiss) == []

    def test_it_takes_no_place(self, swiss: Event) -> None:
        for person in people(swiss, "Maeve", "Ben", "Iris"):
            assert partners.seek(swiss, person, EARLY).arrival is None

    def test_leaving_it_leaves_nothing_behind(self, swiss: Event) -> None:
        (maeve,) = people(swiss, "Maeve")
        partners.seek(swiss, maeve, EARLY)
        entering.withdraw(swiss, maeve, EARLY)
        assert not swiss.entries.exists()

    def test_going_back_to_it_takes_back_a_question(self, swiss: Event) -> None:
        maeve, ben = people(swiss, "Maeve", "Ben")
        partners.invite(swiss, maeve, ben, EARLY)
        partners.seek(swiss, maeve, EARLY)
        assert partners.invitations_of(swiss, ben) == []


class TestLeavingAPair:
    def test_the_partner_is_told_and_both_may_enter_again(self, swiss: Event) -> None:
        maeve, ben, iris = people(swiss, "Maeve", "Ben", "Iris")
        pair(swiss, maeve, ben)
        entering.withdraw(swiss, ben, EARLY)
        assert letters_to(maeve)[-1] == "Ben has withdrawn: Thursday euchre"
        assert pair(swiss, maeve, iris).state == State.ENTERED
        assert partners.seek(swiss, ben, EARLY).state == State.SEEKING

    def test_the_place_goes_to_the_next_pair(self, swiss: Event) -> None:
        six = people(swiss, "Maeve", "Ben", "Iris", "Jonah", "Otto", "Clara")
        pair(swiss, six[0], six[1])
        pair(swiss, six[2], six[3])
        waiting = pair(swiss, six[4], six[5])
        assert waiting.state == State.WAITING
        entering.withdraw(swiss, six[0], EARLY)
        waiting.refresh_from_db()
        assert waiting.state == State.ENTERED
        for person in six[4:]:
            assert "You have a place: Thursday euchre" in letters_to(person)

    def test_one_of_the_two_checks_both_in(self, swiss: Event) -> None:
        Event.objects.update(check_in_minutes=15)
        maeve, ben = people(swiss, "Maeve", "Ben")
        pair(swiss, maeve, ben)
        assert entering.check_in(swiss, ben, NOON - timedelta(minutes=5)).state == State.CHECKED_IN

    def test_after_the_start_the_partner_is_told_each_time(self, swiss: Event) -> None:
        maeve, ben, iris, jonah = people(swiss, "Maeve", "Ben", "Iris", "Jonah")
        entry = pair(swiss, maeve, ben)
        pair(swiss, iris, jonah)
        build.begin(swiss)
        entering.withdraw(swiss, ben, NOON + timedelta(minutes=5))
        left = "Ben has withdrawn: Thursday euchre"
        assert letters_to(maeve).count(left) == 1
        assert left not in letters_to(ben) + letters_to(iris)
        text = Letter.objects.get(user=maeve.user, subject=left).text
        assert "while it is being played" in text
        leaving_running_event.put_back(entry, member("Ada"), NOON + timedelta(minutes=6))
        entering.withdraw(swiss, ben, NOON + timedelta(minutes=7))
        assert letters_to(maeve).count(left) == 2
