"""Divisions of a season: their tables, promotion and relegation, and the next season."""

import csv
from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime
from io import StringIO
from typing import Any

import pytest
from django.test import Client

from games.models import Player
from tests.factories import logged_in, people, player
from tests.tournaments.build import club, director, joined
from tests.tournaments.seasons.test_clubs_seasons import LEAGUE, SEASONS, finished
from tests.tournaments.seasons.test_rules import evening, spring
from tournaments.models import Club, Entry, Event, Season
from tournaments.refusals import RefusedError
from tournaments.seasons import divisions, seasons
from tournaments.seasons.divisions import NONE, DivisionTable
from tournaments.seasons.rule import Rule
from tournaments.seasons.season_table import SeasonResults

pytestmark = pytest.mark.django_db


def split(season: Season, parts: Mapping[str, Sequence[Player]], movers: int = 1) -> None:
    """Give a season these divisions, the highest first, with these players."""
    divisions.set_up(season, [*parts], movers, None)
    for one, players in zip(season.divisions.all(), parts.values(), strict=True):
        divisions.place(season, {who.pk: one.pk for who in players}, None)


def league(movers: int = 1, sizes: Sequence[int] = (3, 3)) -> tuple[Club, Season, list[Player]]:
    """A season with two divisions of players called "1", "2" and so on."""
    mill, players = club(), people(sum(sizes))
    season = spring(mill)
    split(season, {"First": players[: sizes[0]], "Second": players[sizes[0] :]}, movers)
    return mill, season, players


def tables(mill: Club, season: Season) -> list[DivisionTable]:
    season.refresh_from_db()
    return divisions.tables(season, SeasonResults.of(mill, season))


def points(table: DivisionTable) -> list[tuple[int, str, int, int]]:
    """Place, name, evenings and points of each line."""
    return [(row.place, row.player.name, row.events, row.points) for row in table.rows]


def where(season: Season) -> dict[str, str]:
    """The division of each player, by name."""
    found = season.division_players.values_list("player__name", "division__name")
    return dict(found.order_by("pk"))


def moved(mill: Club, season: Season) -> dict[str, str]:
    """Where those play next who move, and who shares a place across a line."""
    found = divisions.moves(tables(mill, season))
    return {
        move.row.player.name: "tied" if move.tied else move.to.name
        for move in found
        if move.tied or move.direction
    }


def test_a_division_counts_as_if_nobody_else_had_played() -> None:
    mill, season, (one, two, three, four, five, six) = league()
    evening(mill, 5, [four, one, five, player("Otto"), two])
    evening(mill, 12, [six, four])
    first, second = tables(mill, season)
    assert points(first) == [(1, "1", 1, 2), (2, "2", 1, 1), (3, three.name, 0, 0)]
    assert points(second) == [(1, "4", 2, 3), (2, "6", 1, 2), (3, "5", 1, 1)]
    assert [held.number for held in first.sheet.evenings] == [1]
    assert [held.number for held in second.sheet.evenings] == [1, 2]
    assert [row.wins for row in first.rows] == [1, 0, 0]


def test_who_has_not_played_is_behind_whoever_has() -> None:
    mill, season, (one, two, _three, *_others) = league()
    seasons.set_rule(season, Rule(attendance=0, places=(5,)), None)
    evening(mill, 5, [one, two])
    assert [row.player.name for row in tables(mill, season)[0].rows] == ["1", "2", "3"]


def test_the_best_of_a_division_go_up_and_the_last_of_the_higher_one_go_down() -> None:
    mill, season, players = league(movers=2, sizes=(4, 5))
    evening(mill, 5, players)
    assert moved(mill, season) == {"3": "Second", "4": "Second", "5": "First", "6": "First"}
    first, second = tables(mill, season)
    assert [line.words for line in first.lines] == ["Relegation: the last 2 go down to Second"]
    assert [line.words for line in second.lines] == ["Promotion: the first 2 go up to First"]
    assert [line.after for line in first.lines + second.lines] == [2, 2]


