"""Games by the rules that only some clubs play by, stored and read again."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from games.live import state
from games.play import play
from tests.factories import room
from tests.games.picture.scenes import BENNY_CLUB, CLUB

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.mark.parametrize("rules", [CLUB, BENNY_CLUB], ids=lambda rules: rules.key)
async def test_a_game_is_played_out_and_read_again(rules: Any) -> None:
    at = await room(replace(rules, target=4))
    await at.play_out()
    played = (await at.live()).playing
    state.forget_all()
    read = (await at.live()).playing
    assert played
    assert read
    assert read.engine.records == played.engine.records
    assert len({event.action.split()[0] for event in await at.events()}) > 5


async def test_house_players_answer_every_question(settings: Any) -> None:
    at = await room(replace(CLUB, target=4), house_seats=(1, 2, 3))
    while not await at.over():
        live = await at.live()
        turn = await at.turn()
        if turn > 0:
            version = live.stamp
            await play.act_by_itself(at.table_id)
            assert (await at.live()).stamp != version
        else:
            await at.step()


async def test_whose_hand_allows_no_swap_is_answered_in_words() -> None:
    at = await room(CLUB)
    answer = await at.act(await at.turn(), "fold")
    assert answer.kind == play.ILLEGAL
    assert answer.message
