"""A day's deals, played alone on a phone, and the same for whoever does the same."""

from playwright.sync_api import ViewportSize, expect

from tests.browser.checks import covered, crowded, fits, understandable
from tests.browser.conftest import MakePerson
from tests.browser.person import Person
from tests.browser.store import actions, solo_table
from tests.served import Server

PHONE: ViewportSize = {"width": 390, "height": 844}
WRONG = (fits, covered, crowded, understandable)
LEFT_OUT = "#talk, .say-chip, #hint-button, #undo, .markers use[href]"
#: Somebody who lives by UTC.
ZONE = "Atlantic/Reykjavik"


def wrong_with(one: Person) -> list[str]:
    return [found for check in WRONG for found in check(one.page)]


def play_a_deal(one: Person, *, keys: bool) -> None:
    """Choose what comes first until the deal is over: by Enter, or by a finger."""
    while one.wait_for_turn() in ("call", "card"):
        stamp, choice = one.stamp, one.choices.first
        if keys:
            choice.focus()
            one.page.keyboard.press("Enter")
        else:
            choice.tap()
        one.wait_past(stamp)


def go_on(one: Person, deal: int, *, keys: bool) -> None:
    """Ask for the next deal."""
    button = one.page.get_by_role("button", name=f"Deal {deal}")
    expect(button).to_have_count(1)
    if keys:
        expect(button).to_be_focused()
        one.page.keyboard.press("Enter")
    else:
        button.tap()
    expect(one.page.locator(".table-top")).to_contain_text(f"Deal {deal} of 4")


def test_four_deals_on_a_phone_by_finger_and_by_keys(server: Server, person: MakePerson) -> None:
    maeve, ben = (
        person(name, viewport=PHONE, has_touch=True, timezone_id=ZONE) for name in ("Maeve", "Ben")
    )
    tables = [solo_table(server, one.name) for one in (maeve, ben)]
    for one, table, keys in zip((maeve, ben), tables, (False, True), strict=True):
        one.go(f"/tables/{table}/")
        one.wait_until_live()
        expect(one.page.locator(LEFT_OUT)).to_have_count(0)
        for deal in range(1, 5):
            play_a_deal(one, keys=keys)
            if deal < 4:
                assert wrong_with(one) == []
                go_on(one, deal + 1, keys=keys)
        head, more = one.question
        assert more.startswith("All deals are played: ")
        assert head[0] in "+\N{MINUS SIGN}0"
        assert wrong_with(one) == []
    assert actions(server, tables[0]) == actions(server, tables[1])

    # The column is a sheet; it has the four deals, when they open, and nothing of their cards.
    maeve.page.get_by_role("button", name="The deals and the log").tap()
    sheet = maeve.page.locator("#side")
    expect(sheet.get_by_role("listitem")).to_have_count(4)
    expect(sheet).to_contain_text("until midnight")
    expect(sheet.locator(".suit")).to_have_count(0)
    assert [*fits(maeve.page), *understandable(maeve.page)] == []
    sheet.get_by_role("button", name="Close").tap()
    # Leaving and coming back changes nothing.
    maeve.page.get_by_role("link", name="Leave: the deals wait for you").tap()
    maeve.go(f"/tables/{tables[0]}/")
    maeve.page.get_by_role("link", name="Your result").tap()
    expect(maeve.page).to_have_url(f"{maeve.address}/")
