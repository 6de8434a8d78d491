"""Examples on the pages of the rules: each rule set has its own, and the engine answers them."""

from __future__ import annotations

from random import Random

import pytest
from django.test import Client

from games.engine.actions import PASSED, action_text
from games.engine.cards import EFFECTIVE_SUIT, SUIT_NAMES, TRUMP_NAMES, UNNAMED, card_text
from games.engine.errors import IllegalActionError
from games.engine.observation import DISCARDING, DONE, FIRST_ROUND
from games.engine.rules import (
    CLASSIC_24,
    DEALER_MAKES,
    DEALERS_LEFT,
    JOKER_33,
    MAKER,
    MAKERS_LEFT,
    RULE_SETS,
    RuleSet,
)
from games.guide.examples import RuleExample, examples_of
from games.lessons import steps
from games.lessons.drawing import NAMES
from tests.chance import CLUB_RULE_SETS, each_club_rule, random_rules
from tests.loops import looped

EVERYWHERE = [
    "left-bower",
    "turn-up",
    "discard",
    "second-round",
    "follow-suit",
    "no-card-of-the-suit",
]
#: The published rule sets, house rules by chance, and those that only some clubs play by.
RULES = [
    *RULE_SETS.values(),
    *(random_rules(Random(number)) for number in range(40)),
    *each_club_rule(CLASSIC_24),
    *each_club_rule(JOKER_33),
    *CLUB_RULE_SETS.values(),
]
each_rules = looped("rules", RULES)
PUBLISHED = [(rules, example) for rules in RULE_SETS.values() for example in examples_of(rules)]
#: Letters that fit under a phone's stage.
LONGEST = 170


def by_slug(rules: RuleSet) -> dict[str, RuleExample]:
    return {example.slug: example for example in examples_of(rules)}


# What is offered ------------------------------------------------------------------------------


@each_rules
def test_the_examples_are_those_the_rules_call_for(rules: RuleSet) -> None:
    expected = set(EVERYWHERE)
    if rules.joker:
        expected |= {"joker", "joker-turned-up"}
    if rules.players == 4:
        expected.add("partner-deals")
    if rules.alone:
        expected.add("alone")
    if rules.no_trump != "never":
        expected.add("no-trump")
    slugs = [example.slug for example in examples_of(rules)]
    assert sorted(slugs) == sorted(expected)


@each_rules
def test_answers_are_right_where_the_engine_allows_them(rules: RuleSet) -> None:
    for example in examples_of(rules):
        step = example.step
        assert step.start().turn == step.position.learner
        answered = [action for reply in step.replies for action in reply.to]
        assert sorted(answered) == sorted(step.offered)
        assert set(step.right) == set(step.start().legal_actions())


@each_rules
def test_a_refusal_is_the_engines_reason(rules: RuleSet) -> None:
    for step in (example.step for example in examples_of(rules)):
        for action in set(step.offered) - set(step.right):
            given = steps.answer(step, action_text(action))
            assert given is not None
            with pytest.raises(IllegalActionError) as error:
                step.start().push(action)
            assert str(error.value).startswith(f"{given.refusal[:-1]};")


@each_rules
def test_the_reply_to_an_answer_is_what_the_engine_makes_of_it(rules: RuleSet) -> None:
    names = NAMES[rules.players]
    for step in (example.step for example in examples_of(rules)):
        for reply in step.replies:
            [action] = reply.to
            assert len(reply.why) <= LONGEST
            if not reply.right:
                suit = EFFECTIVE_SUIT[step.start().trump][action.value]
                assert f"is a {SUIT_NAMES[suit][:-1]}." in reply.why
                continue
            after = step.after(action)
            if after.tricks:
                taker = after.tricks[-1].winner
                you = taker == step.position.learner
                assert f"{'You take' if you else f'{names[taker]} takes'} the trick" in reply.why
            elif after.phase == DONE:
                assert "thrown in: nobody scores" in reply.why
            elif step.start().trump == after.trump == UNNAMED:
                assert f"{names[after.turn]} speaks next" in reply.why
            elif step.start().trump == UNNAMED:
                trump = TRUMP_NAMES[after.trump].capitalize()
                are = " are trump" if after.trump < UNNAMED else ""
                assert f"{trump}{are}, and you are the maker" in reply.why
                out = names[after.sitting_out[0]] if after.sitting_out else ""
                assert ("sits out" in reply.why) == bool(out)
                assert f"{out} sits out" in reply.why or not out
                turned = f"{{{card_text(after.turn_up)}}}"
                taken = after.phase == DISCARDING
                assert f"Nobody takes {turned}" in reply.why or taken


