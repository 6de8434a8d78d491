"""The house player as it was in November 2026, before it was made stronger.

A frozen opponent: it measures what later players are better by, so it does not follow changes of
``games.bots``.
"""

from __future__ import annotations

from math import exp, inf
from random import Random
from typing import Final, NamedTuple

from games.engine.actions import DISCARDS, MAKE, ORDER, PASSED, PLAYS, Action
from games.engine.cards import (
    CARDS,
    EFFECTIVE_SUIT,
    JOKER,
    RANKS,
    STRENGTH,
    SUIT_MASK,
    cards_in,
    mask_of,
    next_suit,
    rank_of,
)
from games.engine.observation import (
    DISCARDING,
    FIRST_ROUND,
    PLAYING,
    SECOND_ROUND,
    TAKEN,
    Observation,
)
from games.engine.rules import PACK_MASKS, RuleSet
from games.engine.tricks import playable, suit_led, winner

# What it remembers ---------------------------------------------------------------

#: ``BEATEN_BY[trump][led][card]``: the set of cards that beat ``card`` when ``led`` was led.
BEATEN_BY: Final = tuple(
    tuple(
        tuple(
            mask_of(other for other in range(CARDS) if strength[other] > strength[card])
            for card in range(CARDS)
        )
        for strength in by_led
    )
    for by_led in STRENGTH
)


class Memory(NamedTuple):
    """What a player knows of the hidden cards during the play.

    may_hold: by seat, the unseen cards it may hold; 0 for the player and a seat that sits out.
    partner: -1 without one. opponents_may_hold: the unseen cards that any opponent may hold.
    """

    trump: int
    hand: int
    may_hold: tuple[int, ...]
    partner: int
    opponents_may_hold: int

    def is_master(self, card: int) -> bool:
        """Return True if no opponent can hold a higher card of the same suit."""
        suit = EFFECTIVE_SUIT[self.trump][card]
        higher = BEATEN_BY[self.trump][suit][card] & SUIT_MASK[self.trump][suit]
        return not self.opponents_may_hold & higher

    @property
    def trumps(self) -> int:
        return self.hand & SUIT_MASK[self.trump][self.trump]

    @property
    def opponents_trumps(self) -> int:
        return self.opponents_may_hold & SUIT_MASK[self.trump][self.trump]


def remember(observation: Observation) -> Memory:
    seat = observation.turn
    rules = observation.rules
    unseen = _unseen(observation)
    missing = _void_suits(observation)
    may_hold = []
    opponents_may_hold = 0
    for other in range(rules.players):
        cards = unseen & ~missing[other]
        if observation.turn_up_at == TAKEN and other != observation.dealer:
            cards &= ~(1 << observation.turn_up)
        if other in (seat, *observation.sitting_out) or not observation.held[other]:
            cards = 0
        may_hold.append(cards)
        if rules.side_of(other) != rules.side_of(seat):
            opponents_may_hold |= cards
    partner = rules.partner_of(seat)
    if partner is None or partner in observation.sitting_out:
        partner = -1
    return Memory(observation.trump, observation.hand, tuple(may_hold), partner, opponents_may_hold)


def _unseen(observation: Observation) -> int:
    """Return the cards the player has not seen, and the turn-up if the dealer took it."""
    seen = observation.hand
    for trick in observation.tricks:
        for _, card in trick.plays:
            seen |= 1 << card
    for _, card in observation.plays:
        seen |= 1 << card
    if observation.turn_up_at != TAKEN:
        seen |= 1 << observation.turn_up
    if observation.discard >= 0:
        seen |= 1 << observation.discard
    return PACK_MASKS[observation.rules.pack] & ~seen


def _void_suits(observation: Observation) -> list[int]:
    """Return, for each seat, the cards of every suit it failed to follow."""
    trump = observation.trump
    missing = [0] * observation.rules.players
    for plays in (*(trick.plays for trick in observation.tricks), observation.plays):
        for seat, card in plays:
            led = EFFECTIVE_SUIT[trump][plays[0][1]]
            if EFFECTIVE_SUIT[trump][card] != led:
                missing[seat] |= SUIT_MASK[trump][led]
    return missing


