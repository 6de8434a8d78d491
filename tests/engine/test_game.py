"""Deals strung together: who deals next, how a game is won, taking back, playing again."""

from dataclasses import replace

import pytest

from games.engine.actions import NEXT_DEAL, PASSED
from games.engine.errors import IllegalActionError, MalformedError, OutOfTurnError
from games.engine.game import Game
from games.engine.observation import DISCARDING, FIRST_ROUND
from games.engine.rules import CLASSIC_24, HEADS_UP, RuleSet
from games.engine.scoring import THROWN_IN
from tests.engine.build import HEARTS_HANDS, push
from tests.engine.texts import parse_cards, replay

NORTH, EAST, SOUTH, WEST = range(4)


def pack_for(dealer: int) -> tuple[int, ...]:
    """A pack that deals each seat its hand of ``HEARTS_HANDS`` and turns up the queen of hearts."""
    hands = [HEARTS_HANDS[name].split() for name in ("North", "East", "South", "West")]
    order = [hands[(dealer + step) % 4] for step in (1, 2, 3, 4)]
    dealt = [card for hand in order for card in hand[:3]] + [
        card for hand in order for card in hand[3:]
    ]
    return parse_cards(" ".join([*dealt, "QH", "JC", "KD", "AD"]))


def game(rules: RuleSet = CLASSIC_24, first_dealer: int = WEST) -> Game:
    """A game in which every deal by ``first_dealer`` and the next dealers gives those hands."""
    return Game(rules, first_dealer, lambda number: pack_for((first_dealer + number) % 4))


PACK = pack_for(WEST)


def march(state: Game) -> None:
    """East and West make hearts and take every trick."""
    while state.turn != EAST:
        state.push(PASSED)
    push(state, "order")
    if state.deal.phase == DISCARDING:
        state.push(state.deal.legal_actions()[0])
    order = {EAST: ["AC", "JH", "JD", "AH", "AS"]}
    while state.deal.result is None:
        wanted = order.get(state.turn, [])
        legal = state.legal_actions()
        best = [one for name in wanted for one in legal if one.value == parse_cards(name)[0]]
        state.push((best or legal)[0])


def throw_in(state: Game) -> None:
    push(state, ", ".join(["pass"] * (2 * state.rules.players)))


def test_every_deal_of_a_game_is_there_as_it_was_dealt() -> None:
    state = game()
    march(state)
    state.push(NEXT_DEAL)
    throw_in(state)
    first, second = state.deals
    assert (first.dealer, second.dealer, second) == (WEST, NORTH, state.deal)
    assert [len(hands) for hands, _ in (first.start, second.start)] == [4, 4]
    while state.version > 1:
        state.pop()
    assert [one.start for one in state.deals] == [first.start]


def dealers(state: Game, rounds: int) -> list[int]:
    """Who deals when every deal is thrown in."""
    found = []
    for _ in range(rounds):
        found.append(state.deal.dealer)
        throw_in(state)
        state.push(NEXT_DEAL)
    return found


def test_the_deal_passes_left_also_after_a_thrown_in_deal() -> None:
    assert dealers(game(), 5) == [WEST, NORTH, EAST, SOUTH, WEST]


def test_option_a_thrown_in_deal_stays_with_its_dealer() -> None:
    rules = replace(CLASSIC_24, dealer_stays=True)
    state = Game(rules, WEST, lambda _: pack_for(WEST))
    assert dealers(state, 3) == [WEST] * 3


def test_after_three_deals_thrown_in_the_dealer_who_stays_is_stuck() -> None:
    state = Game(replace(CLASSIC_24, dealer_stays=True, stuck_after=3), WEST, lambda _: PACK)
    for _ in range(3):
        throw_in(state)
        state.push(NEXT_DEAL)
    push(state, ", ".join(["pass"] * 7))
    assert PASSED not in state.legal_actions()
    with pytest.raises(IllegalActionError):
        state.push(PASSED)
    assert state.observe(WEST).rules.stick_the_dealer
    push(state, "make C")
    while not state.between_deals:
        state.push(state.legal_actions()[0])
    state.push(NEXT_DEAL)
    throw_in(state)
    assert state.records[-1].result.outcome == THROWN_IN, "the count begins again"


