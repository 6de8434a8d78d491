"""Finished games replayed and taken away, and files of games replayed."""

import base64
import json
import re
import zlib

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.utils import timezone
from django.utils.html import strip_tags
from pytest_django import DjangoAssertNumQueries

from games.engine.deal import Deal
from games.engine.rules import CLASSIC_24, HEADS_UP, JOKER_33, RuleSet
from games.files.importing import read_games
from games.files.played import PlayedGame
from games.files.ptn import write_ptn
from games.files.record import read_record, write_record
from games.files.strict_json import MAX_BYTES
from games.models import Game, Player, Table
from games.picture.values import Row, Values
from games.records import game_files, replays
from tests.chance import TYPICAL, match_data, random_played, random_record
from tests.factories import cast, logged_in, play_out, player, table

pytestmark = pytest.mark.django_db


def played(rules: RuleSet = CLASSIC_24, *, open_to_all: bool = True) -> Game:
    """A game that the cast has played out."""
    return play_out(table(*cast()[: rules.players], rules=rules, open=open_to_all))


def text(page: str) -> str:
    """The words of a page."""
    return " ".join(strip_tags(page).split())


# Taking away ------------------------------------------------------------------------------


@pytest.mark.parametrize("rules", TYPICAL.values(), ids=TYPICAL)
def test_the_record_of_a_stored_game_reads_back_the_same(rules: RuleSet) -> None:
    game = played(rules)
    response = Client().get(f"/games/{game.pk}/record.json")
    assert response["Content-Type"] == "application/json"
    assert response["Content-Disposition"] == f'attachment; filename="bower-{game.pk}.json"'
    record = read_record(response.content)
    assert record == game_files.record_of(game)
    assert len(record.events) == game.version
    (read,) = read_games(response.content)
    assert read.standing.score == (game.score_0, game.score_1)


@pytest.mark.parametrize("state", [Game.State.OVER, Game.State.ABANDONED])
def test_the_seal_of_a_game_stays_whatever_people_are_called_later(state: str) -> None:
    game = played() if state == Game.State.OVER else table(*cast()).games.get()
    Game.objects.filter(pk=game.pk).update(state=state, ended=timezone.now())
    game.refresh_from_db()
    seal = game_files.seal_of(game)
    assert json.loads(game_files.record_file(game))["seal"] == seal.hex()
    Table.objects.filter(pk=game.table_id).update(title="Thursday, table 4", open=False)
    Player.objects.update(
        name="Silas", kind=Player.Kind.PROGRAM, private=True, user=None, owner=player("Otto")
    )
    Game.objects.filter(pk=game.pk).update(noted=True, published=True, counts=False)
    told = json.loads(game_files.record_file(Game.objects.get(pk=game.pk)))
    assert told["players"][0]["name"] == "Silas"
    assert game_files.seal_of(Game.objects.get(pk=game.pk)) == seal


def test_egn_of_a_stored_game_is_the_same_game() -> None:
    game = played()
    response = Client().get(f"/games/{game.pk}/game.egn")
    assert response["Content-Disposition"] == f'attachment; filename="bower-{game.pk}.egn"'
    assert json.loads(response.content)["metadata"]["players"] == ["Maeve", "Ben", "Iris", "Jonah"]
    (read,) = read_games(response.content)
    assert read.standing.score == (game.score_0, game.score_1)


@pytest.mark.parametrize("name", ["EGN", "PTN"])
def test_what_another_format_cannot_hold_is_said(name: str) -> None:
    game = played(RuleSet(key="x", name="X", skunk=4, target=2))
    response = Client().get(f"/games/{game.pk}/game.{name.lower()}")
    assert response.status_code == 409
    assert f"{name} always counts 2 for “skunk”, this game did not." in response.text


