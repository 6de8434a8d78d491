"""From replays, reviews and pasted records to the board."""

from __future__ import annotations

import re
from html import unescape

import pytest
from django.test import Client
from django.urls import reverse

from games.analysis.positions import BoardPosition
from games.files.egn import write_egn
from games.models import Game, Table
from games.records import game_files
from tests.factories import cast, play_out, table

pytestmark = pytest.mark.django_db


def position_at(url: str) -> BoardPosition:
    found = re.search(r"[?&]p=([^&]+)", url)
    assert found is not None
    return BoardPosition.parse(found[1])


def played() -> Game:
    return play_out(table(*cast()))


def test_a_replay_leads_to_the_decision_of_its_moment() -> None:
    game = played()
    page = Client().get(f"/games/{game.pk}/replay/?at=1.2").text
    address = f"/games/{game.pk}/analyse?at=1.2"
    assert f'href="{address}"' in page
    assert Client().get(f"/games/{game.pk}/replay/?at=1.3", headers={"accept": "*/json"})
    answer = Client().get(address)
    assert answer.status_code == 303
    found = position_at(answer["Location"])
    assert len(found.actions) == 2
    whole = game_files.played_of(game).deals[0].at(2)
    assert found.seen().hand == whole.hands[whole.turn]
    deal = found.deal()
    assert deal is not None
    assert deal.hands == whole.hands


def test_after_the_last_card_the_last_decision_is_opened() -> None:
    game = played()
    first = game_files.played_of(game).deals[0]
    found = position_at(Client().get(f"/games/{game.pk}/analyse?at=1.{first.steps}")["Location"])
    assert found.seen().legal
    assert Client().get(f"/games/{game.pk}/analyse?at=1.999").status_code == 404


def test_a_running_game_is_not_analysed() -> None:
    game = table(*cast()).games.get(state=Game.State.PLAYING)
    assert Client().get(f"/games/{game.pk}/analyse").status_code == 404


def test_who_may_not_replay_a_game_may_not_analyse_it() -> None:
    game = played()
    Table.objects.filter(pk=game.table_id).update(open=False)
    assert Client().get(f"/games/{game.pk}/analyse").status_code == 404


def test_a_pasted_record_lists_its_hands_and_keeps_nothing() -> None:
    game = game_files.played_of(played())
    client = Client()
    page = client.post(reverse("analysis_paste"), {"text": write_egn(game).decode()}).text
    assert f"Read as: Euchre Game Notation, {len(game.deals)} hands." in page
    addresses = re.findall(r'href="(/analysis/board/\?p=[^"]+)"', page)
    found = position_at(unescape(addresses[0]))
    assert found.seen().phase == "first round"
    assert found.deal() is not None
    assert not client.session.keys() - {"_language"}


def test_what_is_none_of_the_three_is_said() -> None:
    answer = Client().post(reverse("analysis_paste"), {"text": "1. e4 e5"})
    assert answer.status_code == 422
    assert "This is none of the three. The first line is not understood." in answer.text
    assert Client().post(reverse("analysis_paste"), {"text": " "}).status_code == 422


def test_a_file_that_is_replayed_is_analysed_too() -> None:
    client, game = Client(), game_files.played_of(played())
    client.post(reverse("replay_file"), {"text": write_egn(game).decode()})
    address = "/replay/file/1/analyse?at=1.0"
    assert f'href="{address}"' in client.get("/replay/file/1/?at=1.0").text
    assert position_at(client.get(address)["Location"]).seen().turn == game.deals[0].at(0).turn
