"""The drawing of a rating: what is kept of many games, and where it lies."""

from datetime import UTC, datetime, timedelta
from itertools import pairwise
from random import Random
from typing import Any

import pytest
from django.template.loader import render_to_string
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from games.models import Player
from tests.tournaments import build
from tests.tournaments.build import NOON, pool
from tournaments import charts
from tournaments.models import Event, Pairing, RatingChange
from tournaments.rating_formula import START, Skill
from tournaments.ratings import curve as rating_curve
from tournaments.ratings.curve import Point

DAY = timedelta(days=1)


def points(*ratings: float, apart: timedelta = DAY, sigma: float = 80.0) -> list[Point]:
    return [Point(NOON + at * apart, Skill(mu, sigma), at) for at, mu in enumerate(ratings)]


def matches(number: int, of: Event | None = None) -> list[Pairing]:
    """So many decided matches of the first round of a finished event."""
    event = of or build.event(state=Event.State.FINISHED, ended=NOON)
    round_ = event.played_rounds.create(number=event.played_rounds.count() + 1)
    return Pairing.objects.bulk_create(
        Pairing(round=round_, number=at + 1, state=Pairing.State.DECIDED, winner=0)
        for at in range(number)
    )


def change(
    player: Player,
    match: Pairing,
    position: int,
    before: tuple[float, float],
    after: tuple[float, float],
    *,
    days: float = 0,
    **fields: Any,
) -> RatingChange:
    """What the game of a match did to a player's rating, so many days after noon."""
    row = {"number": 1, "side": 0, "winner": 0, "expected": 0.5, "pool": pool()}
    return RatingChange.objects.create(
        player=player,
        pairing=match,
        position=position,
        mu_before=before[0],
        sigma_before=before[1],
        mu_after=after[0],
        sigma_after=after[1],
        at=NOON + timedelta(days=days),
        **{**row, **fields},
    )


def pairs(drawn: str) -> list[tuple[float, float]]:
    return [tuple(map(float, spot.split(","))) for spot in drawn.split()]  # type: ignore[misc]


class TestDrawing:
    def test_curve_runs_right_with_time_and_up_with_rating(self) -> None:
        curve = rating_curve.draw(points(1500, 1600, 1550), 720, 260)
        line = pairs(curve.line)
        assert [x for x, _y in line] == [46.0, 376.0, 706.0]
        assert line[1][1] < line[2][1] < line[0][1]
        assert (curve.x, curve.y) == ("706.0", f"{line[2][1]:.1f}")

    def test_band_runs_along_the_line_and_back(self) -> None:
        curve = rating_curve.draw(points(1500, 1600, 1550), 720, 260)
        line, band = pairs(curve.line), pairs(curve.band)
        upper, lower = band[:3], band[:2:-1]
        for on, above, below in zip(line, upper, lower, strict=True):
            assert on[0] == above[0] == below[0]
            assert above[1] < on[1] < below[1]
            assert below[1] - on[1] == pytest.approx(on[1] - above[1], abs=0.11)

    @pytest.mark.parametrize(("width", "height"), [(720, 260), (340, 220), (300, 120)])
    def test_curve_lies_inside_its_box(self, width: int, height: int) -> None:
        rng = Random(3)
        curve = rating_curve.draw(points(*(rng.gauss(1500, 90) for _n in range(60))), width, height)
        for x, y in pairs(curve.band):
            assert curve.left <= x <= curve.right
            assert curve.top <= y <= curve.bottom
        for upright, _words in curve.values:
            assert curve.top <= float(upright) <= curve.bottom
        for level, _words in curve.times:
            assert curve.left <= float(level) <= curve.right

    def test_axis_numbers_are_at_their_values(self) -> None:
        curve = rating_curve.draw(points(1500, 1600, sigma=100), 720, 260)
        at = {int(words): float(y) for y, words in curve.values}
        assert list(at) == [1400, 1450, 1500, 1550, 1600, 1650, 1700]
        assert at[1500] == pairs(curve.line)[0][1]

    def test_every_match_has_one_dot_at_its_last_game(self) -> None:
        twice = [Point(NOON, START, 7), Point(NOON + DAY, Skill(1510, 118), 7)]
        curve = rating_curve.draw([*twice, Point(NOON + 2 * DAY, Skill(1510, 119))], 720, 260)
        assert [dot.pairing_id for dot in curve.dots] == [7]
        assert curve.dots[0].x == "376.0"

    def test_single_point_can_be_drawn(self) -> None:
        curve = rating_curve.draw([Point(NOON, START), Point(NOON, Skill(1512, 118), 1)], 720, 260)
        assert {x for x, _y in pairs(curve.line)} == {706.0}


