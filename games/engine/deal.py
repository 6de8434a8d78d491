"""One deal and its five tricks, a state on which actions are pushed and popped."""

from __future__ import annotations

from collections.abc import Sequence
from operator import attrgetter
from typing import Final, NoReturn

from games.engine.actions import (
    CUT,
    CUTS,
    DISCARD,
    FIRST_ROUND_CALLS,
    MAKE,
    NAME,
    NAMES,
    NEXT,
    ORDER,
    PASS,
    PLAY,
    PLAYS_BY_THIRDS,
    Action,
    action_text,
    discards_of,
    is_action,
    plays_of,
    second_round_calls,
)
from games.engine.cards import (
    BIT,
    JOKER,
    LED,
    NO_SUIT,
    NO_TRUMP,
    SUIT_NAMES,
    card_text,
    mask_of,
    suit_of,
)
from games.engine.errors import IllegalActionError, MalformedError, OutOfTurnError
from games.engine.observation import (
    CUTTING,
    DISCARDING,
    DONE,
    FIRST_ROUND,
    NAMING,
    PLAYING,
    SECOND_ROUND,
    START,
    Observation,
    Standing,
    turn_up_at,
)
from games.engine.rules import DEALER_MAKES, HAND, PACK_SETS, RuleSet
from games.engine.scoring import DealResult, score_deal, settled, thrown_in
from games.engine.seats import compass, dealt_to, left_of
from games.engine.tricks import Trick, playable, suit_led, winner

#: The fewest cards a cut may leave in either packet.
MIN_CUT: Final = 4
_LOW, _MIDDLE, _HIGH = PLAYS_BY_THIRDS


