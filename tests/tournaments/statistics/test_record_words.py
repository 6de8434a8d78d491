"""Numbers of a record in words."""

import pytest

from games.records import LOST, TIED, WON
from games.records.sums import (
    Mean,
    ShareOfGames,
    Streak,
)
from tournaments.templatetags.records import (
    difference,
    mean,
    percent,
    place_name,
    query,
    run,
    signed_mean,
    value,
)

MINUS, SPACE = "\N{MINUS SIGN}", "\N{NO-BREAK SPACE}"


def test_percentages_and_means_of_nothing_are_a_dash() -> None:
    assert percent(ShareOfGames(0, 0)) == mean(Mean(0, 0)) == signed_mean(Mean(0, 0)) == "–"
    assert value(None, 1, "%") == difference(None, 1) == "–"


def test_percentages_and_means() -> None:
    assert percent(ShareOfGames(2, 3)) == f"67{SPACE}%"
    assert mean(Mean(7, 3)) == "2.3"
    assert mean(Mean(7, 3), 2) == "2.33"
    assert value(58.25, 1, "%") == f"58.2{SPACE}%"
    assert value(2.5, 2, "") == "2.50"


@pytest.mark.parametrize(("total", "told"), [(3, "+0.03"), (-3, f"{MINUS}0.03"), (0.1, "0.00")])
def test_nonzero_differences_have_a_sign(total: float, told: str) -> None:
    assert signed_mean(Mean(total, 100)) == told
    assert difference(total / 100, 2) == told


def test_zero_has_no_minus_sign() -> None:
    assert value(-0.001, 2, "") == difference(-0.001, 2) == "0.00"
    assert value(-0.5, 1, "") == f"{MINUS}0.5"


def test_streaks_and_seats_have_names() -> None:
    told = [run(Streak(result, ())) for result in (WON, TIED, LOST)]
    assert told == ["won", "tied", "lost"]
    assert [place_name(place) for place in (1, 4)] == ["Left of the dealer", "The dealer"]


def test_filters_are_kept_in_urls() -> None:
    assert query({}) == ""
    assert query({"rules": "Classic, 24 cards", "from": "2026-03-01"}) == (
        "?rules=Classic%2C+24+cards&from=2026-03-01"
    )
