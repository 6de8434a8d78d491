"""Events from setting up to the result, by people in browsers of their own and house players."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import expect

from tests.browser.checks import covered, fits, out_of_reach, understandable
from tests.browser.club_night import (
    ONE_HAND,
    Night,
    answer_call,
    back_to_event,
    called,
    found_club,
    invitation,
    join,
    play_matches,
    play_without_scripts,
    register,
    set_up,
)
from tests.browser.conftest import MakePerson
from tests.browser.person import Person, press, tab_to

PHONE = {"width": 390, "height": 844}
NO_POLLING = """() => {
  const part = document.getElementById("event-entry");
  part.setAttribute("hx-trigger", "news");
  htmx.process(part, true);
}"""


@pytest.mark.thorough
def test_a_rotation_of_eight(person: MakePerson) -> None:
    chance = random.Random(8)
    maeve, ben, iris, jonah = (person(name) for name in ("Maeve", "Ben", "Iris", "Jonah"))
    players = [ben, iris, jonah]
    club = found_club(maeve)
    night = set_up(
        maeve, club, "Friday rotation", 8,
        format="rotation", rounds="2", check_in_minutes="15", house_prizes="on", **ONE_HAND,
    )  # fmt: skip
    expect(maeve.page.get_by_role("timer")).to_have_text(re.compile(r"^2[345]:\d\d$"))
    for one in players:
        join(one, club)
        register(one, club, "Friday rotation")
    night.add_house(5)

    # Check-in opens, and everybody is told so wherever they are.
    ben.go("/play/")
    iris.go(club)
    jonah.go(night.path)
    night.start_in(10)
    for one in (ben, iris):
        one.page.get_by_role("link", name="Check in").click()
    for one in players:
        one.page.get_by_role("button", name="Check in").click()
        expect(one.page.get_by_role("heading", name="You are checked in")).to_be_visible()
    ben.go("/play/")
    iris.go(club)
    night.start_now()

    maeve.go(night.path)
    standings = maeve.page.locator("#event-standings")
    with maeve.no_reload():
        expect(standings).to_contain_text("Standings appear after round 1")
        for one in players:
            answer_call(one, 1)
        play_matches(players, chance)
        expect(standings).to_contain_text("After round 1")
        expect(standings.locator("tbody tr")).to_have_count(8)
    for one in players:
        answer_call(one, 2)
    play_matches(players, chance)
    for one in players:
        back_to_event(one)
        expect(one.page.get_by_role("heading", name="The result")).to_be_visible()
        finished = re.compile(r"You finished\s+[1-8](st|nd|rd|th) of 8")
        expect(one.page.locator("#event-mine")).to_contain_text(finished)
        expect(one.page.locator("#event-standings")).to_contain_text("Final")
    expect(maeve.page.locator("#event-prizes li")).not_to_have_count(0)

    # What was played stays: every game, and the trophy of whoever won.
    page = ben.page
    page.get_by_role("link", name=re.compile("the game of table 1")).first.click()
    expect(page.locator("table.score-sheet tbody tr")).to_have_count(1)
    page.get_by_role("link", name="Back to the event").click()
    page.get_by_role("link", name="All places and tie-breaks").click()
    page.locator("table.standings tbody tr").first.get_by_role("link").first.click()
    trophies = page.get_by_role("region", name="Trophies")
    expect(trophies).to_contain_text("Winner of 8")
    expect(trophies.get_by_role("link", name="Friday rotation")).to_be_visible()


def test_a_knock_out_of_four_pairs(person: MakePerson) -> None:
    chance = random.Random(4)
    names = ("Maeve", "Ben", "Iris", "Jonah", "Clara")
    maeve, ben, iris, jonah, clara = (person(name) for name in names)
    players = [ben, iris, jonah, clara]
    club = found_club(maeve)
    night = set_up(
        maeve, club, "Cup", 4,
        format="single_elimination", third_place="on", check_in_minutes="0", house_prizes="on",
        **ONE_HAND,
    )  # fmt: skip
    for one in players:
        join(one, club)
        one.go(night.path)
    iris.page.evaluate(NO_POLLING)  # the news alone lets Iris know of the question

    # One pair by invitation, one by the list of those who look for a partner.
    ben.page.get_by_label("Your partner").fill("Iris")
    ben.page.get_by_role("button", name="Ask", exact=True).click()
    expect(ben.page.get_by_role("heading", name="Iris is asked")).to_be_visible()
    jonah.page.get_by_role("button", name="Find me a partner").click()
    expect(jonah.page.get_by_role("heading", name="You are looking for a partner")).to_be_visible()
    iris.page.get_by_role("button", name="Accept Ben").click()
    clara.page.get_by_role("button", name="Ask Jonah").click()
    jonah.page.get_by_role("button", name="Accept Clara").click()
    for one in players:
        expect(one.page.get_by_role("heading", name="You are in")).to_be_visible()
    night.add_house(2)
    night.start_now()

    # The semi-finals; then the final, and the match for third place.
    maeve.go(night.path)
    bracket = maeve.page.locator("#event-bracket")
    expect(bracket.get_by_role("img", name="Winner: not known yet")).to_be_visible()
    for round_ in (1, 2):
        for one in players:
            answer_call(one, round_)
        play_matches(players, chance)
    expect(maeve.page.get_by_role("heading", name="The result")).to_be_visible()
    winners = maeve.page.locator("#event-prizes [data-place='1'] b").inner_text()
    expect(bracket.get_by_role("img", name=f"Winner: {winners}")).to_be_visible()
    for one in players:
        back_to_event(one)
        won = re.compile(r"You finished\s+[1-4](st|nd|rd|th) of 4")
        expect(one.page.locator("#event-mine")).to_contain_text(won)


def test_table_is_reached_without_scripts(person: MakePerson) -> None:
    maeve, ben = person("Maeve"), person("Ben", java_script_enabled=False)
    club = found_club(maeve)
    night = set_up(maeve, club, "Plain", 4, rounds="1", check_in_minutes="15", **ONE_HAND)
    join(ben, club)
    register(ben, club, "Plain")
    night.add_house(3)
    night.start_in(10)
    ben.go("/play/")
    ben.page.get_by_role("link", name="Check in").click()
    ben.page.get_by_role("button", name="Check in").click()
    expect(ben.page.get_by_role("heading", name="You are checked in")).to_be_visible()
    night.start_now()
    ben.go("/play/")
    answer_call(ben, 1, by_script=False)
    play_without_scripts(ben)
    back_to_event(ben)
    while ben.page.get_by_role("link", name="Reload").count():
        ben.page.get_by_role("link", name="Reload").click()
    expect(ben.page.locator("#event-mine")).to_contain_text("You finished")


@pytest.mark.parametrize(
    "joining",
    ["open", pytest.param("invitation", marks=pytest.mark.thorough)],
)
def test_a_spectator_sees_scores_move_and_watches(person: MakePerson, joining: str) -> None:
    """A visitor watches an open club's event; one by invitation is there for members only."""
    chance = random.Random(joining)
    open_to_all = joining == "open"
    maeve, ben, otto = person("Maeve"), person("Ben"), person("Otto", account=not open_to_all)
    club = found_club(maeve, joining)
    fields = {**ONE_HAND, "deals": "3"}
    night = set_up(maeve, club, "Show", 4, rounds="1", check_in_minutes="0", **fields)
    if not open_to_all:
        stranger = person("Theo", account=False)
        stranger.expected = ("status of 404",)
        for path in (club, night.path):
            answer = stranger.page.goto(f"{stranger.address}{path}")
            assert answer is not None
            assert answer.status == 404
        link = invitation(maeve, club)
        for one in (ben, otto):
            one.page.goto(link)
            join(one, one.path)
    else:
        join(ben, club)
    register(ben, club, "Show")
    night.add_house(3)
    night.start_now()

    answer_call(ben, 1)
    otto.go(night.path)
    table = otto.page.locator("#event-pairings tbody tr").filter(has_text="Ben")
    with otto.no_reload():
        expect(table.locator(".num")).to_have_count(2)
        before = table.locator(".num").all_inner_texts()
        if ben.wait_for_turn() == "next":  # Ben's partner has played the first hand alone
            ben.choose(chance)
        while ben.wait_for_turn() != "next":
            ben.choose(chance)
        expect(table.locator(".num")).not_to_have_text(before)
    table.get_by_role("link").click()
    otto.page.wait_for_url(re.compile(r"/tables/\d+/$"))
    otto.wait_until_live()
    with otto.no_reload():
        ben.choose(chance)
        play_matches([ben, otto], chance)
    back_to_event(otto)
    expect(otto.page.locator("#event-standings")).to_contain_text("Final")
    otto.page.get_by_role("link", name=re.compile("the game of table")).first.click()
    expect(otto.page.locator("table.score-sheet tbody tr")).to_have_count(3)


