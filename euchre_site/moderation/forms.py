"""The form for reports of members, and the form in which every case is decided."""

from collections.abc import Sequence
from typing import Any, Final

from django import forms

from euchre_site.moderation.sources import Decision
from euchre_site.office.forms import BanForm
from games.form_fields import MultilineField
from games.models import Report
from games.models.office import REASON_LENGTH

#: Maximum length of a report.
WORDS_LENGTH: Final = 500


class ReportForm(forms.Form):
    reason = forms.ChoiceField(
        label="What is wrong",
        choices=Report.Reason.choices,
        widget=forms.RadioSelect,
        error_messages={"required": "Choose what is wrong."},
    )
    words = MultilineField(
        label="In your own words (optional)",
        required=False,
        max_length=WORDS_LENGTH,
        widget=forms.Textarea(attrs={"rows": 4}),
        help_text="Only the staff of the site read this.",
    )


class DecisionForm(forms.Form):
    """A decision, its reason, and the fields of the decisions that are offered."""

    decision = forms.CharField(max_length=10, error_messages={"required": "Choose what to do."})
    name = forms.CharField(
        label="New name", max_length=80, required=False, help_text="If you rename."
    )
    long = forms.ChoiceField(
        label="For how long",
        choices=BanForm.base_fields["long"].choices,  # type: ignore[attr-defined]
        initial="7",
        required=False,
        help_text="If you close the account.",
    )
    match = forms.TypedChoiceField(
        label="Match to set aside", coerce=int, empty_value=None, required=False,
        help_text="The event’s page says only that the club has set it aside.",
        error_messages={"invalid_choice": "Choose one of the matches behind it."},
    )  # fmt: skip
    recognise = forms.BooleanField(
        label="The club meets in one room: stop checking its addresses", required=False
    )
    private = forms.CharField(
        label="Note for the staff (optional)", max_length=REASON_LENGTH, required=False
    )

    def __init__(
        self,
        *args: Any,
        offered: Sequence[Decision],
        reason_length: int,
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, **kwargs)
        used = {"decision", *(field for one in offered for field in one.fields)}
        for name in set(self.fields) - used:
            del self.fields[name]
        self.fields["reason"] = MultilineField(
            label="Reason, read by the people concerned",
            required=False,
            max_length=reason_length,
            widget=forms.Textarea({"rows": 3}),
        )
        if "match" in self.fields:
            self.fields["match"].choices = [  # type: ignore[attr-defined]
                match for one in offered for match in one.matches
            ]
