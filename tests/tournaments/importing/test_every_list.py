"""What holds for all three lists: line ends, names that are none, and all faults at once."""

from datetime import timedelta

import pytest
from django.core.exceptions import ValidationError
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from games.people import identity
from tests.factories import logged_in, member
from tests.tournaments import build
from tests.tournaments.build import club, director, joined
from tournaments.models import Event

pytestmark = pytest.mark.django_db

#: For each list its header, and a line of it with a place for the name.
LISTS = {
    "members_list": ("name,email", "{},"),
    "import_past_results": ("date,event,place,name", "2019-05-04,Spring,1,{}"),
    "import_entries": ("players_name", "{}"),
}


@pytest.fixture
def browser() -> Client:
    mill = club()
    joined(mill, member("Maeve"))
    joined(mill, member("Ben"))
    build.event(mill, starts=timezone.now() + timedelta(days=1))
    return logged_in(director(mill))


def preview(
    browser: Client, name: str, *names: str, end: str = "\n", last: str = ""
) -> tuple[int, list[str]]:
    """The answer to a list of names, and what is wrong with it."""
    header, line = LISTS[name]
    place: dict[str, object] = {"slug": "the-old-mill"}
    if name == "import_entries":
        place = {"event_id": Event.objects.get().pk}
    text = end.join([header, *map(line.format, names), last])
    answer = browser.post(reverse(name, kwargs=place), {"text": text})
    plan = answer.context.get("plan")
    problems = plan.problems if plan else []
    return answer.status_code, [f"{one.number} {one.words}" for one in problems]


@pytest.mark.parametrize("name", LISTS)
@pytest.mark.parametrize("end", ["\r", "\r\n", "\n"])
def test_every_kind_of_line_end_is_read(browser: Client, name: str, end: str) -> None:
    assert preview(browser, name, "Maeve", "Ben", end=end, last="\x1a") == (200, [])


@pytest.mark.parametrize("name", LISTS)
def test_all_that_is_wrong_is_said_at_once(browser: Client, name: str) -> None:
    status, problems = preview(
        browser, name, "Maeve", "B\x01en", "#REF!", "NULL", "x" * 301, '"Kit" Cole', '"=A1"'
    )
    assert status == 422
    assert [problem[0] for problem in problems] == ["3", "4", "5", "6", "7", "8"]


@pytest.mark.parametrize("name", ["members_list", "import_past_results"])
@pytest.mark.parametrize(
    "wrong",
    ["#REF!", "#N/A", "#NAME?", "#DIV/0!", "#¡VALOR!", "Err:502", "null", "(null)", "NaN"],
)
def test_what_stands_for_a_missing_value_is_no_name(browser: Client, name: str, wrong: str) -> None:
    assert preview(browser, name, wrong) == (
        422,
        [f"2 “{wrong}” is not a name: spreadsheets write it where one is missing."],
    )


@pytest.mark.parametrize("name", ["members_list", "import_past_results"])
def test_names_that_only_look_like_that_are_taken(browser: Client, name: str) -> None:
    assert preview(browser, name, "Nan", "Kit Null", "Nona", "Ivy #2") == (200, [])


@pytest.mark.parametrize("name", ["members_list", "import_past_results"])
def test_a_name_has_no_semicolon_since_lists_separate_names_by_it(
    browser: Client, name: str
) -> None:
    assert preview(browser, name, "Maeve; Ben") == (422, [f"2 {identity.NO_SEMICOLON}"])


def test_nobody_takes_a_name_with_a_semicolon() -> None:
    with pytest.raises(ValidationError, match="no semicolon"):
        identity.free_name("Maeve; Ben")


def test_a_line_of_the_clubs_list_says_all_that_is_wrong_with_it(browser: Client) -> None:
    text = (
        "name,email,role\nKit,kit@example.org,owner\n#REF!,kit at home,owner\nKit,KIT@example.org,"
    )
    plan = browser.post("/clubs/the-old-mill/list/", {"text": text}).context["plan"]
    assert [one[:2] for one in plan.problems] == [
        (2, "role"), (3, "name"), (3, "email"), (3, "role"), (4, "email"),
    ]  # fmt: skip


def test_past_results_name_a_person_twice_beside_other_faults(browser: Client) -> None:
    text = "date,event,place,name\n2019-05-04,Spring,first,Kit\n2019-05-04,Spring,2,Kit\n"
    path = "/clubs/the-old-mill/past-results/import/"
    plan = browser.post(path, {"text": text}).context["plan"]
    assert [one[:2] for one in plan.problems] == [(2, "place"), (3, "name")]
