"""What home and lobby list, for whom, and in how many queries."""

from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from games.engine.rules import CLASSIC_24, HEADS_UP, STICK_THE_DEALER
from games.live import absence
from games.models import Game, Player, Table
from games.people.house_players import house_players
from games.seats import lobby, reserved, seating
from games.seats.reserved import ReservedTable
from games.shuffle.dealing import packs_of
from tests.factories import cast, finish, logged_in, member, play_out, player, table

pytestmark = pytest.mark.django_db
SCRIPT = {"HX-Request": "true"}


def ids(lines: tuple[lobby.LobbyTable, ...]) -> list[int]:
    """The numbers of the tables in a list."""
    return [line.table_id for line in lines]


class TestLists:
    def test_a_table_that_waits_shows_who_sits_and_what_is_free(self) -> None:
        at = table(player("Maeve"), house_seats=[1])
        (line,) = lobby.lobby_for(None).waiting
        assert (line.table_id, line.rules, line.host) == (at.pk, "Classic, 24 cards, to 5", "Maeve")
        assert [(place.compass, place.name, place.house) for place in line.places] == [
            ("North", "Maeve", False),
            ("East", "Hazel", True),
            ("South", "", False),
            ("West", "", False),
        ]
        assert [place.position for place in line.free] == [1, 2, 3]

    def test_a_running_table_shows_both_sides_with_their_points(self) -> None:
        at = table(*cast())
        at.games.update(score_0=3, score_1=1, deal_number=4)
        (line,) = lobby.lobby_for(None).running
        sides = [([place.name for place in places], points) for places, points in line.sides]
        assert sides == [(["Maeve", "Iris"], 3), (["Ben", "Jonah"], 1)]
        assert line.hand == 4

    def test_a_table_by_invitation_is_listed_for_its_players_only(self) -> None:
        maeve, ben, *_ = cast()
        waiting = seating.make_table(maeve, CLASSIC_24, open=False, seat=0)
        running = table(maeve, ben, rules=HEADS_UP, open=False)
        for who in (None, player("Otto")):
            assert lobby.lobby_for(who) == lobby.Lobby((), (), ())
        assert set(ids(lobby.lobby_for(maeve).yours)) == {waiting.pk, running.pk}

    def test_own_tables_are_listed_separately(self) -> None:
        maeve, ben, *_ = cast()
        mine, other = table(maeve), table(ben)
        lists = lobby.lobby_for(maeve)
        assert (ids(lists.yours), ids(lists.waiting)) == ([mine.pk], [other.pk])

    def test_games_waiting_for_the_player_come_first(self) -> None:
        maeve, ben, *_ = cast()
        first = table(maeve, ben, rules=HEADS_UP)
        second = table(maeve, ben, rules=HEADS_UP)
        waiting = table(maeve)
        first.games.update(turn=0)
        second.games.update(turn=1)
        assert ids(lobby.your_tables(maeve)) == [first.pk, second.pk, waiting.pk]
        assert [line.my_turn for line in lobby.your_tables(maeve)] == [True, False, False]

    def test_own_side_is_listed_first(self) -> None:
        maeve, ben, *_ = cast()
        at = table(maeve, ben, rules=HEADS_UP)
        at.games.update(score_0=3, score_1=1)
        assert [lobby.your_tables(who)[0].score for who in (maeve, ben)] == [(3, 1), (1, 3)]

    def test_inactive_tables_are_not_listed(self) -> None:
        long_ago = timezone.now() - lobby.RECENT - timedelta(minutes=1)
        maeve, ben, *_ = cast()
        waiting, running = table(maeve), table(maeve, ben, rules=HEADS_UP)
        assert lobby.lobby_for(None).waiting
        assert lobby.lobby_for(None).running
        Table.objects.update(created=long_ago)
        waiting.seats.update(last_seen=long_ago)
        running.games.update(moved=long_ago)
        assert lobby.lobby_for(None) == lobby.Lobby((), (), ())
        assert len(lobby.lobby_for(maeve).yours) == 2

    def test_a_deserted_game_is_listed_only_for_its_players(self) -> None:
        maeve, ben, *_ = cast()
        at = table(maeve, ben, rules=HEADS_UP)
        before = timezone.now() - lobby.DESERTED
        at.seats.filter(position=0).update(last_seen=before - timedelta(days=1))
        at.seats.filter(position=1).update(last_seen=before + timedelta(minutes=1))
        assert ids(lobby.running_tables(None)) == [at.pk]
        at.seats.filter(position=1).update(last_seen=before)
        assert lobby.running_tables(None) == ()
        assert ids(lobby.lobby_for(player("Otto")).running) == []
        assert ids(lobby.your_tables(maeve)) == [at.pk]
        for path in ("/", "/play/"):
            assert f"/tables/{at.pk}/" not in Client().get(path).text
            assert f"/tables/{at.pk}/" in logged_in(maeve).get(path).text

    def test_a_deserted_game_is_listed_again_when_a_player_returns(self) -> None:
        maeve, ben, *_ = cast()
        at = table(maeve, ben, rules=HEADS_UP)
        at.seats.update(last_seen=timezone.now() - lobby.DESERTED)
        assert lobby.running_tables(None) == ()
        logged_in(player("Otto")).get(f"/tables/{at.pk}/")  # who watches does not play
        assert lobby.running_tables(None) == ()
        absence.record_present(at.pk, ben.pk, timezone.now())
        assert ids(lobby.running_tables(None)) == [at.pk]

    def test_a_game_of_house_players_only_is_listed(self) -> None:
        people = house_players(4)
        place = ReservedTable(people, "Table 1 of an event", "/events/1/")
        (at,) = reserved.open_tables([place], CLASSIC_24, player("Maeve"))
        reserved.begin(at.pk, 1, CLASSIC_24)
        assert ids(lobby.running_tables(None)) == [at.pk]

    def test_house_players_do_not_keep_a_deserted_game_listed(self) -> None:
        at = table(player("Maeve"), house_seats=[1, 2, 3])
        assert ids(lobby.running_tables(None)) == [at.pk]
        at.seats.filter(position=0).update(last_seen=timezone.now() - lobby.DESERTED)
        assert lobby.running_tables(None) == ()

    def test_a_closed_table_is_not_listed(self) -> None:
        maeve = player("Maeve")
        at = table(maeve)
        seating.stand_up(at, maeve)
        assert lobby.lobby_for(maeve) == lobby.Lobby((), (), ())

    def test_a_table_that_has_just_finished_is_listed_for_its_players(self) -> None:
        maeve, ben, *_ = cast()
        at = table(maeve, ben, rules=HEADS_UP)
        game = finish(at)
        assert [line.state for line in lobby.your_tables(maeve)] == ["finished"]
        Game.objects.filter(pk=game.pk).update(ended=timezone.now() - timedelta(days=1))
        assert lobby.your_tables(maeve) == ()

    def test_results_are_from_the_players_perspective(self) -> None:
        maeve, ben, iris, jonah = cast()
        at = table(maeve, ben, iris, jonah)
        game = finish(at)
        Game.objects.filter(pk=game.pk).update(score_0=5, score_1=2, winner=0)
        (won,), (lost,) = lobby.results_of(iris), lobby.results_of(jonah)
        assert (won["outcome"], won["score"], won["partner"]) == ("Won", (5, 2), "Maeve")
        assert (lost["outcome"], lost["score"], lost["opponents"]) == (
            "Lost",
            (2, 5),
            "Maeve and Iris",
        )
        Game.objects.filter(pk=game.pk).update(winner=-1)
        assert lobby.results_of(ben)[0]["outcome"] == "Tied"


