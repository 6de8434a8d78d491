"""Tables that everybody has left are closed, and nothing else is."""

from datetime import datetime, timedelta
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from django.utils import timezone

from games.engine.rules import CLASSIC_24
from games.models import Game, Table
from games.play import play
from games.seats import seating
from games.seats.closing import LEFT_AFTER, close_left
from games.shuffle import shuffling
from tests.factories import cast, player, room, table

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.db]

NOW = timezone.now()


def left(at: Table, ago: timedelta) -> None:
    """Let the last person and the last event of a table be so long ago."""
    then = NOW - ago
    at.seats.update(last_seen=then)
    at.games.update(moved=then)
    Table.objects.filter(pk=at.pk).update(created=then)


def states(at: Table) -> tuple[str, list[tuple[str, datetime | None]]]:
    """The table's state and its games' states and ends."""
    at.refresh_from_db()
    return at.state, list(at.games.values_list("state", "ended"))


def test_a_deserted_game_is_abandoned() -> None:
    at = table(*cast())
    left(at, LEFT_AFTER + timedelta(minutes=1))
    assert close_left(NOW) == 1
    assert states(at) == (Table.State.CLOSED, [(Game.State.ABANDONED, NOW)])
    assert close_left(NOW) == 0


def test_a_table_without_players_is_closed() -> None:
    at = table(player())
    left(at, LEFT_AFTER + timedelta(minutes=1))
    assert close_left(NOW) == 1
    assert states(at) == (Table.State.CLOSED, [])


def test_a_failing_table_does_not_keep_others_open(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    tables = [seating.make_table(player(), CLASSIC_24) for _ in range(2)]
    for at in tables:
        left(at, LEFT_AFTER + timedelta(minutes=1))
    drop = shuffling.abort

    def abort(table_ids: list[int]) -> None:
        if tables[0].pk in table_ids:
            raise ValueError("This one cannot be dropped.")
        drop(table_ids)

    monkeypatch.setattr(shuffling, "abort", abort)
    assert close_left(NOW) == 1
    assert [states(at)[0] for at in tables] == [Table.State.GATHERING, Table.State.CLOSED]


def test_a_recently_seen_player_keeps_the_table_open() -> None:
    at = table(*cast())
    left(at, LEFT_AFTER + timedelta(minutes=1))
    at.seats.filter(position=2).update(last_seen=NOW)
    assert close_left(NOW) == 0
    assert states(at) == (Table.State.PLAYING, [(Game.State.PLAYING, None)])


def test_a_recently_deserted_table_stays_open() -> None:
    at = table(*cast())
    left(at, LEFT_AFTER - timedelta(minutes=1))
    assert close_left(NOW) == 0


async def test_house_players_stop_at_a_closed_table(settings: Any) -> None:
    settings.HOUSE_PAUSE = (60.0, 60.0)
    at = await room(house_seats=(1, 2, 3))
    while await at.turn() == 0:
        await at.step()
    await sync_to_async(left)(await Table.objects.aget(pk=at.table_id), 2 * LEFT_AFTER)
    assert await sync_to_async(close_left)(NOW) == 1
    await play.catch_up(at.table_id)
    await play.view_for(at.table_id, at.players[0].pk)  # whoever looks winds a table's clock
    table_now = await at.live()
    assert (table_now.state, table_now.timer) == (Table.State.CLOSED, None)
