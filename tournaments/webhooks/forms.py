"""The form that adds a webhook."""

from django import forms

from tournaments.models import Webhook


class WebhookForm(forms.Form):
    """Where it leads; whether requests may go there, the service says."""

    url = forms.URLField(
        label="Address",
        max_length=Webhook._meta.get_field("url").max_length,
        assume_scheme="https",
        widget=forms.URLInput({"placeholder": "https://example.org/euchre"}),
        help_text="It is posted a signed message whenever a result is final.",
    )
