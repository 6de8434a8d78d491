"""Joining and leaving a club, who asks, roles, and that a club is never without an owner."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from threading import Barrier
from typing import Any

import pytest
from django.core import mail
from django.db import connection
from django.test import Client

from games.models import Player
from tests.factories import logged_in, member, player
from tests.tournaments.build import club, joined
from tournaments.clubs import members
from tournaments.models import Club, JoinRequest, Letter, Membership
from tournaments.outbox import letters
from tournaments.refusals import RefusedError
from tournaments.rules import RANKS, outranks

pytestmark = [pytest.mark.django_db, pytest.mark.db]
Role = Membership.Role
MILL = "/clubs/the-old-mill/"


def mill(joining: str = Club.Joining.OPEN) -> tuple[Club, Player]:
    """The club and Maeve, its owner."""
    made, maeve = club(joining=joining), member()
    joined(made, maeve, Role.OWNER)
    return made, maeve


def post(who: Player, path: str, **data: str) -> Any:
    return logged_in(who).post(MILL + path, data)


def roles(of: Club) -> dict[str, str]:
    """Everybody's role, by name."""
    return dict(of.memberships.values_list("player__name", "role"))


def sent() -> dict[str, str]:
    """The mails sent now, by receiver, with subject and text."""
    letters.send_due()
    return {letter.to[0]: f"{letter.subject}\n{letter.body}" for letter in mail.outbox}


def test_an_open_club_is_joined_at_once() -> None:
    at, _ = mill()
    ben = member("Ben")
    for _again in range(2):
        assert post(ben, "join")["Location"] == MILL
    assert roles(at) == {"Maeve": "owner", "Ben": "member"}


@pytest.mark.parametrize("guest", [False, True])
def test_joining_needs_an_account(guest: bool) -> None:
    at, _ = mill()
    browser = logged_in(player("Ben")) if guest else Client()
    response = browser.post(f"{MILL}join")
    assert response.status_code == 403
    assert f'href="/accounts/login/?next={MILL}"' in response.content.decode()
    assert set(roles(at)) == {"Maeve"}
    with pytest.raises(RefusedError, match="needs an account"):
        members.join(at, player("Iris"))


def test_accepted_request_makes_a_member_and_is_mailed() -> None:
    at, maeve = mill(Club.Joining.APPROVAL)
    joined(at, member("Iris"), Role.MODERATOR)
    joined(at, member("Otto"))
    ben = member("Ben")
    for words in ("I play on Fridays.", "Hello?"):
        assert post(ben, "join", words=words).status_code == 303
    asked = at.requests.get()
    assert asked.words == "I play on Fridays."
    assert "Ben" not in roles(at)
    letters_to = sent()
    assert set(letters_to) == {"maeve@example.com", "iris@example.com"}
    assert "I play on Fridays." in letters_to["iris@example.com"]
    mail.outbox.clear()
    page = logged_in(maeve).get(f"{MILL}members/").content.decode()
    assert "I play on Fridays." in page
    assert post(maeve, f"requests/{asked.pk}/accept").status_code == 303
    assert roles(at)["Ben"] == "member"
    assert not JoinRequest.objects.exists()
    letter = sent()
    assert list(letter) == ["ben@example.com"]
    assert "You are a member of The Old Mill" in letter["ben@example.com"]


def test_declined_request_is_mailed_and_may_be_repeated() -> None:
    at, maeve = mill(Club.Joining.APPROVAL)
    ben = member("Ben")
    for _time in range(2):
        members.join(at, ben)
        assert post(maeve, f"requests/{at.requests.get().pk}/decline").status_code == 303
    assert "Ben" not in roles(at)
    assert Letter.objects.filter(user=ben.user).count() == 2
    assert "has decided not to accept you" in sent()["ben@example.com"]


@pytest.mark.parametrize("answer", ["accept", "decline"])
def test_a_request_is_answered_once(answer: str) -> None:
    at, maeve = mill(Club.Joining.APPROVAL)
    members.join(at, member("Ben"))
    asked = at.requests.get()
    post(maeve, f"requests/{asked.pk}/accept")
    response = post(maeve, f"requests/{asked.pk}/{answer}")
    assert response.status_code == 409
    assert "answered or withdrawn" in response.content.decode()
    assert Letter.objects.filter(user__email="ben@example.com").count() == 1


