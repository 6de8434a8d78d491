"""The preview of a finished game: for games that everybody may open, and for no others."""

import io

import pytest
from django.test import Client
from PIL import Image

from games.models import Game, Player
from games.people import limits
from games.sharing import pictures
from games.sharing.pictures import Card
from tests.factories import cast, play_out, table

pytestmark = pytest.mark.django_db


def played(*, open_to_all: bool) -> Game:
    maeve, ben, _iris, _jonah = cast()
    return play_out(table(maeve, ben, house_seats=(2, 3), open=open_to_all))


def picture(of: Game) -> int:
    return Client().get(f"/games/{of.pk}/preview.png").status_code


def test_an_open_game_has_a_preview() -> None:
    game = played(open_to_all=True)
    page = Client().get(f"/games/{game.pk}/").text
    assert f"/games/{game.pk}/preview.png" in page
    assert '<meta property="og:title" content="' in page
    response = Client().get(f"/games/{game.pk}/preview.png")
    assert response["Content-Type"] == "image/png"
    assert Image.open(io.BytesIO(response.content)).size == (1200, 630)
    again = Client().get(
        f"/games/{game.pk}/preview.png", headers={"If-None-Match": response["ETag"]}
    )
    assert again.status_code == 304


def test_a_game_by_invitation_has_none_even_for_its_players() -> None:
    game = played(open_to_all=False)
    assert picture(game) == 404


def test_a_game_that_is_played_has_none() -> None:
    game = played(open_to_all=True)
    Game.objects.update(state=Game.State.PLAYING)
    assert picture(game) == 404


def test_the_name_of_a_former_player_is_gone_from_it() -> None:
    game = played(open_to_all=True)
    before = Client().get(f"/games/{game.pk}/preview.png").content
    Player.objects.filter(name="Maeve").update(name="Former player 1", former=True)
    assert Client().get(f"/games/{game.pk}/preview.png").content != before


def test_a_picture_is_drawn_once(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: list[Card] = []
    kept: dict[str, bytes] = {}

    class Memory:
        get = kept.get

        def set(self, key: str, value: bytes, _seconds: int) -> None:
            kept[key] = value

    monkeypatch.setattr(pictures, "caches", {"pages": Memory()})

    def draw(card: Card) -> bytes:
        drawn.append(card)
        return b"png"

    monkeypatch.setattr(pictures, "_drawn", draw)
    for title in ("One", "One", "Two"):
        card = Card(title, (), "h")
        assert (pictures.kept(card) or pictures.png(card)) == b"png"
    assert [card.title for card in drawn] == ["One", "Two"]


@pytest.mark.parametrize(
    ("limit", "answered"),
    [
        ("PICTURES_IN_TEN_MINUTES", [200, 200, 429, 200]),
        ("ALL_PICTURES_IN_TEN_MINUTES", [200, 200, 429, 429]),
    ],
)
def test_only_so_many_pictures_are_drawn_for_one_address_and_for_all(
    monkeypatch: pytest.MonkeyPatch, limit: str, answered: list[int]
) -> None:
    monkeypatch.setattr(limits, limit, 2)
    monkeypatch.setattr(pictures, "_drawn", lambda _card: b"png")
    monkeypatch.setattr(pictures, "kept", lambda _card: None)
    path = f"/games/{played(open_to_all=True).pk}/preview.png"
    asked = [Client(REMOTE_ADDR=f"192.0.2.{last}").get(path) for last in (1, 1, 1, 2)]
    assert [one.status_code for one in asked] == answered
    assert asked[2]["Retry-After"] == "600"
    assert "try again in ten minutes" in asked[2].text


def test_a_picture_that_is_kept_counts_for_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "PICTURES_IN_TEN_MINUTES", 0)
    monkeypatch.setattr(pictures, "kept", lambda _card: b"png")
    assert picture(played(open_to_all=True)) == 200


@pytest.mark.parametrize("suit", "hsdc")
@pytest.mark.parametrize(
    "title", ["", "Zoë", "李" * 30, "w" * 200, "a " * 200, "Thursday euchre at the Old Mill, pairs"]
)
def test_any_text_is_drawn(suit: str, title: str) -> None:
    data = pictures.png(Card(title, (title, title), suit))
    assert Image.open(io.BytesIO(data)).size == pictures.SIZE


def test_a_text_that_the_font_cannot_write_is_left_out() -> None:
    blank = pictures.png(Card("", (), "h"))
    assert pictures.png(Card("李", (), "h")) == blank
    assert pictures.png(Card("Ελένη", (), "h")) != blank