def test_two_who_always_pass_end_a_game_where_the_deal_stays() -> None:
    def always_passing(rules: RuleSet) -> Game:
        packs = [rules.pack_in_order()[first:] + rules.pack_in_order()[:first] for first in (0, 7)]
        state = Game(rules, 0, lambda number: packs[number % 2])
        while not state.standing.over and state.version < 300:
            legal = state.legal_actions()
            state.push(PASSED if PASSED in legal else legal[0])
        return state

    rules = replace(HEADS_UP, target=None, deals=4)
    assert always_passing(replace(rules, stuck_after=3)).standing.deals_counted == 4
    assert not always_passing(rules).records[-1].result.points, (
        "games begun before go on as they did"
    )


def test_a_deal_that_was_played_passes_on_even_so() -> None:
    state = Game(replace(CLASSIC_24, dealer_stays=True), WEST, lambda _: pack_for(WEST))
    march(state)
    state.push(NEXT_DEAL)
    assert state.deal.dealer == NORTH


def test_two_players_deal_by_turns() -> None:
    state = Game(HEADS_UP, 1, lambda _: HEADS_UP.pack_in_order())
    assert dealers(state, 3) == [1, 0, 1]


def test_the_score_and_its_sheet() -> None:
    state = game()
    throw_in(state)
    assert (state.between_deals, state.turn, state.standing.score) == (True, -1, (0, 0))
    state.push(NEXT_DEAL)
    march(state)
    assert state.standing.score == (0, 2)
    first, second = state.records
    assert (first.number, first.dealer, first.maker) == (1, WEST, -1)
    assert (first.result.outcome, first.score) == (THROWN_IN, (0, 0))
    assert (second.number, second.dealer, second.maker, second.alone) == (2, NORTH, EAST, False)
    assert (second.result.outcome, second.score) == ("march", (0, 2))


def test_the_side_that_reaches_the_target_wins_at_once() -> None:
    state = game(replace(CLASSIC_24, target=4))
    march(state)
    assert not state.standing.over
    state.push(NEXT_DEAL)
    march(state)
    assert (state.standing.over, state.standing.winner, state.standing.score) == (True, 1, (0, 4))
    assert (state.between_deals, state.legal_actions()) == (False, ())
    with pytest.raises(IllegalActionError, match=r"^This game is over\.$"):
        state.push(NEXT_DEAL)


def test_a_game_may_end_beyond_its_target() -> None:
    state = game(replace(CLASSIC_24, target=1))
    march(state)
    assert (state.standing.score, state.standing.winner) == ((0, 2), 1)


def test_a_fixed_number_of_deals_counts_only_deals_that_were_played() -> None:
    rules = replace(CLASSIC_24, target=None, deals=1)
    state = Game(rules, WEST, lambda _: pack_for(WEST))
    throw_in(state)
    assert not state.standing.over
    state.push(NEXT_DEAL)
    assert (state.deal.dealer, state.standing.deal_number) == (WEST, 2)
    march(state)
    assert (state.standing.over, state.standing.deals_counted) == (True, 1)
    assert state.standing.winner == 1


def test_a_fixed_number_of_deals_may_be_tied() -> None:
    rules = replace(CLASSIC_24, target=None, deals=2)
    packs = (pack_for(WEST), pack_for(WEST)[5:] + pack_for(WEST)[:5])
    tied = 0
    for pick in range(200):
        state = Game(rules, WEST, lambda number: packs[number % 2])
        while not state.standing.over:
            legal = state.legal_actions()
            state.push(legal[(pick * 7 + state.version * 3) % len(legal)])
        north, east = state.standing.score
        assert state.standing.winner == (-1 if north == east else int(east > north))
        tied += north == east
    assert tied