def test_a_request_of_another_club_is_not_answered_here() -> None:
    _, maeve = mill(Club.Joining.APPROVAL)
    other = club("Lakeside", joining=Club.Joining.APPROVAL)
    asked = other.requests.create(player=member("Ben"))
    assert post(maeve, f"requests/{asked.pk}/accept").status_code == 409
    assert other.requests.exists()


def test_a_request_can_be_taken_back() -> None:
    at, _ = mill(Club.Joining.APPROVAL)
    ben = member("Ben")
    members.join(at, ben)
    assert "Withdraw the request" in logged_in(ben).get(MILL).content.decode()
    assert post(ben, "requests/take-back").status_code == 303
    assert not at.requests.exists()


def test_too_many_words_are_refused() -> None:
    at, _ = mill(Club.Joining.APPROVAL)
    response = post(member("Ben"), "join", words="x" * 201)
    assert response.status_code == 422
    assert "at most 200 characters" in response.content.decode()
    assert not at.requests.exists()


@pytest.mark.parametrize("joining", [Club.Joining.APPROVAL, Club.Joining.INVITATION])
def test_the_link_lets_its_holder_join_at_once(joining: str) -> None:
    at, _ = mill(joining)
    browser = logged_in(member("Ben"))
    browser.get(f"{MILL}join/{at.invite_token}/")
    assert browser.post(f"{MILL}join").status_code == 303
    assert roles(at)["Ben"] == "member"


def test_staff_see_a_club_by_invitation_but_join_by_its_link_only() -> None:
    at, _ = mill(Club.Joining.INVITATION)
    with pytest.raises(RefusedError) as refusal:
        members.join(at, member("Theo"))
    assert (refusal.value.code, refusal.value.status) == ("by invitation", 403)


def test_a_member_leaves() -> None:
    at, _ = mill()
    ben = member("Ben")
    joined(at, ben)
    for _again in range(2):
        assert post(ben, "leave")["Location"] == "/clubs/"
    assert set(roles(at)) == {"Maeve"}


def test_last_owner_can_neither_leave_nor_step_down() -> None:
    at, maeve = mill()
    joined(at, member("Iris"), Role.DIRECTOR)
    role = f"members/{maeve.pk}/role"
    for response in (post(maeve, "leave"), post(maeve, role, role="member")):
        assert response.status_code == 409
        assert "Maeve is the only owner of The Old Mill" in response.content.decode()
    assert post(maeve, role, role="owner").status_code == 303
    assert roles(at)["Maeve"] == "owner"


def test_one_of_two_owners_may_go() -> None:
    at, maeve = mill()
    joined(at, member("Iris"), Role.OWNER)
    assert post(maeve, "leave").status_code == 303
    assert roles(at) == {"Iris": "owner"}


@pytest.mark.parametrize("role", Role.values)
def test_an_owner_gives_every_role(role: str) -> None:
    at, maeve = mill()
    ben = member("Ben")
    joined(at, ben)
    assert post(maeve, f"members/{ben.pk}/role", role=role).status_code == 303
    assert roles(at)["Ben"] == role


def test_unknown_role_error_lists_the_roles() -> None:
    at, maeve = mill()
    ben = member("Ben")
    joined(at, ben)
    response = post(maeve, f"members/{ben.pk}/role", role="king")
    assert response.status_code == 422
    assert "one of owner, director, moderator, member" in response.content.decode()
    assert roles(at)["Ben"] == "member"


def test_non_member_gets_no_role() -> None:
    at, maeve = mill()
    otto = member("Otto")
    for verb in ("role", "own", "remove"):
        response = post(maeve, f"members/{otto.pk}/{verb}", role="director")
        assert response.status_code == 404
    assert set(roles(at)) == {"Maeve"}


def test_a_club_is_handed_over() -> None:
    at, maeve = mill()
    ben = member("Ben")
    joined(at, ben)
    assert post(maeve, f"members/{ben.pk}/own").status_code == 303
    assert roles(at) == {"Maeve": "director", "Ben": "owner"}
    assert "Maeve has made you the owner of The Old Mill" in sent()["ben@example.com"]
    assert post(maeve, f"members/{ben.pk}/own").status_code == 403


