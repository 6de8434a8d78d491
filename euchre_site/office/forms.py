"""Forms of the staff pages, and the form for reports."""

from datetime import datetime, timedelta
from typing import Any, Final, cast

from django import forms
from django.utils import timezone

from games.form_fields import MultilineField
from games.models import Player, Report
from games.models.office import REASON_LENGTH
from tournaments.models import Club, Event

#: For how long an account can be closed, by number of days.
DAYS: Final = {"1": "A day", "3": "Three days", "7": "A week", "30": "30 days", "365": "A year"}
FOR_GOOD: Final = "good"
FRIENDLY: Final = "Leave empty for a friendly one, such as “Quiet Heron”."
#: Maximum length of a report.
WORDS_LENGTH: Final = 500


def reason_field(label: str) -> forms.CharField:
    return forms.CharField(label=label, max_length=REASON_LENGTH)


class OfficeForm(forms.Form):
    """A form with distinct element ids, for a page with several forms."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        kwargs.setdefault("auto_id", f"{type(self).__name__.lower()}_%s")
        super().__init__(*args, **kwargs)


class BanForm(OfficeForm):
    long = forms.ChoiceField(
        label="For how long", choices=[*DAYS.items(), (FOR_GOOD, "For good")], initial="7"
    )
    reason = reason_field("Reason, which the owner will read")

    def until(self, now: datetime) -> datetime | None:
        chosen = self.cleaned_data["long"]
        return None if chosen == FOR_GOOD else now + timedelta(days=int(chosen))


class DeleteForm(OfficeForm):
    reason = reason_field("Reason, for the record")
    sure = forms.BooleanField(label="I know that this cannot be undone")


class VerdictForm(OfficeForm):
    """A moderator's decision about words; dismissing needs no reason."""

    decision = forms.CharField(max_length=10, error_messages={"required": "Choose what to do."})
    reason = MultilineField(
        label="Reason, read by the player and by all moderators",
        max_length=REASON_LENGTH,
        required=False,
        widget=forms.Textarea({"rows": 2}),
    )


class LiftForm(OfficeForm):
    reason = reason_field("Reason, for the record")


class NewNameForm(OfficeForm):
    name = forms.CharField(label="New name", max_length=80)
    reason = reason_field("Reason, which the owner will read")


class PlayerNameForm(NewNameForm):
    name = forms.CharField(
        label="New name",
        max_length=30,
        required=False,
        help_text=FRIENDLY,
    )


class CloseForm(OfficeForm):
    reason = reason_field("Reason, which its owners and everybody entered will read")


class HandOverForm(OfficeForm):
    heir = forms.TypedChoiceField(
        label="New owner",
        coerce=int,
        error_messages={"invalid_choice": "Choose a member of the club."},
    )
    reason = reason_field("Reason, for the record")

    def __init__(self, *args: Any, club: Club, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        members = club.memberships.select_related("player").order_by("player__name")
        cast("forms.ChoiceField", self.fields["heir"]).choices = [
            (member.player_id, f"{member.player.name}, {member.get_role_display().lower()}")
            for member in members
        ]


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
    decision = forms.ChoiceField(
        label="Decision",
        widget=forms.RadioSelect,
        error_messages={"required": "Choose a decision."},
    )
    reason = forms.CharField(
        label="Reason, which the reported party will read",
        max_length=REASON_LENGTH,
        required=False,
        help_text="Required for a warning, a new name or closing the account.",
    )
    name = forms.CharField(
        label="New name",
        max_length=80,
        required=False,
        help_text="If you give another name.",
    )
    long = forms.ChoiceField(
        label="For how long",
        choices=BanForm.base_fields["long"].choices,  # type: ignore[attr-defined]
        initial="7",
        required=False,
        help_text="If you close the account.",
    )
    private = forms.CharField(
        label="Note for the staff (optional)", max_length=REASON_LENGTH, required=False
    )

    def __init__(
        self,
        *args: Any,
        decisions: list[str],
        target: Player | Club | Event | None,
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, **kwargs)
        cast("forms.ChoiceField", self.fields["decision"]).choices = [
            (key, label) for key, label in DECISIONS if key in decisions
        ]
        if Report.Decision.RENAME not in decisions:
            del self.fields["name"]
        elif isinstance(target, Player):
            self.fields["name"].help_text += f" {FRIENDLY}"
        if Report.Decision.BAN not in decisions:
            del self.fields["long"]

    def clean(self) -> dict[str, Any]:
        fields: dict[str, Any] = super().clean() or {}
        if fields.get("decision") == Report.Decision.BAN and not fields.get("long"):
            self.add_error("long", "Choose how long.")
        return fields

    def until(self) -> datetime | None:
        chosen = self.cleaned_data.get("long") or FOR_GOOD
        return None if chosen == FOR_GOOD else timezone.now() + timedelta(days=int(chosen))


#: The decisions, as labels of the form.
DECISIONS: Final = (
    (Report.Decision.NOTHING, "Nothing: there is no problem"),
    (Report.Decision.WARN, "Send a warning"),
    (Report.Decision.RENAME, "Give another name"),
    (Report.Decision.BAN, "Close the account"),
    (Report.Decision.OTHER, "I have dealt with it in another way"),
)
