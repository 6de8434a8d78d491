"""What clubs add to lone hands: defending alone, the partner's best, who leads, who may not."""

from dataclasses import replace
from typing import Any

import pytest

from games.engine.actions import Action, parse_action
from games.engine.cards import parse_card
from games.engine.deal import Deal
from games.engine.errors import IllegalActionError, OutOfTurnError
from games.engine.game import Game
from games.engine.observation import ASKING, DEFENDING, DISCARDING, GIVING, PLAYING
from games.engine.rules import CLASSIC_24, MAKER, MAKERS_LEFT, STICK_THE_DEALER, RuleSet
from games.engine.scoring import points_possible, score_deal, settled, stays_with, thrown_in
from games.engine.solver import Position, best_points
from tests.engine.build import cards, deal, hearts, push

NORTH, EAST, SOUTH, WEST = range(4)


def texts(state: Deal) -> list[str]:
    return [str(action) for action in state.legal_actions()]


# Defending alone ----------------------------------------------------------------------------


def test_after_a_lone_call_the_makers_left_and_then_the_right_are_asked() -> None:
    state = hearts("pass, order alone", defend_alone=True)
    assert (state.phase, state.turn, texts(state)) == (DEFENDING, SOUTH, ["decline", "defend"])
    push(state, "decline")
    assert (state.phase, state.turn) == (DEFENDING, NORTH)
    push(state, "decline")
    assert (state.phase, state.turn, state.defender) == (PLAYING, NORTH, -1)
    assert state.answers == ((SOUTH, Action("decline")), (NORTH, Action("decline")))


def test_the_first_who_defends_alone_plays_against_the_maker_alone() -> None:
    state = hearts("pass, order alone, defend", defend_alone=True)
    assert (state.defender, state.sitting_out) == (SOUTH, (WEST, NORTH))
    assert (state.phase, state.turn) == (PLAYING, EAST)  # the first in the hand from dealer's left
    assert state.observe().defender == SOUTH
    while state.result is None:
        assert state.turn in (EAST, SOUTH)
        state.push(state.legal_actions()[0])
    assert [len(trick.plays) for trick in state.tricks] == [2] * 5


def test_nobody_is_asked_unless_the_maker_plays_alone() -> None:
    assert hearts("pass, order, discard QS", defend_alone=True).phase == PLAYING
    with pytest.raises(IllegalActionError, match=r"You cannot defend now \(play\)"):
        push(hearts("pass, order, discard QS", defend_alone=True), "defend")
    with pytest.raises(OutOfTurnError, match="It is South's turn"):
        hearts("pass, order alone", defend_alone=True).push(parse_action("defend"), NORTH)


def test_the_dealer_discards_first_and_the_turn_up_stays_taken_though_the_dealer_sits_out() -> None:
    state = hearts("order alone", defend_alone=True)
    assert (state.phase, state.turn) == (DISCARDING, WEST)
    push(state, "discard QS, defend")
    assert (state.defender, state.sitting_out) == (EAST, (SOUTH, WEST))
    assert state.observe().turn_up_at == "taken by the dealer"


@pytest.mark.parametrize(
    ("changes", "alone", "defended", "taken", "worth"),
    [
        ({}, True, False, 2, ("euchre", 2)),
        ({"euchre": 3, "skunk": 3}, True, False, 0, ("euchre", 3)),
        ({"alone_euchre": 4}, True, False, 0, ("euchre", 4)),
        ({"alone_euchre": 4}, False, False, 2, ("euchre", 2)),
        ({"alone_euchre": 4, "skunk": 5}, True, False, 0, ("skunk", 5)),
        ({"defend_alone": True}, True, True, 2, ("euchre", 4)),
        ({"defend_alone": True, "lone_defence": 6}, True, True, 0, ("euchre", 6)),
        ({"skunk": 5}, True, True, 0, ("skunk", 5)),
        ({"skunk": 5}, True, True, 1, ("euchre", 4)),
        ({"defend_alone": True}, True, True, 3, ("alone", 1)),
        ({"defend_alone": True}, True, True, 5, ("lone march", 4)),
        ({"alone_made": 0}, True, False, 4, ("alone", 0)),
        ({"alone_made": 0}, False, False, 4, ("made", 1)),
        ({"alone_made": 0}, True, False, 5, ("lone march", 4)),
    ],
)
def test_points_of_a_lone_hand(
    changes: dict[str, Any], alone: bool, defended: bool, taken: int, worth: tuple[str, int]
) -> None:
    rules = replace(CLASSIC_24, **changes)
    result = score_deal(rules, 1, (5 - taken, taken), alone=alone, defended=defended)
    assert (result.outcome, result.points) == worth
    assert result.side == (1 if taken >= 3 else 0)


