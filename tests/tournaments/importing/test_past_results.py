"""A club's results of earlier years: read by line, imported whole, shown, and taken back."""

from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from datetime import date
from threading import Barrier

import pytest
from django.db import connection
from django.test import Client
from django.utils import timezone

from games.models import Player
from tests.factories import logged_in, member
from tests.tournaments.build import club, director, joined
from tournaments.importing import dates, past_results
from tournaments.importing.plans import ChangedSinceError
from tournaments.importing.sheets import Sheet, read
from tournaments.models import Club, PastResult
from tournaments.seasons.past_results import COLUMNS, as_csv

pytestmark = [pytest.mark.django_db, pytest.mark.db]
SPRING = (
    "date,event,place,name,points\n"
    "2019-05-04,Spring,1,Ada,31\n"
    "2019-05-04,Spring,2,Otto,28.50\n"
    "2019-05-04,Spring,2,Ivy,28.5\n"
)
HERE = "/clubs/the-old-mill/past-results/"
PAGE = f"{HERE}import/"


def sheet(text: str) -> Sheet:
    return read(text.encode(), COLUMNS)


def imported(to: Club, text: str, by: Player) -> list[str]:
    """What the lines of a list have done."""
    now = timezone.now()
    shown = past_results.plan(to, sheet(text), now)
    assert not shown.problems
    done = past_results.carry_out(to, sheet(text), shown.digest, by, now)
    return [step.what for step in done.steps]


def problems(of: Club, text: str) -> list[tuple[int, str, str]]:
    found = past_results.plan(of, sheet(text), timezone.now()).problems
    return [(one.number, one.column, one.words) for one in found]


def places(of: Club) -> list[tuple[int, str, str, bool]]:
    rows = of.past_results.select_related("player")
    return [(row.place, row.who, row.score, row.player is not None) for row in rows]


def moments(browser: Client) -> list[str]:
    return [part.split('"')[0] for part in browser.get(PAGE).text.split('name="added" value="')[1:]]


def test_members_are_known_by_name_and_others_stay_names() -> None:
    mill = club()
    ada = director(mill)
    assert imported(mill, SPRING, ada) == ["added for a member", *["added as a name"] * 2]
    assert places(mill) == [
        (1, "Ada", "31", True),
        (2, "Otto", "28.5", False),
        (2, "Ivy", "28.5", False),
    ]


def test_members_are_known_by_the_address_that_the_club_knows() -> None:
    mill, kit, zoe = club(), member("Kit"), member("Zoe")
    ada = director(mill)
    for one in (kit, zoe):
        joined(mill, one)
    mill.listed_names.create(name="K. Cole", email="kit@example.org", player=kit)
    text = (
        "date,event,place,name,email,player\n"
        "2019-05-04,Spring,1,K. Cole,KIT@example.org,\n"
        f"2019-05-04,Spring,2,Zoë,zoe@example.com,{zoe.pk}\n"
        "2019-05-04,Spring,3,Somebody,zoe@example.com,\n"
    )
    assert imported(mill, text, ada) == [*["added for a member"] * 2, "added as a name"]
    assert places(mill) == [
        (1, "Kit", "", True),
        (2, "Zoe", "", True),
        (3, "Somebody", "", False),  # a list does not tell whose address an account has
    ]


def test_a_name_that_two_members_have_stays_a_name() -> None:
    mill = club()
    ada = director(mill)
    for one in (member("Kit"), member("Kat")):
        joined(mill, one)
    Player.objects.filter(name="Kat").update(name="KIT")
    imported(mill, "date,event,place,name\n2019-05-04,Spring,1,kit\n", ada)
    assert places(mill) == [(1, "kit", "", False)]


