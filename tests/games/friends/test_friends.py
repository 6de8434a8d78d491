"""Friends by agreement: asking, answering, ending, limits, and people kept apart."""

import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from django.db import connections
from django.test import Client
from django.utils import timezone
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.django import TestCase

from games.friends.met import met_lately
from games.models import Friendship, Player
from games.people import avoiding, friends
from games.people.friends import Between, FriendsError
from tests.factories import logged_in, member, play_out, player, table

pytestmark = pytest.mark.django_db

#: Every function of two players, by name.
VERBS = ("ask", "accept", "decline", "withdraw", "end", "avoid", "meet again")


@pytest.fixture
def two() -> tuple[Player, Player]:
    return member("Maeve"), member("Ben")


def seen(one: Player, other: Player) -> Between:
    return friends.between(one, [other.pk], timezone.now())[other.pk]


def do(verb: str, by: Player, other: Player) -> None:
    """Do something between two players; what is refused changes nothing."""
    now = timezone.now()
    try:
        match verb:
            case "ask":
                friends.ask(by, other, now)
            case "accept":
                friends.accept(by, other, now)
            case "avoid":
                avoiding.avoid(by, other)
            case "meet again":
                avoiding.meet_again(by, other.pk)
            case _:
                getattr(friends, verb)(by, other)
    except FriendsError:
        pass


class TestAgreement:
    def test_asked_and_accepted(self, two: tuple[Player, Player]) -> None:
        maeve, ben = two
        do("ask", maeve, ben)
        assert (seen(maeve, ben), seen(ben, maeve)) == (Between.ASKED, Between.ASKS)
        assert friends.asking(ben, timezone.now()) == [maeve]
        assert friends.asked_by(maeve, timezone.now()) == [ben]
        assert not friends.are_friends(maeve, ben.pk)
        do("accept", ben, maeve)
        assert [one.player for one in friends.friends_of(maeve)] == [ben]
        assert [one.player for one in friends.friends_of(ben)] == [maeve]
        assert friends.asking(ben, timezone.now()) == []

    def test_two_who_ask_each_other_are_friends(self, two: tuple[Player, Player]) -> None:
        maeve, ben = two
        do("ask", maeve, ben)
        assert friends.ask(ben, maeve, timezone.now()) == Between.FRIENDS

    def test_nobody_accepts_their_own_request(self, two: tuple[Player, Player]) -> None:
        maeve, ben = two
        do("ask", maeve, ben)
        with pytest.raises(FriendsError, match="no longer there"):
            friends.accept(maeve, ben, timezone.now())

    def test_declining_shows_the_asker_nothing(self, two: tuple[Player, Player]) -> None:
        maeve, ben = two
        do("ask", maeve, ben)
        do("decline", ben, maeve)
        assert (seen(maeve, ben), seen(ben, maeve)) == (Between.ASKED, Between.NOTHING)
        do("ask", maeve, ben)
        assert friends.asking(ben, timezone.now()) == []

    def test_taking_back_and_asking_again_does_not_undo_a_no(
        self, two: tuple[Player, Player]
    ) -> None:
        maeve, ben = two
        do("ask", maeve, ben)
        do("decline", ben, maeve)
        do("withdraw", maeve, ben)
        assert seen(maeve, ben) == Between.NOTHING
        do("ask", maeve, ben)
        assert (seen(maeve, ben), seen(ben, maeve)) == (Between.ASKED, Between.NOTHING)

    def test_whoever_declined_may_ask(self, two: tuple[Player, Player]) -> None:
        maeve, ben = two
        do("ask", maeve, ben)
        do("decline", ben, maeve)
        do("ask", ben, maeve)
        assert seen(maeve, ben) == seen(ben, maeve) == Between.FRIENDS

    @pytest.mark.parametrize("by", [0, 1])
    def test_either_of_two_friends_can_end_it(self, two: tuple[Player, Player], by: int) -> None:
        maeve, ben = two
        do("ask", maeve, ben)
        do("accept", ben, maeve)
        do("end", two[by], two[1 - by])
        assert seen(maeve, ben) == seen(ben, maeve) == Between.NOTHING

    def test_requests_expire(self, two: tuple[Player, Player]) -> None:
        maeve, ben = two
        do("ask", maeve, ben)
        Friendship.objects.update(asked=timezone.now() - friends.WAITS)
        assert seen(maeve, ben) == seen(ben, maeve) == Between.NOTHING
        assert friends.asking(ben, timezone.now()) == []
        with pytest.raises(FriendsError):
            friends.accept(ben, maeve, timezone.now())
        friends.forget(timezone.now())
        assert not Friendship.objects.exists()


