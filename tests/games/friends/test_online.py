"""Who is online: noted in memory, stored once a minute, shown by each person's choice."""

import re
from datetime import datetime, timedelta

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from games.friends import listing
from games.friends.listing import Doing
from games.models import Friendship, LastHere, Player, Seat, Table
from games.people import friends, online
from tests.factories import logged_in, member, player, table

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _nobody_noted() -> None:
    online._Noted.players.clear()


def befriend(one: Player, *others: Player) -> None:
    for other in others:
        friends.ask(one, other, timezone.now())
        friends.accept(other, one, timezone.now())


def come(*players: Player, at: datetime | None = None) -> int:
    """Let players ask for a page of a web process, and store it; return how many were written."""
    for one in players:
        online.note(one.pk)
    return online.store(at or timezone.now())


class TestStoring:
    def test_a_page_writes_nothing_and_one_statement_stores_everybody(self) -> None:
        people = [member(name) for name in ("Maeve", "Ben", "Iris")]
        for one in people:
            browser = logged_in(one)
            browser.get("/you/")
            with CaptureQueriesContext(connection) as queries:
                browser.get("/you/")
            assert not any(q["sql"].startswith(("INSERT", "UPDATE")) for q in queries)
        assert not LastHere.objects.exists()
        with CaptureQueriesContext(connection) as queries:
            assert online.store(timezone.now()) == 3
        assert len([q for q in queries if q["sql"].startswith("INSERT")]) == 1
        assert online.here([one.pk for one in people], timezone.now()) == {one.pk for one in people}

    def test_at_most_once_a_minute_whichever_process_answers(self) -> None:
        maeve, now = member("Maeve"), timezone.now()
        assert come(maeve) == 1
        assert come(maeve, at=now + timedelta(seconds=30)) == 0
        assert come(maeve, at=now + timedelta(seconds=70)) == 1

    def test_guests_visitors_and_closed_accounts_are_not_stored(self, client: Client) -> None:
        client.get("/you/")
        otto = member("Otto")
        assert otto.user is not None
        otto.user.is_active = False
        otto.user.save()
        assert come(otto) == 0

    def test_a_deleted_account_does_not_keep_others_from_being_stored(self) -> None:
        maeve, ben = member("Maeve"), member("Ben")
        online.note(ben.pk)
        ben.delete()
        assert come(maeve) == 1

    def test_many_are_stored_in_chunks(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(online, "CHUNK", 2)
        assert come(*[member(name) for name in ("A1", "B2", "C3", "D4", "E5")]) == 5

    def test_whoever_left_is_not_here_after_a_while(self) -> None:
        maeve = member("Maeve")
        come(maeve)
        assert not online.here([maeve.pk], timezone.now() + online.HERE_FOR)


class TestChoice:
    @pytest.mark.parametrize(
        ("seen_by", "visitor", "stranger", "friend"),
        [
            ("nobody", False, False, False),
            ("friends", False, False, True),
            ("everybody", True, True, True),
        ],
    )
    def test_on_the_profile(
        self, client: Client, seen_by: str, *, visitor: bool, stranger: bool, friend: bool
    ) -> None:
        maeve, ben, iris = member("Maeve"), member("Ben"), member("Iris")
        befriend(maeve, ben)
        online.choose_seen_by(maeve, seen_by)
        come(maeve)
        browsers = (client, logged_in(iris), logged_in(ben))
        seen = [">Online<" in one.get(f"/players/{maeve.pk}/").text for one in browsers]
        assert seen == [visitor, stranger, friend]
        (line,) = listing.lines_for(ben, timezone.now())
        assert line.online == friend

    def test_nobody_deletes_what_is_known_and_hides_tables(self) -> None:
        maeve, ben = member("Maeve"), member("Ben")
        befriend(maeve, ben)
        come(maeve)
        browser = logged_in(maeve)
        assert browser.post("/you/friends/seen", {"seen_by": "nobody"}).status_code == 303
        assert not LastHere.objects.filter(player=maeve).exists()
        assert come(maeve) == 0
        table(maeve)
        (line,) = listing.lines_for(ben, timezone.now())
        assert line.doing == Doing.AWAY
        assert browser.post("/you/friends/seen", {"seen_by": "x"}).status_code == 400


class TestList:
    def test_sorted_with_the_one_thing_possible(self) -> None:
        maeve = member("Maeve")
        ben, iris, jonah, otto, silas = others = [
            member(name) for name in ("Ben", "Iris", "Jonah", "Otto", "Silas")
        ]
        befriend(maeve, *others)
        come(silas, otto, jonah)
        playing = table(ben, house_seats=(1, 2, 3))
        waiting = table(iris)
        secret = table(otto, open=False, house_seats=(1, 2, 3))
        lines = listing.lines_for(maeve, timezone.now())
        assert [(line.player.name, line.words, line.table_id) for line in lines] == [
            ("Jonah", "Here now", None),
            ("Silas", "Here now", None),
            ("Iris", "At a table with three free seats", waiting.pk),
            ("Ben", "Playing, hand 1", playing.pk),
            ("Otto", "Playing, hand 1", None),
        ]
        assert [line.may_invite for line in lines] == [True, True, False, False, False]
        page = logged_in(maeve).get("/you/friends/").text
        assert f"/tables/{secret.pk}/" not in page
        assert page.index("Join") < page.index("Watch")

    def test_whoever_has_gone_from_a_table_is_away(self) -> None:
        maeve, ben = member("Maeve"), member("Ben")
        befriend(maeve, ben)
        table(ben, house_seats=(1, 2, 3))
        Seat.objects.filter(player=ben).update(missing_since=timezone.now())
        (line,) = listing.lines_for(maeve, timezone.now())
        assert line.doing == Doing.AWAY

    def test_the_hand_of_a_delayed_table_is_not_told(self) -> None:
        maeve, ben = member("Maeve"), member("Ben")
        befriend(maeve, ben)
        table(ben, house_seats=(1, 2, 3))
        Table.objects.update(delayed=True)
        (line,) = listing.lines_for(maeve, timezone.now())
        assert line.words == "Playing"

    def test_a_table_with_the_viewer(self) -> None:
        maeve, ben = member("Maeve"), member("Ben")
        befriend(maeve, ben)
        at = table(maeve, ben, house_seats=(2, 3), open=False)
        (line,) = listing.lines_for(ben, timezone.now())
        assert (line.words, line.table_id) == ("At a table with you", at.pk)

    def test_sixty_friends_take_as_many_queries_as_one(self) -> None:
        maeve = member("Maeve")
        counts = []
        for number in range(60):
            friend = member(f"F{number}")
            low, high = sorted((maeve, friend), key=lambda one: one.pk)
            now = timezone.now()
            Friendship.objects.create(low=low, high=high, low_asked=True, agreed=now)
            table(friend, open=bool(number % 2))
            if number in (0, 59):
                with CaptureQueriesContext(connection) as queries:
                    listing.lines_for(maeve, timezone.now())
                counts.append(len(queries))
        assert counts[0] == counts[1]
        assert Table.objects.count() == 60


class TestLobby:
    def test_friends_who_are_online_with_what_can_be_done(self) -> None:
        maeve = member("Maeve")
        ben, iris, jonah, otto = others = [
            member(name) for name in ("Ben", "Iris", "Jonah", "Otto")
        ]
        befriend(maeve, *others)
        come(jonah)
        playing, waiting = table(ben, house_seats=(1, 2, 3)), table(iris)
        secret = table(otto, open=False, house_seats=(1, 2, 3))
        page = panel(logged_in(maeve))
        assert "All 4" in page
        for words in ("Here now", "At a table with three free seats", "Playing, hand 1"):
            assert words in page
        places = [page.index(words) for words in ("Invite", "Join", "Watch")]
        assert places == sorted(places)
        assert f'href="/tables/{waiting.pk}/">Join' in page
        assert f'href="/tables/{playing.pk}/">Watch' in page
        assert f"/tables/{secret.pk}/" not in page

    def test_an_invitation_leads_to_a_table_with_the_friend(self) -> None:
        maeve, ben = member("Maeve"), member("Ben")
        befriend(maeve, ben)
        come(ben)
        browser = logged_in(maeve)
        assert f'value="{ben.pk}">Invite' in " ".join(panel(browser).split())
        assert browser.post("/you/friends/invite", {"player": ben.pk}).status_code == 303
        assert "Maeve invites you to a table" in logged_in(ben).get("/play/").text

    def test_at_most_four_and_nobody_who_is_away(self) -> None:
        maeve = member("Maeve")
        others = [member(name) for name in ("Ada", "Ben", "Col", "Dan", "Eve", "Fay")]
        befriend(maeve, *others)
        assert "None of them is here" in panel(logged_in(maeve))
        come(*others[1:])
        page = panel(logged_in(maeve))
        assert [one.name in page for one in others] == [False, True, True, True, True, False]

    def test_only_members_have_it(self, client: Client) -> None:
        assert panel(client) == ""
        assert panel(logged_in(player("Gus"))) == ""
        maeve = member("Maeve")
        assert "add the people you liked" in panel(logged_in(maeve))

    def test_the_panel_asks_for_itself_and_then_shows_who_has_come(self) -> None:
        maeve, ben = member("Maeve"), member("Ben")
        befriend(maeve, ben)
        browser = logged_in(maeve)
        asked = re.search(r'hx-get="([^"]+)"', panel(browser))
        assert asked is not None
        assert "None of them is here" in browser.get(asked[1]).text
        come(ben)
        part = browser.get(asked[1]).text
        assert f'value="{ben.pk}">Invite' in " ".join(part.split())
        assert "<html" not in part
        assert Client().get(asked[1]).text.strip() == ""

    def test_a_part_of_the_page_does_not_ask_for_friends(self) -> None:
        maeve = member("Maeve")
        part = logged_in(maeve).get("/play/", headers={"HX-Request": "true"}).text
        assert "Friends online" not in part


def panel(browser: Client) -> str:
    """Return the panel of friends in the lobby, or nothing."""
    page = browser.get("/play/").text
    found = re.search(r'<section[^>]*aria-labelledby="friends".*?</section>', page, re.DOTALL)
    return found[0] if found else ""
