"""The form for a new table."""

import re
from collections.abc import Iterator
from typing import Any

from django import forms

from games import rule_words
from games.engine.errors import RuleSetError
from games.engine.rules import (
    CLASSIC_24,
    DEALER_MAKES,
    DEALER_NAMES,
    ORDER_UP,
    PACKS,
    PICK_UP,
    RULE_SETS,
    RuleSet,
)
from games.form_fields import WholeNumber
from games.models import Table
from games.models.tables import HOUSE_AFTER

HOUSE_RULES = "house-rules"
NEVER = "never"
ME, FREE, HOUSE = "me", "free", "house"
WHO = [(FREE, "Free"), (ME, "Me"), (HOUSE, "House player")]
SEATS = ("north", "east", "south", "west")
POSITIONS = {2: ("north", "south"), 4: SEATS}
POINTS = ("made", "march", "alone_made", "alone_march", "euchre", "skunk")
DEFAULT = CLASSIC_24


class HouseRulesForm(forms.Form):
    """The options of house rules; empty fields take the value of the classic game."""

    name = forms.CharField(
        label="Its name", max_length=40, initial="House rules", required=False, strip=True
    )
    players = forms.TypedChoiceField(
        coerce=int, choices=[(4, "4, partners opposite"), (2, "2, each plays alone")]
    )
    pack = forms.TypedChoiceField(
        coerce=int,
        choices=[(n, f"{n} cards{', with joker' if PACKS[n][1] else ''}") for n in PACKS],
    )
    packets = forms.CharField(
        label="Cards in each round of the deal",
        max_length=20,
        initial="3, 2",
        help_text="They make 5, such as 3, 2.",
    )
    target = WholeNumber(
        least=1,
        most=50,
        label="Points that win",
        required=False,
        initial=10,
        help_text="Empty: a number of hands instead.",
    )
    deals = WholeNumber(
        least=1,
        most=100,
        label="Number of hands",
        required=False,
        help_text="Empty: play for points.",
    )
    made = WholeNumber(least=1, most=10, label="3 or 4 tricks", initial=DEFAULT.made)
    march = WholeNumber(least=1, most=10, label="March, all 5", initial=DEFAULT.march)
    alone_made = WholeNumber(
        least=1, most=10, label="Alone, 3 or 4 tricks", initial=DEFAULT.alone_made
    )
    alone_march = WholeNumber(least=1, most=10, label="Alone, all 5", initial=DEFAULT.alone_march)
    euchre = WholeNumber(least=1, most=10, label="Euchred, to the others", initial=DEFAULT.euchre)
    skunk = WholeNumber(
        least=1, most=10, label="Without a trick, to the others", initial=DEFAULT.skunk
    )
    joker_turned_up = forms.ChoiceField(
        label="Joker turned up",
        choices=[
            (DEALER_NAMES, "Named; bidding goes on"),
            (DEALER_MAKES, "Named and made by dealer"),
        ],
    )
    calls = forms.ChoiceField(
        label="In the old words, the turn-up is accepted with",
        choices=[(ORDER_UP, "I order it up, assist, take it up"), (PICK_UP, "Pick it up")],
        required=False,
    )
    alone = forms.BooleanField(label="A maker may play alone", required=False, initial=True)
    stick_the_dealer = forms.BooleanField(label="Stick the dealer", required=False)
    cut = forms.BooleanField(label="The pack is cut", required=False)
    dealer_stays = forms.BooleanField(
        label="Thrown in: the same dealer deals again", required=False
    )
    packets_by_dealer = forms.BooleanField(
        label="The dealer may reverse the rounds of the deal", required=False
    )
    old_words = forms.BooleanField(label="Everybody hears the old words", required=False)
    lay_down = forms.BooleanField(label="End a hand when its points are settled", required=False)

    rules: RuleSet

    @property
    def checks(self) -> Iterator[forms.BoundField]:
        return (field for field in self if isinstance(field.field, forms.BooleanField))

    @property
    def points(self) -> Iterator[forms.BoundField]:
        return (self[name] for name in POINTS)

    @property
    def others(self) -> Iterator[forms.BoundField]:
        checks = {field.name for field in self.checks}
        return (field for field in self if field.name not in checks and field.name not in POINTS)

    def clean_packets(self) -> tuple[int, ...]:
        words = re.split(r"[\s,+]+", self.cleaned_data["packets"].strip())
        if not all(re.fullmatch(r"[0-9]{1,2}", word) for word in words):
            raise forms.ValidationError("Write whole numbers, such as 3, 2.")
        return tuple(int(word) for word in words)

    def clean(self) -> dict[str, Any]:
        if not self.errors:
            values = {"key": HOUSE_RULES, **self.cleaned_data}
            values["name"] = values["name"] or "House rules"
            values["calls"] = values["calls"] or DEFAULT.calls
            try:
                self.rules = RuleSet(**values)
            except RuleSetError as error:
                for field, why in error.problems.items():
                    self.add_error(
                        field if field in self.fields else None, f"{why[:1].upper()}{why[1:]}"
                    )
        return self.cleaned_data


class NewTableForm(forms.Form):
    rules = forms.ChoiceField(
        label="Game",
        choices=lambda: [
            *((key, rule_words.brief(rules)) for key, rules in RULE_SETS.items()),
            (HOUSE_RULES, "House rules…"),
        ],
        initial=DEFAULT.key,
        widget=forms.RadioSelect,
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