def highest(trump: int, cards: int) -> int:
    return max(cards_in(cards), key=lambda card: strength_in_own_suit(trump, card))


def lowest(trump: int, cards: int) -> int:
    return min(cards_in(cards), key=lambda card: strength_in_own_suit(trump, card))


def strength_in_own_suit(trump: int, card: int) -> int:
    """Return a card's strength in its own suit; any trump is above any other card."""
    return STRENGTH[trump][EFFECTIVE_SUIT[trump][card]][card]


# What it keeps -------------------------------------------------------------------

KING: Final = RANKS.index("K")
ACE: Final = RANKS.index("A")


def least_needed(trump: int, hand: int, cards: int) -> int:
    """Return the least valuable of those cards of a hand that may go.

    A card that makes a void goes first while there is a trump to ruff with; aces are kept, and
    trumps above all.
    """
    return min(cards_in(cards), key=lambda card: _worth(trump, hand, card))


def discard_from(trump: int, six: int) -> int:
    return least_needed(trump, six, six)


def _worth(trump: int, hand: int, card: int) -> tuple[bool, bool, bool, int]:
    suit = EFFECTIVE_SUIT[trump][card]
    if suit == trump:
        return True, True, True, STRENGTH[trump][trump][card]
    alone = hand & SUIT_MASK[trump][suit] == 1 << card
    makes_void = alone and hand & SUIT_MASK[trump][trump] != 0
    return False, rank_of(card) == ACE, not makes_void, rank_of(card)


# What a hand is worth ------------------------------------------------------------


class Scale(NamedTuple):
    """The tricks that each feature of a hand adds.

    Attributes:
        trumps: a trump with 0, 1, 2, … higher ones not in the hand.
        ace: an ace outside trumps.
        king: the highest card of a suit outside trumps, a king.
        void: a suit not held, with a trump to ruff it.
        made: chance of three tricks, as slope and midpoint of a logistic curve.
        march: chance of all five, likewise.
    """

    trumps: tuple[float, ...]
    ace: float
    king: float
    void: float
    made: tuple[float, float]
    march: tuple[float, float]


WITH_PARTNER: Final = Scale(
    (0.75, 0.57, 0.47, 0.38, 0.32, 0.25), 0.28, 0.06, 0.15, (1.9, 2.53), (1.65, 4.55)
)
#: For a lone hand, or two players.
WITHOUT_PARTNER: Final = Scale(
    (1.2, 0.9, 0.77, 0.7, 0.65, 0.58), 0.55, 0.2, 0.22, (2.4, 2.57), (2.25, 4.38)
)


def tricks_of(rules: RuleSet, scale: Scale, trump: int, hand: int) -> float:
    trumps = hand & SUIT_MASK[trump][trump]
    missing = PACK_MASKS[rules.pack] & ~hand
    total = 0.0
    for card in cards_in(trumps):
        higher = (missing & BEATEN_BY[trump][trump][card]).bit_count()
        total += scale.trumps[min(higher, len(scale.trumps) - 1)]
    for suit in range(4):
        if suit != trump:
            total += _side_suit(scale, suit, hand & SUIT_MASK[trump][suit], ruffs=trumps != 0)
    return total


def _side_suit(scale: Scale, suit: int, held: int, *, ruffs: bool) -> float:
    if not held:
        return scale.void if ruffs else 0.0
    if held >> (suit * 8 + ACE) & 1:
        return scale.ace
    return scale.king if held >> (suit * 8 + KING) & 1 else 0.0


def chances(scale: Scale, tricks: float) -> tuple[float, float]:
    """Return the chances of at least three tricks and of all five."""
    made, march = (
        1 / (1 + exp(slope * (even - tricks))) for slope, even in (scale.made, scale.march)
    )
    return made, min(made, march)


# What points are worth -----------------------------------------------------------

#: Fits a race in which each side scores 1, 2 or 4 points in 31, 16 and 3 of 100 deals.
STEEPNESS: Final = 2.2


