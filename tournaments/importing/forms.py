"""The form that takes a list."""

from typing import Any

from django import forms

from games.form_fields import MultilineField
from tournaments.importing.sheets import MAX_BYTES


class ListForm(forms.Form):
    """A list as a file, or pasted from a spreadsheet; `data` of a valid form is its bytes."""

    file = forms.FileField(
        label="A CSV file",
        required=False,
        allow_empty_file=True,
        error_messages=dict.fromkeys(
            ("invalid", "missing", "empty", "max_length", "contradiction"),
            "Choose a CSV file, as spreadsheets save it.",
        ),
        widget=forms.FileInput({"accept": ".csv,.txt,.tsv,text/csv,text/plain"}),
        help_text="Separated by commas, semicolons or tabs; the first line names the columns.",
    )
    text = MultilineField(
        label="Or paste cells from a spreadsheet",
        required=False,
        strip=False,
        widget=forms.Textarea({"rows": 6}),
        help_text=f"With the line that names the columns. At most {MAX_BYTES // 1024} KiB.",
    )

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        file, text = cleaned.get("file"), cleaned.get("text", "")
        if bool(file) == bool(text.strip()) and not self.errors:
            raise forms.ValidationError("Choose a file or paste a list: one of the two.")
        if file:
            # One more than allowed is enough to see that it is too large.
            cleaned["data"] = file.read(MAX_BYTES + 1)
        else:
            cleaned["data"] = text.encode()
        return cleaned
