"""The forms of a season and of its rule."""

from collections.abc import Iterable, Sequence
from datetime import date
from itertools import pairwise
from typing import Any, Final

from django import forms
from django.utils import timezone
from django.utils.formats import date_format

from games.form_fields import WholeNumber
from games.models import Player
from tournaments.form_fields import NameField
from tournaments.models import Division, Season
from tournaments.seasons.divisions import MOST_DIVISIONS, MOST_MOVERS, NONE, PlayerMove
from tournaments.seasons.rule import (
    LABELS,
    MOST_EVENINGS,
    MOST_PLACES,
    MOST_POINTS,
    TIE_WORDS,
    Rule,
    SeasonTie,
)
from tournaments.seasons.seasons import YEARS

#: Years into the future that a season may reach.
YEARS_AHEAD = 5
#: The fields of tie-breaks, in order.
TIES: Final = ("tie_1", "tie_2", "tie_3")


class SeasonDayField(forms.DateField):
    def __init__(self, **kwargs: Any) -> None:
        super().__init__(
            widget=forms.DateInput({"type": "date"}, format="%Y-%m-%d"),
            error_messages={"invalid": "Give a day, such as 2026-11-26."},
            **kwargs,
        )

    def validate(self, value: date | None) -> None:
        """Refuse days so far away that they must be a typing error."""
        super().validate(value)
        years = range(YEARS[0], timezone.localdate().year + YEARS_AHEAD + 1)
        if value and value.year not in years:
            raise forms.ValidationError(f"Choose a day from {years[0]} to {years[-1]}.")


class SeasonForm(forms.Form):
    name = NameField(label="Name", max_length=40, help_text="Such as Winter 2026–27.")
    first_day = SeasonDayField(label="First day")
    last_day = SeasonDayField(label="Last day")

    @classmethod
    def of(cls, season: Season) -> "SeasonForm":
        return cls(initial={name: getattr(season, name) for name in cls.base_fields})

    def clean(self) -> dict[str, Any]:
        """Refuse a last day before the first."""
        first, last = self.cleaned_data.get("first_day"), self.cleaned_data.get("last_day")
        if first and last and last < first:
            allowed = f"Choose {date_format(first, 'j F Y')}, the first day, or a later one."
            self.add_error("last_day", allowed)
        return self.cleaned_data


class PlacesField(forms.CharField):
    """Points by place, such as "10, 6, 4"."""

    def to_python(self, value: Any) -> tuple[int, ...]:  # type: ignore[override]
        """Return the points of the first place, the second and so on."""
        words = (super().to_python(value) or "").replace(",", " ").split()
        wrong = next((word for word in words if not (word.isdecimal() and len(word) < 6)), None)
        if wrong is not None:
            raise forms.ValidationError(
                f"“{wrong[:20]}” is not a whole number: write points such as 10, 6, 4."
            )
        return tuple(map(int, words))

    def validate(self, value: Any) -> None:
        """Refuse too many places, too many points, and a place worth more than a better one."""
        super().validate(value)
        if len(value) > MOST_PLACES:
            raise forms.ValidationError(f"Give points to {MOST_PLACES} places at most.")
        if any(points > MOST_POINTS for points in value):
            raise forms.ValidationError(f"A place can be worth {MOST_POINTS} points at most.")
        if any(later > earlier for earlier, later in pairwise(value)):
            raise forms.ValidationError("A place cannot be worth more than a better one.")

    def prepare_value(self, value: Any) -> Any:
        return value if isinstance(value, str) or value is None else ", ".join(map(str, value))


def _points(label: str, help_text: str = "") -> WholeNumber:
    return WholeNumber(least=0, most=MOST_POINTS, label=label, help_text=help_text, initial=0)


def _tie(label: str) -> forms.ChoiceField:
    return forms.ChoiceField(
        label=label,
        required=False,
        error_messages={"invalid_choice": "Choose one of those listed, or nothing."},
        choices=[
            ("", "Nothing"),
            *((tie.value, f"{words[0].upper()}{words[1:]}") for tie, words in TIE_WORDS.items()),
        ],
    )


