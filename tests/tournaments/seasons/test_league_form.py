"""A league's door: one form, said in words, pairs as lines, and no places before night 1."""

from datetime import date, timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from games.models import Player
from tests.factories import logged_in, people, player
from tests.tournaments.build import club, director, joined
from tests.tournaments.seasons.test_clubs_seasons import LEAGUE, SEASONS, finished
from tests.tournaments.seasons.test_divisions import league, moved, split, tables, where
from tests.tournaments.seasons.test_rules import evening, spring
from tournaments.models import Club, Season
from tournaments.seasons import divisions, season_table, teams
from tournaments.seasons.hall_of_fame import hall_of_fame
from tournaments.seasons.rule import Rule, SeasonTie, rule_of

pytestmark = pytest.mark.django_db
WINTER = LEAGUE | {
    "name": "Winter",
    "first_day": "2027-01-07",
    "last_day": "",
    "nights": "10",
    "best": "8",
    "ties": "evenings",
    "tables": "2",
    "movers": "2",
}


def said(answer: Any) -> list[str]:
    form = answer.context["form"]
    assert form.is_valid(), form.errors
    return list(form.words)


def test_one_form_starts_a_league() -> None:
    mill = club()
    browser = logged_in(director(mill))
    made = browser.post(f"{SEASONS}new/", WINTER | {"counts": "games"})
    season = mill.seasons.get()
    assert made["Location"] == f"{SEASONS}{season.pk}/divisions/players/"
    assert (season.first_day, season.last_day) == (date(2027, 1, 7), date(2027, 3, 11))
    assert (season.nights, season.movers, season.line) == (10, 2, "person")
    assert rule_of(season) == Rule(below=0, match_won=1, best=8, ties=(SeasonTie.EVENINGS,))
    assert [one.name for one in season.divisions.all()] == ["Division 1", "Division 2"]
    assert browser.get(f"{SEASONS}{season.pk}/edit/").context["form"]["counts"].value() == "games"


def test_a_league_is_refused_whole() -> None:
    mill, season, _players = league()
    browser = logged_in(director(mill))
    wrong = LEAGUE | {"name": "Lent", "counts": "points"}
    answer = browser.post(f"{SEASONS}{season.pk}/edit/", wrong)
    assert answer.status_code == 422
    assert "First has 3 players" in str(answer.context["form"].errors["tables"])
    season.refresh_from_db()
    assert (season.name, rule_of(season)) == ("Spring", Rule())


@pytest.mark.parametrize(
    ("changed", "field", "why"),
    [
        ({"nights": ""}, "nights", "Say how many nights, or which day is the last."),
        ({"nights": "0"}, "nights", "Write a whole number from 1 to 400."),
        ({"tables": "own", "names": ""}, "names", "Write a name for each division."),
        (
            {"tables": "own", "names": ", ".join("ABCDEFGHIJK")},
            "names",
            "Write up to 10 names of at most 40 letters each.",
        ),
        ({"tables": "own", "names": "A, a"}, "names", "Two divisions cannot have the same name."),
    ],
)
def test_what_is_wrong_is_said_at_its_field(changed: dict[str, str], field: str, why: str) -> None:
    mill = club()
    answer = logged_in(director(mill)).post(f"{SEASONS}new/", WINTER | changed)
    assert (answer.status_code, answer.context["form"].errors) == (422, {field: [why]})
    assert not mill.seasons.exists()


def test_the_form_says_in_words_what_it_would_keep() -> None:
    mill = club()
    browser = logged_in(director(mill))
    answer = browser.post(f"{SEASONS}new/", WINTER | {"look": "yes"})
    assert (answer.status_code, mill.seasons.count()) == (200, 0)
    nights, points, *others = said(answer)
    assert nights.startswith("10 Thursdays from 7 January 2027 to 11 March 2027. The best 8")
    assert points.startswith("You get 1 point for each night you play and 1 point for every entry")
    assert others == [
        "Each person has a line; partners may change every night.",
        "After night 10 the last 2 of Division 1 go down, the first 2 of Division 2 go up.",
        "Ties: the better single night, then the next best; still equal, the place is shared.",
    ]
    dates = "Thursdays: 7, 14, 21, 28 January · 4, 11, 18, 25 February · 4, 11 March"
    assert answer.context["said"].weekly_dates == dates
    assert dates in answer.text
    browser.post(f"{SEASONS}new/", WINTER)
    edit = browser.get(f"{SEASONS}{mill.seasons.get().pk}/edit/")
    assert (dates in edit.text, list(edit.context["said"].words)) == (True, said(answer))
    fixed = browser.post(
        f"{SEASONS}new/", WINTER | {"last_day": "2027-04-01", "tables": "1", "look": "yes"}
    )
    assert fixed.context["said"].weekly_dates == ""
    assert said(fixed)[0].startswith("10 nights from 7 January 2027 to 1 April 2027.")
    assert said(fixed)[3] == "One table: everybody together."
    unfinished = browser.post(f"{SEASONS}new/", WINTER | {"nights": "", "look": "yes"})
    assert unfinished.status_code == 200


