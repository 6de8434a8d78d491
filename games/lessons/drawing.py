"""A step of a lesson as a table: the stage of live play with a question, or after an answer."""

from __future__ import annotations

from typing import Final, NamedTuple

from games.engine.actions import DISCARD, PLAY, Action
from games.engine.cards import TRUMP_NAMES, UNNAMED, card_text
from games.engine.observation import Observation
from games.lessons.steps import Answer, LessonStep, Words, words_of
from games.picture import page, phrases, still
from games.picture.cast import Cast, cast_of
from games.picture.page import TablePage
from games.picture.prompts import call_words
from games.picture.wording import PHRASES

#: Wrong answers after which the coach tells the right one.
TRIES: Final = 2
#: The players by number and seat; the learner is called by no name.
NAMES: Final = {2: ("Ben", "You"), 4: ("Ben", "Jonah", "You", "Iris")}
_PRESS: Final = "Pick a card."


#: The casts by how many play; sentences call the learner "You".
CASTS: Final = {
    players: Cast(
        person._replace(short="You") if person.name == "You" else person
        for person in cast_of(names)
    )
    for players, names in NAMES.items()
}


class LessonQuestion(NamedTuple):
    """A step as it is shown.

    `said` is what the coach says first and `more` what it explains. `hint` tells the right answer
    after wrong ones, else it is empty.
    """

    table: TablePage
    said: Words
    more: Words
    hint: Words


def ask(
    step: LessonStep, wrong: Answer | None = None, tries: int = 0, *, old_words: bool = False
) -> LessonQuestion:
    """Return the question; `wrong` is the answer that was given, `tries` how many were wrong."""
    cast = CASTS[step.position.rules.players]
    seen = phrases.worded(step.position.seen(step.start()), old=old_words)
    view, shared, own = still.values_of(seen, cast)
    own["barred"] = own["why"] = None
    if step.ask:
        head, more = step.ask, _PRESS
        if wrong is not None:
            head, more = wrong.refusal.rstrip(".") or "Not the best card", "Try another card."
        own["question"] = [{"as": "ask_card", "head": head}, {"as": "more", "text": more}]
    if not step.tagged:
        own["hand"] = [{"card": card, "label": PHRASES[card]} for card in own["hand"]]
    table = page.draw(view, shared, own)
    if wrong is None:
        return LessonQuestion(table, words_of(step.say), words_of(step.more), [])
    said = wrong.refusal or "Try again."
    hint = _hint(step, seen) if tries >= TRIES else []
    return LessonQuestion(table, [said], words_of(wrong.reply.why), hint)


def _hint(step: LessonStep, seen: Observation) -> Words:
    words: Words = []
    for action in step.right:
        words += [" or " if words else "Try ", *_said(seen, action)]
    return [*words, "."]


def _said(seen: Observation, action: Action) -> Words:
    if action.kind in (PLAY, DISCARD):
        return [[card_text(action.value)]]
    return [f"“{call_words(seen, action)}”"]


def solved(step: LessonStep, given: Answer, *, old_words: bool = False) -> LessonQuestion:
    """Return the position after a right answer, with its reason."""
    after = step.position.seen(step.after(given.action))
    cast, seen = CASTS[step.position.rules.players], phrases.worded(after, old=old_words)
    told = {**still.NOT_ASKING, "line": "Yes", "line.more": _outcome(seen, cast) or None}
    table = still.draw(seen, cast, told)
    return LessonQuestion(table, words_of(step.learnt), words_of(given.reply.why), [])


def _outcome(seen: Observation, cast: Cast) -> str:
    """Return what the table shows after an answer: who took the trick, what is trump."""
    if seen.result is not None and seen.seat is not None and seen.maker >= 0:
        sides = phrases.sides_for(cast, seen.seat, seen.maker)
        return f"{phrases.deal_result(sides, cast[seen.maker], seen.trump, seen.result)}."
    if seen.tricks and not seen.plays:
        taker = seen.tricks[-1].winner
        takes = "You take" if taker == seen.seat else f"{cast[taker].short} takes"
        return f"{takes} the trick."
    if seen.trump != UNNAMED:
        name = TRUMP_NAMES[seen.trump].capitalize()
        return f"{name} are trump." if seen.trump < UNNAMED else f"{name}."
    return ""
