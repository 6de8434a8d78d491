"""House tables: always one to watch, without growing for ever or letting anybody in."""

from datetime import datetime, timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from games.engine.rules import HEADS_UP
from games.fairness import publishing
from games.models import Game, GameEvent, LogLine, Table
from games.records import performances
from games.seats import closing, house_tables, lobby, seating
from games.seats.seating import SeatingError
from games.shuffle import shuffling
from tests.factories import play_out, player

pytestmark = pytest.mark.django_db

BACK = "/clubs/mill/"


def house_table() -> Table:
    """A house table whose first game has begun."""
    return house_tables.open_house_table(player(), HEADS_UP, title="House table", back=BACK)


def listed() -> list[int]:
    """The numbers of the tables a visitor can watch."""
    return [line.table_id for line in lobby.running_tables(None)]


def later(seconds: float) -> datetime:
    """A moment so many seconds from now."""
    return timezone.now() + timedelta(seconds=seconds)


def test_the_next_game_begins_when_the_last_one_has_been_over_for_a_while(settings: Any) -> None:
    settings.NEXT_GAME_PAUSE = 10
    at = house_table()
    assert house_tables.begin_next(later(60)) == 0  # the first is being played
    play_out(at)
    assert house_tables.begin_next(later(5)) == 0
    assert house_tables.begin_next(later(11)) == 1
    assert house_tables.begin_next(later(11)) == 0
    games = at.games.order_by("number")
    assert [(game.number, game.state) for game in games] == [
        (1, Game.State.OVER),
        (2, Game.State.PLAYING),
    ]


def test_visitors_find_it_during_a_game_and_between_two(client: Client) -> None:
    at = house_table()
    assert listed() == [at.pk]
    play_out(at)
    Game.objects.update(ended=later(-3600), moved=later(-3600))  # the server was away
    assert listed() == [at.pk]
    assert f'href="/tables/{at.pk}/"' in client.get("/").text
    assert client.get(f"/tables/{at.pk}/").status_code == 200


def test_old_games_are_deleted_once_the_public_log_has_them() -> None:
    at = house_table()
    for _ in range(house_tables.KEPT + 3):
        play_out(at)
        house_tables.begin_next(later(1))
    assert at.games.count() == house_tables.KEPT + 4  # nothing of them is published yet
    performances.record_ended()
    publishing.publish_ended(timezone.now())
    events, lines = GameEvent.objects.count(), LogLine.objects.count()
    play_out(at)
    house_tables.begin_next(later(1))
    numbers = [*at.games.order_by("number").values_list("number", flat=True)]
    newest = house_tables.KEPT + 5
    assert numbers == [*range(newest - house_tables.KEPT, newest + 1)]
    assert GameEvent.objects.count() < events
    assert LogLine.objects.count() > lines


def test_nobody_sits_down_there() -> None:
    at = house_table()
    for state in (Table.State.PLAYING, Table.State.FINISHED):
        if state == Table.State.FINISHED:
            play_out(at)
        with pytest.raises(SeatingError):
            seating.sit(at, player("Ben"), 0, by_link=True)
    assert not lobby.running_tables(None)[0].free


def test_a_night_without_a_server_does_not_close_it() -> None:
    at = house_table()
    long_ago = later(-3 * closing.LEFT_AFTER.total_seconds())
    Game.objects.update(moved=long_ago)
    Table.objects.update(created=long_ago)
    assert closing.close_left(timezone.now()) == 0
    at.refresh_from_db()
    assert at.state == Table.State.PLAYING


def test_one_that_fails_does_not_hold_up_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    broken, sound = house_table(), house_table()
    for at in (broken, sound):
        play_out(at)
    begin = shuffling.begin

    def fail_at_one(table: Table, now: datetime) -> None:
        if table.pk == broken.pk:
            raise ValueError("no key")
        begin(table, now)

    monkeypatch.setattr(shuffling, "begin", fail_at_one)
    assert house_tables.begin_next(later(1)) == 1
    assert sound.games.count() == 2


def test_once_ended_it_begins_no_more_games() -> None:
    at, other = house_table(), house_tables.open_house_table(
        player(), HEADS_UP, title="Another", back="/clubs/hall/"
    )  # fmt: skip
    house_tables.end_house_tables(BACK, timezone.now())
    play_out(other)
    assert house_tables.begin_next(later(1)) == 1
    at.refresh_from_db()
    assert at.state == Table.State.CLOSED
    assert listed() == [other.pk]