def test_the_next_deal_waits_for_anybody_at_the_table() -> None:
    state = game()
    throw_in(state)
    with pytest.raises(IllegalActionError, match="cannot pass now: the hand is over; you may: ne"):
        state.push(PASSED)
    with pytest.raises(MalformedError, match="no seat 4"):
        state.push(NEXT_DEAL, 4)
    assert state.legal_actions() == (NEXT_DEAL,)
    state.push(NEXT_DEAL, SOUTH)
    assert (state.standing.deal_number, state.deal.phase) == (2, FIRST_ROUND)


def test_another_seat_is_refused_and_nothing_changes() -> None:
    state = game()
    with pytest.raises(OutOfTurnError, match=r"It is North's turn \(first round\), not East's"):
        state.push(PASSED, EAST)
    with pytest.raises(IllegalActionError, match="cannot deal the next hand now"):
        state.push(NEXT_DEAL, NORTH)
    assert (state.version, state.turn) == (0, NORTH)


def test_taking_back_goes_over_the_border_between_deals() -> None:
    state = game()
    throw_in(state)
    state.push(NEXT_DEAL)
    state.push(PASSED)
    for version in range(9, -1, -1):
        state.pop()
        assert state.version == version
    assert (state.records, state.deal.calls, state.standing.score) == ((), (), (0, 0))
    with pytest.raises(IndexError):
        state.pop()


def test_a_replay_gives_the_same_game() -> None:
    actions = [PASSED] * 8 + [NEXT_DEAL] + [PASSED] * 3
    again = replay(CLASSIC_24, WEST, lambda number: pack_for((WEST + number) % 4), actions)
    assert (again.version, again.turn, again.standing.deal_number) == (12, NORTH, 2)


def test_everybody_seated_may_ask_for_the_next_deal_and_nobody_else() -> None:
    state = game()
    throw_in(state)
    assert state.observe(SOUTH).legal == (NEXT_DEAL,)
    assert state.observe().legal == ()


def test_the_first_dealer_must_have_a_seat() -> None:
    with pytest.raises(MalformedError, match="no seat 2: the seats are 0 to 1"):
        Game(HEADS_UP, 2, lambda _: HEADS_UP.pack_in_order())


def test_a_seat_sees_its_hand_and_the_score() -> None:
    state = game()
    march(state)
    state.push(NEXT_DEAL)
    view = state.observe(EAST)
    assert (view.seat, view.hand) == (EAST, state.deal.hands[EAST])
    assert view.standing == state.standing
    assert view.standing.score == (0, 2)


def test_what_a_waiting_seat_sees_changes_with_the_cards_that_touch_it() -> None:
    state = Game(CLASSIC_24, WEST, lambda _: pack_for(WEST))
    eldest, dealer = state.turn, WEST
    others = [seat for seat in range(4) if seat != eldest]
    assert state.waiting(eldest) is None  # it is asked
    before = {seat: state.waiting(seat) for seat in (*others, None)}
    push(state, "pass")
    assert state.waiting(eldest) is not None
    assert state.waiting(dealer) == before[dealer]
    assert state.waiting(None) == before[None]
    push(state, "order")
    assert state.turn == dealer
    state.push(state.legal_actions()[0])
    lead = state.turn
    after = {seat: state.waiting(seat) for seat in (*range(4), None) if seat != lead}
    assert after[dealer] != before[dealer]  # it knows its discard
    state.push(state.legal_actions()[0])
    still = [seat for seat in after if seat != state.turn]
    assert [seat for seat in still if state.waiting(seat) != after[seat]] == []


def test_who_acted_last_is_known() -> None:
    state = Game(CLASSIC_24, WEST, lambda _: pack_for(WEST))
    assert not state.last_to_act
    first = state.turn
    push(state, "pass")
    assert set(state.last_to_act) == {first}
    second = state.turn
    push(state, "pass")
    assert set(state.last_to_act) == {first, second}