class TestThinning:
    def test_few_points_are_all_kept(self) -> None:
        every = points(*range(1300, 1600))
        assert rating_curve.thinned(every) == every

    def test_thinning_keeps_ends_and_extremes_in_order(self) -> None:
        rng = Random(4)
        ratings = [rng.gauss(1500, 40) for _n in range(6000)]
        ratings[2345], ratings[4321] = 1900, 1100
        every = points(*ratings, apart=timedelta(hours=1))
        kept = rating_curve.thinned(every)
        assert len(kept) <= 300
        assert (kept[0], kept[-1]) == (every[0], every[-1])
        assert {every[2345], every[4321]} <= set(kept)
        assert all(one.at < next_.at for one, next_ in pairwise(kept))

    def test_thinning_is_even_over_time(self) -> None:
        kept = rating_curve.thinned(points(*(1500 + at % 7 for at in range(5000))))
        gaps = [next_.at - one.at for one, next_ in pairwise(kept)]
        assert max(gaps) <= DAY * 5000 / 75


class TestAxes:
    @pytest.mark.parametrize(
        ("least", "most", "wanted"),
        [
            (1412, 1588, [1400, 1450, 1500, 1550, 1600]),
            (1380, 1620, [1350, 1400, 1450, 1500, 1550, 1600, 1650]),
            (1500, 1500, [1500, 1510]),
            (900, 2100, [500, 1000, 1500, 2000, 2500]),
        ],
    )
    def test_axis_numbers_cover_all_values(self, least: int, most: int, wanted: list[int]) -> None:
        assert charts.numbers(least, most) == wanted

    @pytest.mark.parametrize(
        ("last", "wanted"),
        [
            (datetime(2026, 3, 7, 15, 30, tzinfo=UTC), ["12:00", "13:00", "14:00", "15:00"]),
            (datetime(2026, 3, 29, tzinfo=UTC), ["8 Mar", "15 Mar", "22 Mar", "29 Mar"]),
            (datetime(2026, 8, 1, tzinfo=UTC), ["Apr", "May", "Jun", "Jul", "Aug"]),
            (datetime(2027, 3, 1, tzinfo=UTC), ["Apr", "Jul", "Oct", "2027"]),
            (datetime(2031, 3, 1, tzinfo=UTC), ["2027", "2028", "2029", "2030", "2031"]),
        ],
    )
    def test_axis_times_are_round(self, last: datetime, wanted: list[str]) -> None:
        assert [words for _at, words in charts.times(NOON, last)] == wanted

    def test_every_span_has_axis_times(self) -> None:
        for hours in range(4, 24 * 365 * 20, 97):
            ticks = charts.times(NOON, NOON + timedelta(hours=hours))
            assert 1 <= len(ticks) <= 7, hours

    def test_axis_times_are_in_the_sites_zone(self) -> None:
        with timezone.override("Asia/Kolkata"):
            ticks = charts.times(NOON, NOON + timedelta(hours=2))
        assert [words for _at, words in ticks] == ["18:00", "19:00"]
        assert ticks[0][0] == NOON + timedelta(minutes=30)


@pytest.mark.django_db
class TestOfAPlayer:
    def test_curve_takes_one_query_and_reaches_now(
        self, django_assert_num_queries: DjangoAssertNumQueries
    ) -> None:
        maeve, classic = Player.objects.create(name="Maeve"), pool()
        for number, match in enumerate(matches(3), start=1):
            change(maeve, match, number, (1500 + number, 100), (1510 + number, 75), days=number)
        with django_assert_num_queries(1):
            curve = rating_curve.curve_of(maeve, classic, 300, 120, NOON + 100 * DAY)
        assert curve is not None
        assert len(pairs(curve.line)) == 7
        assert curve.now.mu == 1513
        assert curve.now.sigma == pytest.approx((75**2 + 97 * 1.7) ** 0.5)
        assert curve.words == (
            "Rating from 1501 ± 100 at first to 1513 ± 76 now, lowest 1501, highest 1513"
        )
        svg = render_to_string("tournaments/ratings/_rating_curve.svg.html", {"curve": curve})
        assert f'points="{curve.line}"' in svg
        assert "<text" in svg

    def test_no_curve_without_games(self) -> None:
        maeve = Player.objects.create(name="Maeve")
        assert rating_curve.curve_of(maeve, pool(), 300, 120, NOON) is None