class Deal:
    """One deal, from the cut to its last trick.

    Create it with ``from_pack`` or ``from_cards``. ``push`` checks and plays an action, ``pop``
    takes the last one back, ``apply`` plays without check or history (for playouts).

    Attributes:
        pack: the shuffled pack, top first; empty for a deal made from dealt cards.
        start: the dealt hands as sets, and the turn-up.
        left_of: by seat, the next active seat clockwise.
    """

    __slots__ = (
        "_ahead",
        "_best",
        "_following",
        "_leader",
        "_plays",
        "_strength",
        "_taken",
        "_tricks",
        "actions",
        "alone",
        "calls",
        "dealer",
        "discarded",
        "hands",
        "left_of",
        "legal",
        "maker",
        "pack",
        "phase",
        "result",
        "rules",
        "sitting_out",
        "start",
        "trump",
        "turn",
        "turn_up",
        "turned_suit",
    )

    def __init__(self, rules: RuleSet, dealer: int) -> None:
        check_seat(rules, dealer)
        self.rules = rules
        self.dealer = dealer
        self.pack: tuple[int, ...] = ()
        self.actions: list[Action] = []
        self._reset()

    def _reset(self) -> None:
        players = self.rules.players
        self.start: tuple[tuple[int, ...], int] = ((), -1)
        self.phase = CUTTING
        self.turn = self.turn_up = self.turned_suit = -1
        self.left_of = left_of(players, -1)
        self.legal: tuple[Action, ...] = ()
        self.hands = [0] * players
        self.calls: tuple[tuple[int, Action], ...] = ()
        self.trump = NO_TRUMP
        self.maker = self.sitting_out = self.discarded = self._leader = self._ahead = -1
        self.alone = False
        self._following = self._best = 0
        self._strength: tuple[int, ...] = ()
        self._plays: list[tuple[int, int]] = []
        self._taken: list[tuple[list[tuple[int, int]], int]] = []
        self._tricks: tuple[Trick, ...] = ()
        self.result: DealResult | None = None

    @classmethod
    def from_pack(cls, rules: RuleSet, dealer: int, pack: Sequence[int]) -> Deal:
        """Create a deal from a whole pack, top first and before the cut; raise MalformedError."""
        if len(pack) != rules.pack or PACK_SETS[rules.pack].difference(pack):
            raise MalformedError(f"That is not a pack of {rules.pack} cards for {rules.name}.")
        deal = cls(rules, dealer)
        deal.pack = tuple(pack)
        deal._cut_or_deal()
        return deal

    @classmethod
    def from_cards(
        cls, rules: RuleSet, dealer: int, hands: Sequence[Sequence[int]], turn_up: int
    ) -> Deal:
        """Create a deal from hands already dealt; raise MalformedError if they are impossible."""
        check_dealt(rules, hands, turn_up)
        deal = cls(rules, dealer)
        deal._start_bidding([mask_of(hand) for hand in hands], turn_up)
        return deal

    @classmethod
    def from_observation(cls, seen: Observation, hands: Sequence[int]) -> Deal:
        """Create a deal as somebody sees it, from the bidding on, given what each seat holds.

        For playing a guess of the hands out with ``apply``; nothing before it can be taken back.
        Raise MalformedError if it is not known yet what was turned up and called.
        """
        if seen.phase in (CUTTING, NAMING):
            raise MalformedError("Nothing has been dealt to guess at before the bidding.")
        deal = cls(seen.rules, seen.dealer)
        deal.hands = list(hands)
        deal.start = (tuple(hands), seen.turn_up)
        deal.turn_up, deal.turned_suit = seen.turn_up, seen.turned_suit
        deal.calls, deal.discarded = seen.calls, seen.discard
        deal.trump, deal.maker, deal.alone = seen.trump, seen.maker, seen.alone
        deal.sitting_out = seen.sitting_out
        deal.left_of = left_of(seen.rules.players, seen.sitting_out)
        if seen.phase == PLAYING:
            deal._resume_play(seen)
        elif seen.phase != DONE:
            deal._start_turn(seen.phase, seen.turn)
        else:
            deal.phase, deal.result = DONE, seen.result
        return deal

    def copy(self) -> Deal:
        """Return the same deal; what is pushed on one of the two does not change the other."""
        other = Deal.__new__(Deal)
        for slot, kept in zip(Deal.__slots__, _SLOTS(self), strict=True):
            setattr(other, slot, kept)
        for slot in ("hands", "actions", "_plays", "_taken"):
            setattr(other, slot, getattr(self, slot).copy())
        return other

    # What may be done ---------------------------------------------------------------------

    def legal_actions(self) -> tuple[Action, ...]:
        """Return the legal actions of the seat in turn; empty only when the deal is done."""
        return self.legal

    def _start_turn(self, phase: str, seat: int) -> None:
        self.phase = phase
        self.turn = seat
        if phase == FIRST_ROUND:
            self.legal = FIRST_ROUND_CALLS[self.rules.alone]
        elif phase == SECOND_ROUND:
            stuck = self.rules.stick_the_dealer and seat == self.dealer
            self.legal = second_round_calls(self.turned_suit, self.rules.alone, stuck)
        elif phase == DISCARDING:
            self.legal = discards_of(self.hands[seat])
        elif phase == NAMING:
            self.legal = NAMES
        else:
            self.legal = CUTS[MIN_CUT : len(self.pack) - MIN_CUT + 1]

    # Pushing and popping ------------------------------------------------------------------

    def push(self, action: Action, seat: int | None = None) -> None:
        """Check an action and play it; the seat in turn acts if `seat` is None.

        Raises:
            MalformedError: there is no such action or seat.
            OutOfTurnError: it is another seat's turn.
            IllegalActionError: the rules do not allow it now. Nothing has changed.
        """
        if action not in self.legal or (seat is not None and seat != self.turn):
            refuse(self, action, seat)
        self.actions.append(action)
        self.apply(action)

    def pop(self) -> None:
        """Take back the last action, by replaying the deal; raise IndexError if there is none."""
        self.actions.pop()
        hands, turn_up = self.start
        self._reset()
        if self.pack:
            self._cut_or_deal()
        else:
            self._start_bidding(list(hands), turn_up)
        for action in self.actions:
            self.apply(action)

    def apply(self, action: Action) -> None:
        if self.phase != PLAYING:
            self._apply_before_play(action)
            return
        seat, hands, card = self.turn, self.hands, action.value
        hands[seat] ^= BIT[card]
        if seat == self._leader:
            self._following, self._strength = LED[self.trump][card]
            self._best = 0
        self._plays.append((seat, card))
        strength = self._strength[card]
        if strength > self._best:
            self._best = strength
            self._ahead = seat
        after = self.left_of[seat]
        if after == self._leader:
            self._take_trick()
        else:
            self.turn = after
            # As `tricks.playable`, with the cards to follow with looked up once a trick.
            cards = hands[after] & self._following or hands[after]
            self.legal = _LOW[cards & 2047] + _MIDDLE[cards >> 11 & 2047] + _HIGH[cards >> 22]

    def _apply_before_play(self, action: Action) -> None:
        kind, value, alone = action
        if kind == DISCARD:
            self.hands[self.dealer] ^= 1 << value
            self.discarded = value
            self._open_play()
        elif kind == CUT:
            self._deal_out(self.pack[value:] + self.pack[:value])
        elif kind == NAME:
            self._name_joker(value)
        else:
            self.calls += ((self.turn, action),)
            if kind == ORDER:
                self._order_up(self.turn, alone=alone)
            elif kind == MAKE:
                self._make(self.turn, value, alone=alone)
                self._open_play()
            else:
                self._pass()

    # The deal and the bidding -------------------------------------------------------------

    def _cut_or_deal(self) -> None:
        if self.rules.cut:
            self._start_turn(CUTTING, (self.dealer - 1) % self.rules.players)
        else:
            self._deal_out(self.pack)

    def _deal_out(self, pack: tuple[int, ...]) -> None:
        rules = self.rules
        hands = [
            BIT[pack[a]] | BIT[pack[b]] | BIT[pack[c]] | BIT[pack[d]] | BIT[pack[e]]
            for a, b, c, d, e in dealt_to(rules.players, rules.packets_of(self.dealer), self.dealer)
        ]
        self._start_bidding(hands, pack[rules.players * HAND])

    def _start_bidding(self, hands: list[int], turn_up: int) -> None:
        self.hands = hands
        self.turn_up = turn_up
        self.start = (tuple(hands), turn_up)
        if turn_up == JOKER:
            self._start_turn(NAMING, self.dealer)
        else:
            self.turned_suit = suit_of(turn_up)
            self._start_turn(FIRST_ROUND, self.left_of[self.dealer])

    def _name_joker(self, suit: int) -> None:
        self.turned_suit = suit
        if self.rules.joker_turned_up == DEALER_MAKES:
            self._order_up(self.dealer, alone=False)
        else:
            self._start_turn(FIRST_ROUND, self.left_of[self.dealer])

    def _pass(self) -> None:
        if self.turn != self.dealer:
            self._start_turn(self.phase, self.left_of[self.turn])
        elif self.phase == FIRST_ROUND:
            self._start_turn(SECOND_ROUND, self.left_of[self.dealer])
        else:
            self._finish(thrown_in())

    def _order_up(self, maker: int, *, alone: bool) -> None:
        self._make(maker, self.turned_suit, alone=alone)
        if self.sitting_out == self.dealer:
            self._open_play()
        else:
            self.hands[self.dealer] |= 1 << self.turn_up
            self._start_turn(DISCARDING, self.dealer)

    def _make(self, maker: int, trump: int, *, alone: bool) -> None:
        self.maker, self.trump, self.alone = maker, trump, alone
        partner = self.rules.partner_of(maker)
        if alone and partner is not None:
            self.sitting_out = partner
            self.left_of = left_of(self.rules.players, partner)

    # The play -----------------------------------------------------------------------------

    def _open_play(self) -> None:
        self.phase = PLAYING
        self._start_trick(self.left_of[self.dealer])

    def _resume_play(self, seen: Observation) -> None:
        self.phase = PLAYING
        self._tricks = seen.tricks
        self._taken = [(list(trick.plays), trick.winner) for trick in seen.tricks]
        self._start_trick(seen.plays[0][0] if seen.plays else seen.turn)
        if seen.plays:
            led = seen.plays[0][1]
            self._plays, self.turn = list(seen.plays), seen.turn
            self._following, self._strength = LED[self.trump][led]
            self._ahead = winner(self.trump, seen.plays)
            self._best = self._strength[dict(seen.plays)[self._ahead]]
            self.legal = plays_of(playable(self.trump, seen.plays, self.hands[seen.turn]))

    def _start_trick(self, seat: int) -> None:
        self.turn = self._leader = seat
        self.legal = plays_of(self.hands[seat])

    def _take_trick(self) -> None:
        taker = self._ahead
        self._taken.append((self._plays, taker))
        self._plays = []
        if not self.hands[taker] or (self.rules.lay_down and self._is_settled()):
            makers = self.rules.side_of(self.maker)
            self._finish(score_deal(self.rules, makers, self.won, alone=self.alone))
        else:
            self._start_trick(taker)

    @property
    def plays(self) -> tuple[tuple[int, int], ...]:
        """(seat, card) played so far to the current trick."""
        return tuple(self._plays)

    @property
    def tricks(self) -> tuple[Trick, ...]:
        """The complete tricks; cached until another is complete."""
        if len(self._tricks) < len(self._taken):
            self._tricks = tuple([Trick(tuple(plays), taker) for plays, taker in self._taken])
        return self._tricks

    def _is_settled(self) -> bool:
        makers = self.rules.side_of(self.maker)
        return settled(self.rules, makers, self.won, alone=self.alone)

    @property
    def won(self) -> tuple[int, int]:
        """The tricks taken by side 0 and side 1."""
        east = sum([taker % 2 for _, taker in self._taken])
        return len(self._taken) - east, east

    def _finish(self, result: DealResult) -> None:
        self.result = result
        self.phase, self.turn, self.legal = DONE, -1, ()

    # The view -----------------------------------------------------------------------------

    def observe(self, seat: int | None = None, standing: Standing = START) -> Observation:
        """Return what a seat, or a spectator (None), may know; raise MalformedError for no seat."""
        if seat is not None:
            check_seat(self.rules, seat)
        mine = seat is not None and seat == self.turn
        made = self.trump == self.turned_suit != NO_TRUMP
        sees_hand = seat is not None and not (self.phase == NAMING and mine)
        return Observation(  # by position, in the order of its fields: this is most of its cost
            self.rules,
            seat,
            self.dealer,
            self.phase,
            self.turn,
            self.hands[seat] if seat is not None and sees_hand else 0,
            tuple([hand.bit_count() for hand in self.hands]),
            self.turn_up,
            turn_up_at(self.phase, made, self.sitting_out == self.dealer),
            self.turned_suit,
            self.calls,
            self.trump,
            self.maker,
            self.alone,
            self.sitting_out,
            self.discarded if seat == self.dealer else -1,
            tuple(self._plays),
            self.tricks,
            self.legal if mine else (),
            self.result,
            standing,
        )


