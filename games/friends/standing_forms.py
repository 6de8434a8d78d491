"""The forms that make a standing table, and rename it."""

from collections.abc import Collection
from typing import Any

from django import forms

from games import rule_words
from games.engine.rules import RULE_SETS, RuleSet
from games.models import Player
from games.people import about
from games.seats.forms import DEFAULT, HOUSE_RULES, HouseRulesForm


class StandingNameForm(forms.Form):
    name = forms.CharField(
        label="Name of the table",
        max_length=40,
        help_text="Such as “Thursday four”. Only its people see it.",
    )

    def clean_name(self) -> str:
        return about.checked(self.cleaned_data["name"])


class StandingForm(StandingNameForm):
    """people: those who may be asked. rules: those of the game that it goes on from, if any."""

    people = forms.TypedMultipleChoiceField(
        label="With whom",
        coerce=int,
        widget=forms.CheckboxSelectMultiple,
        error_messages={
            "required": "Choose at least one person to play with.",
            "invalid_choice": "Choose among the people listed.",
        },
    )
    rules = forms.ChoiceField(
        label="Game",
        choices=[(key, rule_words.brief(rules)) for key, rules in RULE_SETS.items()]
        + [(HOUSE_RULES, "House rules…")],
        initial=DEFAULT.key,
        error_messages={"invalid_choice": "Choose one of the listed games."},
        widget=forms.RadioSelect,
    )

    def __init__(
        self, data: Any, people: Collection[Player], rules: RuleSet | None, **kwargs: Any
    ) -> None:
        super().__init__(data, **kwargs)
        self.given = rules
        self.house_rules = HouseRulesForm(data, prefix="house")
        field = self.fields["people"]
        assert isinstance(field, forms.TypedMultipleChoiceField)  # noqa: S101
        field.choices = [(one.pk, one.name) for one in people]
        if rules is not None:
            del self.fields["rules"]

    @property
    def chosen_rules(self) -> RuleSet:
        if self.given is not None:
            return self.given
        key = self.cleaned_data["rules"]
        return self.house_rules.rules if key == HOUSE_RULES else RULE_SETS[key]

    def clean(self) -> dict[str, Any]:
        if self.cleaned_data.get("rules") == HOUSE_RULES and not self.house_rules.is_valid():
            raise forms.ValidationError("These house rules cannot be played; see below.")
        return self.cleaned_data
