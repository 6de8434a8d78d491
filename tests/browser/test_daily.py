"""A day's four deals: played at a desk and on a phone, sealed, closed and compared."""

import re

from playwright.sync_api import ViewportSize, expect

from tests.browser.checks import covered, crowded, fits, understandable
from tests.browser.conftest import MakePerson
from tests.browser.person import Person
from tests.browser.store import actions, close_day, open_day
from tests.served import Server

DESK: ViewportSize = {"width": 1280, "height": 800}
PHONE: ViewportSize = {"width": 390, "height": 844}
WRONG = (fits, covered, crowded, understandable)
LEFT_OUT = "#talk, .say-chip, #hint-button, #undo, .markers use[href]"
#: What would show something of a card on a page.
CARDS = "main .card:not(.back), main .suit"
#: The date, four squares with the sum, and the link; the second line is what to play for.
SHARED = re.compile(
    r"Bower daily deal, \d+ \w+(: \d+\.\d %)?\n"
    r"[\N{LARGE GREEN SQUARE}⬜⬛]{4} [+\N{MINUS SIGN}]?\d+ points?\n"
    r"http\S+/daily/\d{4}-\d\d-\d\d/"
)
#: Somebody who lives by UTC.
ZONE = "Atlantic/Reykjavik"


def wrong_with(one: Person) -> list[str]:
    return [found for check in WRONG for found in check(one.page)]


def begin(one: Person) -> int:
    """Press the button that begins the day's deals; return the table's number."""
    one.page.get_by_role("button", name="Play today’s deals").click()
    one.page.wait_for_url("**/tables/*/")
    one.wait_until_live()
    return int(one.path.split("/")[2])


def play_a_deal(one: Person, how: str) -> None:
    """Choose what comes first until the deal is over, by "keys" or "finger", or what comes last."""
    while one.wait_for_turn() in ("call", "card"):
        stamp, choice = one.stamp, one.choices.last if how == "last" else one.choices.first
        if how == "keys":
            choice.focus()
            one.page.keyboard.press("Enter")
        elif how == "finger":
            choice.tap()
        else:
            choice.click()
        one.wait_past(stamp)


def play_the_day(one: Person, how: str) -> None:
    """Play the four deals, and go to the result."""
    for deal in range(1, 5):
        play_a_deal(one, how)
        if how == "finger":
            assert wrong_with(one) == []
        if deal < 4:
            button = one.page.get_by_role("button", name=f"Deal {deal + 1}")
            if how == "keys":
                expect(button).to_be_focused()
                one.page.keyboard.press("Enter")
            else:
                button.click()
            expect(one.page.locator(".table-top")).to_contain_text(f"Deal {deal + 1} of 4")
    head, more = one.question
    assert more.startswith("All deals are played: ")
    assert head[0] in "+\N{MINUS SIGN}0"
    one.page.get_by_role("link", name="Your result").click()
    expect(one.page.get_by_role("heading", name="You made")).to_be_visible()


def result(one: Person) -> tuple[str, str, list[str]]:
    """What somebody's page says while the day is open: nothing of its cards."""
    expect(one.page.locator(CARDS)).to_have_count(0)
    squares = one.page.locator(".squares li").all_inner_texts()
    assert len(squares) == 4
    shared = one.page.get_by_label("The text to share").input_value()
    assert SHARED.fullmatch(shared), shared
    assert "%" not in shared
    return one.page.locator("h1").inner_text(), shared, squares


def test_a_day_of_two_who_play_alike_and_one_who_does_not(
    server: Server, person: MakePerson
) -> None:
    day = open_day(server)
    maeve = person("Maeve", viewport=DESK, timezone_id=ZONE)
    ben = person("Ben", viewport=PHONE, color_scheme="dark", has_touch=True, timezone_id=ZONE)
    iris = person("Iris")
    maeve.go("/")
    expect(maeve.page.locator(".today-panel")).to_contain_text("Until midnight")
    tables = [begin(maeve)]
    expect(maeve.page.locator(LEFT_OUT)).to_have_count(0)
    play_the_day(maeve, "keys")

    ben.go(day)
    tables.append(begin(ben))
    # The column is a sheet; it has the four deals, when they open, and nothing of their cards.
    ben.page.get_by_role("button", name="The deals and the log").tap()
    sheet = ben.page.locator("#side")
    expect(sheet.get_by_role("listitem").filter(has_text=re.compile(r"Deal \d"))).to_have_count(4)
    expect(sheet).to_contain_text("until midnight")
    assert [*fits(ben.page), *understandable(ben.page)] == []
    sheet.get_by_role("button", name="Close").tap()
    # Leaving and coming back changes nothing.
    ben.page.get_by_role("link", name="Leave: the deals wait for you").tap()
    ben.page.get_by_role("button", name="Go on").tap()
    ben.wait_until_live()
    play_the_day(ben, "finger")
    assert result(maeve) == result(ben)
    assert actions(server, tables[0]) == actions(server, tables[1])

    # Whoever has not played it yet is shown nothing by what the others have done.
    iris.expected = ("404",)
    for path in (f"/tables/{tables[0]}/", day):
        iris.go(path)
        expect(iris.page.locator(CARDS)).to_have_count(0)
        expect(iris.page.locator(".squares")).to_have_count(0)
    tables.append(begin(iris))
    play_the_day(iris, "last")
    result(iris)
    assert actions(server, tables[2]) != actions(server, tables[1])

    day = close_day(server)
    lines = {}
    for one in (maeve, ben, iris):
        one.go(day)
        expect(one.page.get_by_role("heading", name="The four deals")).to_be_visible()
        own = one.page.get_by_role("row").filter(has=one.page.get_by_role("rowheader", name="You"))
        lines[one.name] = own.first.inner_text()
        shared = one.page.get_by_label("The text to share").input_value()
        assert SHARED.fullmatch(shared), shared
        assert "%" in shared
    assert lines["Maeve"] == lines["Ben"]
    for deal in ben.page.locator(".dealrow summary").all():
        deal.tap()
    expect(ben.page.get_by_role("group", name="card by card")).to_have_count(4)
    expect(ben.page.get_by_text("The house in your seat: ")).to_have_count(4)
