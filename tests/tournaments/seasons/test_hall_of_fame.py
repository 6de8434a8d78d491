"""The hall of fame: winners by season and division, most evenings won and played."""

from datetime import UTC, date, datetime
from typing import Any

import pytest
from django.test import Client

from tests.factories import people, player
from tests.tournaments.build import club
from tests.tournaments.seasons.test_clubs_seasons import finished
from tests.tournaments.seasons.test_divisions import split
from tests.tournaments.seasons.test_rules import evening, play, spring
from tournaments.models import Club
from tournaments.seasons import seasons
from tournaments.seasons.hall_of_fame import hall_of_fame
from tournaments.seasons.rule import Rule

pytestmark = pytest.mark.django_db
JUNE = datetime(2026, 6, 15, tzinfo=UTC)


def winners(hall: dict[str, Any]) -> dict[str, list[tuple[str, list[str]]]]:
    """By season: each division, "" without, and its winners."""
    return {
        season.name: [
            (division.name if division else "", [row.player.name for row in rows])
            for division, rows in firsts
        ]
        for season, _over, firsts in hall["seasons"]
    }


def records(hall: dict[str, Any]) -> list[list[tuple[int, str, int]]]:
    return [
        [(place, who.name, number) for place, who, number in lines]
        for lines in (hall["wins"], hall["attendance"])
    ]


def season_in(of: Club, name: str, month: int) -> None:
    seasons.make(of, name=name, first_day=date(2026, month, 1), last_day=date(2026, month, 28))


def test_each_season_has_the_winners_of_its_divisions() -> None:
    mill, (one, two, three, four) = club(), people(4)
    split(spring(mill), {"First": [one, two], "Second": [three, four], "Third": []})
    season_in(mill, "June", 6)
    season_in(mill, "July", 7)
    evening(mill, 5, [four, two, one, three])
    finished(mill, [(1, [one]), (1, [two]), (3, [three])], datetime(2026, 6, 4, 19, tzinfo=UTC))
    hall = hall_of_fame(mill, JUNE)
    assert winners(hall) == {
        "June": [("", ["1", "2"])],
        "Spring": [("First", ["2"]), ("Second", ["4"]), ("Third", [])],
    }
    assert [over for _season, over, _firsts in hall["seasons"]] == [False, True]


def test_records_count_all_events_and_share_places() -> None:
    mill, (maeve, ben, iris) = club(), [player(name) for name in ("Maeve", "Ben", "Iris")]
    evening(mill, 5, [maeve, ben])
    finished(mill, [(1, [ben]), (2, [maeve])], datetime(2019, 3, 4, 19, tzinfo=UTC))
    finished(mill, [(1, [maeve]), (2, [iris])], datetime(2018, 3, 4, 19, tzinfo=UTC))
    assert records(hall_of_fame(mill, JUNE)) == [
        [(1, "Maeve", 2), (2, "Ben", 1)],
        [(1, "Maeve", 3), (2, "Ben", 2), (3, "Iris", 1)],
    ]


def test_a_club_without_seasons_has_winners_by_year() -> None:
    mill = club()
    evening(mill, 5, [player("Maeve"), player("Ben")])
    finished(mill, [(1, [player("Iris")])], datetime(2019, 3, 4, 19, tzinfo=UTC))
    assert winners(hall_of_fame(mill, JUNE)) == {
        "2026": [("", ["Maeve"])],
        "2019": [("", ["Iris"])],
    }
    page = Client().get("/clubs/the-old-mill/hall-of-fame/").content.decode()
    assert '<a href="/clubs/the-old-mill/years/2019/">2019</a>' in page


def test_an_empty_hall_says_so() -> None:
    club()
    page = Client().get("/clubs/the-old-mill/hall-of-fame/").content.decode()
    assert "No event of the club has finished yet." in page


def test_it_takes_nine_queries_however_many_seasons(django_assert_max_num_queries: Any) -> None:
    mill, players = club(), people(4)
    for month in range(1, 6):
        season_in(mill, f"Month {month}", month)
        season = mill.seasons.get(name=f"Month {month}")
        seasons.set_rule(season, Rule(match_won=2), None)
        split(season, {"First": players[:2], "Second": players[2:]})
        places = [(place, [who]) for place, who in enumerate(players, start=1)]
        night = finished(mill, places, datetime(2026, month, 4, 19, tzinfo=UTC))
        play(night, [(players[0], players[1], 10, 3)], players[2])
    with django_assert_max_num_queries(9):
        assert len(hall_of_fame(mill, JUNE)["seasons"]) == 5
