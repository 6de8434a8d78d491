"""Replays a deal of an EGN file in the engine, with placeholders for unknown cards.

A placeholder is any card not seen elsewhere that its holder could have kept without having to
follow suit with it. Which one makes no difference, because it is never played.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from games.engine.actions import DISCARD, DISCARDS, MAKE, PLAY, PLAYS, Action
from games.engine.cards import SUIT_MASK, SUIT_NAMES, cards_in, mask_of
from games.engine.deal import Deal
from games.engine.errors import EngineError
from games.engine.rules import HAND, PACK_MASKS, RuleSet
from games.engine.tricks import suit_led
from games.files.egn_deals import EgnDeal, TricksPlayed, parse_deal, write_call
from games.files.egn_rules import write_card
from games.files.reading import FileError, FileNode


class ReadDeal(NamedTuple):
    """A replayed deal of a file; `note` says why it ends before the file's does, or is empty."""

    deal: Deal
    unknown: frozenset[int] = frozenset()
    note: str = ""


def read_deal(node: FileNode, rules: RuleSet, *, left_of_loner: bool = False) -> ReadDeal:
    """Read a deal and replay it; raise FileError if something in it could not have been played."""
    entry = parse_deal(node, rules, left_of_loner=left_of_loner)
    _check_holders(entry)
    entry, note = _playable(entry)
    known = [_known(entry, seat) for seat in range(rules.players)]
    filled = _fill(entry, known)
    hands = [[*cards, *filled.get(seat, ())] for seat, cards in enumerate(known)]
    deal = Deal.from_cards(rules, entry.start.dealer, hands, entry.start.turn_up)
    _play(deal, entry, hands[entry.start.dealer])
    unknown = frozenset(card for cards in filled.values() for card in cards)
    return ReadDeal(deal, unknown, note)


def _check_holders(entry: EgnDeal) -> None:
    """Refuse a card that one seat was dealt and another played or discarded."""
    gone = list(zip(entry.played.plays, entry.played.nodes, strict=True))
    if entry.discard_node is not None:
        gone.append(((entry.start.dealer, entry.discard), entry.discard_node))
    for (seat, card), node in gone:
        for holder, cards in enumerate(entry.start.hands):
            if card >= 0 and holder != seat and card in (cards or ()):
                node.refuse(f"{node.value} was dealt to seat {holder}, not to seat {seat}.")


def _playable(entry: EgnDeal) -> tuple[EgnDeal, str]:
    """Return the part of a deal that can be replayed, and why it is not all of it."""
    if entry.discard_node is not None and entry.discard in entry.played.cards:
        entry.discard_node.refuse(f"{entry.discard_node.value} was not discarded, it was played.")
    if entry.picks_up and entry.discard < 0 and not entry.complete:
        missing = bool(entry.played.tricks) or entry.discard_node is not None
        note = "the dealer’s discard is not known" if missing else ""
        return entry._replace(played=TricksPlayed()), note
    return entry, "a card that was played is not known" if entry.played.cut_short else ""


def _known(entry: EgnDeal, seat: int) -> list[int]:
    held = {card for card in entry.start.hands[seat] or () if card >= 0}
    if len(held) < HAND:
        held |= entry.played.by(seat)
        if seat == entry.start.dealer and entry.picks_up:
            held.add(entry.discard)
        held -= {entry.start.turn_up, -1}
    if len(held) > HAND:
        raise FileError(entry.start.place, f"Seat {seat} would be dealt more than {HAND} cards.")
    return sorted(held)


def _fill(entry: EgnDeal, known: Sequence[Sequence[int]]) -> dict[int, list[int]]:
    seats = [seat for seat, cards in enumerate(known) for _ in range(HAND - len(cards))]
    seen = mask_of([card for cards in known for card in cards] + [entry.start.turn_up])
    free = PACK_MASKS[entry.start.rules.pack] & ~seen
    # A seat cannot have kept cards of a suit that it did not follow; but an unknown discard may
    # be any card.
    buried = entry.start.dealer if entry.picks_up and entry.discard < 0 else -1
    barred = [
        0 if seat == buried else unheld(entry.bid.trump, entry.played.tricks, seat)
        for seat in seats
    ]
    cards = fill(barred, free)
    if cards is None:
        raise FileError(entry.start.place, "No cards are left for the unknown hands.")
    filled: dict[int, list[int]] = {}
    for seat, card in zip(seats, cards, strict=True):
        filled.setdefault(seat, []).append(card)
    return filled


def _play(deal: Deal, entry: EgnDeal, dealers_hand: Sequence[int]) -> None:
    for action, node in entry.bid.steps:
        _push(deal, action, node.place)
    if entry.picks_up and (entry.discard >= 0 or entry.complete):
        card = entry.discard
        if card < 0:  # it is the one of the dealer's six that was not played
            card = min({*dealers_hand, deal.turn_up} - entry.played.by(deal.dealer))
        _push(deal, DISCARDS[card], entry.discard_node.place if entry.discard_node else "")
    for (_, card), node in zip(entry.played.plays, entry.played.nodes, strict=True):
        _push(deal, PLAYS[card], node.place)


def _push(deal: Deal, action: Action, place: str) -> None:
    try:
        deal.push(action)
    except EngineError:
        raise FileError(place, _why_not(deal, action)) from None


def _why_not(deal: Deal, action: Action) -> str:
    """Return why an action is refused and what is allowed, in EGN's notation."""
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
    """Return the cards that a seat has shown not to hold: those of the suits it did not follow."""
    cards = 0
    for plays in tricks:
        led = SUIT_MASK[trump][suit_led(trump, plays)] if plays else 0
        for player, card in plays:
            if player == seat and not led >> card & 1:
                cards |= led
    return cards


def fill(slots: Sequence[int], free: int) -> list[int] | None:
    """Assign a different card to each slot by augmenting paths; return None if impossible.

    `slots` holds the cards that each excludes, `free` those to choose from.
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
