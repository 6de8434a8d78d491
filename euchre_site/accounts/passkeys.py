"""Passkeys: a way in without the password, not a second step after it."""

import struct
from typing import Any, ClassVar, Final

from allauth.mfa.adapter import DefaultMFAAdapter, get_adapter
from allauth.mfa.models import Authenticator
from allauth.mfa.webauthn.forms import (
    AddWebAuthnForm,
    AuthenticateWebAuthnForm,
    LoginWebAuthnForm,
    ReauthenticateWebAuthnForm,
)
from allauth.mfa.webauthn.internal import auth, flows
from allauth.mfa.webauthn.views import AddWebAuthnView
from cryptography.exceptions import InvalidSignature
from django import forms
from django.conf import settings
from django.http import HttpResponse, HttpResponseRedirect
from django.shortcuts import resolve_url

from games.models import User

NAME_LENGTH: Final = 40
UNREADABLE: Final = (
    AttributeError, InvalidSignature, LookupError, TypeError, ValueError, struct.error
)  # fmt: skip


class PasskeyAdapter(DefaultMFAAdapter):  # type: ignore[misc]
    error_messages: ClassVar = DefaultMFAAdapter.error_messages | {
        "incorrect_code": "That code or passkey did not work. Try again.",
    }

    def is_mfa_enabled(self, user: User, types: list[str] | None = None) -> bool:
        """Return whether a login by password needs a second step, or a factor of one type exists.

        Only an app makes a second step: the owner of a lost phone with a passkey still gets in by
        password.
        """
        asked = types if types and len(types) == 1 else [Authenticator.Type.TOTP]
        enabled: bool = super().is_mfa_enabled(user, asked)
        return enabled

    def get_public_key_credential_rp_entity(self) -> dict[str, str]:
        entity: dict[str, str] = super().get_public_key_credential_rp_entity()
        return entity | {"name": settings.SITE_NAME}

    def generate_authenticator_name(self, user: User, type: str) -> str:  # noqa: A002
        number = Authenticator.objects.filter(user=user, type=type).count() + 1
        return "Passkey" if number == 1 else f"Passkey {number}"


class WholeAnswers:
    """Refuses answers of browsers that cannot be read, which allauth's forms fail on."""

    def full_clean(self) -> None:
        try:
            super().full_clean()  # type: ignore[misc]
        except UNREADABLE:
            error = get_adapter().validation_error("incorrect_code")
            self.add_error("credential", error)  # type: ignore[attr-defined]


LoginForm, SecondStepForm, ConfirmForm = (
    type(form.__name__, (WholeAnswers, form), {})
    for form in (LoginWebAuthnForm, AuthenticateWebAuthnForm, ReauthenticateWebAuthnForm)
)


class AddPasskeyForm(WholeAnswers, AddWebAuthnForm):  # type: ignore[misc]
    name = forms.CharField(
        label="Name",
        max_length=NAME_LENGTH,
        required=False,
        help_text="Where you keep it, such as “My phone”.",
    )
    passwordless = None

    def clean(self) -> dict[str, Any]:
        """Accept only keys that have checked whose hand holds them."""
        self.cleaned_data["passwordless"] = True
        cleaned: dict[str, Any] = super().clean()
        return cleaned


class AddPasskey(AddWebAuthnView):  # type: ignore[misc]
    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        context: dict[str, Any] = super().get_context_data(**kwargs)
        options = auth.begin_registration(self.request.user, passwordless=True)
        return context | {"js_data": {"creation_options": options}}

    def form_valid(self, form: AddPasskeyForm) -> HttpResponse:
        """Add the passkey without recovery codes, which are for the second step."""
        fields = form.cleaned_data
        flows.signup_authenticator(
            self.request, self.request.user, fields["name"], fields["credential"]
        )
        return HttpResponseRedirect(resolve_url("mfa_list_webauthn"))
