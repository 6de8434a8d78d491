"""How well a guess of the other hands explains what their players called and discarded.

Players are taken to call about as the house does (``games.bots.bidding``), less surely where the
choice is close, and now and then in some other way: so no guess is ever quite ruled out.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import exp
from typing import Final

from games.bots.bidding import MIN_LONE_MARCH, Bidder, march_alone, points_of_call, value_of
from games.bots.keeping import discard_from
from games.engine.actions import BEST, GIVE, MAKES, ORDERS, PASSED, Action
from games.engine.cards import SUIT_MASK, UNNAMED
from games.engine.observation import DISCARDING, TAKEN, Observation
from games.engine.rules import NEAR_END, NO_TRUMPS

#: Points by which a call must be better for its chance to be e times as high.
SPREAD: Final = 0.25
#: Likewise the chance of a march for playing alone.
LONE_SPREAD: Final = 0.03
#: Likelihood of a call or a discard that the house would never choose.
MIN_CALL: Final = 0.003
MIN_DISCARD: Final = 0.15


class Inference:
    """The calls and the discard of a deal, to be compared with guesses of the hands."""

    def __init__(self, observation: Observation) -> None:
        self.trump = observation.trump
        self.dealer = observation.dealer
        players = observation.rules.players
        answered = {action.kind for _, action in observation.answers}
        #: Who holds another card than when calling: one given away, and then the partner's best.
        self.changed = observation.maker if GIVE in answered else -1
        self.has_best = BEST in answered
        calls = [
            (seat, action, index < players)
            for index, (seat, action) in enumerate(observation.calls)
            if seat != observation.seat
        ]
        calls.sort(key=lambda call: call[1] == PASSED)  # the call that says most comes first
        self.calls: list[tuple[int, Callable[[int], float], dict[int, float]]] = [
            (seat, _likelihood_of(observation, seat, action, is_first_round), {})
            for seat, action, is_first_round in calls
        ]
        self.played = [0] * players
        for plays in (*(trick.plays for trick in observation.tricks), observation.plays):
            for seat, card in plays:
                self.played[seat] |= 1 << card
        taken = observation.turn_up_at == TAKEN
        self.taken = 1 << observation.turn_up if taken else 0
        self.is_discarded = (
            taken and observation.seat != observation.dealer and observation.phase != DISCARDING
        )

    def likelihood(
        self, hands: Sequence[int], discard: int, given: int, enough: float = 0.0
    ) -> float:
        """Return how likely the calls and the dealer's discard were, from 0 to 1.

        ``hands`` are what the seats hold now, ``discard`` is a set of one card, or empty where
        there is none or the observer made it, and ``given`` likewise what a
        lone maker gave away. Stop early, with too high a likelihood, once it is below ``enough``.
        """
        likely = 1.0
        dealer = self.dealer
        if self.is_discarded:
            six = hands[dealer] | self.played[dealer] | discard
            if dealer == self.changed:
                six |= given  # with the partner's best a seventh, which nobody would have discarded
            if 1 << discard_from(self.trump, six) != discard:
                likely = MIN_DISCARD
        for seat, likelihood_of, known in self.calls:
            if likely < enough:
                break
            hand = hands[seat] | self.played[seat]
            if seat == self.changed and not self.has_best:
                hand |= given
            if seat == dealer:
                hand = (hand | discard) & ~self.taken
            chance = known.get(hand)
            if chance is None:
                chance = known[hand] = likelihood_of(hand)
            likely *= chance
        return likely


def _likelihood_of(
    observation: Observation, seat: int, action: Action, is_first_round: bool
) -> Callable[[int], float]:
    """Return a function from five cards to how likely a seat calls like this with them."""
    rules = observation.rules
    turned, deals = observation.turned_suit, seat == observation.dealer
    score = observation.standing.score[rules.side_of(seat)]
    near_end = rules.no_lone_near_end and rules.target is not None
    may_be_alone = rules.alone and not (near_end and (rules.target or 0) - score in NEAR_END)
    plain, alone = action._replace(alone=False), action._replace(alone=True)
    if not is_first_round:
        trumps = [suit for suit in range(4) if suit != turned] + [*NO_TRUMPS[rules.no_trump]]
        options = [(trump, MAKES[trump][0]) for trump in trumps]
    elif rules.dealers_partner_alone and seat == rules.partner_of(observation.dealer):
        options, plain = [(turned, ORDERS[1])], action
        may_be_alone = False  # not besides the one way to accept
    else:
        options = [(turned, ORDERS[0])]
    stuck = rules.stick_the_dealer and deals and not is_first_round

    def likelihood(hand: int) -> float:
        bidder = Bidder(
            rules,
            observation.dealer,
            observation.turn_up,
            observation.turned_suit,
            seat,
            hand,
            is_first_round,
        )
        values = {
            option: exp(points_of_call(bidder, option) / SPREAD)
            for trump, option in options
            if not rules.own_trump
            or trump > UNNAMED
            or hand & SUIT_MASK[UNNAMED][trump]
            or (deals and is_first_round)
        }
        passing = 0.0 if stuck and values else exp(value_of(bidder, PASSED) / SPREAD)
        total = passing + sum(values.values())
        if action == PASSED:
            return max(MIN_CALL, passing / total)
        share = values.get(plain, 0.0) / total
        if may_be_alone:
            lone = 1 / (1 + exp((MIN_LONE_MARCH - march_alone(bidder, alone)) / LONE_SPREAD))
            share = lone if action.alone else max(share, lone) * (1 - lone)
        return max(MIN_CALL, share)

    return likelihood
