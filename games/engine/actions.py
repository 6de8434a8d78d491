"""Player actions as small shared values."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from itertools import combinations
from typing import Final, NamedTuple

from games.engine.cards import (
    CARDS,
    RANKS,
    TRUMP_TEXTS,
    TRUMPS,
    UNNAMED,
    card_text,
    cards_in,
    mask_of,
    parse_card,
    parse_suit,
)
from games.engine.errors import MalformedError
from games.engine.rules import NO_TRUMPS, SWAPPED

#: The kinds of action, also the first word of their text.
CUT: Final = "cut"
NAME: Final = "name"
PASS: Final = "pass"  # noqa: S105 (not a password)
ORDER: Final = "order"
MAKE: Final = "make"
DISCARD: Final = "discard"
SWAP: Final = "swap"
FOLD: Final = "fold"
GIVE: Final = "give"
BEST: Final = "best"
DEFEND: Final = "defend"
DECLINE: Final = "decline"
PLAY: Final = "play"
NEXT: Final = "next"
UNDO: Final = "undo"
#: Those whose value is a card.
WITH_A_CARD: Final = (DISCARD, GIVE, BEST, PLAY)


class Action(NamedTuple):
    """One thing a player does.

    Attributes:
        kind: ``cut`` (lift ``value`` cards), ``name`` (the suit a turned-up joker counts as),
            ``pass``, ``order`` (order up, assist or take up), ``make`` (name trump, or no trump, in
            the second round), ``discard``, ``play``, ``next`` (deal the next hand), or ``undo``
            (take back the last ``value`` actions of the game; never among the legal actions).
            Where the rules ask for it: ``swap`` (a farmer's hand: three cards for those under the
            turn-up), ``fold`` (a poor hand), ``give`` (a lone maker, to get the partner's best
            card), ``best`` (the partner gives it), ``defend`` (alone), or ``decline`` (none of it).
        value: the card, the trump, the number of cards or actions, or of a swap the set of cards;
            0 where there is none.
        alone: the maker plays alone; only with ``order`` or ``make``.
    """

    kind: str
    value: int = 0
    alone: bool = False

    def __str__(self) -> str:
        return action_text(self)


PASSED: Final = Action(PASS)
DECLINED: Final = Action(DECLINE)
FOLDS: Final = Action(FOLD)
DEFENDS: Final = Action(DEFEND)
NEXT_DEAL: Final = Action(NEXT)
ORDERS: Final = (Action(ORDER), Action(ORDER, 0, True))
NAMES: Final = tuple(Action(NAME, suit) for suit in range(4))
MAKES: Final[tuple[tuple[Action, ...], ...]] = tuple(
    (Action(MAKE, trump), Action(MAKE, trump, True)) if trump != UNNAMED else () for trump in TRUMPS
)
DISCARDS: Final = tuple(Action(DISCARD, card) for card in range(CARDS))
GIVES: Final = tuple(Action(GIVE, card) for card in range(CARDS))
BESTS: Final = tuple(Action(BEST, card) for card in range(CARDS))
PLAYS: Final = tuple(Action(PLAY, card) for card in range(CARDS))
#: The largest pack has 33 cards.
CUTS: Final = tuple(Action(CUT, lifted) for lifted in range(34))
NINES_AND_TENS: Final = mask_of(suit * 8 + RANKS.index(rank) for suit in range(4) for rank in "9T")
#: The most actions from one of a seat's own until its next turn: it leads a trick, three follow,
#: and three play to the next trick before it.
MAX_UNDONE: Final = 7
UNDOS: Final = tuple(Action(UNDO, actions) for actions in range(1, MAX_UNDONE + 1))


#: Calls of the first round, without and with playing alone.
FIRST_ROUND_CALLS: Final = ((PASSED, ORDERS[0]), (PASSED, *ORDERS))


@cache
def second_round_calls(
    turned_down: int, no_trump: str, alone: bool, stuck: bool, held: Sequence[int] = range(4)
) -> tuple[Action, ...]:
    """Return the calls of the second round; if `stuck`, a dealer who can make trump must.

    held: the suits that may be named if they were not turned down.
    """
    trumps = [suit for suit in held if suit != turned_down] + [*NO_TRUMPS[no_trump]]
    named = [make for trump in trumps for make in MAKES[trump][: 1 + alone]]
    return tuple(named) if stuck and named else (PASSED, *named)


@cache
def swaps_of(cards: int) -> tuple[Action, ...]:
    """Return the ways to swap three nines and tens of a set."""
    swaps = combinations(cards_in(cards & NINES_AND_TENS), SWAPPED)
    return tuple([Action(SWAP, mask_of(three)) for three in swaps])


def _by_thirds(actions: Sequence[Action]) -> list[list[tuple[Action, ...]]]:
    """List, for each third of the pack and each subset of it, the actions on its cards.

    Three look-ups are far faster than a loop over the cards.
    """
    return [
        [
            tuple([action for place, action in enumerate(third) if cards >> place & 1])
            for cards in range(2 ** len(third))
        ]
        for third in (actions[:11], actions[11:22], actions[22:])
    ]


def _of_cards(thirds: list[list[tuple[Action, ...]]]) -> Callable[[int], tuple[Action, ...]]:
    low, middle, high = thirds
    return lambda cards: low[cards & 2047] + middle[cards >> 11 & 2047] + high[cards >> 22]


#: Plays by thirds of the cards: 0 to 10, 11 to 21 and 22 to 33.
PLAYS_BY_THIRDS: Final = _by_thirds(PLAYS)

#: To play, or to discard, any card of a set.
plays_of: Final = _of_cards(PLAYS_BY_THIRDS)
discards_of: Final = _of_cards(_by_thirds(DISCARDS))


def given(actions: Sequence[Action], cards: int) -> tuple[Action, ...]:
    """Return the actions, one for each card there is, on the cards of a set."""
    return tuple([actions[card] for card in cards_in(cards)])


#: Acts with cards that not everybody may see, as those see them who may not.
_HIDDEN: Final = {SWAP: Action(SWAP), GIVE: Action(GIVE, -1), BEST: Action(BEST, -1)}


def without_cards(action: Action) -> Action:
    """Return an act as those see it who may not see its cards."""
    return _HIDDEN.get(action.kind, action)


def action_text(action: Action) -> str:
    """Return an action as text: ``pass``, ``order alone``, ``make H``, ``play 9D``, ``cut 16``."""
    kind, value, alone = action
    words = [kind]
    if kind in (NAME, MAKE):
        words.append(TRUMP_TEXTS[value])
    elif kind in WITH_A_CARD:
        words += [card_text(value)] * (value >= 0)
    elif kind == SWAP:
        words += map(card_text, cards_in(value))
    elif kind in (CUT, UNDO):
        words.append(str(value))
    if alone:
        words.append("alone")
    return " ".join(words)


_ACTION_OF_TEXT: Final = {
    action_text(action): action
    for action in (
        PASSED,
        DECLINED,
        FOLDS,
        DEFENDS,
        NEXT_DEAL,
        *ORDERS,
        *NAMES,
        *(one for both in MAKES for one in both),
        *swaps_of(NINES_AND_TENS),
        *DISCARDS,
        *GIVES,
        *BESTS,
        *PLAYS,
        *CUTS,
        *UNDOS,
    )
}


def is_action(action: Action) -> bool:
    """Return True for an action that exists, legal now or not."""
    return action in _ACTION_OF_TEXT.values()


def parse_action(text: str) -> Action:
    """Parse the text of ``action_text``; raise MalformedError, which names the wrong word."""
    action = _ACTION_OF_TEXT.get(text)
    if action is None:
        raise _malformed(text)
    return action


def _malformed(text: str) -> MalformedError:
    words = text[:40].split(" ")
    try:
        if words[0] in (NAME, MAKE) and len(words) > 1:
            parse_suit(words[1])
        elif words[0] in (SWAP, *WITH_A_CARD):
            for word in words[1 : 2 if words[0] in WITH_A_CARD else None]:
                parse_card(word)
    except MalformedError as why:
        return why
    return MalformedError(
        f"{text[:40]!r} is not an action: pass, order, order alone, make H, make H alone, "
        "name H, discard QS, play 9D, cut 16 or next."
    )
