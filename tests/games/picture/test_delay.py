"""Whoever has no seat sees a delayed table two hands later, in whatever way they look."""

import json
from typing import Any, Final

import pytest
from asgiref.sync import sync_to_async
from django.test import AsyncClient

from games.engine.rules import RuleSet
from games.models import Player, Table
from games.picture import viewing
from games.play import play
from games.seats.house_rules import HOUSE_RULES
from tests.factories import Room, logged_in, member, room
from tests.tabs import new_tab

#: Three hands cannot win it.
LONG: Final = RuleSet(key=HOUSE_RULES, name="House rules", target=50)

pytestmark = pytest.mark.django_db(transaction=True)


async def delayed(**fields: Any) -> Room:
    """A delayed table whose host only watches."""
    at = await room(LONG)
    host = await sync_to_async(member)("Hana")
    await Table.objects.filter(pk=at.table_id).aupdate(delayed=True, host=host, **fields)
    await play.catch_up(at.table_id)
    return at


async def play_to_hand(at: Room, number: int) -> None:
    """Play until hand `number` has had four actions."""
    acted = 0
    while True:
        live = await at.live()
        assert live.playing
        acted = acted + 1 if live.playing.engine.standing.deal_number == number else 0
        if acted > 4:
            return
        await at.step()


def shown(live: Any, player: Player | None) -> tuple[int, int]:
    """The hand that a viewer sees, and how many actions the game has had there."""
    view = viewing.view_of(live, player.pk if player else None)
    number = view.observation.standing.deal_number if view.observation else 0
    return number, view.scene.version


async def test_players_and_the_host_see_it_now_and_others_later() -> None:
    at = await delayed()
    host, stranger = await Player.objects.aget(name="Hana"), await sync_to_async(member)("Otto")
    await play_to_hand(at, 2)
    live = await at.live()
    assert [shown(live, one)[0] for one in (at.players[0], host)] == [2, 2]
    assert [shown(live, one) for one in (stranger, None)] == [(0, 0), (0, 0)]
    await play_to_hand(at, 3)
    assert shown(live, at.players[0])[0] == 3
    number, version = shown(live, stranger)
    assert number == 1
    assert live.playing
    assert 0 < version < live.playing.engine.version


async def test_the_page_says_so_and_has_nothing_of_the_hand() -> None:
    at = await delayed()
    await play_to_hand(at, 1)
    answer = await AsyncClient().get(f"/tables/{at.table_id}/")
    page = answer.content.decode()
    assert "shown two hands later" in page
    assert "The first hand appears when the third is dealt." in page
    own = await sync_to_async(logged_in)(at.players[0])
    mine = await sync_to_async(own.get)(f"/tables/{at.table_id}/")
    assert "shown two hands later" not in mine.text
    values = viewing.pictures(await at.live(), [None])[None].table.values
    assert (values["trump"], values["trump.detail"]) == (None, "House rules")


async def test_a_socket_is_sent_the_earlier_hand_and_then_the_end() -> None:
    at = await delayed()
    watching = await new_tab(at.table_id)
    assert await watching.connect() is None
    await play_to_hand(at, 3)
    live = await at.live()
    picture = viewing.pictures(live, [None])[None]
    await watching.until(picture.table.stamp)
    assert json.loads(watching.frames[-1])["version"] != live.stamp
    assert {json.loads(frame)["version"] for frame in watching.frames} & {"1.0", "0.0"}
    await at.play_out()
    await watching.until((await at.live()).stamp)


async def test_the_api_is_no_way_round() -> None:
    from games.api.table_view import table_view

    at = await delayed()
    await play_to_hand(at, 3)
    live = await at.live()
    now = table_view(viewing.view_of(live, at.players[0].pk))
    then = table_view(viewing.view_of(live, None))
    assert now.deal
    assert then.deal
    assert (now.deal.number, then.deal.number) == (3, 1)
    assert then.deals == []
    assert (then.turn_seconds, then.requests, then.proposal) == (None, [], None)
