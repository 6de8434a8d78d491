"""Calls to tables and to check-in: who is called where, on which pages, and how it is heard."""

import html
import json
import re
from datetime import timedelta
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from django.urls import reverse
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from games.models import Player, Seat, Table
from games.picture.viewing import UNSEEN_FOR
from games.sockets import hub
from tests.factories import logged_in, member, player
from tests.tabs import Tab, new_tab
from tests.tournaments import build
from tests.tournaments.event_page.live.tabs import Pace, listen
from tournaments.acts import round_clock, table_time
from tournaments.changes import live
from tournaments.event_page.calls import calls_by_player, calls_of, listening
from tournaments.models import Entry, EntryPlayer, Event, Pairing
from tournaments.times import zone_name

pytestmark = pytest.mark.django_db(transaction=True)

CAST = ("Maeve", "Ben", "Iris", "Jonah")


def enter_cast(event: Event, *names: str, state: str = Entry.State.ENTERED) -> list[Player]:
    """Enter members of these names, each with an entry of their own."""
    people = [member(name) for name in names or CAST]
    for arrival, person in enumerate(people, start=1):
        entry = Entry.objects.create(event=event, state=state, arrival=arrival)
        EntryPlayer.objects.create(event=event, entry=entry, player=person)
    return people


def called_cast() -> tuple[Event, list[Player]]:
    """An event whose first round has just been drawn, and its four players."""
    event = build.event(starts=timezone.now())
    people = enter_cast(event)
    build.begin(event, timezone.now())
    return event, people


def table_of(who: Player) -> Table:
    """The table of an event somebody sits at."""
    return Table.objects.get(pairing__isnull=False, seats__player=who)


def told(call: Any) -> str:
    """A frame's calls, as people read them."""
    return " ".join(html.unescape(re.sub("<[^>]+>", "", call["calls"])).split())


# Who is called --------------------------------------------------------------------------------


def test_missing_player_is_called_to_the_table() -> None:
    _, people = called_cast()
    for who in people:
        (call,) = calls_of(who, timezone.now())
        assert call.title == "Thursday euchre, round 1: you are called to table 1"
        assert call.url == reverse("table", args=[table_of(who).pk])


def test_present_player_is_not_called() -> None:
    _, (maeve, ben, *_others) = called_cast()
    Seat.objects.filter(player=maeve).update(last_seen=timezone.now())
    assert calls_of(maeve, timezone.now()) == []
    assert len(calls_of(ben, timezone.now())) == 1


def test_player_who_left_the_table_is_called_again() -> None:
    _, (maeve, *_others) = called_cast()
    Seat.objects.filter(player=maeve).update(last_seen=timezone.now())
    later = timezone.now() + timedelta(seconds=UNSEEN_FOR + 1)
    assert len(calls_of(maeve, later)) == 1


def test_decided_match_makes_no_calls() -> None:
    event, (maeve, *_others) = called_cast()
    Pairing.objects.filter(round__event=event).update(state=Pairing.State.DECIDED)
    assert calls_of(maeve, timezone.now()) == []


def test_table_without_an_event_makes_no_calls() -> None:
    maeve = member("Maeve")
    table = Table.objects.create(host=maeve, rules_data=build.event().rules_data)
    Seat.objects.create(table=table, position=0, player=maeve, last_seen=build.NOON)
    assert calls_of(maeve, timezone.now()) == []


def test_open_check_in_calls_unchecked_entries() -> None:
    event = build.event(state=Event.State.CHECK_IN, check_in_minutes=15)
    maeve, ben = enter_cast(event, "Maeve", "Ben")
    Entry.objects.filter(players__player=ben).update(state=Entry.State.CHECKED_IN)
    (call,) = calls_of(maeve, build.NOON)
    assert call.title == "Thursday euchre: check-in is open"
    assert call.url == reverse("event", args=[event.pk])
    assert call.since == build.NOON - timedelta(minutes=15)
    assert calls_of(ben, build.NOON) == []


def test_waiting_list_is_called_to_check_in() -> None:
    event = build.event(state=Event.State.CHECK_IN, check_in_minutes=15)
    (maeve,) = enter_cast(event, "Maeve", state=Entry.State.WAITING)
    assert len(calls_of(maeve, build.NOON)) == 1
    event.entries.update(here=True)
    assert calls_of(maeve, build.NOON) == []


