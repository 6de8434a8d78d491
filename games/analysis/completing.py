"""A whole deal that agrees with what is known of one.

Each card of the pack is dealt to one slot: five of each seat and those left under the turn-up. A
known card may only go to certain slots, the others wherever no seat has shown to hold none of the
suit. Known cards are matched to slots first and the free slots filled afterwards, by augmenting
paths, which never take a card that is placed out again.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

from games.engine.actions import (
    BEST,
    DECLINE,
    DEFEND,
    DISCARD,
    FOLD,
    GIVE,
    MAKE,
    NAME,
    NINES_AND_TENS,
    ORDER,
    PASS,
    PLAY,
    SWAP,
    Action,
)
from games.engine.cards import BIT, SUIT_MASK, UNNAMED, cards_in, mask_of
from games.engine.deal import Deal
from games.engine.errors import EngineError
from games.engine.observation import (
    ASKING,
    DEFENDING,
    DISCARDING,
    FIRST_ROUND,
    FOLDING,
    GIVING,
    NAMING,
    PLAYING,
    SECOND_ROUND,
    SWAPPING,
)
from games.engine.rules import HAND, SWAPPED, RuleSet
from games.files.hands import unheld

if TYPE_CHECKING:
    from games.analysis.positions import BoardPosition

_KINDS: Final = {
    NAMING: (NAME,),
    SWAPPING: (SWAP, DECLINE),
    FOLDING: (FOLD, DECLINE),
    FIRST_ROUND: (PASS, ORDER),
    SECOND_ROUND: (PASS, MAKE),
    DISCARDING: (DISCARD,),
    ASKING: (GIVE, DECLINE),
    GIVING: (BEST,),
    DEFENDING: (DEFEND, DECLINE),
    PLAYING: (PLAY,),
}
_KITTY: Final = -1
#: The slots of cards that leave no hand before the play.
_HELD: Final = ""


class PositionError(Exception):
    """Why a position cannot be: `reason` is a sentence.

    `place` is where it stands: ``hand-<seat>``, ``rules``, ``dealer``, ``score``, ``turn_up``,
    ``kitty``, ``calls``, ``plays``, or empty for the whole. `advice` says what helps, `cards` are
    those to mark. `missing`: nothing is wrong, but something is not known yet.
    """

    def __init__(
        self, place: str, reason: str, advice: str = "", cards: int = 0, *, missing: bool = False
    ) -> None:
        super().__init__(reason)
        self.place, self.reason = place, reason
        self.advice, self.cards, self.missing = advice, cards, missing


class Completion(NamedTuple):
    """A whole deal up to the moment asked for; `unknown` are the cards dealt by a guess.

    Cards left under the turn-up that nobody gets are never in `unknown`.
    """

    deal: Deal
    unknown: int


class _Slot(NamedTuple):
    """A place for a card: a seat or `_KITTY`; which act takes it out of play, and what it holds.

    `may_hold` are the cards that it may get by a guess, `only` all that it may have, known or not.
    """

    place: int
    leaves: str
    may_hold: int
    only: int = -1


def steps(
    rules: RuleSet, dealer: int, turn_up: int, actions: Sequence[Action]
) -> tuple[list[tuple[int, Action]], Deal]:
    """Return the actions with their seats, and the deal after them without its hands.

    The hands are not needed for that. Raise PositionError for an action that its phase has not.
    """
    pack = [card for card in rules.pack_in_order() if card != turn_up]
    dealt = [pack[seat * HAND : (seat + 1) * HAND] for seat in range(rules.players)]
    deal = Deal.from_cards(rules, dealer, dealt, turn_up)
    deal.hands = [0] * rules.players
    found: list[tuple[int, Action]] = []
    for action in actions:
        where = "plays" if action.kind == PLAY else "calls"
        cards = sum(before.kind == PLAY for _, before in found)
        if deal.result is not None or cards == HAND * (rules.players - len(deal.sitting_out)):
            raise PositionError(where, "The hand was over before the last of these.")
        if action.kind not in _KINDS[deal.phase]:
            raise PositionError(where, f"“{action}” cannot be next ({deal.phase}).")
        found.append((deal.turn, action))
        deal.apply(action._replace(value=0) if action.value < 0 else action)
    return found, deal


def plays_of(deal: Deal) -> list[tuple[int, int]]:
    """Return the seats and cards of all plays in order."""
    return [*(play for trick in deal.tricks for play in trick.plays), *deal.plays]


def complete(position: BoardPosition) -> Completion:
    """Return one whole deal with the known cards and actions; raise PositionError if none is.

    The same position gives the same deal.
    """
    found, shape = steps(position.rules, position.dealer, position.turn_up, position.actions)
    puzzle = _Puzzle(position, found, shape)
    wrong = PositionError("", "No deal of this pack agrees with all of this.")
    for slots in puzzle.alternatives():
        placed = puzzle.match(slots)
        if placed is None:
            continue
        try:
            deal = _replayed(puzzle, slots, placed)
        except EngineError as why:
            wrong = PositionError("plays" if shape.phase == PLAYING else "calls", str(why))
            continue
        pairs = zip(slots, placed, strict=True)
        return Completion(deal, mask_of(card for slot, card in pairs if puzzle.hides(card, slot)))
    raise wrong


class _Puzzle:
    """Which slots there are, and which of them each known card may take."""

    def __init__(
        self, position: BoardPosition, found: Sequence[tuple[int, Action]], shape: Deal
    ) -> None:
        self.position, self.found, self.shape = position, found, shape
        self.rules, self.dealer = position.rules, position.dealer
        self.hands, self.kitty, self.turn_up = position.hands, position.kitty, position.turn_up
        self.acts = {action.kind: (seat, action.value) for seat, action in found}
        self.swapper, self.swapped_out = self.acts.get(SWAP, (-1, 0))
        tricks = (*(trick.plays for trick in shape.tricks), shape.plays)
        self.unheld = [unheld(shape.trump, tricks, seat) for seat in range(self.rules.players)]
        #: By card, the seat that played it or put it away.
        self.shown: dict[int, int] = {}
        for seat, action in found:
            if action.kind in (PLAY, DISCARD, GIVE, BEST) and action.value >= 0:
                self.shown.setdefault(action.value, seat)
        self.known = mask_of(self.shown) | self.swapped_out | self.kitty | BIT[self.turn_up]
        for cards in self.hands:
            self.known |= cards

    def alternatives(self) -> Iterator[list[_Slot]]:
        """Yield sets of slots to try, of which one is enough: the turn-up may be the discard."""
        hidden = self.acts.get(DISCARD, (-1, 0))[1] < 0
        turn_up_kept = not hidden or self.shown.get(self.turn_up) == self.dealer
        ways = [True] if turn_up_kept else [True, False]
        if hidden and self.unheld[self.dealer] >> self.turn_up & 1 and not turn_up_kept:
            ways = [False]
        for discards_own in ways:
            slots = self._slots(hides_discard=hidden and discards_own)
            yield slots
            yield from self._with_own_trump(slots)

    def _slots(self, *, hides_discard: bool) -> list[_Slot]:
        rules, pack = self.rules, self.rules.pack_mask
        slots = []
        for seat in range(rules.players):
            leaves = [(DISCARD, pack)] if hides_discard and seat == self.dealer else []
            for kind, cards in ((GIVE, pack), (BEST, pack & ~self.unheld[self.shape.maker])):
                if self.acts.get(kind) == (seat, -1):
                    leaves.append((kind, cards))
            if seat == self.swapper:
                leaves += [(SWAP, NINES_AND_TENS)] * SWAPPED
            leaves = leaves[:HAND]
            held = [(_HELD, pack & ~self.unheld[seat])] * (HAND - len(leaves))
            slots += [_Slot(seat, kind, cards) for kind, cards in (*leaves, *held)]
        left = rules.pack - rules.players * HAND - 1
        taken = self.unheld[self.swapper] if self.swapper >= 0 else 0
        return [*slots, *[_Slot(_KITTY, _HELD, pack & ~taken)] * left]

    def _with_own_trump(self, slots: list[_Slot]) -> Iterator[list[_Slot]]:
        """Yield the slots with one that has a card of the maker's suit, where the rules ask it."""
        deal, trump = self.shape, self.shape.trump
        if not self.rules.own_trump or deal.maker < 0 or trump >= UNNAMED:
            return
        places = (deal.maker, _KITTY) if deal.maker == self.swapper else (deal.maker,)
        for index, slot in enumerate(slots):
            if slot.place in places and slot.leaves != SWAP:
                named = slot._replace(only=SUIT_MASK[UNNAMED][trump])
                yield [*slots[:index], named, *slots[index + 1 :]]

    def _may_take(self, card: int, slot: _Slot) -> bool:
        """Return True if a card may go to a slot."""
        if card == self.turn_up or not slot.only >> card & 1:
            return False
        if not self.known >> card & 1:
            return slot.may_hold >> card & 1 == 1
        place = _KITTY if self.kitty >> card & 1 else slot.place
        for seat, cards in enumerate(self.hands):
            place = seat if cards >> card & 1 else place
        return place == slot.place and self._agrees_with_acts(card, slot)

    def _agrees_with_acts(self, card: int, slot: _Slot) -> bool:
        """Return True if a known card at a slot agrees with whoever played it or put it away."""
        player = self.shown.get(card)
        if self.swapped_out:
            swaps = slot.place == self.swapper and slot.leaves == SWAP
            if swaps or self.swapped_out >> card & 1:
                return swaps and self.swapped_out >> card & 1 == 1
        if player is None:
            return slot.may_hold >> card & 1 == 1
        if slot.place == _KITTY:
            return player == self.swapper
        if slot.leaves == BEST and player == self.shape.maker:  # the partner gave it
            return slot.may_hold >> card & 1 == 1
        return slot.place == player and slot.leaves == _HELD

    def match(self, slots: Sequence[_Slot]) -> list[int] | None:
        """Return the card of each slot, or None if that is impossible."""
        cards = [card for card in cards_in(self.rules.pack_mask) if card != self.turn_up]
        fits = {
            card: [index for index, slot in enumerate(slots) if self._may_take(card, slot)]
            for card in cards
        }
        slot_of: dict[int, int] = {}
        card_in: dict[int, int] = {}

        def place(card: int, tried: set[int]) -> bool:
            for index in fits[card]:
                if index in tried:
                    continue
                tried.add(index)
                if index not in card_in or place(card_in[index], tried):
                    card_in[index], slot_of[card] = card, index
                    return True
            return False

        known = [card for card in cards if self.known >> card & 1]
        if not all(place(card, set()) for card in known):
            return None
        for card in cards:
            if card not in slot_of:
                place(card, set())
        if len(card_in) < len(slots):
            return None
        return [card_in[index] for index in range(len(slots))]

    def hides(self, card: int, slot: _Slot) -> bool:
        """Return True if it is not known that a card was dealt here, or that it left the hand."""
        if slot.leaves:
            return not self.swapped_out >> card & 1
        return not self.known >> card & 1 and (slot.place != _KITTY or self.swapper >= 0)


def _replayed(puzzle: _Puzzle, slots: Sequence[_Slot], placed: Sequence[int]) -> Deal:
    rules, score = puzzle.rules, puzzle.position.score
    dealt: list[list[int]] = [[] for _ in range(rules.players)]
    left: dict[str, int] = {}
    for slot, card in zip(slots, placed, strict=True):
        if slot.place != _KITTY:
            dealt[slot.place].append(card)
        left[slot.leaves] = left.get(slot.leaves, 0) | BIT[card]
    deal = Deal.from_cards(rules, puzzle.dealer, dealt, puzzle.turn_up, score=score)
    for _, action in puzzle.found:
        deal.push(_revealed(action, left, puzzle.turn_up))
    return deal


def _revealed(action: Action, left: Mapping[str, int], turn_up: int) -> Action:
    """Return an action with the cards that it is guessed to have had, if they are not known."""
    if action.kind == SWAP and not action.value:
        return Action(SWAP, left[SWAP])
    if action.value >= 0:
        return action
    return Action(action.kind, next(cards_in(left.get(action.kind, BIT[turn_up]))))
