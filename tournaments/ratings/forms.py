"""The filters of a leaderboard."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, cast

from django import forms

from tournaments.geography import countries
from tournaments.models import Club
from tournaments.ratings.leaderboards import BoardFilter
from tournaments.seasons import seasons


class LeaderboardForm(forms.Form):
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
        """Fill the choices with clubs that the reader may see and ISO 3166 country codes."""
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

    def board_filter(self) -> BoardFilter:
        if not self.is_valid():
            return BoardFilter()
        chosen = self.cleaned_data
        return BoardFilter(
            self.clubs.get(chosen["club"]),
            self.seasons.get(chosen.get("season", "")),
            chosen["country"],
        )