def test_ptn_of_a_stored_game_is_the_same_game_or_one_hand_of_it() -> None:
    game = played()
    response = Client().get(f"/games/{game.pk}/game.ptn")
    assert response["Content-Type"] == "text/plain; charset=utf-8"
    (read,) = read_games(response.content)
    assert read.players == ("Maeve", "Ben", "Iris", "Jonah")
    assert read.standing.score == (game.score_0, game.score_1)
    response = Client().get(f"/games/{game.pk}/game.ptn?hand=2")
    assert response["Content-Disposition"] == f'attachment; filename="bower-{game.pk}-hand-2.ptn"'
    (hand,) = read_games(response.content)
    assert [one.deal.actions for one in hand.deals] == [read.deals[1].deal.actions]
    for number in ("0", "99", "x", ""):
        response = Client().get(f"/games/{game.pk}/game.ptn?hand={number}")
        assert response.status_code == 404
        assert "This game has the hands 1 to" in response.text


def test_the_replay_leads_to_the_hand_it_shows() -> None:
    game = played()
    page = Client().get(f"/games/{game.pk}/replay/?at=2.3").text
    assert f'href="/games/{game.pk}/game.ptn?hand=2"' in page


@pytest.mark.parametrize("path", ["record.json", "game.egn", "game.ptn", "replay/"])
def test_a_running_game_has_no_record(path: str) -> None:
    game = table(*cast()).games.get()
    response = Client().get(f"/games/{game.pk}/{path}")
    assert response.status_code == 404
    assert "still being played" in response.text


@pytest.mark.parametrize("path", ["record.json", "game.egn", "game.ptn", "replay/"])
def test_a_game_by_invitation_is_for_those_who_may_read_it(path: str) -> None:
    game = played(HEADS_UP, open_to_all=False)
    ben = game.seats.get(position=1).player
    assert logged_in(ben).get(f"/games/{game.pk}/{path}").status_code == 200
    for client in (Client(), logged_in(player("Otto"))):
        assert client.get(f"/games/{game.pk}/{path}").status_code == 404


def test_the_page_of_a_finished_game_leads_there() -> None:
    game = played()
    page = Client().get(f"/games/{game.pk}/").text
    for path in ("replay/", "record.json", "game.egn", "game.ptn"):
        assert f'href="/games/{game.pk}/{path}"' in page


# Replaying --------------------------------------------------------------------------------


@pytest.mark.parametrize("rules", TYPICAL.values(), ids=TYPICAL)
def test_every_moment_of_a_game_can_be_shown_to_every_view(rules: RuleSet) -> None:
    game = random_played(rules, "a game")
    views = [view["key"][5:] for view in replays.moment(game, "1.0", "all")["views"]]
    assert len(views) == rules.players + 2
    keys = {*replays.moment(game, "1.0", "all")}
    for one in game.deals:
        for step in range(one.steps + 1):
            for view in views:
                shown = replays.moment(game, f"{one.number}.{step}", view)
                assert shown["said"]
                assert {*shown} == keys


def test_hands_are_counted() -> None:
    game = random_played(CLASSIC_24, "a game")
    one, two = (game._replace(deals=game.deals[:count]) for count in (1, 2))
    assert replays.facts(one)[1] == "1 hand"
    assert replays.facts(two)[1] == "2 hands"


def way(game: PlayedGame, at: str, name: str) -> str | None:
    """The moment that a step leads to."""
    link: str | None = replays.moment(game, at, "all")[f"way.{name}"]
    return link and link.removeprefix("?at=").removesuffix("&seat=all")


def test_card_by_card_leads_through_the_whole_game_and_back() -> None:
    game = random_played(JOKER_33, "a game")
    at, steps = "1.0", 1
    while on := way(game, at, "card_on"):
        assert way(game, on, "card_back") == at
        at, steps = on, steps + 1
    assert steps == sum(one.steps + 1 for one in game.deals)
    assert way(game, at, "trick_on") is None


