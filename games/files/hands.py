"""A hand as a file describes it, checked and replayed in the engine, whatever the file's format.

A placeholder for an unknown card is any card not seen elsewhere that its holder could have kept
without having to follow suit with it. Which one makes no difference, because it is never played.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from games.engine.actions import (
    BEST,
    BESTS,
    DECLINED,
    DEFEND,
    DISCARD,
    DISCARDS,
    GIVE,
    GIVES,
    MAKE,
    ORDER,
    PASS,
    PLAY,
    PLAYS,
    SWAP,
    Action,
)
from games.engine.cards import SUIT_MASK, SUIT_NAMES, cards_in, is_joker, mask_of, suit_of
from games.engine.deal import Deal
from games.engine.errors import EngineError
from games.engine.observation import ASKING, DEFENDING, DISCARDING, FOLDING, GIVING, SWAPPING
from games.engine.rules import DEALERS_LEFT, HAND, MAKER, RuleSet
from games.engine.seats import left_of
from games.engine.tricks import suit_led, winner
from games.files.played import PlayedDeal, PlayedGame
from games.files.strict_json import FileError, FileNode, UnsupportedGameError

#: The points that other formats assume for every game.
POINTS: Final = {"made": 1, "march": 2, "euchre": 2, "skunk": 2, "lone_defence": 4}
#: The phases in which only some rules ask something; where a file says nothing, the answer is no.
_ANSWERED: Final = {FOLDING: "", SWAPPING: SWAP, ASKING: GIVE, GIVING: BEST, DEFENDING: DEFEND}
#: A note of a game of which only a part can be replayed.
ENDS: Final = "The replay ends in hand {number}: {note}."


class Notation(NamedTuple):
    """How a format writes cards, calls and seats, also in errors; an unknown card reads as -1."""

    name: str
    read_card: Callable[[FileNode, RuleSet], int]
    card: Callable[[int], str]
    call: Callable[[Action], str]
    seat: Callable[[int], str]
    no_hand: str


class Bid(NamedTuple):
    """The bidding of a deal; trump and maker are -1 if trump was not made.

    `defender` is who defends alone, or -1.
    """

    steps: tuple[tuple[Action, FileNode], ...]
    trump: int = -1
    maker: int = -1
    alone: bool = False
    ordered: bool = False
    defender: int = -1


#: Somebody's answer to what only some rules ask, and where the file says it.
Answer = tuple[int, Action, FileNode]


class DealStart(NamedTuple):
    """The start of a deal; an unknown hand is None, an unknown card -1.

    `kitty` are the cards known not to have been dealt, without the turn-up.
    """

    rules: RuleSet
    notation: Notation
    dealer: int
    turn_up: int
    hands: tuple[tuple[int, ...] | None, ...]
    kitty: tuple[int, ...]
    place: str


class TricksPlayed(NamedTuple):
    """The (seat, card) tricks up to the first unknown card, which comes next if `cut_short`."""

    tricks: tuple[tuple[tuple[int, int], ...], ...] = ()
    nodes: tuple[FileNode, ...] = ()
    cut_short: bool = False

    @property
    def plays(self) -> list[tuple[int, int]]:
        return [play for plays in self.tricks for play in plays]

    @property
    def cards(self) -> set[int]:
        return {card for _, card in self.plays}

    def by(self, seat: int) -> set[int]:
        return {card for player, card in self.plays if player == seat}


class FileHand(NamedTuple):
    """A deal as described by a file; `discard` is the dealer's, or -1."""

    start: DealStart
    bid: Bid = Bid(())
    played: TricksPlayed = TricksPlayed()
    discard: int = -1
    discard_node: FileNode | None = None
    answers: tuple[Answer, ...] = ()

    @property
    def sitting_out(self) -> tuple[int, ...]:
        return sitting_out(self.start, self.bid)

    @property
    def picks_up(self) -> bool:
        return self.bid.ordered and self.start.dealer not in self.sitting_out[:1]

    @property
    def complete(self) -> bool:
        size = self.start.rules.players - len(self.sitting_out)
        sits_out = self.start.dealer in self.sitting_out
        return len(self.played.cards) == HAND * size and not sits_out


