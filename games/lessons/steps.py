"""What a lesson consists of, and the check of an answer by the engine.

A step shows a position and asks for one action of South, the learner. Each answer that can be given
has its reason. In texts a card in braces, such as ``{JD}``, is drawn as its index.
"""

from __future__ import annotations

import re
from typing import Any, Final, NamedTuple

from games.engine.actions import PLAYS, Action, action_text, parse_action
from games.engine.cards import cards_in, parse_card
from games.engine.deal import Deal
from games.engine.errors import IllegalActionError
from games.engine.observation import PLAYING, Observation, Standing
from games.engine.rules import RuleSet
from games.engine.seats import COMPASS

#: A sentence as in the log: texts, and a card as ``[code]``.
Words = list[Any]
_CARD: Final = re.compile(r"\{(\w\w)\}")
_BETWEEN: Final = re.compile(r",\s*")
LEARNER: Final = "South"


class LessonPosition(NamedTuple):
    """A deal before the bidding.

    `hands` are the cards of each seat from North clockwise, such as ``"JD 9H AD KD QC"``; `score`
    is that of North's side and of East's.
    """

    rules: RuleSet
    dealer: str
    hands: tuple[str, ...]
    turn_up: str
    score: tuple[int, int] = (0, 0)

    @property
    def learner(self) -> int:
        return COMPASS[self.rules.players].index(LEARNER)

    def after(self, moves: str) -> Deal:
        """Return the deal after actions such as ``"pass, order, discard 9S"``.

        Raise EngineError if one of them is not allowed.
        """
        dealer = COMPASS[self.rules.players].index(self.dealer)
        hands = [[parse_card(card) for card in hand.split()] for hand in self.hands]
        deal = Deal.from_cards(self.rules, dealer, hands, parse_card(self.turn_up))
        for text in filter(None, _BETWEEN.split(moves.strip())):
            deal.push(parse_action(text))
        return deal

    def seen(self, deal: Deal) -> Observation:
        """Return what the learner sees of a deal from here, with its points once it is over."""
        score, result = list(self.score), deal.result
        if result is not None and result.side >= 0:
            score[result.side] += result.points
        return deal.observe(self.learner, Standing((score[0], score[1])))


class Reply(NamedTuple):
    """The answer to some actions of the learner.

    `facts` are what `why` claims, for the tests, which see whether they hold once the learner has
    acted and the others have done `then`; of a right answer the stage shows that moment.
    """

    to: tuple[Action, ...]
    why: str
    right: bool = False
    facts: tuple[str, ...] = ()
    then: str = ""


class LessonStep(NamedTuple):
    """One question.

    Attributes:
        say, more: what the coach says first, and explains.
        ask: the line over the hand; empty where a call is asked for, whose buttons say it.
        learnt: what the coach says first after a right answer.
        moves: what has happened before the question.
        tagged: bowers in the hand are marked as such; not where that would give the answer away.
    """

    say: str
    more: str
    ask: str
    learnt: str
    position: LessonPosition
    moves: str
    replies: tuple[Reply, ...]
    tagged: bool = True

    def start(self) -> Deal:
        return self.position.after(self.moves)

    def reply(self, action: Action) -> Reply:
        return next(reply for reply in self.replies if action in reply.to)

    def after(self, action: Action) -> Deal:
        """Return the deal after a legal action and what the others do then."""
        then = (self.moves, action_text(action), self.reply(action).then)
        return self.position.after(", ".join(filter(None, then)))

    @property
    def offered(self) -> tuple[Action, ...]:
        """What the learner can press: all cards of the hand, or the legal calls."""
        deal = self.start()
        if deal.phase == PLAYING:
            return tuple(PLAYS[card] for card in cards_in(deal.hands[deal.turn]))
        return deal.legal_actions()

    @property
    def right(self) -> tuple[Action, ...]:
        return tuple(action for reply in self.replies if reply.right for action in reply.to)


class Lesson(NamedTuple):
    """`slug` is its place in addresses; `cards` are drawn beside its title."""

    slug: str
    title: str
    about: str
    cards: tuple[int, ...]
    steps: tuple[LessonStep, ...]


class Answer(NamedTuple):
    """An action of the learner, and its reply.

    `refusal` is the engine's reason why the action is not allowed, or empty.
    """

    action: Action
    reply: Reply
    refusal: str


def answer(step: LessonStep, text: str) -> Answer | None:
    """Return the answer of this text, or None if the step does not offer it."""
    action = next((one for one in step.offered if action_text(one) == text), None)
    if action is None:
        return None
    return Answer(action, step.reply(action), _refusal(step, action))


def _refusal(step: LessonStep, action: Action) -> str:
    try:
        step.start().push(action)
    except IllegalActionError as error:
        return refusal_of(error)
    return ""


def refusal_of(error: IllegalActionError) -> str:
    """Return the engine's reason, without the list of what is allowed instead."""
    return f"{str(error).partition(';')[0]}."


def words_of(text: str) -> Words:
    """Return a text as words, its cards as in the log."""
    parts = _CARD.split(text)
    return [[part] if number % 2 else part for number, part in enumerate(parts) if part]
