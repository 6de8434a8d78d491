"""Forms of the staff pages."""

from datetime import datetime, timedelta
from typing import Any, Final, cast

from django import forms

from games.models.office import REASON_LENGTH
from tournaments.models import Club

#: For how long an account can be closed, by number of days.
DAYS: Final = {"1": "A day", "3": "Three days", "7": "A week", "30": "30 days", "365": "A year"}
FOR_GOOD: Final = "good"
FRIENDLY: Final = "Leave empty for a friendly one, such as “Quiet Heron”."


def reason_field(label: str) -> forms.CharField:
    return forms.CharField(label=label, max_length=REASON_LENGTH)


class OfficeForm(forms.Form):
    """A form with distinct element ids, for a page with several forms; `club`: on which it acts."""

    def __init__(self, *args: Any, club: Club | None = None, **kwargs: Any) -> None:
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
        super().__init__(*args, club=club, **kwargs)
        members = club.memberships.select_related("player").order_by("player__name")
        cast("forms.ChoiceField", self.fields["heir"]).choices = [
            (member.player_id, f"{member.player.name}, {member.get_role_display().lower()}")
            for member in members
        ]
