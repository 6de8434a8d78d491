"""The words of the table: cards, calls, seats and results as players say them.

Pure functions of plain values. What is said in the first person stands in quotation marks on a
seat or on a button; everything else is told to a viewer, who is "you".
"""

from __future__ import annotations

from typing import Final, NamedTuple

from games.engine.actions import MAKE, PASS, Action
from games.engine.cards import (
    CARDS,
    EFFECTIVE_SUIT,
    JOKER,
    NO_TRUMP,
    SUIT_NAMES,
    left_bower,
    next_suit,
    rank_of,
    right_bower,
    suit_of,
)
from games.engine.observation import Standing
from games.engine.scoring import (
    ALONE_MADE,
    EUCHRE,
    LONE_MARCH,
    MARCH,
    SKUNK,
    DealRecord,
    DealResult,
)
from games.picture.cast import Cast

#: The letters that stand for suits in the drawings.
SUIT_LETTERS: Final = "cdhs"
RANKS: Final = ("seven", "eight", "nine", "ten", "jack", "queen", "king", "ace")
INDEXES: Final = ("7", "8", "9", "10", "J", "Q", "K", "A")
ORDINALS: Final = ("First", "Second", "Third", "Fourth", "Fifth")
NUMBERS: Final = ("no", "one", "two", "three", "four", "five", "six")


# Cards ------------------------------------------------------------------------------------


def card_name(card: int, trump: int = NO_TRUMP) -> str:
    """A card as it is read out: "Jack of Diamonds, left bower", "Ace of Hearts, trump"."""
    return _CARD_NAMES[trump][card]


def _card_name(card: int, trump: int) -> str:
    name = plain_name(card)
    if trump == NO_TRUMP or EFFECTIVE_SUIT[trump][card] != trump:
        return name
    return f"{name}, {bower(card, trump) or 'trump'}"


def plain_name(card: int) -> str:
    """A card by what is printed on it: "Ten of Spades", "Joker"."""
    if card == JOKER:
        return "Joker"
    return f"{RANKS[rank_of(card)].capitalize()} of {SUIT_NAMES[suit_of(card)].capitalize()}"


def bower(card: int, trump: int) -> str:
    """ "right bower" or "left bower", or nothing."""
    if trump == NO_TRUMP:
        return ""
    if card == right_bower(trump):
        return "right bower"
    return "left bower" if card == left_bower(trump) else ""


def rank_name(card: int) -> str:
    """The rank alone, with its article: "the king", "the joker"."""
    return "the joker" if card == JOKER else f"the {RANKS[rank_of(card)]}"


def index(card: int) -> str:
    """What stands in a card's corner."""
    return "★" if card == JOKER else INDEXES[rank_of(card)]


def suit_letter(card: int) -> str:
    """The letter of the suit printed on a card; "o" for the joker, which has none."""
    return "o" if card == JOKER else SUIT_LETTERS[suit_of(card)]


_CARD_NAMES: Final = tuple(
    tuple(_card_name(card, trump) for card in range(CARDS)) for trump in range(5)
)


# Sides ------------------------------------------------------------------------------------


def side_name(cast: Cast, side: int) -> str:
    """A side as the viewer calls it: "Us", "Them"; in heads-up "You" or a name.

    To a spectator the sides are "North–South" and "East–West".
    """
    of_side = [person for person in cast if person.seat % 2 == side]
    if len(of_side) == 1:
        return of_side[0].subject
    if not seated(cast):
        return "North–South" if side == 0 else "East–West"
    return "Us" if of_side[0].ours else "Them"


def makers_side(cast: Cast, maker: int) -> str:
    """The makers inside a sentence: "your side", "Jonah’s side"; in heads-up "you" or a name."""
    person = cast[maker]
    if len(cast) == 2:
        return person.lower
    with_you = person.ours and seated(cast)
    return "your side" if with_you else f"{person.short}’s side"


def together(cast: Cast, side: int) -> str:
    """The players of a side by name: "Iris and Jonah"."""
    return " and ".join(person.short for person in cast if person.seat % 2 == side)


# Calls ------------------------------------------------------------------------------------


class CallWords(NamedTuple):
    """A call in the words that belong to the caller's position.

    Attributes:
        yours: after "I" and "you": "order it up".
        theirs: after a name: "orders it up".
        past: "ordered it up".
        suit: the suit named in the second round, or nothing.
        alone: ", alone" or nothing.
    """

    yours: str
    theirs: str
    past: str
    suit: str = ""
    alone: str = ""

    @property
    def said(self) -> str:
        """As it is said at the table: "I make it next: diamonds, alone"."""
        return f"I {self.yours}{f': {self.suit}' if self.suit else ''}{self.alone}"


