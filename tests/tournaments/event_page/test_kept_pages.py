"""An event's page is drawn once for all its players, and each finds their own part in it."""

from collections.abc import Collection, Mapping
from typing import Any

import pytest
from django.core.cache import caches
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from games.models import Game, Player
from tests.factories import logged_in, member
from tests.tournaments import build
from tests.tournaments.build import MINUTE, NOON
from tournaments.event_page import showing
from tournaments.models import EntryPlayer, Event

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def kept(settings: Any) -> None:
    """Pages are kept, and none is at the beginning."""
    memory = "django.core.cache.backends.locmem.LocMemCache"
    settings.CACHES = {**settings.CACHES, "pages": {"BACKEND": memory, "LOCATION": "pages"}}
    caches["pages"].clear()


@pytest.fixture
def event() -> Event:
    """A knock-out of sixteen that is being played."""
    event = build.event(format="single_elimination")
    build.enter(event, 16)
    build.begin(event)
    build.arrive(event)
    build.step(event, NOON + MINUTE)
    return event


def playing(event: Event, name: str, number: int) -> Client:
    """A browser in which somebody is logged in who plays in the entry of this number."""
    line = EntryPlayer.objects.filter(event=event).order_by("pk")[2 * number]
    EntryPlayer.objects.filter(pk=line.pk).update(player=member(name))
    return logged_in(Player.objects.get(name=name))


def queries(browser: Client, path: str) -> int:
    with CaptureQueriesContext(connection) as asked:
        assert browser.get(path).status_code == 200
    return len(asked)


@pytest.mark.parametrize("what", ["", "bracket/"])
def test_second_player_costs_no_drawing(event: Event, what: str) -> None:
    one, other = playing(event, "Maeve", 0), playing(event, "Otto", 5)
    path = f"/events/{event.pk}/{what}"
    first, second = queries(one, path), queries(other, path)
    assert second <= first - 10


def test_everybody_finds_their_own_part_and_nobody_elses(event: Event) -> None:
    browsers = {name: playing(event, name, at) for at, name in enumerate(("Maeve", "Otto", "Vera"))}
    for name, browser in [*browsers.items(), *browsers.items()]:
        (own,) = EntryPlayer.objects.filter(event=event, player__name=name)
        page = browser.get(f"/events/{event.pk}/").text
        assert page.count('id="event-mine"') == 1
        assert f'id="event-mine" data-entry="{own.entry_id}"' in page
        (row,) = [line for line in page.split("<tr ") if 'class="mine"' in line]
        assert str(own.entry_id) in row.split('"')[1].split()
    assert 'class="mine"' not in logged_in(member("Zoe")).get(f"/events/{event.pk}/").text
    assert "data-entry=" not in Client().get(f"/events/{event.pk}/").text


def test_a_change_is_seen_at_once(event: Event) -> None:
    browser = playing(event, "Maeve", 0)
    game = Game.objects.earliest("pk")
    assert ">9</td>" not in browser.get(f"/events/{event.pk}/").text
    Game.objects.filter(pk=game.pk).update(score_0=9)
    assert ">9</td>" in browser.get(f"/events/{event.pk}/").text
    Event.objects.filter(pk=event.pk).update(name="Final night", version=event.version + 1)
    assert "<h1>Final night</h1>" in browser.get(f"/events/{event.pk}/").text


def test_a_change_while_a_page_is_asked_for_is_not_hidden_by_what_is_kept(
    event: Event, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, other = playing(event, "Maeve", 0), playing(event, "Otto", 5)
    asked = showing.pulses

    def changed_before(event_ids: Collection[int]) -> Mapping[int, object]:
        monkeypatch.setattr(showing, "pulses", asked)
        Event.objects.filter(pk=event.pk).update(name="Final night", version=event.version + 1)
        return asked(event_ids)

    monkeypatch.setattr(showing, "pulses", changed_before)
    one.get(f"/events/{event.pk}/")
    assert "<h1>Final night</h1>" in other.get(f"/events/{event.pk}/").text