def prospect(observation: Observation, ours: float, theirs: float) -> float:
    """Return how good it is to score, comparable within one observation only.

    This is roughly the chance to win the game, or the points gained in a game of a fixed number of
    deals. ``ours`` and ``theirs`` are the points of the player's side and the other's.
    """
    target = observation.rules.target
    if target is None:
        return ours - theirs
    side = observation.rules.side_of(observation.turn)
    we_need = float(target - observation.standing.score[side] - ours)
    they_need = float(target - observation.standing.score[1 - side] - theirs)
    if we_need <= 0:
        return 1.0
    if they_need <= 0:
        return 0.0
    return float(1 / (1 + ((we_need + 1) / (they_need + 1)) ** STEEPNESS))


# Bidding -------------------------------------------------------------------------

# The tables below are indexed by how many seats before the dealer a player bids: 0 is the dealer,
# 1 the dealer's right-hand opponent (or the only one), 2 the dealer's partner, 3 the eldest hand.

#: Tricks that the partner is expected to add in the first round and in the second.
FIRST_BASE: Final = (1.52, 1.17, 2.2, 1.17)
SECOND_BASE: Final = (1.62, 1.5, 1.65, 1.65)
#: Adjustment for calling next, the suit of the same colour as the one turned down.
NEXT_BASE: Final = (0.0, 0.25, -0.2, 0.2)
#: Adjustment for a turn-up that no card can beat.
TOP_CARD: Final = (0.0, -0.2, 0.35, -0.2)
#: Tricks added for a maker without a partner: against two opponents, against one.
LONE_BASE: Final = 0.0
HEADS_UP_BASE: Final = 0.55
#: The lowest chance of a march with which to play alone.
MIN_LONE_MARCH: Final = 0.25
#: Points that a borderline hand gains by passing.
FIRST_PASS: Final = (-0.15, 0.35, 0.6, 0.4)
SECOND_PASS: Final = (-0.05, -0.45, 0.0, -0.1)


def bid(observation: Observation) -> Action:
    return max(observation.legal, key=lambda action: _value(observation, action))


def _value(observation: Observation, action: Action) -> float:
    if action == PASSED:
        table = FIRST_PASS if observation.phase == FIRST_ROUND else SECOND_PASS
        return prospect(observation, table[_before_dealer(observation)], 0)
    made, march = _chances(observation, action)
    rules = observation.rules
    low, high = (rules.alone_made, rules.alone_march) if action.alone else (rules.made, rules.march)
    swept = prospect(observation, high, 0)
    if action.alone and (march < MIN_LONE_MARCH or swept <= prospect(observation, rules.march, 0)):
        return -inf
    return (
        march * swept
        + (made - march) * prospect(observation, low, 0)
        + (1 - made) * prospect(observation, 0, rules.euchre)
    )


def _chances(observation: Observation, action: Action) -> tuple[float, float]:
    """Return the chances that a call takes three tricks, and all five."""
    rules = observation.rules
    trump = action.value if action.kind == MAKE else observation.turned_suit
    if rules.players == 2:
        scale, base = WITHOUT_PARTNER, HEADS_UP_BASE
    elif action.alone:
        scale, base = WITHOUT_PARTNER, LONE_BASE
    else:
        scale, base = WITH_PARTNER, _base(observation, trump)
    hand = _hand_to_play(observation, action, trump)
    return chances(scale, base + tricks_of(rules, scale, trump, hand))


def _before_dealer(observation: Observation) -> int:
    return (observation.dealer - observation.turn) % observation.rules.players


def _base(observation: Observation, trump: int) -> float:
    """Return the tricks expected beyond the maker's hand."""
    place = _before_dealer(observation)
    if observation.phase == FIRST_ROUND:
        return FIRST_BASE[place] + (TOP_CARD[place] if _is_top(observation) else 0)
    is_next = trump == next_suit(observation.turned_suit)
    return SECOND_BASE[place] + (NEXT_BASE[place] if is_next else 0)


def _is_top(observation: Observation) -> bool:
    """Return True if no card outside the player's hand beats the turn-up."""
    trump, card = observation.turned_suit, observation.turn_up
    missing = PACK_MASKS[observation.rules.pack] & ~observation.hand
    return card == JOKER or not missing & BEATEN_BY[trump][trump][card]


