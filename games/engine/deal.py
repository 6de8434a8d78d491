"""One deal and its five tricks, as a state that actions are pushed on and popped from."""

from __future__ import annotations

from collections.abc import Sequence
from operator import attrgetter
from typing import Any, Final

from games.engine.actions import (
    CUT,
    CUTS,
    DISCARD,
    DISCARDS,
    MAKE,
    MAKES,
    NAME,
    NAMES,
    ORDER,
    ORDERS,
    PASSED,
    PLAY,
    PLAYS,
    Action,
    actions_with,
)
from games.engine.cards import CARDS, JOKER, NO_TRUMP, mask_of, suit_of
from games.engine.errors import MalformedError
from games.engine.observation import (
    CUTTING,
    DISCARDING,
    DONE,
    FIRST_ROUND,
    NAMING,
    ON_PACK,
    PLAYING,
    SECOND_ROUND,
    START,
    TAKEN,
    TURNED_DOWN,
    Observation,
    Standing,
)
from games.engine.refusals import check_action, check_seat
from games.engine.rules import DEALER_MAKES, HAND, RuleSet
from games.engine.scoring import DealResult, score_deal, settled, thrown_in
from games.engine.tricks import Trick, playable, winner

#: The fewest cards a cut may leave in either packet.
LEAST_CUT: Final = 4

#: What an action changes besides the hands, which are changed in place.
_CHANGING: Final = (
    "phase",
    "turn",
    "start",
    "turn_up",
    "turned_suit",
    "calls",
    "trump",
    "maker",
    "alone",
    "sitting_out",
    "discarded",
    "plays",
    "tricks",
    "won",
    "result",
)
_snapshot: Final = attrgetter(*_CHANGING)