def test_the_next_league_is_filled_from_the_last_one() -> None:
    mill = club()
    browser = logged_in(director(mill))
    browser.post(f"{SEASONS}new/", WINTER)
    form = browser.get(f"{SEASONS}new/").context["form"]
    names = ("name", "nights", "best", "counts", "ties", "tables", "movers", "line")
    assert [form[one].value() for one in names] == [
        *("", 10, 8, "places", "evenings", "2", 2, "person")
    ]


def test_four_numbered_divisions_are_offered_by_name() -> None:
    mill, season, _players = league()
    for number, one in enumerate(["Division 1", "Division 2"]):
        season.divisions.filter(number=number + 1).update(name=one)
    divisions.set_up(season, [f"Division {number}" for number in (1, 2, 3)], 1, None)
    path = f"{SEASONS}{season.pk}/edit/"
    browser = logged_in(director(mill))
    assert browser.get(path).context["form"]["tables"].value() == "3"
    divisions.set_up(season, [f"Division {number}" for number in (1, 2, 3, 4)], 1, None)
    assert browser.get(path).context["form"]["tables"].value() == "own"


def test_before_the_first_night_everybody_is_by_name_and_nobody_has_a_place() -> None:
    _mill, season, _players = league()
    Season.objects.filter(pk=season.pk).update(nights=10)
    page = Client().get(f"{SEASONS}{season.pk}/").text
    assert page.count('<th scope="row">–</th>') == 6
    assert "After night 10 the last goes down to Second. The lines appear once" in page
    assert "After night 10 the first goes up to First." in page
    assert 'class="cut' not in page
    assert "Ties: nights won, then the best place; still equal, the place is shared." in page


def test_no_line_is_drawn_among_people_without_points() -> None:
    mill, season, players = league(movers=1, sizes=(4, 4))
    evening(mill, 5, [players[0], players[4]])
    first, second = tables(mill, season)
    assert [line.words for line in first.lines] == []  # the last three have no points
    assert [line.words for line in second.lines] == ["Promotion: the first goes up to First"]
    page = Client().get(f"{SEASONS}{season.pk}/").text
    assert "The lines appear once there are points" not in page
    assert page.count('<th scope="row">–</th>') == 6


def pairs(mill: Club, season: Season, *of: tuple[Player, Player]) -> None:
    Season.objects.filter(pk=season.pk).update(line=Season.Line.PAIR)
    season.refresh_from_db()
    for who in [one for two in of for one in two]:
        if not mill.memberships.filter(player=who).exists():
            joined(mill, who)
    text = "\n".join(f"{one.name}; {other.name}" for one, other in of)
    teams.set_up(season, teams.read(mill, text, pairs=True), 1, None)


def lines(mill: Club, season: Season) -> list[tuple[int, str, int, int]]:
    sheet = season_table.sheet(mill, Season.objects.get(pk=season.pk))
    return [(one.place, one.name, one.events, one.points) for one in sheet.lines]


def test_a_pair_has_one_line_and_a_substitute_keeps_its_points() -> None:
    mill, (ana, lee, cy, di, sub) = club(), people(5)
    season = spring(mill)
    pairs(mill, season, (ana, lee), (cy, di))
    finished(mill, [(1, [lee, ana]), (2, [cy, di])])
    assert lines(mill, season) == [(1, "1 & 2", 1, 2), (2, "3 & 4", 1, 1)]
    finished(mill, [(2, [ana, lee]), (1, [di, sub])])
    assert lines(mill, season) == [
        (1, "1 & 2", 2, 3), (1, "3 & 4", 2, 3), (3, "5", 1, 2),
    ]  # fmt: skip


def test_partners_who_play_alone_count_the_better_of_the_two() -> None:
    mill, (ana, lee, cy) = club(), people(3)
    season = spring(mill)
    pairs(mill, season, (ana, lee))
    evening(mill, 5, [lee, cy, ana])
    evening(mill, 12, [cy, lee, ana])
    assert lines(mill, season) == [(1, "1 & 2", 2, 5), (1, "3", 2, 5)]


