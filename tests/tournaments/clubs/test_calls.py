"""Calls of a club's members to one member's table."""

from concurrent.futures import ThreadPoolExecutor
from datetime import time, timedelta
from typing import Any

import pytest
from django.db import connections
from django.utils import timezone

from games.models import Invitation, LastHere, Player, PushDevice, PushMessage, QuietHours, Table
from games.notifying import choices
from games.notifying.kinds import CLUB_CALL, Way
from games.people import avoiding, limits
from games.people.traces import UNKNOWN_ORIGIN
from games.seats import seating
from games.sockets import hub
from tests.factories import logged_in, member, player, table
from tests.tournaments.build import club, joined
from tournaments.clubs import calls
from tournaments.models import Club, ClubCall, Membership
from tournaments.refusals import RefusedError

pytestmark = pytest.mark.django_db

PAGE, JOIN = "/clubs/the-old-mill/", "/clubs/the-old-mill/calls/{}/join"


@pytest.fixture
def mill() -> Club:
    """A club with Maeve in it."""
    mill = club()
    joined(mill, member("Maeve"))
    return mill


def maeve() -> Player:
    return Player.objects.get(name="Maeve")


def online(of: Club, name: str) -> Player:
    """A member who has asked for a page just now."""
    one = member(name)
    joined(of, one)
    LastHere.objects.create(player=one, at=timezone.now())
    return one


def called() -> list[str]:
    return sorted(one.to.name for one in Invitation.objects.select_related("to"))


def make_call(of: Club, at: Table | None = None) -> ClubCall:
    return calls.call(of, maeve(), at or table(maeve(), house_seats=(1,)), timezone.now())


class TestWhoIsCalled:
    def test_members_who_are_online_see_it_on_their_pages(self, mill: Club) -> None:
        ben = online(mill, "Ben")
        away = member("Iris")
        joined(mill, away)
        LastHere.objects.create(player=member("Otto"), at=timezone.now())  # in no club
        table(maeve(), house_seats=(1,))
        answer = logged_in(maeve()).post(f"{PAGE}call")
        assert (answer.status_code, called()) == (303, ["Ben"])
        assert "Maeve of The Old Mill looks for players" in logged_in(ben).get("/").text

    def test_nobody_who_plays_or_switched_it_off_or_has_quiet_hours(self, mill: Club) -> None:
        now = timezone.now()
        plays, off, quiet = (online(mill, name) for name in ("Ben", "Iris", "Jonah"))
        table(plays, house_seats=(1, 2, 3))
        choices.choose(off, {(CLUB_CALL.key, Way.PAGE): False})
        QuietHours.objects.create(
            player=quiet,
            on=True,
            zone="UTC",
            starts=(now - timedelta(hours=1)).time(),
            ends=(now + timedelta(hours=1)).time(),
        )
        awake = online(mill, "Nora")
        QuietHours.objects.create(player=awake, starts=time(0), ends=time(23, 59))  # not on
        make_call(mill)
        assert called() == ["Nora"]

    @pytest.mark.parametrize("who", ["caller", "called", "partner"])
    def test_people_kept_apart_neither_hear_nor_see_it(self, mill: Club, who: str) -> None:
        ben, iris = online(mill, "Ben"), online(mill, "Iris")
        by, other = {"caller": (maeve(), ben), "called": (ben, maeve()), "partner": (ben, iris)}[
            who
        ]
        avoiding.avoid(by, other)
        made = make_call(mill, table(maeve(), iris))
        assert called() == []
        assert "free seat" not in logged_in(ben).get(PAGE).text
        answer = logged_in(ben).post(JOIN.format(made.pk))
        assert (answer.status_code, "Every seat" in answer.text) == (409, True)

    def test_a_push_for_those_who_chose_it(self, mill: Club, settings: Any) -> None:
        settings.PUSH_KEY = "x"
        ben, iris = online(mill, "Ben"), online(mill, "Iris")
        choices.choose(ben, {(CLUB_CALL.key, Way.PUSH): True, (CLUB_CALL.key, Way.PAGE): False})
        for one in (ben, iris):
            PushDevice.objects.create(player=one, endpoint=f"https://push.example/{one.pk}")
        made = make_call(mill)
        assert called() == ["Iris"]
        message = PushMessage.objects.get()
        assert (message.device.player, message.path) == (ben, PAGE)
        calls.end(made, timezone.now())
        assert not PushMessage.objects.exists()