def test_trick_by_trick_stops_where_a_trick_is_complete() -> None:
    game = random_played(CLASSIC_24, "a game")
    number = next(one.number for one in game.deals if len(one.deal.tricks) == 5)
    at, stops = f"{number}.0", []
    for _ in range(6):
        at = str(way(game, at, "trick_on"))
        stops.append(replays.moment(game, at, "all")["where"])
    assert stops == [
        "Before the first lead",
        *(f"Trick {trick}, complete" for trick in range(1, 5)),
        "Trick 5, the hand is over",
    ]


def test_one_seat_sees_its_own_cards_and_what_was_played() -> None:
    game = random_played(CLASSIC_24, "a game")
    for one in game.deals:
        for step in range(one.steps + 1):
            deal = one.at(step)
            gone = {card for trick in deal.tricks for _, card in trick.plays}
            gone |= {card for _, card in deal.plays}
            shown = replays.moment(game, f"{one.number}.{step}", "east")
            others = [card for seat in (0, 2, 3) for card in fan(shown, seat)]
            assert all(card["spent"] for card in others)
            assert len(others) == len([card for card in gone if not mine(deal, card)])
            public = replays.moment(game, f"{one.number}.{step}", "public")
            assert sum(len(fan(public, seat)) for seat in range(4)) == len(gone)


def fan(values: Values, seat: int) -> list[Row]:
    """The open cards of a seat."""
    return [row for row in values[f"fan.{seat}"] if "card" in row]


def mine(deal: Deal, card: int) -> bool:
    """Whether east played a card."""
    return any((1, card) in plays for plays in (*(one.plays for one in deal.tricks), deal.plays))


def test_a_script_is_sent_the_values_that_the_page_shows() -> None:
    game = played()
    address = f"/games/{game.pk}/replay/?at=1.4&seat=north"
    page, step = (
        Client().get(address),
        Client().get(address, headers={"accept": "application/json"}),
    )
    assert step["Content-Type"] == "application/json"
    assert {page["Vary"], step["Vary"]} == {page["Vary"]}
    assert "Accept" in step["Vary"]
    assert step.json() == page.context["values"]
    refused = Client().get(f"/games/{game.pk}/replay/?at=9", headers={"accept": "application/json"})
    assert refused.status_code == 404


def test_the_log_follows() -> None:
    game = played()
    client = Client()
    start = text(client.get(f"/games/{game.pk}/replay/?at=1.0").text)
    end = text(client.get(f"/games/{game.pk}/replay/?at=1.99").text)
    assert "Hand 1 has the steps 0 to" in end
    last = re.search(r"steps 0 to (\d+)", end)
    assert last
    done = text(client.get(f"/games/{game.pk}/replay/?at=1.{last[1]}").text)
    assert "First trick" not in start
    assert "Fifth trick" in done or "thrown in" in done


@pytest.mark.parametrize(
    ("query", "told"),
    [
        ("at=x", "There is no moment"),
        ("at=0.0", "There is no moment"),
        ("at=99.0", "a hand from 1 to"),
        ("at=1.999", "Hand 1 has the steps 0 to"),
        ("seat=up", "There is no view"),
    ],
)
def test_moments_and_views_that_are_not_there(query: str, told: str) -> None:
    game = played()
    response = Client().get(f"/games/{game.pk}/replay/?{query}")
    assert response.status_code == 404
    assert told in response.text


def test_the_replay_costs_few_queries(
    django_assert_max_num_queries: DjangoAssertNumQueries,
) -> None:
    game = played(JOKER_33)
    with django_assert_max_num_queries(6):
        assert Client().get(f"/games/{game.pk}/replay/?at=2.3&seat=north").status_code == 200


# Files ------------------------------------------------------------------------------------


def send(client: Client, data: bytes) -> str:
    """Send a file, and follow to its replay."""
    upload = SimpleUploadedFile("a game.json", data)
    response = client.post("/replay/", {"file": upload}, follow=True)
    assert response.status_code == 200
    return response.text