def _hand_to_play(observation: Observation, action: Action, trump: int) -> int:
    """Return the hand to play with; the dealer's, after taking the turn-up and discarding."""
    hand = observation.hand
    if action.kind == ORDER and observation.turn == observation.dealer:
        hand |= 1 << observation.turn_up
        hand ^= 1 << discard_from(trump, hand)
    return hand


# Following -----------------------------------------------------------------------


def follow(observation: Observation, memory: Memory) -> int:
    trump = memory.trump
    legal = playable(trump, observation.plays, memory.hand)
    ahead = winner(trump, observation.plays)
    best = dict(observation.plays)[ahead]
    beaten_by = BEATEN_BY[trump][suit_led(trump, observation.plays)]
    behind = _held_behind(observation, memory)
    winning = legal & beaten_by[best]
    if ahead == memory.partner:
        # A partner's trump, ace or king usually wins without help.
        is_low = EFFECTIVE_SUIT[trump][best] != trump and rank_of(best) < KING
        threatened = beaten_by[best] & behind and is_low
        winning = _masters(memory, winning) if threatened else 0
    if not winning:
        return least_needed(trump, memory.hand, legal)
    sure = mask_of(card for card in cards_in(winning) if not beaten_by[card] & behind)
    return lowest(trump, sure or winning)


def _masters(memory: Memory, cards: int) -> int:
    """Return the plain cards of a set that cannot be beaten, worth playing over a partner's."""
    plain = cards & ~memory.trumps
    return mask_of(card for card in cards_in(plain) if memory.is_master(card))


def _held_behind(observation: Observation, memory: Memory) -> int:
    """Return the cards that opponents still to play to this trick may hold."""
    rules = observation.rules
    played = {seat for seat, _ in observation.plays}
    held = 0
    for seat, cards in enumerate(memory.may_hold):
        if seat not in played and rules.side_of(seat) != rules.side_of(observation.turn):
            held |= cards
    return held


# Leading -------------------------------------------------------------------------


def lead(observation: Observation, memory: Memory) -> int:
    """Return the card to lead.

    The makers draw trump while they can afford it; once no opponent has any they cash theirs
    before leading a loser. Otherwise lead a card that no opponent can beat in its suit, or else
    the best card of the shortest suit.
    """
    rules = observation.rules
    plain = memory.hand & ~memory.trumps
    made_by_us = rules.side_of(observation.maker) == rules.side_of(observation.turn)
    if not plain or (made_by_us and _leads_trump(memory, plain)):
        return highest(memory.trump, memory.trumps)
    winners = [card for card in cards_in(plain) if memory.is_master(card)]
    return min(winners or cards_in(plain), key=lambda card: (_length(memory, card), -rank_of(card)))


def _leads_trump(memory: Memory, plain: int) -> bool:
    trumps = memory.trumps
    if not trumps:
        return False
    if memory.opponents_trumps:
        return trumps.bit_count() > 1 or memory.is_master(highest(memory.trump, trumps))
    return not all(memory.is_master(card) for card in cards_in(plain))


def _length(memory: Memory, card: int) -> int:
    suit = EFFECTIVE_SUIT[memory.trump][card]
    return (memory.hand & SUIT_MASK[memory.trump][suit]).bit_count()


# The player ----------------------------------------------------------------------


def choose(observation: Observation, rng: Random) -> Action:
    """Return the house player's action, the same for the same observation and seed.

    Only the cut and the suit of a turned-up joker are random. Raise IndexError out of turn.
    """
    phase, legal = observation.phase, observation.legal
    if len(legal) < 2:
        return legal[0]
    if phase == PLAYING:
        memory = remember(observation)
        card = follow(observation, memory) if observation.plays else lead(observation, memory)
        return PLAYS[card]
    if phase in (FIRST_ROUND, SECOND_ROUND):
        return bid(observation)
    if phase == DISCARDING:
        return DISCARDS[discard_from(observation.trump, observation.hand)]
    return rng.choice(legal)