def test_withdrawn_player_is_not_called() -> None:
    event = build.event(state=Event.State.CHECK_IN, check_in_minutes=15)
    (maeve,) = enter_cast(event, "Maeve")
    event.entries.update(state=Entry.State.WITHDRAWN)
    event.entered_players.update(active=False)
    assert calls_of(maeve, build.NOON) == []
    assert listening(maeve, build.NOON).begins is None


def test_calls_of_many_take_no_more_queries(
    django_assert_num_queries: DjangoAssertNumQueries,
) -> None:
    event = build.event(starts=timezone.now())
    build.enter(event, 16)
    build.begin(event, timezone.now())
    people = list(Player.objects.filter(entries__event=event).values_list("pk", flat=True))
    with django_assert_num_queries(4):
        calls = calls_by_player(people, timezone.now())
    assert [len(calls[person]) for person in people] == [1] * 16


# When pages listen ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("before", "listens"),
    [(timedelta(minutes=10), True), (timedelta(hours=23), True), (timedelta(hours=25), False)],
)
def test_pages_listen_from_half_an_hour_before_the_start(before: timedelta, listens: bool) -> None:
    event = build.event()
    (maeve,) = enter_cast(event, "Maeve")
    begins = listening(maeve, build.NOON - before).begins
    assert begins == (build.NOON - timedelta(minutes=30) if listens else None)


@pytest.mark.parametrize("state", [Event.State.DRAFT, Event.State.FINISHED, Event.State.CANCELLED])
def test_pages_do_not_listen_for_a_cancelled_event(state: str) -> None:
    event = build.event(state=state)
    (maeve,) = enter_cast(event, "Maeve")
    assert listening(maeve, build.NOON).begins is None


def test_during_an_event_pages_listen_however_long_it_lasts() -> None:
    _, (maeve, *_others) = called_cast()
    begins = listening(maeve, timezone.now() + timedelta(days=2)).begins
    assert begins is not None


# On pages -------------------------------------------------------------------------------------


def test_page_shows_the_players_calls() -> None:
    _, (maeve, *_others) = called_cast()
    page = logged_in(maeve).get("/play/").text
    assert "Thursday euchre, round 1: you are called to table 1" in page
    assert reverse("table", args=[table_of(maeve).pk]) in page
    assert 'data-socket="/ws/calls/"' in page
    assert 'data-in="0"' in page


def test_own_table_page_shows_no_call_to_it() -> None:
    _, (maeve, *_others) = called_cast()
    page = logged_in(maeve).get(reverse("table", args=[table_of(maeve).pk])).text
    assert "you are called" not in page
    assert 'data-socket="/ws/calls/"' in page  # the next round may call Maeve from here


def test_calls_are_not_shown_to_others() -> None:
    called_cast()
    assert 'id="calls"' not in logged_in(member("Otto")).get("/play/").text


def test_pages_know_long_before_when_to_listen() -> None:
    event = build.event(starts=timezone.now() + timedelta(minutes=90))
    (maeve,) = enter_cast(event, "Maeve")
    page = logged_in(maeve).get("/play/").text
    seconds = re.search(r'data-in="(\d+)"', page)
    assert seconds is not None
    assert 3500 < int(seconds[1]) <= 3600


def test_event_name_is_escaped_in_calls() -> None:
    event = build.event(name="<b>Bold</b>", state=Event.State.CHECK_IN, starts=timezone.now())
    (maeve,) = enter_cast(event, "Maeve")
    assert "&lt;b&gt;Bold&lt;/b&gt;: check-in is open" in logged_in(maeve).get("/play/").text


# By socket ------------------------------------------------------------------------------------


async def calls_in(tab: Tab) -> str:
    """The calls of the last frame."""
    return told(json.loads(tab.frames[-1]))


