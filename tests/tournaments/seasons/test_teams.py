"""Teams of a season: their table, their substitutes, and what the page takes."""

from typing import Any

import pytest
from django.test import Client

from games.models import Player
from tests.factories import logged_in, member, people
from tests.tournaments import build
from tests.tournaments.build import club, director
from tests.tournaments.seasons.test_clubs_seasons import SEASONS
from tests.tournaments.seasons.test_rules import evening, spring
from tournaments.models import Club, Event, Season
from tournaments.seasons import seasons, teams
from tournaments.seasons.rule import Rule
from tournaments.seasons.season_table import SeasonResults

pytestmark = pytest.mark.django_db


@pytest.fixture
def mill() -> Club:
    return club()


@pytest.fixture
def season(mill: Club) -> Season:
    return spring(mill)


@pytest.fixture
def members(mill: Club) -> list[Player]:
    """Eight members, called "1" to "8"."""
    players = people(8)
    for player in players:
        build.joined(mill, player)
    return players


@pytest.fixture
def browser(mill: Club) -> Client:
    """A director's."""
    return logged_in(director(mill))


def save(browser: Client, season: Season, text: str, best: object = 2) -> Any:
    return browser.post(f"{SEASONS}{season.pk}/teams/", {"teams": text, "best": str(best)})


def table(season: Season) -> list[tuple[int, str, int, list[tuple[int, bool]]]]:
    """Place, name, points and evenings of each team."""
    fresh = Season.objects.select_related("club").get(pk=season.pk)
    rows = teams.table(fresh, SeasonResults.of(fresh.club, fresh))
    return [
        (
            row.place,
            row.team.name,
            row.points,
            [(one.points, one.counts) for one in row.evenings.values()],
        )
        for row in rows
    ]


@pytest.mark.usefixtures("members")
class TestTable:
    def test_the_best_scores_of_an_evening_count_and_substitutes_too(
        self, mill: Club, season: Season, browser: Client, members: list[Player]
    ) -> None:
        assert save(browser, season, "Wheel: 1; 4; 6\nStone: 2; 3 / 5").status_code == 303
        evening(mill, 5, members[:6])  # points 6, 5, 4, 3, 2, 1
        evening(mill, 12, [members[4], members[0], members[1]])  # 5: 3, 1: 2, 2: 1
        assert table(season) == [
            (1, "Stone", 9 + 4, [(9, True), (4, True)]),
            (2, "Wheel", 9 + 2, [(9, True), (2, True)]),
        ]

    def test_the_rule_of_the_season_says_how_many_evenings_count(
        self, mill: Club, season: Season, browser: Client, members: list[Player]
    ) -> None:
        seasons.set_rule(season, Rule(best=1), None)
        save(browser, season, "Wheel: 1; 2")
        evening(mill, 5, members[:3])
        evening(mill, 12, members[:6])
        assert table(season) == [(1, "Wheel", 11, [(5, False), (11, True)])]

    def test_equal_teams_share_the_place_and_who_never_came_has_a_line(
        self, mill: Club, season: Season, browser: Client, members: list[Player]
    ) -> None:
        save(browser, season, "Wheel: 1; 4\nStone: 2; 3\nNobody: 8")
        evening(mill, 5, members[:4])
        assert [line[:3] for line in table(season)] == [
            (1, "Stone", 5),
            (1, "Wheel", 5),
            (3, "Nobody", 0),
        ]

    def test_it_takes_as_many_queries_for_many_teams_as_for_one(
        self,
        mill: Club,
        season: Season,
        browser: Client,
        django_assert_num_queries: Any,
    ) -> None:
        save(browser, season, "\n".join(f"Team {number}: {number}" for number in range(1, 9)))
        evening(mill, 5, people(4))
        fresh = Season.objects.get(pk=season.pk)
        results = SeasonResults.of(mill, fresh)
        with django_assert_num_queries(4):
            assert len(teams.table(fresh, results)) == 8


