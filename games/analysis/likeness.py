"""When a position is about a hand that was dealt, whatever its suits and seats are called.

What a player knows from the first card on is five cards and the turn-up, and neither the calls nor
the score, the dealer or the rules change which hand it is. So a position is like a deal if its side
to move has the five cards and the turn-up of a seat of the deal, the suits renamed so that the
bowers stay bowers, and a nine counting as a ten, whoever deals; or renamed in any way if the dealer
sits the same, as oneself, as partner or as an opponent. A hand held after an exchange counts as
dealt, too. Another seat whose cards are all known must be renamed in the first and sit in the
second way, so that open hands are not refused by chance.

Two likenesses more are for those to move who change a card that no longer matters: the same five
cards with another turn-up of its suit, if it is turned down or the dealer sits the same; and what a
dealer kept, with another discard.

No likeness may depend on cards that others hold or have played: who asks often enough would learn
from the answers which cards these are. Only a hand that the asker holds may be near (`is_near`):
that answer tells them nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations, permutations
from typing import Final, NamedTuple

from games.engine.actions import NINES_AND_TENS
from games.engine.cards import BIT, JOKER, SUITS, cards_in, mask_of, parse_card
from games.engine.rules import HAND, PACK_MASKS, SWAPPED, RuleSet
from games.engine.seats import dealt_to

Renaming = tuple[int, ...]

#: By suit, its new number; and those renamings in which suits of one colour stay so.
_RENAMINGS: Final = tuple(permutations(range(4)))
_BOWERS_KEPT: Final = tuple(new for new in _RENAMINGS if new[0] + new[3] == 3 == new[1] + new[2])

_NINES: Final = mask_of(parse_card(f"9{suit}") for suit in SUITS)
_TENS: Final = NINES_AND_TENS & ~_NINES


class DealtCards(NamedTuple):
    """The hands of a deal as sets, from dealer's left on, and the turn-up."""

    hands: tuple[int, ...]
    turn_up: int

    @property
    def dealers_six(self) -> int:
        return self.hands[-1] | BIT[self.turn_up]


class AskedHand(NamedTuple):
    """What a position says of a seat all of whose cards are known.

    Attributes:
        moves: it is the side to move.
        deals: how the dealer sits to it, as `dealers_place` says.
        is_turned_down: the turn-up is out of play.
        kept: the five cards of a dealer who has discarded, else 0.
    """

    cards: int
    turn_up: int
    moves: bool
    deals: int
    is_turned_down: bool
    kept: int = 0


#: What a deal is like, as keys that the hands asked about are looked up by.
DealLikeness = frozenset[tuple[str | int, ...]]


class HeldHand(NamedTuple):
    """A hand that the asker holds: the five cards as dealt, and as they are after exchanges."""

    holdings: tuple[int, ...]
    turn_up: int


def is_near(asked: AskedHand, held: HeldHand) -> bool:
    """Return True if one card differs from a hand, or two with the same turn-up.

    Suits may be renamed if the bowers stay bowers.
    """
    hands = [_renamed(cards, range(4)) for cards in (asked.cards, asked.kept) if cards]
    for new in _BOWERS_KEPT:
        same_up = _renamed(BIT[held.turn_up], new) == _renamed(BIT[asked.turn_up], range(4))
        for cards in held.holdings:
            there = _renamed(cards, new)
            most = max((there & hand).bit_count() for hand in hands)
            if asked.moves and most >= HAND - 1 - same_up:
                return True
    return False


def is_like_any(asked: AskedHand, deals: Sequence[DealLikeness]) -> bool:
    """Return True if a hand of a position is a hand of one of these deals.

    All of them are compared, so that the time it takes says nothing.
    """
    up = BIT[asked.turn_up]
    hand = ("hand", _level_pair(asked.cards, up))
    renamed = ("renamed", _pair(asked.cards, up, _RENAMINGS), asked.deals)
    suited = ("suit", _pair(asked.cards, _suit(asked.turn_up), _BOWERS_KEPT))
    six = ("six", _pair(asked.cards | up, 0, _BOWERS_KEPT))
    keys = {hand, renamed, six, (*suited, asked.deals)}
    if asked.is_turned_down:
        keys.add(suited)
    if asked.kept:
        keys.add(("kept", _level_pair(asked.kept, up)))
    found = [
        not keys.isdisjoint(deal) if asked.moves else {hand, renamed} <= deal for deal in deals
    ]
    return any(found)


