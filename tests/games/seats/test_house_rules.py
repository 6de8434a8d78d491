"""The form of house rules: sets to begin with, what differs, contradictions and their ways out."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import Any
from urllib.parse import parse_qsl

import pytest
from django.test import Client

from games import rule_words
from games.engine.rules import ADDED, CLASSIC_24, RULE_SETS, STICK_THE_DEALER, RuleSet
from games.models import Table
from games.seats.house_rules import HOUSE_RULES, HouseRulesForm, form_values
from tests.chance import random_club_rules
from tests.factories import logged_in, player

OURS = RuleSet(
    key=HOUSE_RULES,
    name="Old Mill rules",
    stick_the_dealer=True,
    target=None,
    deals=8,
    defend_alone=True,
    partners_best=True,
)
#: Rules that contradict each other, with the fields that are marked.
CLASHES: list[tuple[dict[str, Any], str, str]] = [
    ({"no_trump": "high", "pack": 25}, "no_trump", "pack"),
    ({"no_trump": "high", "pack": 25, "benny": "on"}, "no_trump", "benny"),
    ({"benny": "on", "pack": 28}, "benny", "pack"),
    ({"benny": "on", "had_benny": "on", "pack": 24}, "benny", "pack"),
    ({"farmers_hand": "on", "pack": 32}, "farmers_hand", "pack"),
    ({"alone": "", "partners_best": "on"}, "partners_best", "alone"),
    ({"alone": "", "lone_lead": "maker"}, "lone_lead", "alone"),
    ({"alone": "", "takes_five": "on"}, "takes_five", "alone"),
    ({"no_lone_near_end": "on", "ends": "hands"}, "no_lone_near_end", "ends"),
    ({"no_lone_near_end": "on", "target": 2}, "no_lone_near_end", "target"),
    ({"players": 2}, "alone", "players"),
    ({"joker_turned_up": "dealer_makes"}, "joker_turned_up", "pack"),
    ({"packets_by_dealer": "on", "packets": "1, 3, 1"}, "packets_by_dealer", "packets"),
    ({"march": 1, "made": 2}, "march", "made"),
    ({"skunk": 1}, "skunk", "euchre"),
    ({"defend_alone": "on", "lone_defence": 1}, "lone_defence", "euchre"),
    ({"defend_alone": "on", "lone_defence": 2, "alone_euchre": 3}, "lone_defence", "alone_euchre"),
    ({"defend_alone": "on", "lone_defence": 1, "alone_euchre": 4}, "lone_defence", "alone_euchre"),
    ({"alone_euchre": 1}, "alone_euchre", "euchre"),
    (
        {"defend_alone": "on", "euchre": 5, "skunk": 5, "alone_euchre": 3},
        "alone_euchre",
        "euchre",
    ),
]


def sent(rules: RuleSet, **changed: Any) -> dict[str, Any]:
    """What a browser sends of the form that shows a rule set, with some fields changed."""
    values = {
        field: "on" if value is True else value for field, value in form_values(rules).items()
    }
    given = values | changed
    return {field: value for field, value in given.items() if value not in (None, False)}


def test_every_rule_of_clubs_can_be_chosen() -> None:
    chance, used = Random(38), set()
    for _ in range(300):
        rules = random_club_rules(chance)
        rules = replace(
            rules, key=HOUSE_RULES, reversed_by=0, stuck_after=0, thrown_in_counts=False
        )
        if not rules.alone:
            rules = replace(rules, alone_made=rules.alone_made or 1)
        form = HouseRulesForm(sent(rules))
        assert form.is_valid(), (rules, form.errors)
        assert form.rules == rules
        used |= {field for field, usual in ADDED.items() if getattr(rules, field) != usual}
    not_offered = {"reversed_by", "stuck_after", "thrown_in_counts", "old_words"}
    assert used == ADDED.keys() - not_offered


@pytest.mark.parametrize(
    ("rules", "words"),
    [
        (
            CLASSIC_24,
            (
                "The makers score 1 for three or four tricks and 2 for all five; alone, 1 for three"
                " or four and 4 for all five. A euchre gives the other side 2."
            ),
        ),
        (
            RULE_SETS["heads-up"],
            (
                "The maker scores 1 for three or four tricks and 2 for all five."
                " A euchre gives the other side 2."
            ),
        ),
        (
            replace(OURS, alone_made=0, alone_euchre=4, lone_defence=5, skunk=3),
            (
                "The makers score 1 for three or four tricks and 2 for all five; alone, nothing for"
                " three or four and 4 for all five. A euchre gives the other side 2, or 4 against a"
                " lone hand, or 5 by a lone defender, or 3 without a trick, if that is more."
            ),
        ),
    ],
)
def test_the_points_are_told_in_sentences(rules: RuleSet, words: str) -> None:
    assert HouseRulesForm.of(rules).facts[-1] == ("Points", words)


@pytest.mark.parametrize("key", RULE_SETS)
def test_a_ready_made_set_fills_the_form_and_keeps_the_name(key: str) -> None:
    form = HouseRulesForm(sent(OURS, begin=key))
    assert form.asks_again
    assert form.is_valid()
    assert replace(form.rules, key=key, name=RULE_SETS[key].name) == RULE_SETS[key]
    assert (form.rules.name, form["begun"].value(), form.changes) == ("Old Mill rules", key, 0)


def test_what_differs_from_the_set_it_began_with_is_marked() -> None:
    form = HouseRulesForm.of(replace(STICK_THE_DEALER, name="Ours", cut=True))
    assert (form["begun"].value(), form.changes) == ("stick-the-dealer", 1)
    form = HouseRulesForm(sent(STICK_THE_DEALER, begun="stick-the-dealer", cut="on", march=3))
    assert {name for name in form.fields if form[name].changed} == {"cut", "march"}
    assert form.changes == 2


@pytest.mark.parametrize(
    ("rules", "field", "why"),
    [
        (OURS, "no_lone_near_end", "only where a game is won by points."),
        (replace(CLASSIC_24, alone=False), "defend_alone", "only where a maker may play alone."),
        (replace(CLASSIC_24, alone=False), "takes_five", "only where a maker may play alone."),
        (replace(CLASSIC_24, pack=33), "no_trump", "cannot be played with a joker in the pack."),
        (replace(CLASSIC_24, pack=28), "benny", "only in a pack of 25 or 33 cards"),
        (RULE_SETS["heads-up"], "alone", "two players have no partners"),
    ],
)
def test_what_cannot_apply_says_why_and_can_still_be_chosen(
    rules: RuleSet, field: str, why: str
) -> None:
    form = HouseRulesForm.of(rules)
    assert form[field].why_off.startswith(why)
    assert 'aria-disabled="true"' in str(form[field])
    assert "disabled " not in str(form[field])
    assert not form["cut"].why_off
    assert not HouseRulesForm.of(CLASSIC_24)["benny"].why_off


@pytest.mark.parametrize(("changed", "field", "other"), CLASHES)
def test_a_contradiction_names_both_fields_and_each_way_out_ends_it(
    changed: dict[str, Any], field: str, other: str
) -> None:
    data = sent(RuleSet(key="x", name="X"), **changed)
    form = HouseRulesForm(data)
    assert not form.is_valid()
    assert set(form.errors) == {field, other}
    [clash] = form.clashes
    assert (clash.one, clash.other) == (form[field].label, form[other].label)
    assert form.shown, "the rest can be said in words"
    for label, changes in clash.ways:
        mended = HouseRulesForm(data | {"way": changes})
        assert mended.is_valid(), (label, mended.errors)
        assert not mended.asks_again, "it is saved by that press"
        assert dict(parse_qsl(changes, keep_blank_values=True)).keys() <= form.fields.keys()
    assert len({label for label, _changes in clash.ways}) == 2


def test_points_that_no_euchre_can_have_are_said_in_words_as_far_as_they_can() -> None:
    form = HouseRulesForm(sent(CLASSIC_24, euchre=6, skunk=6, defend_alone="on", cut="on"))
    assert set(form.errors) == {"lone_defence", "euchre"}
    assert (form.shown.cut, form.shown.lone_defence) == (True, 6)


def test_a_way_out_that_nobody_offered_changes_no_other_thing() -> None:
    form = HouseRulesForm(sent(CLASSIC_24, way="key=x&csrf=1&=&cut=on"))
    assert form.is_valid()
    assert form.rules.cut
    assert form.rules.key == HOUSE_RULES


def test_the_benny_takes_the_place_of_a_joker() -> None:
    for pack, holds in ((24, 25), (25, 25), (32, 33), (33, 33)):
        form = HouseRulesForm(sent(CLASSIC_24, benny="on", pack=pack))
        assert form.is_valid()
        assert (form.rules.pack, str(form["pack"].value())) == (holds, str(holds))


def test_a_pack_chosen_after_the_benny_is_not_changed_without_a_word() -> None:
    begun = HouseRulesForm(sent(CLASSIC_24, begin="british"))
    stored = HouseRulesForm.of(RULE_SETS["british"])
    for page in (begun, stored):
        shown = {name: page[name].value() for name in page.fields}
        asked = {name: value for name, value in shown.items() if value} | {"pack": 24}
        form = HouseRulesForm(asked)
        assert {"benny", "pack"} <= form.errors.keys()
        assert form["pack"].value() == 24


def test_rules_without_lone_hands_say_nothing_of_them() -> None:
    rules = replace(CLASSIC_24, alone=False, alone_made=0)
    assert "Alone must take five" not in dict(rule_words.facts(rules))
    assert HouseRulesForm(sent(rules)).is_valid()
    assert "Alone must take five" in dict(rule_words.facts(replace(rules, alone=True)))


@pytest.mark.django_db
def test_a_private_table_plays_the_rules_of_clubs_and_keeps_its_seats_meanwhile() -> None:
    browser = logged_in(player("Maeve"))
    rest = {"rules": HOUSE_RULES, "open": "no", "north": "house", "south": "me", "east": "free"}
    data = {f"house-{field}": value for field, value in sent(OURS).items()}
    for asked in ({"house-begin": "stick-the-dealer"}, {"house-look": "yes"}):
        page = browser.post("/tables/new/", data | rest | asked)
        assert page.status_code == 200
        assert page.context["form"]["north"].value() == "house"
        assert not Table.objects.exists()
    assert browser.post("/tables/new/", data | rest).status_code == 303
    assert Table.objects.get().rules == OURS


@pytest.mark.django_db
def test_the_page_tells_the_rules_in_words_and_its_reasons() -> None:
    page = Client().post(
        "/tables/new/",
        {f"house-{field}": value for field, value in sent(OURS).items()} | {"house-look": "yes"},
    )
    for term, words in rule_words.facts(OURS):
        assert f"<li>{term}: {words}</li>" in page.text
    assert "Not now: only where a game is won by points." in page.text
    assert page.text.index('type="submit" hidden') < page.text.index('name="house-begin"')
