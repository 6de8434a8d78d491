"""One deal and its five tricks, a state on which actions are pushed and popped."""

from __future__ import annotations

from collections.abc import Sequence
from operator import attrgetter
from typing import Final

from games.engine.actions import (
    BEST,
    BESTS,
    CUT,
    CUTS,
    DECLINE,
    DECLINED,
    DEFENDS,
    DISCARD,
    FIRST_ROUND_CALLS,
    FOLD,
    FOLDS,
    GIVE,
    GIVES,
    MAKE,
    NAME,
    NAMES,
    ORDER,
    ORDERS,
    PASS,
    PASSED,
    PLAYS_BY_THIRDS,
    SWAP,
    Action,
    discards_of,
    given,
    plays_of,
    second_round_calls,
    swaps_of,
    without_cards,
)
from games.engine.cards import (
    BIT,
    LED,
    NO_SUIT,
    PIPS,
    SUIT_MASK,
    UNNAMED,
    is_joker,
    mask_of,
    suit_of,
)
from games.engine.errors import MalformedError
from games.engine.observation import (
    ASKING,
    CUTTING,
    DEFENDING,
    DISCARDING,
    DONE,
    FIRST_ROUND,
    FOLDING,
    GIVING,
    NAMING,
    ON_PACK,
    PLAYING,
    SECOND_ROUND,
    START,
    SWAPPING,
    TAKEN,
    TURNED_DOWN,
    Observation,
    Standing,
)
from games.engine.refusing import check_seat, refuse
from games.engine.rules import (
    DEALER_MAKES,
    DEALERS_LEFT,
    HAND,
    MAKER,
    NEAR_END,
    NEVER,
    NO_FACE,
    RuleSet,
)
from games.engine.scoring import DealResult, folded, score_deal, settled, thrown_in
from games.engine.seats import COMPASS, dealt_to, left_of
from games.engine.tricks import Trick, playable, winner

#: The fewest cards a cut may leave in either packet.
MIN_CUT: Final = 4
_LOW, _MIDDLE, _HIGH = PLAYS_BY_THIRDS


