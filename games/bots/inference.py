"""How well a guess of the other hands explains what their players called and discarded.

Players are taken to call about as the house does (``games.bots.bidding``), less surely where the
choice is close, and now and then in some other way: so no guess is ever quite ruled out.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import exp
from typing import Final, NamedTuple

from games.bots.bidding import Bidder, points_of_call, points_of_pass
from games.bots.keeping import discard_from
from games.engine.actions import MAKES, ORDERS, PASSED, Action
from games.engine.observation import DISCARDING, TAKEN, Observation

#: Points by which a call must be better for its chance to be e times as high.
SPREAD: Final = 0.25
#: Likelihood of a call or a discard that the house would never choose.
MIN_CALL: Final = 0.04
MIN_DISCARD: Final = 0.15


class _Call(NamedTuple):
    seat: int
    action: Action
    is_first_round: bool


class Inference:
    """The calls and the discard of a deal, to be compared with guesses of the hands."""

    def __init__(self, observation: Observation) -> None:
        self.observation = observation
        players = observation.rules.players
        self.calls = [
            _Call(seat, action, index < players)
            for index, (seat, action) in enumerate(observation.calls)
            if seat != observation.seat
        ]
        self.played = [0] * players
        for plays in (*(trick.plays for trick in observation.tricks), observation.plays):
            for seat, card in plays:
                self.played[seat] |= 1 << card
        taken = observation.turn_up_at == TAKEN
        self.taken = 1 << observation.turn_up if taken else 0
        self.sees_dealer = observation.seat == observation.dealer
        self.is_discarded = taken and not self.sees_dealer and observation.phase != DISCARDING

    def likelihood(self, hands: Sequence[int], discard: int) -> float:
        """Return how likely the calls and the dealer's discard were, from 0 to 1.

        ``hands`` are what the seats hold now, ``discard`` is a set of one card, or empty where
        there is none or the observer made it.
        """
        observation = self.observation
        likely = 1.0
        dealer = observation.dealer
        if self.is_discarded:
            six = hands[dealer] | self.played[dealer] | discard
            if 1 << discard_from(observation.trump, six) != discard:
                likely *= MIN_DISCARD
        for seat, action, is_first_round in self.calls:
            hand = hands[seat] | self.played[seat]
            if seat == dealer:
                hand = (hand | discard) & ~self.taken
            likely *= self._of_call(seat, action, hand, is_first_round)
        return likely

    def _of_call(self, seat: int, action: Action, hand: int, is_first_round: bool) -> float:
        """Return the likelihood of a call with five cards."""
        seen = self.observation
        rules = seen.rules
        bidder = Bidder(
            rules, seen.dealer, seen.turn_up, seen.turned_suit, seat, hand, is_first_round
        )
        options = (
            ORDERS[:1]
            if is_first_round
            else [MAKES[suit][0] for suit in range(4) if suit != seen.turned_suit]
        )
        stuck = rules.stick_the_dealer and seat == seen.dealer and not is_first_round
        passing = 0.0 if stuck else exp(points_of_pass(bidder) / SPREAD)
        values = [exp(points_of_call(bidder, option) / SPREAD) for option in options]
        if action == PASSED:
            share = passing / (passing + sum(values))
        else:
            plain = values[options.index(action._replace(alone=False))]
            share = plain / (passing + sum(values))
            if rules.alone:
                alone = exp(points_of_call(bidder, action._replace(alone=True)) / SPREAD)
                alone_share = alone / (alone + plain)
                share = max(share, alone / (passing + alone))
                share *= alone_share if action.alone else 1 - alone_share
        return max(MIN_CALL, share)