def phases(maeve: Person, ben: Person) -> Iterator[tuple[str, Person]]:
    """An event's pages from the form to the result; each by a name."""
    chance = random.Random(390)
    club = found_club(maeve)
    maeve.go(f"{club}events/new/")
    yield "form", maeve
    fields = {"check_in_minutes": "15", "house_prizes": "on", **ONE_HAND}
    night = set_up(maeve, club, "Pocket", 4, rounds="1", **fields)
    yield "published", maeve
    maeve.go(f"{club}events/plan/")
    yield "plan", maeve
    ben.go(club)
    ben.page.get_by_role("button", name="Join the club").click()
    expect(ben.page.get_by_text("You are a member", exact=True)).to_be_visible()
    ben.go(night.path)
    yield "free", ben
    register(ben, club, "Pocket")
    yield "entered", ben
    night.add_house(3)
    yield "desk", maeve
    night.start_in(10)
    expect(ben.page.get_by_role("button", name="Check in")).to_be_visible()
    yield "checking in", ben
    ben.page.get_by_role("button", name="Check in").click()
    expect(ben.page.get_by_role("heading", name="You are checked in")).to_be_visible()
    yield "checked in", ben
    night.start_now()
    yield "directing", maeve
    expect(ben.page.get_by_role("link", name="Go to your table").first).to_be_visible()
    yield "running", ben
    yield from _result(night, ben, chance)