def test_every_problem_is_named_by_line_and_nothing_is_imported() -> None:
    mill = club()
    ada = director(mill)
    text = (
        "date,event,place,name,points,player\n"
        "in May 2019,Spring,1,Kit,,\n"
        "2999-01-01,Spring,1,Kit,,\n"
        "2019-02-30,Spring,1,Kit,,\n"
        "1899-12-31,Spring,1,Kit,,\n"
        "2019-05-04,,1,Kit,,\n"
        "2019-05-04,Spring,0,Kit,,\n"
        "2019-05-04,Spring,first,Kit,many,\n"
        f"2019-05-04,{'x' * 81},1,Kit,,\n"
        f"2019-05-04,Spring,1,{'x' * 61},,\n"
        "2019-05-04,Spring,1,,,\n"
        "2019-05-04,Spring,1,=SUM(A1),,\n"
        "2019-05-04,Spring,1,Kit,,999999\n"
        "2019-05-04,Spring,1,Kit,,\n"
        "2019-05-04,spring,2,KIT,,\n"
        "2019-05-11,Spring,2,Kit,,\n"
    )
    found = problems(mill, text)
    assert [one[:2] for one in found] == [
        (2, "date"), (3, "date"), (4, "date"), (5, "date"), (6, "event"), (7, "place"),
        (8, "place"), (8, "points"), (8, "name"), (9, "event"), (10, "name"), (11, "name"),
        (12, "name"), (13, "player"), (14, "name"), (15, "name"),
    ]  # fmt: skip
    words = " ".join(one[2] for one in found)
    for part in (
        "“in May 2019” is not a date. Write it as 2019-05-04.",
        "2999-01-01 is in the future",
        "1899-12-31 is before 1900",
        "There is no event",
        "“first” is not a place: write a whole number from 1 to 999",
        "“many” is not a score",
        "more than 80 characters",
        "more than 60 characters",
        "No member has the number “999999”",
        "KIT is in line 7 already, in the same event",
    ):
        assert part in words
    response = logged_in(ada).post(PAGE, {"text": text})
    assert response.status_code == 422
    assert "Line 2, date:" in response.text
    assert not PastResult.objects.exists()


def test_columns_that_are_needed_and_those_that_are_not_known() -> None:
    mill = club()
    ada = director(mill)
    assert [one[:2] for one in problems(mill, "event\nSpring\n")] == [
        (0, "date"), (0, "place"), (0, "name"),
    ]  # fmt: skip
    response = logged_in(ada).post(PAGE, {"text": SPRING.replace("points", "colour")})
    assert response.status_code == 200
    assert "Not kept: the columns colour." in response.text


def test_a_club_keeps_so_many_and_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(past_results, "MAX_RESULTS", 2)
    assert [one[2] for one in problems(club(), SPRING)] == [
        "The club would have 3 past results; at most 2 are kept."
    ]


def test_pressed_twice_it_is_imported_once() -> None:
    mill = club()
    browser = logged_in(director(mill))
    preview = browser.post(PAGE, {"text": SPRING})
    assert preview.status_code == 200
    assert not PastResult.objects.exists()
    digest = preview.text.split('name="plan" value="')[1].split('"')[0]
    for _time in range(2):
        assert browser.post(PAGE, {"text": SPRING, "plan": digest}).status_code == 303
    assert mill.past_results.count() == 3
    assert len(moments(logged_in(owner(mill)))) == 1


def owner(of: Club) -> Player:
    olive = member("Olive")
    joined(of, olive, "owner")
    return olive


def test_what_was_not_shown_is_not_done() -> None:
    mill = club()
    ada = director(mill)
    shown = past_results.plan(mill, sheet(SPRING), timezone.now())
    joined(mill, member("Otto"))  # whom the list now names
    with pytest.raises(ChangedSinceError):
        past_results.carry_out(mill, sheet(SPRING), shown.digest, ada, timezone.now())
    assert not PastResult.objects.exists()


def test_another_place_for_somebody_who_is_there_is_a_problem() -> None:
    mill = club()
    imported(mill, SPRING, director(mill))
    (found,) = problems(mill, SPRING.replace("1,Ada,31", "3,Ada,31"))
    assert found[:2] == (2, "place")
    assert "Ada is there already, in place 1 with 31 points" in found[2]


def test_what_is_exported_can_be_imported_again() -> None:
    mill = club()
    ada = director(mill)
    imported(mill, SPRING, ada)
    exported = Client().get(f"{HERE}past-results.csv").text
    assert exported == as_csv(mill)
    assert imported(mill, exported, ada) == ["stays"] * 3
    before = places(mill)
    mill.past_results.all().delete()
    imported(mill, exported, ada)
    assert places(mill) == before


def test_the_owner_takes_a_whole_import_back() -> None:
    mill = club()
    ada = director(mill)
    imported(mill, SPRING, ada)
    imported(mill, SPRING.replace("2019", "2020"), ada)
    browser, olive = logged_in(ada), logged_in(owner(mill))
    assert moments(browser) == []  # a director sees the imports, but no button
    latest = moments(olive)[0]
    back = f"{HERE}take-back"
    assert browser.post(back, {"added": latest}).status_code == 403
    assert olive.post(back, {"added": "yesterday"}).status_code == 422
    assert olive.post(back, {"added": latest}).status_code == 303
    assert {row.day.year for row in mill.past_results.all()} == {2019}
    assert olive.post(back, {"added": latest}).status_code == 409
    assert mill.past_results.count() == 3


def test_another_club_s_import_stays() -> None:
    mill, lake = club(), club("Lakeside")
    imported(lake, SPRING, director(lake))
    row = lake.past_results.all()[0]
    answer = logged_in(owner(mill)).post(f"{HERE}take-back", {"added": row.added.isoformat()})
    assert answer.status_code == 409
    assert lake.past_results.count() == 3


