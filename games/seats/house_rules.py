"""The form of house rules, which clubs and private tables fill in."""

import re
from dataclasses import asdict, replace
from functools import cached_property
from typing import Any, Final, NamedTuple, Self, cast
from urllib.parse import parse_qsl, urlencode

from django import forms

from games import rule_words
from games.engine.errors import RuleSetError
from games.engine.rules import (
    ADDED,
    DEALER_MAKES,
    DEALER_NAMES,
    MAKER,
    NO_TRUMP_HIGH,
    ORDER_UP,
    PACKS,
    PICK_UP,
    RULE_SETS,
    RuleSet,
)
from games.form_fields import WholeNumber
from games.rule_words import CLUB_RULES

HOUSE_RULES: Final = "house-rules"
BY_POINTS, BY_HANDS = "points", "hands"
#: What a new form shows, and what a field counts as that is empty.
USUAL: Final = RuleSet(key=HOUSE_RULES, name="House rules")
#: Why "Alone must take five" is refused, which is no field of a rule set.
ONLY_ALONE: Final = "only where a maker may play alone."
POINTS: Final = (
    *("made", "march", "euchre", "skunk"),
    *("alone_made", "alone_march", "alone_euchre", "lone_defence"),
)
#: Fields whose points may not be lower than another's.
AT_LEAST: Final = {
    "march": "made",
    "alone_march": "alone_made",
    "skunk": "euchre",
    "alone_euchre": "euchre",
    "lone_defence": "alone_euchre",
}
#: The fields that stand together on the page.
GROUPS: Final = {
    "usual": ("stick_the_dealer", "alone"),
    "ends": ("ends", "target", "deals"),
    "points": tuple(POINTS),
    "lone": (
        "partners_best", "defend_alone", "takes_five", "dealers_partner_alone", "no_lone_near_end",
    ),
    "lead": ("lone_lead",),
    "trump": ("no_trump", "own_trump", "dealer_stays"),
    "deal": ("benny", "farmers_hand", "cut", "fold"),
    "pack": ("players", "pack", "packets", "packets_by_dealer", "joker_turned_up"),
    "words": ("old_words", "calls", "lay_down"),
}  # fmt: skip
#: Fields that another can make impossible, with the value that is refused then.
REFUSABLE: Final[dict[str, Any]] = {
    **{field: True for field, default in ADDED.items() if default is False},
    "alone": True,
    "lone_lead": MAKER,
    "no_trump": NO_TRUMP_HIGH,
    "joker_turned_up": DEALER_MAKES,
}


def form_values(rules: RuleSet) -> dict[str, Any]:
    """Return the values of the form's fields, except the name."""
    values = asdict(rules) | {
        "packets": ", ".join(map(str, rules.packets)),
        "ends": BY_HANDS if rules.target is None else BY_POINTS,
        "target": rules.target or 10,
        "deals": rules.deals or 8,
        "takes_five": rules.alone and rules.alone_made == 0,
        "alone_made": rules.alone_made or USUAL.alone_made,
        "own_trump": "on" * rules.own_trump,
    }
    return {field: value for field, value in values.items() if field in HouseRulesForm.base_fields}


def _least(field: str, worth: dict[str, Any]) -> str:
    """Return the field whose points another's may not be lower than."""
    return AT_LEAST[field] if worth[AT_LEAST[field]] is not None else "euchre"


class RulesClash(NamedTuple):
    """Two fields that contradict each other; `ways`: buttons, with the fields that each changes."""

    one: str
    other: str
    ways: list[tuple[str, str]]


class RuleField(forms.BoundField):
    """A field of house rules, which says how it differs and why it cannot apply."""

    form: "HouseRulesForm"

    @property
    def changed(self) -> bool:
        begun = RULE_SETS.get(self.form["begun"].value() or "")
        start = form_values(begun) if begun else {}
        other = "deals" if self.form["ends"].value() == BY_POINTS else "target"
        if self.name not in start or self.name in ("name", other):
            return False
        return str(self.value() or "") != str(start[self.name] or "")

    @property
    def why_off(self) -> str:
        return self.form.impossible.get(self.name, "")

    def build_widget_attrs(
        self, attrs: dict[str, Any], widget: forms.Widget | None = None
    ) -> dict[str, Any]:
        built = super().build_widget_attrs(attrs, widget)
        return built | {"aria-disabled": "true"} if self.why_off else built