class Deal:
    """One deal, from the cut to its last trick.

    Create it with ``from_pack`` or ``from_cards``. ``push`` checks and plays an action, ``pop``
    takes the last one back, ``apply`` plays without check or history (for playouts).

    Attributes:
        pack: the shuffled pack, top first; empty for a deal made from dealt cards.
        score: that of the game before the deal, by side.
        start: the dealt hands as sets, and the turn-up.
        left_of: by seat, the next active seat clockwise.
    """

    __slots__ = (
        "_ahead",
        "_best",
        "_following",
        "_leader",
        "_limited",
        "_plays",
        "_strength",
        "_taken",
        "_tricks",
        "actions",
        "alone",
        "answers",
        "calls",
        "dealer",
        "defender",
        "discarded",
        "hands",
        "left_of",
        "legal",
        "maker",
        "pack",
        "phase",
        "result",
        "rules",
        "score",
        "sitting_out",
        "start",
        "trump",
        "turn",
        "turn_up",
        "turn_up_at",
        "turned_suit",
    )

    def __init__(self, rules: RuleSet, dealer: int, score: tuple[int, int] = (0, 0)) -> None:
        check_seat(rules, dealer)
        self.rules = rules
        self.dealer = dealer
        self.score = score
        #: Whether who may call, or alone, depends on more than the round.
        self._limited = rules.own_trump or rules.no_lone_near_end or rules.dealers_partner_alone
        self.pack: tuple[int, ...] = ()
        self.actions: list[Action] = []
        self._reset()

    def _reset(self) -> None:
        self.start: tuple[tuple[int, ...], int] = ((), -1)
        self.turned_suit = -1
        self.turn_up_at = ON_PACK
        self.left_of = _NOBODY_OUT[self.rules.players]
        self.calls: tuple[tuple[int, Action], ...] = ()
        self.answers: tuple[tuple[int, Action], ...] = ()
        self.trump = UNNAMED
        self.maker = self.defender = self.discarded = self._leader = self._ahead = -1
        self.sitting_out: tuple[int, ...] = ()
        self.alone = False
        self._following = self._best = 0
        self._strength: tuple[int, ...] = ()
        self._plays: list[tuple[int, int]] = []
        self._taken: list[tuple[list[tuple[int, int]], int]] = []
        self._tricks: tuple[Trick, ...] = ()
        self.result: DealResult | None = None

    @classmethod
    def from_pack(
        cls, rules: RuleSet, dealer: int, pack: Sequence[int], *, score: tuple[int, int] = (0, 0)
    ) -> Deal:
        """Create a deal from a whole pack, top first and before the cut; raise MalformedError."""
        if len(pack) != rules.pack or rules.pack_set.difference(pack):
            raise MalformedError(f"That is not a pack of {rules.pack} cards for {rules.name}.")
        deal = cls(rules, dealer, score)
        deal.pack = tuple(pack)
        deal._cut_or_deal()
        return deal

    @classmethod
    def from_cards(
        cls,
        rules: RuleSet,
        dealer: int,
        hands: Sequence[Sequence[int]],
        turn_up: int,
        *,
        score: tuple[int, int] = (0, 0),
    ) -> Deal:
        """Create a deal from hands already dealt; raise MalformedError if they are impossible."""
        check_dealt(rules, hands, turn_up)
        deal = cls(rules, dealer, score)
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
        deal = cls(seen.rules, seen.dealer, seen.standing.score)
        deal.hands = list(hands)
        deal.start = (tuple(hands), seen.turn_up)
        deal.turn_up, deal.turned_suit = seen.turn_up, seen.turned_suit
        deal.turn_up_at, deal.answers = seen.turn_up_at, seen.answers
        deal.calls, deal.discarded = seen.calls, seen.discard
        deal.trump, deal.maker, deal.alone = seen.trump, seen.maker, seen.alone
        deal.sitting_out, deal.defender = seen.sitting_out, seen.defender
        deal.left_of = left_of(seen.rules.players, seen.sitting_out)
        if seen.result is not None:
            deal._finish(seen.result)
        elif seen.phase == PLAYING:
            deal._resume_play(seen)
        else:
            deal._start_turn(seen.phase, seen.turn)
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
        rules = self.rules
        if phase == FIRST_ROUND:
            if self._limited:
                self.legal = self._first_round_calls(seat)
            else:
                self.legal = FIRST_ROUND_CALLS[rules.alone]
        elif phase == SECOND_ROUND:
            stuck = rules.stick_the_dealer and seat == self.dealer
            if self._limited:
                self.legal = self._second_round_calls(seat, stuck=stuck)
            else:
                self.legal = second_round_calls(
                    self.turned_suit, rules.no_trump, rules.alone, stuck
                )
        elif phase == DISCARDING:
            self.legal = discards_of(self.hands[seat])
        elif phase == NAMING:
            self.legal = NAMES
        elif phase == GIVING:
            self.legal = given(BESTS, self.hands[seat])
        else:
            self.legal = (DECLINED, *self._offers(phase, self.hands[seat]))

    def _first_round_calls(self, seat: int) -> tuple[Action, ...]:
        rules = self.rules
        if rules.own_trump and not self.may_name(seat, self.turned_suit):
            return (PASSED,)
        alone = rules.alone and not self.is_near_end(seat)
        if rules.dealers_partner_alone and seat == rules.partner_of(self.dealer):
            return (PASSED, ORDERS[1]) if alone else (PASSED,)
        return FIRST_ROUND_CALLS[alone]

    def _second_round_calls(self, seat: int, *, stuck: bool) -> tuple[Action, ...]:
        rules = self.rules
        held = [suit for suit in range(4) if not rules.own_trump or self.may_name(seat, suit)]
        alone = rules.alone and not self.is_near_end(seat)
        return second_round_calls(self.turned_suit, rules.no_trump, alone, stuck, tuple(held))

    def may_name(self, seat: int, suit: int) -> bool:
        """Return True if a seat holds a card of a suit, or deals and could take up the turn-up."""
        takes_up = suit == self.turned_suit and seat == self.dealer
        return takes_up or self.hands[seat] & SUIT_MASK[UNNAMED][suit] != 0

    def is_near_end(self, seat: int) -> bool:
        """Return True if a seat may not play alone because its side is near the target."""
        rules = self.rules
        if not rules.no_lone_near_end or rules.target is None:
            return False
        return rules.target - self.score[rules.side_of(seat)] in NEAR_END

    def _offers(self, phase: str, hand: int) -> tuple[Action, ...]:
        """Return what may be done instead of declining."""
        if phase == SWAPPING:
            return swaps_of(hand)
        if phase == FOLDING:
            return (FOLDS,) if not self.held_against_folding(hand) else ()
        return given(GIVES, hand) if phase == ASKING else (DEFENDS,)

    def held_against_folding(self, hand: int) -> int:
        """Return the cards of a hand for which it may not be folded."""
        if self.rules.fold == NO_FACE:
            return hand & ~PIPS
        return hand & (~PIPS | SUIT_MASK[UNNAMED][self.turned_suit])

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
        if kind == PASS:
            self.calls += ((self.turn, action),)
            self._ask_next()
        elif kind == ORDER:
            self.calls += ((self.turn, action),)
            self._order_up(self.turn, alone=alone)
        elif kind == DISCARD:
            self.hands[self.dealer] ^= 1 << value
            self.discarded = value
            self._after_call()
        elif kind == MAKE:
            self.calls += ((self.turn, action),)
            self._make(self.turn, value, alone=alone)
            self._after_call()
        elif kind == CUT:
            self._deal_out(self.pack[value:] + self.pack[:value])
        elif kind == NAME:
            self.turned_suit = value
            self._ask_round(FOLDING)  # nobody swaps: no pack with a joker leaves just three cards
        else:
            self.answers += ((self.turn, action),)
            self._answer(kind, value)

    def _answer(self, kind: str, value: int) -> None:
        """Do what somebody answers to one of the questions that only some rules ask."""
        if kind == DECLINE:
            self._decline()
        elif kind == SWAP:
            kitty = self.rules.pack_mask & ~sum(self.hands, BIT[self.turn_up])
            self.hands[self.turn] ^= value | kitty
            self._ask_round(FOLDING)
        elif kind == FOLD:
            self._finish(folded())
        elif kind == GIVE:
            self.hands[self.maker] ^= BIT[value]
            self._start_turn(GIVING, self.sitting_out[0])
        elif kind == BEST:
            self.hands[self.turn] ^= BIT[value]
            self.hands[self.maker] |= BIT[value]
            self._after_call(best_asked=True)
        else:
            self.defender = self.turn
            self._play_alone(self.defender)
            self._lead_to_lone_hand()

    def _decline(self) -> None:
        after = self.left_of[self.turn]
        if self.phase == ASKING:
            self._after_call(best_asked=True)
        elif self.phase != DEFENDING:
            self._ask_next()
        elif after == self.maker:
            self._lead_to_lone_hand()
        else:
            self._start_turn(DEFENDING, after)

    # The deal and the bidding -------------------------------------------------------------

    def _cut_or_deal(self) -> None:
        if self.rules.cut:
            players = self.rules.players
            self.phase, self.turn = CUTTING, (self.dealer - 1) % players
            self.legal = CUTS[MIN_CUT : len(self.pack) - MIN_CUT + 1]
            self.turn_up, self.hands = -1, [0] * players
        else:
            self._deal_out(self.pack)

    def _deal_out(self, pack: tuple[int, ...]) -> None:
        rules, dealer = self.rules, self.dealer
        packets = rules.packets_of(dealer) if rules.reversed_by else rules.packets
        hands = [
            BIT[pack[a]] | BIT[pack[b]] | BIT[pack[c]] | BIT[pack[d]] | BIT[pack[e]]
            for a, b, c, d, e in dealt_to(rules.players, packets, dealer)
        ]
        self._start_bidding(hands, pack[rules.players * HAND])

    def _start_bidding(self, hands: list[int], turn_up: int) -> None:
        self.hands = hands
        self.turn_up = turn_up
        self.start = (tuple(hands), turn_up)
        suit = suit_of(turn_up)
        if suit == NO_SUIT:
            self._start_turn(NAMING, self.dealer)
        else:
            self.turned_suit = suit
            self._ask_round(SWAPPING if self.rules.farmers_hand else FOLDING)

    def _ask_round(self, phase: str) -> None:
        """Ask all seats from dealer's left; nobody about folding where no hand may be folded."""
        rules = self.rules
        if phase == FOLDING and rules.fold == NEVER:
            phase = FIRST_ROUND
        if (
            phase == FIRST_ROUND
            and rules.joker_turned_up == DEALER_MAKES
            and is_joker(self.turn_up)
        ):
            self._order_up(self.dealer, alone=False)
        else:
            self._start_turn(phase, self.left_of[self.dealer])

    def _ask_next(self) -> None:
        """Ask the next seat, or after the dealer the next round."""
        if self.turn != self.dealer:
            self._start_turn(self.phase, self.left_of[self.turn])
        elif self.phase == FIRST_ROUND:
            self.turn_up_at = TURNED_DOWN
            self._start_turn(SECOND_ROUND, self.left_of[self.dealer])
        elif self.phase == SECOND_ROUND:
            self._finish(thrown_in())
        else:
            self._ask_round(FOLDING if self.phase == SWAPPING else FIRST_ROUND)

    def _order_up(self, maker: int, *, alone: bool) -> None:
        self._make(maker, self.turned_suit, alone=alone)
        if self.dealer in self.sitting_out:
            self._after_call()
        else:
            self.hands[self.dealer] |= 1 << self.turn_up
            self.turn_up_at = TAKEN
            self._start_turn(DISCARDING, self.dealer)

    def _make(self, maker: int, trump: int, *, alone: bool) -> None:
        self.maker, self.trump, self.alone = maker, trump, alone
        if alone:
            self._play_alone(maker)

    def _play_alone(self, seat: int) -> None:
        """Let the partner of one of four players sit out."""
        self.sitting_out += ((seat + 2) % 4,)
        self.left_of = left_of(4, self.sitting_out)

    # Between the call and the lead --------------------------------------------------------

    def _after_call(self, *, best_asked: bool = False) -> None:
        """Start the play, after what is still to be asked about a lone hand."""
        rules = self.rules
        if not self.alone:
            self._start_play(self.left_of[self.dealer])
        elif rules.partners_best and not best_asked:
            self._start_turn(ASKING, self.maker)
        elif rules.defend_alone:
            self._start_turn(DEFENDING, self.left_of[self.maker])
        else:
            self._lead_to_lone_hand()

    def _lead_to_lone_hand(self) -> None:
        lead = self.rules.lone_lead
        before = self.dealer if lead == DEALERS_LEFT else self.maker
        self._start_play(self.maker if lead == MAKER else self.left_of[before])

    # The play -----------------------------------------------------------------------------

    def _resume_play(self, seen: Observation) -> None:
        self._tricks = seen.tricks
        self._taken = [(list(trick.plays), trick.winner) for trick in seen.tricks]
        self._start_play(seen.plays[0][0] if seen.plays else seen.turn)
        if seen.plays:
            led = seen.plays[0][1]
            self._plays, self.turn = list(seen.plays), seen.turn
            self._following, self._strength = LED[self.trump][led]
            self._ahead = winner(self.trump, seen.plays)
            self._best = self._strength[dict(seen.plays)[self._ahead]]
            self.legal = plays_of(playable(self.trump, seen.plays, self.hands[seen.turn]))

    def _start_play(self, seat: int) -> None:
        self.phase = PLAYING
        self.turn = self._leader = seat
        self.legal = plays_of(self.hands[seat])

    def _take_trick(self) -> None:
        taker = self._ahead
        self._taken.append((self._plays, taker))
        self._plays = []
        if not self.hands[taker] or (self.rules.lay_down and self._is_settled()):
            makers = self.maker % 2
            self._finish(
                score_deal(
                    self.rules, makers, self.won, alone=self.alone, defended=self.defender >= 0
                )
            )
            return
        self.turn = self._leader = taker
        self.legal = plays_of(self.hands[taker])

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
        return settled(self.rules, makers, self.won, alone=self.alone, defended=self.defender >= 0)

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
            self.turn_up_at,
            self.turned_suit,
            self.calls,
            self.trump,
            self.maker,
            self.alone,
            self.sitting_out,
            self.defender,
            self.answers and self._answers_to(seat),
            self._folded if self.phase == DONE else 0,
            self.discarded if seat == self.dealer else -1,
            tuple(self._plays),
            self.tricks,
            self.legal if mine else (),
            self.result,
            standing,
        )

    def _answers_to(self, viewer: int | None) -> tuple[tuple[int, Action], ...]:
        """Return the answers as a viewer may know them.

        Who gives or swaps cards knows them, and a lone maker the partner's best.
        """
        return tuple(
            [
                (seat, action)
                if viewer == seat or (viewer == self.maker and action.kind == BEST)
                else (seat, without_cards(action))
                for seat, action in self.answers
            ]
        )

    @property
    def _folded(self) -> int:
        """The hand that was folded, which everybody sees; 0 if none was."""
        seat, action = self.answers[-1] if self.answers else (-1, DECLINED)
        return self.hands[seat] if action == FOLDS else 0


#: By number of players, the next seat clockwise while nobody sits out.
_NOBODY_OUT: Final = {players: left_of(players) for players in COMPASS}
_SLOTS: Final = attrgetter(*Deal.__slots__)


def check_dealt(rules: RuleSet, hands: Sequence[Sequence[int]], turn_up: int) -> None:
    held = [card for hand in hands for card in hand]
    if len(hands) != rules.players or any(len(hand) != HAND for hand in hands):
        raise MalformedError(f"{rules.players} hands of {HAND} cards are needed.")
    if len({*held, turn_up}) != len(held) + 1 or not rules.pack_set.issuperset((*held, turn_up)):
        raise MalformedError(f"A card is duplicated or not in the pack of {rules.pack}.")