class TestKeptApart:
    def test_a_request_to_whoever_avoids_one_is_not_heard(self, two: tuple[Player, Player]) -> None:
        maeve, ben = two
        avoiding.avoid(ben, maeve)
        assert friends.ask(maeve, ben, timezone.now()) == Between.ASKED
        assert friends.asking(ben, timezone.now()) == []
        assert seen(ben, maeve) == Between.APART

    def test_it_looks_the_same_as_a_request_that_waits(self, two: tuple[Player, Player]) -> None:
        maeve, ben = two
        iris = member("Iris")
        avoiding.avoid(ben, maeve)
        browser = logged_in(maeve)
        pages = []
        for other in (ben, iris):
            asked = browser.post("/you/friends/ask", {"player": other.pk}, follow=True)
            profile = browser.get(f"/players/{other.pk}/")
            pages.append(
                [
                    page.text.replace(other.name, "X").replace(f'"{other.pk}"', '"1"')
                    for page in (asked, profile)
                ]
            )
            browser.post("/you/friends/withdraw", {"player": other.pk})
        assert "Asked</span>" in pages[0][1]
        assert pages[0][0].count("Take back") == pages[1][0].count("Take back") == 1

    def test_avoiding_ends_a_friendship_and_declines(self, two: tuple[Player, Player]) -> None:
        maeve, ben = two
        iris = member("Iris")
        do("ask", maeve, ben)
        do("accept", ben, maeve)
        do("ask", iris, ben)
        avoiding.avoid(ben, maeve)
        avoiding.avoid(ben, iris)
        assert seen(maeve, ben) == Between.NOTHING
        assert seen(iris, ben) == Between.ASKED
        assert friends.asking(ben, timezone.now()) == []

    def test_nobody_asks_whom_they_avoid(self, two: tuple[Player, Player]) -> None:
        maeve, ben = two
        avoiding.avoid(maeve, ben)
        with pytest.raises(FriendsError, match="change that first"):
            friends.ask(maeve, ben, timezone.now())


