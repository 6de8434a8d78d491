"""The bidding panel from every position, word by word."""

from __future__ import annotations

import random
from collections.abc import Sequence

from games.engine.actions import Action
from games.engine.cards import JOKER, SUIT_NAMES, next_suit, suit_of
from games.engine.game import Game
from games.engine.rules import JOKER_33, STICK_THE_DEALER
from tests.browser.person import Person
from tests.browser.store import actions, cut_themselves, stacked
from tests.browser.tables import all_show, play_on, sit_together
from tests.served import Server

#: Where the cast sits, by position: north, east, south, west.
AT = {"Iris": 0, "Jonah": 1, "Maeve": 2, "Ben": 3}
ROUND_ONE = ["Pass", "Order it up", "Order it up, alone"]
DEALING = ["Turn it down", "Take it up", "Take it up, alone"]


def by_seat(people: Sequence[Person], first: int) -> list[Person]:
    """The people from a position on, clockwise."""
    seated = sorted(people, key=lambda one: AT[one.name])
    return [seated[(first + n) % 4] for n in range(4)]


def play_the_hand_out(people: Sequence[Person]) -> None:
    """Play until the next hand may be dealt, and have it dealt."""
    chance = random.Random(3)
    while "next" not in {now["asked"] for now in all_show(people)}:
        play_on(people, chance)
    people[0].call("Next hand")
    all_show(people)


def test_every_position(cast: list[Person], server: Server) -> None:
    with stacked(server, STICK_THE_DEALER, lambda game: True) as game:
        sit_together(cast, STICK_THE_DEALER.key)
    turned = suit_of(game.deal.turn_up)
    eldest, partner, right, dealer = by_seat(cast, (game.deal.dealer + 1) % 4)
    first_round(turned, eldest, partner, right, dealer)
    second_round(turned, eldest, partner, right, dealer)
    stuck_dealer(turned, dealer)
    assert dealer.page.locator(".seat[data-at=north]").get_by_text("Sitting out").is_visible()
    play_the_hand_out(cast)
    eldest, partner, right, dealer = partner, right, dealer, eldest  # the deal has moved on
    dealer_takes_it_up(eldest, partner, right, dealer)
    play_the_hand_out(cast)
    eldest, partner, right, dealer = partner, right, dealer, eldest
    partner_assists_alone(server, eldest, partner, right, dealer)


def first_round(turned: int, *in_turn: Person) -> None:
    """All four are asked in the words of their position, and pass."""
    eldest, partner, right, dealer = in_turn
    suit = SUIT_NAMES[turned]
    deals = f"{dealer.name} dealt"
    passed = f"{eldest.name} and {partner.name} passed."
    asked = {
        eldest: (f"{deals}.", ROUND_ONE),
        partner: (f"{eldest.name} passed. {deals}.", ROUND_ONE),
        right: (f"{passed} {deals} and decides after you.", ROUND_ONE),
        dealer: ("Everybody passed. You dealt.", DEALING),
    }
    for one in in_turn:
        one.wait_for_turn("call")
        more, buttons = asked[one]
        assert (one.question, one.buttons) == ((f"Should {suit} be trump?", more), buttons)
        assert one.filled == [], "no call is suggested"
        waiting = in_turn[in_turn.index(one) - 1]
        waiting.wait_for_stamp(one.stamp)
        assert waiting.question == (f"{one.name} is deciding.", "")
        if one is right:
            takes, alone = one.notes[1:]
            assert one.notes[0] == f"{dealer.name} decides"
            assert takes.startswith(f"{suit.capitalize()} are trump; {dealer.name} takes ")
            assert alone == f"The same, without {eldest.name}; 4 points for all five tricks"
        one.call(buttons[0])
    said = eldest.page.locator(".seat .said:visible")
    eldest.wait_for_stamp(dealer.stamp)
    assert sorted(said.all_inner_texts()) == ["“Pass”", "“Pass”", "“Turned down”"]


def second_round(turned: int, *in_turn: Person) -> None:
    """Next stands first, then the crosses; whoever passes is told what happens then."""
    eldest, partner, right, dealer = in_turn
    suit, then = SUIT_NAMES[turned], "decides"
    passed = {eldest: "", partner: f" {eldest.name} passed."}
    passed[right] = f" {eldest.name} and {partner.name} passed."
    for one, following in ((eldest, partner), (partner, right), (right, dealer)):
        one.wait_for_turn("call")
        then = "must name a suit" if following is dealer else "decides"
        more = f"{suit} were turned down.{passed[one]}"
        assert one.question == ("Which suit should be trump?", more)
        assert one.buttons == [*named(turned), "Pass"]
        assert one.notes[-1] == f"{following.name} {then}"
        assert one.filled == [], "no suit is suggested"
        one.call("Pass")


def named(turned: int) -> list[str]:
    """The calls of the second round."""
    following = next_suit(turned)
    crosses = [suit for suit in range(4) if suit not in (turned, following)]
    return [SUIT_NAMES[suit].capitalize() for suit in (following, *crosses)]


def stuck_dealer(turned: int, dealer: Person) -> None:
    """The dealer may not pass; "alone" changes the words of the suits before they are pressed."""
    dealer.wait_for_turn("call")
    assert dealer.question == ("You must name a suit", "Everybody passed.")
    assert dealer.buttons == named(turned)
    dealer.page.get_by_label("Alone").check()
    alone = [f"{call}, alone" for call in named(turned)]
    assert dealer.buttons == alone
    dealer.call(alone[1])


