"""When a position is about a hand that was dealt, whatever its suits and seats are called.

What a player knows from the first card on is five cards and the turn-up, and neither the calls nor
the score, the dealer or the rules change which hand it is. So a position is like a deal if its side
to move has the five cards and the turn-up of a seat of the deal, the suits renamed so that the
bowers stay bowers, whoever deals; or renamed in any way if the dealer sits the same, as oneself, as
partner or as an opponent. A hand held after an exchange counts as dealt, too. Another seat whose
cards are all known must be renamed in the first and sit in the second way, so that open hands are
not refused by chance.

Two likenesses more are for those to move who change a card that no longer matters: the same five
cards once the turn-up is turned down, if it is of the same suit; and the same five cards with three
cards or more that others played, all of which these seats were dealt.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations, permutations
from typing import Final, NamedTuple

from games.engine.actions import NINES_AND_TENS
from games.engine.cards import BIT, JOKER, NO_SUIT, cards_in, mask_of, suit_of
from games.engine.rules import HAND, PACK_MASKS, SWAPPED, RuleSet
from games.engine.seats import dealt_to

Renaming = tuple[int, ...]

#: By suit, its new number; and those renamings in which suits of one colour stay so.
_RENAMINGS: Final = tuple(permutations(range(4)))
_BOWERS_KEPT: Final = tuple(new for new in _RENAMINGS if new[0] + new[3] == 3 == new[1] + new[2])
#: From how many cards of other seats on these count in place of the turn-up.
_ENOUGH_PLAYS: Final = 3


class DealtCards(NamedTuple):
    """The hands of a deal as sets, from dealer's left on, and the turn-up."""

    hands: tuple[int, ...]
    turn_up: int

    def held(self, seat: int) -> int:
        """Return the cards a seat may have played: the dealer also the turn-up."""
        taken = BIT[self.turn_up] if seat == len(self.hands) - 1 else 0
        return self.hands[seat] | taken


class AskedHand(NamedTuple):
    """What a position says of a seat all of whose cards are known.

    Attributes:
        moves: it is the side to move.
        deals: how the dealer sits to it, as `dealers_place` says.
        is_turned_down: the turn-up is out of play.
        partner, opponents: the cards that these others played, the opponents by seat.
    """

    cards: int
    turn_up: int
    moves: bool
    deals: int
    is_turned_down: bool
    partner: int
    opponents: tuple[int, ...]


class DealLikeness(NamedTuple):
    """A deal in a form in which a hand is looked up at once."""

    hands: frozenset[int]
    renamed: frozenset[tuple[int, int]]
    with_turn_up: int
    by_hand: dict[int, list[tuple[int, DealtCards]]]


def is_like_any(asked: AskedHand, deals: Sequence[DealLikeness]) -> bool:
    """Return True if a hand of a position is a hand of one of these deals.

    All of them are compared, so that the time it takes says nothing.
    """
    up = BIT[asked.turn_up]
    hand, cards = _pair(asked.cards, up, _BOWERS_KEPT), _lowest(asked.cards)
    renamed = (_pair(asked.cards, up, _RENAMINGS), asked.deals)
    with_turn_up = _lowest(asked.cards | up)
    found = [
        (
            hand in deal.hands
            or renamed in deal.renamed
            or with_turn_up == deal.with_turn_up
            or _is_nearly(asked, deal.by_hand.get(cards, ()))
        )
        if asked.moves
        else hand in deal.hands and renamed in deal.renamed
        for deal in deals
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
    by_hand: dict[int, list[tuple[int, DealtCards]]] = {}
    for seat, hand in enumerate(dealt.hands):
        by_hand.setdefault(_lowest(hand), []).append((seat, dealt))
    players, up = rules.players, BIT[dealt.turn_up]
    holdings = list(_holdings(rules, dealt))
    return DealLikeness(
        frozenset(_pair(hand, up, _BOWERS_KEPT) for _, hand in holdings),
        frozenset(
            (_pair(hand, up, _RENAMINGS), dealers_place(players, players - 1 - seat))
            for seat, hand in holdings
        ),
        _lowest(dealt.held(players - 1)),
        by_hand,
    )


def dealers_place(players: int, after: int) -> int:
    """Return 0 if the dealer sits this many seats after somebody as themselves, 2 as partner."""
    return after % players if after % 2 == 0 else 1


def _holdings(rules: RuleSet, dealt: DealtCards) -> Iterator[tuple[int, int]]:
    """Yield seats with what they were dealt, and what they may have swapped it for."""
    kitty = PACK_MASKS[rules.pack] & ~(sum(dealt.hands) | BIT[dealt.turn_up])
    for seat, hand in enumerate(dealt.hands):
        yield seat, hand
        if rules.farmers_hand:
            for three in combinations(cards_in(hand & NINES_AND_TENS), SWAPPED):
                yield seat, hand & ~mask_of(three) | kitty


def _is_nearly(asked: AskedHand, seats: Iterable[tuple[int, DealtCards]]) -> bool:
    """Return True if enough agrees besides five cards with one of the seats that have them."""
    return any(
        _renamed(asked.cards, new) == dealt.hands[seat]
        and (_turned_down_agrees(asked, new, dealt) or _plays_agree(asked, new, seat, dealt))
        for seat, dealt in seats
        for new in _BOWERS_KEPT
    )


def _turned_down_agrees(asked: AskedHand, new: Renaming, dealt: DealtCards) -> bool:
    suit = suit_of(asked.turn_up)
    return asked.is_turned_down and suit < NO_SUIT and new[suit] == suit_of(dealt.turn_up)


def _plays_agree(asked: AskedHand, new: Renaming, seat: int, dealt: DealtCards) -> bool:
    """Return True if enough cards of others are known, and each was dealt to that other."""
    played = asked.partner.bit_count() + sum(one.bit_count() for one in asked.opponents)
    players = len(dealt.hands)
    if played < _ENOUGH_PLAYS or len(asked.opponents) != players // 2:
        return False
    partner = dealt.held((seat + 2) % players) if players == 4 else 0
    if _renamed(asked.partner, new) & ~partner:
        return False
    others = [dealt.held((seat + step) % players) for step in range(1, players, 2)]
    theirs = [_renamed(cards, new) for cards in asked.opponents]
    return any(
        not any(played & ~held for played, held in zip(theirs, way, strict=True))
        for way in (others, others[::-1])
    )


def _pair(cards: int, turn_up: int, renamings: Iterable[Renaming]) -> int:
    """Return a number that is the same for the same cards and turn-up, renamed in these ways."""
    return min(_renamed(cards, new) << len(BIT) | _renamed(turn_up, new) for new in renamings)


def _lowest(cards: int) -> int:
    """Return a number that is the same for the same cards in suits whose bowers are the same."""
    return min(_renamed(cards, new) for new in _BOWERS_KEPT)


def _renamed(cards: int, new: Sequence[int]) -> int:
    """Return a set with its suits renamed; a Benny counts as a joker."""
    found = BIT[JOKER] if cards >> JOKER else 0
    for suit in range(4):
        found |= (cards >> 8 * suit & 255) << 8 * new[suit]
    return found
