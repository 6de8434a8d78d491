"""What operators, and members who report something, fill in."""

from datetime import datetime, timedelta
from typing import Any, Final, cast

from django import forms
from django.utils import timezone

from games.form_fields import MultilineField
from games.models import Player, Report
from games.models.office import REASON_LENGTH
from tournaments.models import Club, Event

#: For how long an account can be closed: the choices, by their number of days.
DAYS: Final = {"1": "A day", "3": "Three days", "7": "A week", "30": "30 days", "365": "A year"}
FOR_GOOD: Final = "good"
#: How much a report may say.
WORDS_LENGTH: Final = 500


def reason_field(label: str) -> forms.CharField:
    """A field for why something is done."""
    return forms.CharField(label=label, max_length=REASON_LENGTH)


class OfficeForm(forms.Form):
    """A form whose fields have names of their own on a page with several."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        kwargs.setdefault("auto_id", f"{type(self).__name__.lower()}_%s")
        super().__init__(*args, **kwargs)


class BanForm(OfficeForm):
    """How long an account is closed, and why."""

    long = forms.ChoiceField(
        label="For how long", choices=[*DAYS.items(), (FOR_GOOD, "For good")], initial="7"
    )
    reason = reason_field("Reason, which its owner reads")

    def until(self, now: datetime) -> datetime | None:
        """Until when; None for good."""
        chosen = self.cleaned_data["long"]
        return None if chosen == FOR_GOOD else now + timedelta(days=int(chosen))


class DeleteForm(OfficeForm):
    """Why an account is deleted, and that its operator knows what that means."""

    reason = reason_field("Reason, for the record")
    sure = forms.BooleanField(label="I know that this cannot be taken back")


class LiftForm(OfficeForm):
    """Why an account is opened again."""

    reason = reason_field("Reason, for the record")


class NewNameForm(OfficeForm):
    """Another name, and why."""

    name = forms.CharField(label="New name", max_length=80)
    reason = reason_field("Reason, which its owner reads")


class PlayerNameForm(NewNameForm):
    """Another name for a player, who can be given a friendly one."""

    name = forms.CharField(
        label="New name",
        max_length=30,
        required=False,
        help_text="Empty: a friendly one, such as “Quiet Heron”.",
    )


class CloseForm(OfficeForm):
    """Why a club is closed."""

    reason = reason_field("Reason, which its owners and all who are entered read")


class HandOverForm(OfficeForm):
    """To which member a club is given."""

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
            (one.player_id, f"{one.player.name}, {one.get_role_display().lower()}")
            for one in members
        ]


class ReportForm(forms.Form):
    """What is wrong with what a member reports."""

    reason = forms.ChoiceField(
        label="What is wrong",
        choices=Report.Reason.choices,
        widget=forms.RadioSelect,
        error_messages={"required": "Choose what is wrong."},
    )
    words = MultilineField(
        label="In your words (optional)",
        required=False,
        max_length=WORDS_LENGTH,
        widget=forms.Textarea(attrs={"rows": 4}),
        help_text="Only the staff of the site read this.",
    )


class DecisionForm(forms.Form):
    """What is done about what was reported."""

    decision = forms.ChoiceField(
        label="What you do",
        widget=forms.RadioSelect,
        error_messages={"required": "Choose what you do."},
    )
    reason = forms.CharField(
        label="Reason, which the other side reads",
        max_length=REASON_LENGTH,
        required=False,
        help_text="Needed for a letter, another name or a closed account.",
    )
    name = forms.CharField(
        label="New name",
        max_length=80,
        required=False,
        help_text="Where you give another name.",
    )
    long = forms.ChoiceField(
        label="For how long",
        choices=BanForm.base_fields["long"].choices,  # type: ignore[attr-defined]
        initial="7",
        required=False,
        help_text="Where you close the account.",
    )
    private = forms.CharField(
        label="Note for the staff (optional)", max_length=REASON_LENGTH, required=False
    )

    def __init__(
        self,
        *args: Any,
        decisions: list[str],
        one: Player | Club | Event | None,
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, **kwargs)
        cast("forms.ChoiceField", self.fields["decision"]).choices = [
            (key, label) for key, label in WHAT_THEY_MEAN if key in decisions
        ]
        if Report.Decision.RENAME not in decisions:
            del self.fields["name"]
        elif isinstance(one, Player):
            self.fields["name"].help_text += " Empty: a friendly one, such as “Quiet Heron”."
        if Report.Decision.BAN not in decisions:
            del self.fields["long"]

    def clean(self) -> dict[str, Any]:
        """Ask for how long, where the account is closed."""
        fields: dict[str, Any] = super().clean() or {}
        if fields.get("decision") == Report.Decision.BAN and not fields.get("long"):
            self.add_error("long", "Choose for how long.")
        return fields

    def until(self) -> datetime | None:
        """Until when the account is closed, where it is; None for good."""
        chosen = self.cleaned_data.get("long") or FOR_GOOD
        return None if chosen == FOR_GOOD else timezone.now() + timedelta(days=int(chosen))


#: What can be decided, as deeds.
WHAT_THEY_MEAN: Final = (
    (Report.Decision.NOTHING, "Nothing: it is as it should be"),
    (Report.Decision.WARN, "Write them a warning"),
    (Report.Decision.RENAME, "Give another name"),
    (Report.Decision.BAN, "Close the account"),
    (Report.Decision.OTHER, "I have dealt with it in another way"),
)
