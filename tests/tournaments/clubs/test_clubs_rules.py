"""The rule sets of a club's own: made, changed and deleted, and never changed under an event."""

from typing import Any

import pytest
from django.test import Client

from games.analysis.positions import deal_rules
from games.engine.rules import RULE_SETS, RuleSet, rules_to_data
from tests.factories import logged_in
from tests.tournaments.build import club, director, event
from tournaments.clubs import clubs
from tournaments.clubs.forms import ClubRulesForm
from tournaments.models import Club, HouseRules

pytestmark = pytest.mark.django_db
RULES = "/clubs/the-old-mill/rules/"
MILL_RULES = RuleSet(
    key="house-rules",
    name="Mill rules",
    pack=25,
    packets=(2, 3),
    target=None,
    deals=8,
    skunk=4,
    stick_the_dealer=True,
    cut=True,
)


def fields(rules: RuleSet, **changed: Any) -> dict[str, Any]:
    """What a browser sends of the form that shows a rule set, some fields changed."""
    form = ClubRulesForm.of(rules)
    values = {field.name: field.value() for field in form} | changed
    return {
        name: "on" if value is True else value
        for name, value in values.items()
        if value not in (None, False)
    }


def desk(*, with_rules: bool = False) -> tuple[Club, Client]:
    """The club and its director's browser."""
    mill = club()
    if with_rules:
        clubs.make_rules(mill, MILL_RULES)
    return mill, logged_in(director(mill))


@pytest.mark.parametrize("rules", [MILL_RULES, *RULE_SETS.values()], ids=lambda rules: rules.name)
def test_the_form_gives_every_rule_set(rules: RuleSet) -> None:
    mill, browser = desk()
    response = browser.post(f"{RULES}new/", fields(rules))
    assert (response.status_code, response["Location"]) == (303, RULES)
    made = mill.house_rules.get()
    assert made.name == rules.name
    assert rules_to_data(made.rules) | {"key": rules.key} == rules_to_data(rules)


def test_an_empty_form_gives_the_usual_game_under_a_name() -> None:
    mill, browser = desk()
    page = browser.get(f"{RULES}new/")
    given = {
        field.name: "on" if field.value() is True else field.value()
        for field in page.context["form"]
        if field.value() not in (None, False)
    }
    choices = {"players": "4", "pack": "24", "joker_turned_up": "dealer_names"}
    assert browser.post(f"{RULES}new/", {**given, **choices, "name": "Ours"}).status_code == 303
    assert mill.house_rules.get().rules == RuleSet(key="house-rules", name="Ours")


@pytest.mark.parametrize(
    ("field", "changed", "why"),
    [
        ("name", {"name": " "}, "Fill this in."),
        ("packets", {"packets": "3, 3"}, "Must be packets of at least 1 that make 5 cards"),
        ("pack", {"pack": "26"}, "Choose one of those listed."),
        ("ends", {"ends": "never"}, "Choose one of those listed."),
        ("deals", {"deals": None}, "Write a whole number."),
        ("deals", {"deals": "101"}, "Write a whole number from 1 to 100."),
        ("skunk", {"skunk": "1"}, "Must be worth at least as much as a euchre."),
        ("march", {"march": "11"}, "Write a whole number from 1 to 10."),
        ("alone", {"players": "2"}, "Two players have no partners"),
        (
            "joker_turned_up",
            {"pack": "24", "joker_turned_up": "dealer_makes"},
            "A pack of 24 has no joker to turn up.",
        ),
    ],
)
def test_unplayable_setting_is_reported_at_its_field(
    field: str, changed: dict[str, Any], why: str
) -> None:
    mill, browser = desk()
    response = browser.post(f"{RULES}new/", fields(MILL_RULES, **changed))
    assert response.status_code == 422
    assert response.context["form"].errors[field][0].startswith(why)
    assert why in response.content.decode()
    assert not mill.house_rules.exists()


def test_two_rule_sets_of_a_club_have_two_names() -> None:
    mill, browser = desk(with_rules=True)
    response = browser.post(f"{RULES}new/", fields(MILL_RULES, name="MILL rules"))
    assert response.status_code == 422
    assert response.context["form"].errors["name"] == [
        "The Old Mill already has a rule set called MILL rules."
    ]
    other = club("Lakeside")
    assert clubs.make_rules(other, MILL_RULES).club == other
    assert mill.house_rules.count() == 1


def test_a_club_keeps_thirty_at_most() -> None:
    mill, browser = desk()
    HouseRules.objects.bulk_create(
        HouseRules(club=mill, name=str(n), rules_data=rules_to_data(MILL_RULES)) for n in range(30)
    )
    response = browser.post(f"{RULES}new/", fields(MILL_RULES))
    assert response.context["form"].non_field_errors() == [
        "A club can keep 30 rule sets: delete one first."
    ]


def test_event_keeps_its_rules_when_the_clubs_are_changed_or_deleted() -> None:
    mill, browser = desk(with_rules=True)
    house = mill.house_rules.get()
    planned = event(mill, rules=house.rules)
    changed = fields(MILL_RULES, name="Other rules", deals="12")
    assert browser.post(f"{RULES}{house.pk}/", changed).status_code == 303
    house.refresh_from_db()
    assert (house.name, house.rules.deals) == ("Other rules", 12)
    assert browser.post(f"{RULES}{house.pk}/delete").status_code == 303
    assert not mill.house_rules.exists()
    planned.refresh_from_db()
    assert planned.rules == MILL_RULES


def test_the_rule_sets_of_another_club_are_not_changed_from_here() -> None:
    _, browser = desk()
    other = clubs.make_rules(club("Lakeside"), MILL_RULES)
    for path in ("", "delete"):
        address = f"{RULES}{other.pk}/{path}"
        assert browser.post(address, fields(MILL_RULES)).status_code == 404
    assert HouseRules.objects.count() == 1


def test_the_page_explains_each_from_its_data() -> None:
    desk(with_rules=True)
    page = Client().get(RULES).content.decode()
    for words in (
        "Mill rules",
        "8 hands",
        "Stick the dealer",
        "A K Q J 10 9 of each suit, and a joker",
    ):
        assert words in page
    assert "Change" not in page


def test_hands_are_set_up_by_the_clubs_rules() -> None:
    _, browser = desk(with_rules=True)
    (rules,) = browser.get(RULES).context["rule_sets"]
    page = browser.get(rules["set_up"])
    assert page.context["typed"].rules == deal_rules(MILL_RULES)
    assert "selected>House rules</option>" in page.content.decode()
