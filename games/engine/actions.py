"""Player actions as small shared values."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Final, NamedTuple

from games.engine.cards import CARDS, SUITS, card_text, parse_card, parse_suit
from games.engine.errors import MalformedError

#: The kinds of action, also the first word of their text.
CUT: Final = "cut"
NAME: Final = "name"
PASS: Final = "pass"  # noqa: S105 (not a password)
ORDER: Final = "order"
MAKE: Final = "make"
DISCARD: Final = "discard"
PLAY: Final = "play"
NEXT: Final = "next"
UNDO: Final = "undo"


class Action(NamedTuple):
    """One thing a player does.

    Attributes:
        kind: ``cut`` (lift ``value`` cards), ``name`` (the suit a turned-up joker counts as),
            ``pass``, ``order`` (order up, assist or take up), ``make`` (name trump in the second
            round), ``discard``, ``play``, ``next`` (deal the next hand), or ``undo`` (take back
            the last ``value`` actions of the game; never among the legal actions).
        value: the card, the suit or the number of cards or actions; 0 where there is none.
        alone: the maker plays alone; only with ``order`` or ``make``.
    """

    kind: str
    value: int = 0
    alone: bool = False

    def __str__(self) -> str:
        return action_text(self)


PASSED: Final = Action(PASS)
NEXT_DEAL: Final = Action(NEXT)
ORDERS: Final = (Action(ORDER), Action(ORDER, 0, True))
NAMES: Final = tuple(Action(NAME, suit) for suit in range(4))
MAKES: Final = tuple((Action(MAKE, suit), Action(MAKE, suit, True)) for suit in range(4))
DISCARDS: Final = tuple(Action(DISCARD, card) for card in range(CARDS))
PLAYS: Final = tuple(Action(PLAY, card) for card in range(CARDS))
CUTS: Final = tuple(Action(CUT, lifted) for lifted in range(CARDS + 1))
#: The most actions from one of a seat's own until its next turn: it leads a trick, three follow,
#: and three play to the next trick before it.
MAX_UNDONE: Final = 7
UNDOS: Final = tuple(Action(UNDO, actions) for actions in range(1, MAX_UNDONE + 1))


#: Calls of the first round, without and with playing alone.
FIRST_ROUND_CALLS: Final = ((PASSED, ORDERS[0]), (PASSED, *ORDERS))


@cache
def second_round_calls(turned_down: int, alone: bool, stuck: bool) -> tuple[Action, ...]:
    """Return the calls of the second round; if `stuck`, the dealer must make trump."""
    named = [
        make
        for suit in range(4)
        if suit != turned_down
        for make in (MAKES[suit] if alone else MAKES[suit][:1])
    ]
    return tuple(named) if stuck else (PASSED, *named)


def _by_thirds(actions: Sequence[Action]) -> list[list[tuple[Action, ...]]]:
    """List, for each third of the pack and each subset of it, the actions on its cards.

    Three look-ups are far faster than a loop over the cards.
    """
    return [
        [
            tuple([action for place, action in enumerate(third) if cards >> place & 1])
            for cards in range(2 ** len(third))
        ]
        for third in (actions[start : start + 11] for start in (0, 11, 22))
    ]


def _of_cards(thirds: list[list[tuple[Action, ...]]]) -> Callable[[int], tuple[Action, ...]]:
    low, middle, high = thirds
    return lambda cards: low[cards & 2047] + middle[cards >> 11 & 2047] + high[cards >> 22]


#: Plays by thirds of the pack: cards 0 to 10, 11 to 21 and 22 to 32.
PLAYS_BY_THIRDS: Final = _by_thirds(PLAYS)

#: To play, or to discard, any card of a set.
plays_of: Final = _of_cards(PLAYS_BY_THIRDS)
discards_of: Final = _of_cards(_by_thirds(DISCARDS))


def action_text(action: Action) -> str:
    """Return an action as text: ``pass``, ``order alone``, ``make H``, ``play 9D``, ``cut 16``."""
    kind, value, alone = action
    words = [kind]
    if kind in (NAME, MAKE):
        words.append(SUITS[value])
    elif kind in (DISCARD, PLAY):
        words.append(card_text(value))
    elif kind in (CUT, UNDO):
        words.append(str(value))
    if alone:
        words.append("alone")
    return " ".join(words)


_ACTION_OF_TEXT: Final = {
    action_text(action): action
    for action in (
        PASSED,
        NEXT_DEAL,
        *ORDERS,
        *NAMES,
        *(one for both in MAKES for one in both),
        *DISCARDS,
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
        elif words[0] in (DISCARD, PLAY) and len(words) > 1:
            parse_card(words[1])
    except MalformedError as why:
        return why
    return MalformedError(
        f"{text[:40]!r} is not an action: pass, order, order alone, make H, make H alone, "
        "name H, discard QS, play 9D, cut 16 or next."
    )
