"""Claims: the rest of a hand may be claimed when no play can still change its result.

Decided from the claimer's observation alone, so that an offered claim reveals no unseen cards.
"""

from __future__ import annotations

from functools import reduce
from operator import or_

from games.engine.cards import (
    BIT,
    EFFECTIVE_SUIT,
    FOLLOWING,
    NOT_BELOW,
    SUIT_MASK,
    cards_in,
    mask_of,
)
from games.engine.observation import PLAYING, TAKEN, Observation
from games.engine.rules import HAND
from games.engine.scoring import results
from games.engine.tricks import Trick, suit_led


def may_claim(seen: Observation) -> bool:
    """Return True if the seat in turn may claim the rest of the hand.

    True when outcome and points are certain, whatever the others hold and however play continues.
    With one card left there is nothing to claim.
    """
    if seen.phase != PLAYING or not seen.my_turn or seen.hand.bit_count() < 2:
        return False
    mine, taken = seen.turn % 2, seen.tricks_won
    least, most = taken[mine] + _sure_tricks(seen), HAND - taken[1 - mine]
    makers = seen.maker % 2
    by_makers = range(least, most + 1) if mine == makers else range(HAND - most, HAND - least + 1)
    ends = results(seen.rules, makers, alone=seen.alone, defended=seen.defender >= 0)
    return len({ends[tricks][:3] for tricks in by_makers}) == 1


def _sure_tricks(seen: Observation) -> int:
    """Return a lower bound of the viewer's tricks still to come."""
    holdings = _possible_holdings(seen)
    outstanding = reduce(or_, holdings.values(), 0)
    if _takes_all(seen, holdings, outstanding):
        return HAND - len(seen.tricks)
    # A trump above all others outstanding takes the trick it is played to, except the current trick
    # if a higher card has been played to it.
    others = outstanding | mask_of([card for _, card in seen.plays])
    not_below = NOT_BELOW[seen.trump][seen.trump]
    trumps = seen.hand & SUIT_MASK[seen.trump][seen.trump]
    return sum([not others & not_below[card] for card in cards_in(trumps)])


def _takes_all(seen: Observation, holdings: dict[int, int], outstanding: int) -> bool:
    """Return True if each card takes its trick in any order, whatever others hold of `holdings`."""
    trump = seen.trump

    def take_if_led(cards: int) -> bool:
        for card in cards_in(cards):
            if outstanding & NOT_BELOW[trump][EFFECTIVE_SUIT[trump][card]][card]:
                return False
        return True

    if not seen.plays:
        return take_if_led(seen.hand)
    led, played = suit_led(trump, seen.plays), [seat for seat, _ in seen.plays]
    others = mask_of([card for _, card in seen.plays])
    for seat, cards in holdings.items():
        if seat not in played:
            others |= cards
    not_below = NOT_BELOW[trump][led]
    for action in seen.legal:
        if others & not_below[action.value] or not take_if_led(seen.hand ^ BIT[action.value]):
            return False
    return True


def _possible_holdings(seen: Observation) -> dict[int, int]:
    """Return the cards each of the other active seats could hold, as far as the viewer knows."""
    tricks = (*seen.tricks, Trick(seen.plays)) if seen.plays else seen.tricks
    known, lacks = seen.hand, [0] * seen.rules.players
    for trick in tricks:
        following = FOLLOWING[seen.trump][trick.plays[0][1]]
        for seat, card in trick.plays:
            known |= BIT[card]
            if not following & BIT[card]:
                lacks[seat] |= following
    known |= seen.put_away
    taken = seen.turn_up_at == TAKEN
    if not taken:
        known |= BIT[seen.turn_up]
    unseen = seen.rules.pack_mask & ~known
    holdings = {}
    for seat in range(seen.rules.players):
        if seat == seen.turn or seat in seen.sitting_out:
            continue
        holdings[seat] = unseen & ~lacks[seat]
        if taken and seat != seen.dealer:
            holdings[seat] &= ~BIT[seen.turn_up]
    return holdings
