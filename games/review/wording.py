"""What was decided, in words."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from games.engine.actions import DISCARD, MAKE, PASS, PLAY, Action
from games.engine.cards import CARD_TEXTS, TRUMP_NAMES, UNNAMED, card_text
from games.engine.observation import (
    ASKING,
    DEFENDING,
    DISCARDING,
    FIRST_ROUND,
    FOLDING,
    GIVING,
    PLAYING,
    SECOND_ROUND,
    SWAPPING,
    Observation,
)
from games.engine.rules import PICK_UP
from games.figures import signed
from games.picture.phrases import SUIT_LETTERS, plain_name
from games.review import answers
from games.review.answers import ANSWERS
from games.review.judging import BLUNDER, INACCURACY, MISTAKE
from games.review.reasons import Words

MARK_WORDS: Final = {INACCURACY: "Inaccuracy", MISTAKE: "Mistake", BLUNDER: "Blunder"}
MARK_PLURALS: Final = {INACCURACY: "Inaccuracies", MISTAKE: "Mistakes", BLUNDER: "Blunders"}
#: Letters of the marks in the style sheet; a mark has one pip more than the one before.
MARK_LETTERS: Final = {INACCURACY: "i", MISTAKE: "m", BLUNDER: "b"}
_KINDS: Final = {PLAY: "card", DISCARD: "discard"}
_PHASES: Final = {
    SWAPPING: "Farmer’s hand", FOLDING: "Folding", FIRST_ROUND: "First round",
    SECOND_ROUND: "Second round", DISCARDING: "Discard", ASKING: "Partner’s best",
    GIVING: "Best card", DEFENDING: "Defending alone",
}  # fmt: skip


def points(value: float) -> str:
    """Return points with their sign, such as "+0.85"; "0.00" has none."""
    return signed(value, 2)


def where(seen: Observation) -> str:
    """Return when in the hand a decision was taken: "Trick 1", "Second round", "Discard"."""
    if seen.phase == PLAYING:
        return f"Trick {len(seen.tricks) + 1}"
    return _PHASES[seen.phase]


def kind(action: Action) -> str:
    return "answer" if action.kind in ANSWERS else _KINDS.get(action.kind, "call")


def is_of_cards(action: Action) -> bool:
    """Return True for a play or a discard, which a page shows by the cards of the hand."""
    return action.kind in _KINDS


def option(seen: Observation, action: Action) -> Words:
    """Return an action as advice: "order it up", a suit, a card."""
    if action.kind in (PLAY, DISCARD):
        return [[card_text(action.value)]]
    if action.kind in ANSWERS:
        return answers.words(seen, action)
    alone = [", alone"] if action.alone else []
    if action.kind == MAKE:
        return [_trump(action.value), *alone]
    return [_plain(seen, action, "pass", "turn it down", "take it up", "order it up"), *alone]


def _trump(trump: int) -> str | list[str]:
    name = TRUMP_NAMES[trump]
    return name if trump > UNNAMED else [SUIT_LETTERS[trump], f" {name}"]


def plain(words: Words, name: Callable[[int], str] = plain_name) -> str:
    """Return words as plain text, cards by their printed names."""
    parts = [
        word if isinstance(word, str)
        else name(CARD_TEXTS.index(word[0])) if len(word) == 1
        else word[-1].strip()
        for word in words
    ]  # fmt: skip
    return "".join(parts)


def in_words(seen: Observation, action: Action) -> str:
    """Return an action as advice in plain text: "the queen of clubs", "order it up, alone"."""
    return plain(option(seen, action), lambda card: f"the {plain_name(card).lower()}")


def joined(words: Words) -> Words:
    """Return words with texts beside each other as one text, as a page has them."""
    made: Words = []
    for word in words:
        if made and isinstance(word, str) and isinstance(made[-1], str):
            made[-1] += word
        else:
            made.append(word)
    return made


def starting(words: Words) -> Words:
    """Return words as the start of a line, the first in capitals."""
    first, *rest = words
    return [first[:1].upper() + first[1:] if isinstance(first, str) else first, *rest]


def did(seen: Observation, action: Action, who: str) -> Words:
    """Return what somebody did: "You played" and the card, "Ben passed"."""
    if action.kind == PLAY:
        return [f"{who} played ", [card_text(action.value)]]
    if action.kind == DISCARD:
        return [f"{who} threw ", [card_text(action.value)]]
    if action.kind in ANSWERS:
        return [f"{who} ", *answers.words(seen, action, past=True)]
    alone = [", alone"] if action.alone else []
    if action.kind == MAKE:
        called = f"{who} {'made it' if seen.rules.old_words else 'called'} "
        return [called, _trump(action.value), *alone]
    said = _plain(seen, action, "passed", "turned it down", "took it up", "ordered it up")
    return [f"{who} {said}", *alone]


def _plain(seen: Observation, action: Action, *words: str) -> str:
    """Choose the words of a pass, a dealer's pass, a dealer's call or another's call."""
    passed, turned_down, took_up, ordered_up = words
    dealer = seen.turn == seen.dealer
    if action.kind == PASS:
        return turned_down if dealer and seen.phase == FIRST_ROUND else passed
    if dealer and seen.rules.old_words and seen.rules.calls == PICK_UP:
        return took_up.replace("took", "picked").replace("take", "pick")
    return took_up if dealer else ordered_up