def _check(label: str, help_text: str, **kwargs: Any) -> forms.BooleanField:
    return forms.BooleanField(label=label, help_text=help_text, required=False, **kwargs)


def _points(label: str, usual: int | None, least: int = 1, **kwargs: Any) -> WholeNumber:
    return WholeNumber(least=least, most=10, label=label, initial=usual, **kwargs)


def _choice(field: str) -> forms.ChoiceField:
    choices = rule_words.CHOICES[field]
    return forms.ChoiceField(label=CLUB_RULES[field][0], choices=choices, required=False)


class HouseRulesForm(forms.Form):
    """The options of house rules; empty fields take the usual value."""

    bound_field_class = RuleField

    #: The key of the rule set that they began with.
    begun = forms.CharField(max_length=40, required=False, widget=forms.HiddenInput)
    #: "on" if the Benny was ticked when the page was made.
    had_benny = forms.CharField(max_length=2, required=False, widget=forms.HiddenInput)
    name = forms.CharField(label="Name", max_length=40, initial=USUAL.name, required=False)
    stick_the_dealer = _check("Stick the dealer", "The dealer may not pass in the second round.")
    alone = _check("A maker may play alone", "The partner’s cards go face down.", initial=True)
    ends = forms.ChoiceField(
        label="A game ends",
        choices={BY_POINTS: "at", BY_HANDS: "after"},
        initial=BY_POINTS,
        required=False,
        widget=forms.RadioSelect,
    )
    target = WholeNumber(least=1, most=50, label="Points that win", required=False, initial=10)
    deals = WholeNumber(least=1, most=100, label="Number of hands", required=False, initial=8)
    made = _points("3 or 4 tricks", USUAL.made)
    march = _points("All five", USUAL.march)
    euchre = _points("Euchred", USUAL.euchre)
    skunk = _points("Without a trick", USUAL.skunk)
    alone_made = _points("Alone, 3 or 4", USUAL.alone_made, least=0)
    alone_march = _points("Alone, all five", USUAL.alone_march)
    alone_euchre = _points(
        "Alone, euchred",
        None,
        required=False,
        widget=forms.NumberInput({"placeholder": "as euchred"}),
    )
    lone_defence = _points("By a lone defender", USUAL.lone_defence, required=False)
    partners_best = _check(*CLUB_RULES["partners_best"])
    defend_alone = _check(*CLUB_RULES["defend_alone"])
    takes_five = _check(*CLUB_RULES["takes_five"])
    dealers_partner_alone = _check(*CLUB_RULES["dealers_partner_alone"])
    no_lone_near_end = _check(*CLUB_RULES["no_lone_near_end"])
    lone_lead = _choice("lone_lead")
    no_trump = _choice("no_trump")
    own_trump = forms.BooleanField(
        label=CLUB_RULES["own_trump"][0],
        widget=forms.Select(choices=[("", "No"), ("on", "The maker must hold a card of the suit")]),
        required=False,
    )
    dealer_stays = _check("Thrown in: the same dealer deals", "If all pass twice, nobody scores.")
    benny = _check(
        "The Benny",
        "The joker is drawn and called as the two of spades, the highest trump. 25 cards.",
    )
    farmers_hand = _check(*CLUB_RULES["farmers_hand"])
    cut = _check("The pack is cut", "By the player on the dealer’s right.")
    fold = _choice("fold")
    players = forms.TypedChoiceField(
        coerce=int, choices=[(4, "4, partners opposite"), (2, "2, each plays alone")]
    )
    pack = forms.TypedChoiceField(
        coerce=int,
        choices=[(n, f"{n} cards{', with joker' if PACKS[n][1] else ''}") for n in PACKS],
    )
    packets = forms.CharField(
        label="Cards in each round of the deal", max_length=20, initial="3, 2"
    )
    packets_by_dealer = _check("Packets reversed", "The dealer may deal them in the other order.")
    joker_turned_up = forms.ChoiceField(
        label="Joker turned up",
        choices={
            DEALER_NAMES: "The dealer names it, then bidding goes on",
            DEALER_MAKES: "The dealer names it and is the maker",
        },
        required=False,
    )
    calls = forms.ChoiceField(
        label="In the old words, the turn-up is accepted with",
        choices={ORDER_UP: "I order it up, assist, take it up", PICK_UP: "Pick it up"},
        required=False,
    )
    old_words = _check("Everybody hears the old words", "“I assist”, not “Order it up”.")
    lay_down = _check("Cards down", "A hand ends when its points are settled.")

    rules: RuleSet

    def __init__(self, data: Any = None, *args: Any, **kwargs: Any) -> None:
        """Take what was sent; a button beside "Save" changes some of its fields first."""
        super().__init__(data, *args, **kwargs)
        self.clashes: list[RulesClash] = []
        self.refused: dict[str, Any] = {}
        self.asks_again = False
        if not self.is_bound:
            return
        values: Any = self.data
        self.data = values = values.copy()
        begin, way = (values.get(self.add_prefix(name), "") for name in ("begin", "way"))
        self.asks_again = bool(begin or values.get(self.add_prefix("look")))
        changes = dict(parse_qsl(way, keep_blank_values=True))
        if begin in RULE_SETS:
            changes = form_values(RULE_SETS[begin]) | {"begun": begin}
            changes["name"] = self["name"].value()
        for name in changes.keys() & self.fields.keys():
            values[self.add_prefix(name)] = changes[name]
        benny, pack = "on" * bool(self["benny"].value()), str(self["pack"].value())
        if benny and not self["had_benny"].value() and pack in ("24", "32"):
            # The Benny takes the place of a joker, which such a pack does not have.
            values[self.add_prefix("pack")] = int(pack) + 1
        values[self.add_prefix("had_benny")] = benny
        self.full_clean()

    @classmethod
    def of(cls, rules: RuleSet) -> Self:
        """Return the form with a rule set, beside the offered one that is most like it."""
        values = form_values(rules)

        def differences(key: str) -> int:
            return len(values.items() - form_values(RULE_SETS[key]).items())

        begun = min(RULE_SETS, key=differences)
        form = cls(initial={**values, "begun": begun, "had_benny": "on" * rules.benny})
        form.shown = rules
        return form

    def __getitem__(self, name: str) -> RuleField:
        return cast("RuleField", super().__getitem__(name))

    @property
    def buttons(self) -> dict[str, str]:
        """The names of the buttons and of the script's request that only look at the form."""
        return {name: self.add_prefix(name) for name in ("begin", "way", "look")}

    @property
    def changes(self) -> int:
        return sum(self[name].changed for name in self.fields)

    @property
    def groups(self) -> dict[str, list[RuleField]]:
        return {group: [self[name] for name in names] for group, names in GROUPS.items()}

    @property
    def sets(self) -> list[tuple[RuleSet, str, str]]:
        """The rule sets to begin with, in what each differs, and where it is played."""
        return [
            (rules, rule_words.marks(rules), rule_words.ABOUT.get(key, ""))
            for key, rules in RULE_SETS.items()
        ]

    @cached_property
    def shown(self) -> RuleSet:
        """The rules as far as they make sense."""
        values, usual = self._values() if self.is_bound else {}, asdict(USUAL)
        values |= self.refused
        for _ in range(3):
            try:
                return RuleSet(**usual | values)
            except RuleSetError as error:
                for field in error.problems:
                    worth = usual | values
                    values[field] = (
                        worth[_least(field, worth)] if field in AT_LEAST else usual[field]
                    )
                if values.get("players") == 2:
                    values["alone"] = False
        return USUAL

    @property
    def facts(self) -> list[tuple[str, str]]:
        """The rules in words, and the points."""
        return [*rule_words.facts(self.shown), ("Points", rule_words.scoring(self.shown))]

    @cached_property
    def impossible(self) -> dict[str, str]:
        """Why fields cannot apply beside the others."""
        found: dict[str, str] = {}
        if not self.shown.alone and "takes_five" not in self.errors:
            found["takes_five"] = ONLY_ALONE
        for field in REFUSABLE.keys() - self.errors.keys():
            # The Benny takes a joker's place, so a pack without one gets it.
            pack = self.shown.pack | 1 if field == "benny" else self.shown.pack
            try:
                replace(self.shown, **{field: REFUSABLE[field], "pack": pack})
            except RuleSetError as error:
                if field in error.problems:
                    found[field] = error.problems[field]
        return found

    def clean_packets(self) -> tuple[int, ...]:
        words = re.split(r"[\s,+]+", self.cleaned_data["packets"].strip())
        if not all(re.fullmatch(r"[0-9]{1,2}", word) for word in words):
            raise forms.ValidationError("Write whole numbers, such as 3, 2.")
        return tuple(int(word) for word in words)

    def clean(self) -> dict[str, Any]:
        counted = {BY_POINTS: "target", BY_HANDS: "deals"}.get(self.cleaned_data.get("ends", ""))
        if counted and counted not in self.errors and self.cleaned_data[counted] is None:
            self.add_error(counted, "Write a whole number.")
        if not self.errors:
            values, problems = self._values(), dict[str, str]()
            if self.cleaned_data["takes_five"] and not values["alone"]:
                problems["takes_five"] = ONLY_ALONE
            try:
                self.rules = RuleSet(**values)
            except RuleSetError as error:
                problems.update(error.problems)
            if problems:
                self.refused = values
            for field, why in problems.items():
                self._refuse(field, f"{why[:1].upper()}{why[1:]}", values)
        return self.cleaned_data

    def _values(self) -> dict[str, Any]:
        """Return the fields of a rule set that were sent and are right by themselves."""
        given = getattr(self, "cleaned_data", {})
        values = {name: value for name, value in given.items() if value not in ("", None)}
        ends = values.pop("ends", "")
        values |= {"key": HOUSE_RULES, "name": values.get("name", USUAL.name)}
        values["target"] = None if ends == BY_HANDS else given.get("target")
        values["deals"] = None if ends == BY_POINTS else given.get("deals")
        if values.pop("takes_five", False):
            values["alone_made"] = 0
        for hidden in ("begun", "had_benny"):
            values.pop(hidden, None)
        return values

    def _refuse(self, field: str, why: str, values: dict[str, Any]) -> None:
        """Tell what is wrong at a field, and with which other one it clashes."""
        self.add_error(field if field in self.fields else None, why)
        usual, label = asdict(USUAL), self[field].label
        ways: dict[str, dict[str, Any]] = {}
        if field in AT_LEAST:
            worth = usual | values
            other = _least(field, worth)
            raised, lowered = {field: worth[other]}, {other: worth[field]}
            # A third field follows that would contradict the changed one.
            below = worth["defend_alone"] and worth["lone_defence"] < worth[other]
            if field == "alone_euchre" and below:
                raised["lone_defence"] = worth[other]
            if other == "alone_euchre" and worth["euchre"] > worth[field]:
                lowered["euchre"] = worth[field]
            for changes in (raised, lowered):
                words = " and ".join(f"{self[name].label}: {changes[name]}" for name in changes)
                ways[words] = changes
        elif field in REFUSABLE or field == "takes_five":
            words, changes = self._way_out(field, values)
            neutral = "" if REFUSABLE.get(field, True) is True else usual[field]
            without = dict(getattr(self.fields[field], "choices", ())).get(neutral, "No")
            without = f"Without “{label}”" if without == "No" else f"{label}: {without}"
            ways = {without: {field: neutral}, words: changes}
            other = next(name for name in changes if (values.get(name) or "") != changes[name])
        else:
            return
        self.add_error(other, f"“{self[other].label}” and “{label}” do not go together.")
        buttons = [(words, urlencode(changes)) for words, changes in ways.items()]
        self.clashes.append(RulesClash(str(label), str(self[other].label), buttons))

    @staticmethod
    def _way_out(field: str, values: dict[str, Any]) -> tuple[str, dict[str, Any]]:
        """Return what makes a refused rule possible, in words and as fields."""
        pack, top = values["pack"] - 1, "Benny" if values.get("benny") else "joker"
        ways: dict[str, tuple[str, dict[str, Any]]] = {
            "alone": ("Four players", {"players": 4}),
            "no_trump": (f"Without the {top}, {pack} cards", {"benny": "", "pack": pack}),
            "farmers_hand": ("Four players, 24 cards", {"benny": "", "pack": 24, "players": 4}),
            "benny": ("25 cards", {"pack": 25}),
            "joker_turned_up": ("25 cards, with the joker", {"pack": 25}),
            "packets_by_dealer": ("3 cards, then 2", {"packets": "3, 2"}),
        }
        if field not in ways and values["alone"]:
            ends = {} if values["target"] else {"ends": BY_POINTS}
            return "A game to 10 points", {**ends, "target": 10}
        return ways.get(field, ("A maker may play alone", {"alone": "on", "players": 4}))
