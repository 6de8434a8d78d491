"""Reserved tables: their seats and games are given; the players see who is awaited."""

from datetime import timedelta

import pytest
from django.utils import timezone

from games.engine.rules import CLASSIC_24
from games.live.state import TableOwner
from games.models import Game, Player, Table
from games.models.tables import LONG_AGO
from games.picture.scene import HOUSE, PERSON, SeatView, View, Viewer
from games.seats import lobby, reserved, seating
from games.seats.closing import LEFT_AFTER, close_left
from games.seats.reserved import ReservedTable
from games.seats.seating import SeatingError
from tests.factories import cast, finish, logged_in, member, player
from tests.games.picture.pages import draw, page
from tests.games.picture.scenes import NORTH, SOUTH, deal, moments, scene, view

EVENT = TableOwner("Table 4, round 3: Thursday", "/events/7/")
AWAITED = (
    SeatView("Ben", PERSON),
    SeatView("Jonah", PERSON, away=True, awaited=True),
    SeatView("Maeve", PERSON),
    SeatView("Rowan", HOUSE),
)


def opened(*players: Player, open_to_all: bool = True) -> Table:
    """A table that some players have been called to."""
    place = ReservedTable(players, "Table 4, round 3: Thursday", "/events/7/")
    (table,) = reserved.open_tables([place], CLASSIC_24, players[0], open=open_to_all)
    return table


def refused() -> pytest.RaisesExc[SeatingError]:
    """Expect that a reserved table refuses."""
    return pytest.RaisesExc(SeatingError, check=lambda error: error.code == "reserved")


@pytest.mark.django_db
class TestVerbs:
    def test_sitting_down_is_refused(self) -> None:
        maeve, ben, iris, _ = cast()
        house = Player.objects.create(name="Rowan", kind=Player.Kind.HOUSE)
        at = opened(maeve, ben, iris, house)
        with refused():
            seating.sit(at, player("Otto"), 3)
        with refused():
            seating.sit(at, maeve, 1)
        assert at.seats.get(position=3).player == house

    def test_starting_the_game_is_refused(self) -> None:
        at = opened(*cast())
        with refused():
            seating.start(at, at.host)
        assert not at.games.exists()

    def test_playing_again_is_refused(self) -> None:
        at = opened(*cast())
        reserved.begin(at.pk, 1, CLASSIC_24)
        at.refresh_from_db()
        finish(at)
        with refused():
            seating.again(at, at.host)
        assert at.games.count() == 1

    @pytest.mark.parametrize("finished", [False, True])
    def test_a_player_who_stands_up_keeps_their_seat_and_is_awaited(self, finished: bool) -> None:
        people = cast()
        at = opened(*people)
        at.seats.update(last_seen=timezone.now())
        if finished:
            reserved.begin(at.pk, 1, CLASSIC_24)
            at.refresh_from_db()
            finish(at)
        for person in people:
            seating.stand_up(at, person)
        at.refresh_from_db()
        assert at.state != Table.State.CLOSED
        assert [seat.player for seat in at.seats.all()] == list(people)
        assert set(at.seats.values_list("last_seen", flat=True)) == {LONG_AGO}

    def test_a_stand_in_can_be_requested(self) -> None:
        people = cast()
        at = opened(*people)
        reserved.begin(at.pk, 1, CLASSIC_24)
        turn = at.games.get().turn
        seating.ask_stand_in(at, people[turn - 1], timezone.now())
        assert at.seats.get(stand_in=True).position == turn

    @pytest.mark.parametrize("verb", ["sit", "start", "again"])
    def test_a_refusal_is_a_sentence(self, verb: str) -> None:
        people = cast()
        at = opened(*people)
        answer = logged_in(people[0]).post(f"/tables/{at.pk}/{verb}", {"seat": "1"})
        assert answer.status_code == 409
        assert 'role="alert"' in answer.text


@pytest.mark.django_db
class TestLobby:
    def test_others_are_not_offered_a_seat(self) -> None:
        at = opened(*cast())
        at.seats.update(last_seen=timezone.now())
        otto = player("Otto")
        assert lobby.lobby_for(otto).waiting == ()
        reserved.begin(at.pk, 1, CLASSIC_24)
        (line,) = lobby.lobby_for(otto).running
        assert (line.title, line.free) == ("Table 4, round 3: Thursday", ())
        page = logged_in(otto).get("/play/").text
        assert "Table 4, round 3: Thursday" in page
        assert f"/tables/{at.pk}/sit" not in page

    def test_players_find_the_table_in_their_list(self) -> None:
        people = cast()
        at = opened(*people)
        (line,) = lobby.your_tables(people[1])
        assert (line.table_id, line.state) == (at.pk, Table.State.GATHERING)


