"""The table in windows of every size: nothing there lies over anything else.

Packs are known and names as long as they may be, so that every run sees the same: each prompt
with its longest words, six cards to choose from, all marks at one seat.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from random import Random

import pytest
from playwright.sync_api import Locator

from games.bots.house import choose
from games.engine.actions import PASS, action_text, parse_action
from games.engine.cards import JOKER, cards_in, left_bower, right_bower
from games.engine.game import Game
from games.engine.rules import HEADS_UP, JOKER_33, STICK_THE_DEALER
from games.models.people import NAME_LENGTH
from tests.browser.checks import LIES_ON, WINDOWS, covered, crowded
from tests.browser.conftest import MakePerson
from tests.browser.person import Person
from tests.browser.store import actions, cut_themselves, stacked
from tests.browser.tables import all_show, mover, sit_together
from tests.served import Server

NORTH, EAST, SOUTH, WEST = range(4)
#: The longest notes of a table, and the longest reason why a card is refused.
NOTE = "The table moved on while you chose. What you took back had already arrived."
WHY = "We are finding the table again. Your cards can be played once we are back."
WRITE = """([note, why]) => {
  const line = document.createElement("p");
  line.className = "note warn";
  line.textContent = note;
  document.getElementById("notices").replaceChildren(line);
  const place = document.getElementById("why");
  if (place) [place.textContent, place.hidden] = [why, false];
}"""


#: With names of a usual length: how much of the actions and the people in the panel at the end lies
#: below its edge (the story of the game scrolls), and of the other side's name beside its edge.
SCROLLS = """() => {
  const panel = document.getElementById("prompt");
  const texts = document.createTreeWalker(panel, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    texts.currentNode.data = texts.currentNode.data.replace(/(Ben|Maeve)w+/g, "Hazel and Linden");
  }
  const edge = document.querySelector("#prompt .summary").getBoundingClientRect().bottom;
  return Math.max(...[...panel.querySelectorAll(".calls, .played-with")]
    .map(one => one.getBoundingClientRect().bottom - edge));
}"""
LABEL_CUT = """() => {
  const label = document.querySelector('.side-score[data-side="them"] .label');
  label.textContent = "Rowan";
  return label.scrollWidth - label.clientWidth;
}"""
#: What is seen of each name: its words that lie inside its box, and how many words it has.
NAMES_SEEN = """() => [...document.querySelectorAll(".seat .name")].map(name => {
  const box = name.getBoundingClientRect();
  const text = document.createTreeWalker(name, NodeFilter.SHOW_TEXT).nextNode();
  const seen = [...text.data.matchAll(/\\S+/g)].filter(({ 0: word, index }) => {
    const range = document.createRange();
    range.setStart(text, index);
    range.setEnd(text, index + word.length);
    const one = range.getBoundingClientRect();
    return one.left > box.left - 1 && one.right < box.right + 1
      && one.top > box.top - 3 && one.bottom < box.bottom + 3;
  });
  return seen.map(one => one[0]).join(" ");
})"""


class Look:
    """Looks at people's tables in every size of window, and keeps what is wrong there."""

    def __init__(self) -> None:
        self.wrong: dict[str, list[str]] = {}

    def __call__(self, moment: str, *people: Person) -> None:
        for one in people:
            for width, height in WINDOWS:
                one.page.set_viewport_size({"width": width, "height": height})
                if found := [*crowded(one.page), *covered(one.page)]:
                    self.wrong[f"{moment}, {one.name[:5]}, {width}x{height}"] = found


@pytest.fixture
def look() -> Iterator[Look]:
    """Look at tables; at the end nothing may have been wrong."""
    look = Look()
    yield look
    assert not look.wrong, "\n".join(f"{at}: {found}" for at, found in look.wrong.items())


def long(name: str) -> str:
    """A name as long as it may be, of wide letters without a space."""
    return name.ljust(NAME_LENGTH, "w")


@pytest.fixture
def seated(person: MakePerson) -> list[Person]:
    """Who will sit North, East, South and West."""
    return [person(long(name)) for name in ("Iris", "Jonah", "Maeve", "Ben")]


class Story:
    """A game that goes as it was foreseen, in the browsers and in a copy of its own.

    Args:
        game: the copy, as it begins.
        seated: who sits where, by position.
        others: who else looks on.
    """

    def __init__(self, game: Game, seated: Sequence[Person], *others: Person) -> None:
        self.game = game
        self.seated = seated
        self.everybody = [*seated, *others]

    @property
    def turn(self) -> Person:
        """Whose turn it is, once everybody is shown that."""
        all_show(self.everybody)
        return self.seated[max(self.game.turn, 0)]

    def does(self, *actions: str) -> None:
        """Let whoever is in turn do these things, one after the other."""
        for action in actions:
            one = self.turn
            one.press(choice(one, action))
            do(self.game, action)

    def goes_on(self, count: int = 1) -> None:
        """Let so many more things happen, each the first that may be done."""
        for _ in range(count):
            self.does(first_of(self.game))

    def to_the_end_of_the_hand(self) -> None:
        """Let the hand be played out."""
        while not self.game.between_deals:
            self.goes_on()


