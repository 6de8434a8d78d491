"""A whole game by the accessibility tree alone: by roles, names, and what is read out."""

from __future__ import annotations

import re

from playwright.sync_api import Locator, expect

from tests.browser.conftest import MakePerson
from tests.browser.person import Person, named

#: What a sentence ends with when somebody is to act; a hand or a game that is over has its points.
ASKED = re.compile(
    r"You may say|Discard one card\.|Your turn: [^.]*\.$|\+\d.*\.$"
    r"|thrown in\.|wins?, \d+–\d+\.$"
)
OVER = re.compile(r"\bwin, \d+–\d+\.$")


#: Keeps all that is read out, for what is followed at once by something else.
KEEP = """place => {
  window.heard = [];
  const keep = () => window.heard.push(place.textContent);
  new MutationObserver(keep).observe(place, {childList: true});
}"""


class Listener:
    """Somebody who sees nothing: what they know they have heard, or found by its role and name.

    Args:
        one: their browser.
    """

    def __init__(self, one: Person) -> None:
        self.page = one.page
        self.prompt = one.page.get_by_role("group", name="Your turn", exact=True)
        self.hand = one.page.get_by_role("group", name=re.compile("^Your hand"))
        self.news = one.page.get_by_role("status", name="What happens", exact=True)
        self.last = ""

    def hears(self, expected: re.Pattern[str] = ASKED) -> str:
        """Wait until something new is read out that fits, and return it."""
        if self.last:
            expect(self.news).not_to_have_text(self.last)
        expect(self.news).to_have_text(expected)
        self.last = self.news.inner_text()
        return self.last

    def does(self, button: Locator) -> None:
        """Press a button by the keyboard; what is read out next is new."""
        self.last = self.news.inner_text()
        button.press("Enter")

    def says(self, words: str) -> None:
        """Press one of the calls."""
        self.does(self.prompt.get_by_role("button", name=named(words)))

    @property
    def cards(self) -> list[str]:
        """The names of the cards held, as the tree has them."""
        return re.findall(r'- button "([^"]+)"', self.hand.aria_snapshot())


def calls_in(heard: str) -> list[str]:
    """What may be said, as it was read out."""
    said = re.search(r"You may say: ([^.]*)\.", heard)
    assert said is not None, heard
    return said[1].split("; ")


def bid(one: Listener, heard: str, *, bold: bool) -> None:
    """Answer a call: pass if that can be said, unless a bold player is to name trump."""
    calls = calls_in(heard)
    cards = one.cards
    assert len(cards) == 5
    one.page.keyboard.press("h")
    expect(one.news).to_have_text(f"Your hand: {'. '.join(cards)}.")
    passing = next((call for call in calls if call in ("Pass", "Turn it down")), None)
    one.says(next(call for call in calls if call != passing) if bold or not passing else passing)


def after_a_hand(one: Listener, heard: str) -> None:
    """Look at all hands, and ask for the next."""
    assert re.search(r"Now \d+–\d+", heard) or "thrown in" in heard, heard
    look = one.prompt.get_by_role("button", name="See all hands", exact=True)
    if look.count():
        look.press("Enter")
        hands = one.page.get_by_role("table", name="Each player’s card in each trick")
        expect(hands.get_by_role("row")).to_have_count(5)
        tricks = hands.get_by_role("columnheader").count() - 1
        expect(hands.get_by_role("img", name=re.compile("won the trick"))).to_have_count(tricks)
        one.page.get_by_role("button", name="Close", exact=True).press("Enter")
        expect(hands).to_be_hidden()
    one.says("Next hand")


def test_whole_game_by_roles_names_and_announcements(person: MakePerson) -> None:
    maeve = person("Maeve")
    page, one = maeve.page, Listener(maeve)
    maeve.go("/")
    page.get_by_role("combobox", name="Game", exact=True).select_option("classic-24")
    page.get_by_role("button", name="Play now").press("Enter")
    asked = 0
    one.hears(re.compile("."))
    one.news.evaluate(KEEP)
    one.last = ""
    while not OVER.search(heard := one.hears()):
        if "You may say" in heard:
            asked += 1
            bid(one, heard, bold=asked % 3 == 0)
        elif "Discard one card" in heard or "Your turn" in heard:
            one.does(one.hand.get_by_role("button", disabled=False).first)
        else:
            after_a_hand(one, heard)
    deals = [told for told in page.evaluate("() => window.heard") if re.match(r"Hand \d", told)]
    assert deals
    for told in deals:  # five cards, as soon as they are dealt
        assert re.search(r"Your hand: ([^.]+ of \w+\. ?){5}", told), told
    again = one.prompt.get_by_role("button", name="Play again", exact=True)
    expect(again).to_be_focused()
    story = one.prompt.get_by_role("table")
    for row in ("Named trump", "Euchred", "Marches", "Lone hands", "Tricks"):
        expect(story.get_by_role("row", name=re.compile(f"^{row}"))).to_be_visible()
    expect(one.prompt.get_by_text("Luck of the deal")).to_be_visible()
    for way in ("Review", "Score sheet", "Replay", "Leave"):
        expect(one.prompt.get_by_role("link", name=re.compile(f"^{way}"))).to_be_visible()
