"""Cards as small integers, and the only code that knows about bowers and the joker.

A card is ``suit * 8 + rank``; suits are C D H S = 0..3, ranks 7 8 9 T J Q K A = 0..7, the joker
is 32. The numbers are the same in every rule set. A set of cards is an int with one bit a card.

Trump is a suit 0..3, or ``NO_TRUMP`` (4) before it is named; a joker then belongs to the suit
``NO_SUIT`` (4), which is no suit at all.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from games.engine.errors import MalformedError

SUITS: Final = "CDHS"
SUIT_NAMES: Final = ("clubs", "diamonds", "hearts", "spades")
RANKS: Final = "789TJQKA"
CLUBS, DIAMONDS, HEARTS, SPADES = range(4)
NO_SUIT: Final = 4
NO_TRUMP: Final = 4
JACK: Final = RANKS.index("J")
JOKER: Final = 32
CARDS: Final = 33


def suit_of(card: int) -> int:
    """The suit printed on a card (``NO_SUIT`` on the joker)."""
    return card >> 3


def rank_of(card: int) -> int:
    """The rank printed on a card, 0 for a seven to 7 for an ace; 0 on the joker."""
    return card & 7


def next_suit(suit: int) -> int:
    """The other suit of the same colour ("next"): clubs and spades, diamonds and hearts."""
    return 3 - suit


def right_bower(trump: int) -> int:
    """The jack of the trump suit."""
    return trump * 8 + JACK


def left_bower(trump: int) -> int:
    """The jack of the same colour as the trump suit."""
    return next_suit(trump) * 8 + JACK


# The tables -----------------------------------------------------------------------------


def _effective_suit(trump: int, card: int) -> int:
    if trump != NO_TRUMP and card in (JOKER, left_bower(trump)):
        return trump
    return suit_of(card)


def _strength(trump: int, led: int, card: int) -> int:
    """How high a card stands in a trick: trumps 17..33, the suit led 1..8, all others 0."""
    suit = EFFECTIVE_SUIT[trump][card]
    if trump != NO_TRUMP and suit == trump:
        if card == JOKER:
            return 33
        if card == right_bower(trump):
            return 32
        return 31 if card == left_bower(trump) else 17 + rank_of(card)
    return 1 + rank_of(card) if suit == led else 0


#: ``EFFECTIVE_SUIT[trump][card]``: the suit a card belongs to once ``trump`` is named.
EFFECTIVE_SUIT: Final = tuple(
    tuple(_effective_suit(trump, card) for card in range(CARDS)) for trump in range(5)
)

#: ``SUIT_MASK[trump][suit]``: the set of all cards that belong to ``suit`` under ``trump``.
SUIT_MASK: Final = tuple(
    tuple(
        sum(1 << card for card in range(CARDS) if EFFECTIVE_SUIT[trump][card] == suit)
        for suit in range(5)
    )
    for trump in range(5)
)

#: ``BIT[card]``: the set of just this card.
BIT: Final = tuple(1 << card for card in range(CARDS))

#: ``FOLLOWING[trump][card]``: the set of all cards that follow suit when ``card`` is led.
FOLLOWING: Final = tuple(
    tuple(SUIT_MASK[trump][suit] for suit in EFFECTIVE_SUIT[trump]) for trump in range(5)
)

#: ``STRENGTH[trump][led][card]``: who wins a trick has the highest; 0 never wins one.
STRENGTH: Final = tuple(
    tuple(tuple(_strength(trump, led, card) for card in range(CARDS)) for led in range(5))
    for trump in range(5)
)

#: ``LED[trump][card]``: once ``card`` is led, the cards that follow suit, and by card its strength.
LED: Final = tuple(
    tuple((SUIT_MASK[trump][suit], STRENGTH[trump][suit]) for suit in EFFECTIVE_SUIT[trump])
    for trump in range(5)
)


# Sets of cards ----------------------------------------------------------------------------


def cards_in(mask: int) -> Iterator[int]:
    """The cards of a set, lowest number first."""
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low


def mask_of(cards: Iterable[int]) -> int:
    """The set that holds exactly these cards."""
    mask = 0
    for card in cards:
        mask |= 1 << card
    return mask


def sort_key(trump: int, card: int) -> tuple[int, int]:
    """Orders a hand for its owner: trumps first from high to low, then suits in turn colours.

    The left bower and the joker stand among the trumps. With no trump named the joker comes
    first and the suits follow as spades, hearts, clubs, diamonds.
    """
    order = _suit_order(trump)
    suit = EFFECTIVE_SUIT[trump][card]
    return order.index(suit), -STRENGTH[trump][suit][card]


def _suit_order(trump: int) -> tuple[int, ...]:
    if trump == NO_TRUMP:
        return (NO_SUIT, SPADES, HEARTS, CLUBS, DIAMONDS)
    crosses = [
        suit for suit in (SPADES, HEARTS, CLUBS, DIAMONDS) if suit not in (trump, next_suit(trump))
    ]
    return (trump, crosses[0], next_suit(trump), crosses[1])


# Text -------------------------------------------------------------------------------------


def card_text(card: int) -> str:
    """A card in two characters, rank then suit: ``9C``, ``TS``, ``JD``; the joker is ``Jo``."""
    return "Jo" if card == JOKER else RANKS[rank_of(card)] + SUITS[suit_of(card)]


_CARD_OF_TEXT: Final = {card_text(card): card for card in range(CARDS)}


def parse_card(text: str) -> int:
    """Reads what ``card_text`` writes.

    Raises:
        MalformedError: the text is not a card.
    """
    try:
        return _CARD_OF_TEXT[text]
    except KeyError:
        raise MalformedError(
            f"{text[:20]!r} is not a card: a rank of {RANKS} and a suit of {SUITS}, or Jo."
        ) from None


def parse_suit(text: str) -> int:
    """Reads one of the letters C D H S.

    Raises:
        MalformedError: the text is not a suit.
    """
    if len(text) == 1 and text in SUITS:
        return SUITS.index(text)
    raise MalformedError(f"{text[:20]!r} is not a suit: one of {SUITS}.")
