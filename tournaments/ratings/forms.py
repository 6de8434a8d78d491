"""Whose ratings a leaderboard is to show."""

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, cast

from django import forms

from tournaments.geography import countries
from tournaments.models import Club
from tournaments.ratings.leaderboards import Wanted
from tournaments.ratings.rating_moderation import LONGEST
from tournaments.seasons import seasons

#: A key of a row, as forms give it.
NUMBER = re.compile(r"[0-9]{1,18}")


class LeaderboardForm(forms.Form):
    """A club, a season of it, and a country: each may be left open."""

    club = forms.ChoiceField(
        required=False,
        error_messages={"invalid_choice": "Choose one of the listed clubs, or all."},
    )
    season = forms.ChoiceField(
        required=False,
        error_messages={"invalid_choice": "Choose one of the listed seasons, or all."},
    )
    country = forms.ChoiceField(
        required=False,
        error_messages={"invalid_choice": "Choose one of the listed countries, or all."},
    )

    def __init__(
        self, data: Any, *, clubs: Sequence[Club], codes: Iterable[str], now: datetime
    ) -> None:
        """Offer what may be chosen.

        Args:
            data: what was asked for.
            clubs: those the asker may see.
            codes: the countries somebody has given, by their ISO 3166 codes.
            now: so that the years are known that a club without seasons has.
        """
        super().__init__(data)
        self.clubs = {club.slug: club for club in clubs}
        chosen = self.clubs.get(data.get("club", ""))
        # In the query a club's own season is its key, and a calendar year is written "y2026".
        self.seasons = (
            {
                (str(season.pk) if season.pk else f"y{season.name}"): season
                for season in seasons.seasons_of(chosen, now)
            }
            if chosen
            else {}
        )
        names = countries()
        self._offer("club", "All clubs", {slug: one.name for slug, one in self.clubs.items()})
        self._offer("season", "All members", {key: one.name for key, one in self.seasons.items()})
        self._offer("country", "All countries", {code: names.get(code, code) for code in codes})
        if chosen is None and not data.get("season"):
            del self.fields["season"]

    def _offer(self, name: str, everybody: str, choices: Mapping[str, str]) -> None:
        field = cast("forms.ChoiceField", self.fields[name])
        by_name = sorted(choices.items(), key=lambda choice: choice[1].casefold())
        field.choices = [("", everybody), *by_name]

    def wanted(self) -> Wanted:
        """What was asked for; everybody where that cannot be."""
        if not self.is_valid():
            return Wanted()
        chosen = self.cleaned_data
        return Wanted(
            self.clubs.get(chosen["club"]),
            self.seasons.get(chosen.get("season", "")),
            chosen["country"],
        )


class WaitingForm(forms.Form):
    """What a moderator says to matches that wait to be rated."""

    hold = forms.TypedMultipleChoiceField(
        coerce=int, error_messages={"required": "Say which matches are meant."}
    )
    answer = forms.ChoiceField(
        choices=[("pass", "Let through"), ("refuse", "Do not rate")],
        error_messages={"required": "Let them through, or do not rate them."},
    )
    words = forms.CharField(required=False, max_length=LONGEST)
    recognise = forms.BooleanField(required=False)

    def __init__(self, data: Any) -> None:
        """Take any keys: one that waits no more is left as it is."""
        super().__init__(data)
        field = cast("forms.TypedMultipleChoiceField", self.fields["hold"])
        field.choices = [(one, one) for one in data.getlist("hold") if NUMBER.fullmatch(one)]
