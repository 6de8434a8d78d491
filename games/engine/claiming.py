"""Claims: the rest of a hand may be claimed when no play can still change its result.

Decided from the claimer's observation alone, so that an offered claim reveals no unseen cards.
"""

from __future__ import annotations

from functools import reduce
from operator import or_

from games.engine.cards import BIT, EFFECTIVE_SUIT, STRENGTH, SUIT_MASK, cards_in, mask_of
from games.engine.observation import PLAYING, TAKEN, Observation
from games.engine.rules import HAND, PACK_MASKS
from games.engine.scoring import score_deal
from games.engine.tricks import Trick, suit_led


def may_claim(seen: Observation) -> bool:
    """Return True if the seat in turn may claim the rest of the hand.

    True when outcome and points are certain, whatever the others hold and however play continues.
    With one card left there is nothing to claim.
    """
    if seen.phase != PLAYING or not seen.my_turn or seen.hand.bit_count() < 2:
        return False
    rules, makers = seen.rules, seen.rules.side_of(seen.maker)
    mine, taken = rules.side_of(seen.turn), seen.tricks_won
    least = taken[mine] + _sure_tricks(seen)
    most = taken[mine] + HAND - sum(taken)
    possible_results = set()
    for tricks in range(least, most + 1):
        final = (tricks, HAND - tricks) if mine == 0 else (HAND - tricks, tricks)
        result = score_deal(rules, makers, final, alone=seen.alone)
        possible_results.add((result.outcome, result.side, result.points))
    return len(possible_results) == 1


def _sure_tricks(seen: Observation) -> int:
    """Return a lower bound of the viewer's tricks still to come."""
    holdings = _possible_holdings(seen)
    if _takes_all(seen, holdings):
        return HAND - len(seen.tricks)
    # A trump above all others outstanding takes the trick it is played to, except the current trick
    # if a higher card has been played to it.
    led, outstanding = suit_led(seen.trump, seen.plays), reduce(or_, holdings.values(), 0)
    on_table = _best_strength(seen.trump, led, mask_of(card for _, card in seen.plays))
    trumps = seen.hand & SUIT_MASK[seen.trump][seen.trump]
    highest = max(_best_strength(seen.trump, seen.trump, outstanding), on_table)
    return sum(STRENGTH[seen.trump][seen.trump][card] > highest for card in cards_in(trumps))


def _takes_all(seen: Observation, holdings: dict[int, int]) -> bool:
    """Return True if each card takes its trick in any order, whatever others hold of `holdings`."""
    trump, outstanding = seen.trump, reduce(or_, holdings.values(), 0)

    def takes_if_led(card: int) -> bool:
        suit = EFFECTIVE_SUIT[trump][card]
        return STRENGTH[trump][suit][card] > _best_strength(trump, suit, outstanding)

    if not seen.plays:
        return all(takes_if_led(card) for card in cards_in(seen.hand))
    led, played = suit_led(trump, seen.plays), {seat for seat, _ in seen.plays}
    later = reduce(or_, (cards for seat, cards in holdings.items() if seat not in played), 0)
    to_beat = _best_strength(trump, led, later | mask_of(card for _, card in seen.plays))
    return all(
        STRENGTH[trump][led][action.value] > to_beat
        and all(takes_if_led(card) for card in cards_in(seen.hand ^ BIT[action.value]))
        for action in seen.legal
    )


def _best_strength(trump: int, led: int, cards: int) -> int:
    return max((STRENGTH[trump][led][card] for card in cards_in(cards)), default=-1)


def _possible_holdings(seen: Observation) -> dict[int, int]:
    """Return the cards each of the other active seats could hold, as far as the viewer knows."""
    tricks = (*seen.tricks, Trick(seen.plays)) if seen.plays else seen.tricks
    known = seen.hand | mask_of(card for trick in tricks for _, card in trick.plays)
    if seen.discard >= 0:
        known |= BIT[seen.discard]
    if seen.turn_up_at != TAKEN:
        known |= BIT[seen.turn_up]
    unseen = PACK_MASKS[seen.rules.pack] & ~known
    holdings = {}
    for seat in range(seen.rules.players):
        if seat in (seen.turn, seen.sitting_out):
            continue
        holdings[seat] = unseen
        if seen.turn_up_at == TAKEN and seat != seen.dealer:
            holdings[seat] &= ~BIT[seen.turn_up]
        for trick in tricks:
            led = suit_led(seen.trump, trick.plays)
            for player, card in trick.plays:
                if player == seat and EFFECTIVE_SUIT[seen.trump][card] != led:
                    holdings[seat] &= ~SUIT_MASK[seen.trump][led]
    return holdings
