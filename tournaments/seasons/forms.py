"""The forms of a season and of its rule."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import date, timedelta
from itertools import groupby, pairwise
from typing import Any, ClassVar, Final

from django import forms
from django.utils import timezone
from django.utils.formats import date_format

from games.form_fields import WholeNumber
from games.models import Player
from tournaments.form_fields import NameField
from tournaments.models import Division, Season
from tournaments.seasons.divisions import (
    MOST_DIVISIONS,
    MOST_MOVERS,
    NONE,
    PlayerMove,
    moving_words,
)
from tournaments.seasons.rule import (
    LABELS,
    MOST_EVENINGS,
    MOST_PLACES,
    MOST_POINTS,
    PRESETS,
    TIE_ORDERS,
    USUAL,
    Rule,
    SeasonTie,
    rule_of,
    tie_choice,
)
from tournaments.seasons.seasons import YEARS
from tournaments.seasons.teams import LONGEST_NAME

#: Years into the future that a season may reach.
YEARS_AHEAD = 5
#: Points or divisions that are none of those offered.
OWN: Final = "own"


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


class NamesField(NameField):
    """Names of divisions, the highest first, such as "First, Second"."""

    def to_python(self, value: Any) -> list[str]:  # type: ignore[override]
        return [name.strip() for name in super().to_python(value).split(",")]

    def validate(self, value: Any) -> None:
        """Refuse more names than there can be divisions, and names that are too long."""
        for name in value:
            super().validate(name)
        if len(value) > MOST_DIVISIONS or max(map(len, value)) > LONGEST_NAME:
            raise forms.ValidationError(
                f"Write up to {MOST_DIVISIONS} names of at most {LONGEST_NAME} letters each."
            )


def _points(label: str, help_text: str = "") -> WholeNumber:
    return WholeNumber(least=0, most=MOST_POINTS, label=label, help_text=help_text, required=False)


def _radios(label: str, choices: Iterable[tuple[str, str]]) -> forms.ChoiceField:
    return forms.ChoiceField(label=label, widget=forms.RadioSelect, choices=[*choices])


#: The most divisions that the form offers without names of their own.
MOST_NUMBERED: Final = 3
#: The most nights whose dates the form lists.
MOST_LISTED: Final = 30


class LeagueForm(SeasonForm):
    """A league or season: its nights, what counts, its divisions, and who has a line."""

    nights = WholeNumber(least=1, most=MOST_EVENINGS, label="Nights", required=False)
    best = WholeNumber(least=1, most=MOST_EVENINGS, label="Best … count", required=False)
    counts = _radios(
        "Points of a night",
        [*((key, name) for key, (name, _brief, _rule) in PRESETS.items()), (OWN, "Our own points")],
    )
    attendance = _points(LABELS["attendance"])
    below = _points(LABELS["below"])
    match_won = _points(LABELS["match_won"])
    scored = _points(LABELS["scored"])
    sat_out = _points(LABELS["sat_out"], help_text="A bye or a sit-out has no match.")
    places = PlacesField(
        label=LABELS["places"],
        required=False,
        max_length=400,
        help_text="Such as 10, 6, 4 for the first three. Those who share a place get its points.",
    )
    ties = forms.ChoiceField(
        label="Ties", required=False, help_text="Still equal after that: the place is shared."
    )
    tables = _radios(
        "How many divisions",
        [("1", "One table"), ("2", "Two divisions"), ("3", "Three divisions"), (OWN, "Named")],
    )
    names = NamesField(
        label="Names of the divisions",
        required=False,
        max_length=500,
        help_text="The highest first, with commas between them.",
    )
    movers = WholeNumber(least=0, most=MOST_MOVERS, label="Go up and down", required=False)
    line = _radios("Lines of the table", Season.Line.choices)
    #: What belongs to the season's row.
    OF_SEASON: ClassVar = ("name", "first_day", "last_day", "nights", "line")
    #: The points that "Our own points" asks for.
    POINTS: ClassVar = ("attendance", "below", "match_won", "scored", "sat_out", "places")

    def __init__(self, *args: Any, rule: Rule = USUAL, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["first_day"].label = "First night"
        self.fields["last_day"].required = False
        self.fields["last_day"].help_text = "Leave it empty for a night every week."
        orders = dict.fromkeys([*TIE_ORDERS, rule.ties])
        self.fields["ties"].choices = [*map(tie_choice, orders)]  # type: ignore[attr-defined]

    @classmethod
    def filled(cls, season: Season | None, last: Season | None) -> "LeagueForm":
        """Return the form of a season, or of a new one like the last one."""
        like = season or last
        if like is None:
            first = {"counts": "places", "tables": "1", "line": Season.Line.PERSON, "movers": 2}
            return cls(initial=first | {"ties": tie_choice(USUAL.ties)[0]})
        rule, names = rule_of(like), [one.name for one in like.divisions.all()]
        points = {name: getattr(rule, name) for name in cls.POINTS}
        plain = replace(rule, best=None, ties=USUAL.ties)
        same = (key for key, (_name, _brief, preset) in PRESETS.items() if preset == plain)
        numbered = str(max(1, len(names)))
        offered = names == [] or (names == _numbered(numbered) and len(names) <= MOST_NUMBERED)
        initial = {name: getattr(like, name) for name in cls.OF_SEASON}
        if season is None:
            initial |= {"name": "", "first_day": None, "last_day": None}
        initial |= points | {
            "best": rule.best,
            "ties": tie_choice(rule.ties)[0],
            "counts": next(same, OWN),
            "tables": numbered if offered else OWN,
            "names": ", ".join(names),
            "movers": like.movers,
        }
        return cls(initial=initial, rule=rule)

    @classmethod
    def bound(cls, filled: "LeagueForm", rule: Rule) -> "LeagueForm":
        """Return a form that was sent as it is filled, to be said in words."""
        return cls({one.name: one.value() for one in filled}, rule=rule)

    def clean(self) -> dict[str, Any]:
        """Refuse a rule without points; count the last day from the nights."""
        given = super().clean()
        first, nights = given.get("first_day"), given.get("nights")
        if first and not given.get("last_day") and "last_day" not in self.errors:
            if nights:
                given["last_day"] = first + timedelta(weeks=nights - 1)
            elif "nights" not in self.errors:
                self.add_error("nights", "Say how many nights, or which day is the last.")
        if given.get("counts") == OWN and not (self.errors or self.rule.gives_points):
            self.add_error("places", "This rule gives no points: fill in at least one of them.")
        if given.get("tables") == OWN and not all(given.get("names", ())):
            self.add_error("names", "Write a name for each division.")
        return given

    @property
    def season_fields(self) -> dict[str, Any]:
        """What to store in the season's row, once the form is valid."""
        return {name: self.cleaned_data[name] for name in self.OF_SEASON}

    @property
    def rule(self) -> Rule:
        """The rule as filled in, once the form is valid."""
        given = self.cleaned_data
        if given["counts"] == OWN:
            points: dict[str, Any] = {name: given[name] or 0 for name in self.POINTS}
            rule = Rule(**points | {"places": given["places"]})
        else:
            rule = PRESETS[given["counts"]][2]
        ties = [SeasonTie(tie) for tie in given["ties"].split(",") if tie]
        return replace(rule, best=given["best"], ties=tuple(ties))

    @property
    def division_names(self) -> list[str]:
        given: dict[str, Any] = self.cleaned_data
        return given["names"] if given["tables"] == OWN else _numbered(given["tables"])

    @property
    def weekly_dates(self) -> str:
        """The dates of nights that are held every week: "Thursdays: 7, 14 January · 4 February"."""
        known = self.is_bound and self.errors is not None
        given = self.cleaned_data if known else {}
        first, last, nights = (given.get(one) for one in ("first_day", "last_day", "nights"))
        if not (first and last and nights) or nights > MOST_LISTED:
            return ""
        days = [first + timedelta(weeks=number) for number in range(nights)]
        if last != days[-1]:
            return ""
        months = [
            f"{', '.join(str(day.day) for day in same)} {month}"
            for month, same in groupby(days, lambda day: date_format(day, "F"))
        ]
        return f"{date_format(first, 'l')}s: {' · '.join(months)}"

    @property
    def words(self) -> list[str]:
        """The league in words, once the form is valid."""
        given, rule, names = self.cleaned_data, self.rule, self.division_names
        first, last, nights = (given[name] for name in ("first_day", "last_day", "nights"))
        days = f"from {date_format(first, 'j F Y')} to {date_format(last, 'j F Y')}"
        number = f"{nights} nights" if nights else "All nights"
        if nights and last - first == timedelta(weeks=nights - 1):
            number = f"{nights} {date_format(first, 'l')}s"
        line = {
            Season.Line.PERSON: "Each person has a line; partners may change every night.",
            Season.Line.PAIR: "Each pair has a line; a substitute keeps its points.",
            Season.Line.TEAM: "Each team has a line, with the best scores of its people.",
        }[given["line"]]
        return [
            f"{number} {days}. {rule.count_words}",
            rule.point_words,
            line,
            moving_words(names, given["movers"] or 0, nights),
            rule.tie_words,
        ]


def _numbered(tables: str) -> list[str]:
    """Return the names of two or more divisions without names of their own."""
    return [f"Division {number}" for number in range(1, int(tables) + 1)] if tables != "1" else []


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
