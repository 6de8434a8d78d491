"""What a player reads at their table about the rating of the match."""

from typing import Any

import pytest

from games.models import Player
from tests.tournaments import build
from tests.tournaments.build import NOON, rating
from tournaments.event_page import page_values, showing
from tournaments.models import Event, Pairing

pytestmark = pytest.mark.django_db


def started(**fields: Any) -> Event:
    event = build.event(**{"rounds": 3, **fields})
    build.enter(event, 4)
    build.begin(event)
    return event


def players() -> list[Player]:
    """Those of the first table: north, south, east and west."""
    lines = Pairing.objects.earliest("number").entries.order_by("side", "position")
    return [one.player for line in lines for one in line.entry.players.order_by("position")]


def parts(event: Event, player: Player) -> str:
    event = Event.objects.select_related("club").get(pk=event.pk)
    page = page_values.read(event, NOON)
    return showing.draw(page)["event-pairings"] + showing.draw_mine(page, player)[showing.MINE]


def test_nobody_is_told_before_a_match_who_is_expected_to_win() -> None:
    event = started()
    rating(players()[0], 1700)
    said = parts(event, players()[1])
    assert "expected" not in said
    assert "%" not in said
    assert "Not rated" not in said


def test_a_match_with_a_house_player_is_not_rated_and_says_so() -> None:
    event = started()
    north, south, *_others = players()
    Player.objects.filter(pk=north.pk).update(kind=Player.Kind.HOUSE)
    assert "Not rated: a house player sits here." in parts(event, south)


def test_in_an_unrated_event_nothing_is_said_of_ratings() -> None:
    event = started(rated=False)
    Player.objects.filter(pk=players()[0].pk).update(kind=Player.Kind.HOUSE)
    assert "Not rated" not in parts(event, players()[1])