def likeness(rules: RuleSet, pack: Sequence[int]) -> list[DealLikeness]:
    """Return a deal's likeness, given the pack after the cut; two if packets may be reversed."""
    orders = {rules.packets, rules.packets[::-1]} if rules.reversed_by else {rules.packets}
    return [_of_dealt(rules, _dealt(rules, pack, packets)) for packets in orders]


def _dealt(rules: RuleSet, pack: Sequence[int], packets: tuple[int, ...]) -> DealtCards:
    places = dealt_to(rules.players, packets, rules.players - 1)
    cards = [min(card, JOKER) for card in pack]  # a Benny counts as a joker
    hands = tuple([mask_of([cards[place] for place in held]) for held in places])
    return DealtCards(hands, cards[rules.players * HAND])


def _of_dealt(rules: RuleSet, dealt: DealtCards) -> DealLikeness:
    up, six, suit = BIT[dealt.turn_up], dealt.dealers_six, _suit(dealt.turn_up)
    keys: set[tuple[str | int, ...]] = {("six", _pair(six, 0, _BOWERS_KEPT))}
    keys |= {("kept", _level_pair(six & ~BIT[card], up)) for card in cards_in(six)}
    for seat, hand in enumerate(dealt.hands):
        place = dealers_place(rules.players, rules.players - 1 - seat)
        suited = ("suit", _pair(hand, suit, _BOWERS_KEPT))
        keys |= {suited, (*suited, place)}
        for held in _holdings(rules, dealt, hand):
            keys |= of_exchanged(held, dealt.turn_up)
            keys.add(("renamed", _pair(held, up, _RENAMINGS), place))
    return frozenset(keys)


def of_exchanged(hand: int, turn_up: int) -> DealLikeness:
    """Return the likeness of one hand as it is after an exchange with the partner."""
    return frozenset({("hand", _level_pair(hand, BIT[turn_up]))})


def dealers_place(players: int, after: int) -> int:
    """Return 0 if the dealer sits this many seats after somebody as themselves, 2 as partner."""
    return after % players if after % 2 == 0 else 1


def _holdings(rules: RuleSet, dealt: DealtCards, hand: int) -> Iterator[int]:
    """Yield a hand as it was dealt, and as it may be after a swap."""
    yield hand
    if rules.farmers_hand:
        kitty = PACK_MASKS[rules.pack] & ~(sum(dealt.hands) | BIT[dealt.turn_up])
        for three in combinations(cards_in(hand & NINES_AND_TENS), SWAPPED):
            yield hand & ~mask_of(three) | kitty


def _suit(card: int) -> int:
    """Return a set that stands for the suit printed on a card."""
    return BIT[min(card & ~7, JOKER)]


def _pair(cards: int, turn_up: int, renamings: Iterable[Renaming]) -> int:
    """Return a number that is the same for the same cards and turn-up, renamed in these ways."""
    return min(_renamed(cards, new) << len(BIT) | _renamed(turn_up, new) for new in renamings)


def _level_pair(cards: int, turn_up: int) -> int:
    """Return a number as `_pair` does, in which each lone ten counts as the nine of its suit."""
    return _pair(_levelled(cards), _levelled(turn_up), _BOWERS_KEPT)


def _levelled(cards: int) -> int:
    lone = cards & _TENS & ~((cards & _NINES) << 1)
    return cards & ~lone | lone >> 1


def _renamed(cards: int, new: Sequence[int]) -> int:
    """Return a set with its suits renamed; a Benny counts as a joker."""
    found = BIT[JOKER] if cards >> JOKER else 0
    for suit in range(4):
        found |= (cards >> 8 * suit & 255) << 8 * new[suit]
    return found
