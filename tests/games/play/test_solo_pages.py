"""The page of a solo table: what it leaves out, that a finished deal is gone, what is refused."""

import json
import re
from typing import Any
from unittest.mock import Mock

import pytest
from asgiref.sync import sync_to_async
from django.contrib.sessions.backends.db import SessionStore
from django.test import AsyncClient
from django.utils import timezone

from games.engine.cards import card_text
from games.live import state, thinking
from games.models import Game, Player, Proposal, SeenFrom, SharedDeals, Table, TalkLine
from games.picture import viewing
from games.play import play
from games.play.consumers import TableConsumer
from games.shuffle import shared
from games.sockets import hub
from tests.factories import logged_in, member, player
from tests.games.solo import SOUTH, SoloRoom, by_chance, day, solo_room

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("still")]

#: A card, as values and pages name it.
CARD = re.compile(r'"([9TJQKA][CDHS])(?: led| winning| won)*"')


@pytest.fixture
def still(monkeypatch: pytest.MonkeyPatch, settings: Any) -> None:
    """Nothing happens by itself, and a choice takes few guesses."""
    settings.HOUSE_PAUSE = (600.0, 600.0)
    monkeypatch.setattr(hub, "announce", lambda _table: None)
    monkeypatch.setattr(thinking, "WORLDS", 4)


@pytest.fixture
async def room() -> SoloRoom:
    """A table at which Maeve plays the day's deals."""
    deals = await sync_to_async(day)()
    return await solo_room(deals, await sync_to_async(member)(), by_chance(2))


async def browser_of(who: Player) -> AsyncClient:
    client = AsyncClient()
    client.cookies = (await sync_to_async(logged_in)(who)).cookies
    return client


async def browser(room: SoloRoom) -> AsyncClient:
    return await browser_of(room.players[SOUTH])


async def page(room: SoloRoom, client: AsyncClient | None = None) -> str:
    client = client or await browser(room)
    answer = await client.get(f"/tables/{room.table_id}/")
    assert answer.status_code == 200
    return answer.content.decode()


async def test_the_page_says_how_far_the_deals_are_and_offers_nothing_else(room: SoloRoom) -> None:
    html = await page(room)
    assert "Deal 1 of 4" in html
    assert "Sealed" in html
    assert "no talk, no hints, no taking back" in html
    assert [row.get("state") for row in values_of(html)["deals"]] == ["now", None, None, None]
    for left_out in ("Quick phrases", 'id="hint-button"', 'id="undo"', "Claim the rest", "/say"):
        assert left_out not in html
    room_with_talk = {"hint", "undo", "consent", "talk.phrases", "talk.free", "leaving"}
    values = values_of(html)
    assert not any(values[name] for name in room_with_talk)


async def test_no_address_is_kept_at_the_table_of_whoever_plays_alone(room: SoloRoom) -> None:
    await page(room)
    known = Mock(player=room.players[SOUTH], session=SessionStore())
    scope = {"headers": [], "client": ("192.0.2.7", 1)}
    socket = Mock(identity=known, table_id=room.table_id, scope=scope)
    entered = await sync_to_async(TableConsumer.enter_all)([socket])
    assert entered == {socket: room.table_id}
    assert not await SeenFrom.objects.aexists()


async def test_a_finished_deal_is_gone_and_comes_back_when_the_deals_open(room: SoloRoom) -> None:
    client = await browser(room)
    await room.to_the_end_of_a_deal()
    deal = (await room.engine()).deal
    assert deal.result is not None
    last = {card_text(card) for _seat, card in deal.observe(SOUTH).tricks[-1].plays}
    html = await page(room, client)
    assert f"Deal {2}" in html
    drawn = html.split('id="room"')[1].split('id="values"')[0]
    shown = cards_in(drawn) | cards_in(json.dumps(values_of(html)))
    assert shown == last, "the last trick still lies there, and nothing else"
    live = await room.live()
    picture = viewing.pictures(live, [room.players[SOUTH].pk])[room.players[SOUTH].pk]
    for frame in picture.frames(1, {}):
        assert cards_in(frame.decode()) <= last, "nor does a page that was behind get it"
    assert picture.table.values["log.deal"] == picture.table.values["log.past"] == []

    await room.act(SOUTH, "next")
    picture = viewing.pictures(live, [room.players[SOUTH].pk])[room.players[SOUTH].pk]
    assert picture.table.values["log.past"] == []
    assert picture.table.values["deals"][0]["points"] in await page(room, client)
    await room.to_the_end()
    html = await page(room, client)
    assert "Your result" in html
    assert "All deals are played" in html
    assert not re.search(r"/games/[-0-9a-f]+/(replay|review)", html)
    game = await Game.objects.aget(table=room.table_id)
    assert (await client.get(f"/games/{game.pk}/")).status_code == 404

    await SharedDeals.objects.all().aupdate(opens_from=timezone.now())
    assert await sync_to_async(shared.open_played)() == 1
    html = await page(room, client)
    assert f"/games/{game.pk}/replay/" in html
    await state.look_again(room.table_id)
    live = await room.live()
    picture = viewing.pictures(live, [room.players[SOUTH].pk])[room.players[SOUTH].pk]
    assert picture.table.values["log.past"] != []


def values_of(html: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(
        html.split('id="values" type="application/json">')[1].split("<", maxsplit=1)[0]
    )
    return found


def cards_in(text: str) -> set[str]:
    """The cards that values name, or that a page draws."""
    return set(CARD.findall(text)) | set(re.findall(r'data-(?:card|word)="(\w+)"', text))


async def test_what_the_page_hides_is_refused(room: SoloRoom) -> None:
    while await room.turn() != SOUTH:
        await room.move()
    client, stamp = await browser(room), await room.stamp()
    answers = {}
    for verb, fields in {
        "hint": {"version": stamp},
        "undo": {"version": stamp},
        "claim": {"game": "1"},
        "resign": {"game": "1"},
        "leave": {"game": "1"},
        "say": {"words": "Hello"},
        "say?": {"phrase": "0"},
        "watching": {"open": "yes"},
        "again": {},
    }.items():
        answer = await client.post(
            f"/tables/{room.table_id}/{verb}", fields, headers={"HX-Request": "true"}
        )
        answers[verb] = answer.status_code, answer.content.decode()
    assert all(400 <= code < 500 for code, _ in answers.values()), answers
    for verb in ("hint", "undo", "claim", "resign", "leave", "watching", "again"):
        assert "the same for everybody" in answers[verb][1], verb
    assert "alone" in answers["say"][1]
    assert await room.stamp() == stamp
    assert not await Proposal.objects.aexists()
    assert not await TalkLine.objects.aexists()
    assert (await Table.objects.aget()).open is False


async def test_nobody_else_sees_the_table(room: SoloRoom) -> None:
    for who in (await sync_to_async(player)("Otto"), await sync_to_async(member)("Ben")):
        client = await browser_of(who)
        answer = await client.get(f"/tables/{room.table_id}/")
        assert answer.status_code == 404


async def test_leaving_keeps_the_place(room: SoloRoom) -> None:
    for _ in range(9):
        await room.move()
    await room.to_the_end_of_a_deal()
    stamp = await room.stamp()
    state.forget_all()  # the site starts again
    assert "Deal 2" in await page(room)
    assert await room.stamp() == stamp
    assert (await room.act(SOUTH, "next")).kind == play.DONE