class ReadDeal(NamedTuple):
    """A replayed deal of a file; `note` says why it ends before the file's does, or is empty."""

    deal: Deal
    unknown: frozenset[int] = frozenset()
    note: str = ""


# Reading ----------------------------------------------------------------------------------


def read_cards(
    rules: RuleSet,
    notation: Notation,
    up_card: FileNode,
    listed: Iterable[tuple[FileNode, Iterable[FileNode]]],
    left: Iterable[FileNode],
) -> tuple[int, tuple[tuple[int, ...] | None, ...], tuple[int, ...]]:
    """Return the turn-up, the hands and the kitty, in which no card may be twice."""
    seen: dict[int, str] = {}

    def read(node: FileNode) -> int:
        card = notation.read_card(node, rules)
        if card in seen:
            node.refuse(f"{node.value} was dealt already, at {seen[card]}.")
        if card >= 0:
            seen[card] = node.place
        return card

    turn_up = read(up_card)
    if turn_up < 0:
        up_card.refuse("The card turned up must be known.")
    if is_joker(turn_up):
        reason = f"{notation.name} has no field for the suit that a turned-up joker counts as."
        up_card.refuse(reason)
    hands: list[tuple[int, ...] | None] = []
    for node, held in listed:
        hand = tuple(map(read, held))
        if len(hand) not in (0, HAND):
            none = notation.no_hand
            node.refuse(f"A hand has {HAND} cards; it is {none} where none is known.")
        hands.append(hand or None)
    return turn_up, tuple(hands), tuple([card for card in map(read, left) if card >= 0])


def read_bid(
    calls: Sequence[FileNode], start: DealStart, read: Callable[[FileNode, bool], Action]
) -> Bid:
    """Read the calls; ``read`` takes a call, and whether it belongs to the first round."""
    bid = Bid(())
    players = start.rules.players
    for index, node in enumerate(calls):
        if bid.maker >= 0:
            node.refuse("Trump is made already; no call may follow.")
        action = read(node, index < players)
        bid = bid._replace(steps=(*bid.steps, (action, node)))
        if action.kind != PASS:
            ordered = action.kind == ORDER
            trump = suit_of(start.turn_up) if ordered else action.value
            maker = (start.dealer + 1 + index) % players
            bid = Bid(bid.steps, trump, maker, action.alone, ordered)
    return bid


def sitting_out(start: DealStart, bid: Bid) -> tuple[int, ...]:
    """Return a lone maker's partner, then a lone defender's."""
    lone = (bid.maker, bid.defender)[: bid.alone + (bid.defender >= 0)]
    partners = map(start.rules.partner_of, lone)
    return tuple([seat for seat in partners if seat is not None])


def leader(start: DealStart, bid: Bid) -> int:
    """Return who leads to the first trick."""
    rules, after = start.rules, left_of(start.rules.players, sitting_out(start, bid))
    if not bid.alone or rules.lone_lead == DEALERS_LEFT:
        return after[start.dealer]
    return bid.maker if rules.lone_lead == MAKER else after[bid.maker]


def passed(node: FileNode, start: DealStart, bid: Bid, ends: tuple[int, int], card: int) -> Answer:
    """Return the answer by which a lone maker or the partner gives the other a card.

    ends: who gives it, and who gets it.
    """
    both = {bid.maker, start.rules.partner_of(bid.maker)} if bid.alone else set()
    if not start.rules.partners_best or {*ends} != both or card < 0:
        node.refuse("Only a lone maker and the partner give each other a card, by some rules.")
    return ends[0], (GIVES if ends[0] == bid.maker else BESTS)[card], node


