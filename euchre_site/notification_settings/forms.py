"""The forms of the page of notifications."""

from datetime import time
from typing import Any, Final

from django import forms
from django.core.exceptions import ValidationError
from django.http import QueryDict

from games.models import Player, QuietHours
from games.models.notifying import EVERY_DAY
from games.notifying import quiet_hours
from tournaments.geography import zones

DAYS: Final = tuple(zip(EVERY_DAY, ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"), strict=True))
_TIME: Final = dict.fromkeys(("required", "invalid"), "Write a time, such as 22:30.")


class ClockField(forms.TimeField):
    """A time of day, to the minute."""

    def __init__(self, **kwargs: Any) -> None:
        widget = forms.TimeInput(format="%H:%M", attrs={"type": "time"})
        super().__init__(widget=widget, error_messages=_TIME, **kwargs)

    def to_python(self, value: Any) -> time | None:
        found = super().to_python(value)
        return found.replace(second=0, microsecond=0) if found else None


class QuietForm(forms.Form):
    """A person's quiet hours."""

    on = forms.BooleanField(required=False, label="Quiet hours on")
    starts = ClockField(label="From")
    ends = ClockField(label="Until")
    days = forms.MultipleChoiceField(
        choices=DAYS, required=False, widget=forms.CheckboxSelectMultiple, label="On these days"
    )
    zone = forms.ChoiceField(
        choices=lambda: [("", "Choose where you are"), *zones()],
        required=False,
        label="In the time zone of",
        error_messages={"invalid_choice": "Choose one of the listed time zones."},
    )
    own_rounds = forms.BooleanField(required=False, label="My own rounds still get through")

    def __init__(self, player: Player, data: QueryDict | None = None) -> None:
        kept = QuietHours.objects.filter(player=player).first()
        starts, ends = quiet_hours.USUAL
        hours = kept or QuietHours(starts=starts, ends=ends, zone="")
        initial = {name: getattr(hours, name) for name in self.base_fields}
        super().__init__(data, initial={**initial, "days": list(hours.days)})
        # `times.js` preselects the time zone of the browser if none is chosen.
        self.fields["zone"].widget.attrs["data-own-zone"] = ""

    def clean(self) -> dict[str, Any]:
        sent = self.cleaned_data
        if sent.get("starts") and sent.get("starts") == sent.get("ends"):
            raise ValidationError("Quiet hours must end at another time than they start.")
        if sent.get("on") and "zone" in sent and not sent["zone"]:
            self.add_error("zone", "Choose where you are, so that the hours are yours.")
        return sent

    def save(self, player: Player) -> None:
        sent = {**self.cleaned_data, "days": "".join(sorted(self.cleaned_data["days"]))}
        QuietHours.objects.update_or_create(player=player, defaults=sent)
