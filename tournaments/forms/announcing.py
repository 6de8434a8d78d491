"""The form that announces something to a club."""

from django import forms

from tournaments.models import Announcement


class AnnouncementForm(forms.Form):
    """What it is about, and the words."""

    subject = forms.CharField(max_length=Announcement._meta.get_field("subject").max_length)
    text = forms.CharField(
        max_length=5000,
        widget=forms.Textarea(attrs={"rows": 10}),
        help_text="Plain text, at most 5,000 characters.",
    )

    def clean_subject(self) -> str:
        """Return the subject as one line."""
        return " ".join(self.cleaned_data["subject"].split())

    def clean_text(self) -> str:
        """Return the text with plain ends of lines."""
        return "\n".join(self.cleaned_data["text"].splitlines())
