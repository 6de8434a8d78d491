"""Expected tricks of a hand with a given trump suit.

The numbers were fitted to deals played out between house players
(``tests/load/ladder.py`` prints how they bid with them). One set fits every pack because a
trump is rated by how many higher ones the player does not hold.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from math import exp
from typing import Final, NamedTuple

from games.bots.keeping import ACE, KING
from games.bots.memory import BEATEN_BY
from games.engine.cards import EFFECTIVE_SUIT, SUIT_MASK, UNNAMED, cards_in
from games.engine.rules import RuleSet


class Scale(NamedTuple):
    """The tricks that each feature of a hand adds.

    Attributes:
        trumps: a trump with 0, 1, 2, … higher ones not in the hand.
        ace: an ace outside trumps.
        king: the highest card of a suit outside trumps, a king.
        void: a suit not held, with a trump to ruff it.
        made: chance of three tricks, as slope and midpoint of a logistic curve.
        march: chance of all five, likewise.
    """

    trumps: tuple[float, ...]
    ace: float
    king: float
    void: float
    made: tuple[float, float]
    march: tuple[float, float]


WITH_PARTNER: Final = Scale(
    (0.75, 0.57, 0.47, 0.38, 0.32, 0.25), 0.28, 0.06, 0.15, (1.9, 2.53), (1.65, 4.55)
)
#: For a lone hand, or two players.
WITHOUT_PARTNER: Final = Scale(
    (1.2, 0.9, 0.77, 0.7, 0.65, 0.58), 0.55, 0.2, 0.22, (2.4, 2.57), (2.25, 4.38)
)
#: The same without trumps, where each card counts by how many higher ones of its suit are missing.
NO_TRUMP_WITH_PARTNER: Final = Scale((0.57, 0.11, 0.03, 0.0), 0, 0, 0, (1.3, 2.48), (1.33, 4.34))
NO_TRUMP_ALONE: Final = Scale((0.87, 0.32, 0.1, 0.0), 0, 0, 0, (1.56, 2.47), (1.67, 4.2))


def tricks_of(rules: RuleSet, scale: Scale, trump: int, hand: int) -> float:
    if trump > UNNAMED:
        return _of_high_cards(rules.pack_mask, scale, trump, hand)
    trumps = hand & SUIT_MASK[trump][trump]
    plain = hand ^ trumps
    of_trumps = _of_high_cards(rules.pack_mask, scale, trump, trumps)
    return of_trumps + _of_plain(scale, trump, plain, trumps > 0)


@lru_cache(maxsize=1 << 14)
def _of_high_cards(pack: int, scale: Scale, trump: int, cards: int) -> float:
    """Return the tricks of cards by the higher ones of their suits that are not among them."""
    missing = pack & ~cards
    return sum(
        scale.trumps[
            min(
                (missing & BEATEN_BY[trump][EFFECTIVE_SUIT[trump][card]][card]).bit_count(),
                len(scale.trumps) - 1,
            )
        ]
        for card in cards_in(cards)
    )


@lru_cache(maxsize=1 << 16)
def _of_plain(scale: Scale, trump: int, plain: int, ruffs: bool) -> float:
    return sum(
        _side_suit(scale, suit, plain & SUIT_MASK[trump][suit], ruffs=ruffs)
        for suit in range(4)
        if suit != trump
    )


def of_sides(rules: RuleSet, hands: Sequence[int]) -> tuple[float, float]:
    """Return the expected tricks of both sides from the hands dealt, each with its best trump."""
    scale, worths = WITH_PARTNER if rules.players == 4 else WITHOUT_PARTNER, [0.0, 0.0]
    for seat, hand in enumerate(hands):
        worths[rules.side_of(seat)] += max(tricks_of(rules, scale, suit, hand) for suit in range(4))
    return worths[0], worths[1]


def _side_suit(scale: Scale, suit: int, held: int, *, ruffs: bool) -> float:
    if not held:
        return scale.void if ruffs else 0.0
    if held >> (suit * 8 + ACE) & 1:
        return scale.ace
    return scale.king if held >> (suit * 8 + KING) & 1 else 0.0


def chances(scale: Scale, tricks: float) -> tuple[float, float]:
    """Return the chances of at least three tricks and of all five."""
    made, march = (
        1 / (1 + exp(slope * (even - tricks))) for slope, even in (scale.made, scale.march)
    )
    return made, min(made, march)
