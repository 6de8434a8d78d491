"""Plain alpha-beta over all legal cards, without table, bounds or move ordering.

An oracle for ``games.engine.solver``, and the baseline of ``tests.load.solver_speed``.
"""

from __future__ import annotations

from games.engine.cards import BIT, cards_in
from games.engine.rules import HAND
from games.engine.seats import left_of
from games.engine.solver import Position
from games.engine.tricks import playable, winner


def best_tricks(position: Position, low: int = 0, high: int = HAND) -> int:
    """Return the makers' tricks in the deal, or ``low`` or ``high`` if outside this window."""
    trump, makers, hands, turn, plays, tricks, _ = position
    cards = playable(trump, plays, hands[turn])
    if not cards:
        return tricks[makers]
    for card in cards_in(cards):
        value = best_tricks(played(position, card), low, high)
        if turn % 2 == makers:
            low = max(low, value)
        else:
            high = min(high, value)
        if low >= high:
            break
    return low if turn % 2 == makers else high


def played(position: Position, card: int) -> Position:
    """Return the position after the seat in turn has played a card."""
    trump, makers, hands, turn, plays, tricks, sitting_out = position
    after = left_of(len(hands), sitting_out)
    hands = (*hands[:turn], hands[turn] ^ BIT[card], *hands[turn + 1 :])
    plays = (*plays, (turn, card))
    turn = after[turn]
    if turn == plays[0][0]:
        turn = winner(trump, plays)
        north, east = tricks
        tricks = (north + 1, east) if turn % 2 == 0 else (north, east + 1)
        plays = ()
    return Position(trump, makers, hands, turn, plays, tricks, sitting_out)
