"""Where allauth meets players: the name chosen at sign-up, and the guest who is kept."""

from typing import Any

from allauth.core import context
from django import forms
from django.http import HttpRequest

from games.models import User
from games.models.people import NAME_LENGTH
from games.services import identity


class SignupForm(forms.Form):
    """What allauth's sign-up form asks beside e-mail and password."""

    name = forms.CharField(
        label="Name at the table",
        max_length=NAME_LENGTH,
        help_text="What others see. You can change it later.",
        widget=forms.TextInput(attrs={"autocomplete": "nickname"}),
    )
    field_order = ("name", "email", "password1")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        guest = identity.player_of(context.request)
        if guest is not None:
            self.initial.setdefault("name", guest.name)

    def clean_name(self) -> str:
        """Return the name tidied, or refuse it."""
        return identity.checked_name(self.cleaned_data["name"])

    def signup(self, request: HttpRequest, user: User) -> None:
        """Give the new account its player: the guest of this session, if there is one."""
        identity.keep_guest(request, user, self.cleaned_data["name"])


def user_display(user: User) -> str:
    """Return what messages and mails call this user: the name at the table."""
    player = getattr(user, "player", None)
    return player.name if player is not None else user.get_short_name()
