"""The chart of how many came to each evening of a season."""

import pytest
from django.test import Client

from tests.factories import people
from tests.tournaments import build
from tests.tournaments.seasons.test_clubs_seasons import SEASONS
from tests.tournaments.seasons.test_rules import evening, spring
from tournaments import charts


def test_bars_are_as_high_as_many_came() -> None:
    chart = charts.by_night([8, 4, 0], 1)
    assert chart is not None
    whole = charts.NIGHTS_FOOT - charts.NIGHTS_TOP
    assert [bar["height"] for bar in chart["bars"]] == [whole, whole / 2, 0, whole]
    assert all(bar["y"] + bar["height"] == charts.NIGHTS_FOOT for bar in chart["bars"])
    assert [bar["came"] for bar in chart["bars"]] == ["8", "4", "0", ""]
    assert [bar["coming"] for bar in chart["bars"]] == [False, False, False, True]
    assert chart["words"] == ("Players a night: 4 on average, 0 at least and 8 at most in 3 nights")


def test_of_many_evenings_only_some_are_numbered() -> None:
    chart = charts.by_night(range(1, 61), 0)
    assert chart is not None
    numbered = [bar["number"] for bar in chart["bars"] if bar["number"]]
    assert len(numbered) == charts.NUMBERED
    assert [bar["words"] for bar in chart["bars"][:1]] == ["Night 1: 1 player"]
    assert max(bar["x"] + bar["width"] for bar in chart["bars"]) <= charts.NIGHTS_WIDTH


def test_before_the_first_evening_there_is_none() -> None:
    assert charts.by_night([], 1) is None


@pytest.mark.django_db
def test_the_seasons_page_shows_it() -> None:
    mill = build.club()
    season = spring(mill)
    assert 'id="attendance"' not in Client().get(f"{SEASONS}{season.pk}/").text
    evening(mill, 5, people(4))
    page = Client().get(f"{SEASONS}{season.pk}/").text
    assert "4 at least and 4 at most in 1 night" in page
