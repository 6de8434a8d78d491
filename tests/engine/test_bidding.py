"""Making trump: two rounds, the stuck dealer, the deal nobody wants."""

import pytest

from games.engine.actions import action_text
from games.engine.cards import CLUBS, DIAMONDS, HEARTS, SPADES, UNNAMED
from games.engine.deal import Deal
from games.engine.errors import IllegalActionError
from games.engine.observation import (
    DISCARDING,
    DONE,
    FIRST_ROUND,
    ON_PACK,
    PLAYING,
    SECOND_ROUND,
    TAKEN,
    TURNED_DOWN,
)
from games.engine.rules import HEADS_UP, STICK_THE_DEALER
from games.engine.scoring import THROWN_IN
from tests.engine.build import deal, push, seat

NORTH, EAST, SOUTH, WEST = range(4)


def may(state: Deal) -> str:
    """What may be done, as text."""
    return ", ".join(action_text(action) for action in state.legal_actions())


def test_bidding_starts_at_dealers_left_and_goes_clockwise() -> None:
    bids = deal("QH", dealer="South")
    asked = [bids.turn]
    for _ in range(7):
        push(bids, "pass")
        asked.append(bids.turn)
    assert asked == [WEST, NORTH, EAST, SOUTH] * 2


def test_in_the_first_round_a_player_passes_or_accepts_the_turn_up() -> None:
    assert may(deal("QH")) == "pass, order, order alone"


@pytest.mark.parametrize("passes", range(4))
def test_whoever_accepts_makes_the_turned_suit_trump_and_the_dealer_discards(passes: int) -> None:
    bids = deal("QH", ", ".join(["pass"] * passes + ["order"]))
    assert (bids.trump, bids.maker, bids.alone) == (HEARTS, passes, False)
    assert (bids.phase, bids.turn) == (DISCARDING, WEST)
    assert bids.observe().turn_up_at == TAKEN


def test_turned_down_any_other_suit_may_be_named() -> None:
    bids = deal("QH", "pass, pass, pass, pass")
    assert (bids.phase, bids.turn) == (SECOND_ROUND, NORTH)
    assert bids.observe().turn_up_at == TURNED_DOWN
    assert may(bids) == "pass, make C, make C alone, make D, make D alone, make S, make S alone"


def test_the_suit_turned_down_may_not_be_named() -> None:
    bids = deal("QH", "pass, pass, pass, pass")
    with pytest.raises(
        IllegalActionError, match=r"Hearts was turned down .* you may: pass, make C"
    ):
        push(bids, "make H")


@pytest.mark.parametrize(("made", "trump"), [("C", CLUBS), ("D", DIAMONDS), ("S", SPADES)])
def test_trump_named_in_the_second_round_nobody_exchanges(made: str, trump: int) -> None:
    bids = deal("QH", f"pass, pass, pass, pass, pass, make {made}")
    assert (bids.trump, bids.maker) == (trump, EAST)
    assert (bids.phase, bids.turn) == (PLAYING, NORTH)
    assert bids.observe().held == (5, 5, 5, 5)
    assert bids.observe().turn_up_at == TURNED_DOWN


def test_all_pass_twice_and_the_deal_is_thrown_in() -> None:
    bids = deal("QH", ", ".join(["pass"] * 8))
    assert bids.phase == DONE
    assert bids.result is not None
    assert (bids.result.outcome, bids.result.side, bids.result.points) == (THROWN_IN, -1, 0)
    assert (bids.trump, bids.maker) == (UNNAMED, -1)
    assert bids.legal_actions() == ()


def test_a_stuck_dealer_must_name_a_suit() -> None:
    bids = deal("QH", ", ".join(["pass"] * 7), rules=STICK_THE_DEALER)
    assert bids.turn == bids.dealer == WEST
    assert may(bids) == "make C, make C alone, make D, make D alone, make S, make S alone"
    with pytest.raises(IllegalActionError, match="The dealer is stuck and may not pass"):
        push(bids, "pass")
    push(bids, "make S")
    assert (bids.trump, bids.maker, bids.phase) == (SPADES, WEST, PLAYING)


def test_only_the_dealer_is_stuck_and_only_in_the_second_round() -> None:
    bids = deal("QH", "pass, pass, pass", rules=STICK_THE_DEALER)
    assert (bids.phase, may(bids)[:4]) == (FIRST_ROUND, "pass")
    push(bids, "pass, pass, pass")
    assert may(bids)[:4] == "pass"


def test_two_players_bid_by_turns_and_nobody_plays_alone() -> None:
    bids = deal("QH", dealer="South", rules=HEADS_UP)
    assert may(bids) == "pass, order"
    push(bids, "pass")
    assert (bids.turn, may(bids)) == (seat("South", HEADS_UP), "pass, order")
    push(bids, "pass")
    assert (bids.turn, may(bids)) == (0, "pass, make C, make D, make S")
    push(bids, "pass, pass")
    assert bids.result is not None
    assert bids.result.outcome == THROWN_IN


def test_two_players_the_non_dealer_orders_up_and_leads() -> None:
    bids = deal("QH", "order", dealer="South", rules=HEADS_UP)
    assert (bids.phase, bids.turn, bids.maker) == (DISCARDING, 1, 0)
    push(bids, "discard QH")
    assert (bids.phase, bids.turn) == (PLAYING, 0)


def test_before_anybody_accepts_the_turn_up_lies_on_the_pack() -> None:
    assert deal("QH", "pass").observe().turn_up_at == ON_PACK
