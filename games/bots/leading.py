"""Which card to lead to a trick."""

from __future__ import annotations

from typing import Final

from games.bots.keeping import HEIGHT
from games.bots.memory import Memory, highest
from games.engine.cards import EFFECTIVE_SUIT, SUIT_MASK, cards_in
from games.engine.observation import Observation

#: The tricks after which a defender leads a trump that nobody can beat.
CASHING: Final = 2


def lead(observation: Observation, memory: Memory) -> int:
    """Return the card to lead.

    The makers draw trump while they can afford it; once no opponent has any they cash theirs
    before leading a loser. Late in the deal a defender cashes the best trump. Otherwise lead a
    card that no opponent can beat in its suit, or else the best card of the shortest suit.
    """
    rules = observation.rules
    plain = memory.hand & ~memory.trumps
    made_by_us = rules.side_of(observation.maker) == rules.side_of(observation.turn)
    if not plain or (made_by_us and _leads_trump(memory, plain)):
        return highest(memory.trump, memory.trumps)
    if not made_by_us and len(observation.tricks) >= CASHING and _has_best_trump(memory):
        return highest(memory.trump, memory.trumps)
    winners = [card for card in cards_in(plain) if memory.is_master(card)]

    def length(card: int) -> int:
        suit = EFFECTIVE_SUIT[memory.trump][card]
        return (memory.hand & SUIT_MASK[memory.trump][suit]).bit_count()

    return min(
        winners or cards_in(plain), key=lambda card: (length(card), -HEIGHT[memory.trump][card])
    )


def _leads_trump(memory: Memory, plain: int) -> bool:
    trumps = memory.trumps
    if not trumps:
        return False
    if memory.opponents_trumps:
        return trumps.bit_count() > 1 or _has_best_trump(memory)
    return not all(memory.is_master(card) for card in cards_in(plain))


def _has_best_trump(memory: Memory) -> bool:
    return memory.trumps != 0 and memory.is_master(highest(memory.trump, memory.trumps))