class TestWhoMayCall:
    def test_once_in_ten_minutes_whoever_presses_and_from_whichever_table(self, mill: Club) -> None:
        ben = online(mill, "Ben")
        first = make_call(mill)
        table(ben, house_seats=(1,))
        answer = logged_in(ben).post(f"{PAGE}call")
        assert answer.status_code == 429
        assert "The Old Mill has just been called; that is possible again in" in answer.text
        other = club("Harbour")
        joined(other, maeve())
        with pytest.raises(RefusedError, match="A club has just been called"):
            make_call(other, first.table)
        ClubCall.objects.update(made=timezone.now() - calls.EVERY)
        assert logged_in(ben).post(f"{PAGE}call").status_code == 303

    def test_it_counts_among_a_persons_invitations(
        self, mill: Club, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(limits, "INVITATIONS_IN_TEN_MINUTES", 0)
        table(maeve(), house_seats=(1,))
        assert logged_in(maeve()).post(f"{PAGE}call").status_code == 429

    def test_the_club_can_switch_it_off(self, mill: Club) -> None:
        browser = logged_in(maeve())
        table(maeve(), house_seats=(1,))
        assert "Call the club" in browser.get(PAGE).text
        owner = member("Ada")
        joined(mill, owner, Membership.Role.OWNER)
        fields = {"name": mill.name, "joining": "open", "time_zone": "UTC"}
        assert logged_in(owner).post(f"{PAGE}settings/", fields).status_code == 303
        assert "Call the club" not in browser.get(PAGE).text
        assert "Has switched calls off" in browser.get("/play/call/").text
        assert browser.post(f"{PAGE}call").status_code == 403
        assert not ClubCall.objects.exists()

    def test_only_members_from_a_table_of_their_own_with_room(self, mill: Club) -> None:
        browser = logged_in(maeve())
        assert browser.post(f"{PAGE}call").status_code == 409
        assert "First make a table" in browser.get("/play/call/").text
        full = table(maeve(), member("Ben"), member("Iris"), member("Jonah"))
        assert browser.post(f"{PAGE}call").status_code == 409
        Table.objects.filter(pk=full.pk).update(state=Table.State.CLOSED)
        seating.sit(table(member("Nora")), maeve(), 2)
        assert browser.post(f"{PAGE}call").status_code == 409
        seating.play_now(maeve(), full.rules, turn_seconds=45)  # its seats are for the queue
        assert browser.post(f"{PAGE}call").status_code == 409
        stranger = member("Otto")
        table(stranger, house_seats=(1,))
        assert logged_in(stranger).post(f"{PAGE}call").status_code == 403

    def test_a_guest_is_asked_to_sign_up(self, mill: Club) -> None:
        assert logged_in(player("Gus")).get("/play/call/").status_code == 403


class TestJoining:
    def test_a_press_takes_the_seat_opposite_the_caller(self, mill: Club) -> None:
        ben, at = online(mill, "Ben"), table(maeve(), house_seats=(1,))
        made = make_call(mill, at)
        browser = logged_in(ben)
        shown = browser.get(PAGE).text
        assert "Maeve’s table has three free seats" in shown
        answer = browser.post(JOIN.format(made.pk))
        assert answer.headers["Location"] == f"/tables/{at.pk}/"
        assert browser.post(JOIN.format(made.pk)).status_code == 303
        seats = dict(at.seats.filter(player__in=(ben, maeve())).values_list("player", "position"))
        assert abs(seats[ben.pk] - seats[maeve().pk]) == 2
        assert "Go to the table" in browser.get(PAGE).text

    def test_the_next_is_told_that_every_seat_is_taken(self, mill: Club) -> None:
        ben, iris = online(mill, "Ben"), online(mill, "Iris")
        made = make_call(mill, table(maeve(), member("Jonah"), member("Nora")))
        assert "Maeve’s table has one free seat" in logged_in(iris).get(PAGE).text
        assert logged_in(ben).post(JOIN.format(made.pk)).status_code == 303
        answer = logged_in(iris).post(JOIN.format(made.pk))
        assert answer.status_code == 409
        assert "Every seat at Maeve’s table has been taken." in answer.text
        assert "free seat" not in logged_in(iris).get(PAGE).text

    def test_only_members(self, mill: Club) -> None:
        made = make_call(mill)
        stranger = logged_in(member("Otto"))
        assert "free seats" not in stranger.get(PAGE).text
        assert stranger.post(JOIN.format(made.pk)).status_code == 403
        other = club("Harbour")
        joined(other, member("Ben"))
        answer = logged_in(Player.objects.get(name="Ben")).post(
            f"/clubs/harbour/calls/{made.pk}/join"
        )
        assert answer.status_code == 404

    def test_it_ends_with_the_caller_or_a_moderator_and_when_they_stand_up(
        self, mill: Club
    ) -> None:
        ben, moderator = online(mill, "Ben"), member("Greta")
        joined(mill, moderator, Membership.Role.MODERATOR)
        made = make_call(mill)
        path = f"{PAGE}calls/{made.pk}/end"
        assert logged_in(ben).post(path).status_code == 403
        assert logged_in(moderator).post(path).status_code == 303
        assert "invites" not in logged_in(ben).get("/").text
        answer = logged_in(ben).post(JOIN.format(made.pk))
        assert (answer.status_code, "This call is over." in answer.text) == (409, True)
        ClubCall.objects.update(until=timezone.now() + timedelta(minutes=5))
        seating.stand_up(made.table, maeve())
        assert logged_in(ben).post(JOIN.format(made.pk)).status_code == 409

    def test_old_calls_are_forgotten(self, mill: Club) -> None:
        make_call(mill)
        calls.forget(timezone.now())
        assert ClubCall.objects.exists()
        calls.forget(timezone.now() + timedelta(days=1, minutes=1))
        assert not ClubCall.objects.exists()


@pytest.mark.db
@pytest.mark.django_db(transaction=True)
def test_sixty_join_at_once_and_two_get_the_seats(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hub, "announce", lambda _table_id: None)
    mill, now = club(), timezone.now()
    host = member("Maeve")
    joined(mill, host)
    made = calls.call(mill, host, table(host, member("Ben")), now)
    crowd = [Player.objects.create(name=f"Member {n}") for n in range(60)]

    def press(one: Player) -> bool:
        try:
            calls.join(made, one, UNKNOWN_ORIGIN, now)
        except RefusedError:
            return False
        finally:
            connections.close_all()
        return True

    with ThreadPoolExecutor(6) as workers:
        assert sum(workers.map(press, crowd)) == 2


@pytest.mark.db
@pytest.mark.django_db(transaction=True)
def test_many_call_one_club_at_once_and_it_is_called_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(hub, "announce", lambda _table_id: None)
    mill, now = club(), timezone.now()
    tables = []
    for number in range(12):
        host = Player.objects.create(name=f"Member {number}")
        joined(mill, host)
        tables.append(table(host, house_seats=(1,)))

    def press(at: Table) -> bool:
        try:
            calls.call(mill, at.host, at, now)
        except RefusedError:
            return False
        finally:
            connections.close_all()
        return True

    with ThreadPoolExecutor(6) as workers:
        assert sum(workers.map(press, tables)) == 1
