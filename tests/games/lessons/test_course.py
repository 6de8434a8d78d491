"""Every position, answer and claim of the lessons, played with the engine."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from statistics import fmean

import pytest

from games.bots import house
from games.bots.worlds import worlds
from games.engine.actions import action_text
from games.engine.cards import EFFECTIVE_SUIT, STRENGTH, SUIT_MASK, SUIT_NAMES, parse_card
from games.engine.deal import Deal
from games.engine.errors import IllegalActionError
from games.engine.observation import NAMING
from games.engine.seats import COMPASS
from games.engine.tricks import winner
from games.lessons import steps
from games.lessons.course import COURSE
from games.lessons.steps import LessonStep
from games.review.values import values_in
from tests.loops import looped

each_step = looped("step", [step for lesson in COURSE for step in lesson.steps])
#: Guesses of the hidden hands, and the points that are more than luck in so many.
WORLDS = 400
MORE = 0.05
#: Letters that fit under a phone's stage.
LONGEST = 170


# What is claimed ------------------------------------------------------------------------------


def seat_of(deal: Deal, name: str) -> int:
    return COMPASS[deal.rules.players].index(name)


def is_higher(deal: Deal, high: str, low: str) -> bool:
    one, other = parse_card(high), parse_card(low)
    suit = EFFECTIVE_SUIT[deal.trump][one]
    strength = STRENGTH[deal.trump][suit]
    same = EFFECTIVE_SUIT[deal.trump][other] == suit
    in_pack = {one, other} <= set(deal.rules.pack_in_order())
    return same and in_pack and strength[one] > strength[other]


def has_none(deal: Deal, suit: str) -> bool:
    hand = deal.hands[seat_of(deal, steps.LEARNER)]
    return not hand & SUIT_MASK[deal.trump][SUIT_NAMES.index(suit)]


def gains(deal: Deal, side: str, points: str) -> bool:
    ours = seat_of(deal, steps.LEARNER) % 2
    wanted = (ours if side == "us" else 1 - ours, int(points))
    return deal.result is not None and (deal.result.side, deal.result.points) == wanted


#: By the words of a claim, those in capitals being what it is about.
CLAIMS: dict[str, Callable[..., bool]] = {
    "SEAT takes it": lambda deal, seat: (
        not deal.plays and deal.tricks[-1].winner == seat_of(deal, seat)
    ),
    "SEAT is ahead": lambda deal, seat: winner(deal.trump, deal.plays) == seat_of(deal, seat),
    "SEAT sits out": lambda deal, seat: seat_of(deal, seat) in deal.sitting_out,
    "CARD is SUIT": lambda deal, card, suit: (
        SUIT_NAMES[EFFECTIVE_SUIT[deal.trump][parse_card(card)]] == suit
    ),
    "CARD over CARD": is_higher,
    "trump SUIT": lambda deal, suit: SUIT_NAMES[deal.trump] == suit,
    "turned SUIT": lambda deal, suit: SUIT_NAMES[deal.turned_suit] == suit,
    "no SUIT": has_none,
    "SIDE gain POINTS": gains,
}


def holds(fact: str, deal: Deal) -> bool:
    words = fact.split(" ")
    for form, check in CLAIMS.items():
        pattern = form.split(" ")
        if len(pattern) == len(words):
            pairs = list(zip(pattern, words, strict=True))
            if all(part.isupper() or part == word for part, word in pairs):
                return check(deal, *(word for part, word in pairs if part.isupper()))
    raise AssertionError(f"No such claim: {fact}")


# The lessons ----------------------------------------------------------------------------------


def test_there_are_ten_lessons_with_a_place_of_their_own() -> None:
    assert len({lesson.slug for lesson in COURSE}) == len(COURSE) == 10


@each_step
def test_the_learner_is_in_turn(step: LessonStep) -> None:
    assert step.start().turn == step.position.learner


@each_step
def test_every_offered_answer_has_one_reply_and_nothing_else_has(step: LessonStep) -> None:
    answered = [action for reply in step.replies for action in reply.to]
    assert sorted(answered) == sorted(step.offered)


@each_step
def test_answers_are_legal_or_refused_with_the_engines_reason(step: LessonStep) -> None:
    for action in step.offered:
        given, deal = steps.answer(step, action_text(action)), step.start()
        assert given is not None
        if action in deal.legal_actions():
            assert not given.refusal
            continue
        assert not given.reply.right
        with pytest.raises(IllegalActionError) as error:
            deal.push(action)
        assert str(error.value).startswith(f"{given.refusal[:-1]};")


@each_step
def test_what_the_reasons_claim_is_true(step: LessonStep) -> None:
    for reply in step.replies:
        for action in reply.to:
            legal = action in step.start().legal_actions()
            deal = step.after(action) if legal else step.start()
            assert not [fact for fact in reply.facts if not holds(fact, deal)]


@each_step
def test_the_house_would_give_a_right_answer(step: LessonStep) -> None:
    seen = step.position.seen(step.start())
    assert house.choose(seen, Random(1)) in step.right


@each_step
def test_no_other_answer_is_worth_more(step: LessonStep) -> None:
    seen = step.position.seen(step.start())
    if seen.phase == NAMING:
        return  # nothing has been dealt that one could guess at
    rows = [values_in(seen, world, seen.legal) for world in worlds(seen, Random(5), WORLDS)]
    worth = {action: fmean(row[action] for row in rows) for action in seen.legal}
    assert max(worth.values()) - max(worth.get(action, -9.0) for action in step.right) < MORE


@each_step
def test_texts_name_cards_of_the_pack_and_fit_under_the_stage_of_a_phone(step: LessonStep) -> None:
    texts = [step.more, *(reply.why for reply in step.replies)]
    assert not [text for text in texts if len(text) > LONGEST]
    named = {
        parse_card(word[0])
        for text in (step.say, step.learnt, *texts)
        for word in steps.words_of(text)
        if isinstance(word, list)
    }
    assert named <= set(step.position.rules.pack_in_order())


def test_an_answer_that_is_not_offered_is_none() -> None:
    step = COURSE[0].steps[0]
    assert steps.answer(step, "play AS") is None
    assert steps.answer(step, "order") is None
    assert steps.answer(step, "") is None


def test_a_claim_that_does_not_hold_is_found() -> None:
    deal = COURSE[0].steps[0].start()
    assert holds("trump spades", deal)
    assert not holds("trump hearts", deal)
    assert not holds("QD over KD", deal)
    with pytest.raises(AssertionError, match="No such claim: QD loses"):
        holds("QD loses", deal)
