"""Where accounts meet players: the name chosen at sign-up, the guest who is kept, and passwords."""

from functools import partial
from typing import Any, Final

from allauth.core import context
from allauth.mfa import signals as mfa
from allauth.mfa.models import Authenticator
from django import forms
from django.conf import settings
from django.contrib import messages
from django.contrib.auth import update_session_auth_hash
from django.db import transaction
from django.db.models import F
from django.db.models.signals import post_save
from django.dispatch import receiver
from django.http import HttpRequest

from euchre_site.pages import look
from games.models import Player, User
from games.models.people import NAME_LENGTH
from games.people import identity
from games.sockets import hub

#: In the session: which account waits for its address to be confirmed, and its player's name.
SIGNING_UP: Final = "signing_up"


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
        return identity.free_name(self.cleaned_data["name"], identity.player_of(context.request))

    def signup(self, request: HttpRequest, user: User) -> None:
        """Give the new account its player, or remember to when its address has been confirmed.

        Until then nothing anybody can see, not even a name, tells whether there is one.
        """
        if settings.ACCOUNT_EMAIL_VERIFICATION == "mandatory":
            request.session[SIGNING_UP] = {"user": user.pk, "name": self.cleaned_data["name"]}
        else:
            become_member(request, user, self.cleaned_data["name"])


def finish_sign_up(request: HttpRequest, user: User) -> None:
    """Give an account its player when it logs in first, in the browser in which it signed up."""
    wanted = request.session.pop(SIGNING_UP, None)
    if wanted and wanted["user"] == user.pk and not Player.objects.filter(user=user).exists():
        become_member(request, user, wanted["name"])


def become_member(request: HttpRequest, user: User, name: str) -> None:
    """Give an account its player: the guest of this session, if there is one."""
    player = identity.keep_guest(request, user, name)
    look.keep(user, look.look_of(request))
    if player.name != name:
        messages.warning(
            request, f"Somebody has taken that name since: you are {player.name} for now."
        )


def user_display(user: User) -> str:
    """Return what messages and mails call this user: the name at the table."""
    player = getattr(user, "player", None)
    return player.name if player is not None else user.get_short_name()


@receiver(post_save, sender=User)
def close_sockets(instance: User, created: bool, **_kwargs: Any) -> None:
    """When a password changes or an account is closed, end the user's sockets, as Django ends the
    sessions.

    The session in which the user changes it goes on under another key: there the browser opens
    its sockets again.
    """
    new_password = getattr(instance, "_password", None)  # Django keeps it until it is stored
    ended = new_password is not None or not instance.is_active
    player = Player.objects.filter(user=instance).first() if ended else None
    if created or player is None:
        return
    request: HttpRequest | None = context.request
    by_himself = request is not None and request.user == instance
    own = request.session.session_key if request is not None and by_himself else None

    transaction.on_commit(partial(_close_others, player, own))


def _close_others(player: Player, own: str | None) -> None:
    """End a player's sockets; those of one session open again, as it goes on under another key."""
    hub.close_player(player.pk, besides=own)
    if own is not None:
        hub.close_session(own, hub.ANOTHER_SESSION)


@receiver(mfa.authenticator_added)
def end_sessions_of_one_step(
    request: HttpRequest, user: User, authenticator: Authenticator, **_more: Any
) -> None:
    """When a second step is set up, end all other sessions, and tokens: one step was enough.

    Else whoever has the password alone, and came before, would have what two steps are asked for.
    """
    if authenticator.type == Authenticator.Type.RECOVERY_CODES:
        return
    User.objects.filter(pk=user.pk).update(sessions_ended=F("sessions_ended") + 1)
    user.refresh_from_db(fields=["sessions_ended"])
    own = request.session.session_key
    update_session_auth_hash(request, user)
    player = Player.objects.filter(user=user).first()
    if player is None:
        return
    revoked, _ = player.tokens.all().delete()
    if revoked:
        messages.warning(request, "Your tokens of before are revoked: make new ones.")
    _close_others(player, own)