_SLOTS: Final = attrgetter(*Deal.__slots__)


def check_seat(rules: RuleSet, seat: int) -> None:
    """Raise MalformedError for a number that is not a seat, such as -1."""
    if not 0 <= seat < rules.players:
        raise MalformedError(f"There is no seat {seat}: the seats are 0 to {rules.players - 1}.")


def check_dealt(rules: RuleSet, hands: Sequence[Sequence[int]], turn_up: int) -> None:
    held = [card for hand in hands for card in hand]
    if len(hands) != rules.players or any(len(hand) != HAND for hand in hands):
        raise MalformedError(f"{rules.players} hands of {HAND} cards are needed.")
    if len({*held, turn_up}) != len(held) + 1 or not PACK_SETS[rules.pack].issuperset(
        (*held, turn_up)
    ):
        raise MalformedError(f"A card is duplicated or not in the pack of {rules.pack}.")


def check_is_action(action: Action) -> None:
    if not is_action(action):
        raise MalformedError(f"{tuple(action)} is not an action.")


def refuse(deal: Deal, action: Action, seat: int | None) -> NoReturn:
    """Raise the error of `Deal.push` that explains why an action is refused now."""
    if deal.phase == DONE:
        raise IllegalActionError("This hand is over.")
    if seat is not None and seat != deal.turn:
        check_seat(deal.rules, seat)
        raise OutOfTurnError(
            f"It is {compass(deal.rules.players, deal.turn)}'s turn ({deal.phase}), "
            f"not {compass(deal.rules.players, seat)}'s."
        )
    check_is_action(action)
    raise IllegalActionError(_why_not(deal, action))


