"""A double-dummy solver: the result of the play when all hands are known and everybody plays best.

A null-window search answers one question, "do the makers take at least ``need`` of the remaining
tricks?", and a binary search over ``need`` finds the value. For each position between two tricks a
table holds bounds on the makers' remaining tricks. Three things keep the tree small:

* Equal cards: cards of one hand with only dead cards between them (played, or never dealt) are
  equal, and one of them is tried.
* Sure tricks: trumps in one hand that no opponent can beat take a trick each.
* Move ordering: a player who can win the trick tries that first, with the lowest card that can.

In the search a card is one bit. The suits lie side by side, trumps on top, with a gap of one zero
bit above each suit. With hearts trump, for example, highest bit first::

    . JH JD 9H . AS QS . KD TD . QC

Among trumps and the suit led, the higher bit wins. Equal cards are skipped by one addition: with
the bits of a player's cards and of all dead cards set, adding one of the player's cards clears it
and its equals, as the carry runs up to another player's card or to the gap.
"""

from __future__ import annotations

from bisect import bisect
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Final, NamedTuple

from games.engine.cards import STRENGTH, SUIT_MASK, TRUMPS, cards_in
from games.engine.observation import Observation
from games.engine.rules import HAND, RuleSet
from games.engine.scoring import results
from games.engine.seats import left_of
from games.engine.tricks import playable, winner

Plays = tuple[tuple[int, int], ...]

#: ``_LAYOUT[trump]``: the cards of each suit from low to high, trumps last, if there are any.
_LAYOUT: Final = tuple(
    tuple(
        tuple(sorted(cards_in(SUIT_MASK[trump][suit]), key=STRENGTH[trump][suit].__getitem__))
        for suit in (*(suit for suit in range(4) if suit != trump), trump)
    )
    for trump in TRUMPS
)

_EACH_TRICK: Final = range(1, HAND + 1)


class Position(NamedTuple):
    """A position of the card play with all hands known.

    Attributes:
        makers: the side (0 or 1) that made trump.
        hands: the cards of each seat as a set; none for a seat that sits out.
        turn: the seat to play.
        plays: (seat, card) played to the current trick.
        tricks: tricks taken by side 0 and side 1.
        sitting_out: the seats that do not play: the lone maker's partner, then the lone defender's.
    """

    trump: int
    makers: int
    hands: tuple[int, ...]
    turn: int
    plays: Plays = ()
    tricks: tuple[int, int] = (0, 0)
    sitting_out: tuple[int, ...] = ()

    @classmethod
    def of(cls, seen: Observation, hands: Sequence[int]) -> Position:
        """Return the position of an observed deal, given the hands: the deal's own or a guess.

        The deal must be in the play, or all its cards played.
        """
        return cls(
            trump=seen.trump,
            makers=seen.rules.side_of(seen.maker),
            hands=tuple(
                [0 if seat in seen.sitting_out else hand for seat, hand in enumerate(hands)]
            ),
            turn=seen.turn,
            plays=seen.plays,
            tricks=seen.tricks_won,
            sitting_out=seen.sitting_out,
        )


def best_tricks(position: Position) -> int:
    """Return the makers' tricks in the whole deal, those already taken included."""
    return _Search(position).reached(position.plays, _EACH_TRICK)


def tricks_by_card(position: Position) -> dict[int, int]:
    """Return ``best_tricks`` after each legal card of the seat in turn."""
    return _Search(position).reached_by_card(_EACH_TRICK)


def best_points(rules: RuleSet, position: Position) -> int:
    """Return the makers' points for the deal; negative for a euchre."""
    thresholds, points = _payoffs(rules, len(position.sitting_out))
    return points[_Search(position).reached(position.plays, thresholds)]


