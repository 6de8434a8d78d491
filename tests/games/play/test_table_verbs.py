"""The verbs of a table as addresses: sit, stand, start, stand in, take back, again, join."""

from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from games.engine.rules import CLASSIC_24
from games.models import Game, Player, Table
from games.people.identity import PLAYER_KEY
from games.seats import seating
from games.sockets import hub
from tests.factories import cast, finish, logged_in, player, table

pytestmark = pytest.mark.django_db
SCRIPT = {"HX-Request": "true"}
VERBS = ["sit", "stand", "start", "stand-in", "take-back", "again"]


def test_a_seat_is_taken_by_a_plain_form() -> None:
    at, ben = table(player("Maeve")), player("Ben")
    response = logged_in(ben).post(f"/tables/{at.pk}/sit", {"seat": "2"})
    assert (response.status_code, response["Location"]) == (303, f"/tables/{at.pk}/")
    assert at.seats.get(position=2).player == ben


def test_the_table_shows_a_change_before_the_news_of_it_has_come(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    maeve, ben = player("Maeve"), player("Ben")
    at, client = table(maeve), logged_in(maeve)
    assert b"Ben" not in client.get(f"/tables/{at.pk}/").content
    monkeypatch.setattr(hub, "announce", lambda _table: None)
    seating.sit(at, ben, 2)
    assert b"Ben" in client.get(f"/tables/{at.pk}/").content


def test_a_script_is_answered_without_a_page() -> None:
    at, ben = table(player("Maeve")), player("Ben")
    response = logged_in(ben).post(f"/tables/{at.pk}/sit", {"seat": "2"}, headers=SCRIPT)
    assert (response.status_code, response.content) == (204, b"")


def test_a_visitor_who_sits_down_becomes_a_guest() -> None:
    at, client = table(player("Maeve")), Client()
    assert client.post(f"/tables/{at.pk}/sit", {"seat": "1"}).status_code == 303
    guest = at.seats.get(position=1).player
    assert guest is not None
    assert guest.guest
    assert client.session[PLAYER_KEY] == guest.pk


def test_a_new_guests_page_is_loaded_afresh_because_his_socket_does_not_know_him() -> None:
    at = table(player("Maeve"))
    response = Client().post(f"/tables/{at.pk}/sit", {"seat": "1"}, headers=SCRIPT)
    assert response["HX-Refresh"] == "true"


@pytest.mark.parametrize("seat", ["", "x", "-1", "4", "9", "11", "²", "1 OR 1"])
def test_a_seat_that_does_not_exist_is_refused(seat: str) -> None:
    at, ben = table(player("Maeve")), player("Ben")
    response = logged_in(ben).post(f"/tables/{at.pk}/sit", {"seat": seat}, headers=SCRIPT)
    assert (response.status_code, response.text) == (400, "This table has no such seat.")


def test_a_refusal_is_a_sentence_for_a_script_and_a_page_for_a_form() -> None:
    at, ben = table(player("Maeve")), player("Ben")
    client = logged_in(ben)
    script = client.post(f"/tables/{at.pk}/sit", {"seat": "0"}, headers=SCRIPT)
    assert (script.status_code, script.text) == (409, "Maeve has just taken this seat.")
    form = client.post(f"/tables/{at.pk}/sit", {"seat": "0"})
    assert form.status_code == 409
    assert "Maeve has just taken this seat." in form.text
    assert f'href="/tables/{at.pk}/"' in form.text


@pytest.mark.parametrize("verb", VERBS)
def test_a_verb_is_never_a_link(verb: str) -> None:
    at = table(player("Maeve"))
    assert Client().get(f"/tables/{at.pk}/{verb}").status_code == 405


@pytest.mark.parametrize("verb", VERBS)
def test_a_table_by_invitation_has_no_verbs_for_others(verb: str) -> None:
    at = seating.make_table(player("Maeve"), CLASSIC_24, open=False, seat=0)
    for client in (Client(), logged_in(player("Otto"))):
        assert client.post(f"/tables/{at.pk}/{verb}", {"seat": "1"}).status_code == 404
    assert at.seats.exclude(player=None).count() == 1


@pytest.mark.parametrize("verb", VERBS[1:])
def test_who_has_no_seat_is_refused(verb: str) -> None:
    at = table(*cast())
    for client in (Client(), logged_in(player("Otto"))):
        response = client.post(f"/tables/{at.pk}/{verb}", headers=SCRIPT)
        assert (response.status_code, response.text) == (403, "You have no seat at this table.")


def test_a_player_stands_up() -> None:
    maeve, ben, *_ = cast()
    at = table(maeve, ben)
    assert logged_in(ben).post(f"/tables/{at.pk}/stand").status_code == 303
    assert at.seats.get(position=1).player is None


@pytest.mark.parametrize("headers", [{}, SCRIPT], ids=["form", "script"])
def test_a_player_who_leaves_a_game_counts_as_left(headers: dict[str, str]) -> None:
    people = cast()
    at = table(*people)
    turn = at.games.get().turn
    leaving, other = logged_in(people[turn]), logged_in(people[(turn + 1) % 4])
    answer = leaving.post(f"/tables/{at.pk}/stand", headers=headers)
    address = answer.get("Location") or answer["HX-Redirect"]
    assert leaving.get(address).status_code == 200
    assert other.post(f"/tables/{at.pk}/stand-in", headers=SCRIPT).status_code == 204
    assert at.seats.get(position=turn).stand_in


def test_a_player_starts_with_house_players() -> None:
    maeve = player("Maeve")
    at = table(maeve)
    assert logged_in(maeve).post(f"/tables/{at.pk}/start").status_code == 303
    assert at.seats.filter(player__kind=Player.Kind.HOUSE).count() == 3


def test_a_house_player_stands_in_until_the_owner_takes_the_seat_back() -> None:
    people = cast()
    at = table(*people)
    turn = at.games.get().turn
    at.seats.filter(position=turn).update(last_seen=timezone.now() - timedelta(seconds=61))
    other, missing = people[(turn + 1) % 4], people[turn]
    assert logged_in(other).post(f"/tables/{at.pk}/stand-in").status_code == 303
    assert at.seats.get(position=turn).stand_in
    assert logged_in(missing).post(f"/tables/{at.pk}/take-back").status_code == 303
    assert not at.seats.get(position=turn).stand_in


def test_the_same_players_play_again() -> None:
    people = cast()
    at = table(*people)
    finish(at)
    assert logged_in(people[2]).post(f"/tables/{at.pk}/again").status_code == 303
    assert at.games.get(state=Game.State.PLAYING).number == 2


def test_the_invitation_link_lets_a_visitor_in_and_sit_down() -> None:
    at = seating.make_table(player("Maeve"), CLASSIC_24, open=False, seat=0)
    client = Client()
    response = client.get(f"/tables/{at.pk}/join/{at.invite_token}/")
    assert (response.status_code, response["Location"]) == (302, f"/tables/{at.pk}/")
    assert client.post(f"/tables/{at.pk}/sit", {"seat": "1"}).status_code == 303


def test_a_wrong_link_is_not_found() -> None:
    at = seating.make_table(player("Maeve"), CLASSIC_24, open=False, seat=0)
    client = Client()
    assert client.get(f"/tables/{at.pk}/join/{at.invite_token[:-1]}/").status_code == 404
    assert client.post(f"/tables/{at.pk}/sit", {"seat": "1"}).status_code == 404


def test_play_now_makes_a_guest_and_a_running_table() -> None:
    client = Client()
    response = client.post("/play/now/", {"rules": "joker-33"})
    at = Table.objects.get()
    assert (response.status_code, response["Location"]) == (303, f"/tables/{at.pk}/")
    assert (at.state, at.rules.key) == (Table.State.PLAYING, "joker-33")
    assert at.host.pk == client.session[PLAYER_KEY]


@pytest.mark.parametrize("rules", ["", "poker", "house-rules"])
def test_play_now_knows_the_published_games_only(rules: str) -> None:
    response = Client().post("/play/now/", {"rules": rules})
    assert response.status_code == 400
    assert not Player.objects.exists()


def test_play_now_is_never_a_link() -> None:
    assert Client().get("/play/now/").status_code == 405


@pytest.mark.parametrize("method", ["get", "head"])
def test_a_hand_is_kept_in_no_cache(method: str) -> None:
    at = table(*cast())
    answer = getattr(logged_in(at.host), method)(f"/tables/{at.pk}/")
    assert answer.status_code == 200
    assert {"no-store", "private"} <= set(answer["Cache-Control"].split(", "))
