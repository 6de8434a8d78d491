"""Worlds: hands that the other seats may hold, as far as one player can tell.

A world agrees with all that the player has seen: the own cards and discard, the turn-up and who
took it, the cards played, the suits that seats did not follow and how many cards each seat holds.
Among those worlds the ones are preferred in which the calls, and a discard, are what a sensible
player would have done (``games.bots.inference``).

The cards are dealt at random into the places left, every deal that agrees being equally likely. To
that end cards that may go to the same places form a class; how many cards of each class a place
gets is drawn by the number of deals that each split leaves open. So no deal is ever a dead end.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import accumulate
from math import comb, prod
from operator import sub
from random import Random
from typing import Final, NamedTuple

from games.bots.inference import Inference
from games.bots.memory import unseen_cards, void_suits
from games.engine.actions import BEST, GIVE, NINES_AND_TENS, SWAP
from games.engine.cards import BIT, cards_in
from games.engine.observation import DISCARDING, TAKEN, Observation

World = tuple[int, ...]
Counts = tuple[int, ...]

#: Most deals tried for each world asked for.
MAX_TRIES: Final = 40
#: Deals looked at to see how likely the calls can be.
FIRST: Final = 64


#: Places other than seats: the dealer's discard, the rest of the pack, and the card that a lone
#: maker gave away.
DISCARD: Final = -1
OUT_OF_PLAY: Final = -2
GIVEN: Final = -3


class CardPlace(NamedTuple):
    """A seat, or another place, where ``number`` of the unseen cards are, all of ``may_hold``."""

    seat: int
    number: int
    may_hold: int


def worlds(observation: Observation, rng: Random, count: int) -> list[World]:
    """Return so many guesses of all hands, as sets by seat, that agree with an observation.

    The observation is a player's, from the bidding on. The hands are those held at this moment;
    cards in none of them, and not played, are out of play. The same observation and state of
    ``rng`` give the same worlds. A world may occur more than once.
    """
    return list(one_by_one(observation, rng, count))


def one_by_one(observation: Observation, rng: Random, count: int) -> Iterator[World]:
    """Yield the same worlds, for whoever may not need them all."""
    dealer, inference = _Dealer(observation), Inference(observation)
    first = [dealer.deal(rng) for _ in range(FIRST)]
    # Measured by the best of the first, or an unusual bidding would refuse nearly all.
    ceiling = max(inference.likelihood(*one) for one in first)
    refused: list[tuple[float, World]] = []
    for index in range(count * MAX_TRIES):
        if not count:
            return
        guess = first[index] if index < FIRST else dealer.deal(rng)
        enough = ceiling * rng.random()
        likelihood = inference.likelihood(*guess, enough)
        if enough < likelihood:
            count -= 1
            yield guess[0]
        else:
            refused.append((likelihood, guess[0]))
    refused.sort(reverse=True)
    for _, world in refused[:count]:
        yield world


def places(observation: Observation) -> list[CardPlace]:
    """Return where the cards are that the observer has not seen."""
    unseen, missing = unseen_cards(observation), void_suits(observation)
    dealer, maker, turn_up = observation.dealer, observation.maker, 0
    if observation.turn_up_at == TAKEN:
        turn_up = unseen & 1 << observation.turn_up
    acts = {action.kind: action.value for _, action in observation.answers}
    # The lone maker's partner knows one card of the maker.
    best = unseen & BIT[acts[BEST]] if acts.get(BEST, -1) >= 0 else 0
    found = []
    for seat, held in enumerate(observation.held):
        if seat != observation.seat and held:
            cards = unseen & ~missing[seat] & ~(turn_up if seat != dealer else 0)
            found.append(CardPlace(seat, held, cards & ~(best if seat != maker else 0)))
    if (
        observation.turn_up_at == TAKEN
        and observation.phase != DISCARDING
        and observation.seat != dealer
    ):
        found.append(CardPlace(DISCARD, 1, unseen & ~best))
    if acts.get(GIVE, 0) < 0:
        found.append(CardPlace(GIVEN, 1, unseen & ~best & ~(turn_up if maker != dealer else 0)))
    left = unseen.bit_count() - sum(place.number for place in found)
    kitty = unseen & ~turn_up & ~best & (NINES_AND_TENS if SWAP in acts else -1)
    return [*found, CardPlace(OUT_OF_PLAY, left, kitty)]


class _Dealer:
    """Deals the unseen cards of an observation at random, every possible deal equally likely."""

    def __init__(self, observation: Observation) -> None:
        self.hands = [0] * observation.rules.players
        if observation.seat is not None:
            self.hands[observation.seat] = observation.hand
        self.places = places(observation)
        classes: dict[tuple[bool, ...], list[int]] = {}
        for card in cards_in(unseen_cards(observation)):
            fits = tuple([place.may_hold >> card & 1 == 1 for place in self.places])
            classes.setdefault(fits, []).append(1 << card)
        self.fits = list(classes)
        self.classes = list(classes.values())
        self.splits: dict[tuple[int, Counts], tuple[list[Counts], list[int]]] = {}

    def deal(self, rng: Random) -> tuple[World, int, int]:
        """Return hands by seat, and the dealer's discard and the card given away, each as a set.

        These two are empty where there is none or it is known.
        """
        hands = self.hands.copy()
        discard = given = 0
        left = tuple(map(len, self.classes))
        for cards in self.classes:
            cards.sort(key=lambda _: rng.random())  # a shuffle, three times as fast as shuffle()
        for index, place in enumerate(self.places[:-1]):
            splits, weights = self._splits(index, left)
            split = splits[0] if len(splits) == 1 else rng.choices(splits, cum_weights=weights)[0]
            held = 0
            for cards, start, number in zip(self.classes, left, split, strict=True):
                held += sum(cards[start - number : start])
            left = tuple(map(sub, left, split))
            if place.seat == DISCARD:
                discard = held
            elif place.seat == GIVEN:
                given = held
            elif place.seat >= 0:
                hands[place.seat] = held
        return tuple(hands), discard, given

    def _splits(self, index: int, left: Counts) -> tuple[list[Counts], list[int]]:
        """Return the ways to fill a place with cards left of each class.

        With them comes how many deals each way and the ways before it leave open.
        """
        found = self.splits.get((index, left))
        if found is None:
            place = self.places[index]
            limits = [
                number if fits[index] else 0 for number, fits in zip(left, self.fits, strict=True)
            ]
            splits, weights = [], []
            for split in _ways(place.number, limits):
                ways = prod(map(comb, left, split)) * self._deals(
                    index + 1, tuple(map(sub, left, split))
                )
                if ways:
                    splits.append(split)
                    weights.append(ways)
            found = self.splits[index, left] = splits, list(accumulate(weights))
        return found

    def _deals(self, index: int, left: Counts) -> int:
        """Return how many deals fill the places from one on with cards left of each class."""
        if index == len(self.places):
            return 1
        _, weights = self._splits(index, left)
        return weights[-1] if weights else 0


def _ways(count: int, limits: Sequence[int]) -> Iterator[Counts]:
    """Yield the ways to draw so many cards from classes of limited size."""
    if not limits:
        if count == 0:
            yield ()
        return
    first, *rest = limits
    for number in range(max(0, count - sum(rest)), min(first, count) + 1):
        for others in _ways(count - number, rest):
            yield (number, *others)
