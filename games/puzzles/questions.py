"""A puzzle as a table: the stage of live play, with a question and then the answer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple

from games.engine.actions import Action, action_text
from games.engine.cards import SUIT_MASK, SUIT_NAMES, TRUMP_NAMES
from games.engine.observation import (
    ASKING,
    DEFENDING,
    DISCARDING,
    FIRST_ROUND,
    FOLDING,
    GIVING,
    PLAYING,
    SWAPPING,
    Observation,
)
from games.engine.rules import HAND
from games.engine.scoring import NEEDED
from games.engine.tricks import suit_led
from games.files.played import PlayedDeal
from games.picture import phrases, still
from games.picture.cast import Cast
from games.picture.page import TablePage
from games.picture.values import Row
from games.review import wording
from games.review.decisions import SeatDecision
from games.review.reasons import ReviewCase, Words, reason
from games.review.reports import Judged

#: Said of an answer that the question does not offer.
CHOOSE: Final = "Choose one of the cards or calls shown."


class Question(NamedTuple):
    """What is asked, and after the answer what it was worth.

    `said` is a sentence, `more` says what matters besides. `options` are rows with `words`,
    `value`, `best` and `played`; none before the answer.
    """

    table: TablePage
    said: Words
    more: Words
    options: list[Row]


def ask(cast: Cast, decision: SeatDecision, refused: str = "") -> Question:
    """Return the question; `refused` says that the last answer was not the best."""
    seen = decision.seen
    said, more = in_words(seen, cast)
    return Question(still.draw(seen, cast, {}, refused), [said], [more], [])


def answer(
    cast: Cast,
    played: PlayedDeal,
    decision: SeatDecision,
    judged: Judged,
    found: tuple[str, str] = ("Best", ""),
) -> Question:
    """Return the position after the best option, with its reason and what each was worth.

    `found` stands in the prompt, such as "Yes" and "Found at the first try.".
    """
    (head, more), verdict = found, judged.judgement
    deal = played.at(decision.step)
    deal.apply(verdict.best)
    seen = deal.observe(decision.seat, decision.seen.standing)
    best = wording.in_words(decision.seen, verdict.best)
    asked = {**still.NOT_ASKING, "line": f"{head}: {best}", "line.more": more}
    options: list[Row] = [
        {
            "words": wording.starting(wording.option(decision.seen, option.action)),
            "value": wording.points(option.value),
            "best": option.action == verdict.best,
            "played": option.action == judged.taken,
        }
        for option in verdict.options
    ]
    return Question(still.draw(seen, cast, asked), why(cast, decision, judged), [], options)


def why(cast: Cast, decision: SeatDecision, judged: Judged) -> Words:
    """Return why the best option is better than what was done."""
    verdict = judged.judgement
    case = ReviewCase(decision.seen, judged.taken, verdict.best, verdict.loss, cast)
    was = {"card": "played", "discard": "thrown"}.get(wording.kind(case.taken), "said")
    return reason(case) or [f"It is {verdict.loss:.1f} points better than what was {was}."]


def _lower(card: int) -> str:
    """Return a card's name for the middle of a sentence: "queen of clubs", "10 of hearts"."""
    return phrases.plain_name(card).lower()


_QUESTIONS: Final = {
    SWAPPING: "You hold a farmer’s hand. Do you swap three nines and tens?",
    FOLDING: "You hold nothing above a ten. Do you fold?",
    ASKING: "You play alone. Do you give a card away for {partner}’s best?",
    GIVING: "{maker} plays alone and asks for your best card. Which one?",
    DEFENDING: "{maker} plays alone. Do you defend alone?",
}


def in_words(seen: Observation, cast: Cast) -> tuple[str, str]:
    """Return the question in one to three short sentences, and what else matters."""
    if seen.phase == PLAYING:
        trick = phrases.trick_name(len(seen.tricks)).lower()
        head = _to_follow(seen, cast) if seen.plays else f"You lead to the {trick}. Which card?"
        return head, f"{_makers(seen, cast)} {_others(seen, cast)}".strip()
    if seen.phase == DISCARDING:
        return f"You pick up the {_lower(seen.turn_up)}. Which card goes?", _makers(seen, cast)
    deals = "You deal." if seen.turn == seen.dealer else f"{cast[seen.dealer].short} deals."
    if seen.phase == FIRST_ROUND:
        return f"The {_lower(seen.turn_up)} is turned up. What do you say?", deals
    if seen.phase in _QUESTIONS:
        maker = cast[seen.maker].short if seen.maker >= 0 else ""
        partner = cast[(seen.turn + 2) % seen.rules.players].short
        return _QUESTIONS[seen.phase].format(maker=maker, partner=partner), deals
    suit = SUIT_NAMES[seen.turned_suit].capitalize()
    return f"{suit} were turned down. What do you say?", deals


def _to_follow(seen: Observation, cast: Cast) -> str:
    leader, card = seen.plays[0]
    led = suit_led(seen.trump, seen.plays)
    none = "" if seen.hand & SUIT_MASK[seen.trump][led] else f" You have no {SUIT_NAMES[led]}."
    return f"{cast[leader].short} leads the {_lower(card)}.{none} What do you play?"


def _makers(seen: Observation, cast: Cast) -> str:
    """Return who made trump and what they lack for their points."""
    suit, side = TRUMP_NAMES[seen.trump], seen.rules.side_of(seen.maker)
    won = seen.tricks_won[side]
    is_you, ours = seen.maker == seen.turn, side == seen.rules.side_of(seen.turn)
    who = "You" if is_you else cast[seen.maker].short
    made = f"{who} made {suit}{', alone' if seen.alone else ''}"
    they = "you" if is_you else "your side" if ours else "they"
    s = "s" if they == "your side" else ""
    if won >= NEEDED:
        march = ", and a march is possible" if won == len(seen.tricks) else ""
        return f"{made}: {they} ha{s or 've'} {phrases.NUMBERS[won]} tricks already{march}."
    missing = NEEDED - won
    if missing > HAND - len(seen.tricks):
        return f"{made}: {they} can no longer take {phrases.NUMBERS[NEEDED]} tricks."
    more = "more " if won else ""
    return f"{made}: {they} need{s} {phrases.counted(missing, f'{more}trick', f'{more}tricks')}."


def _others(seen: Observation, cast: Cast) -> str:
    """Return who plays after the player in turn."""
    if not seen.plays:
        return ""
    played = {seat for seat, _ in seen.plays}
    after = [
        (seen.turn + distance) % seen.rules.players for distance in range(1, seen.rules.players)
    ]
    left = [
        cast[seat].short for seat in after if seat not in played and seat not in seen.sitting_out
    ]
    if not left:
        return "You play last."
    return f"{' and '.join(left)} play{'s' * (len(left) == 1)} after you."


def parse(decision: SeatDecision, text: str) -> Action | None:
    """Return the legal action of this text, or None."""
    return next((one for one in decision.seen.legal if action_text(one) == text), None)


def given(decision: SeatDecision, form: Mapping[str, str]) -> Action | None:
    """Return the legal action that a form gives (`action`, `alone`), or None."""
    text = form.get("action", "")
    if text.startswith("make ") and form.get("alone"):
        text += " alone"
    return parse(decision, text)
