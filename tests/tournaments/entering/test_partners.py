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
    return build.members(event.club, *names)


def pair(event: Event, one: Player, other: Player) -> Entry:
    """Two who have found each other."""
    entry = partners.invite(event, one, other, EARLY)
    return partners.accept(event, entry.pk, other, EARLY)


class TestAsking:
    @pytest.mark.parametrize("words", ["Ben", " ben ", "ben@example.com", "BEN@example.com"])
    def test_partner_is_found_by_name_or_email(self, swiss: Event, words: str) -> None:
        maeve, ben = people(swiss, "Maeve", "Ben")
        entry = partners.ask(swiss, maeve, words, EARLY)
        assert (entry.state, entry.invited, entry.arrival) == (State.INVITING, ben, None)
        assert letters_to(ben) == ["Maeve asks you to be their partner: Thursday euchre"]
        assert [one.pk for one in partners.invitations_of(swiss, ben)] == [entry.pk]

    def test_unknown_partner_name_is_refused(self, swiss: Event) -> None:
        (maeve,) = people(swiss, "Maeve")
        member("Otto")  # not of the club
        for words in ("Otto", "otto@example.com", ""):
            with pytest.raises(RefusedError, match=f"is called “{words}”"):
                partners.ask(swiss, maeve, words, EARLY)
        assert not swiss.entries.exists()

    def test_ambiguous_partner_name_is_refused(self, swiss: Event) -> None:
        maeve, _ben, iris = people(swiss, "Maeve", "Ben", "Iris")
        iris.name = "Ben"
        iris.save()
        with pytest.raises(RefusedError, match="Several members"):
            partners.ask(swiss, maeve, "Ben", EARLY)
        assert partners.ask(swiss, maeve, "iris@example.com", EARLY).invited == iris

    def test_non_member_cannot_search_by_email(self, swiss: Event) -> None:
        Event.objects.update(members_only=False)
        people(swiss, "Ben")
        otto = member("Otto")
        with pytest.raises(RefusedError, match="is called"):
            partners.ask(swiss, otto, "ben@example.com", EARLY)
        assert partners.ask(swiss, otto, "Ben", EARLY).state == State.INVITING

    def test_oneself_and_paired_players_cannot_be_asked(self, swiss: Event) -> None:
        maeve, ben, iris = people(swiss, "Maeve", "Ben", "Iris")
        pair(swiss, ben, iris)
        for partner, code in ((maeve, "yourself"), (iris, "taken")):
            with pytest.raises(RefusedError) as refusal:
                partners.invite(swiss, maeve, partner, EARLY)
            assert refusal.value.code == code

    def test_paired_player_cannot_ask(self, swiss: Event) -> None:
        maeve, ben, iris = people(swiss, "Maeve", "Ben", "Iris")
        pair(swiss, maeve, ben)
        with pytest.raises(RefusedError, match="Maeve has already entered"):
            partners.invite(swiss, maeve, iris, EARLY)

    def test_strangers_can_be_asked_only_if_seeking_a_partner(self, swiss: Event) -> None:
        Event.objects.update(members_only=False)
        (maeve,) = people(swiss, "Maeve")
        otto = member("Otto")
        with pytest.raises(RefusedError) as refusal:
            partners.invite(swiss, maeve, otto, EARLY)
        assert refusal.value.code == "stranger"
        partners.seek(swiss, otto, EARLY)
        assert partners.invite(swiss, maeve, otto, EARLY).invited == otto

    def test_invited_player_must_meet_the_conditions(self, swiss: Event) -> None:
        Event.objects.update(min_games=1)
        maeve, ben = people(swiss, "Maeve", "Ben")
        with pytest.raises(RefusedError, match="Maeve has 0"):
            partners.invite(swiss, maeve, ben, EARLY)

    @pytest.mark.parametrize(
        ("private", "why"),
        [
            (False, "Requires a rating of at most 1400; Ben is rated 1500."),
            (True, "Ben does not meet the conditions of Thursday euchre."),
        ],
    )
    def test_refusal_reveals_nothing_of_a_private_record(
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

    def test_second_invitation_withdraws_the_first(self, swiss: Event) -> None:
        maeve, ben, iris = people(swiss, "Maeve", "Ben", "Iris")
        first = partners.invite(swiss, maeve, ben, EARLY)
        second = partners.invite(swiss, maeve, iris, EARLY)
        assert first.pk == second.pk
        assert partners.invitations_of(swiss, ben) == []
        with pytest.raises(RefusedError, match="withdrawn or answered"):
            partners.accept(swiss, first.pk, ben, EARLY)

    def test_individual_event_has_no_partners(self) -> None:
        event = build.event()
        maeve, ben = people(event, "Maeve", "Ben")
        with pytest.raises(RefusedError, match="alone"):
            partners.seek(event, maeve, EARLY)
        with pytest.raises(RefusedError, match="alone"):
            partners.invite(event, maeve, ben, EARLY)


class TestAnswering:
    def test_accepting_forms_the_pair_and_gives_it_a_place(self, swiss: Event) -> None:
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

    def test_only_the_invited_player_can_accept(self, swiss: Event) -> None:
        maeve, ben, iris = people(swiss, "Maeve", "Ben", "Iris")
        entry = partners.invite(swiss, maeve, ben, EARLY)
        with pytest.raises(RefusedError) as refusal:
            partners.accept(swiss, entry.pk, iris, EARLY)
        assert refusal.value.code == "gone"

    def test_accepting_after_registration_closed_is_refused(self, swiss: Event) -> None:
        maeve, ben = people(swiss, "Maeve", "Ben")
        entry = partners.invite(swiss, maeve, ben, EARLY)
        with pytest.raises(RefusedError, match="Registration closed"):
            partners.accept(swiss, entry.pk, ben, NOON)

    def test_mutual_invitations_form_a_pair(self, swiss: Event) -> None:
        maeve, ben = people(swiss, "Maeve", "Ben")
        partners.invite(swiss, maeve, ben, EARLY)
        entry = partners.invite(swiss, ben, maeve, EARLY)
        assert entry.state == State.ENTERED
        assert swiss.entries.count() == 1

    def test_other_inviters_are_notified_and_become_seekers(self, swiss: Event) -> None:
        maeve, ben, iris = people(swiss, "Maeve", "Ben", "Iris")
        partners.invite(swiss, iris, ben, EARLY)
        pair(swiss, maeve, ben)
        assert [entry.name for entry in partners.seekers(swiss)] == ["Iris"]
        assert letters_to(iris) == ["Ben cannot be your partner: Thursday euchre"]

    def test_accepting_withdraws_own_invitations(self, swiss: Event) -> None:
        maeve, ben, iris = people(swiss, "Maeve", "Ben", "Iris")
        partners.invite(swiss, ben, iris, EARLY)
        pair(swiss, maeve, ben)
        assert partners.invitations_of(swiss, iris) == []
        assert swiss.entries.count() == 1

    def test_declining_makes_the_inviter_a_seeker(self, swiss: Event) -> None:
        maeve, ben = people(swiss, "Maeve", "Ben")
        entry = partners.invite(swiss, maeve, ben, EARLY)
        partners.decline(swiss, entry.pk, ben)
        entry.refresh_from_db()
        assert (entry.state, entry.invited) == (State.SEEKING, None)
        with pytest.raises(RefusedError) as refusal:
            partners.decline(swiss, entry.pk, ben)
        assert refusal.value.code == "gone"


class TestTheList:
    def test_seeker_can_be_invited_and_accepts(self, swiss: Event) -> None:
        maeve, ben = people(swiss, "Maeve", "Ben")
        partners.seek(swiss, ben, EARLY)
        entry = pair(swiss, maeve, ben)
        assert entry.state == State.ENTERED
        assert partners.seekers(swiss) == []

    def test_seeking_takes_no_place(self, swiss: Event) -> None:
        for person in people(swiss, "Maeve", "Ben", "Iris"):
            assert partners.seek(swiss, person, EARLY).arrival is None

    def test_leaving_the_seekers_list_removes_the_entry(self, swiss: Event) -> None:
        (maeve,) = people(swiss, "Maeve")
        partners.seek(swiss, maeve, EARLY)
        entering.withdraw(swiss, maeve, EARLY)
        assert not swiss.entries.exists()

    def test_returning_to_the_seekers_list_withdraws_the_invitation(self, swiss: Event) -> None:
        maeve, ben = people(swiss, "Maeve", "Ben")
        partners.invite(swiss, maeve, ben, EARLY)
        partners.seek(swiss, maeve, EARLY)
        assert partners.invitations_of(swiss, ben) == []


class TestLeavingAPair:
    def test_withdrawal_notifies_the_partner_and_both_may_enter_again(self, swiss: Event) -> None:
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

    def test_withdrawal_after_the_start_notifies_the_partner_each_time(self, swiss: Event) -> None:
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
