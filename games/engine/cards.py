"""Cards as small integers, and the only code that knows about bowers and the joker.

A card is ``suit * 8 + rank``; suits are C D H S = 0..3, ranks 7 8 9 T J Q K A = 0..7. The joker is
32, or 33 as the Benny, the two of spades in its place. The numbers are the same in every rule set.
A set of cards is an int with one bit per card.

Trump is a suit 0..3, ``UNNAMED`` (4) before it is made, and in a hand without trumps ``HIGH`` (5),
or ``LOW`` (6) if the lowest card of the suit led takes the trick. A joker's suit is ``NO_SUIT`` (4)
until trump is named.
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
UNNAMED: Final = 4
HIGH: Final = 5
LOW: Final = 6
TRUMPS: Final = range(7)
#: The name and the text of what a maker can name, by number.
TRUMP_NAMES: Final = (*SUIT_NAMES, "", "no trump", "low no trump")
TRUMP_TEXTS: Final = (*SUITS, "", "NT", "LNT")
JACK: Final = RANKS.index("J")
JOKER: Final = 32
BENNY: Final = 33
CARDS: Final = 34


def is_joker(card: int) -> bool:
    """Return True for the joker and for the Benny in its place."""
    return card >= JOKER


def suit_of(card: int) -> int:
    """Return the suit a card has before trump is named (``NO_SUIT`` for a joker)."""
    return card >> 3


def rank_of(card: int) -> int:
    """Return the rank printed on a card, 0 for a seven to 7 for an ace; not of a joker."""
    return card & 7


def next_suit(suit: int) -> int:
    """Return the other suit of the same colour, which players call "next"."""
    return 3 - suit


def right_bower(trump: int) -> int:
    return trump * 8 + JACK


def left_bower(trump: int) -> int:
    return next_suit(trump) * 8 + JACK


# The tables -----------------------------------------------------------------------------


def _effective_suit(trump: int, card: int) -> int:
    if trump < UNNAMED and (is_joker(card) or card == left_bower(trump)):
        return trump
    return suit_of(card)


def _strength(trump: int, led: int, card: int) -> int:
    """Return a card's strength in a trick: trumps 17..33, the suit led 1..8, all others 0."""
    suit = EFFECTIVE_SUIT[trump][card]
    if trump < UNNAMED and suit == trump:
        if is_joker(card):
            return 33
        if card == right_bower(trump):
            return 32
        return 31 if card == left_bower(trump) else 17 + rank_of(card)
    if suit != led:
        return 0
    return 8 - rank_of(card) if trump == LOW else 1 + rank_of(card)


#: ``EFFECTIVE_SUIT[trump][card]``: the suit a card belongs to once ``trump`` is named.
EFFECTIVE_SUIT: Final = tuple(
    tuple(_effective_suit(trump, card) for card in range(CARDS)) for trump in TRUMPS
)

#: ``SUIT_MASK[trump][suit]``: the set of all cards that belong to ``suit`` under ``trump``. So
#: ``SUIT_MASK[trump][trump]`` are the trumps, none in a hand without trumps.
SUIT_MASK: Final = tuple(
    tuple(
        sum(1 << card for card in range(CARDS) if EFFECTIVE_SUIT[trump][card] == suit)
        for suit in TRUMPS
    )
    for trump in TRUMPS
)

#: ``BIT[card]``: the set of just this card.
BIT: Final = tuple(1 << card for card in range(CARDS))

#: ``FOLLOWING[trump][card]``: the set of all cards that follow suit when ``card`` is led.
FOLLOWING: Final = tuple(
    tuple(SUIT_MASK[trump][suit] for suit in EFFECTIVE_SUIT[trump]) for trump in TRUMPS
)

#: ``STRENGTH[trump][led][card]``: the highest wins the trick; 0 never does.
STRENGTH: Final = tuple(
    tuple(tuple(_strength(trump, led, card) for card in range(CARDS)) for led in TRUMPS)
    for trump in TRUMPS
)

#: ``NOT_BELOW[trump][led][card]``: the set of the cards that are not weaker, the card included.
NOT_BELOW: Final = tuple(
    tuple(
        tuple(
            sum(1 << other for other in range(CARDS) if strength[other] >= strength[card])
            for card in range(CARDS)
        )
        for strength in of_trump
    )
    for of_trump in STRENGTH
)

#: ``LED[trump][card]``: the cards that follow suit when ``card`` is led, and each card's strength.
LED: Final = tuple(
    tuple((SUIT_MASK[trump][suit], STRENGTH[trump][suit]) for suit in EFFECTIVE_SUIT[trump])
    for trump in TRUMPS
)


#: The set of the cards without a face: all but aces, kings, queens, jacks and jokers.
PIPS: Final = sum(1 << card for card in range(JOKER) if rank_of(card) < JACK)


# Sets of cards ----------------------------------------------------------------------------


def cards_in(mask: int) -> Iterator[int]:
    """Yield the cards of a set, lowest number first."""
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low


def mask_of(cards: Iterable[int]) -> int:
    mask = 0
    for card in cards:
        mask |= 1 << card
    return mask


def sort_key(trump: int, card: int) -> tuple[int, int]:
    """Return a key that sorts a hand: trumps first, high to low, then suits of alternating colour.

    The left bower and the joker count as trumps. Before trump is named, and in a hand without
    trumps, the joker comes first, then spades, hearts, clubs and diamonds.
    """
    return SORT_KEYS[trump][card]


def _sort_key(trump: int, card: int) -> tuple[int, int]:
    suit = EFFECTIVE_SUIT[trump][card]
    return _suit_order(trump).index(suit), -STRENGTH[trump][suit][card]


def _suit_order(trump: int) -> tuple[int, ...]:
    if trump >= UNNAMED:
        return (NO_SUIT, SPADES, HEARTS, CLUBS, DIAMONDS)
    crosses = [
        suit for suit in (SPADES, HEARTS, CLUBS, DIAMONDS) if suit not in (trump, next_suit(trump))
    ]
    return (trump, crosses[0], next_suit(trump), crosses[1])


#: ``SORT_KEYS[trump][card]``: as ``sort_key`` returns it.
SORT_KEYS: Final = tuple(tuple(_sort_key(trump, card) for card in range(CARDS)) for trump in TRUMPS)


# Text -------------------------------------------------------------------------------------


def card_text(card: int) -> str:
    """Return a card as two characters, rank and suit: ``9C``, ``TS``; a joker ``Jo`` or ``2S``."""
    return CARD_TEXTS[card]


#: The text of each card, by number.
CARD_TEXTS: Final = (
    *(RANKS[rank_of(card)] + SUITS[suit_of(card)] for card in range(JOKER)),
    *("Jo", "2S"),
)
_CARD_OF_TEXT: Final = {text: card for card, text in enumerate(CARD_TEXTS)}


def parse_card(text: str) -> int:
    """Parse the text of ``card_text``; raise MalformedError if it is not a card."""
    try:
        return _CARD_OF_TEXT[text]
    except KeyError:
        raise MalformedError(
            f"{text[:20]!r} is not a card: a rank of {RANKS} and a suit of {SUITS}, or Jo."
        ) from None


def parse_suit(text: str) -> int:
    """Parse one of the letters C D H S; raise MalformedError for any other text."""
    if len(text) == 1 and text in SUITS:
        return SUITS.index(text)
    raise MalformedError(f"{text[:20]!r} is not a suit: one of {SUITS}.")
