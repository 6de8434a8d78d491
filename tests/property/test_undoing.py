"""Nobody learns a hidden card by what is undone, and the table is then as it was before.

At every moment of random games each seat that can undo something does, on a copy. Where others
yield, as house players do, their cards that were played since are learnt, and no others.
"""

from __future__ import annotations

from random import Random

import pytest

from games.engine.actions import (
    BEST,
    CUT,
    MAX_UNDONE,
    NAME,
    NEXT,
    PLAY,
    SWAP,
    UNDO,
    Action,
)
from games.engine.cards import cards_in
from games.engine.game import Game
from games.engine.observation import Observation
from games.engine.rules import RuleSet
from tests.chance import ALL_SOURCES, random_action, random_game, seeded


def known(seen: Observation) -> set[int]:
    """The cards that a viewer has seen by now."""
    played = [
        card for trick in (seen.plays, *(one.plays for one in seen.tricks)) for _, card in trick
    ]
    held = (seen.hand, seen.put_away, seen.folded)
    return {card for cards in held for card in cards_in(cards)} | {*played, seen.turn_up} - {-1}


def views(game: Game) -> list[Observation]:
    """What everybody sees, a spectator last."""
    return [game.observe(seat) for seat in (*range(game.rules.players), None)]


def history(rules: RuleSet, seed: str) -> list[tuple[Action, int, list[Observation]]]:
    """What is done in a random game, by whom, and what everybody saw before it."""
    rng, state = Random(seed), random_game(rules, seed)
    done: list[tuple[Action, int, list[Observation]]] = []
    while not state.standing.over and len(done) < 60:
        action = random_action(state, rng)
        done.append((action, state.turn, views(state)))
        state.push(action)
    return done


@pytest.mark.parametrize("source", ALL_SOURCES)
def test_yielded_seats_reveal_only_played_cards(source: str) -> None:
    undone = longest = 0
    for rules, seed in seeded(source, 40):
        done, state = history(rules, seed), random_game(rules, seed)
        everybody = range(rules.players)
        for number, (action, _, _) in enumerate(done, 1):
            state.push(action)
            for seat in {state.turn} - {-1}:
                count = len(state.undone_by(seat, everybody))
                if not count:
                    continue
                undone, longest = undone + 1, max(longest, count)
                since = done[number - count : number]
                before = since[0][2]
                assert [by == seat for _, by, _ in since] == [True] + [False] * (count - 1)
                assert not any(one.kind in (CUT, NAME, NEXT, SWAP, BEST) for one, _, _ in since)
                shown = {one.value for one, _, _ in since if one.kind == PLAY}
                for viewer, (then, now) in enumerate(zip(before, views(state), strict=True)):
                    own = {one.value for one, by, _ in since if by == viewer}
                    assert known(now) - known(then) <= shown | own, (seed, number, viewer)
                state.push(Action(UNDO, count), seat)
                assert views(state) == before
                state.pop()
    assert undone > 100
    assert 2 <= longest <= MAX_UNDONE


@pytest.mark.parametrize("source", ALL_SOURCES)
def test_undoing_reveals_no_card_and_restores_the_table(source: str) -> None:
    undone = 0
    for rules, seed in seeded(source, 120):
        done, state = history(rules, seed), random_game(rules, seed)
        for number, (action, _, _) in enumerate(done, 1):
            state.push(action)
            for seat in range(rules.players):
                count = len(state.undone_by(seat))
                if not count:
                    continue
                undone += 1
                first, by, before = done[number - count]
                assert by == seat
                assert all(
                    one.kind not in (PLAY, NEXT) for one, _, _ in done[number - count + 1 : number]
                )
                shown = {first.value} if first.kind == PLAY else set()
                after = views(state)
                for viewer, (then, now) in enumerate(zip(before, after, strict=True)):
                    learnt = known(now) - known(then)
                    assert learnt <= (shown if viewer != seat else set()), (seed, number, viewer)
                version = state.version
                state.push(Action(UNDO, count), seat)
                assert state.version == version + 1
                assert views(state) == before
                state.pop()
                assert (state.version, views(state)) == (version, after)
    assert undone > 500