class TestQueries:
    def fill(self, maeve: Player, tables: int) -> None:
        """Make as many tables of each kind."""
        ben = player("Ben")
        for _ in range(tables):
            table(ben)
            table(maeve)
            table(ben, player("Iris"), rules=HEADS_UP)
            play_out(table(maeve, ben, rules=HEADS_UP))

    @pytest.mark.parametrize("tables", [1, 4])
    @pytest.mark.parametrize(("path", "queries"), [("/", 24), ("/play/", 17)])
    def test_the_number_of_queries_does_not_grow_with_lists(
        self,
        path: str,
        queries: int,
        tables: int,
        django_assert_num_queries: DjangoAssertNumQueries,
    ) -> None:
        maeve = member("Maeve")
        self.fill(maeve, tables)
        client = logged_in(maeve)
        with django_assert_num_queries(queries):
            assert client.get(path).status_code == 200


class TestHome:
    def test_the_home_page_shows_own_seat_and_results(self) -> None:
        maeve, ben, *_ = cast()
        running = table(maeve, ben, rules=STICK_THE_DEALER, house_seats=[2, 3])
        game = play_out(table(maeve, ben, rules=HEADS_UP))
        page = logged_in(maeve).get("/").text
        assert "Back to your seat" in page
        assert f'href="/tables/{running.pk}/"' in page
        assert f'href="/games/{game.pk}/"' in page

    def test_house_players_are_marked_in_words(self) -> None:
        seating.play_now(player("Maeve"), CLASSIC_24)
        assert Client().get("/").text.count("(house player)") == 3

    def test_names_are_escaped(self) -> None:
        table(player("<b>Maeve"), player("<i>Ben"), rules=HEADS_UP)
        for path in ("/", "/play/"):
            page = Client().get(path).text
            assert "&lt;b&gt;Maeve" in page
            assert "<b>Maeve" not in page

    def test_lists_do_not_contain_the_shuffles_secret(self) -> None:
        maeve = player("Maeve")
        game = seating.play_now(maeve, CLASSIC_24).games.get()
        secret = packs_of(game)._secret
        for path in ("/", "/play/", f"/games/{game.pk}/"):
            page = logged_in(maeve).get(path).text
            assert secret.hex() not in page
            assert bytes(game.secret).decode() not in page


class TestLobbyPage:
    def test_htmx_requests_get_only_the_lists(self) -> None:
        table(player("Maeve"))
        response = Client().get("/play/", headers=SCRIPT)
        assert "<html" not in response.text
        assert response.text.lstrip().startswith("<div")
        assert "HX-Request" in response["Vary"]

    def test_an_unchanged_lobby_is_answered_with_204(self) -> None:
        at, client = table(player("Maeve")), Client()
        seen = client.get("/play/").context["seen"]
        again = client.get("/play/", {"seen": seen}, headers=SCRIPT)
        assert (again.status_code, again.content) == (204, b"")
        seating.sit(at, player("Ben"), 1)
        changed = client.get("/play/", {"seen": seen}, headers=SCRIPT)
        assert changed.status_code == 200
        assert "Ben" in changed.text

    def test_a_browser_without_scripts_always_gets_the_page(self) -> None:
        client = Client()
        seen = client.get("/play/").context["seen"]
        assert "<html" in client.get("/play/", {"seen": seen}).text

    def test_every_free_seat_has_a_button(self) -> None:
        table(player("Maeve"), house_seats=[1])
        page = Client().get("/play/").text
        for position, words in ((1, "Take Hazel’s seat"), (2, "Sit South"), (3, "Sit West")):
            assert f'name="seat" value="{position}"' in page
            assert words in page
        assert 'name="seat" value="0"' not in page
