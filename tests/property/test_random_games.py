"""What holds at every step of every game, in the published rule sets and in house rules."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import Any

import pytest

from games.engine.actions import (
    BESTS,
    CUTS,
    DECLINED,
    DEFENDS,
    DISCARDS,
    FOLDS,
    GIVE,
    GIVES,
    MAKES,
    NAMES,
    NEXT_DEAL,
    NINES_AND_TENS,
    ORDERS,
    PASSED,
    PLAYS,
    SWAP,
    swaps_of,
)
from games.engine.cards import SUITS, UNNAMED, card_text, cards_in, is_joker, mask_of
from games.engine.deal import Deal
from games.engine.errors import IllegalActionError, OutOfTurnError
from games.engine.game import Game
from games.engine.observation import CUTTING, PLAYING
from games.engine.rules import RuleSet
from games.engine.scoring import FOLDED, THROWN_IN
from tests.chance import ALL_SOURCES, random_action, random_deal, random_game, seeded
from tests.engine.build import points_possible
from tests.engine.texts import replay
from tests.oracle import plain

EVERY_ACTION = (
    PASSED,
    NEXT_DEAL,
    *ORDERS,
    *NAMES,
    *(make for both in MAKES for make in both),
    DECLINED,
    FOLDS,
    DEFENDS,
    *swaps_of(NINES_AND_TENS),
    *DISCARDS,
    *GIVES,
    *BESTS,
    *PLAYS,
    *CUTS,
)
every_source = pytest.mark.parametrize("source", ALL_SOURCES)


def state_of(deal: Deal) -> tuple[Any, ...]:
    """Every slot of a deal, the tricks as they are told; lists copied."""
    slots = [slot for slot in Deal.__slots__ if slot != "_before"]  # it only helps to take back
    values = [deal.tricks if slot == "_tricks" else getattr(deal, slot) for slot in slots]
    return tuple([tuple(value) if isinstance(value, list) else value for value in values])


def state_of_game(game: Game) -> tuple[Any, ...]:
    """Everything a game holds."""
    return game.version, game.records, game.standing, state_of(game.deal)


def cards_seen_once(deal: Deal) -> bool:
    """Whether every card of the pack is in exactly one place."""
    if deal.phase == CUTTING:
        return sorted(deal.pack) == sorted(deal.rules.pack_in_order())
    played = [card for trick in (*deal.tricks, (deal.plays, -1)) for _, card in trick[0]]
    held = [card for hand in deal.hands for card in cards_in(hand)]
    gone = [deal.discarded] if deal.discarded >= 0 else []
    gone += [action.value for _, action in deal.answers if action.kind == GIVE]
    dealt = [card for hand in deal.start[0] for card in cards_in(hand)]
    taken = [deal.turn_up] if deal.observe().turn_up_at == "taken by the dealer" else []
    if any(action.kind == SWAP for _, action in deal.answers):  # what nobody holds was swapped
        dealt = [card for card in deal.rules.pack_in_order() if card != deal.turn_up]
        gone += set(dealt + taken).difference(played, held, gone)
        return len(played + held + gone) == len(set(played + held + gone)) == len(dealt + taken)
    return sorted(played + held + gone) == sorted(dealt + taken) and len(set(dealt)) == len(dealt)


@every_source
def test_a_game_at_every_step(source: str) -> None:
    for rules, seed in seeded(source, 150):
        rng, game = Random(seed), random_game(rules, seed)
        while legal := game.legal_actions():
            assert len(set(legal)) == len(legal)
            before = state_of_game(game)
            action = random_action(game, rng)
            game.push(action)
            game.pop()
            assert state_of_game(game) == before
            game.push(action)
            assert cards_seen_once(game.deal)
            assert game.version == before[0] + 1
        assert game.standing.over
        assert game.deal.result is not None


@every_source
def test_the_score_is_the_sum_of_the_deals(source: str) -> None:
    for rules, seed in seeded(source, 800):
        rng, game = Random(seed), random_game(rules, seed)
        done = []
        while not game.standing.over:
            done.append(random_action(game, rng))
            game.push(done[-1])
        results = [line.result for line in game.records]
        assert {result.points for result in results} <= points_possible(rules)
        idle = (THROWN_IN, FOLDED)
        assert all((result.side < 0) == (result.outcome in idle) for result in results)
        score = tuple(sum(one.points for one in results if one.side == side) for side in (0, 1))
        assert score == game.standing.score
        counted = sum(rules.thrown_in_counts or one.outcome not in idle for one in results)
        if rules.target is None:
            assert counted == rules.deals
        else:
            assert max(score) >= rules.target > max(game.records[-1].score) - results[-1].points
        assert game.standing.winner == (-1 if score[0] == score[1] else int(score[1] > score[0]))


@every_source
def test_replaying_the_actions_gives_the_game(source: str) -> None:
    for rules, seed in seeded(source, 100):
        rng, game = Random(seed), random_game(rules, seed)
        done = []
        while game.legal_actions():
            done.append(random_action(game, rng))
            game.push(done[-1])
            if rng.random() < 0.02:
                twin = random_game(rules, seed)
                again = replay(rules, twin.deal.dealer, twin._packs, done)
                assert state_of_game(again)[:3] == state_of_game(game)[:3]
                assert state_of(again.deal) == state_of(game.deal)


@every_source
def test_every_legal_action_is_accepted_and_every_other_refused(source: str) -> None:
    for rules, seed in seeded(source, 30):
        rng, deal = Random(seed), random_deal(rules, Random(seed))
        while legal := deal.legal_actions():
            before = state_of(deal)
            for action in EVERY_ACTION:
                if action in legal:
                    deal.push(action, deal.turn)
                    deal.pop()
                else:
                    with pytest.raises(IllegalActionError):
                        deal.push(action, deal.turn)
            for seat in set(range(rules.players)) - {deal.turn}:
                with pytest.raises(OutOfTurnError):
                    deal.push(rng.choice(EVERY_ACTION), seat)
            assert state_of(deal) == before
            deal.push(random_action(deal, rng))
        with pytest.raises(IllegalActionError):
            deal.push(rng.choice(EVERY_ACTION))


@every_source
def test_apply_does_what_push_does(source: str) -> None:
    for rules, seed in seeded(source, 150):
        rng, pushed = Random(seed), random_deal(rules, Random(seed))
        applied = random_deal(rules, Random(seed))
        while pushed.legal_actions():
            action = random_action(pushed, rng)
            pushed.push(action)
            applied.apply(action)
            assert [pushed.observe(seat) for seat in (None, *range(rules.players))] == [
                applied.observe(seat) for seat in (None, *range(rules.players))
            ]


def words(mask: int) -> list[str]:
    """Return a set of cards as sorted words, the Benny as the joker that it stands for."""
    return sorted("Jo" if is_joker(card) else card_text(card) for card in cards_in(mask))


def points(rules: RuleSet, taken: int, *, alone: bool, defended: bool) -> tuple[bool, int]:
    """Return whether the makers score, and the points, when they took so many of five tricks."""
    euchre = (alone and rules.alone_euchre) or rules.euchre
    if taken < 3:
        worth = rules.lone_defence if defended else euchre
        return False, max(worth, rules.skunk) if taken == 0 else worth
    if taken == 5:
        return True, rules.alone_march if alone else rules.march
    return True, rules.alone_made if alone else rules.made


@every_source
def test_plain_rules_agree_on_legal_cards_tricks_and_points(source: str) -> None:
    for rules, seed in seeded(source, 400):
        rng, deal = Random(seed), random_deal(rules, Random(seed))
        while legal := deal.legal_actions():
            if deal.phase == PLAYING and deal.trump < UNNAMED:
                led = words(1 << deal.plays[0][1])[0] if deal.plays else None
                expected = plain.may_play(words(deal.hands[deal.turn]), led, SUITS[deal.trump])
                assert words(mask_of(one.value for one in legal)) == expected
            deal.push(random_action(deal, rng))
        for trick in deal.tricks if deal.trump < UNNAMED else ():
            plays = [(seat, words(1 << card)[0]) for seat, card in trick.plays]
            assert trick.winner == plain.taker(plays, SUITS[deal.trump])
        assert deal.result is not None
        if deal.maker >= 0 and not rules.lay_down:
            makers = deal.maker % 2
            taken = sum(1 for trick in deal.tricks if trick.winner % 2 == makers)
            scored = deal.result.side == makers, deal.result.points
            assert scored == points(rules, taken, alone=deal.alone, defended=deal.defender >= 0)


@every_source
def test_claimed_deal_scores_what_playing_it_out_would(source: str) -> None:
    for rules, seed in seeded(source, 150):
        rng, deal = Random(seed), random_deal(replace(rules, lay_down=True), Random(seed))
        while deal.legal_actions():
            deal.push(random_action(deal, rng))
        assert deal.result is not None
        if deal.maker >= 0:
            taken = [deal.won[deal.maker % 2] + more for more in range(6 - len(deal.tricks))]
            worth = {
                points(rules, most, alone=deal.alone, defended=deal.defender >= 0) for most in taken
            }
            assert worth == {(deal.result.side == deal.maker % 2, deal.result.points)}
