"""The link between accounts and players: names at sign-up, guests who sign up, ended sessions."""

from functools import partial
from typing import Any, Final

from allauth.core import context
from allauth.mfa import signals as mfa
from allauth.mfa.models import Authenticator
from allauth.socialaccount import signals as social
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
from games.models import Player, Token, User
from games.models.people import NAME_LENGTH
from games.notifying import devices
from games.people import identity
from games.sockets import hub

#: The session key with the account whose address is unconfirmed, and its player's name.
SIGNING_UP: Final = "signing_up"


class SignupForm(forms.Form):
    """Additional fields of allauth's sign-up form."""

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
        return identity.free_name(self.cleaned_data["name"], identity.player_of(context.request))

    def signup(self, request: HttpRequest, user: User) -> None:
        """Create the account's player, or remember the name until the address is confirmed.

        Until then nothing, not even a taken name, reveals whether the account exists.
        """
        if settings.ACCOUNT_EMAIL_VERIFICATION == "mandatory":
            request.session[SIGNING_UP] = {"user": user.pk, "name": self.cleaned_data["name"]}
        else:
            become_member(request, user, self.cleaned_data["name"])


def finish_sign_up(request: HttpRequest, user: User) -> None:
    """Create an account's player at its first login, in the browser in which it signed up."""
    wanted = request.session.pop(SIGNING_UP, None)
    if wanted and wanted["user"] == user.pk and not Player.objects.filter(user=user).exists():
        become_member(request, user, wanted["name"])


def become_member(request: HttpRequest, user: User, name: str) -> None:
    player = identity.keep_guest(request, user, name)
    look.keep(user, look.look_of(request))
    if player.name != name:
        messages.warning(
            request, f"That name has been taken since you chose it: you are {player.name} for now."
        )


def user_display(user: User) -> str:
    player = getattr(user, "player", None)
    return player.name if player is not None else user.get_short_name()


@receiver(post_save, sender=User)
def close_sockets(instance: User, created: bool, **_kwargs: Any) -> None:
    """Close a user's sockets when the password changes or the account is closed.

    Django ends all sessions but the one in which the password was changed: it continues under
    a new key, with which the browser reopens its sockets.
    """
    new_password = getattr(instance, "_password", None)  # Django sets it until it is saved
    ended = new_password is not None or not instance.is_active
    player = Player.objects.filter(user=instance).first() if ended else None
    if created or player is None:
        return
    request: HttpRequest | None = context.request
    by_owner = request is not None and request.user == instance
    own = request.session.session_key if request is not None and by_owner else None
    devices.forget_others(player, request.session if request is not None and by_owner else None)
    transaction.on_commit(partial(_close_others, player, own))


def _close_others(player: Player, own: str | None) -> None:
    """Close a player's sockets; those of session `own` reopen under its new key."""
    hub.close_player(player.pk, besides=own)
    if own is not None:
        hub.close_session(own, hub.ANOTHER_SESSION)


@receiver([mfa.authenticator_added, mfa.authenticator_removed])
def factor_changed(
    signal: Any, request: HttpRequest, user: User, authenticator: Authenticator, **_more: Any
) -> None:
    """End other sessions; when a second factor is set up, revoke all tokens as well."""
    added = signal is mfa.authenticator_added
    if authenticator.type == Authenticator.Type.TOTP and added:
        revoked, _ = Token.objects.filter(player__user=user).delete()
        if revoked:
            messages.warning(request, "Your existing tokens were revoked. Make new ones.")
        end_other_sessions(request, user)
    elif authenticator.type == Authenticator.Type.WEBAUTHN:
        end_other_sessions(request, user)


@receiver([social.social_account_added, social.social_account_removed])
def elsewhere_changed(request: HttpRequest, **changed: Any) -> None:
    end_other_sessions(request, (changed.get("sociallogin") or changed["socialaccount"]).user)


def end_other_sessions(request: HttpRequest, user: User) -> None:
    """End all other sessions of an account whose ways in have changed.

    Otherwise a thief who has logged in with a stolen password or phone would stay logged in.
    """
    User.objects.filter(pk=user.pk).update(sessions_ended=F("sessions_ended") + 1)
    user.refresh_from_db(fields=["sessions_ended"])
    own = request.session.session_key
    update_session_auth_hash(request, user)
    player = Player.objects.filter(user=user).first()
    if player is not None:
        devices.forget_others(player, request.session)
        _close_others(player, own)
