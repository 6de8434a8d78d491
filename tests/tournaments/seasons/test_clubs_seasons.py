"""Seasons and their tables: which events count, what they are worth, and who is where."""

from collections.abc import Sequence
from datetime import UTC, date, datetime
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from games.models import Player
from tests.factories import logged_in, player
from tests.tournaments.build import club, director, event, joined
from tournaments.models import Club, Entry, EntryPlayer, Event, Season
from tournaments.seasons import season_table, seasons

pytestmark = pytest.mark.django_db
SEASONS = "/clubs/the-old-mill/seasons/"
SPRING = Season(name="Spring", first_day=date(2026, 3, 1), last_day=date(2026, 5, 31))
#: What the form of a league sends.
LEAGUE = {
    "name": "Spring",
    "first_day": "2026-03-01",
    "last_day": "2026-05-31",
    "counts": "places",
    "ties": "wins,place",
    "tables": "1",
    "line": "person",
}
MARCH = datetime(2026, 3, 12, 19, 30, tzinfo=UTC)


def finished(
    at: Club, places: Sequence[tuple[int | None, Sequence[Player]]], starts: datetime = MARCH
) -> Event:
    """A finished event: each entry's place, and its players."""
    done = event(
        at,
        state=Event.State.FINISHED,
        starts=starts,
        registration_opens=starts,
        registration_closes=starts,
    )
    for place, players in places:
        house = all(who.kind == Player.Kind.HOUSE for who in players)
        entry = Entry.objects.create(
            event=done, state=Entry.State.CHECKED_IN, place=place, house=house
        )
        for position, who in enumerate(players):
            EntryPlayer.objects.create(event=done, entry=entry, player=who, position=position)
    return done


def lines(at: Club, season: Season = SPRING) -> list[tuple[Any, ...]]:
    """The table: place, name, events, wins, points, best place."""
    return [
        (line.place, line.player.name, line.events, line.wins, line.points, line.best)
        for line in season_table.table(at, season)
    ]


def test_points_are_one_for_taking_part_and_one_for_each_entry_below() -> None:
    mill = club()
    maeve, ben, iris, jonah = (player(name) for name in ("Maeve", "Ben", "Iris", "Jonah"))
    finished(mill, [(1, [maeve]), (2, [ben]), (3, [iris]), (4, [jonah])])
    finished(mill, [(1, [maeve]), (3, [ben]), (2, [iris])])
    assert lines(mill) == [
        (1, "Maeve", 2, 2, 4 + 3, 1),
        (2, "Ben", 2, 0, 3 + 1, 2),
        (2, "Iris", 2, 0, 2 + 2, 2),
        (4, "Jonah", 1, 0, 1, 4),
    ]


def test_partners_both_get_the_points_of_their_entry() -> None:
    mill = club()
    names = ("Maeve", "Ben", "Iris", "Jonah")
    maeve, ben, iris, jonah = (player(name) for name in names)
    finished(mill, [(1, [maeve, iris]), (2, [ben, jonah])])
    assert [line[:2] + line[4:5] for line in lines(mill)] == [
        (1, "Iris", 2),
        (1, "Maeve", 2),
        (3, "Ben", 1),
        (3, "Jonah", 1),
    ]


def test_a_shared_place_is_not_below_itself() -> None:
    mill = club()
    finished(mill, [(1, [player("Maeve")]), (3, [player("Ben")]), (3, [player("Iris")])])
    assert [line[4] for line in lines(mill)] == [3, 1, 1]


def test_equal_points_are_ordered_by_wins_then_by_the_best_place() -> None:
    mill = club()
    maeve, ben, iris = player("Maeve"), player("Ben"), player("Iris")

    def other() -> list[Player]:
        return [player("Otto")]

    finished(mill, [(1, [maeve]), (2, other())])
    finished(mill, [(1, other()), (2, [ben]), (3, other())])
    for _event in range(2):
        finished(mill, [(1, other()), (2, other()), (3, [iris])])
    order = [line[1:] for line in lines(mill) if line[1] != "Otto"]
    assert order == [("Maeve", 1, 1, 2, 1), ("Ben", 1, 0, 2, 2), ("Iris", 2, 0, 2, 3)]


def test_points_are_those_among_people() -> None:
    mill = club()
    hazel = Player.objects.create(name="Hazel", kind=Player.Kind.HOUSE)
    maeve, ben = player("Maeve"), player("Ben")
    finished(mill, [(1, [hazel]), (2, [maeve]), (3, [ben])])
    assert lines(mill) == [(1, "Maeve", 1, 1, 2, 1), (2, "Ben", 1, 0, 1, 2)]
    finished(mill, [(1, [ben]), (2, [hazel]), (3, [maeve])])
    assert lines(mill) == [(1, "Ben", 2, 1, 3, 1), (1, "Maeve", 2, 1, 3, 1)]


def test_house_players_who_can_win_prizes_count_like_others() -> None:
    mill = club()
    hazel = Player.objects.create(name="Hazel", kind=Player.Kind.HOUSE)
    done = finished(mill, [(1, [hazel]), (2, [player("Maeve")]), (3, [player("Ben")])])
    Event.objects.filter(pk=done.pk).update(house_prizes=True)
    assert lines(mill) == [(1, "Maeve", 1, 0, 2, 2), (2, "Ben", 1, 0, 1, 3)]


def test_a_house_player_who_is_a_member_has_a_line() -> None:
    mill = club()
    hazel = Player.objects.create(name="Hazel", kind=Player.Kind.HOUSE)
    joined(mill, hazel)
    finished(mill, [(1, [player("Maeve")]), (2, [hazel]), (3, [player("Ben")])])
    assert [line[1] for line in lines(mill)] == ["Maeve", "Hazel", "Ben"]


