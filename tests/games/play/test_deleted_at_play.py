"""Somebody is deleted while they play: the game goes on, their sockets end, nothing is torn."""

import asyncio

import pytest
from asgiref.sync import sync_to_async
from django.utils import timezone

from euchre_site.own_data import deletion
from games.live import state
from games.models import Game, GameEvent, Player, Seat, User
from games.play import play
from games.sockets import hub
from tests.factories import Room, logged_in, member, room
from tests.games.people.test_password_change import tab_of

pytestmark = pytest.mark.django_db(transaction=True)


async def account_of(who: Player) -> User:
    """Give a guest who sits an account, as signing up does."""
    user = await sync_to_async(User.objects.create_user)("maeve@example.com", "a quiet bower")
    await Player.objects.filter(pk=who.pk).aupdate(user=user)
    return user


def delete(user: User) -> bool:
    return deletion.delete_account(user, None, timezone.now())


async def test_their_sockets_end_and_others_go_on() -> None:
    table = await room()
    ben = table.players[1]
    maeve = await sync_to_async(member)()
    await Seat.objects.filter(table=table.table_id, position=0).aupdate(player=maeve)
    await sync_to_async(state.forget)(table.table_id)
    own = await tab_of(await sync_to_async(logged_in)(maeve), table.table_id)
    other = await tab_of(await sync_to_async(logged_in)(ben), table.table_id)
    assert maeve.user
    assert await sync_to_async(delete)(maeve.user)
    told = await own.receive()
    while told["type"] == "websocket.send":  # what it shows before it ends
        told = await own.receive()
    assert (told["type"], told["code"]) == ("websocket.close", hub.LOGGED_OUT)
    shown = await other.receive()
    assert shown["type"] != "websocket.close"


async def test_whoever_plays_meanwhile_leaves_a_whole_game() -> None:
    table = await room()
    user = await account_of(table.players[0])

    async def everybody_plays() -> None:
        for _ in range(12):
            answer = await table.act(*await due(table))
            assert answer.kind in (play.DONE, play.STALE, play.NOT_SEATED, play.OUT_OF_TURN)
            if answer.kind != play.DONE:
                return

    playing = asyncio.create_task(everybody_plays())
    assert await sync_to_async(delete)(user)
    await playing
    live = await table.live()
    assert live.seats[0].house
    refused = await table.act(0, "pass")
    assert refused.kind == play.NOT_SEATED
    events = await table.events()  # with what the house has played in the seat by now
    assert [event.seq for event in events] == list(range(1, len(events) + 1))
    game = await Game.objects.aget()
    assert (game.state, game.version) == (Game.State.PLAYING, len(events))
    assert await GameEvent.objects.exclude(seat__gte=-1).acount() == 0


async def due(table: Room) -> tuple[int, str]:
    """Whoever must act, and something legal."""
    return max(await table.turn(), 0), table.chance.choice(await table.legal())