def test_a_file_is_replayed_and_nothing_is_stored() -> None:
    client = Client()
    assert "Maeve" in send(client, write_record(random_record(CLASSIC_24, "a game")))
    assert not Game.objects.exists()
    assert client.get("/replay/file/?at=1.3&seat=east").status_code == 200
    assert Client().get("/replay/file/").status_code == 302


def test_each_game_of_a_match_is_replayed_by_its_own_address() -> None:
    client = Client()
    page = send(client, json.dumps(match_data(games=3)).encode())
    assert "Games of the match" in page
    assert [f'href="/replay/file/{number}/"' in page for number in range(5)] == [
        False, True, True, True, False,
    ]  # fmt: skip
    for number in (1, 2, 3):
        page = client.get(f"/replay/file/{number}/?at=1.2&seat=north").text
        assert 'aria-current="true">Game ' + str(number) in page
        assert f"Game {number} of the evening" in page
    for number in (0, 4, 10**6):
        response = client.get(f"/replay/file/{number}/")
        assert response.status_code == 404
        assert "The file has the games 1 to 3" in response.text


def test_a_pasted_ptn_is_replayed_and_taken_away_again() -> None:
    client, data = Client(), write_ptn(random_played(CLASSIC_24, "a game"))
    page = client.post("/replay/", {"text": data.decode().replace("\n", "\r\n")}, follow=True)
    assert "Maeve" in page.text
    assert 'href="/replay/file/1/game.ptn?hand=1"' in page.text
    assert client.get("/replay/file/1/game.ptn").content == data
    long = f"% {'x' * 200_000}\n{data.decode()}"
    assert client.post("/replay/", {"text": long}).status_code == 303
    assert client.get("/replay/file/2/game.ptn").status_code == 404
    assert client.get("/replay/file/1/game.ptn?hand=99").status_code == 404


def test_a_pasted_text_that_is_refused_stays_in_the_form() -> None:
    response = Client().post("/replay/", {"text": '[Event "<b>"]\n[Dealer W]'})
    assert response.status_code == 422
    assert "line 2" in response.text
    assert "[Event &quot;&lt;b&gt;&quot;]" in response.text


def test_a_file_kept_from_an_earlier_version_is_asked_for_again() -> None:
    client = Client()
    session = client.session
    session[game_files.FILE_KEY] = base64.b64encode(zlib.compress(b"{}")).decode()
    session.save()
    response = client.get("/replay/file/")
    assert (response.status_code, response["Location"]) == (302, "/replay/")


def test_a_file_from_here_can_be_sent_back() -> None:
    game = played()
    client = Client()
    for path in ("record.json", "game.egn", "game.ptn"):
        data = client.get(f"/games/{game.pk}/{path}").content
        assert "Jonah" in send(client, data)


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (b"{}", "the file This is neither a Bower game record"),
        (b'{"fileType": "Euchre Game Notation"}', "the file The key version is missing."),
        (b"x", "line 1, column 1 This is not JSON"),
        (rb'{"\ud800": {"a": 1, "a": 2}}', "The key &quot;a&quot; appears twice in this object."),
        (rb'{"\ud800": {"a": 1, "a": 2}}', r"[&quot;\ud800&quot;]"),
        (b" " * (MAX_BYTES + 1), "A game file may have at most 1,000,000 bytes"),
    ],
)
def test_a_bad_file_is_refused_with_place_and_reason(data: bytes, told: str) -> None:
    response = Client().post("/replay/", {"file": SimpleUploadedFile("x.json", data)})
    assert response.status_code == 422
    assert told in " ".join(strip_tags(response.text.replace("<br>", " ")).split())


def test_no_file_is_asked_for() -> None:
    response = Client().post("/replay/", {"file": "text"})
    assert response.status_code == 422
    assert "Choose a file or paste a record first." in response.text
