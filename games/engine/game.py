"""A game: deals played until a side reaches the target or the agreed number has been played."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from itertools import chain, groupby
from operator import attrgetter
from typing import Final, NamedTuple

from games.engine.actions import (
    BEST,
    CUT,
    DISCARD,
    NAME,
    NEXT_DEAL,
    SWAP,
    UNDO,
    Action,
    action_text,
)
from games.engine.deal import Deal
from games.engine.errors import IllegalActionError
from games.engine.observation import Observation, Standing
from games.engine.refusing import check_is_action, check_seat
from games.engine.rules import RuleSet
from games.engine.scoring import THROWN_IN, DealRecord, DealResult, stays_with

#: The actions after which somebody has seen cards that they had not seen before.
_REVEALING: Final = (CUT, NAME, SWAP, BEST)

#: Returns the shuffled pack (top first, before the cut) of deal 0, 1, 2, … of a game.
Packs = Callable[[int], Sequence[int]]


class _Step(NamedTuple):
    """An action that has not been undone, whose turn it was, and the game before it."""

    action: Action
    turn: int
    records: tuple[DealRecord, ...]
    standing: Standing

    @property
    def deal_number(self) -> int:
        return self.standing.deal_number


class Game:
    """A game in progress; the same packs and actions always give the same game.

    `version` is the number of actions pushed, including undone ones and the undo actions.
    `deal` is the current deal, or the last one when the game is over.
    """

    __slots__ = (
        "_history",
        "_packs",
        "_past",
        "_undone",
        "deal",
        "records",
        "rules",
        "standing",
        "version",
    )

    def __init__(self, rules: RuleSet, first_dealer: int, packs: Packs) -> None:
        self.rules = rules
        self.version = 0
        self.records: tuple[DealRecord, ...] = ()
        self.standing = Standing()
        self.deal = Deal.from_pack(rules, first_dealer, packs(0))
        self._packs = packs
        self._past: tuple[Deal, ...] = ()
        self._history: list[_Step] = []
        self._undone: list[tuple[int, list[Action]]] = []

    def copy(self) -> Game:
        """Return the same game; what is pushed on one of the two does not change the other."""
        other = Game.__new__(Game)
        for slot in Game.__slots__:
            kept = getattr(self, slot)
            setattr(other, slot, kept.copy() if isinstance(kept, (list, Deal)) else kept)
        return other

    @property
    def turn(self) -> int:
        """Return the seat that must act, or -1 between deals and at the end."""
        return self.deal.turn

    @property
    def between_deals(self) -> bool:
        return self.deal.result is not None and not self.standing.over

    def legal_actions(self) -> tuple[Action, ...]:
        return (NEXT_DEAL,) if self.between_deals else self.deal.legal_actions()

    def push(self, action: Action, seat: int | None = None) -> None:
        """Check an action and play it; raise as `Deal.push` does.

        Any seat may push ``next`` between deals, and ``undo`` to take back its own last action with
        all that followed it. Callers that offer undo must ask the seats in ``undone_by`` first.
        """
        step = _Step(action, self.turn, self.records, self.standing)
        if self.standing.over:
            raise IllegalActionError("This game is over.")
        if action.kind == UNDO:
            self._undo(action, seat)
            return
        if self.between_deals:
            self._next_deal(action, seat)
        else:
            self.deal.push(action, seat)
            if self.deal.result is not None:
                self._close_deal(self.deal.result)
        self._history.append(step)
        self.version += 1

    def pop(self) -> None:
        """Remove the last action pushed; popping an ``undo`` restores what it undid."""
        before = self.version - 1
        if self._undone and self._undone[-1][0] == before:
            for action in self._undone.pop()[1]:
                self.push(action)
        else:
            self._take_back()
        self.version = before

    def undone_by(self, seat: int, yielding: Collection[int] = ()) -> tuple[int, ...]:
        """Return the seats of the actions that a seat's undo would take back, its own first.

        Nothing can be undone after the deal has ended, nor can what gave somebody cards to see (the
        cut, the suit named for a turned-up joker, a swap, the partner's best card), or another
        seat's later call or play, unless that seat is in ``yielding``.
        Without yielding seats only the very last action can be undone, or the last one before the
        dealer's discard: the seat has learnt nothing since, and the others only what it showed
        itself. With them it has also seen the cards they played in answer.
        """
        check_seat(self.rules, seat)
        seats: list[int] = []
        if self.deal.result is not None:
            return ()
        for step in reversed(self._history):
            if step.deal_number != self.standing.deal_number or step.action.kind in _REVEALING:
                break
            seats.append(step.turn)
            if step.turn == seat:
                return tuple(reversed(seats))
            if step.action.kind != DISCARD and step.turn not in yielding:
                break
        return ()

    @property
    def last_to_act(self) -> tuple[int, ...]:
        """Return the seats of the last two actions, in ascending order."""
        return tuple(sorted({step.turn for step in self._history[-2:] if step.turn >= 0}))

    def waiting(self, seat: int | None) -> tuple[object, ...] | None:
        """Return what only a seat sees while it waits for another; None if it waits for nobody.

        While this stays equal, so does all that a page says to the seat alone, as far as it depends
        on the cards. A spectator (None) sees how many cards South holds.
        """
        deal = self.deal
        if deal.turn in (seat, -1):
            return None
        known = deal.discarded if seat == deal.dealer else -1
        hand = deal.hands[seat] if seat is not None else 0
        south = deal.hands[self.rules.players // 2].bit_count() if seat is None else 0
        return (deal.phase, deal.trump, deal.sitting_out, known, hand, south)

    @property
    def undone(self) -> dict[int, tuple[Action, ...]]:
        """Return the undone actions, by the version at which they were undone."""
        return {version: tuple(actions) for version, actions in self._undone}

    def _undo(self, action: Action, seat: int | None) -> None:
        """Undo an action and all after it; a missing seat means the one whose action it was."""
        check_is_action(action)
        if seat is None and action.value <= len(self._history):
            seat = self._history[-action.value].turn
        everybody = range(self.rules.players)
        if seat is None or seat < 0 or len(self.undone_by(seat, everybody)) != action.value:
            raise IllegalActionError(f"You cannot {action_text(action)} now.")
        version = self.version
        taken = [self._take_back() for _ in range(action.value)]
        self._undone.append((version, taken[::-1]))
        self.version = version + 1

    def _take_back(self) -> Action:
        step, number = self._history.pop(), self.standing.deal_number
        self.records, self.standing = step.records, step.standing
        if step.deal_number == number:
            self.deal.pop()
        else:
            *past, last = self._past
            self.deal, self._past = last.copy(), tuple(past)
        return step.action

    @property
    def deals(self) -> tuple[Deal, ...]:
        return (*self._past, self.deal)

    def observe(self, seat: int | None = None) -> Observation:
        view = self.deal.observe(seat, self.standing)
        if self.between_deals and seat is not None:
            return view._replace(legal=(NEXT_DEAL,))
        return view

    def earlier(self, deals: int) -> Game | None:
        """Return the game as it was some deals ago, after as many actions of the deal as now.

        Once the present deal is over, so is that one. None if there was no such deal yet.
        """
        number = self.standing.deal_number - deals
        if number < 1:
            return None
        steps = [list(group) for _, group in groupby(self._history, attrgetter("deal_number"))]
        shown = [one for one in steps[number - 1] if one.action != NEXT_DEAL]
        if self.deal.result is None:
            done = len(steps[-1]) if len(steps) == self.standing.deal_number else 0
            shown = shown[:done]
        then = Game(self.rules, self.deals[0].dealer, self._packs)
        for one in (*chain(*steps[: number - 1]), *shown):
            then.push(one.action)
        return then

    def _next_deal(self, action: Action, seat: int | None) -> None:
        if seat is not None:
            check_seat(self.rules, seat)
        if action != NEXT_DEAL:
            check_is_action(action)
            raise IllegalActionError(
                f"You cannot {action_text(action)} now: the hand is over; you may: next."
            )
        number = self.standing.deal_number
        rules = (
            replace(self.rules, stick_the_dealer=True, stuck_after=0) if self._stuck else self.rules
        )
        pack, score = self._packs(number), self.standing.score
        deal = Deal.from_pack(rules, self._next_dealer(), pack, score=score)
        self.deal, self._past = deal, self.deals
        self.standing = self.standing._replace(deal_number=number + 1)

    def _next_dealer(self) -> int:
        last = self.records[-1]
        return last.dealer if stays_with(self.rules, last.result) else self.rules.after(last.dealer)

    @property
    def _stuck(self) -> bool:
        """Return True if enough hands have been thrown in that the next dealer must name a suit."""
        latest = self.records[-self.rules.stuck_after :] if self.rules.stuck_after else ()
        thrown_in = sum(record.result.outcome == THROWN_IN for record in latest)
        return 0 < self.rules.stuck_after == thrown_in

    def _close_deal(self, result: DealResult) -> None:
        self.standing = self.standing.after(self.rules, result)
        deal = self.deal
        self.records = (
            *self.records,
            DealRecord(
                self.standing.deal_number,
                deal.dealer,
                deal.maker,
                deal.trump,
                deal.alone,
                result,
                self.standing.score,
                deal.defender,
            ),
        )