def check_exchange(node: FileNode, start: DealStart, bid: Bid) -> None:
    """Refuse the dealer's discard where there is none."""
    if not bid.ordered:
        node.refuse("Nobody ordered the turn-up, so the dealer discards nothing.")
    if start.dealer in sitting_out(start, bid)[:1]:
        node.refuse("The dealer sits out and discards nothing.")


def check_lead(node: FileNode, start: DealStart, bid: Bid, by_file: int) -> None:
    """Refuse a first lead by another seat than the rules say."""
    leads = leader(start, bid)
    if leads != by_file:
        ours, theirs = start.notation.seat(leads), start.notation.seat(by_file)
        at_left = start.rules.lone_lead == DEALERS_LEFT or not bid.alone
        where = ", at dealer's left," if at_left else ""
        node.refuse(f"{ours.capitalize()}{where} leads here, not {theirs}.")


def read_tricks(
    node: FileNode,
    rows: Sequence[FileNode],
    cards_of: Callable[[FileNode, int], list[FileNode]],
    start: DealStart,
    bid: Bid,
) -> TricksPlayed:
    """Read the tricks; ``cards_of`` returns those of a row in turn, given the seat that leads."""
    rules, out = start.rules, sitting_out(start, bid)
    after = left_of(rules.players, out)
    size = rules.players - len(out)
    tricks: list[tuple[tuple[int, int], ...]] = []
    nodes: list[FileNode] = []
    seen: dict[int, str] = {}
    leads = leader(start, bid)
    if rows and bid.maker < 0:
        node.refuse("Nobody made trump, so no trick can be played.")
    for number, row in enumerate(rows):
        cards = cards_of(row, leads)
        if len(cards) < size and number < len(rows) - 1:
            row.refuse(f"This trick must have {size} cards; only the last may have fewer.")
        seat = leads
        plays: list[tuple[int, int]] = []
        for card_node in cards:
            card = start.notation.read_card(card_node, rules)
            if card < 0:
                return TricksPlayed((*tricks, tuple(plays)), tuple(nodes), cut_short=True)
            if card in seen:
                card_node.refuse(f"{card_node.value} was played before, at {seen[card]}.")
            seen[card] = card_node.place
            plays.append((seat, card))
            nodes.append(card_node)
            seat = after[seat]
        tricks.append(tuple(plays))
        leads = winner(bid.trump, plays)
    return TricksPlayed(tuple(tricks), tuple(nodes))


# Replaying --------------------------------------------------------------------------------


def replayed(entry: FileHand) -> ReadDeal:
    """Replay a deal; raise FileError if something in it could not have been played."""
    rules = entry.start.rules
    _check_holders(entry)
    entry, note = _playable(entry)
    known = [_known(entry, seat) for seat in range(rules.players)]
    filled = _fill(entry, known)
    hands = [[*cards, *filled.get(seat, ())] for seat, cards in enumerate(known)]
    deal = Deal.from_cards(rules, entry.start.dealer, hands, entry.start.turn_up)
    _play(deal, entry)
    unknown = frozenset(card for cards in filled.values() for card in cards)
    return ReadDeal(deal, unknown, note)


def _check_holders(entry: FileHand) -> None:
    """Refuse a card that one seat was dealt and another gave, played or discarded.

    Where cards are exchanged every hand must be known.
    """
    start = entry.start
    if any(hand is None or -1 in hand for hand in start.hands):
        for _, action, node in entry.answers:
            if action.kind != DEFEND:
                node.refuse("Cards change hands here, so all hands must be known.")
    got = {
        (seat if one.kind == SWAP else start.rules.partner_of(seat), card)
        for seat, one, _ in entry.answers
        for card in {SWAP: start.kitty, BEST: (one.value,)}.get(one.kind, ())
    }
    gone = [
        ((seat, one.value), FileNode(start.notation.card(one.value), node.place))
        for seat, one, node in entry.answers
        if one.kind in (GIVE, BEST)
    ]
    gone += zip(entry.played.plays, entry.played.nodes, strict=True)
    if entry.discard_node is not None:
        gone.append(((entry.start.dealer, entry.discard), entry.discard_node))
    for (seat, card), node in gone:
        if (seat, card) in got:
            continue
        for holder, cards in enumerate(start.hands):
            if card >= 0 and holder != seat and card in (cards or ()):
                there, here = start.notation.seat(holder), start.notation.seat(seat)
                node.refuse(f"{node.value} was dealt to {there}, not to {here}.")
        if card in start.kitty:
            node.refuse(f"{node.value} was not dealt, it is left in the kitty.")


