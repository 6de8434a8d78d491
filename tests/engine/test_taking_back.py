"""Taking back what was pushed, and undoing: the deal is again as it was, in every slot."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from games.engine.actions import Action, parse_action
from games.engine.deal import Deal
from games.engine.errors import IllegalActionError, MalformedError
from games.engine.game import Game
from games.engine.game_notation import cards_text
from games.engine.observation import NAMING
from games.engine.rules import CLASSIC_24, JOKER_33, RuleSet
from games.engine.shuffle import shuffled
from tests.engine.build import hearts, push
from tests.engine.texts import parse_cards, parse_deal, replay

PACK = JOKER_33.pack_in_order()
JOKER_UP = cards_text((*PACK[24:28], *PACK[:20], PACK[32], *PACK[20:24], *PACK[28:32]))
LONE = "pass, order alone, play 9C, play AC, play QC, play JH, play KH, play 9H"


def state_of(deal: Deal) -> dict[str, Any]:
    """Every slot of a deal, the tricks as they are told; lists copied."""
    names = {*Deal.__slots__, "plays", "tricks"} - {"_tricks"}
    slots = {name: getattr(deal, name) for name in names}
    return {slot: list(one) if isinstance(one, list) else one for slot, one in slots.items()}


@pytest.mark.parametrize(
    ("rules", "text"),
    [
        (JOKER_33, f"West deals pack {JOKER_UP} : cut 4, name H, pass, pass, pass, pass, make C"),
        (JOKER_33, f"West deals pack {JOKER_UP} : cut 4, name H, pass, order, discard Jo"),
        (CLASSIC_24, hearts(LONE)),
        (CLASSIC_24, hearts(", ".join(["pass"] * 8))),
    ],
    ids=["cut, joker named, turned down", "joker taken", "alone", "thrown in"],
)
def test_popped_to_the_start_and_pushed_again(rules: RuleSet, text: str | Deal) -> None:
    deal = text if isinstance(text, Deal) else parse_deal(rules, text)
    done = list(deal.actions)
    seen = []
    for _ in done:
        seen.append(state_of(deal))
        deal.pop()
    assert deal.actions == []
    for action in done:
        deal.push(action)
        assert state_of(deal) == seen.pop()


def test_every_card_of_a_hand_is_taken_up_again() -> None:
    deal = hearts("pass, order, discard QS")
    while deal.result is None:
        before, action = state_of(deal), deal.legal_actions()[0]
        deal.push(action)
        deal.pop()
        assert state_of(deal) == before
        deal.push(action)


def test_what_is_pushed_on_a_copy_does_not_change_the_game() -> None:
    rules, chance = JOKER_33, Random(5)
    state = Game(rules, WEST, lambda number: shuffled(rules, bytes(32), bytes(32), number)[0])
    while not state.standing.over:
        before, deals, undone = state_of(state.deal), state.deals, state.undone
        place = state.version, state.turn, state.records, state.standing
        following, action = state.copy(), chance.choice(state.legal_actions())
        following.push(action)
        again = following.copy()
        again.pop()
        assert state_of(state.deal) == before == state_of(again.deal)
        assert (state.version, state.turn, state.records, state.standing) == place
        assert (state.deals, state.undone) == (deals, undone)
        state = following


def test_a_cut_taken_back_gathers_the_cards() -> None:
    deal = Deal.from_pack(JOKER_33, 0, PACK)
    before = state_of(deal)
    deal.push(deal.legal_actions()[0])
    deal.pop()
    assert state_of(deal) == before
    assert (deal.hands, deal.start, deal.turn_up) == ([0, 0, 0, 0], ((), -1), -1)


def test_there_is_nothing_before_the_start() -> None:
    with pytest.raises(IndexError):
        hearts("").pop()


NORTH, EAST, SOUTH, WEST = range(4)


def game(done: str, rules: RuleSet = CLASSIC_24) -> Game:
    """A game whose first deal is by West, and what was done in it."""
    state = Game(rules, WEST, lambda _number: rules.pack_in_order())
    push(state, done)
    return state


@pytest.mark.parametrize(
    ("done", "seat", "seats"),
    [
        ("", NORTH, ()),
        ("pass", NORTH, (NORTH,)),
        ("pass", EAST, ()),
        ("pass, pass", NORTH, ()),
        ("pass, order", EAST, (EAST,)),
        ("pass, order, discard 9S", NORTH, ()),
        ("pass, order, discard 9S", EAST, (EAST, WEST)),
        ("pass, order, discard 9S", WEST, (WEST,)),
    ],
)
def test_the_last_action_is_undone_or_an_order_with_the_discard_after_it(
    done: str, seat: int, seats: tuple[int, ...]
) -> None:
    state = game("")
    for words in filter(None, done.split(", ")):
        action = parse_action(words)
        state.push(action if action.kind != "discard" else state.legal_actions()[0])
    assert state.undone_by(seat) == seats


def test_nothing_is_undone_once_another_has_shown_a_card() -> None:
    state = game("order")
    for _ in range(3):  # a discard, and two cards
        state.push(state.legal_actions()[0])
    assert [state.undone_by(seat) for seat in range(4)] == [(), (EAST,), (), ()]
    while state.deal.result is None:
        state.push(state.legal_actions()[0])
    assert not any(state.undone_by(seat) for seat in range(4))
    state.push(state.legal_actions()[0])
    assert not any(state.undone_by(seat) for seat in range(4)), "of the deal before"


def test_seats_that_yield_take_back_what_they_did_since() -> None:
    state = game("order")
    for _ in range(2):  # a discard, and the lead
        state.push(state.legal_actions()[0])
    before = state_of(state.deal)
    for _ in range(3):  # the rest of the trick
        state.push(state.legal_actions()[0])
    assert state.undone_by(EAST, (SOUTH, WEST)) == (EAST, SOUTH, WEST)
    assert state.undone_by(EAST, (SOUTH,)) == (), "West does not yield"
    state.push(Action("undo", 3), EAST)
    assert state.turn == EAST
    assert state_of(state.deal) == before
    while state.deal.result is None:
        state.push(state.legal_actions()[0])
    assert not any(state.undone_by(seat, range(4)) for seat in range(4)), "the hand is over"


def test_neither_the_cut_is_undone_nor_the_suit_of_a_joker() -> None:
    pack = (*PACK[24:28], *PACK[:20], PACK[32], *PACK[20:24], *PACK[28:32])
    state = Game(JOKER_33, WEST, lambda _number: pack)
    push(state, "cut 4")
    assert state.deal.phase == NAMING
    assert not any(state.undone_by(seat) for seat in range(4))
    push(state, "name H")
    assert not any(state.undone_by(seat) for seat in range(4))
    push(state, "pass")
    assert state.undone_by(NORTH) == (NORTH,)


def test_undoing_is_an_action_of_its_own_that_can_be_taken_back() -> None:
    state = game("pass, pass")
    before = state_of(state.deal)
    push(state, "pass, undo 1")
    assert state_of(state.deal) == before
    assert (state.version, state.turn) == (4, SOUTH)
    push(state, "pass")
    state.pop()
    state.pop()
    assert (state.version, state.turn, state.deal.calls[-1]) == (
        3,
        WEST,
        (SOUTH, ("pass", 0, False)),
    )
    assert state.undone == {}


def test_an_order_is_undone_with_the_discard_after_it() -> None:
    state = game("pass, pass, order")
    discard = state.legal_actions()[0]
    state.push(discard)
    state.push(parse_action("undo 2"), SOUTH)
    assert (state.version, state.turn, len(state.deal.calls)) == (5, SOUTH, 2)
    assert state.undone == {4: (parse_action("order"), discard)}
    state.pop()
    assert (state.version, state.turn, len(state.deal.calls)) == (4, NORTH, 3)


@pytest.mark.parametrize(
    ("words", "seat"),
    [("undo 1", NORTH), ("undo 3", NORTH), ("undo 2", EAST), ("undo 3", None), ("undo 1", WEST)],
)
def test_nobody_undoes_what_is_not_the_own_last_action(words: str, seat: int | None) -> None:
    state = game("pass, pass")
    with pytest.raises(IllegalActionError, match=f"You cannot {words} now"):
        state.push(parse_action(words), seat)
    assert state.version == 2


def test_undoing_is_refused_where_there_is_no_such_seat_or_action() -> None:
    state = game("pass")
    with pytest.raises(MalformedError, match="There is no seat 4"):
        state.push(parse_action("undo 1"), 4)
    with pytest.raises(MalformedError, match="is not an action"):
        state.push(parse_action("undo 1")._replace(value=9))
    with pytest.raises(MalformedError, match="'undo 0' is not an action"):
        parse_action("undo 0")
    with pytest.raises(IllegalActionError, match="You cannot undo 1 now"):
        hearts("").push(parse_action("undo 1"))


def test_a_game_with_what_was_undone_is_replayed() -> None:
    discard = game("order").legal_actions()[0]
    done = f"pass, undo 1, order, undo 1, order, {discard}, undo 2, order alone"
    actions = [parse_action(words) for words in done.split(", ")]
    packs = {0: parse_cards(cards_text(CLASSIC_24.pack_in_order()))}
    state = replay(CLASSIC_24, WEST, packs.__getitem__, actions)
    assert state.version == len(actions)
    assert state_of(state.deal) == state_of(game("order alone").deal)
