"""A player with a handful of rules, such as a beginner is taught; a frozen opponent.

It bids on points for trumps and aces, alone with a great many. It leads trump when its side has
made trump and else its highest plain card; it takes a trick that an opponent is winning with the
lowest card that will, and throws its lowest card otherwise.
"""

from __future__ import annotations

from random import Random
from typing import Final

from games.engine.actions import DISCARDS, MAKE, PASSED, PLAYS, Action
from games.engine.cards import (
    EFFECTIVE_SUIT,
    JOKER,
    RANKS,
    STRENGTH,
    SUIT_MASK,
    cards_in,
    left_bower,
    rank_of,
    right_bower,
)
from games.engine.observation import DISCARDING, FIRST_ROUND, PLAYING, SECOND_ROUND, Observation
from games.engine.tricks import playable, winner

ACE: Final = RANKS.index("A")
#: Points of a hand with which to make trump, alone, and to take up the turn-up as the dealer.
CALLING: Final = 7.0
ALONE: Final = 11.5


def choose(observation: Observation, rng: Random) -> Action:
    phase, legal = observation.phase, observation.legal
    if phase == PLAYING:
        return PLAYS[_card(observation)]
    if phase in (FIRST_ROUND, SECOND_ROUND):
        return _call(observation)
    if phase == DISCARDING:
        trump = observation.trump
        return DISCARDS[min(cards_in(observation.hand), key=lambda card: _height(trump, card))]
    return rng.choice(legal)


def _call(observation: Observation) -> Action:
    calls = {action: _points(observation, action) for action in observation.legal}
    best = max(calls, key=calls.__getitem__)
    needed = ALONE if best.alone else CALLING
    if PASSED in calls:
        return best if calls[best] >= needed else PASSED
    return best


def _points(observation: Observation, action: Action) -> float:
    if action == PASSED:
        return 0.0
    trump = action.value if action.kind == MAKE else observation.turned_suit
    points = 0.0
    for card in cards_in(observation.hand):
        if EFFECTIVE_SUIT[trump][card] == trump:
            points += 3 if card in (JOKER, right_bower(trump), left_bower(trump)) else 2
        elif rank_of(card) == ACE:
            points += 1
    if observation.phase == FIRST_ROUND:
        side = observation.rules.side_of(observation.turn)
        points += 1 if side == observation.rules.side_of(observation.dealer) else -1
    if action.alone:
        return points if points >= ALONE else 0.0
    return min(points, ALONE - 0.5) if points >= ALONE and observation.rules.alone else points


def _card(observation: Observation) -> int:
    trump, plays, hand = observation.trump, observation.plays, observation.hand
    legal = list(cards_in(playable(trump, plays, hand)))
    if not plays:
        return _lead(observation, legal)
    rules = observation.rules
    ahead = winner(trump, plays)
    strength = STRENGTH[trump][EFFECTIVE_SUIT[trump][plays[0][1]]]
    if rules.side_of(ahead) != rules.side_of(observation.turn):
        best = dict(plays)[ahead]
        winning = [card for card in legal if strength[card] > strength[best]]
        if winning:
            return min(winning, key=lambda card: strength[card])
    return min(legal, key=lambda card: _height(trump, card))


def _lead(observation: Observation, legal: list[int]) -> int:
    trump, rules = observation.trump, observation.rules
    trumps = [card for card in legal if SUIT_MASK[trump][trump] >> card & 1]
    plain = [card for card in legal if card not in trumps]
    made_by_us = rules.side_of(observation.maker) == rules.side_of(observation.turn)
    if trumps and (made_by_us or not plain):
        return max(trumps, key=lambda card: _height(trump, card))
    return max(plain, key=lambda card: _height(trump, card))


def _height(trump: int, card: int) -> int:
    return STRENGTH[trump][EFFECTIVE_SUIT[trump][card]][card]
