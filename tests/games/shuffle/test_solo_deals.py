"""Deals that tables join one by one until a fixed time, such as those of the daily deal."""

from dataclasses import replace
from datetime import timedelta
from typing import Final

import pytest
from django.test import Client
from django.utils import timezone

from games.engine import shuffle as euf1
from games.engine.rules import STICK_THE_DEALER
from games.fairness import publishing
from games.models import GameEvent, LogLine, Player, SharedDeals, Table
from games.people.house_players import house_players
from games.records import game_files
from games.seats import reserved
from games.seats.reserved import ReservedTable
from games.shuffle import public_log, shared
from tests.factories import people, play_out
from tests.games import verifying

pytestmark = pytest.mark.django_db
RULES: Final = replace(STICK_THE_DEALER, target=None, deals=2, thrown_in_counts=True)


def solo_table(deals: SharedDeals, player: Player) -> Table:
    """A table at which a person has begun to play the deals with house players."""
    north, east, west = house_players(3)
    place = ReservedTable([north, east, player, west], "The deal", "/")
    table = reserved.open_tables([place], RULES, player, open=False, solo_deals=deals)[0]
    reserved.begin(table.pk, 1, RULES)
    table.refresh_from_db()
    return table


def close_at_once(deals: SharedDeals) -> None:
    SharedDeals.objects.filter(pk=deals.pk).update(opens_from=timezone.now())


def test_tables_join_one_by_one_and_begin_at_once() -> None:
    deals = shared.make_for_solo_tables(timezone.now() + timedelta(days=1))
    first, second = people(2)
    early = solo_table(deals, first)
    play_out(early)
    late = solo_table(deals, second)
    assert late.solo
    assert late.sealed
    assert late.state == Table.State.PLAYING
    assert late.house_level == Table.HouseLevel.STRONG
    one, other = early.games.get(), late.games.get()
    assert bytes(one.mixed) == bytes(other.mixed)
    assert bytes(one.commitment) == bytes(other.commitment)


def test_nothing_is_published_before_the_time_though_nobody_plays() -> None:
    deals = shared.make_for_solo_tables(timezone.now() + timedelta(days=1))
    assert shared.open_played() == 0
    play_out(solo_table(deals, people(1)[0]))
    assert shared.open_played() == 0
    assert shared.open_deals(deals.pk) is False
    assert publishing.publish_ended(timezone.now()) == 0
    assert Table.objects.get().sealed
    close_at_once(deals)
    assert shared.open_played() == 1
    assert not Table.objects.get().sealed


def test_a_table_still_playing_holds_the_secret_back_after_the_time() -> None:
    deals = shared.make_for_solo_tables(timezone.now() + timedelta(days=1))
    table = solo_table(deals, people(1)[0])
    close_at_once(deals)
    assert shared.open_played() == 0
    reserved.end(table.pk, timezone.now())
    assert shared.open_played() == 1


@pytest.mark.parametrize("listed", [shared.MAX_LISTED, 1])
def test_records_say_that_no_seat_contributed_and_pass_both_verifiers(
    listed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shared, "MAX_LISTED", listed)
    monkeypatch.setattr(verifying.script, "LISTED", listed)
    deals = shared.make_for_solo_tables(timezone.now() + timedelta(days=1))
    tables = [solo_table(deals, player) for player in people(2)]
    for table in tables:
        play_out(table, by=GameEvent.By.HOUSE)
    public_log.chain()
    promised = LogLine.objects.filter(match=deals.pk)
    assert [line.kind for line in promised] == ["created"]  # and nothing of who plays meanwhile
    close_at_once(deals)
    shared.open_played()
    publishing.publish_ended(timezone.now())
    public_log.chain()
    lines = LogLine.objects.filter(match=deals.pk).order_by("place")
    assert [line.kind for line in lines] == ["created", "started", "opened"]
    assert lines[1].data["contributions"] == [euf1.NOTHING.hex()] * 4
    assert len(lines[2].data["games"]) == min(listed, 2)
    assert lines[2].data.get("tables") == (2 if listed == 1 else None)
    assert "shared by two tables" in Client().get("/fairness/log/").content.decode()
    for table in tables:
        data = game_files.record_file(table.games.get())
        log = Client().get("/fairness/log.ndjson").content
        assert verifying.faults_with_log(data, log) == []
