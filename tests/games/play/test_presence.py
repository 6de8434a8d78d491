"""Who is here: lines that close and open, as the others at the table are shown it."""

import asyncio
from datetime import timedelta
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from django.db import OperationalError
from django.utils import timezone

from games.live import absence, state
from games.models import Proposal, Seat, Table
from games.models.proposals import ANSWER_WITHIN
from games.models.tables import PATIENCE
from games.picture import viewing
from games.play import play, presence
from games.play.presence import DEPARTURE_DELAY
from games.seats import consent, seating
from games.sockets import hub, loop, news
from tests.factories import Room, room
from tests.tabs import Tab, new_tab, shown_in

pytestmark = pytest.mark.django_db(transaction=True)

SECOND = timedelta(seconds=1)
#: The tabs that are open: one that nobody holds any more is closed.
_open: list[Tab] = []


@pytest.fixture(autouse=True)
def _still(settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing happens by itself: no house player acts, no heart beats."""
    settings.HOUSE_PAUSE = (600.0, 600.0)
    monkeypatch.setattr(presence, "start", lambda: None)
    monkeypatch.setattr(presence._Heart, "gone", {})
    monkeypatch.setattr(presence._Heart, "arrived", set())
    _open.clear()


async def seated(table: Room, seat: int) -> Tab:
    """A connected tab of the person in a seat."""
    opened = await new_tab(table.table_id, table.players[seat])
    assert await opened.connect() is None
    _open.append(opened)
    return opened


async def row(table: Room, seat: int) -> Seat:
    """A seat as it is stored."""
    return await Seat.objects.aget(table=table.table_id, position=seat)


async def noted(later: timedelta = DEPARTURE_DELAY) -> None:
    """Let so much time pass for those whose line has closed."""
    await presence.record_departures(timezone.now() + later)


async def let_pass(table: Room, seat: int, passed: timedelta) -> None:
    """Let time pass for somebody who has gone, and the table be looked at again."""
    gone = await row(table, seat)
    gone.last_seen -= passed
    if gone.missing_since is not None:
        gone.missing_since -= passed
    await gone.asave()
    await play.catch_up(table.table_id)


async def away(table: Room) -> list[int]:
    """The seats that are shown as away."""
    return [n for n, gone in enumerate(viewing.away_seats(await table.live())) if gone]


async def gone_for(table: Room, seat: int, passed: timedelta) -> None:
    """Let somebody's only line close, and so much time pass."""
    tab = await seated(table, seat)
    await tab.close()
    await noted()
    await let_pass(table, seat, passed)


async def test_a_player_is_gone_when_their_last_socket_closes() -> None:
    table = await room()
    first, second = [await seated(table, 1) for _ in range(2)]
    await first.close()
    await noted()
    assert (await row(table, 1)).missing_since is None
    before = timezone.now()
    await second.close()
    after = timezone.now()
    await noted()
    gone = await row(table, 1)
    assert gone.missing_since is not None
    assert before <= gone.missing_since <= after
    assert gone.last_seen == gone.missing_since


async def test_an_arrival_is_recorded_with_the_next_heartbeat() -> None:
    table = await room()
    await let_pass(table, 1, 3600 * SECOND)
    before = timezone.now()
    await seated(table, 1)
    await presence.beat_share((table.table_id + 1) % presence.SHARES)
    assert (await row(table, 1)).last_seen >= before
    assert await away(table) == []
    noted_at = (await row(table, 1)).last_seen
    await presence.beat_share((table.table_id + 1) % presence.SHARES)
    assert (await row(table, 1)).last_seen == noted_at, "only once"


async def test_an_arrival_at_an_event_table_is_recorded_at_once() -> None:
    table = await room()
    assert (await table.live()).reserved is None
    await Table.objects.filter(pk=table.table_id).aupdate(reserved=True)
    await let_pass(table, 1, 3600 * SECOND)
    before = timezone.now()
    await seated(table, 1)
    assert (await row(table, 1)).last_seen >= before
    assert presence._Heart.arrived == set()


async def test_a_returning_player_is_recorded_at_once() -> None:
    table = await room()
    await gone_for(table, 1, 10 * SECOND)
    assert (await row(table, 1)).missing_since is not None
    await seated(table, 1)
    assert (await row(table, 1)).missing_since is None


async def test_reloading_a_page_is_not_recorded_as_leaving() -> None:
    table = await room()
    watching = await seated(table, 0)
    tab = await seated(table, 1)
    await tab.close()
    await noted(DEPARTURE_DELAY - SECOND)
    await seated(table, 1)
    await noted()
    assert (await row(table, 1)).missing_since is None
    assert presence._Heart.gone == {}
    assert await watching.silent()


async def test_reloading_in_another_process_is_not_recorded_as_leaving() -> None:
    table = await room()
    tab = await seated(table, 1)
    await tab.close()
    who = table.players[1].pk
    await sync_to_async(absence.record_present)(table.table_id, who, timezone.now())
    await noted()
    assert (await row(table, 1)).missing_since is None


async def test_a_player_is_shown_as_away_after_seven_seconds() -> None:
    table = await room()
    watching = await seated(table, 0)
    await gone_for(table, 1, 5 * SECOND)
    assert await away(table) == []
    live = await table.live()
    assert live.look is not None  # what shows it then, without anything else happening
    await let_pass(table, 1, 2 * SECOND)
    assert await away(table) == [1]
    assert (await table.live()).look is None
    assert '"away"' in shown_in(await watching.frame())


async def test_players_of_another_process_are_not_away_between_two_heartbeats(
    settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.REDIS_URL = "redis://127.0.0.1:9/0"  # where no Redis answers
    monkeypatch.setattr(news, "connection_generation", lambda: 1)
    table, beat = await room(), 1.4 * presence.BEAT * SECOND  # late, as under load
    await seated(table, 0)
    now = timezone.now()
    # Another process is about to note again that all the others are here.
    others = Seat.objects.filter(table=table.table_id, position__gt=0)
    await others.aupdate(last_seen=now - beat)
    await presence.beat()
    live = await table.live()
    monkeypatch.setattr(timezone, "now", lambda: now + beat)
    assert viewing.away_seats(live) == (False,) * 4
    monkeypatch.setattr(timezone, "now", lambda: now + PATIENCE - beat)
    assert viewing.away_seats(live) == (False, True, True, True)


async def test_an_absence_is_shown_by_a_timer(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    table = await room()
    watching = await seated(table, 0)
    monkeypatch.setattr(viewing, "AWAY_AFTER", 0.05)
    tab = await seated(table, 1)
    await tab.close()
    await noted()
    assert '"away"' in shown_in(await watching.frame())


async def test_a_lapsed_proposal_is_shown_by_a_timer() -> None:
    table = await room()
    watching = await seated(table, 1)
    at = await Table.objects.aget(pk=table.table_id)
    resign, now = Proposal.Kind.RESIGN, timezone.now()
    await sync_to_async(consent.propose)(at, table.players[0], resign, 1, now)
    await play.catch_up(table.table_id)
    while '"company"' not in shown_in(frame := await watching.frame()):
        pass
    assert " resign" in shown_in(frame)
    live = await table.live()
    assert live.look is not None
    left = live.look.when() - asyncio.get_running_loop().time()
    assert left <= ANSWER_WITHIN.total_seconds()
    (proposed,) = live.proposals
    live.proposals = (proposed._replace(until=timezone.now() + 0.05 * SECOND),)
    play.show(live)
    while '"company"' not in shown_in(frame := await watching.frame()):
        pass
    assert live.proposal(timezone.now()) is None
    assert live.look is None


async def test_a_return_is_shown_at_once() -> None:
    table = await room()
    watching = await seated(table, 0)
    await gone_for(table, 1, 8 * SECOND)
    assert '"away"' in shown_in(await watching.frame())
    await seated(table, 1)
    assert '"away"' not in shown_in(await watching.frame())
    assert (await row(table, 1)).missing_since is None


async def test_the_house_plays_for_an_absent_player_until_a_socket_opens() -> None:
    table = await room()
    turn = await table.turn()
    watching = await seated(table, (turn + 1) % 4)
    await gone_for(table, turn, 12 * SECOND)
    await play.act_by_itself(table.table_id)
    await play.catch_up(table.table_id)
    assert (await row(table, turn)).stand_in
    name = table.players[turn].name
    while f'"line": "{name} is away"' not in shown_in(frame := await watching.frame()):
        pass
    assert frame["set"]["line.more"] == "A house player plays until they return."
    assert f", a house player plays for {name}" in shown_in(frame)
    back = await seated(table, turn)
    assert not (await row(table, turn)).stand_in
    assert not (await table.live()).seats[turn].stand_in
    answer = await table.act(turn, "pass")
    assert answer.kind == play.DONE
    await back.until("1.1")


async def test_loading_a_page_without_scripts_ends_the_stand_in() -> None:
    table = await room()
    turn = await table.turn()
    await seated(table, (turn + 1) % 4)
    await gone_for(table, turn, 12 * SECOND)
    await play.act_by_itself(table.table_id)
    assert (await row(table, turn)).stand_in
    await sync_to_async(presence.record_visit)(table.table_id, table.players[turn].pk)
    assert not (await row(table, turn)).stand_in


async def test_a_player_with_a_socket_in_this_process_is_not_gone() -> None:
    table = await room()
    await seated(table, 1)
    now = timezone.now()
    seat = Seat.objects.filter(table=table.table_id, position=1)
    await seat.aupdate(missing_since=now, last_seen=now)  # another process, whose line has closed
    await play.catch_up(table.table_id)
    assert (await row(table, 1)).missing_since is None


async def test_a_heartbeat_corrects_a_missed_departure_too() -> None:
    table = await room()
    await seated(table, 1)
    now = timezone.now()
    seat = Seat.objects.filter(table=table.table_id, position=1)
    await seat.aupdate(missing_since=now, last_seen=now, stand_in=True)
    await presence.beat()
    assert (await row(table, 1)).missing_since is None
    assert not (await row(table, 1)).stand_in


async def test_a_heartbeat_finds_players_of_a_killed_process() -> None:
    table = await room(house_seats=(3,))
    await seated(table, 0)
    seats = Seat.objects.filter(table=table.table_id)
    unseen = timezone.now() - PATIENCE
    await seats.exclude(position=2).aupdate(last_seen=unseen)
    await presence.beat()
    missing = seats.filter(missing_since__isnull=False).order_by("position")
    assert [position async for position in missing.values_list("position", flat=True)] == [1]


async def test_a_player_who_stood_up_is_shown_as_away_at_once() -> None:
    table = await room()
    turn = await table.turn()
    await seated(table, (turn + 1) % 4)
    tab = await seated(table, turn)
    at = await Table.objects.aget(pk=table.table_id)
    await sync_to_async(seating.stand_up)(at, table.players[turn])
    await play.catch_up(table.table_id)
    await tab.close()
    await noted()
    assert await away(table) == [turn]
    await play.act_by_itself(table.table_id)
    assert not (await row(table, turn)).stand_in
    then = timezone.now() - 12 * SECOND
    await Seat.objects.filter(table=table.table_id, position=turn).aupdate(missing_since=then)
    await play.catch_up(table.table_id)
    await play.act_by_itself(table.table_id)
    assert (await row(table, turn)).stand_in


async def test_sixty_simultaneous_departures_are_recorded() -> None:
    rooms = [await room() for _ in range(15)]
    then = timezone.now() - 20 * SECOND
    for table in rooms:
        await Seat.objects.filter(table=table.table_id).aupdate(last_seen=then)
        for one in table.players:
            presence._Heart.gone[absence.GonePlayer(table.table_id, one.pk)] = then
    await presence.record_departures(timezone.now())
    assert await Seat.objects.filter(missing_since=then).acount() == 60
    for table in rooms:
        await play.catch_up(table.table_id)
        assert await away(table) == [0, 1, 2, 3]
        await play.act_by_itself(table.table_id)
    assert not await Seat.objects.filter(stand_in=True).aexists()
    table = rooms[0]
    first = (await table.turn() + 1) % 4
    await seated(table, first)
    await play.act_by_itself(table.table_id)
    assert not await Seat.objects.filter(stand_in=True).aexists()  # their time has begun anew


async def test_departures_during_a_database_outage_are_recorded_later(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    table = await room()
    tab = await seated(table, 1)
    await tab.close()
    in_database = loop.in_database

    async def fails(*_args: object) -> None:
        raise OperationalError("connection refused")

    monkeypatch.setattr(loop, "in_database", fails)
    with pytest.raises(OperationalError):
        await noted()
    monkeypatch.setattr(loop, "in_database", in_database)
    await noted()
    assert (await row(table, 1)).missing_since is not None


async def test_a_dropped_table_cancels_its_timer() -> None:
    table = await room()
    await gone_for(table, 1, SECOND)
    look = (await table.live()).look
    assert look is not None
    state.forget(table.table_id)
    assert look.cancelled()
    assert hub.connected(table.table_id) == set()
