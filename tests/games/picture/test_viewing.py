"""What a table shows of those who are missing."""

from datetime import timedelta

import pytest

from games.models.tables import PATIENCE
from games.picture.viewing import _wait
from tests.factories import room

pytestmark = pytest.mark.django_db(transaction=True)


async def test_a_house_player_is_offered_no_sooner_than_accepted() -> None:
    live = await (await room()).live()
    live.house_after, missing = None, live.seats[0]
    moments = [missing.last_seen + PATIENCE - timedelta(seconds=left) for left in (10, 0.4, 0, -5)]
    assert [_wait(live, missing, moment) for moment in moments] == [10, 1, 0, 0]


async def test_the_page_counts_down_until_a_house_player_takes_over() -> None:
    live = await (await room()).live()
    assert live.playing
    live.house_after, missing = 30, live.seats[live.playing.engine.turn]
    gone = missing.missing_since = missing.last_seen
    moments = [gone + timedelta(seconds=passed) for passed in (8, 29.6, 30, 35)]
    assert [_wait(live, missing, moment) for moment in moments] == [22, 1, 0, 0]


async def test_no_house_player_is_announced_where_nobody_waits() -> None:
    live = await (await room()).live()
    for sitter in live.seats:
        sitter.missing_since = sitter.last_seen
    moment = live.seats[0].last_seen + timedelta(seconds=8)
    assert _wait(live, live.seats[0], moment) == 0


async def test_somebody_whose_line_was_not_seen_to_close_is_waited_for_longer() -> None:
    live = await (await room()).live()
    live.house_after, missing = 30, live.seats[0]
    assert _wait(live, missing, missing.last_seen + timedelta(seconds=40)) == 50
