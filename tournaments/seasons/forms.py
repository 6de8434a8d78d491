"""The form of a season."""

from datetime import date
from typing import Any

from django import forms
from django.utils import timezone
from django.utils.formats import date_format

from tournaments.form_fields import NameField
from tournaments.models import Season
from tournaments.seasons.seasons import YEARS

#: Years into the future that a season may reach.
YEARS_AHEAD = 5


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
