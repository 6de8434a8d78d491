"""Invitations: a friend by name to one's table, and the same people again after a game."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import pytest
from django.db import connections
from django.utils import timezone

from games.engine.rules import CLASSIC_24
from games.friends import inviting
from games.friends.inviting import InvitingError
from games.models import Game, Invitation, Player, Table
from games.people import avoiding, friends, limits
from games.sockets import hub
from tests.factories import logged_in, member, play_out, player, table

pytestmark = pytest.mark.django_db


@pytest.fixture
def two() -> tuple[Player, Player]:
    """Maeve and Ben, who are friends."""
    maeve, ben = member("Maeve"), member("Ben")
    befriend(maeve, ben)
    return maeve, ben


def befriend(one: Player, other: Player) -> None:
    friends.ask(one, other, timezone.now())
    friends.accept(other, one, timezone.now())


def played(*people: Player, by: str = "person") -> Game:
    house = range(len(people), 4)
    return play_out(table(*people, house_seats=tuple(house)), by=by)


class TestByName:
    def test_a_new_table_by_invitation_and_the_friend_enters_it(
        self, two: tuple[Player, Player], django_capture_on_commit_callbacks: Any
    ) -> None:
        maeve, ben = two
        heard: list[Invitation] = []

        def hear(invitation: Invitation, **_kwargs: Any) -> None:
            heard.append(invitation)

        inviting.invited.connect(hear)
        with django_capture_on_commit_callbacks(execute=True):
            answer = logged_in(maeve).post("/you/friends/invite", {"player": ben.pk})
        at = Table.objects.get()
        assert (answer.status_code, answer.headers["Location"]) == (303, f"/tables/{at.pk}/")
        assert (at.open, at.state, heard[0].to) == (False, Table.State.GATHERING, ben)
        browser = logged_in(ben)
        assert browser.get(f"/tables/{at.pk}/").status_code == 404
        for path in ("/", "/play/", "/you/friends/", "/you/invitations/"):
            assert "Maeve invites you to a table" in browser.get(path).text
        link = f"/tables/{at.pk}/join/{at.invite_token}/"
        assert link in browser.get("/you/friends/").text
        assert browser.get(link, follow=True).status_code == 200

    def test_at_the_table_where_one_sits(self, two: tuple[Player, Player]) -> None:
        maeve, ben = two
        at = table(maeve, house_seats=(1, 2, 3))
        assert inviting.table_to_share(maeve, CLASSIC_24, timezone.now()) == at
        logged_in(maeve).post("/you/friends/invite", {"player": ben.pk})
        assert Invitation.objects.get().table == at

    def test_not_from_a_full_table(self, two: tuple[Player, Player]) -> None:
        maeve, ben = two
        table(maeve, member("Iris"), member("Jonah"), member("Otto"))
        answer = logged_in(maeve).post("/you/friends/invite", {"player": ben.pk})
        assert answer.status_code == 409
        assert "Your table has no free seat" in answer.text
        assert not Invitation.objects.exists()

    def test_only_friends_and_no_table_is_left_behind(self, two: tuple[Player, Player]) -> None:
        maeve, ben = two
        friends.end(maeve, ben)
        answer = logged_in(maeve).post("/you/friends/invite", {"player": ben.pk})
        assert answer.status_code == 409
        assert "are not friends" in answer.text
        assert not Table.objects.exists()

    def test_it_expires_and_can_be_repeated(self, two: tuple[Player, Player]) -> None:
        maeve, ben = two
        now, at = timezone.now(), table(maeve)
        inviting.invite(maeve, ben, at, now)
        later = now + inviting.OPEN_FOR
        assert inviting.waiting_for(ben, now)
        assert not inviting.waiting_for(ben, later)
        inviting.invite(maeve, ben, at, later)
        assert len(inviting.waiting_for(ben, later)) == 1
        inviting.forget(later + inviting.KEPT)
        assert not Invitation.objects.exists()

    def test_declined_once_is_declined_for_this_table(self, two: tuple[Player, Player]) -> None:
        maeve, ben = two
        at = table(maeve)
        made = inviting.invite(maeve, ben, at, timezone.now())
        iris = member("Iris")
        logged_in(iris).post("/you/invitations/decline", {"invitation": made.pk})
        assert inviting.waiting_for(ben, timezone.now())
        logged_in(ben).post("/you/invitations/decline", {"invitation": made.pk})
        inviting.invite(maeve, ben, at, timezone.now())
        assert not inviting.waiting_for(ben, timezone.now())

    def test_not_to_a_closed_or_full_table(self, two: tuple[Player, Player]) -> None:
        maeve, ben = two
        at = table(maeve, member("Iris"), member("Jonah"))
        inviting.invite(maeve, ben, at, timezone.now())
        Table.objects.update(state=Table.State.CLOSED)
        assert not inviting.waiting_for(ben, timezone.now())
        Table.objects.update(state=Table.State.GATHERING)
        at.seats.filter(player=None).update(player=member("Otto"))
        assert not inviting.waiting_for(ben, timezone.now())
        with pytest.raises(InvitingError, match="no free seat"):
            inviting.invite(maeve, ben, at, timezone.now())

    def test_a_friend_whom_one_comes_to_avoid_is_not_heard(
        self, two: tuple[Player, Player]
    ) -> None:
        maeve, ben = two
        inviting.invite(maeve, ben, table(maeve), timezone.now())
        avoiding.avoid(ben, maeve)
        assert not inviting.waiting_for(ben, timezone.now())

    def test_many_are_refused(
        self, two: tuple[Player, Player], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        maeve, ben = two
        monkeypatch.setattr(limits, "INVITATIONS_IN_TEN_MINUTES", 1)
        browser = logged_in(maeve)
        assert browser.post("/you/friends/invite", {"player": ben.pk}).status_code == 303
        assert browser.post("/you/friends/invite", {"player": ben.pk}).status_code == 429


class TestAgain:
    def test_each_presses_once_and_the_game_begins_when_all_have(self) -> None:
        people = [member("Maeve"), member("Ben"), player("Iris"), member("Jonah")]
        game = played(*people)
        page = f"/games/{game.pk}/"
        first, *others = [logged_in(one) for one in people]
        assert "Play again with these people" in first.get(page).text
        answer = first.post(f"{page}again")
        at = Table.objects.exclude(pk=game.table_id).get()
        assert answer.headers["Location"] == f"/tables/{at.pk}/"
        for number, browser in enumerate(others):
            assert at.state == Table.State.GATHERING
            assert "play again with the same people" in browser.get("/").text
            answer = browser.post(f"{page}again")
            assert answer.headers["Location"] == f"/tables/{at.pk}/", number
            at.refresh_from_db()
        assert at.state in (Table.State.SHUFFLING, Table.State.PLAYING)
        seats = dict(at.seats.values_list("position", "player"))
        assert seats == dict(game.seats.values_list("position", "player"))

    def test_the_house_keeps_its_seats(self) -> None:
        maeve, ben = member("Maeve"), member("Ben")
        game = played(maeve, ben)
        at = inviting.again(maeve, game, timezone.now())
        assert at.seats.filter(player__kind=Player.Kind.HOUSE).count() == 2
        assert inviting.again(maeve, game, timezone.now()) == at
        assert inviting.again(ben, game, timezone.now()) == at

    def test_whoever_presses_after_it_has_expired_opens_another(self) -> None:
        maeve, ben = member("Maeve"), member("Ben")
        game = played(maeve, ben)
        at = inviting.again(maeve, game, timezone.now())
        later = timezone.now() + inviting.OPEN_FOR + timedelta(seconds=1)
        assert inviting.again(ben, game, later) != at

    @pytest.mark.parametrize("avoids", [0, 1])
    def test_people_kept_apart_do_not_call_each_other(self, avoids: int) -> None:
        two = member("Maeve"), member("Ben")
        iris = member("Iris")
        game = played(*two, iris)
        avoiding.avoid(two[avoids], two[1 - avoids])
        at = inviting.again(two[0], game, timezone.now())
        assert [one.to for one in Invitation.objects.all()] == [iris]
        assert inviting.again(two[1], game, timezone.now()) != at

    @pytest.mark.parametrize("avoids", [0, 1])
    def test_of_two_others_kept_apart_only_one_is_called(self, avoids: int) -> None:
        two = member("Ben"), member("Iris")
        maeve, jonah = member("Maeve"), member("Jonah")
        game = played(maeve, *two, jonah)
        avoiding.avoid(two[avoids], two[1 - avoids])
        at = inviting.again(maeve, game, timezone.now())
        assert {one.to for one in Invitation.objects.all()} == {two[0], jonah}
        assert inviting.again(jonah, game, timezone.now()) == at
        assert inviting.again(two[1], game, timezone.now()) != at

    def test_only_those_who_played(self) -> None:
        maeve, ben, otto = member("Maeve"), member("Ben"), member("Otto")
        game = played(maeve, ben)
        browser = logged_in(otto)
        assert "Play again with these people" not in browser.get(f"/games/{game.pk}/").text
        assert browser.post(f"/games/{game.pk}/again").status_code == 403

    @pytest.mark.db
    @pytest.mark.django_db(transaction=True)
    def test_all_four_press_at_once(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(hub, "announce", lambda _table_id: None)
        people = [member(name) for name in ("Maeve", "Ben", "Iris", "Jonah")]
        game = played(*people)

        def press(one: Player) -> int:
            try:
                return inviting.again(one, game, timezone.now()).pk
            finally:
                connections.close_all()

        with ThreadPoolExecutor(4) as workers:
            tables = {*workers.map(press, people)}
        assert len(tables) == 1
        at = Table.objects.get(pk=tables.pop())
        assert at.state in (Table.State.SHUFFLING, Table.State.PLAYING)