def test_pairs_go_up_and_down_together_and_stay_together_next_season() -> None:
    mill, season, (a, b, c, d, e, f, g, h) = league(sizes=(4, 4))
    pairs(mill, season, (a, b), (c, d), (e, f), (g, h))
    finished(mill, [(1, [a, b]), (2, [c, d]), (3, [g, h]), (4, [e, f])])
    assert moved(mill, season) == {"3": "Second", "7": "First"}
    first, second = (one.division.pk for one in tables(mill, season))
    chosen = {a.pk: first, c.pk: second, e.pk: second, g.pk: first}
    days = {"first_day": date(2026, 6, 1), "last_day": date(2026, 8, 31)}
    made = divisions.next_season(season, chosen, None, name="Summer", **days)
    found = made.division_players.values_list("player__name", "division__name")
    assert sorted(found) == [
        ("1", "First"), ("2", "First"), ("3", "Second"), ("4", "Second"),
        ("5", "Second"), ("6", "Second"), ("7", "First"), ("8", "First"),
    ]  # fmt: skip
    assert {one.name for one in season_table.sheet(mill, made).lines} == {
        "1 & 2", "3 & 4", "5 & 6", "7 & 8",
    }  # fmt: skip


def test_a_pair_of_which_one_is_placed_has_every_night_of_both() -> None:
    mill, (a, b, c, d, sub) = club(), people(5)
    season = spring(mill)
    pairs(mill, season, (a, b), (c, d))
    split(season, {"First": [b], "Second": [c]})
    season.division_players.filter(player__in=[a, d]).delete()
    finished(mill, [(1, [a, sub]), (2, [d, c])])
    first, second = found = tables(mill, season)
    assert [(row.name, row.events) for row in first.rows] == [("1 & 2", 1)]
    assert [(row.name, row.events) for row in second.rows] == [("3 & 4", 1)]
    others = divisions.without_division(found, season_table.SeasonResults.of(mill, season))
    assert [row.name for row in others.lines] == ["5"]


def test_partners_are_placed_together_and_have_one_line_if_they_were_apart() -> None:
    mill, season, (a, b, c, d) = league(sizes=(2, 2))
    pairs(mill, season, (a, c), (b, d))
    rows = [[row.name for row in one.rows] for one in tables(mill, season)]
    assert rows == [["1 & 3", "2 & 4"], []]
    first, second = season.divisions.all()
    as_shown = {a.pk: first.pk, b.pk: first.pk, c.pk: second.pk, d.pk: second.pk}
    assert divisions.place(season, as_shown, None) == 0
    assert divisions.place(season, {**as_shown, a.pk: second.pk, d.pk: first.pk}, None) == 2
    assert where(season) == {"2": "First", "4": "First", "1": "Second", "3": "Second"}


def test_a_pair_wins_the_season_together() -> None:
    mill, (ana, lee) = club(), people(2)
    season = spring(mill)
    pairs(mill, season, (ana, lee))
    finished(mill, [(1, [ana, lee])])
    ((_season, _over, ((_division, rows),)),) = hall_of_fame(mill, timezone.now())["seasons"]
    assert [row.name for row in rows] == ["1 & 2"]


def test_a_director_writes_the_pairs_on_their_own_page() -> None:
    mill, (ana, lee) = club(), people(2)
    browser = logged_in(director(mill))
    for who in (ana, lee):
        joined(mill, who)
    answer = browser.post(f"{SEASONS}new/", LEAGUE | {"line": "pair"})
    path = answer["Location"]
    assert path == f"{SEASONS}{mill.seasons.get().pk}/teams/"
    wrong = browser.post(path, {"teams": "1; 2; 1"})
    assert "Line 1: write two players, with a semicolon between them." in wrong.text
    assert browser.post(path, {"teams": "1; 2"}).status_code == 303
    assert browser.get(path).context["form"]["teams"].value() == "1; 2"
    assert lines(mill, mill.seasons.get()) == [(1, "1 & 2", 0, 0)]


def test_the_clubs_page_is_the_door() -> None:
    mill = club()
    today = timezone.localdate()
    days = timedelta(days=1)
    for name, first, last in (("Next", 40, 90), ("Now", -3, 3), ("Old", -90, -40)):
        mill.seasons.create(
            name=name, first_day=today + first * days, last_day=today + last * days, nights=10
        )
    finished(mill, [(1, [player("Maeve")])], timezone.now() - timedelta(days=1))
    browser = logged_in(director(mill))
    answer = browser.get("/clubs/the-old-mill/")
    found = [(one.name, state) for one, _brief, state in answer.context["leagues"]]
    assert found == [("Next", "Begins in 40 days"), ("Now", "After night 1"), ("Old", "Over")]
    assert answer.context["leagues"][0][1] == "10 nights planned · one table · each person"
    Season.objects.filter(name="Now").update(nights=1)
    finished(mill, [(1, [player("Ben")])], timezone.now() - timedelta(days=1))
    leagues = browser.get("/clubs/the-old-mill/").context["leagues"]
    assert leagues[1][2] == "2 nights played"
    assert 'href="/clubs/the-old-mill/seasons/new/"' in answer.text
    assert "Start a league" not in Client().get("/clubs/the-old-mill/").text
