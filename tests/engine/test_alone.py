"""Playing alone, from each of the four positions."""

from typing import Any

import pytest

from games.engine.errors import IllegalActionError, OutOfTurnError
from games.engine.observation import DISCARDING, ON_PACK, PLAYING, TAKEN
from tests.engine.build import hearts, push

NORTH, EAST, SOUTH, WEST = range(4)


@pytest.mark.parametrize(
    ("bids", "maker", "sits_out", "leader"),
    [
        ("order alone, discard QS", NORTH, SOUTH, NORTH),
        ("pass, pass, order alone, discard QS", SOUTH, NORTH, EAST),
        ("pass, pass, pass, order alone, discard QS", WEST, EAST, NORTH),
    ],
    ids=["eldest hand", "partner is the opening leader", "the dealer"],
)
def test_the_partner_is_skipped(bids: str, maker: int, sits_out: int, leader: int) -> None:
    state = hearts(bids)
    assert (state.maker, state.sitting_out, state.turn) == (maker, (sits_out,), leader)
    assert state.observe().turn_up_at == TAKEN


def test_a_dealer_who_sits_out_is_not_asked_to_discard() -> None:
    state = hearts("pass, order alone")
    assert (state.maker, state.sitting_out) == (EAST, (WEST,))
    assert (state.phase, state.turn) == (PLAYING, NORTH)
    assert state.observe().held == (5, 5, 5, 5)
    assert state.observe().turn_up_at == ON_PACK
    assert state.discarded == -1


@pytest.mark.parametrize(
    ("passes", "sits_out", "leader"),
    [(0, SOUTH, NORTH), (1, WEST, NORTH), (2, NORTH, EAST), (3, EAST, NORTH)],
)
def test_alone_in_the_second_round(passes: int, sits_out: int, leader: int) -> None:
    state = hearts(", ".join(["pass"] * (4 + passes) + ["make D alone"]))
    assert (state.sitting_out, state.turn) == ((sits_out,), leader)


def test_a_lone_hands_tricks_have_three_cards() -> None:
    state = hearts("pass, order alone, play 9C, play AC, play QC")
    assert [len(trick.plays) for trick in state.tricks] == [3]
    assert state.turn == EAST
    push(state, "play JH, play KH, play 9H")
    assert state.won == (0, 2)


def test_the_one_who_sits_out_cannot_play() -> None:
    state = hearts("pass, order alone")
    with pytest.raises(OutOfTurnError, match="It is North's turn"):
        state.push(state.legal_actions()[0], WEST)


def test_with_a_partner_a_trick_has_four_cards() -> None:
    state = hearts("pass, order")
    assert (state.phase, state.sitting_out) == (DISCARDING, ())
    push(state, "discard QS, play 9C, play AC, play QC, play 9D")
    assert [len(trick.plays) for trick in state.tricks] == [4]


def test_a_rule_set_may_forbid_it() -> None:
    state = hearts("", alone=False)
    with pytest.raises(IllegalActionError, match=r"cannot order alone now .* you may: pass, order"):
        push(state, "order alone")
    push(state, "pass, pass, pass, pass")
    with pytest.raises(IllegalActionError, match="cannot make D alone now"):
        push(state, "make D alone")


def test_a_lone_hand_is_laid_down_when_its_own_points_are_certain() -> None:
    done = "pass, order alone, play 9C, play AC, play QC, play JH, play KH, play 9H"
    third = f"{done}, play JD, play 9S, play TH"
    flat: dict[str, Any] = {"lay_down": True, "alone_made": 3, "alone_march": 3}
    assert hearts(done, **flat).result is None
    result = hearts(third, **flat).result
    assert result is not None
    assert (result.side, result.points, result.tricks) == (1, 3, (0, 3))
    assert hearts(third, lay_down=True).result is None