_PASS: Final = CallWords("pass", "passes", "passed")
_TURN_DOWN: Final = CallWords("turn it down", "turns it down", "turned it down")
_ORDER_UP: Final = CallWords("order it up", "orders it up", "ordered it up")
_ASSIST: Final = CallWords("assist", "assists", "assisted")
_TAKE_UP: Final = CallWords("take it up", "takes it up", "took it up")
_NEXT: Final = CallWords("make it next", "makes it next", "made it next")
_CROSS: Final = CallWords("cross it", "crosses it", "crossed it")
_NAME: Final = CallWords("name it", "names it", "named it")


def call_of(
    action: Action, *, seat: int, dealer: int, players: int, first_round: bool, turned: int
) -> CallWords:
    """What a call is called from where it is made.

    Args:
        action: pass, order or make.
        seat: who calls.
        dealer: who deals.
        players: how many play.
        first_round: whether the turn-up may still be taken.
        turned: the suit turned up.
    """
    if action.kind == PASS:
        return _TURN_DOWN if first_round and seat == dealer else _PASS
    alone = ", alone" if action.alone else ""
    if action.kind == MAKE:
        call = _NEXT if action.value == next_suit(turned) else _CROSS
        return call._replace(suit=SUIT_NAMES[action.value], alone=alone)
    if seat == dealer:
        return _TAKE_UP._replace(alone=alone)
    partner = players == 4 and (seat - dealer) % 4 == 2
    return (_ASSIST if partner else _ORDER_UP)._replace(alone=alone)


#: How a dealer who must make it what he names of a joker "calls".
JOKER_NAMED: Final = _NAME


# Numbers ----------------------------------------------------------------------------------


def dealt_in(packets: tuple[int, ...]) -> str:
    """How the cards are dealt: "3 then 2", "one at a time"."""
    if set(packets) == {1}:
        return "one at a time"
    return " then ".join(str(size) for size in packets)


def counted(number: int, one: str, many: str) -> str:
    """A small number with its noun: "one seat", "three seats"."""
    word = NUMBERS[number] if number < len(NUMBERS) else str(number)
    return f"{word} {one if number == 1 else many}"


def trick_name(tricks_before: int) -> str:
    """ "First trick" to "Fifth trick"."""
    return f"{ORDINALS[tricks_before]} trick"


# Results ----------------------------------------------------------------------------------


def deal_result(cast: Cast, result: DealResult, maker: int) -> str:
    """What a deal was worth and why: "Us +2: Jonah’s side was euchred", "March: us +2".

    Args:
        cast: everybody at the table.
        result: how it ended.
        maker: who made trump, or -1.
    """
    if result.side < 0:
        return "Everybody passed: the hand is thrown in"
    side = side_name(cast, result.side)
    if result.outcome in (MARCH, LONE_MARCH):
        how = "March" if result.outcome == MARCH else "Alone, march"
        inside = side.lower() if side in ("Us", "Them", "You") else side
        return f"{how}: {inside} +{result.points}"
    return f"{side} +{result.points}: {_reason(cast, result, maker)}"


def _reason(cast: Cast, result: DealResult, maker: int) -> str:
    makers, person = makers_side(cast, maker), cast[maker]
    if result.outcome == EUCHRE:
        return f"{makers} {'were' if makers == 'you' else 'was'} euchred"
    if result.outcome == SKUNK:
        return f"{makers} took no trick"
    who = f"{person.lower} alone" if result.outcome == ALONE_MADE else makers
    return f"{who} took {counted(result.tricks[result.makers], 'trick', 'tricks')}"


def outcome(record: DealRecord) -> str:
    """How a deal ended, for a line of a log: "euchred", "march", "three tricks"."""
    result = record.result
    if result.makers < 0:
        return "thrown in"
    words = {EUCHRE: "euchred", SKUNK: "no trick", MARCH: "march", LONE_MARCH: "march"}
    taken = counted(result.tricks[result.makers], "trick", "tricks")
    return words.get(result.outcome, taken)


def game_result(cast: Cast, standing: Standing) -> str:
    """Who has won a game, and by how much: "You win, 10–7", "A tie, 6–6"."""
    high, low = max(standing.score), min(standing.score)
    if standing.winner < 0:
        return f"A tie, {high}–{low}"
    winners = [person for person in cast if person.seat % 2 == standing.winner]
    if any(person.you for person in winners):
        return f"You win, {high}–{low}"
    verb = "wins" if len(winners) == 1 else "win"
    return f"{together(cast, standing.winner)} {verb}, {high}–{low}"


def seated(cast: Cast) -> bool:
    """Whether the viewer sits at the table himself."""
    return any(person.you for person in cast)


def bottom_seat(cast: Cast) -> int:
    """The seat at the bottom of the page."""
    return next(person.seat for person in cast if person.at == "south")


def near_side(cast: Cast) -> int:
    """The side of whoever sits at the bottom of the page; its points stand first."""
    return bottom_seat(cast) % 2


def points(cast: Cast, score: tuple[int, int]) -> str:
    """The score from where the viewer sits, his side first: "7–5"."""
    first = near_side(cast)
    return f"{score[first]}–{score[1 - first]}"
