"""Events that had a handicap by rating keep their results: points stored with their matches."""

import re
from typing import Any

import pytest
from django.test import Client

from games.models import Player
from tests.tournaments import build
from tests.tournaments.build import NOON, ruled
from tournaments.acts import correcting
from tournaments.event_page import exports, page_values
from tournaments.formats.draw import DrawnMatch, PlayedMatch
from tournaments.models import Club, Event, Pairing
from tournaments.results import event_rows
from tournaments.seasons import season_table, seasons
from tournaments.seasons.rule import Rule
from tournaments.standings import ranking


def test_a_match_counts_with_the_points_but_a_forfeit_as_it_is() -> None:
    def winner(points: tuple[int, int], won: int, **more: Any) -> int:
        match = PlayedMatch(DrawnMatch(1, ((1,), (2,))), won, points, **more)
        return event_rows.with_handicap(match, (0, 2)).winner

    assert [winner(points, 0) for points in ((9, 6), (8, 6), (7, 6))] == [0, -1, 1]
    assert winner((0, 0), 0, forfeit=True) == 0


@pytest.fixture
def mill(db: None) -> Club:
    return build.club()


@pytest.fixture
def ada(mill: Club) -> Player:
    return build.director(mill)


@pytest.fixture
def event(mill: Club) -> Event:
    """A match in the room between 1 and 2 and 3 and 4, who have two points more."""
    made = build.event(mill, format="round_robin", place="room", minimum=2, match="deals", deals=8)
    strong, _weak = build.enter(made, 2)
    for line in strong.players.all():
        build.rating(line.player, 1600)
    build.begin(made)
    weak = build.latest(made).pairings.get().entries.get(entry__seed=2)
    Pairing.objects.update(**{f"handicap_{weak.side}": 2})
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
    won = {row.player.name: row.points for row in season_table.table(mill, season)}
    assert won == {"1": 0, "2": 0, "3": 1, "4": 1}
