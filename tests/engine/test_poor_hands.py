"""Farmer's hands and folded hands, before the bidding; and the Benny."""

from dataclasses import replace
from typing import Any

import pytest

from games.engine.actions import Action, parse_action
from games.engine.cards import BENNY, JOKER, card_text, parse_card
from games.engine.deal import Deal
from games.engine.errors import IllegalActionError, MalformedError
from games.engine.game import Game
from games.engine.observation import DONE, FIRST_ROUND, FOLDING, NAMING, PLAYING, SWAPPING
from games.engine.rules import (
    CLASSIC_24,
    DEALER_MAKES,
    JOKER_33,
    NO_FACE,
    NO_FACE_OR_SUIT,
    RuleSet,
    rules_from_data,
    rules_to_data,
)
from games.engine.shuffle import shuffled
from tests.engine.build import cards, deal, push

NORTH, EAST, SOUTH, WEST = range(4)
FARMERS = replace(CLASSIC_24, farmers_hand=True)
#: North holds four nines and tens, East three, South and West fewer; the kitty is AC KC QC.
HANDS = {
    "North": "9C 9D 9S TC KD",
    "East": "9H TD TS AH AS",
    "South": "TH JH JC JS JD",
    "West": "KH KS QD QS AD",
}


def texts(state: Deal) -> list[str]:
    return [str(action) for action in state.legal_actions()]


def dealt(done: str = "", rules: RuleSet = FARMERS) -> Deal:
    return deal("QH", done, rules=rules, **HANDS)


# A farmer's hand ----------------------------------------------------------------------------


def test_everybody_is_asked_from_dealers_left_whatever_they_hold() -> None:
    state = dealt()
    assert (state.phase, state.turn) == (SWAPPING, NORTH)
    assert texts(state) == [
        *("decline", "swap 9C TC 9D", "swap 9C TC 9S", "swap 9C 9D 9S", "swap TC 9D 9S"),
    ]
    push(state, "decline")
    assert (state.turn, texts(state)) == (EAST, ["decline", "swap TD 9H TS"])
    push(state, "decline")
    assert (state.turn, texts(state)) == (SOUTH, ["decline"])
    push(state, "decline, decline")
    assert (state.phase, state.turn, state.calls) == (FIRST_ROUND, NORTH, ())


def test_three_cards_go_for_those_under_the_turn_up_once_in_a_hand() -> None:
    state = dealt("swap 9C TC 9D")
    assert state.hands[NORTH] == cards("9S KD AC KC QC")
    assert (state.phase, state.turn) == (FIRST_ROUND, NORTH)
    assert state.observe().held == (5, 5, 5, 5)


def test_only_who_swaps_sees_which_cards() -> None:
    state = dealt("decline, swap TD 9H TS")
    swapped = cards("TD 9H TS")
    assert state.observe(EAST).answers[-1] == (EAST, Action("swap", swapped))
    assert state.observe(EAST).put_away == swapped
    for viewer in (None, NORTH, SOUTH, WEST):
        view = state.observe(viewer)
        assert view.answers == ((NORTH, Action("decline")), (EAST, Action("swap")))
        assert view.put_away == 0
    assert str(Action("swap")) == "swap"


def test_only_nines_and_tens_in_hand_are_swapped() -> None:
    with pytest.raises(IllegalActionError, match=r"^9H is not in your hand\.$"):
        push(dealt(), "swap 9C TC 9H")
    with pytest.raises(MalformedError, match="'swap 9C TC KD' is not an action"):
        parse_action("swap 9C TC KD")
    with pytest.raises(MalformedError, match="'1C' is not a card"):
        parse_action("swap 9C TC 1C")
    with pytest.raises(MalformedError, match="'swap TC 9C 9D' is not an action"):
        parse_action("swap TC 9C 9D")


def test_a_swap_cannot_be_undone() -> None:
    game = Game(FARMERS, WEST, lambda _number: FARMERS.pack_in_order())
    while len(game.legal_actions()) == 1:
        game.push(game.legal_actions()[0])
        assert game.last_to_act
    seat = game.turn
    game.push(game.legal_actions()[-1])
    assert game.undone_by(seat, range(4)) == ()


def test_it_is_popped_and_pushed_again() -> None:
    state = dealt("decline, swap TD 9H TS, pass, order, discard KS")
    before = [state.observe(viewer) for viewer in (None, *range(4))]
    done = list(state.actions)
    for _ in done:
        state.pop()
    assert (state.phase, state.answers) == (SWAPPING, ())
    for action in done:
        state.push(action)
    assert [state.observe(viewer) for viewer in (None, *range(4))] == before


# A hand that is folded ----------------------------------------------------------------------


def poor(fold: str, done: str = "", **changes: Any) -> Deal:
    """A hand in which North holds neither ace nor face card, but hearts."""
    rules = replace(CLASSIC_24, fold=fold, **changes)
    return deal("QH", done, rules=rules, North="9C TC 9D TD 9H", East="9S TS JS KS AS")


def test_a_hand_without_ace_and_face_card_may_be_folded() -> None:
    state = poor(NO_FACE)
    assert (state.phase, state.turn, texts(state)) == (FOLDING, NORTH, ["decline", "fold"])
    push(state, "decline")
    assert texts(state) == ["decline"]
    push(state, "decline, decline, decline")
    assert (state.phase, state.turn) == (FIRST_ROUND, NORTH)


def test_the_option_also_asks_for_a_hand_without_the_suit_turned_up() -> None:
    assert texts(poor(NO_FACE_OR_SUIT)) == ["decline"]
    rules = replace(CLASSIC_24, fold=NO_FACE_OR_SUIT)
    assert texts(deal("QS", rules=rules, North="9C TC 9D TD 9H")) == ["decline", "fold"]