def test_a_club_is_not_handed_over_to_oneself() -> None:
    at, maeve = mill()
    assert post(maeve, f"members/{maeve.pk}/own").status_code == 409
    assert roles(at) == {"Maeve": "owner"}


@pytest.mark.parametrize("by", [rank for rank in RANKS if rank != Role.MEMBER])
@pytest.mark.parametrize("whom", RANKS)
def test_only_members_of_a_lower_role_are_removed(by: str, whom: str) -> None:
    at, _ = mill()
    iris, ben = member("Iris"), member("Ben")
    joined(at, iris, by)
    joined(at, ben, whom)
    response = post(iris, f"members/{ben.pk}/remove")
    assert response.status_code == (303 if outranks(by, whom) else 403)
    assert ("Ben" in roles(at)) == (not outranks(by, whom))


def test_role_outranks_lower_roles_only() -> None:
    above = [(one, other) for one in Role.values for other in Role.values if outranks(one, other)]
    assert above == [
        ("owner", "director"),
        ("owner", "moderator"),
        ("owner", "member"),
        ("director", "moderator"),
        ("director", "member"),
        ("moderator", "member"),
    ]


def test_members_page_offers_the_readers_actions() -> None:
    at, maeve = mill()
    jonah, ben = member("Jonah"), member("Ben")
    joined(at, jonah, Role.MODERATOR)
    joined(at, ben)
    offers = {
        who.name: logged_in(who).get(f"{MILL}members/").content.decode()
        for who in (maeve, jonah, ben)
    }
    assert f"members/{ben.pk}/role" in offers["Maeve"]
    assert f"members/{ben.pk}/own" in offers["Maeve"]
    assert f"members/{ben.pk}/remove" in offers["Jonah"]
    assert f"members/{maeve.pk}/remove" not in offers["Jonah"]
    assert f"members/{ben.pk}/role" not in offers["Jonah"]
    assert "/remove" not in offers["Ben"]
    assert "Requests to join" not in offers["Ben"]


def at_once(*verbs: Callable[[], object]) -> list[object]:
    """Call all at one moment, each on a connection of its own: what each gave, or its refusal."""
    ready = Barrier(len(verbs))

    def run(verb: Callable[[], object]) -> object:
        try:
            ready.wait()
            return verb()
        except RefusedError as error:
            return error.code
        finally:
            connection.close()

    with ThreadPoolExecutor(len(verbs)) as pool:
        return list(pool.map(run, verbs))


@pytest.mark.django_db(transaction=True)
def test_concurrent_joins_make_one_member() -> None:
    at, ben = club(), member("Ben")
    answers = at_once(*[partial(members.join, at, ben)] * 6)
    assert answers == [at.memberships.get()] * 6


@pytest.mark.django_db(transaction=True)
def test_concurrent_requests_make_one_request() -> None:
    at, _ = mill(Club.Joining.APPROVAL)
    answers = at_once(*[partial(members.join, at, member("Ben"))] * 6)
    assert answers == [at.requests.get()] * 6
    assert Letter.objects.count() == 1


@pytest.mark.django_db(transaction=True)
def test_request_accepted_and_declined_concurrently_gets_one_answer() -> None:
    at, _ = mill(Club.Joining.APPROVAL)
    asked = members.join(at, member("Ben"))
    accept, decline = (partial(verb, at, asked.pk) for verb in (members.accept, members.decline))
    answers = at_once(accept, decline, accept, decline)
    assert answers.count("answered") == 3
    assert Letter.objects.filter(user__email="ben@example.com").count() == 1


@pytest.mark.django_db(transaction=True)
def test_concurrent_departures_of_two_owners_leave_one() -> None:
    at, maeve = mill()
    iris = member("Iris")
    joined(at, iris, Role.OWNER)
    answers = at_once(partial(members.leave, at, maeve), partial(members.leave, at, iris))
    assert sorted(map(str, answers)) == ["None", "last owner"]
    assert at.memberships.get().role == Role.OWNER