# What differs between the rules ---------------------------------------------------------------


@each_rules
def test_only_a_dealer_who_is_not_stuck_may_pass_in_the_second_round(rules: RuleSet) -> None:
    step = by_slug(rules)["second-round"].step
    assert (PASSED in step.right) != rules.stick_the_dealer
    assert ("The dealer is stuck" in step.more) == rules.stick_the_dealer
    assert any(action.alone for action in step.right) == rules.alone


@looped("rules", [one for one in RULES if one.alone])
def test_who_leads_against_a_lone_hand_is_who_the_rules_say(rules: RuleSet) -> None:
    start = by_slug(rules)["alone"].step.start()
    maker, (lead, _card) = start.maker, start.plays[0]
    leads = {MAKER: maker, MAKERS_LEFT: start.left_of[maker], DEALERS_LEFT: start.left_of[2]}
    assert (start.alone, start.dealer, lead) == (True, 2, leads[rules.lone_lead])


@looped("rules", [one for one in RULES if one.joker])
def test_the_joker_takes_the_trick_and_turned_up_it_is_named_unseen(rules: RuleSet) -> None:
    examples = by_slug(rules)
    [joker] = examples["joker"].step.right
    top = "2S" if rules.benny else "Jo"
    assert card_text(joker.value) == top
    example = examples["joker-turned-up"]
    assert [card_text(card) for card in example.cards] == [top], "the hand is not shown"
    for action in example.step.right:
        after = example.step.after(action)
        makes = rules.joker_turned_up == DEALER_MAKES
        assert after.phase == (DISCARDING if makes else FIRST_ROUND)
        assert (after.maker >= 0) == makes


# The pages ------------------------------------------------------------------------------------


@pytest.mark.django_db
@pytest.mark.parametrize("key", RULE_SETS)
def test_a_rule_page_leads_to_its_examples(key: str) -> None:
    page = Client().get(f"/rules/{key}/").text
    links = [
        f'href="/rules/{key}/{example.slug}/#prompt"' for example in examples_of(RULE_SETS[key])
    ]
    assert [link for link in links if page.count(link) != 1] == []
    assert page.count('class="example try"') == len(links)


@pytest.mark.django_db
@looped("rules, example", PUBLISHED)
def test_every_answer_comes_with_its_reason(rules: RuleSet, example: RuleExample) -> None:
    browser, here = Client(), f"/rules/{rules.key}/{example.slug}/"
    assert browser.get(here).status_code == 200
    for reply in example.step.replies:
        text = action_text(reply.to[0])
        plain = text.removesuffix(" alone") if text.startswith("make ") else text
        sent = browser.post(here, {"action": plain, **({"alone": "yes"} if plain != text else {})})
        assert sent.status_code == 303
        shown = browser.get(sent["Location"])
        assert shown.context["is_right"] == reply.right
        assert shown.context["is_wrong"] != reply.right
        assert shown.context["table"] is not None
    assert not browser.session.keys(), "nothing is kept"


@pytest.mark.django_db
def test_what_is_not_offered_is_refused() -> None:
    here = "/rules/stick-the-dealer/second-round/"
    for text in ("pass", "play AD", "make H", "nonsense", ""):
        answer = Client().post(here, {"action": text})
        assert answer.status_code == 422
        assert "Choose one of the cards or calls shown." in answer.text
    assert Client().get(f"{here}?said=nonsense&wrong=x").status_code == 200


@pytest.mark.django_db
@pytest.mark.parametrize(
    "path", ["bridge/left-bower", "classic-24/joker", "heads-up/alone", "classic-24/nothing"]
)
def test_there_is_no_page_of_other_examples(path: str) -> None:
    assert Client().get(f"/rules/{path}/").status_code == 404


@pytest.mark.django_db
def test_hands_of_others_are_not_in_the_page() -> None:
    page = Client().get("/rules/joker-33/joker-turned-up/").text
    for hidden in ("9H", "KH", "JD", "QH", "AD", "TC"):
        assert f'data-card="{hidden}"' not in page
