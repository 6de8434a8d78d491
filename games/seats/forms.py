"""The form for a new table."""

from collections.abc import Iterator
from typing import Any

from django import forms

from games import rule_words
from games.engine.rules import CLASSIC_24, RULE_SETS, RuleSet
from games.models import Table
from games.models.tables import HOUSE_AFTER
from games.seats.house_rules import HOUSE_RULES, HouseRulesForm

NEVER = "never"
ME, FREE, HOUSE = "me", "free", "house"
WHO = [(FREE, "Free"), (ME, "Me"), (HOUSE, "House player")]
SEATS = ("north", "east", "south", "west")
POSITIONS = {2: ("north", "south"), 4: SEATS}
DEFAULT = CLASSIC_24


class GameSelect(forms.RadioSelect):
    """Radio buttons that say how many play each game."""

    def create_option(self, name: str, value: Any, *args: Any, **kwargs: Any) -> dict[str, Any]:
        option = super().create_option(name, value, *args, **kwargs)
        if value in RULE_SETS:
            option["attrs"]["data-players"] = RULE_SETS[value].players
        return option


class NewTableForm(forms.Form):
    rules = forms.ChoiceField(
        label="Game",
        choices=lambda: [
            *((key, rule_words.brief(rules)) for key, rules in RULE_SETS.items()),
            (HOUSE_RULES, "House rules…"),
        ],
        initial=DEFAULT.key,
        widget=GameSelect,
    )
    open = forms.TypedChoiceField(
        label="Who can join",
        choices=[("yes", "Open to everybody in the lobby"), ("no", "By invitation link only")],
        coerce=lambda value: value == "yes",
        initial="yes",
        widget=forms.RadioSelect,
    )
    delayed = forms.TypedChoiceField(
        label="Spectators see",
        choices=[("no", "The game as it is played"), ("yes", "Each hand two hands later")],
        coerce=lambda value: value == "yes",
        initial="no",
        required=False,
        help_text="With the delay, no spectator can help a player.",
    )
    house_after = forms.ChoiceField(
        label="If a player leaves",
        choices=[
            ("12", "A house player plays after 12 seconds"),
            ("30", "A house player plays after 30 seconds"),
            ("60", "A house player plays after a minute"),
            ("120", "A house player plays after two minutes"),
            (NEVER, "A house player plays only when asked to"),
        ],
        initial=str(HOUSE_AFTER),
        required=False,
        help_text="It plays until they return.",
    )
    house_level = forms.ChoiceField(
        label="House players",
        choices=[
            (Table.HouseLevel.STRONG, "Strong: they think about the cards they cannot see"),
            (Table.HouseLevel.STEADY, "Steady: they play by simple rules"),
        ],
        initial=Table.HouseLevel.STRONG,
        required=False,
    )
    north = forms.ChoiceField(choices=WHO, initial=FREE, required=False)
    east = forms.ChoiceField(choices=WHO, initial=FREE, required=False)
    south = forms.ChoiceField(choices=WHO, initial=ME, required=False)
    west = forms.ChoiceField(choices=WHO, initial=FREE, required=False)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        data = self.data if self.is_bound else None
        self.house_rules = HouseRulesForm(data, prefix="house")

    @property
    def seats(self) -> Iterator[forms.BoundField]:
        return (self[name] for name in SEATS)

    @property
    def chosen_rules(self) -> RuleSet:
        key = self.cleaned_data["rules"]
        return self.house_rules.rules if key == HOUSE_RULES else RULE_SETS[key]

    @property
    def my_seat(self) -> int | None:
        return next(iter(self._positions(ME)), None)

    @property
    def house_seats(self) -> list[int]:
        return list(self._positions(HOUSE))

    def clean_house_after(self) -> int | None:
        chosen = self.cleaned_data["house_after"] or str(HOUSE_AFTER)
        return None if chosen == NEVER else int(chosen)

    def clean_delayed(self) -> bool:
        return bool(self.cleaned_data["delayed"])

    def clean_house_level(self) -> str:
        return self.cleaned_data["house_level"] or Table.HouseLevel.STRONG

    def clean(self) -> dict[str, Any]:
        if self.cleaned_data.get("rules") == HOUSE_RULES and not self.house_rules.is_valid():
            raise forms.ValidationError("These house rules cannot be played; see below.")
        if "rules" in self.cleaned_data:
            if len(list(self._positions(ME))) > 1:
                raise forms.ValidationError("You can take one seat only.")
            if len(self.house_seats) == self.chosen_rules.players:
                raise forms.ValidationError("At least one seat must be for a person.")
        return self.cleaned_data

    def _positions(self, who: str) -> Iterator[int]:
        names = POSITIONS[self.chosen_rules.players]
        return (n for n, name in enumerate(names) if self.cleaned_data.get(name) == who)