def test_every_number_of_points_that_a_hand_can_be_worth() -> None:
    assert points_possible(replace(CLASSIC_24, alone=False)) == {1, 2}
    assert points_possible(CLASSIC_24) == {1, 2, 4}
    assert points_possible(replace(CLASSIC_24, alone_made=0, alone_euchre=3)) == {0, 1, 2, 3, 4}
    assert points_possible(replace(CLASSIC_24, defend_alone=True, lone_defence=7)) == {1, 2, 4, 7}


def test_a_lone_hand_that_must_take_five_is_settled_once_it_cannot() -> None:
    five = replace(CLASSIC_24, alone_made=0)
    assert settled(five, 0, (3, 1), alone=True)
    assert not settled(five, 0, (2, 1), alone=True)
    assert not settled(five, 0, (4, 0), alone=True)


def test_the_solver_counts_a_lone_defenders_points() -> None:
    state = hearts("pass, order alone, defend", defend_alone=True)
    position = Position.of(state.observe(), state.hands)
    assert position.sitting_out == (WEST, NORTH)
    assert best_points(state.rules, position) == 4
    hands = list(position.hands)
    hands[EAST], hands[SOUTH] = hands[SOUTH], hands[EAST]
    assert best_points(state.rules, position._replace(hands=tuple(hands))) == -4


# The partner's best -------------------------------------------------------------------------


def best(done: str, **changes: Any) -> Deal:
    return hearts(done, partners_best=True, **changes)


def test_a_lone_maker_gives_a_card_away_and_gets_the_one_the_partner_chooses() -> None:
    state = best("pass, order alone")
    assert (state.phase, state.turn) == (ASKING, EAST)
    assert texts(state) == ["decline", *(f"give {card}" for card in ["AC", "JD", "JH", "AH", "AS"])]
    push(state, "give AS")
    assert (state.phase, state.turn) == (GIVING, WEST)
    assert texts(state) == [f"best {card}" for card in ["9D", "TD", "QD", "QS", "KS"]]
    push(state, "best QD")
    assert (state.phase, state.turn) == (PLAYING, NORTH)
    assert state.hands[EAST] == cards("AC JD JH AH QD")
    assert state.hands[WEST] == cards("9D TD QS KS")
    assert state.observe().held == (5, 5, 5, 4)


def test_the_maker_may_play_the_five_cards_dealt() -> None:
    state = best("pass, order alone, decline")
    assert (state.phase, state.hands[EAST]) == (PLAYING, cards("JH JD AH AC AS"))


def test_the_dealer_discards_before_and_defenders_are_asked_after() -> None:
    state = best("order alone", defend_alone=True)
    assert (state.phase, state.turn) == (DISCARDING, WEST)
    push(state, "discard QS")
    assert (state.phase, state.turn) == (ASKING, NORTH)
    push(state, "give 9H, best KH")
    assert (state.phase, state.turn) == (DEFENDING, EAST)


def test_a_dealer_who_takes_it_up_alone_discards_then_gives() -> None:
    state = best("pass, pass, pass, order alone, discard QS")
    assert (state.phase, state.turn) == (ASKING, WEST)
    assert "give QH" in texts(state)


def test_who_sees_the_cards_that_are_given() -> None:
    state = best("pass, order alone, give AS, best QD")
    given, chosen = parse_card("AS"), parse_card("QD")
    hidden = ((EAST, Action("give", -1)), (WEST, Action("best", -1)))
    answers = {viewer: state.observe(viewer).answers for viewer in (None, *range(4))}
    assert answers[EAST] == ((EAST, Action("give", given)), (WEST, Action("best", chosen)))
    assert answers[WEST] == ((EAST, Action("give", -1)), (WEST, Action("best", chosen)))
    assert answers[None] == answers[NORTH] == answers[SOUTH] == hidden
    assert state.observe(EAST).put_away == cards("AS")
    assert state.observe(WEST).put_away == 0
    assert [str(action) for _, action in hidden] == ["give", "best"]
    assert state.observe(EAST).public == state.observe()


def test_only_cards_in_hand_are_given() -> None:
    with pytest.raises(IllegalActionError, match=r"^QD is not in your hand\.$"):
        push(best("pass, order alone"), "give QD")
    with pytest.raises(IllegalActionError, match=r"^AS is not in your hand\.$"):
        push(best("pass, order alone, give AS"), "best AS")
    with pytest.raises(IllegalActionError, match=r"You cannot decline now \(best card\)"):
        push(best("pass, order alone, give AS"), "decline")


def test_it_cannot_be_undone_once_the_maker_has_seen_the_card() -> None:
    rules = replace(CLASSIC_24, partners_best=True)
    game = Game(rules, WEST, lambda _number: rules.pack_in_order())
    push(game, "order alone, discard 9S")
    given = game.legal_actions()[1]
    game.push(given)
    assert game.undone_by(NORTH) == (NORTH,)
    game.push(game.legal_actions()[0])
    assert game.undone_by(NORTH, range(4)) == game.undone_by(SOUTH, range(4)) == ()


# Who leads, and who may not play alone ------------------------------------------------------


