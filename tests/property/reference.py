"""The rules of play once more, said another way: cards as words, ranks as rows of words.

A second opinion for the engine. Slow, plain and written from the sources alone, it shares no
code and no table with the engine.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from games.engine.rules import RuleSet

SAME_COLOUR = {"C": "S", "S": "C", "D": "H", "H": "D"}


@cache
def trumps(trump: str) -> tuple[str, ...]:
    """All trumps from high to low."""
    bowers = ("Jo", "J" + trump, "J" + SAME_COLOUR[trump])
    return bowers + tuple(rank + trump for rank in "AKQT987")


@cache
def suit_row(suit: str, trump: str) -> tuple[str, ...]:
    """All cards of a suit from high to low once trump is named."""
    if suit == trump:
        return trumps(trump)
    row = tuple(rank + suit for rank in "AKQJT987")
    return tuple(card for card in row if card not in trumps(trump))


def may_play(hand: set[str], led: str | None, trump: str) -> set[str]:
    """The cards of a hand that may be played to the card led (None: it leads itself)."""
    if led is None:
        return hand
    asked = next(row for suit in "CDHS" if led in (row := suit_row(suit, trump)))
    return hand & set(asked) or hand


def taker(plays: Sequence[tuple[int, str]], trump: str) -> int:
    """The seat that takes a trick."""
    led = plays[0][1]
    asked = next(row for suit in "CDHS" if led in (row := suit_row(suit, trump)))
    order = (*trumps(trump), *(card for card in asked if card not in trumps(trump)))
    seats = {card: seat for seat, card in plays}
    return next(seats[card] for card in order if card in seats)


def points(rules: RuleSet, taken: int, *, alone: bool) -> tuple[bool, int]:
    """Whether the makers score, and what is scored, when the makers took so many of five tricks."""
    if taken == 5:
        return True, rules.alone_march if alone else rules.march
    if taken in (3, 4):
        return True, rules.alone_made if alone else rules.made
    return False, rules.skunk if taken == 0 else rules.euchre