class TestLimits:
    def test_requests_a_day_and_requests_that_wait(
        self, two: tuple[Player, Player], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        maeve, ben = two
        monkeypatch.setattr(friends, "A_DAY", 1)
        do("ask", maeve, ben)
        do("withdraw", maeve, ben)
        with pytest.raises(FriendsError, match="in a day"):
            friends.ask(maeve, member("Iris"), timezone.now())
        Friendship.objects.update(asked=timezone.now() - timedelta(days=2), withdrawn=False)
        monkeypatch.setattr(friends, "MOST_WAITING", 1)
        with pytest.raises(FriendsError, match="wait for an answer"):
            friends.ask(maeve, member("Jonah"), timezone.now())

    @pytest.mark.parametrize("full", [0, 1])
    def test_the_most_friends(
        self, two: tuple[Player, Player], full: int, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        iris = member("Iris")
        do("ask", two[full], iris)
        do("accept", iris, two[full])
        monkeypatch.setattr(friends, "MOST", 1)
        do("ask", two[0], two[1])
        with pytest.raises(FriendsError, match="that is the most"):
            friends.accept(two[1], two[0], timezone.now())
        assert seen(two[0], two[1]) == Between.ASKED

    def test_only_people_with_accounts(self, two: tuple[Player, Player]) -> None:
        maeve, ben = two
        guest = player("Otto")
        for by, other in ((maeve, guest), (guest, maeve), (maeve, maeve)):
            with pytest.raises(FriendsError):
                friends.ask(by, other, timezone.now())
        assert ben.user is not None
        ben.user.is_active = False
        ben.user.save()
        with pytest.raises(FriendsError, match="has no account"):
            friends.ask(maeve, ben, timezone.now())


class TestLaws(TestCase):
    @settings(max_examples=60, deadline=None)
    @given(st.lists(st.tuples(st.sampled_from(VERBS), st.booleans()), max_size=12))
    def test_any_sequence_of_two_peoples_acts_keeps_the_rules_of_friendship(
        self, deeds: list[tuple[str, bool]]
    ) -> None:
        two = member("Maeve"), member("Ben")
        for verb, first in deeds:
            by, other = two if first else two[::-1]
            theirs = seen(other, by)
            do(verb, by, other)
            maeve, ben = seen(*two), seen(*two[::-1])
            assert Friendship.objects.count() <= 1
            assert (maeve == Between.FRIENDS) == (ben == Between.FRIENDS)
            if verb in ("decline", "avoid") and theirs == Between.ASKED:
                assert seen(other, by) == Between.ASKED  # nobody learns of it
            if Between.APART in (maeve, ben):
                assert Between.ASKS not in (maeve, ben)


@pytest.mark.db
@pytest.mark.django_db(transaction=True)
def test_many_ask_accept_avoid_and_end_at_once() -> None:
    """No two of them wait for each other, and all see the same afterwards."""
    people = [member(name) for name in ("Maeve", "Ben", "Iris", "Jonah")]
    gate = threading.Barrier(4)

    def go(worker: int) -> None:
        gate.wait()
        try:
            for turn in range(3):
                for other in people:
                    if other != people[worker]:
                        verb = ("ask", "accept", ("avoid", "end")[turn % 2])[turn]
                        do(verb, people[worker], other)
        finally:
            connections.close_all()

    with ThreadPoolExecutor(4) as workers:
        list(workers.map(go, range(4)))
    for one in people:
        for other in people:
            if one != other:
                both = seen(one, other), seen(other, one)
                assert both.count(Between.FRIENDS) in (0, 2)


class TestPages:
    def test_ask_on_the_profile_accept_on_the_page_and_end(
        self, two: tuple[Player, Player]
    ) -> None:
        maeve, ben = two
        hers, bens = logged_in(maeve), logged_in(ben)
        profile = f"/players/{ben.pk}/"
        assert "Add friend" in hers.get(profile).text
        back = {"Referer": f"http://testserver{profile}"}
        answer = hers.post("/you/friends/ask", {"player": ben.pk}, headers=back)
        assert (answer.status_code, answer.headers["Location"]) == (303, profile)
        assert "Asked</span>" in hers.get(profile).text
        assert "Friend requests" in bens.get("/you/friends/").text
        assert "Accept<span" in bens.get(f"/players/{maeve.pk}/").text
        answer = bens.post("/you/friends/accept", {"player": maeve.pk}, follow=True)
        assert "You and Maeve are friends." in answer.text
        assert "End the friendship" in hers.get(profile).text
        hers.post("/you/friends/end", {"player": ben.pk})
        assert "Play a game, then add the people you liked." in bens.get("/you/friends/").text

    def test_a_private_profile_has_the_button_too(self, two: tuple[Player, Player]) -> None:
        maeve, ben = two
        Player.objects.filter(pk=ben.pk).update(private=True)
        assert "Add friend" in logged_in(maeve).get(f"/players/{ben.pk}/").text

    def test_guests_are_led_to_an_account(self, client: Client) -> None:
        ben, guest = member("Ben"), player("Otto")
        assert "Add friend" not in client.get(f"/players/{ben.pk}/").text
        browser = logged_in(guest)
        assert "Sign up to add friends" in browser.get(f"/players/{ben.pk}/").text
        assert "You need an account to have friends" in browser.get("/you/friends/").text
        answer = browser.post("/you/friends/ask", {"player": ben.pk})
        assert answer.status_code == 403
        assert "You need an account to have friends." in answer.text

    def test_refusals(self, two: tuple[Player, Player], monkeypatch: pytest.MonkeyPatch) -> None:
        maeve, ben = two
        browser = logged_in(maeve)
        for number in ("0", "x", "9" * 30, ""):
            assert browser.post("/you/friends/ask", {"player": number}).status_code == 404
        assert browser.post("/you/friends/accept", {"player": ben.pk}).status_code == 409
        monkeypatch.setattr(friends, "A_DAY", 0)
        answer = browser.post("/you/friends/ask", {"player": ben.pk})
        assert answer.status_code == 429
        assert "that is the most" in answer.text

    def test_people_from_games_can_be_asked(self, two: tuple[Player, Player]) -> None:
        maeve, ben = two
        play_out(table(maeve, ben, player("Otto"), house_seats=(3,)), by="person")
        assert met_lately(maeve, timezone.now()) == [ben]
        assert "People you played with" in logged_in(maeve).get("/you/friends/").text
        do("ask", maeve, ben)
        assert met_lately(maeve, timezone.now()) == []