@pytest.mark.parametrize(
    ("changes", "done", "leader"),
    [
        ({}, "pass, pass, order alone, discard QS", EAST),
        ({"lone_lead": MAKERS_LEFT}, "pass, pass, order alone, discard QS", WEST),
        ({"lone_lead": MAKER}, "pass, pass, order alone, discard QS", SOUTH),
        ({"lone_lead": MAKERS_LEFT}, "pass, order, discard QS", NORTH),
        ({"lone_lead": MAKER}, "pass, order, discard QS", NORTH),
        ({"lone_lead": MAKERS_LEFT, "defend_alone": True}, "pass, order alone, defend", SOUTH),
        (
            {"lone_lead": MAKERS_LEFT, "defend_alone": True},
            "pass, order alone, decline, defend",
            NORTH,
        ),
        ({"lone_lead": MAKER, "defend_alone": True}, "pass, order alone, decline, defend", EAST),
    ],
)
def test_who_leads_against_a_lone_hand(changes: dict[str, Any], done: str, leader: int) -> None:
    state = hearts(done, **changes)
    assert (state.phase, state.turn) == (PLAYING, leader)


def test_the_dealers_partner_may_accept_only_alone() -> None:
    state = hearts("pass", dealers_partner_alone=True)
    assert texts(state) == ["pass", "order alone"]
    with pytest.raises(IllegalActionError) as why:
        push(state, "order")
    assert str(why.value) == (
        "The dealer’s partner may accept the turn-up only alone; you may: pass, order alone."
    )
    assert texts(hearts("pass, pass", dealers_partner_alone=True)) == texts(hearts(""))
    assert "make C" in texts(hearts("pass, " * 5 + "pass", dealers_partner_alone=True))


def at(score: tuple[int, int], done: str = "", **changes: Any) -> Deal:
    rules = replace(STICK_THE_DEALER, no_lone_near_end=True, **changes)
    made = Deal.from_pack(rules, WEST, rules.pack_in_order(), score=score)
    push(made, done)
    return made


@pytest.mark.parametrize(
    ("score", "north", "east"),
    [((7, 7), True, True), ((8, 0), False, True), ((9, 7), False, True), ((0, 9), True, False)],
)
def test_nobody_plays_alone_whose_side_is_near_the_target(
    score: tuple[int, int], north: bool, east: bool
) -> None:
    assert ("order alone" in texts(at(score))) is north
    assert ("order alone" in texts(at(score, "pass"))) is east
    assert ("make H alone" in texts(at(score, "pass, pass, pass, pass"))) is north


def test_the_score_is_named_where_a_lone_call_comes_too_late() -> None:
    with pytest.raises(IllegalActionError) as why:
        push(at((8, 3)), "order alone")
    assert str(why.value) == "Nobody plays alone with 8 points; you may: pass, order."


def test_the_score_that_counts_is_that_of_the_game() -> None:
    rules = replace(CLASSIC_24, target=4, no_lone_near_end=True, euchre=2)
    game = Game(rules, WEST, lambda _number: rules.pack_in_order())
    while game.standing.deal_number == 1:
        game.push(game.legal_actions()[-1])
    near = [side for side in (0, 1) if 4 - game.standing.score[side] in (1, 2)]
    assert game.deal.score == game.standing.score
    assert near
    for seat in (game.turn, game.rules.after(game.turn)):
        offered = "order alone" in texts(game.deal)
        assert offered is (seat % 2 not in near)
        game.push(parse_action("pass"))


# A trump of one's own -----------------------------------------------------------------------


def own(up: str, done: str = "", **hands: str) -> Deal:
    rules: RuleSet = replace(CLASSIC_24, own_trump=True)
    return deal(up, done, rules=rules, **hands)


def test_a_card_of_the_suit_is_needed_to_make_it_trump() -> None:
    state = own("QH", North="JD 9S TS AS KC")
    assert texts(state) == ["pass"]
    with pytest.raises(IllegalActionError) as why:
        push(state, "order")
    assert str(why.value) == (
        "You hold no card of hearts, so you may not make it trump; you may: pass."
    )
    push(state, "pass, pass, pass, pass")
    assert [one for one in texts(state) if "alone" not in one] == [
        *("pass", "make C", "make D", "make S"),
    ]


def test_the_right_bower_is_one_and_the_dealer_may_count_the_turn_up() -> None:
    assert "order" in texts(own("QH", North="JH 9S TS AS KC"))
    state = own("QH", "pass, pass, pass", West="9S TS AS KC QC")
    assert "order alone" in texts(state)


def test_a_stuck_dealer_who_holds_no_suit_that_is_left_may_pass() -> None:
    state = deal(
        "9H",
        ", ".join(["pass"] * 7),
        rules=replace(CLASSIC_24, own_trump=True, stick_the_dealer=True),
        West="TH JH QH KH AH",
    )
    assert texts(state) == ["pass"]
    push(state, "pass")
    assert state.result == thrown_in()
    assert stays_with(replace(state.rules, target=None, deals=8), thrown_in())
