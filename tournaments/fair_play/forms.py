"""What is asked for in a matter; whether it can be done, the verbs say."""

from django import forms

from games.form_fields import Lines
from tournaments.models.fair_play import OF_MODERATORS, FairPlayAct


class OpenForm(forms.Form):
    """The sign and the player of whom a matter is opened; `event` where it was seen."""

    sign = forms.CharField(max_length=60)
    player = forms.IntegerField(min_value=1, max_value=2**53)
    event = forms.IntegerField(min_value=1, max_value=2**53, required=False)


class WordsForm(forms.Form):
    """What a player says."""

    words = Lines(required=False)


class ActForm(WordsForm):
    """What is done, and why; `match` is the one whose result is set aside, `back` the act taken."""

    act = forms.ChoiceField(
        choices=[(kind, kind.label) for kind in (*OF_MODERATORS, FairPlayAct.Kind.TAKE_BACK)],
        error_messages={
            "required": "Say what is to be done.",
            "invalid_choice": "There is no such thing to do.",
        },
    )
    match = forms.IntegerField(min_value=1, max_value=2**53, required=False)
    back = forms.IntegerField(min_value=1, max_value=2**53, required=False)