def dealer_takes_it_up(*in_turn: Person) -> None:
    """The dealer of the second hand takes it up and discards, while the others wait."""
    *others, dealer = in_turn
    for one in others:
        one.wait_for_turn("call")
        one.call("Pass")
    dealer.wait_for_turn("call")
    assert dealer.question[1] == "Everybody passed. You dealt."
    dealer.call("Take it up")
    dealer.wait_for_turn("card")
    head, more = dealer.question
    assert head == "Discard one card"
    taken = dealer.page.locator("#hand [data-taken]")
    assert taken.locator(".from").get_attribute("data-says") == "turn-up"
    rank = (taken.get_attribute("aria-label") or "").split()[0].lower()
    assert more == f"You took up the {rank}. You may discard that one too."
    assert dealer.legal_cards.count() == 6
    others[0].wait_for_stamp(dealer.stamp)
    assert others[0].question == (f"{dealer.name} is discarding.", "")
    dealer.press(taken)
    assert dealer.cards.count() == 5


def partner_assists_alone(server: Server, *in_turn: Person) -> None:
    """The dealer sits out and is not asked for a discard."""
    eldest, partner, _, dealer = in_turn
    eldest.wait_for_turn("call")
    eldest.call("Pass")
    partner.wait_for_turn("call")
    assert partner.buttons == ROUND_ONE
    assert "nobody takes" in partner.notes[2]
    partner.call("Order it up, alone")
    eldest.wait_for_turn("card")
    dealer.wait_for_stamp(eldest.stamp)
    assert dealer.question == (
        f"{eldest.name}’s turn.", f"{partner.name} plays alone."
    )  # fmt: skip
    assert dealer.page.locator(".seat[data-at=south]").get_by_text("Sitting out").is_visible()
    assert actions(server, dealer.table_id)[-1] == (AT[partner.name], "order alone")
    assert dealer.legal_cards.count() == 0


def test_cut_and_joker(cast: list[Person], server: Server) -> None:
    def joker_after_cutting_nine(game: Game) -> bool:
        game.push(Action("cut", 9))
        granted = game.deal.turn_up == JOKER
        game.pop()
        return granted

    cut_themselves(server)
    with stacked(server, JOKER_33, joker_after_cutting_nine) as game:
        sit_together(cast, JOKER_33.key)
    eldest, _, cutter, dealer = by_seat(cast, (game.deal.dealer + 1) % 4)
    cutter.wait_for_turn("call")
    assert cutter.question == ("Cut the pack", "Leave at least four cards in each part.")
    assert (cutter.buttons, cutter.filled) == (["Cut here", "Cut for me"], ["Cut here"])
    assert dealer.question == (f"{cutter.name} cuts the pack.", "")
    lift = cutter.page.get_by_label("Cards to lift off")
    lift.focus()
    while lift.input_value() != "9":
        lift.press("ArrowLeft")
    assert cutter.page.locator("#cut-at").inner_text() == "9 of 33"
    lose_the_socket(cutter)
    assert lift.input_value() == "9"
    assert cutter.page.locator("#cut-at").inner_text() == "9 of 33"
    cutter.call("Cut here")
    assert actions(server, dealer.table_id) == [(AT[cutter.name], "cut 9")]
    dealer.wait_for_turn("call")
    assert dealer.question == ("Name the joker’s suit", "You have not seen your cards.")
    assert [one.lower() for one in dealer.buttons] == ["clubs", "diamonds", "hearts", "spades"]
    assert dealer.cards.count() == 0
    dealer.call(dealer.buttons[2])
    eldest.wait_for_turn("call")
    assert eldest.question == ("Should hearts be trump?", f"{dealer.name} dealt.")
    assert eldest.notes[1] == f"Hearts are trump; {dealer.name} takes the joker"
    whoever_likes_the_old_words_has_them(eldest, dealer)


def whoever_likes_the_old_words_has_them(eldest: Person, dealer: Person) -> None:
    """The choice of one person changes the whole table for them, at once, and for nobody else."""
    eldest.page.get_by_role("button", name="My table").click()
    with eldest.page.expect_navigation():
        eldest.page.get_by_label("Traditional").check()
    eldest.wait_until_live()
    assert eldest.question == ("Your call", f"hearts would be trump. {dealer.name} deals.")
    assert eldest.buttons == ["Pass", "I order it up", "I order it up, alone"]
    eldest.call("I order it up")
    eldest.until("() => document.querySelector('#log').textContent.includes('orders it up')")
    dealer.wait_for_stamp(eldest.stamp)
    assert dealer.page.locator(".said:visible").all_inner_texts() == ["“Order it up”"]


def lose_the_socket(one: Person) -> None:
    """Let the connection be made anew; the whole picture comes again."""
    one.page.evaluate("""() => {
      const room = document.getElementById("room");
      room.addEventListener("htmx:after:ws:connection",
        () => { window.again = true; }, { once: true });
      htmx.ext.ws.getRegistry().get(room.getAttribute("hx-ws:connect")).socket.close();
    }""")
    one.until("() => window.again")


def test_cut_for_me(cast: list[Person], server: Server) -> None:
    cut_themselves(server)
    with stacked(server, JOKER_33, lambda game: game.deal.turn_up != JOKER) as game:
        sit_together(cast, JOKER_33.key)
    eldest, _, cutter, _ = by_seat(cast, (game.deal.dealer + 1) % 4)
    cutter.wait_for_turn("call")
    cutter.call("Cut for me")
    ((seat, cut),) = actions(server, cutter.table_id)
    assert seat == AT[cutter.name]
    assert 4 <= int(cut.removeprefix("cut ")) <= 29
    eldest.wait_for_stamp(cutter.stamp)
