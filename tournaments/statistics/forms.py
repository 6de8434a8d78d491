"""Forms for the query strings of the pages of players' records."""

from collections.abc import Collection, Mapping
from datetime import date, datetime, time, timedelta
from typing import Any, Final

from django import forms
from django.utils.http import urlencode
from django.utils.timezone import make_aware

from games.engine.rules import RULE_SETS
from games.models import Player
from games.records.game_lists import shows_record
from games.records.selection import CALLS, RESULTS, STREAKS, Selection
from games.records.sums import PLACES
from tournaments.statistics.player_record import ROLES

YEARS: Final = range(1900, 3000)  # safely inside what calendars and time zones can represent
#: Parameters shared by all pages of a record.
KEPT: Final = ("rules", "from", "to")
#: Filters in words, by the parameter's name and value.
ASKED: Final = {
    "result": {"won": "won", "tied": "tied", "lost": "lost", "given-up": "given up"},
    "call": {word: one.words for word, one in CALLS.items()},
    "seat": {
        "1": "called from the dealer’s left",
        "2": "called from opposite the dealer",
        "3": "called from the dealer’s right",
        "4": "called as the dealer",
    },
    "streak": {
        "present": "of the current streak",
        "won": "of the longest winning streak",
        "lost": "of the longest losing streak",
    },
}


class DayField(forms.DateField):
    widget = forms.DateInput({"type": "date"}, "%Y-%m-%d")

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(required=False, input_formats=["%Y-%m-%d"], **kwargs)

    def to_python(self, value: Any) -> date | None:
        """Return the date; raise ValidationError with the text and the expected format."""
        try:
            day = super().to_python(value)
        except forms.ValidationError as error:
            raise forms.ValidationError(
                f"“{value}” is not a day: write it like 2026-11-21."
            ) from error
        if day is not None and day.year not in YEARS:
            raise forms.ValidationError(f"{day} is not between the years 1900 and 2999.")
        return day


class WordField(forms.ChoiceField):
    """A choice whose error message lists the allowed words."""

    def __init__(self, words: Collection[str], **kwargs: Any) -> None:
        message = f"“%(value)s” is not one of: {', '.join(words)}."
        super().__init__(
            choices=[("", ""), *((word, word) for word in words)],
            required=False,
            error_messages={"invalid_choice": message},
            **kwargs,
        )


class PlayerField(forms.IntegerField):
    """A player by key, whose record `viewer` may see."""

    def __init__(self, viewer: Player | None) -> None:
        super().__init__(required=False)
        self.viewer = viewer

    def clean(self, value: Any) -> Player | None:
        """Return the player; raise ValidationError if there is none or their record is private."""
        try:
            number = super().clean(value)
        except forms.ValidationError as error:
            raise forms.ValidationError(f"“{value}” is not the number of a player.") from error
        if number is None:
            return None
        player = Player.objects.filter(pk=number).first()
        if player is None:
            raise forms.ValidationError(f"There is no player {number}.")
        if not shows_record(player, self.viewer):
            raise forms.ValidationError(f"{player} keeps their record private.")
        return player


class TimeForm(forms.Form):
    """A period, in days of the site's time zone, and a rule set."""

    rules = forms.ChoiceField(label="Rule set", required=False)
    to = DayField(label="To")

    def __init__(self, data: Mapping[str, Any], names: Collection[str] = ()) -> None:
        super().__init__(data)
        self.fields["from"] = DayField(label="From")
        self.order_fields(["rules", "from", "to"])
        known = dict.fromkeys([*names, *(rules.name for rules in RULE_SETS.values())])
        rules = self.fields["rules"]
        rules.choices = [("", "All rule sets"), *((name, name) for name in known)]  # type: ignore[attr-defined]
        allowed = "; ".join(known)
        rules.error_messages["invalid_choice"] = f"“%(value)s” is not one of: {allowed}."

    def clean(self) -> dict[str, Any]:
        """Check the order of the days."""
        first, last = self.cleaned_data.get("from"), self.cleaned_data.get("to")
        if first and last and last < first:
            self.add_error("to", f"{last} is before {first}, the first day.")
        return self.cleaned_data

    @property
    def selection(self) -> Selection:
        since, until = self._times()
        return Selection(rules=self.cleaned_data["rules"], since=since, until=until)

    @property
    def query(self) -> dict[str, str]:
        return {
            name: str(self.data[name])
            for name, value in self.cleaned_data.items()
            if value not in (None, "")
        }

    @property
    def kept(self) -> dict[str, str]:
        """The parameters shared by all pages of a record."""
        return {name: value for name, value in self.query.items() if name in KEPT}

    @property
    def others(self) -> dict[str, str]:
        """The parameters of this page alone."""
        return {name: value for name, value in self.query.items() if name not in KEPT}

    def problems(self) -> list[str]:
        """Return the errors with their parameters' names."""
        return [f"{name}: {error}" for name, errors in self.errors.items() for error in errors]

    def _times(self) -> tuple[datetime | None, datetime | None]:
        first, last = self.cleaned_data["from"], self.cleaned_data["to"]
        since = _midnight(first) if first else None
        return since, _midnight(last + timedelta(days=1)) if last else None


class MeetingsForm(TimeForm):
    """The same, with a filter for partners or opponents."""

    def __init__(self, data: Mapping[str, Any], names: Collection[str]) -> None:
        super().__init__(data, names)
        self.fields["as"] = WordField(ROLES)


class CompareForm(TimeForm):
    """The same, with the slug of a club to compare with."""

    def __init__(
        self, data: Mapping[str, Any], names: Collection[str], clubs: Collection[str]
    ) -> None:
        super().__init__(data, names)
        self.fields["club"] = WordField(clubs)


class GamesForm(TimeForm):
    result = WordField(list(RESULTS))
    call = WordField(list(CALLS))
    seat = WordField([str(place) for place in PLACES])
    streak = WordField(STREAKS)

    def __init__(
        self, data: Mapping[str, Any], names: Collection[str], viewer: Player | None
    ) -> None:
        super().__init__(data, names)
        self.fields["with"] = PlayerField(viewer)
        self.fields["against"] = PlayerField(viewer)

    def conditions(self) -> list[tuple[str, str]]:
        """Return the other filters in words, each with the query string that removes it."""
        return [
            (
                ASKED[name][value] if name in ASKED else f"{name} {self.cleaned_data[name]}",
                urlencode({**self.query, name: ""}),
            )
            for name, value in self.others.items()
        ]

    @property
    def selection(self) -> Selection:
        asked, (since, until) = self.cleaned_data, self._times()
        return Selection(
            rules=asked["rules"],
            since=since,
            until=until,
            partner=asked["with"].pk if asked["with"] else None,
            opponent=asked["against"].pk if asked["against"] else None,
            result=asked["result"],
            call=asked["call"],
            place=int(asked["seat"]) if asked["seat"] else None,
            streak=asked["streak"],
        )


def _midnight(day: date) -> datetime:
    return make_aware(datetime.combine(day, time()))
