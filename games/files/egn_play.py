"""Plays a deal of an EGN file through the engine, with cards found for those it does not tell.

A card nobody saw is replaced by one that it could have been: any card not seen elsewhere that its
holder could have kept without being asked to follow suit with it. Which one makes no difference,
because it is never played.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from games.engine.actions import DISCARD, DISCARDS, MAKE, PLAY, PLAYS, Action
from games.engine.cards import SUIT_MASK, SUIT_NAMES, cards_in, mask_of
from games.engine.deal import Deal
from games.engine.errors import EngineError
from games.engine.rules import HAND, RuleSet
from games.engine.tricks import suit_led
from games.files.egn_deals import Told, TricksPlayed, read_told, write_call
from games.files.egn_rules import write_card
from games.files.reading import FileError, FileNode


class ReadDeal(NamedTuple):
    """A deal as it came out of a file.

    Attributes:
        deal: with everything done that could be done again.
        unknown: cards in it that only stand for unknown ones.
        note: why it ends before the file does, or empty.
    """

    deal: Deal
    unknown: frozenset[int] = frozenset()
    note: str = ""


def read_deal(node: FileNode, rules: RuleSet, *, left_of_loner: bool = False) -> ReadDeal:
    """Read a deal and play it through the engine.

    left_of_loner: whether the seat left of who plays alone leads, by the file.

    Raises:
        FileError: something in it could not have been played.
    """
    told = read_told(node, rules, left_of_loner=left_of_loner)
    _check_holders(told)
    told, note = _playable(told)
    known = [_known(told, seat) for seat in range(rules.players)]
    filled = _fill(told, known)
    hands = [[*cards, *filled.get(seat, ())] for seat, cards in enumerate(known)]
    deal = Deal.from_cards(rules, told.start.dealer, hands, told.start.turn_up)
    _play(deal, told, hands[told.start.dealer])
    unknown = frozenset(card for cards in filled.values() for card in cards)
    return ReadDeal(deal, unknown, note)


def _check_holders(told: Told) -> None:
    """Refuse a card that one seat was dealt and another played or discarded."""
    gone = list(zip(told.played.plays, told.played.nodes, strict=True))
    if told.discard_node is not None:
        gone.append(((told.start.dealer, told.discard), told.discard_node))
    for (seat, card), node in gone:
        for holder, cards in enumerate(told.start.hands):
            if card >= 0 and holder != seat and card in (cards or ()):
                node.refuse(f"{node.value} was dealt to seat {holder}, not to seat {seat}.")


def _playable(told: Told) -> tuple[Told, str]:
    """As much of a deal as can be played again, and why it is not all."""
    if told.discard_node is not None and told.discard in told.played.cards:
        told.discard_node.refuse(f"{told.discard_node.value} was not discarded, it was played.")
    if told.picks_up and told.discard < 0 and not told.complete:
        missing = bool(told.played.tricks) or told.discard_node is not None
        note = "the dealer’s discard is not known" if missing else ""
        return told._replace(played=TricksPlayed()), note
    return told, "a card that was played is not known" if told.played.cut_short else ""


def _known(told: Told, seat: int) -> list[int]:
    """The known ones of the five cards dealt to a seat."""
    held = {card for card in told.start.hands[seat] or () if card >= 0}
    if len(held) < HAND:
        held |= told.played.by(seat)
        if seat == told.start.dealer and told.picks_up:
            held.add(told.discard)
        held -= {told.start.turn_up, -1}
    if len(held) > HAND:
        raise FileError(told.start.place, f"Seat {seat} would be dealt more than {HAND} cards.")
    return sorted(held)


def _fill(told: Told, known: Sequence[Sequence[int]]) -> dict[int, list[int]]:
    """Cards that could have been those not known, by seat."""
    seats = [seat for seat, cards in enumerate(known) for _ in range(HAND - len(cards))]
    seen = mask_of([card for cards in known for card in cards] + [told.start.turn_up])
    free = mask_of(told.start.rules.pack_in_order()) & ~seen
    # What a seat cannot have kept without telling; the dealer may have discarded anything.
    buried = told.start.dealer if told.picks_up and told.discard < 0 else -1
    barred = [
        0 if seat == buried else unheld(told.bid.trump, told.played.tricks, seat) for seat in seats
    ]
    cards = fill(barred, free)
    if cards is None:
        raise FileError(told.start.place, "No cards are left for the hands that are not told.")
    filled: dict[int, list[int]] = {}
    for seat, card in zip(seats, cards, strict=True):
        filled.setdefault(seat, []).append(card)
    return filled


def _play(deal: Deal, told: Told, dealers_hand: Sequence[int]) -> None:
    """Do all that was done, in order."""
    for action, node in told.bid.steps:
        _push(deal, action, node.place)
    if told.picks_up and (told.discard >= 0 or told.complete):
        card = told.discard
        if card < 0:  # it is what the dealer did not play of the six
            card = min({*dealers_hand, deal.turn_up} - told.played.by(deal.dealer))
        _push(deal, DISCARDS[card], told.discard_node.place if told.discard_node else "")
    for (_, card), node in zip(told.played.plays, told.played.nodes, strict=True):
        _push(deal, PLAYS[card], node.place)


def _push(deal: Deal, action: Action, place: str) -> None:
    try:
        deal.push(action)
    except EngineError:
        raise FileError(place, _why_not(deal, action)) from None


def _why_not(deal: Deal, action: Action) -> str:
    """Why an action of a file is refused, and what may stand there, as EGN writes it."""
    seat, kind = deal.turn, action.kind
    if kind in (PLAY, DISCARD) and not deal.hands[seat] >> action.value & 1:
        return f"{write_card(action.value)} is not in the hand of seat {seat}."
    if kind == PLAY:
        cards = ", ".join(write_card(card) for _, card, _ in deal.legal_actions())
        suit = SUIT_NAMES[suit_led(deal.trump, deal.plays)]
        return f"Seat {seat} must follow {suit}; it may play {cards}."
    calls = ", ".join(dict.fromkeys(write_call(call) for call in deal.legal_actions()))
    if kind == MAKE:
        suit = SUIT_NAMES[action.value].capitalize()
        return f"{suit} was turned down and may not be named; seat {seat} may call {calls}."
    return f"The dealer is stuck and must name a suit; seat {seat} may call {calls}."


def unheld(trump: int, tricks: Iterable[Sequence[tuple[int, int]]], seat: int) -> int:
    """The cards that a seat has shown not to hold, as a set: those of the suits not followed.

    Args:
        trump: the trump suit.
        tricks: (seat, card) in the order played.
        seat: whose.
    """
    cards = 0
    for plays in tricks:
        led = SUIT_MASK[trump][suit_led(trump, plays)] if plays else 0
        for player, card in plays:
            if player == seat and not led >> card & 1:
                cards |= led
    return cards


def fill(slots: Sequence[int], free: int) -> list[int] | None:
    """A different card for each slot.

    Args:
        slots: the set of cards that may not go there, for each slot.
        free: the cards there are, as a set.

    Returns:
        A card for each slot, or None when that cannot be (found by augmenting paths).
    """
    slot_of: dict[int, int] = {}

    def place(slot: int, tried: set[int]) -> bool:
        for card in cards_in(free & ~slots[slot]):
            if card not in tried:
                tried.add(card)
                if card not in slot_of or place(slot_of[card], tried):
                    slot_of[card] = slot
                    return True
        return False

    if not all(place(slot, set()) for slot in range(len(slots))):
        return None
    cards = {slot: card for card, slot in slot_of.items()}
    return [cards[slot] for slot in range(len(slots))]
