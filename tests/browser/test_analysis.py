"""The analysis board in the browser: values that sharpen, playing on, branches, all by keyboard."""

from __future__ import annotations

import re
from typing import Final

from playwright.sync_api import expect

from tests.browser.checks import walk
from tests.browser.conftest import MakePerson
from tests.browser.store import game_with_mistakes
from tests.games.analysis.boards import second_to_play
from tests.served import Server

#: Milliseconds in which 600 deals must have been played out; a busy machine takes half a minute.
MADE: Final = 120_000


def test_a_decision_is_valued_played_on_and_compared(person: MakePerson) -> None:
    board = second_to_play()
    address = f"/analysis/board/?{board.query}"
    maeve = person("Maeve", account=False)
    page = maeve.page
    # Somebody who is not logged in presses; by keyboard.
    maeve.go(address)
    expect(page.get_by_role("heading", name="Analysis: ")).to_be_visible()
    page.get_by_role("button", name="Work it out").press("Enter")
    live = page.locator("#analysis-live")
    expect(live).to_have_text("Working it out.")
    sharper = page.locator(".sharper")
    expect(sharper).to_contain_text("600 deals", timeout=MADE)
    expect(page.locator("#worth progress")).to_have_count(0, timeout=MADE)
    expect(live).to_have_text(re.compile(r"is best\.|Too close to say\."))
    choices = page.locator(".choices-worth > li")
    expect(choices).to_have_count(len(board.here.seen().legal))
    expect(page.locator(".choices-worth .bars")).to_have_count(choices.count())
    # The best line is worked out when it is opened.
    expect(page.locator(".linetable")).to_have_count(0)
    page.locator(".openline summary").press("Enter")
    expect(page.locator("#open-line .linetable tr")).to_have_count(5)
    walk([("valued", page)])
    # A choice that was not played makes a branch, beside what was played.
    for index in range(choices.count()):
        choices.nth(index).get_by_role("button").press("Enter")
        page.wait_for_url(re.compile("at="))
        if page.locator(".branches > li").count() == 2:
            break
        page.go_back()
    expect(page.locator(".branches > li")).to_have_count(2)
    expect(page.locator(".branches [aria-current]")).to_contain_text("you are here")
    page.get_by_role("button", name="Play on").press("Enter")
    expect(page.get_by_role("heading", name="Analysis: the hand is over")).to_be_visible()
    # Arrow keys step back and forth, and delete nothing.
    page.keyboard.press("Shift+ArrowLeft")
    page.wait_for_url(re.compile(r"at=1\.0|^(?!.*at=)"))
    expect(page.locator(".branches > li")).to_have_count(2)
    expect(choices.first).to_be_visible()
    page.keyboard.press("Shift+ArrowRight")
    expect(page.get_by_role("heading", name="Analysis: the hand is over")).to_be_visible()
    page.get_by_role("link", name="Compare with line A").press("Enter")
    expect(page.locator(".compared h3 small")).to_have_count(2)
    for row in page.locator(".compared h3 small").all():
        expect(row).to_have_text(re.compile(r"worth .* ± 0\.\d\d points"))
    walk([("compared", page)])


def test_a_members_page_asks_by_itself_and_all_works_without_scripts(person: MakePerson) -> None:
    board = second_to_play()
    maeve = person("Maeve")
    page = maeve.page
    # A member's page asks by itself, here for a call.
    calls = board
    while calls.back is not None:
        calls = calls.back
    maeve.go(f"/analysis/board/?{calls.query}")
    expect(page.locator("#worth progress")).to_be_visible()
    expect(page.locator("#worth progress")).to_have_count(0, timeout=MADE)
    expect(page.locator(".sharper")).to_contain_text("600 deals")
    walk([("a call", page)])
    # Without scripts: links, forms and a reload.
    plain = person("Ben", java_script_enabled=False)
    plain.go(f"/analysis/board/?{calls.query}")
    expect(plain.page.locator(".sharper")).to_contain_text("600 deals")  # Maeve asked for it
    plain.go(f"/analysis/board/?{board.query}")
    plain.page.locator(".choices-worth button").first.click()
    plain.page.wait_for_url(re.compile("at="))
    plain.page.get_by_role("link", name="Back one step").click()
    expect(plain.page.locator(".branches > li").first).to_contain_text("As played")


def test_a_hand_is_set_up_by_hand_and_records_are_pasted(
    person: MakePerson, server: Server
) -> None:
    maeve = person("Maeve", account=False)
    page = maeve.page
    maeve.go("/analysis/")
    hand = page.get_by_label("West: the cards dealt")
    page.locator("#card-JH").drag_to(page.locator('.seat-in[data-seat="3"]'))
    expect(hand).to_have_value("JH")
    page.locator("#card-AS").click()  # to whom the last went
    expect(hand).to_have_value(re.compile("AS"))
    hand.fill("jh as, 9s")
    hand.press("Enter")
    expect(page.locator("#card-9S")).to_have_accessible_name(re.compile("West, take it back"))
    page.get_by_label("South: the cards dealt").fill("JH")
    page.keyboard.press("Enter")
    wrong = page.get_by_role("alert")
    expect(wrong).to_contain_text("Two players have J♥")
    page.get_by_label("South: the cards dealt").fill("jc ks qs ad qc")
    page.get_by_label("Turned up").fill("9d")
    page.keyboard.press("Enter")
    expect(wrong).to_have_count(0)
    expect(page.get_by_role("button", name="Analyse")).not_to_have_attribute(
        "aria-disabled", "true"
    )
    page.get_by_role("button", name="Analyse").press("Enter")
    expect(page.get_by_role("heading", name="Analysis: ")).to_be_visible()
    expect(page.locator(".choices-worth > li")).not_to_have_count(0)

    game = game_with_mistakes(server)
    for name, kind in (("game.egn", "Euchre Game Notation"), ("game.ptn", "PTN")):
        text = maeve.context.request.get(f"{maeve.address}/games/{game}/{name}").text()
        maeve.go("/analysis/paste/")
        page.get_by_label("The record").fill(text)
        page.get_by_role("button", name="Read it").click()
        expect(page.get_by_text(f"Read as: {kind}")).to_be_visible()
        page.locator(".found a").first.click()
        expect(page.get_by_role("heading", name="Analysis: ")).to_be_visible()
        expect(page.locator(".branches > li")).to_contain_text(["As played"])