def _playable(entry: FileHand) -> tuple[FileHand, str]:
    """Return the part of a deal that can be replayed, and why it is not all of it."""
    if entry.discard_node is not None and entry.discard in entry.played.cards:
        entry.discard_node.refuse(f"{entry.discard_node.value} was not discarded, it was played.")
    if entry.picks_up and entry.discard < 0 and not entry.complete:
        missing = bool(entry.played.tricks) or entry.discard_node is not None
        note = "the dealer’s discard is not known" if missing else ""
        return entry._replace(played=TricksPlayed()), note
    return entry, "a card that was played is not known" if entry.played.cut_short else ""


def _known(entry: FileHand, seat: int) -> list[int]:
    held = {card for card in entry.start.hands[seat] or () if card >= 0}
    if len(held) < HAND:
        held |= entry.played.by(seat)
        if seat == entry.start.dealer and entry.picks_up:
            held.add(entry.discard)
        held -= {entry.start.turn_up, -1}
    if len(held) > HAND:
        who = entry.start.notation.seat(seat).capitalize()
        raise FileError(entry.start.place, f"{who} would be dealt more than {HAND} cards.")
    return sorted(held)


def _fill(entry: FileHand, known: Sequence[Sequence[int]]) -> dict[int, list[int]]:
    seats = [seat for seat, cards in enumerate(known) for _ in range(HAND - len(cards))]
    undealt = [entry.start.turn_up, *entry.start.kitty]
    seen = mask_of([card for cards in known for card in cards] + undealt)
    free = entry.start.rules.pack_mask & ~seen
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


def _play(deal: Deal, entry: FileHand) -> None:
    notation, answers = entry.start.notation, [*entry.answers]
    if entry.bid.steps or answers:
        _answer(deal, entry, answers)
    for action, node in entry.bid.steps:
        _push(deal, action, node.place, notation)
    if entry.picks_up and (entry.discard >= 0 or entry.complete):
        card = entry.discard
        if card < 0:  # it is the one of the dealer's six that was not played or given away
            gifts = {
                one.value: node
                for seat, one, node in answers
                if one.kind == GIVE and seat == deal.dealer
            }
            left = {*cards_in(deal.hands[deal.dealer])} - entry.played.by(deal.dealer)
            if left <= gifts.keys():
                node = next(iter(gifts.values()))
                node.refuse("The dealer plays every other card, so none is left to discard.")
            card = min(left - gifts.keys())
        place = entry.discard_node.place if entry.discard_node else ""
        _push(deal, DISCARDS[card], place, notation)
    if entry.played.plays or answers:
        _answer(deal, entry, answers)
    if answers and deal.phase != DISCARDING:
        answers[0][2].refuse("Nothing of the kind can be done in this hand.")
    for (_, card), node in zip(entry.played.plays, entry.played.nodes, strict=True):
        _push(deal, PLAYS[card], node.place, notation)


def _answer(deal: Deal, entry: FileHand, answers: list[Answer]) -> None:
    """Answer what only some rules ask, with what is taken from the file's answers or with no."""
    while deal.phase in _ANSWERED:
        asked = (deal.turn, _ANSWERED[deal.phase])
        said = [one for one in answers if (one[0], one[1].kind) == asked][:1]
        for one in said:
            answers.remove(one)
        _, action, node = said[0] if said else (-1, DECLINED, None)
        _push(deal, action, node.place if node else entry.start.place, entry.start.notation)