def _why_not(deal: Deal, action: Action) -> str:
    if action.kind in (PLAY, DISCARD) and deal.phase in (PLAYING, DISCARDING):
        if deal.hands[deal.turn] >> action.value & 1 == 0:
            return f"{card_text(action.value)} is not in your hand."
        led = suit_led(deal.trump, deal.plays)
        if action.kind == PLAY and deal.phase == PLAYING and led != NO_SUIT:
            return f"You must follow {SUIT_NAMES[led]}; you may: {_allowed(deal)}."
    if deal.phase == SECOND_ROUND and action.kind == MAKE and action.value == deal.turned_suit:
        suit = SUIT_NAMES[action.value].capitalize()
        return f"{suit} was turned down and may not be named; you may: {_allowed(deal)}."
    if deal.phase == SECOND_ROUND and action.kind == PASS:
        return f"The dealer is stuck and must name a suit; you may: {_allowed(deal)}."
    what = "deal the next hand" if action.kind == NEXT else action_text(action)
    return f"You cannot {what} now ({deal.phase}); you may: {_allowed(deal)}."


def _allowed(deal: Deal) -> str:
    allowed = [action_text(one) for one in deal.legal_actions()]
    if len(allowed) > 12:
        return f"{allowed[0]} to {allowed[-1]}"
    return ", ".join(allowed)