class RuleForm(forms.Form):
    attendance = _points(LABELS["attendance"])
    below = _points(LABELS["below"])
    match_won = _points(LABELS["match_won"])
    scored = _points(
        label=LABELS["scored"], help_text="The points that a side scores at its tables."
    )
    sat_out = _points(LABELS["sat_out"], help_text="A bye or a sit-out has no match.")
    places = PlacesField(
        label=LABELS["places"],
        required=False,
        max_length=400,
        help_text="Such as 10, 6, 4 for the first three. Those who share a place get its points.",
    )
    best = WholeNumber(
        least=1,
        most=MOST_EVENINGS,
        label=LABELS["best"],
        required=False,
        help_text="The best ones of each player. Leave it empty to count all.",
    )
    tie_1 = _tie("Ties are broken by")
    tie_2 = _tie("Then by")
    tie_3 = _tie("Then by, at last")

    @classmethod
    def of(cls, rule: Rule) -> "RuleForm":
        ties = {f"tie_{number}": tie.value for number, tie in enumerate(rule.ties, 1)}
        return cls(initial=rule.data | ties)

    def clean(self) -> dict[str, Any]:
        """Refuse a rule without any points, and a tie-break that is named twice."""
        if not self.errors and not self.rule.gives_points:
            self.add_error(None, "This rule gives no points: fill in at least one of them.")
        chosen: set[str] = set()
        for name in TIES:
            tie = self.cleaned_data.get(name)
            if tie and tie in chosen:
                self.add_error(name, "This is chosen above already: choose another, or nothing.")
            chosen.add(tie or "")
        return self.cleaned_data

    @property
    def rule(self) -> Rule:
        """The rule as filled in, once the form is valid."""
        kept = dict(self.cleaned_data)
        ties = [kept.pop(name) for name in TIES]
        return Rule(**kept, ties=tuple(SeasonTie(tie) for tie in ties if tie))


class DivisionsForm(forms.Form):
    """Names of the divisions, the highest first, with room for two more."""

    movers = WholeNumber(
        least=0,
        most=MOST_MOVERS,
        label="How many go up, and how many down",
        help_text="Between neighbouring divisions, when the next season is made.",
        initial=0,
    )

    def __init__(self, divisions: Sequence[Division], *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        movers = self.fields.pop("movers")
        for at in range(min(len(divisions) + 2, MOST_DIVISIONS)):
            self.fields[f"name_{at}"] = NameField(
                label=f"Division {at + 1}" if at < len(divisions) or not divisions else "Another",
                max_length=40,
                required=False,
                initial=divisions[at].name if at < len(divisions) else "",
                help_text="Empty it to delete a division without players."
                if at + 1 == len(divisions)
                else "",
            )
        self.fields["movers"] = movers

    @property
    def names(self) -> list[str]:
        return [self.cleaned_data[name] for name in self.fields if name != "movers"]


class PlacesForm(forms.Form):
    """A choice of division for each player, named by the key of the player."""

    def __init__(
        self,
        divisions: Iterable[Division],
        players: Iterable[tuple[Player, int]],
        *args: Any,
        none: str = "No division",
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, **kwargs)
        options = [*((one.pk, one.name) for one in divisions), (NONE, none)]
        for who, at in players:
            self.fields[f"player_{who.pk}"] = forms.TypedChoiceField(
                label=who.name,
                coerce=int,
                choices=options,
                initial=at,
                error_messages={
                    "invalid_choice": "Choose one of the divisions listed.",
                    "required": "Choose a division, or none.",
                },
            )

    @property
    def chosen(self) -> dict[int, int]:
        """The key of a division, or NONE, by the key of the player."""
        prefix = "player_"
        return {
            int(name.removeprefix(prefix)): to
            for name, to in self.cleaned_data.items()
            if name.startswith(prefix)
        }


class NextSeasonForm(SeasonForm, PlacesForm):
    """The next season: its name and days, and where everybody plays."""

    def __init__(
        self, divisions: Iterable[Division], moves: Sequence[PlayerMove], *args: Any, **kwargs: Any
    ) -> None:
        players = [(move.row.player, move.to.pk) for move in moves]
        super().__init__(divisions, players, *args, none="Leaves the league", **kwargs)
        self.moves = [(move, self[f"player_{move.row.player.pk}"]) for move in moves]

    @property
    def season_fields(self) -> dict[str, Any]:
        return {name: self.cleaned_data[name] for name in SeasonForm.base_fields}