class Deal:
    """One deal, from the cut to its last trick.

    Made by ``from_pack`` or ``from_cards``. ``push`` checks an action and plays it, ``pop``
    takes the last one back, ``apply`` plays without checking or remembering (for playouts).

    Attributes:
        pack: the shuffled pack, top first; empty for a deal made from dealt cards.
        start: the hands as sets and the turn-up as they were dealt.
        actions: what has been pushed, in order.
    """

    __slots__ = (
        "_history",
        "actions",
        "alone",
        "calls",
        "dealer",
        "discarded",
        "hands",
        "maker",
        "pack",
        "phase",
        "plays",
        "result",
        "rules",
        "sitting_out",
        "start",
        "tricks",
        "trump",
        "turn",
        "turn_up",
        "turned_suit",
        "won",
    )

    def __init__(self, rules: RuleSet, dealer: int) -> None:
        check_seat(rules, dealer)
        self.rules = rules
        self.dealer = dealer
        self.phase = CUTTING
        self.turn = (dealer - 1) % rules.players
        self.hands = [0] * rules.players
        self.turn_up = -1
        self.turned_suit = -1
        self.calls: tuple[tuple[int, Action], ...] = ()
        self.trump = NO_TRUMP
        self.maker = -1
        self.alone = False
        self.sitting_out = -1
        self.discarded = -1
        self.plays: tuple[tuple[int, int], ...] = ()
        self.tricks: tuple[Trick, ...] = ()
        self.won = (0, 0)
        self.result: DealResult | None = None
        self.pack: tuple[int, ...] = ()
        self.start: tuple[tuple[int, ...], int] = ((), -1)
        self.actions: list[Action] = []
        self._history: list[tuple[tuple[int, ...], tuple[Any, ...]]] = []

    @classmethod
    def from_pack(cls, rules: RuleSet, dealer: int, pack: Sequence[int]) -> Deal:
        """A deal from a shuffled pack, waiting for the cut where the rule set has one.

        Args:
            rules: the rule set.
            dealer: the dealer's seat.
            pack: every card of the pack once, the top first, before any cut.

        Raises:
            MalformedError: the pack is not the rule set's pack, or there is no such seat.
        """
        if sorted(pack) != sorted(rules.pack_in_order()):
            raise MalformedError(f"That is not a pack of {rules.pack} cards for {rules.name}.")
        deal = cls(rules, dealer)
        deal.pack = tuple(pack)
        if not rules.cut:
            deal._deal_out(deal.pack)
        return deal

    @classmethod
    def from_cards(
        cls, rules: RuleSet, dealer: int, hands: Sequence[Sequence[int]], turn_up: int
    ) -> Deal:
        """A deal whose cards are already dealt.

        Args:
            rules: the rule set.
            dealer: the dealer's seat.
            hands: five cards for each seat, by seat.
            turn_up: the card turned up.

        Raises:
            MalformedError: a wrong number of hands or cards, a card twice or not in the pack, or
                no such seat.
        """
        held = [card for hand in hands for card in hand]
        pack = set(rules.pack_in_order())
        if len(hands) != rules.players or any(len(hand) != HAND for hand in hands):
            raise MalformedError(f"{rules.players} hands of {HAND} cards are needed.")
        if len({*held, turn_up}) != len(held) + 1 or not pack.issuperset((*held, turn_up)):
            raise MalformedError(f"A card is there twice or not in the pack of {rules.pack}.")
        deal = cls(rules, dealer)
        deal._begin([mask_of(hand) for hand in hands], turn_up)
        return deal

    # What may be done ---------------------------------------------------------------------

    def legal_actions(self) -> tuple[Action, ...]:
        """Everything the seat in turn may do; empty only when the deal is done."""
        phase = self.phase
        if phase == PLAYING:
            return actions_with(PLAYS, playable(self.trump, self.plays, self.hands[self.turn]))
        if phase == FIRST_ROUND:
            return (PASSED, *ORDERS) if self.rules.alone else (PASSED, ORDERS[0])
        if phase == SECOND_ROUND:
            return self._second_round_actions()
        if phase == DISCARDING:
            return actions_with(DISCARDS, self.hands[self.turn])
        if phase == NAMING:
            return NAMES
        return CUTS[LEAST_CUT : len(self.pack) - LEAST_CUT + 1] if phase == CUTTING else ()

    def allows(self, action: Action) -> bool:
        """Whether the seat in turn may do this; the same as being in ``legal_actions()``."""
        kind, card, alone = action
        if self.phase == PLAYING and kind == PLAY and not alone and 0 <= card < CARDS:
            return playable(self.trump, self.plays, self.hands[self.turn]) >> card & 1 == 1
        return action in self.legal_actions()

    def _second_round_actions(self) -> tuple[Action, ...]:
        named = [
            make
            for suit in range(4)
            if suit != self.turned_suit
            for make in (MAKES[suit] if self.rules.alone else MAKES[suit][:1])
        ]
        stuck = self.rules.stick_the_dealer and self.turn == self.dealer
        return tuple(named) if stuck else (PASSED, *named)

    # Pushing and popping ------------------------------------------------------------------

    def push(self, action: Action, seat: int | None = None) -> None:
        """Checks an action and plays it.

        Args:
            action: what is done.
            seat: who does it; None stands for the seat in turn.

        Raises:
            MalformedError: there is no such action or seat.
            OutOfTurnError: it is another seat's turn.
            IllegalActionError: the rules do not allow it now. Nothing has changed.
        """
        check_action(self, action, seat)
        self.actions.append(action)
        self._history.append((tuple(self.hands), _snapshot(self)))
        self.apply(action)

    def pop(self) -> None:
        """Takes back the last action pushed.

        Raises:
            IndexError: nothing has been pushed.
        """
        hands, before = self._history.pop()
        self.hands = list(hands)
        for name, value in zip(_CHANGING, before, strict=True):
            setattr(self, name, value)
        self.actions.pop()

    def apply(self, action: Action) -> None:
        """Plays a legal action without checking it and without a way back."""
        kind, value, alone = action
        if kind == PLAY:
            self._play(value)
        elif kind == DISCARD:
            self.hands[self.dealer] ^= 1 << value
            self.discarded = value
            self._open_play()
        elif kind == CUT:
            self._deal_out(self.pack[value:] + self.pack[:value])
        elif kind == NAME:
            self._name_joker(value)
        else:
            self.calls = (*self.calls, (self.turn, action))
            if kind == ORDER:
                self._order_up(self.turn, alone=alone)
            elif kind == MAKE:
                self._make(self.turn, value, alone=alone)
                self._open_play()
            else:
                self._pass()

    # The deal and the bidding -------------------------------------------------------------

    def _deal_out(self, pack: tuple[int, ...]) -> None:
        hands = [0] * self.rules.players
        top = 0
        for size in self.rules.packets:
            seat = self.dealer
            for _ in hands:
                seat = self.rules.after(seat)
                hands[seat] |= mask_of(pack[top : top + size])
                top += size
        self._begin(hands, pack[top])

    def _begin(self, hands: list[int], turn_up: int) -> None:
        self.hands = hands
        self.turn_up = turn_up
        self.start = (tuple(hands), turn_up)
        if turn_up == JOKER:
            self.phase, self.turn = NAMING, self.dealer
        else:
            self.turned_suit = suit_of(turn_up)
            self.phase, self.turn = FIRST_ROUND, self.rules.after(self.dealer)

    def _name_joker(self, suit: int) -> None:
        self.turned_suit = suit
        if self.rules.joker_turned_up == DEALER_MAKES:
            self._order_up(self.dealer, alone=False)
        else:
            self.phase, self.turn = FIRST_ROUND, self.rules.after(self.dealer)

    def _pass(self) -> None:
        if self.turn != self.dealer:
            self.turn = self.rules.after(self.turn)
        elif self.phase == FIRST_ROUND:
            self.phase, self.turn = SECOND_ROUND, self.rules.after(self.dealer)
        else:
            self._finish(thrown_in())

    def _order_up(self, maker: int, *, alone: bool) -> None:
        self._make(maker, self.turned_suit, alone=alone)
        if self.sitting_out == self.dealer:
            self._open_play()
        else:
            self.hands[self.dealer] |= 1 << self.turn_up
            self.phase, self.turn = DISCARDING, self.dealer

    def _make(self, maker: int, trump: int, *, alone: bool) -> None:
        self.maker, self.trump, self.alone = maker, trump, alone
        partner = self.rules.partner_of(maker)
        self.sitting_out = partner if alone and partner is not None else -1

    # The play -----------------------------------------------------------------------------

    def _open_play(self) -> None:
        self.phase = PLAYING
        self.turn = self._next_in_hand(self.dealer)

    def _next_in_hand(self, seat: int) -> int:
        seat = self.rules.after(seat)
        return self.rules.after(seat) if seat == self.sitting_out else seat

    def _play(self, card: int) -> None:
        self.hands[self.turn] ^= 1 << card
        self.plays = (*self.plays, (self.turn, card))
        if len(self.plays) < self.rules.players - (self.sitting_out >= 0):
            self.turn = self._next_in_hand(self.turn)
            return
        taker = winner(self.trump, self.plays)
        self.tricks = (*self.tricks, Trick(self.plays, taker))
        self.plays = ()
        self.turn = taker
        north, east = self.won
        self.won = (north + 1, east) if self.rules.side_of(taker) == 0 else (north, east + 1)
        self._end_if_over()

    def _end_if_over(self) -> None:
        makers = self.rules.side_of(self.maker)
        if len(self.tricks) == HAND or (
            self.rules.lay_down and settled(self.rules, makers, self.won, alone=self.alone)
        ):
            self._finish(score_deal(self.rules, makers, self.won, alone=self.alone))

    def _finish(self, result: DealResult) -> None:
        self.result = result
        self.phase, self.turn = DONE, -1

    # The view -----------------------------------------------------------------------------

    def observe(self, seat: int | None = None, standing: Standing = START) -> Observation:
        """What a seat, or a spectator (None), may know; see ``Observation``.

        Raises:
            MalformedError: there is no such seat.
        """
        if seat is not None:
            check_seat(self.rules, seat)
        mine = seat is not None and seat == self.turn
        sees_hand = seat is not None and not (self.phase == NAMING and mine)
        return Observation(
            rules=self.rules,
            seat=seat,
            dealer=self.dealer,
            phase=self.phase,
            turn=self.turn,
            hand=self.hands[seat] if seat is not None and sees_hand else 0,
            held=tuple([hand.bit_count() for hand in self.hands]),
            turn_up=self.turn_up,
            turn_up_at=self._turn_up_at(),
            turned_suit=self.turned_suit,
            calls=self.calls,
            trump=self.trump,
            maker=self.maker,
            alone=self.alone,
            sitting_out=self.sitting_out,
            discard=self.discarded if seat == self.dealer else -1,
            plays=self.plays,
            tricks=self.tricks,
            legal=self.legal_actions() if mine else (),
            result=self.result,
            standing=standing,
        )

    def _turn_up_at(self) -> str:
        """Where everybody saw the turn-up go."""
        if self.trump != NO_TRUMP and self.trump == self.turned_suit:
            return ON_PACK if self.sitting_out == self.dealer else TAKEN
        bidding_open = self.phase in (CUTTING, NAMING, FIRST_ROUND)
        return ON_PACK if bidding_open else TURNED_DOWN