@pytest.mark.usefixtures("members")
class TestPage:
    def test_it_shows_the_teams_as_they_are_and_logs_changes(
        self, mill: Club, season: Season, browser: Client
    ) -> None:
        text = "Wheel: 1; 2 / 3; 4\nStone: 5"
        save(browser, season, f"\n{text.replace(':', ' :')}\n\n", best=3)
        form = browser.get(f"{SEASONS}{season.pk}/teams/").context["form"]
        assert (form.initial["teams"], form.initial["best"]) == (text, 3)
        save(browser, season, text, best=3)
        save(browser, season, "", best=3)
        said = [change.words for change in season.changes.order_by("pk")]
        assert said == [
            "Teams: Wheel: 1; 2 / 3; 4. Stone: 5. The best 3 of a night count.",
            "Teams: none. The best 3 of a night count.",
        ]

    def test_a_team_has_a_page_that_says_whose_scores_counted(
        self, mill: Club, season: Season, browser: Client, members: list[Player]
    ) -> None:
        save(browser, season, "Wheel: 1; 3; 5 / 7")
        evening(mill, 5, members[:6])
        team = season.teams.get()
        path = f"{SEASONS}{season.pk}/teams/{team.pk}/"
        assert path in Client().get(f"{SEASONS}{season.pk}/").text
        page = Client().get(path)
        ((_head, night, scores),) = page.context["nights"]
        assert [(player.name, points, counts) for player, points, counts in scores] == [
            ("1", 6, True),
            ("3", 4, True),
            ("5", 2, False),
        ]
        assert night.points == 10
        assert "Place 1 with 10 points" in page.text
        save(browser, season, "Stone: 2\nwheel: 1; 3")
        assert Client().get(path).context["row"].team.name == "wheel", "it keeps its page"
        save(browser, season, "Stone: 2")
        assert Client().get(path).status_code == 404

    def test_an_evening_in_the_room_counts_for_the_teams(
        self, mill: Club, season: Season, browser: Client, members: list[Player]
    ) -> None:
        save(browser, season, "Wheel: 1; 4")
        held = evening(mill, 5, members[:4])
        Event.objects.filter(pk=held.pk).update(place=Event.Place.ROOM)
        assert table(season) == [(1, "Wheel", 5, [(5, True)])]

    def test_the_page_of_the_season_shows_them(
        self, mill: Club, season: Season, browser: Client, members: list[Player]
    ) -> None:
        save(browser, season, "Wheel: 1; 2 / 3")
        evening(mill, 5, members[:4])
        page = Client().get(f"{SEASONS}{season.pk}/").content.decode()
        assert "Wheel" in page
        assert "3</a> (substitute)" in page

    @pytest.mark.parametrize(
        ("text", "said"),
        [
            ("Wheel 1; 2", "Line 1: write a name"),
            (": 1; 2", "Line 1: write a name"),
            ("Wheel: 1\nStone: 9", "Line 2: no member of the club is called “9”."),
            ("Wheel: 1\nwheel: 2", "Line 2: there are two teams called wheel."),
            ("Wheel: 1; 2\nStone: 3 / 2", "Line 2: 2 is in Wheel already."),
            ("Wheel: / 1", "Line 1: a team has 1 to 40 people."),
        ],
    )
    def test_what_is_wrong_is_said_by_line(
        self, season: Season, browser: Client, text: str, said: str
    ) -> None:
        response = save(browser, season, text)
        assert response.status_code == 422
        assert said in response.context["form"].errors["teams"][0]
        assert not season.teams.exists()

    def test_at_least_one_score_counts(self, season: Season, browser: Client) -> None:
        assert save(browser, season, "Wheel: 1", best=0).status_code == 422

    def test_only_directors_change_them(self, mill: Club, season: Season) -> None:
        nora = member("Nora")
        build.joined(mill, nora)
        assert save(logged_in(nora), season, "Wheel: Nora").status_code == 403