@pytest.mark.parametrize(
    ("sizes", "movers", "expected"),
    [((2, 5), 9, [2]), ((8, 8), 2, [2]), ((0, 5), 2, [0]), ((4, 5, 1), 3, [2, 1]), ((7,), 2, [])],
)
def test_as_many_go_up_as_down_and_no_more_than_there_are(
    sizes: Sequence[int], movers: int, expected: list[int]
) -> None:
    mill, everybody = club(), people(sum(sizes))
    season, rest = spring(mill), iter(everybody)
    parts = {f"D{n}": [next(rest) for _one in range(size)] for n, size in enumerate(sizes)}
    split(season, parts, movers)
    found = tables(mill, season)
    assert [table.down for table in found] == [*expected, 0]
    assert [table.up for table in found] == [0, *expected]


def test_nobody_moves_by_lot_where_a_place_is_shared_across_the_line() -> None:
    mill, season, (one, two, three, four, five, six) = league()
    finished(mill, [(1, [one]), (2, [two]), (2, [three]), (1, [four]), (5, [five]), (6, [six])])
    assert moved(mill, season) == {"2": "tied", "3": "tied", "4": "First"}


def test_the_next_season_has_the_rule_the_divisions_and_the_players_as_chosen() -> None:
    mill, season, players = league()
    seasons.set_rule(season, Rule(best=8), None)
    evening(mill, 5, players)
    browser = logged_in(director(mill))
    path = f"{SEASONS}{season.pk}/next/"
    page = browser.get(path)
    assert [(str(move.row.player), move.direction) for move, _field in page.context["form"].moves][
        2:4
    ] == [("3", 1), ("4", -1)]
    assert 'value="2026-06-01"' in page.content.decode()
    chosen = {
        f"player_{move.row.player.pk}": move.to.pk
        for move, _field in page.context["form"].moves
        if move.row.player.name != "6"
    }
    gone = {f"player_{players[5].pk}": NONE}
    days = {"first_day": "2026-06-01", "last_day": "2026-08-31"}
    response = browser.post(path, {"name": "Summer", **days, **chosen, **gone})
    made = mill.seasons.get(name="Summer")
    assert (response.status_code, response["Location"]) == (303, f"{SEASONS}{made.pk}/")
    assert where(made) == {"1": "First", "2": "First", "4": "First", "3": "Second", "5": "Second"}
    assert (made.rule_data["best"], made.movers) == (8, 1)
    assert where(season)["4"] == "Second"
    assert made.changes.get().words == (
        "Made from Spring. First → Second: 3. Second → First: 4. Second → no division: 6."
    )


def test_the_next_season_is_made_whole_or_not_at_all() -> None:
    mill, season, players = league()
    browser = logged_in(director(mill))
    path = f"{SEASONS}{season.pk}/next/"
    days = {"first_day": "2026-06-01", "last_day": "2026-08-31"}
    first = season.divisions.all()[0].pk
    chosen = {f"player_{who.pk}": first for who in players}
    for wrong in ({"name": "Spring"}, {f"player_{players[0].pk}": 99}, {"last_day": "2026-05-01"}):
        data = {"name": "Summer", **days, **chosen, **wrong}
        assert browser.post(path, data).status_code == 422
    assert mill.seasons.count() == 1