def choice(one: Person, action: str) -> Locator:
    """The button of an action; that of a suit named alone once "Alone" is ticked."""
    if action.startswith("make ") and action.endswith(" alone"):
        one.page.get_by_label("Alone").check()
        action = action.removesuffix(" alone")
    return one.page.locator(f'#hand [value="{action}"], #prompt [value="{action}"]')


def do(game: Game, *actions: str) -> Game:
    """Let things happen in a copy of a game."""
    for action in actions:
        game.push(parse_action(action))
    return game


def first_of(game: Game) -> str:
    """The first thing that may be done."""
    return action_text(game.legal_actions()[0])


def joker_after_cutting_nine(game: Game) -> bool:
    """West deals, and turns up the joker if nine cards are lifted."""
    return do(game, "cut 9").deal.turn_up == JOKER and game.deal.dealer == WEST


def test_the_bidding(seated: list[Person], server: Server, look: Look) -> None:
    north, east, south, west = seated
    cut_themselves(server)
    with stacked(server, JOKER_33, joker_after_cutting_nine) as game:
        south.make_table(JOKER_33.key, open=False)
        link = south.invitation
        north.page.goto(link)
        look("gathering", south, north)
        for guest, seat in ((west, "West"), (north, "North"), (east, "East")):
            guest.page.goto(link)
            guest.sit_here(seat)
        south.wait_until_dealt()
    story = Story(game, seated)
    look("the cut", story.turn, west, east)
    story.turn.page.get_by_label("Cards to lift off").fill("9")
    story.turn.call("Cut here")
    do(game, "cut 9")
    look("naming the joker", story.turn, east)
    story.does("name H")
    for _ in seated:
        look("first round", story.turn)
        story.does("pass")
    for _ in range(3):
        look("second round", story.turn)
        story.does("pass")
    story.turn.page.get_by_label("Alone").check()
    look("second round, alone", story.turn, north, east)
    story.does("make D alone")
    for _ in range(3):
        look("first trick", story.turn, east)
        story.goes_on()
    look("first trick, whole", story.turn, east)
    south.page.evaluate(WRITE, [NOTE, WHY])
    look("notes", south)
    story.to_the_end_of_the_hand()
    all_show(seated)
    look("hand over", *seated)


def everything_at_west(game: Game) -> bool:
    """South deals and is stuck; then West deals and takes it up alone with both bowers.

    West wins the first three tricks.
    """
    if game.deal.dealer != SOUTH:
        return False
    do(game, *["pass"] * 7)
    while not game.between_deals:
        do(game, first_of(game))
    if do(game, "next").deal.dealer != WEST:
        return False
    trump = do(game, "pass", "pass", "pass", "order alone").deal.trump
    if not {left_bower(trump), right_bower(trump)} <= set(cards_in(game.deal.hands[WEST])):
        return False
    for _ in range(1 + 3 * 3):
        do(game, first_of(game))
    return [trick.winner for trick in game.deal.tricks] == [WEST] * 3


@pytest.mark.thorough
def test_lone_dealer_leaves(
    seated: list[Person], person: MakePerson, server: Server, look: Look
) -> None:
    north, east, south, west = seated
    otto = person(long("Otto"))
    with stacked(server, STICK_THE_DEALER, everything_at_west) as game:
        sit_together([south, west, north, east], STICK_THE_DEALER.key, open_to_all=True)
    otto.go(south.path)
    otto.wait_until_live()
    story = Story(game, seated, otto)
    story.does(*["pass"] * 6)
    look("if you pass, the dealer must", story.turn)
    story.does("pass")
    look("stuck dealer", story.turn, otto)
    story.goes_on()
    look("first lead", story.turn)
    story.to_the_end_of_the_hand()
    all_show(story.everybody)
    look("hand over", south, otto)
    story.does("next", "pass", "pass", "pass")
    look("dealer may take it up", story.turn, south, north, otto)
    story.does("order alone")
    look("discard", story.turn, south, otto)
    story.goes_on()
    for _ in range(3):
        story.goes_on(2)
        look("last to a trick", story.turn, otto)
        story.goes_on()
    assert story.turn is west
    look("three tricks", *story.everybody)
    leave_and_come_back(west, [south, north, east], otto, look)


def waiting(one: Person) -> Locator:
    """Where they read that somebody is waited for."""
    return one.page.locator("#prompt").get_by_text("Waiting for").filter(visible=True)