@pytest.mark.django_db(transaction=True)
class TestPages:
    def test_the_page_says_who_has_come_and_who_is_awaited(self) -> None:
        maeve, ben, iris, _ = people = [member(name) for name in ("Maeve", "Ben", "Iris", "Jonah")]
        at = opened(*people)
        logged_in(ben).get(f"/tables/{at.pk}/")
        html = logged_in(maeve).get(f"/tables/{at.pk}/").text
        assert "<h1>Table 4, round 3: Thursday</h1>" in html
        assert "Waiting for Iris and Jonah" in html
        assert html.count(">Awaited<") == 2
        assert 'href="/events/7/"' in html
        logged_in(iris).get(f"/tables/{at.pk}/")
        assert reserved.awaited([at.pk]) == {at.pk: {people[3].pk}}

    def test_a_finished_game_links_back_to_the_event(self) -> None:
        people = [member(name) for name in ("Maeve", "Ben", "Iris", "Jonah")]
        at = opened(*people)
        reserved.begin(at.pk, 1, CLASSIC_24)
        at.refresh_from_db()
        game = finish(at)
        assert Game.objects.get(pk=game.pk).state == Game.State.OVER
        html = logged_in(people[0]).get(f"/games/{game.pk}/").text
        assert "Play again" not in html
        assert 'href="/events/7/"' in html


def gathering(seat: int | None, *seats: SeatView) -> View:
    """A reserved table before its game."""
    waiting = scene(
        state="gathering", seats=seats or AWAITED, game_id="", game_number=0, version=0,
        reserved=EVENT,
    )  # fmt: skip
    return View(waiting, Viewer(seat), None)


class TestParts:
    def test_the_prompt_names_awaited_players_and_links_back(self) -> None:
        for seat in (SOUTH, None):
            prompt = page(gathering(seat), "question")
            assert prompt.text.startswith(page(gathering(seat), "line").text)
            assert "Waiting for Jonah" in prompt.text
            assert "when everybody is here" in prompt.text
            assert prompt.all("button") == []
            assert [link["href"] for link in prompt.all("a")] == ["/events/7/"]

    def test_several_awaited_players_are_listed(self) -> None:
        seats = [seat._replace(awaited=seat.kind == PERSON) for seat in AWAITED]
        assert "Waiting for Ben, Jonah and Maeve" in page(gathering(None, *seats), "question").text

    def test_the_prompt_says_when_everybody_is_here(self) -> None:
        seats = [seat._replace(awaited=False) for seat in AWAITED]
        assert "Everybody is here" in page(gathering(SOUTH, *seats), "question").text

    def test_each_seat_says_whether_its_player_has_come(self) -> None:
        parts = draw(gathering(None))
        told = [
            next((word for word in ("Here", "Awaited", "Away", "House") if word in marks), "")
            for marks in (parts[f"marks-{seat}"] for seat in range(4))
        ]
        assert told == ["Here", "Awaited", "Here", "House"]

    def test_no_seat_is_offered(self) -> None:
        made = deal("order")
        shown = View(scene(seats=AWAITED, reserved=EVENT), Viewer(None), made.observe(None))
        for one in (gathering(None), shown):
            assert not [button for button in page(one).all("button") if button.get("formaction")]

    def test_a_finished_game_links_to_the_event_and_its_records(self) -> None:
        *_, game = moments(CLASSIC_24, seed=3)
        shown = view(game, NORTH, state="finished", reserved=EVENT)
        prompt = page(shown, "question")
        assert prompt.all("button") == []
        assert [link["href"] for link in prompt.all("a")] == [
            "/events/7/", "/games/game/review/", "/games/game/", "/games/game/replay/",
        ]  # fmt: skip
        closed = page(view(game, NORTH, state="closed", reserved=EVENT), "question")
        assert closed.text == prompt.text

    def test_a_closed_table_links_back(self) -> None:
        shown = View(scene(state="closed", reserved=EVENT), Viewer(SOUTH), deal().observe(SOUTH))
        prompt = page(shown, "question")
        assert "This match has ended" in prompt.text
        assert [link["href"] for link in prompt.all("a")] == ["/events/7/"]


@pytest.mark.django_db
def test_a_deserted_reserved_table_is_closed() -> None:
    at = opened(*cast())
    assert close_left(timezone.now() + LEFT_AFTER + timedelta(minutes=1)) == 1
    at.refresh_from_db()
    assert at.state == Table.State.CLOSED