def test_a_director_sets_up_divisions_and_places_players() -> None:
    mill, ada = club(), player("Zoe")
    boss = director(mill)
    browser = logged_in(boss)
    joined(mill, ada)
    evening(mill, 5, [player("Guest")])
    season = spring(mill)
    path = f"{SEASONS}{season.pk}/divisions/"
    data = LEAGUE | {"tables": "own", "names": "First, Second", "movers": "2"}
    answer = browser.post(f"{SEASONS}{season.pk}/edit/", data)
    assert answer["Location"] == f"{path}players/"
    page = browser.get(f"{path}players/")
    assert [field.label for field in page.context["form"]] == ["Ada", "Guest", "Zoe"]
    first, second = season.divisions.all()
    chosen = {field.html_name: NONE for field in page.context["form"]}
    chosen |= {f"player_{ada.pk}": second.pk, f"player_{boss.pk}": first.pk}
    assert browser.post(f"{path}players/", chosen).status_code == 303
    assert where(season) == {"Ada": "First", "Zoe": "Second"}
    words = [change.words for change in season.changes.order_by("pk")]
    assert words == [
        "Divisions: no divisions → First, Second; 2 up and 2 down.",
        "no division → First: Ada. no division → Second: Zoe.",
    ]
    shown = Client().get(f"{SEASONS}{season.pk}/").content.decode()
    assert "In no division" in shown
    assert words[1] in shown


def test_divisions_change_names_and_go_only_without_players() -> None:
    _mill, season, _players = league()
    divisions.set_up(season, ["Second", "Top"], 1, None)
    assert where(season)["1"] == "Top"
    divisions.set_up(season, ["Second", "First"], 1, None)
    with pytest.raises(RefusedError, match="First has 3 players: place them elsewhere"):
        divisions.set_up(season, ["Second"], 1, None)
    with pytest.raises(RefusedError, match="same name"):
        divisions.set_up(season, ["First", "FIRST"], 1, None)
    divisions.set_up(season, ["Second", "First", "Third"], 1, None)
    divisions.set_up(season, ["Second", "First", "Fourth"], 1, None)
    names = season.divisions.values_list("number", "name")
    assert [*names] == [(1, "Second"), (2, "First"), (3, "Fourth")]


def test_a_division_that_was_deleted_takes_nobody() -> None:
    _mill, season, players = league()
    with pytest.raises(RefusedError, match="deleted"):
        divisions.place(season, {players[0].pk: 0, players[1].pk: 99}, None)
    assert len(where(season)) == 6


def test_the_season_page_takes_as_many_queries_however_much_was_played(
    django_assert_max_num_queries: Any,
) -> None:
    mill, season, players = league(sizes=(6, 6))
    for day in range(1, 8):
        evening(mill, day, players)
    with django_assert_max_num_queries(6):
        assert len(tables(mill, season)) == 2
    with django_assert_max_num_queries(18):
        Client().get(f"{SEASONS}{season.pk}/")


def test_events_to_come_are_columns() -> None:
    mill, season, players = league()
    evening(mill, 5, players)
    coming = evening(mill, 12, [])
    Event.objects.filter(pk=coming.pk).update(state=Event.State.ANNOUNCED)
    now = datetime(2026, 3, 6, tzinfo=UTC)
    assert seasons.coming(mill, season, now) == [date(2026, 3, 12)]
    assert seasons.coming(mill, season, datetime(2026, 3, 13, tzinfo=UTC)) == []


def test_the_table_can_be_saved_by_division() -> None:
    mill, season, players = league()
    evening(mill, 5, [*players, player("Otto")])
    text = Client().get(f"{SEASONS}{season.pk}/table.csv").content.decode("utf-8-sig")
    rows = [*csv.DictReader(StringIO(text))]
    found = [(row["division"], row["place"], row["player_name"], row["points"]) for row in rows]
    assert found[:2] == [("First", "1", "1", "3"), ("First", "2", "2", "2")]
    assert found[3:4] + found[6:] == [("Second", "1", "4", "3"), ("", "1", "Otto", "1")]


def test_a_withdrawn_player_has_a_place_but_wins_nothing_in_the_division() -> None:
    mill, season, (one, two, *_others) = league()
    done = evening(mill, 5, [one, two])
    Entry.objects.filter(event=done, place=1).update(state=Entry.State.WITHDRAWN)
    assert [(row.player.name, row.wins) for row in tables(mill, season)[0].rows][:2] == [
        ("1", 0),
        ("2", 1),
    ]