def leave_and_come_back(
    leaving: Person, others: list[Person], watching: Person, look: Look
) -> None:
    """The others wait for somebody, ask a house player in, and play on; then that one is back."""
    table = leaving.path
    leaving.page.evaluate("""() => {
        const form = document.getElementById("verb");
        form.action += "stand";
        form.submit();
    }""")
    for one in (*others, watching):
        waiting(one).wait_for()
    look("waiting", *others, watching)
    others[0].page.get_by_role("button", name="Ask a house player").click()
    waiting(others[0]).wait_for(state="hidden")
    while (one := mover(others)).now()["asked"] != "next":
        one.play_a_card()
    leaving.go(table)
    leaving.page.get_by_role("button", name="Take my seat back").wait_for()
    look("a house player for you", leaving)
    all_show([*others, watching])
    look("all marks", *others, watching)


def test_heads_up(person: MakePerson, server: Server, look: Look) -> None:
    seated = [person(long(name)) for name in ("Ben", "Maeve")]
    with stacked(server, HEADS_UP, lambda game: game.deal.dealer == NORTH) as game:
        sit_together([seated[1], seated[0]], HEADS_UP.key)
    story = Story(game, seated)
    story.does("pass")
    look("first round", story.turn)
    story.does("pass")
    look("second round", story.turn, seated[NORTH])
    story.goes_on(2)
    look("lead", story.turn)
    story.to_the_end_of_the_hand()
    all_show(seated)
    look("hand over", *seated)
    while not game.standing.over:
        # Somebody makes it in every hand, or the game would never end.
        story.does(action_text(next(one for one in game.legal_actions() if one.kind != PASS)))
    all_show(seated)
    for one in seated:
        for width, height in WINDOWS:
            one.page.set_viewport_size({"width": width, "height": height})
            assert one.page.evaluate(LIES_ON) == [], (one.name, width, height)
        one.page.set_viewport_size({"width": 1280, "height": 800})
        assert one.page.evaluate(SCROLLS) <= 1, one.name
        one.page.set_viewport_size({"width": 360, "height": 640})
        assert one.page.evaluate(LABEL_CUT) <= 0, one.name


def side_dealer_makes_it(game: Game, call: str, tricks: int) -> bool:
    """With any luck, a house player at the side deals and makes this call.

    South does the first thing allowed; North takes so many tricks.
    """
    dealer, made = game.deal.dealer, ""
    if dealer not in (EAST, WEST):
        return False
    while not game.between_deals:
        turn, choices = game.turn, choices_of(game)
        if len(choices) > 1:
            return False
        (action,) = choices
        if turn == dealer and not made:
            made = action
        do(game, action)
    taken = [trick.winner for trick in game.deal.tricks]
    return made == call and taken.count(NORTH) == tricks


def choices_of(game: Game) -> set[str]:
    """What may be done next: by South the first thing allowed, by a house player as its luck is."""
    if game.turn == SOUTH:
        return {first_of(game)}
    seen = game.deal.observe(game.turn)
    return {action_text(choose(seen, Random(luck))) for luck in range(20)}


@pytest.mark.parametrize(("call", "tricks"), [("order", 0), ("order alone", 1)])
def test_seats_that_can_be_taken(
    person: MakePerson, server: Server, look: Look, call: str, tricks: int
) -> None:
    maeve, otto = person(long("Maeve")), person(long("Otto"))
    # The store is followed, as house players may have another luck than was foreseen.
    wish = partial(side_dealer_makes_it, call=call, tricks=tricks)
    with stacked(server, STICK_THE_DEALER, wish) as game:
        maeve.make_table(STICK_THE_DEALER.key, seats={"north": "house"})
        otto.go(maeve.path)
        look("gathering", maeve, otto)
        maeve.wait_until_live()
        maeve.call("Fill with house players and start")
    otto.go(maeve.path)
    otto.wait_until_live()
    done = 0
    while True:
        maeve.wait_for_turn()
        otto.wait_for_stamp(maeve.stamp)
        look("watching", otto)
        stored = actions(server, maeve.table_id)
        for _, action in stored[done:]:
            do(game, action)
        done = len(stored)
        if game.between_deals:
            break
        maeve.press(choice(maeve, first_of(game)))
    look("hand over", maeve)


def test_guest_name_is_shown_whole_or_as_guest(person: MakePerson) -> None:
    nouns = ("Sandpiper", "Chickadee", "Turnstone", "Woodcock")
    guests = [person(noun, account=False) for noun in nouns]
    guests[0].make_table(open=False)
    link = guests[0].invitation
    for guest, seat in zip(guests[1:], ("West", "North", "East"), strict=True):
        guest.page.goto(link)
        guest.sit_here(seat)
    for guest in guests:
        guest.go("/you/name/")
        guest.page.get_by_label("Name", exact=True).fill(f"Northern {guest.name}")
        guest.page.get_by_role("button", name="Save").click()
        guest.page.get_by_text("Saved.").wait_for()
    one = guests[0]
    one.page.goto(link)
    one.wait_until_live()
    cut = {}
    for width, height in WINDOWS:
        one.page.set_viewport_size({"width": width, "height": height})
        seen = one.page.evaluate(NAMES_SEEN)
        assert len(seen) == len(nouns)
        if wrong := [name for name in seen if name.removeprefix("Northern ") not in nouns]:
            cut[width, height] = wrong
    assert not cut
