"""The form that takes a list."""

import re
from typing import Any, Final

from django import forms

from games.form_fields import MultilineField
from games.people.identity import NO_SEMICOLON
from tournaments.form_fields import NameField
from tournaments.importing.sheets import MAX_BYTES
from tournaments.spreadsheets import FORMULA

#: What spreadsheets write for a formula that failed, and other programs where there is nothing.
NO_NAME: Final = re.compile(
    r"#[^a-z]*[!?]|#N/A|#NV|Err:[0-9]+|\(?(null|NULL)\)?|nil|[Nn]one|NONE|nan|NaN|n/a|N/A|undefined"
)


class CellName(NameField):
    """A name from a cell, which is neither a formula nor what stands for a missing value."""

    def validate(self, value: str) -> None:
        super().validate(value)
        if value.startswith(FORMULA):
            words = f"A name begins with a letter or a digit, not with “{value[0]}”."
            raise forms.ValidationError(words)
        if NO_NAME.fullmatch(value):
            words = f"“{value}” is not a name: spreadsheets write it where one is missing."
            raise forms.ValidationError(words)


class PersonName(CellName):
    def validate(self, value: str) -> None:
        super().validate(value)
        if ";" in value:
            raise forms.ValidationError(NO_SEMICOLON)


class ListForm(forms.Form):
    """A list as a file, or pasted from a spreadsheet; `data` of a valid form is its bytes."""

    file = forms.FileField(
        label="A workbook or a CSV file",
        required=False,
        allow_empty_file=True,
        error_messages=dict.fromkeys(
            ("invalid", "missing", "empty", "max_length", "contradiction"),
            "Choose a workbook or a CSV file, as spreadsheets save it.",
        ),
        widget=forms.FileInput({"accept": ".csv,.txt,.tsv,.xlsx,.ods,.xls,text/csv,text/plain"}),
        help_text="Excel, LibreOffice or CSV; the first line names the columns.",
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