def _result(night: Night, ben: Person, chance: random.Random) -> Iterator[tuple[str, Person]]:
    ben.page.get_by_role("link", name="Go to your table").first.click()
    play_matches([ben], chance)
    back_to_event(ben)
    expect(ben.page.get_by_role("heading", name="The result")).to_be_visible()
    yield "finished", ben
    for page in ("standings/", "rounds/1/"):
        ben.go(f"{night.path}{page}")
        yield page, ben
    night.director.go(f"{night.path}manage/")
    yield "desk of a finished event", night.director


def test_pages_fit_a_phone_and_controls_are_reachable(person: MakePerson) -> None:
    options = {"viewport": PHONE, "has_touch": True}
    maeve, ben = person("Maeve", **options), person("Ben", **options)
    wrong = {}
    for place, who in phases(maeve, ben):
        page = who.page
        wrong[place] = [*fits(page), *covered(page), *understandable(page), *out_of_reach(page)]

    assert not {place: found for place, found in wrong.items() if found}


def test_call_over_another_table_can_be_dismissed(person: MakePerson) -> None:
    maeve, ben = person("Maeve"), person("Ben")
    club = found_club(maeve)
    night = set_up(maeve, club, "Put off", 4, rounds="1", check_in_minutes="0", **ONE_HAND)
    join(ben, club)
    register(ben, club, "Put off")
    night.add_house(3)
    ben.play_now()
    elsewhere = ben.page.url
    night.start_now()
    expect(called(ben)).to_be_visible()
    called(ben).get_by_role("button", name="Not now").press("Enter")
    expect(called(ben)).to_be_hidden()
    expect(ben.page.locator("#prompt")).to_be_focused()
    expect(ben.page).to_have_title(re.compile("^Called · "))
    ben.page.reload()
    assert ben.page.url == elsewhere
    answer_call(ben, 1)
    play_matches([ben], random.Random(1))


def test_keyboard_focus_is_never_lost(person: MakePerson) -> None:
    chance = random.Random(1)
    maeve, ben = person("Maeve"), person("Ben")
    club = found_club(maeve)
    night = set_up(maeve, club, "Keys", 4, rounds="2", check_in_minutes="0", **ONE_HAND)
    join(ben, club)
    ben.go(club)
    tab_to(ben, "return here.textContent.trim().endsWith(': Keys');")
    press(ben, "Enter")
    ben.page.wait_for_url("**/events/*/")
    tab_to(ben, "return here.textContent.trim() === 'Register';")
    press(ben, "Enter")
    expect(ben.page.get_by_role("heading", name="You are in")).to_be_visible()
    tab_to(ben, "return here.textContent.trim() === 'Withdraw';")
    night.add_house(3)
    expect(ben.page.locator("#event-entries li")).to_have_count(4)
    expect(ben.page.get_by_role("button", name="Withdraw")).to_be_focused()

    tab_to(maeve, "return here.textContent.trim() === 'Start now …';")
    press(maeve, "Enter")
    tab_to(maeve, "return here.textContent.trim() === 'Start the event';")
    press(maeve, "Enter")
    expect(maeve.page.get_by_role("heading", name="Tables of round 1")).to_be_visible()
    maeve.go(night.path)
    expect(maeve.page.locator("#event-pairings tbody a").first).to_be_visible()
    tab_to(maeve, "return here.matches('#event-pairings tbody a');")
    for round_ in (1, 2):
        answer_call(ben, round_)
        play_matches([ben], chance)
        if round_ == 1:
            pairings = maeve.page.locator("#pairings-heading")
            expect(pairings).to_have_text("Round 2 tables")
            expect(maeve.page.locator("#event-pairings :focus")).to_have_count(1)