def points_by_card(rules: RuleSet, position: Position) -> dict[int, int]:
    """Return ``best_points`` after each legal card of the seat in turn.

    Faster than ``tricks_by_card``, which also distinguishes numbers of tricks that score the same.
    """
    thresholds, points = _payoffs(rules, len(position.sitting_out))
    return {
        card: points[reached]
        for card, reached in _Search(position).reached_by_card(thresholds).items()
    }


@lru_cache(maxsize=64)
def _payoffs(rules: RuleSet, sitting_out: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the numbers of tricks at which the makers' points rise, and the points.

    The first of the points are for reaching none of these thresholds, the next for the first.
    sitting_out: how many seats do not play, 1 if the maker plays alone, 2 if a defender too.
    """
    ends = results(rules, 0, alone=sitting_out > 0, defended=sitting_out > 1)
    points = [result.points if result.side == 0 else -result.points for result in ends]
    thresholds = tuple(tricks for tricks in _EACH_TRICK if points[tricks] > points[tricks - 1])
    return thresholds, tuple(points[tricks] for tricks in (0, *thresholds))


class _Search:
    """The search of one position.

    Its table is not shared with other positions. Among 50 hands sampled for one decision that
    saved 3 % of the nodes, and the canonical form of a position cost more than it saved.

    Attributes:
        bit: the bit of each card in the hands or the current trick.
        owner: by bit, the seat that holds or played the card.
        suit: by bit, all cards of its suit.
        pack: all these cards.
        left: those in the hands.
        after: by seat, the next active one clockwise.
        is_maker: by seat; also the answer that the seat plays for.
        bounds: by the cards left and the leader, the fewest and the most remaining tricks that the
            makers may take, as far as known.
    """

    __slots__ = (
        "after", "bit", "bounds", "defenders", "hands", "is_maker", "left", "makers", "owner",
        "pack", "position", "suit", "trumps",
    )  # fmt: skip

    def __init__(self, position: Position) -> None:
        trump, makers, hands, _, plays, _, sitting_out = position
        held = {card: seat for seat, hand in enumerate(hands) for card in cards_in(hand)}
        self.position = position
        self._lay_out(_LAYOUT[trump], held | {card: seat for seat, card in plays})
        self.hands = [0] * len(hands)
        for card, seat in held.items():
            self.hands[seat] |= self.bit[card]
        self.left = sum(self.hands)
        self.makers, self.defenders = self.hands[makers::2], self.hands[1 - makers :: 2]
        self.is_maker = [seat % 2 == makers for seat in range(len(hands))]
        self.after = left_of(len(hands), sitting_out)
        self.bounds: dict[int, tuple[int, int]] = {}

    def _lay_out(self, suits: Sequence[Sequence[int]], owner: Mapping[int, int]) -> None:
        """Assign a bit to each card that has an owner."""
        self.bit: dict[int, int] = {}
        self.owner: dict[int, int] = {}
        self.suit: dict[int, int] = {}
        self.pack = 0
        bit = 1
        for suit in suits:
            cards = [card for card in suit if card in owner]
            whole = (bit << len(cards)) - bit
            for card in cards:
                self.bit[card], self.owner[bit], self.suit[bit] = bit, owner[card], whole
                bit <<= 1
            self.pack |= whole
            bit <<= 1
        self.trumps = whole

    def reached(self, plays: Plays, thresholds: Sequence[int]) -> int:
        """Return how many of these numbers of tricks, in ascending order, the makers take.

        ``plays`` is the current trick, with at most one card more than in the position.
        """
        return bisect(thresholds, False, key=lambda tricks: not self._makers_take(tricks, plays))

    def reached_by_card(self, thresholds: Sequence[int]) -> dict[int, int]:
        """Return ``reached`` after each legal card."""
        plays, turn = self.position.plays, self.position.turn
        reached: dict[int, int] = {}
        for equals in self._choices():
            after = self.reached((*plays, (turn, equals[0])), thresholds)
            reached |= dict.fromkeys(equals, after)
        return reached

    def _choices(self) -> Iterator[list[int]]:
        """Yield the legal cards in groups of equal ones."""
        trump, _, hands, turn, plays, _, _ = self.position
        legal = list(cards_in(playable(trump, plays, hands[turn])))
        cards = sum([self.bit[card] for card in legal])
        skip = cards | self.pack ^ self.left ^ self._best(plays)
        while cards:
            others = cards & skip + (cards & -cards)
            yield [card for card in legal if self.bit[card] & (cards ^ others)]
            cards = others

    def _makers_take(self, tricks: int, plays: Plays) -> bool:
        """Return True if the makers take at least this many tricks in the whole deal."""
        need = tricks - self.position.tricks[self.position.makers]
        if not 0 < need <= HAND - sum(self.position.tricks):
            return need <= 0
        if not plays:
            return self._lead(self.left, self.position.turn, need)
        left = self.left & ~sum([self.bit[card] for _, card in plays])
        led = self.bit[plays[0][1]]
        return self._follow(left, self.after[plays[-1][0]], led, self._best(plays), need)

    def _best(self, plays: Plays) -> int:
        """Return the card that is winning the trick, or 0 before the lead."""
        if not plays:
            return 0
        return self.bit[dict(plays)[winner(self.position.trump, plays)]]

    # The tree -------------------------------------------------------------------------------

    def _lead(self, left: int, leader: int, need: int) -> bool:
        """Return True if the makers take at least ``need`` of the remaining tricks."""
        hand = self.hands[leader] & left
        tricks = hand.bit_count()
        if not 0 < need <= tricks:
            return need <= 0
        key = left << 2 | leader
        fewest, most = self.bounds.get(key) or self._sure_tricks(left, tricks)
        if not fewest < need <= most:
            return need <= fewest
        reached = self._choose_lead(left, leader, hand, need)
        self.bounds[key] = (need, most) if reached else (fewest, need - 1)
        return reached

    def _sure_tricks(self, left: int, tricks: int) -> tuple[int, int]:
        """Return the fewest and the most tricks that the top trumps allow the makers."""
        trumps = left & self.trumps
        ours = trumps & sum(self.makers)
        theirs = trumps ^ ours
        if ours > theirs:
            return _most_in_one(self.makers, ours & -1 << theirs.bit_length()), tricks
        return 0, tricks - _most_in_one(self.defenders, theirs & -1 << ours.bit_length())

    def _choose_lead(self, left: int, leader: int, hand: int, need: int) -> bool:
        goal, after = self.is_maker[leader], self.after[leader]
        skip = hand | self.pack ^ left
        while hand:
            card = hand & -hand
            hand &= skip + card
            if self._follow(left ^ card, after, card, card, need) is goal:
                return goal
        return not goal

    def _follow(self, left: int, seat: int, led: int, best: int, need: int) -> bool:
        """Return True if the makers take at least ``need`` tricks, the current one included.

        Args:
            left: the cards in the hands.
            seat: the seat in turn; the leader when the trick is complete.
            led: the card led.
            best: the card that is winning the trick.
        """
        if seat == self.owner[led]:
            ahead = self.owner[best]
            return self._lead(left, ahead, need - self.is_maker[ahead])
        goal, after, suit = self.is_maker[seat], self.after[seat], self.suit[led]
        hand = self.hands[seat] & left
        cards = hand & suit or hand
        skip = cards | self.pack ^ left
        winning = cards & (suit | self.trumps) & -best
        losing = cards ^ winning
        while winning:
            card = winning & -winning
            winning &= skip + card
            if self._follow(left ^ card, after, led, card, need) is goal:
                return goal
        while losing:
            card = losing & -losing
            losing &= skip + card
            if self._follow(left ^ card, after, led, best, need) is goal:
                return goal
        return not goal


def _most_in_one(hands: Sequence[int], cards: int) -> int:
    """Return how many of these cards the hand with most of them holds."""
    return max([(hand & cards).bit_count() for hand in hands])