def test_the_cards_against_it_are_named() -> None:
    for state, named in ((poor(NO_FACE, "decline"), "JS KS AS"), (poor(NO_FACE_OR_SUIT), "9H")):
        with pytest.raises(IllegalActionError) as why:
            push(state, "fold")
        assert str(why.value) == (
            f"You hold {named}: such a hand may not be folded; you may: decline."
        )


def test_everybody_sees_a_folded_hand() -> None:
    state = poor(NO_FACE, "fold")
    assert state.result is not None
    assert (state.phase, state.result) == (DONE, ("folded", -1, 0, -1, (0, 0)))
    for viewer in (None, *range(4)):
        view = state.observe(viewer)
        assert view.folded == cards("9C TC 9D TD 9H")
        assert view.answers == ((NORTH, Action("fold")),)
    assert poor(NO_FACE).observe().folded == 0


@pytest.mark.parametrize("joker", [JOKER, BENNY])
def test_a_joker_is_no_poor_card(joker: int) -> None:
    rules = replace(JOKER_33, cut=False, fold=NO_FACE, benny=joker == BENNY)
    state = deal("QS", rules=rules, North=f"7C 8C 9C TC {card_text(joker)}")
    assert texts(state) == ["decline"]


def test_the_swap_comes_first_and_then_the_new_hand_may_be_folded() -> None:
    rules = replace(FARMERS, fold=NO_FACE)
    state = dealt("swap 9C TC 9D", rules)
    assert (state.phase, state.turn) == (FOLDING, NORTH)
    assert texts(state) == ["decline"]


def test_a_joker_turned_up_is_named_first() -> None:
    rules = replace(JOKER_33, cut=False, fold=NO_FACE_OR_SUIT, joker_turned_up=DEALER_MAKES)
    state = deal("Jo", rules=rules, North="7C 8C 9C TC 7D")
    assert state.phase == NAMING
    push(state, "name D")
    assert (state.phase, state.turn, texts(state)) == (FOLDING, NORTH, ["decline"])
    push(state, "decline, decline, decline, decline")
    assert (state.maker, state.turn_up_at) == (WEST, "taken by the dealer")


@pytest.mark.parametrize(
    ("changes", "dealer", "counted"),
    [
        ({}, WEST, 0),
        ({"target": None, "deals": 8}, WEST, 0),
        ({"target": None, "deals": 8, "thrown_in_counts": True}, NORTH, 1),
    ],
)
def test_the_same_dealer_deals_again(changes: dict[str, Any], dealer: int, counted: int) -> None:
    rules = replace(CLASSIC_24, fold=NO_FACE, packets=(5,), pack=32, **changes)
    pips = [card for card in rules.pack_in_order() if card_text(card)[0] in "789T"]
    pack = [*pips, *(card for card in rules.pack_in_order() if card not in pips)]
    game = Game(rules, WEST, lambda _number: pack)
    push(game, "fold")
    assert (game.standing.score, game.standing.deals_counted) == ((0, 0), counted)
    push(game, "next")
    assert game.deal.dealer == dealer


# The Benny ----------------------------------------------------------------------------------


BENNY_25 = replace(CLASSIC_24, pack=25, benny=True)


def test_the_benny_is_the_two_of_spades_in_the_jokers_place() -> None:
    assert (card_text(BENNY), parse_card("2S")) == ("2S", BENNY)
    assert BENNY_25.pack_in_order()[-1] == BENNY
    assert BENNY_25.pack_set == set(BENNY_25.pack_in_order())
    assert BENNY_25.pack_mask == cards(" ".join(map(card_text, BENNY_25.pack_in_order())))
    with pytest.raises(MalformedError, match="not a pack of 25 cards"):
        Deal.from_pack(BENNY_25, 0, replace(BENNY_25, benny=False).pack_in_order())


def test_it_is_the_highest_trump() -> None:
    state = deal(
        "9H", "order, discard AS", rules=BENNY_25, North="2S AC KC QC JC", West="JH JD AS KS QS"
    )
    push(state, "play 2S")
    assert state.turn == EAST
    state = deal("2S", rules=BENNY_25)
    assert state.phase == NAMING
    push(state, "name H, order, discard 2S")
    assert (state.phase, card_text(state.discarded)) == (PLAYING, "2S")


def test_it_is_shuffled_as_the_joker_is() -> None:
    joker = replace(BENNY_25, benny=False)
    for number in range(20):
        benny, _ = shuffled(BENNY_25, bytes(32), bytes(32), number)
        other, _ = shuffled(joker, bytes(32), bytes(32), number)
        assert [JOKER if card == BENNY else card for card in benny] == list(other)


def test_the_fields_read_back_and_are_left_out_if_off() -> None:
    everything = {
        "no_trump": "high_or_low", "defend_alone": True, "alone_euchre": 4, "lone_defence": 5,
        "partners_best": True, "dealers_partner_alone": True, "own_trump": True,
        "no_lone_near_end": True, "lone_lead": "maker", "farmers_hand": True, "fold": "no_face",
    }  # fmt: skip
    rules = replace(CLASSIC_24, **everything)  # type: ignore[arg-type]
    assert {**rules_to_data(CLASSIC_24), **everything} == rules_to_data(rules)
    assert rules_from_data(rules_to_data(rules)) == rules
    assert rules_to_data(BENNY_25)["benny"] is True
    assert not set(everything) & set(rules_to_data(CLASSIC_24))