def test_everybody_sees_them_and_the_hall_of_fame_has_the_winners() -> None:
    mill = club()
    imported(mill, SPRING, director(mill))
    page = Client().get(HERE).text
    for part in ("Spring", "4 May 2019", "Otto", "28.5", ">Ada</a>"):
        assert part in page
    assert "Import results" not in page
    hall = Client().get("/clubs/the-old-mill/hall-of-fame/").text
    assert "Earlier winners" in hall
    assert "31 points" in hall
    assert "Otto" not in hall


def test_the_latest_events_come_first_and_older_ones_on_the_next_page() -> None:
    mill = club()
    for day in range(1, 23):
        mill.past_results.create(day=date(2018, 3, day), event="Night", place=1, name="Otto")
    first, second = (Client().get(HERE, {"page": page}).text for page in (1, 2))
    assert "22 March 2018" in first
    assert "1–20 of 22" in first
    assert "1 March 2018" in second
    assert "22 March 2018" not in second


def test_a_member_s_new_name_is_shown() -> None:
    mill = club()
    ada = director(mill)
    imported(mill, SPRING, ada)
    Player.objects.filter(pk=ada.pk).update(name="Adelaide")
    assert "Adelaide" in Client().get(HERE).text


@pytest.mark.django_db(transaction=True)
def test_a_list_that_several_directors_import_at_once_is_imported_once() -> None:
    mill = club()
    directors = [director(mill, name) for name in ("Ben", "Cleo", "Dan", "Eve")]
    now = timezone.now()
    digest = past_results.plan(mill, sheet(SPRING), now).digest
    barrier = Barrier(len(directors))

    def send(by: Player) -> int:
        try:
            barrier.wait(10)
            done = past_results.carry_out(mill, sheet(SPRING), digest, by, now)
            return len(done.new)
        finally:
            connection.close()

    with ThreadPoolExecutor(len(directors)) as pool:
        assert sorted(pool.map(send, directors)) == [0, 0, 0, 3]
    assert mill.past_results.count() == 3


@pytest.mark.parametrize(
    ("written", "day"),
    [
        ("2019-05-04", "2019-05-04"), ("2019/05/04", "2019-05-04"), ("4.5.2019", "2019-05-04"),
        ("04.05.19", "2019-05-04"), ("4-May-2019", "2019-05-04"), ("4 May 2019", "2019-05-04"),
        ("May 4, 2019", "2019-05-04"), ("2019-05-04 00:00:00", "2019-05-04"),
        ("43589", "2019-05-04"), ("25/12/2019", "2019-12-25"), ("12/25/2019", "2019-12-25"),
        ("5/5/19", "2019-05-05"),
    ],
)  # fmt: skip
def test_dates_are_read_as_spreadsheets_write_them(written: str, day: str) -> None:
    assert str(dates.day_of(written, dates.orders_of([written]))) == day


@pytest.mark.parametrize(
    ("other", "day"), [("25/12/2019", "2019-05-04"), ("12/25/2019", "2019-04-05")]
)
def test_the_other_dates_tell_which_is_the_month(other: str, day: str) -> None:
    orders = dates.orders_of(["04/05/2019", other, "2019-05-04", ""])
    assert str(dates.day_of("04/05/2019", orders)) == day


@pytest.mark.parametrize("others", [[], ["01/02/2019"], ["25/12/2019", "12/25/2019"]])
def test_a_date_of_two_meanings_is_refused_with_both(others: list[str]) -> None:
    with pytest.raises(ValueError, match="4 May or 5 April"):
        dates.day_of("04/05/2019", dates.orders_of(["04/05/2019", *others]))
    rows = "".join(f"{one},Spring,1,Kit\n" for one in ["04/05/2019", *others])
    found = problems(club(), f"date,event,place,name\n{rows}")
    assert found[0][2] == "“04/05/2019” may be 4 May or 5 April. Write dates as 2019-05-04."


def test_a_longer_list_is_not_compared_with_itself_for_each_date(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    read_cell, mill, asked = dates._read, club(), list[int]()
    for size in (20, 40):
        read_cells: list[str] = []

        def counted(text: str, forms: Iterable[str], into: list[str] = read_cells) -> date | None:
            into.append(text)
            return read_cell(text, forms)

        monkeypatch.setattr(dates, "_read", counted)
        rows = [f"{1 + at % 12:02}/{2 + at % 9:02}/2019,Spring,1,Kit {at}\n" for at in range(size)]
        assert not problems(mill, "".join(["date,event,place,name\n13/05/2019,S,1,Ada\n", *rows]))
        asked.append(len(read_cells))
    assert asked[1] < 2 * asked[0]
