"""Handicap by rating: the points given, and what they count for."""

import re
from typing import Any

import pytest
from django.test import Client

from games.models import Player
from tests.tournaments import build
from tests.tournaments.build import NOON, ruled
from tests.tournaments.setting_up.test_event_checks import wrong
from tournaments import rating_formula
from tournaments.directing import correcting
from tournaments.event_page import exports, page_values
from tournaments.formats import handicap
from tournaments.formats.draw import DrawnMatch, PlayedMatch
from tournaments.models import Club, Event, Pairing
from tournaments.seasons import seasons
from tournaments.seasons.rule import Rule
from tournaments.standings import ranking

HANDS = {"match": "deals", "deals": 8}


@pytest.mark.parametrize(
    ("gap", "given"), [(0, 0), (50, 0), (100, 1), (200, 2), (300, 2), (500, 4)]
)
def test_the_weaker_side_is_given_points_by_the_gap(gap: int, given: int) -> None:
    assert handicap.bonus((3000 + gap, 3000), 8, 100) == (0, given)
    assert handicap.bonus((3000, 3000 + gap), 8, 100) == (given, 0)
    assert handicap.bonus((3000, 3000), 8, 100) == (0, 0)


def test_more_hands_and_a_larger_part_give_more_and_there_is_a_bound() -> None:
    points = [handicap.bonus((3300, 3000), hands, 100)[1] for hands in (4, 8, 16, 32)]
    assert points == sorted(points)
    assert points[0] < points[-1]
    assert handicap.bonus((3500, 3000), 8, 50)[1] * 2 == handicap.bonus((3500, 3000), 8, 100)[1]
    assert handicap.bonus((9000, 0), 8, 100) == handicap.bonus((6000, 0), 8, 100)


def test_the_chance_is_that_of_the_rating_model_for_sure_ratings() -> None:
    sure = [rating_formula.Skill(mu, 0.0) for mu in (1650.0, 1500.0)]
    chance = rating_formula.expected(([sure[0]], [sure[1]]))
    assert chance == pytest.approx(1 / (1 + 2.718281828 ** (-150 / handicap.SCALE)))


def test_a_match_counts_with_the_points_but_a_forfeit_as_it_is() -> None:
    def winner(points: tuple[int, int], won: int, **more: Any) -> int:
        match = PlayedMatch(DrawnMatch(1, ((1,), (2,))), won, points, **more)
        return handicap.counted(match, (0, 2)).winner

    assert [winner(points, 0) for points in ((9, 6), (8, 6), (7, 6))] == [0, -1, 1]
    assert winner((0, 0), 0, forfeit=True) == 0


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"match": "game"}, "let a match be a number of hands"),
        ({"format": "single_elimination", **HANDS}, "nor for an event with a knock-out"),
        ({"format": "duplicate_pairs", **HANDS}, "not for duplicate"),
        ({"handicap": 120, **HANDS}, "0 to 100 percent."),
    ],
)
def test_settings_that_do_not_go_with_it(fields: dict[str, Any], said: str) -> None:
    assert said in wrong(**{"handicap": 100, **fields})["handicap"][0]
    assert "handicap" not in wrong(handicap=100, **HANDS)


@pytest.fixture
def mill(db: None) -> Club:
    return build.club()


@pytest.fixture
def ada(mill: Club) -> Player:
    return build.director(mill)


@pytest.fixture
def event(mill: Club) -> Event:
    """A match in the room between 1 and 2, who are strong, and 3 and 4; two points for these."""
    made = build.event(mill, format="round_robin", place="room", minimum=2, handicap=100, **HANDS)
    strong, _weak = build.enter(made, 2)
    for line in strong.players.all():
        build.rating(line.player, 1600)
    build.begin(made)
    return made


def score(event: Event, by: Player, strong: int, weak: int) -> Pairing:
    """Let the director enter the score as it was played."""
    table = build.latest(event).pairings.get()
    first = table.entries.get(side=0).entry
    points = (strong, weak) if first.seed == 1 else (weak, strong)
    winner = -1 if strong == weak else int(points[1] > points[0])
    correcting.set_result(table, by, ruled(winner, points), reason="", now=NOON)
    build.step(event, NOON)
    table.refresh_from_db()
    return table


@pytest.mark.parametrize(
    ("weak", "places", "won"),
    [(4, ["1 and 2", "3 and 4"], [1, 0]), (5, None, [0, 0]), (6, ["3 and 4", "1 and 2"], [1, 0])],
)
def test_the_standings_count_it_and_the_score_stays_as_played(
    event: Event, ada: Player, weak: int, places: list[str] | None, won: list[int]
) -> None:
    table = score(event, ada, 7, weak)
    assert sorted(table.points) == [weak, 7]
    assert table.points[table.winner] == 7
    lines = ranking.standings_of(event).lines
    assert [line.won for line in lines] == won
    if places:
        assert [line.entry.name for line in lines] == places


def test_it_is_shown_before_and_after_the_match(event: Event, ada: Player) -> None:
    def sides() -> list[tuple[int, str, bool]]:
        round_ = page_values.round_of(event, 1)
        assert round_ is not None
        (match,) = round_.matches
        both = sorted(match.sides, key=lambda side: side.team.name)
        return [(side.handicap, side.count, side.won) for side in both]

    assert sides() == [(0, "", False), (2, "", False)]
    page = Client().get(f"/events/{event.pk}/").content.decode()
    assert "handicap 100 %" in page
    seen = re.sub(r"<[^>]*>", "", page)
    assert re.search(r"3 &amp; 4\s*, handicap \+2", seen)
    assert (
        "handicap +2"
        in Client().get(f"/events/{event.pk}/print/rounds/1/pairings/").content.decode()
    )
    score(event, ada, 7, 6)
    assert sides() == [(0, "7", False), (2, "6", True)]
    (row,) = exports.results(event)
    assert sorted(row["handicap"].values()) == [0, 2]
    assert row["points"][row["winner"]] == 7


def test_a_season_counts_matches_won_with_it(mill: Club, event: Event, ada: Player) -> None:
    score(event, ada, 7, 6)
    season = mill.seasons.create(name="Spring", first_day=NOON.date(), last_day=NOON.date())
    seasons.set_rule(season, Rule(attendance=0, below=0, match_won=1), None)
    if event.final_at:
        build.step(event, event.final_at)
    season.refresh_from_db()
    won = {row.player.name: row.points for row in seasons.table(mill, season)}
    assert won == {"1": 0, "2": 0, "3": 1, "4": 1}


def test_ratings_of_later_do_not_change_it(event: Event, mill: Club) -> None:
    before = event.entries.order_by("seed").values_list("strength", flat=True)
    assert [*before] == [3200, 3000]
    for entry in event.entries.filter(seed=2):
        for line in entry.players.all():
            build.rating(line.player, 2000)
    round_ = page_values.round_of(event, 1)
    assert round_ is not None
    assert sorted(side.handicap for side in round_.matches[0].sides) == [0, 2]
