"""The forms of the director's page."""

from typing import Any

from django import forms

from tournaments.services import correcting, directing
from tournaments.services.match_lines import MatchLine

TIE = "-1"


class MinutesForm(forms.Form):
    """By how many minutes the end of the round is moved."""

    minutes = forms.IntegerField(
        min_value=-directing.MOST_MINUTES, max_value=directing.MOST_MINUTES
    )


class WordsForm(forms.Form):
    """Words of the director to everybody."""

    text = forms.CharField(
        label="Words to all",
        max_length=300,
        widget=forms.Textarea({"rows": 3}),
        help_text="They stand on the event’s page at once. At most 300 characters.",
    )


class HouseForm(forms.Form):
    """How many places house players take."""

    count = forms.IntegerField(label="How many", min_value=1, max_value=256, initial=1)


class CancelForm(forms.Form):
    """Why an event is called off."""

    reason = forms.CharField(
        label="Reason",
        max_length=200,
        help_text="Everybody who is in gets it by e-mail. At most 200 characters.",
    )


class ResultForm(forms.Form):
    """The result of a match, set by hand.

    match: as it stands. ties: whether it can be tied.
    """

    winner = forms.TypedChoiceField(label="Winner", widget=forms.RadioSelect, coerce=int)
    points_0 = forms.IntegerField(min_value=0, max_value=correcting.MOST_POINTS)
    points_1 = forms.IntegerField(min_value=0, max_value=correcting.MOST_POINTS)
    reason = forms.CharField(
        label="Reason",
        max_length=200,
        help_text="It stays on the record with the result before. At most 200 characters.",
    )

    def __init__(self, *args: Any, match: MatchLine, ties: bool, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        north, east = (side.team.name for side in match.sides)
        sides = [("0", north), ("1", east)]
        self.fields["winner"].choices = [*sides, (TIE, "A tie")] if ties else sides  # type: ignore[attr-defined]
        self.fields["points_0"].label = f"Points of {north}"
        self.fields["points_1"].label = f"Points of {east}"

    @property
    def points(self) -> tuple[int, int]:
        """The points of both sides."""
        return self.cleaned_data["points_0"], self.cleaned_data["points_1"]
