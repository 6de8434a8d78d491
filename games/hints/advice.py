"""What the house would do, and why, in words.

A reason for a card comes from the rules of the reviews, which say why one option is better than
another (`games.review.reasons`): here the house's card against each other card of the hand.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from games.engine.actions import DISCARD, MAKE, ORDER, PASS, PLAY, Action, action_text
from games.engine.cards import SUIT_MASK, TRUMP_NAMES, UNNAMED, card_text
from games.engine.observation import FIRST_ROUND, Observation
from games.picture.cast import Cast
from games.review import wording
from games.review.answers import ANSWERS
from games.review.reasons import NO_RULE, ReviewCase, Words, holding, reason, why

#: Reasons that a wide page shows; a narrow one shows the first.
MOST: Final = 3


class AdviceReason(NamedTuple):
    """`against` it, although the house would do it all the same."""

    words: Words
    against: bool = False


class Advice(NamedTuple):
    """`action` is as in a message of a browser: ``order``, ``make hearts alone``, ``play AS``."""

    action: str
    head: str
    reasons: tuple[AdviceReason, ...]


def advice_of(seen: Observation, best: Action, cast: Cast) -> Advice:
    """Return what the house would do in the place of the player in turn, who saw this."""
    reasons = list(
        _of_cards(seen, best, cast) if best.kind in (PLAY, DISCARD) else _of_calls(seen, best)
    )
    head = f"The computer would {_in_words(seen, best)}."
    return Advice(action_text(best), head, tuple(reasons[:MOST]) or (AdviceReason([NO_RULE]),))


def _in_words(seen: Observation, action: Action) -> str:
    if action.kind == PASS:
        return "pass"
    call = "make it " if seen.rules.old_words else "call "
    verb = {PLAY: "play ", DISCARD: "discard ", MAKE: call}.get(action.kind, "")
    return verb + wording.in_words(seen, action)


def _of_cards(seen: Observation, best: Action, cast: Cast) -> Iterator[AdviceReason]:
    said: list[Words] = []
    for other in seen.legal:
        words = [] if other == best else reason(ReviewCase(seen, other, best, 0.0, cast))
        if words and words not in said:
            said.append(words)
            yield AdviceReason(words)


def _of_calls(seen: Observation, best: Action) -> Iterator[AdviceReason]:
    if best.kind in ANSWERS:
        yield AdviceReason([why(seen, best)])
        return
    if best.kind == PASS:
        yield from _of_a_pass(seen)
        return
    yield AdviceReason([f"You have {holding(seen, best)}."])
    if best.kind == ORDER and seen.turn != seen.dealer:
        ours = seen.dealer == seen.rules.partner_of(seen.turn)
        where = "Your partner deals" if ours else "The dealer is on the other side"
        words: Words = [f"{where} and takes up ", [card_text(seen.turn_up)], "."]
        yield AdviceReason(words, against=not ours)
    if best.alone:
        yield AdviceReason(["Strong enough to try for all five tricks without a partner."])


def _of_a_pass(seen: Observation) -> Iterator[AdviceReason]:
    calls = [one for one in seen.legal if one.kind in (ORDER, MAKE) and not one.alone]
    longest = max(calls, key=lambda one: _trumps(seen, one), default=None)
    if longest is None:
        return
    suit = longest.value if longest.kind == MAKE else seen.turned_suit
    only = " only" if _trumps(seen, longest) else ""
    with_it = f"With {TRUMP_NAMES[suit]}{' as trump' * (suit < UNNAMED)} you would have{only}"
    yield AdviceReason([f"{with_it} {holding(seen, longest)}."])
    partner = seen.rules.partner_of(seen.turn)
    if seen.phase == FIRST_ROUND and seen.dealer not in (seen.turn, partner):
        yield AdviceReason(
            ["Ordering it up would give ", [card_text(seen.turn_up)], " to the other side."]
        )


def _trumps(seen: Observation, call: Action) -> int:
    suit = call.value if call.kind == MAKE else seen.turned_suit
    return (seen.hand & SUIT_MASK[suit][suit]).bit_count()
