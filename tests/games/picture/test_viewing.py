"""What a table shows of those who are missing."""

from datetime import timedelta

import pytest

from games.live.state import Live
from games.models.tables import PATIENCE
from games.picture import viewing
from games.picture.scene import Scene
from games.picture.viewing import UNSEEN_FOR, _wait
from games.sockets import hub
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


async def test_players_with_sockets_in_other_processes_do_not_make_every_card_dear(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(hub, "announce", lambda _table_id: None)  # nothing is read again
    table = await room()
    live, whole, made = await table.live(), viewing._whole_scene, []

    def counted(of: Live) -> Scene:
        made.append(of.stamp)
        return whole(of)

    monkeypatch.setattr(viewing, "_whole_scene", counted)
    live.seat_changes = ()  # the arrivals are shown for a while
    for version in range(3):
        scene = viewing.scene_of(live)
        assert (scene.version, scene.records) == (version, whole(live).records)
        await table.step()
    assert made == ["1.0"]
    live.seats[1].last_seen -= timedelta(seconds=UNSEEN_FOR)
    assert [seat.away for seat in viewing.scene_of(live).seats] == [False, True, False, False]
    assert viewing.scene_of(live) == whole(live)