async def test_tab_receives_present_and_later_calls(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pace = Pace(monkeypatch)
    event = await sync_to_async(build.event)(starts=timezone.now())
    maeve, *_ = await sync_to_async(enter_cast)(event)
    tab = await listen(maeve)
    assert await calls_in(tab) == ""
    await sync_to_async(build.begin)(event, timezone.now())
    frame = await pace.frame(tab)
    assert "you are called to table 1 Go to your table" in told(frame)


async def test_heartbeat_removes_the_call_of_an_arrived_player(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pace = Pace(monkeypatch)
    _, (maeve, *_others) = await sync_to_async(called_cast)()
    tab = await listen(maeve)
    assert "called to table 1" in await calls_in(tab)
    await pace.second_passes()
    await Seat.objects.filter(player=maeve).aupdate(last_seen=timezone.now())
    await live.beat()
    assert told(await tab.frame()) == ""


@pytest.mark.usefixtures("_slow")
async def test_called_page_itself_shows_no_call() -> None:
    _, (maeve, *_others) = await sync_to_async(called_cast)()
    table = await sync_to_async(table_of)(maeve)
    at_table = await listen(maeve, reverse("table", args=[table.pk]))
    assert await calls_in(at_table) == ""


@pytest.fixture
def _slow(monkeypatch: pytest.MonkeyPatch) -> None:
    Pace(monkeypatch)


@pytest.mark.usefixtures("_slow")
async def test_calls_reach_their_player_only() -> None:
    await sync_to_async(called_cast)()
    otto = await sync_to_async(member)("Otto")
    tab = await listen(otto)
    assert await calls_in(tab) == ""


async def test_visitor_gets_no_calls_socket() -> None:
    assert await (await new_tab("/ws/calls/")).connect() == hub.NOT_HERE


@pytest.mark.usefixtures("_slow")
async def test_logout_closes_the_calls_socket() -> None:
    tab = await listen(await sync_to_async(player)("Ben"))
    assert tab.session is not None
    await sync_to_async(hub.close_session)(str(tab.session.session_key))
    closed = await tab.receive()
    assert (closed["type"], closed["code"]) == ("websocket.close", hub.LOGGED_OUT)


async def test_unchanged_calls_are_not_sent_again(monkeypatch: pytest.MonkeyPatch) -> None:
    pace = Pace(monkeypatch)
    event, (maeve, *_others) = await sync_to_async(called_cast)()
    tab = await listen(maeve)
    await pace.second_passes()
    await sync_to_async(live.announce)(event.pk)
    await pace.second_passes()
    assert await tab.silent()


# When a table's time is up --------------------------------------------------------------------


def ends_shown(who: Player, table: Table) -> str:
    page = logged_in(who).get(reverse("table", args=[table.pk])).text
    found = re.search(r'id="table-end"[^>]*>([^<]*)<', page)
    return html.unescape(found[1]) if found else ""


def limited(**fields: Any) -> tuple[Event, Player, Table]:
    """An event with a round of twenty minutes, drawn now, one of its players and their table."""
    event = build.event(starts=timezone.now(), round_minutes=20, **fields)
    maeve, *_ = enter_cast(event)
    build.begin(event, timezone.now())
    return event, maeve, table_of(maeve)


def until(event: Event, more: int = 0) -> str:
    ends = build.latest(event).ends
    assert ends is not None
    zone = event.club.zone
    clock = f"{(ends + timedelta(minutes=more)).astimezone(zone):%H:%M} {zone_name(zone)}"
    return f"+{more} min, until {clock}" if more else f"Until {clock}"


def test_own_table_says_when_its_time_is_up_and_what_it_was_given() -> None:
    event, maeve, table = limited()
    ada = build.director(event.club)
    assert ends_shown(maeve, table) == until(event)
    table_time.give(table.pairing, 5, ada, reason="Late.", now=timezone.now())
    assert ends_shown(maeve, table) == until(event, 5)
    round_clock.extend_round(event, ada, 10, timezone.now())
    assert ends_shown(maeve, table) == until(event, 5)
    round_clock.pause(event, ada, timezone.now())
    assert ends_shown(maeve, table) == "The round’s clock is paused"


def test_without_a_limit_nothing_is_said() -> None:
    _, (maeve, *_others) = called_cast()
    assert ends_shown(maeve, table_of(maeve)) == ""


def test_whoever_watches_is_not_told_another_tables_end() -> None:
    _, _, table = limited()
    assert ends_shown(member("Otto"), table) == ""


async def test_open_page_of_the_table_is_sent_its_extra_minutes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pace = Pace(monkeypatch)
    event, maeve, table = await sync_to_async(limited)()
    ada = await sync_to_async(lambda: build.director(event.club))()
    at_table = await listen(maeve, reverse("table", args=[table.pk]))
    assert json.loads(at_table.frames[-1])["end"] == await sync_to_async(until)(event)
    give = sync_to_async(table_time.give)
    match = await Pairing.objects.select_related("round__event").aget(table=table)
    await give(match, 5, ada, reason="Late.", now=timezone.now())
    frame = await pace.frame(at_table)
    assert frame["end"].startswith("+5 min, until ")
    assert frame["calls"] == ""