def _push(deal: Deal, action: Action, place: str, notation: Notation) -> None:
    try:
        deal.push(action)
    except EngineError:
        raise FileError(place, _why_not(deal, action, notation)) from None


def _why_not(deal: Deal, action: Action, notation: Notation) -> str:
    """Return why an action is refused and what is allowed, in the file's notation."""
    seat, kind = notation.seat(deal.turn), action.kind
    if kind in (PLAY, DISCARD, GIVE, BEST) and not deal.hands[deal.turn] >> action.value & 1:
        return f"{notation.card(action.value)} is not in the hand of {seat}."
    if kind == PLAY:
        cards = ", ".join(notation.card(card) for _, card, _ in deal.legal_actions())
        suit = SUIT_NAMES[suit_led(deal.trump, deal.plays)]
        return f"{seat.capitalize()} must follow {suit}; it may play {cards}."
    calls = ", ".join(dict.fromkeys(notation.call(call) for call in deal.legal_actions()))
    if kind == MAKE and action.value == deal.turned_suit:
        suit = SUIT_NAMES[action.value].capitalize()
        return f"{suit} was turned down and may not be named; {seat} may call {calls}."
    if kind in (MAKE, ORDER):
        what = notation.call(action)
        return f"The rules of this file do not allow {what} here; {seat} may call {calls}."
    if kind != PASS:
        return f"The rules of this file do not allow {seat} to {action} here."
    return f"The dealer is stuck and may not pass; {seat} may call {calls}."


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


# Writing ----------------------------------------------------------------------------------


#: What no format but Bower's own has a field for, by the beginning of the action.
UNSAID: Final = {"fold": "a hand was folded"}


def deals_to_write(
    game: PlayedGame,
    name: str,
    points: Mapping[str, int],
    *,
    unsaid: Mapping[str, str],
    leads: Container[str],
    number: int | None = None,
) -> list[PlayedDeal]:
    """Return a game's deals, or one by number; raise UnsupportedGameError if `name` has no words.

    points: those that the format assumes for every game. unsaid: what the format cannot say, as
    ``UNSAID``. leads: the kinds of ``lone_lead`` that it can.
    """
    if game.notes:
        raise UnsupportedGameError(f"Only a part of this game is known. {game.notes[0]}")
    for field, worth in points.items():
        applies = game.rules.alone or "alone" not in field
        if field == "lone_defence":
            applies = game.rules.defend_alone
        if applies and getattr(game.rules, field) not in (worth, None):
            reason = f"always counts {worth} for “{field.replace('_', ' ')}”, this game did not."
            raise UnsupportedGameError(f"{name} {reason}")
    dealt = [one for one in game.deals if one.deal.start[0] and number in (None, one.number)]
    if not dealt:
        raise UnsupportedGameError("No hand was dealt in this game.")
    for deal, hand in ((one.deal, f"In hand {one.number}") for one in dealt):
        for what in _unsaid(deal, unsaid, leads):
            raise UnsupportedGameError(f"{hand} {what}; {name} has no field for that.")
        if is_joker(deal.start[1]):
            reason = f"the joker was turned up; {name} has no field for its suit."
            raise UnsupportedGameError(f"{hand} {reason}")
        if deal.result is not None and deal.maker >= 0 and len(deal.tricks) < HAND:
            reason = f"the last cards were laid down; {name} needs every trick played."
            raise UnsupportedGameError(f"{hand} {reason}")
    return dealt


def _unsaid(deal: Deal, unsaid: Mapping[str, str], leads: Container[str]) -> Iterator[str]:
    """Yield what happened in a deal that a format has no field for."""
    for text, what in unsaid.items():
        if any(str(action).startswith(text) for action in deal.actions):
            yield what
    plays = [*(play for trick in deal.tricks for play in trick.plays), *deal.plays]
    lone = deal.alone and deal.rules.lone_lead not in leads
    if plays and lone and plays[0][0] != deal.left_of[deal.dealer]:
        yield "another seat led than dealer’s left"