def test_unplaced_entry_did_not_take_part() -> None:
    mill = club()
    finished(mill, [(1, [player("Maeve")]), (None, [player("Ben")])])
    assert lines(mill) == [(1, "Maeve", 1, 1, 1, 1)]


@pytest.mark.parametrize("state", [state for state in Event.State if state != Event.State.FINISHED])
def test_only_finished_events_count(state: str) -> None:
    mill = club()
    done = finished(mill, [(1, [player("Maeve")])])
    Event.objects.filter(pk=done.pk).update(state=state)
    assert lines(mill) == []


def test_another_clubs_events_do_not_count() -> None:
    finished(club("Lakeside"), [(1, [player("Maeve")])])
    assert lines(club()) == []


@pytest.mark.parametrize(
    ("starts", "counts"),
    [
        (datetime(2026, 3, 1, 5, 59, tzinfo=UTC), False),  # 23:59 the day before in Chicago
        (datetime(2026, 3, 1, 6, 0, tzinfo=UTC), True),
        (datetime(2026, 6, 1, 4, 59, tzinfo=UTC), True),  # 23:59 on the last day, summer time
        (datetime(2026, 6, 1, 5, 0, tzinfo=UTC), False),
    ],
)
def test_days_are_those_of_the_clubs_time_zone(starts: datetime, counts: bool) -> None:
    mill = club(time_zone="America/Chicago")
    finished(mill, [(1, [player("Maeve")])], starts)
    assert bool(lines(mill)) == counts


def test_a_table_takes_two_queries_however_much_was_played(
    django_assert_num_queries: Any,
) -> None:
    mill = club()
    people = [player(str(n)) for n in range(12)]
    for _event in range(6):
        finished(mill, [(place, [who]) for place, who in enumerate(people, start=1)])
    with django_assert_num_queries(2):
        assert len(season_table.table(mill, SPRING)) == 12


def test_without_seasons_the_years_with_results_are_the_seasons() -> None:
    mill = club(time_zone="America/Chicago")
    now = datetime(2026, 7, 1, tzinfo=UTC)
    (year,) = seasons.seasons_of(mill, now)
    assert year.name == "2026"
    assert (year.first_day, year.last_day) == (date(2026, 1, 1), date(2026, 12, 31))
    finished(mill, [], datetime(2024, 1, 1, 5, tzinfo=UTC))  # still 2023 in Chicago
    assert [season.name for season in seasons.seasons_of(mill, now)] == ["2026", "2023"]


def test_the_latest_season_that_has_begun_is_shown() -> None:
    mill = club()
    for number in (1, 4, 7, 10):
        seasons.make(
            mill,
            name=f"Q{number}",
            first_day=date(2026, number, 1),
            last_day=date(2026, number, 28),
        )
    now = datetime(2026, 8, 1, tzinfo=UTC)
    assert [season.name for season in seasons.seasons_of(mill, now)] == ["Q7", "Q4", "Q1", "Q10"]


def test_a_director_makes_changes_and_deletes_a_season() -> None:
    mill = club()
    browser = logged_in(director(mill))
    spring = LEAGUE
    response = browser.post(f"{SEASONS}new/", spring)
    made = mill.seasons.get()
    assert (response.status_code, response["Location"]) == (303, f"{SEASONS}{made.pk}/")
    page = browser.get(f"{SEASONS}{made.pk}/edit/").content.decode()
    assert 'value="2026-03-01"' in page
    browser.post(f"{SEASONS}{made.pk}/edit/", spring | {"name": "Lent", "last_day": "2026-04-04"})
    made.refresh_from_db()
    assert (made.name, made.last_day) == ("Lent", date(2026, 4, 4))
    assert browser.post(f"{SEASONS}{made.pk}/delete").status_code == 303
    assert not mill.seasons.exists()


LATEST = f"Choose a day from 1900 to {timezone.now().year + 5}."


@pytest.mark.parametrize(
    ("field", "changed", "why"),
    [
        (
            "last_day",
            {"last_day": "2026-02-28"},
            "Choose 1 March 2026, the first day, or a later one.",
        ),
        ("first_day", {"first_day": "1 March"}, "Give a day, such as 2026-11-26."),
        ("first_day", {"first_day": "0026-03-01"}, LATEST),
        ("last_day", {"last_day": "9999-12-31"}, LATEST),
        ("name", {"name": ""}, "Fill this in."),
        ("name", {"name": "WINTER"}, "The Old Mill already has a season called WINTER."),
    ],
)
def test_invalid_season_is_reported_at_its_field(
    field: str, changed: dict[str, str], why: str
) -> None:
    mill = club()
    seasons.make(mill, name="Winter", first_day=date(2025, 12, 1), last_day=date(2026, 2, 28))
    response = logged_in(director(mill)).post(f"{SEASONS}new/", LEAGUE | changed)
    assert response.status_code == 422
    assert response.context["form"].errors == {field: [why]}
    assert mill.seasons.count() == 1


def test_the_page_marks_the_readers_own_line_and_explains_itself() -> None:
    mill, maeve = club(), player("Maeve")
    finished(mill, [(1, [maeve])])
    page = logged_in(maeve).get("/clubs/the-old-mill/years/2026/").content.decode()
    assert '<tr class="mine">' in page
    assert "1 point for every entry placed below yours" in page
    assert (
        '<tr class="mine">' not in Client().get("/clubs/the-old-mill/years/2026/").content.decode()
    )


@pytest.mark.parametrize("path", ["seasons/99/", "years/0/", "years/1899/", "years/99999/"])
def test_unknown_season_is_not_found(path: str) -> None:
    club()
    assert Client().get(f"/clubs/the-old-mill/{path}").status_code == 404
