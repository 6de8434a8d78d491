"""What open pages of an event are drawn from: the same page as is loaded, once for everybody."""

import json
import re

import pytest
from asgiref.sync import sync_to_async
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from games.models import Game, Player
from tests.factories import logged_in
from tests.tournaments import build
from tests.tournaments.event_page.live.tabs import Pace, watch
from tests.tournaments.event_page.live.test_calls import enter_cast
from tournaments.event_page import showing
from tournaments.models import Event

pytestmark = pytest.mark.django_db(transaction=True)

OWN = re.compile(r'data-entry="(\d+)"')


def playing(entries: int = 8) -> Event:
    """An event whose first round is being played."""
    event = build.event(build.club(f"Club of {entries}"), starts=timezone.now())
    build.enter(event, entries)
    build.begin(event, timezone.now())
    build.arrive(event)
    build.step(event, timezone.now())
    return event


def players_of(event: Event) -> list[Player]:
    """Everybody who plays, by entry."""
    lines = event.entered_players.select_related("player").order_by("entry")
    return [line.player for line in lines]


def test_deleted_event_draws_nothing() -> None:
    assert showing.draw_event(4711, []) is None
    assert showing.pulses([4711]) == {}


def test_drawn_parts_equal_those_of_the_loaded_page() -> None:
    event = playing()
    drawing = showing.draw_event(event.pk, [])
    assert drawing is not None
    page = logged_in(Player.objects.create(name="Otto")).get(f"/events/{event.pk}/").text
    assert drawing.parts
    for part, html in drawing.parts.items():
        if part != "event-clock":  # which tells the time
            assert html in page, part
    assert drawing.stamp == str(Event.objects.get(pk=event.pk).version)


def test_each_player_gets_their_own_part_only() -> None:
    event = playing()
    people = players_of(event)
    otto = Player.objects.create(name="Otto")
    drawing = showing.draw_event(event.pk, [otto.pk, *(one.pk for one in people)])
    assert drawing is not None
    assert not OWN.search("".join(drawing.parts.values()))
    assert not drawing.mine[otto.pk]
    for line in event.entered_players.all():
        (own,) = OWN.findall("".join(drawing.mine[line.player_id].values()))
        assert int(own) == line.entry_id


def test_more_tables_and_more_watchers_take_no_more_queries(
    django_assert_max_num_queries: DjangoAssertNumQueries,
) -> None:
    queries = []
    for entries in (4, 32):
        event = playing(entries)
        watching = [player.pk for player in players_of(event)]
        with django_assert_max_num_queries(30) as captured:
            showing.draw_event(event.pk, watching)
        queries.append(len(captured))
    assert queries[0] == queries[1]


def test_pulse_changes_with_version_and_scores_only() -> None:
    event = playing()
    before = showing.pulses([event.pk])
    Game.objects.update(version=5, moved=timezone.now())
    assert showing.pulses([event.pk]) == before
    Game.objects.update(score_0=1)
    scored = showing.pulses([event.pk])
    assert scored != before
    Event.objects.update(version=100)
    assert showing.pulses([event.pk]) != scored


async def test_a_round_that_is_drawn_reaches_the_pages_of_its_players(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pace = Pace(monkeypatch)
    event = await sync_to_async(build.event)(starts=timezone.now())
    maeve, ben, *_ = await sync_to_async(enter_cast)(event)
    tabs = [await watch(event, one) for one in (maeve, ben, None)]
    for tab in tabs:
        await pace.frame(tab)
    await sync_to_async(build.begin)(event, timezone.now())
    for tab in tabs:
        while "Round 1 tables" not in "".join(tab.frames):
            await pace.frame(tab)
    entries = [
        {int(own) for text in tab.frames for own in OWN.findall(str(json.loads(text)))}
        for tab in tabs
    ]
    hers, his = [(await event.entered_players.aget(player=one)).entry_id for one in (maeve, ben)]
    assert entries == [{hers}, {his}, set()]
