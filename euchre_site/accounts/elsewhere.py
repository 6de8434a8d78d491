"""Logging in with an account of another site: Google, Apple, Microsoft or OpenID Connect.

An account here and one elsewhere are joined only by somebody who has logged in to both: an address
that a provider names lets nobody in.
"""

from collections.abc import Callable
from functools import wraps
from typing import Any, ClassVar, Final
from urllib.parse import urlsplit

import structlog
from allauth.account.internal.userkit import filter_users_by_email
from allauth.account.models import EmailAddress
from allauth.account.signals import password_reset
from allauth.core.exceptions import ImmediateHttpResponse
from allauth.core.internal import ratelimit
from allauth.mfa.models import Authenticator
from allauth.socialaccount.adapter import DefaultSocialAccountAdapter, get_adapter
from allauth.socialaccount.forms import SignupForm
from allauth.socialaccount.helpers import render_authentication_error
from allauth.socialaccount.models import SocialAccount, SocialApp, SocialLogin
from allauth.socialaccount.providers.base import AuthError, AuthProcess
from allauth.socialaccount.providers.oauth2.client import OAuth2Error
from django.conf import settings
from django.contrib import messages
from django.core.cache import cache
from django.db.models.signals import pre_save
from django.dispatch import receiver
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render, resolve_url
from django.utils.http import urlencode
from requests import ConnectionError as ConnectionFailure
from requests import Timeout

from games.models import User

log = structlog.get_logger(__name__)

View = Callable[..., HttpResponse]
#: Whatever goes wrong in an answer of a provider, or on the way to it.
FAILURES: Final = (OSError, OAuth2Error, LookupError, ValueError)
#: Seconds in which a provider that did not answer is not asked again: waiting for it takes a page's
#: thread, of which there are few.
REST: Final = 20
APP: Final = "allauth.account"


class ElsewhereAdapter(DefaultSocialAccountAdapter):  # type: ignore[misc]
    error_messages: ClassVar = DefaultSocialAccountAdapter.error_messages | {
        "email_taken": "That address already has an account here. Log in to it as you always do, "
        "then add %s under “Other logins”.",
        "no_password": "This is your only way in. Choose a password first.",
        "no_verified_email": "This is your only way in. Confirm your e-mail address first.",
    }

    def list_apps(
        self, request: HttpRequest, provider: str | None = None, client_id: str | None = None
    ) -> list[SocialApp]:
        """Return the providers of the settings; the database's table of them is not used."""
        apps = [SocialApp(**fields) for fields in settings.LOGIN_PROVIDERS]
        return [
            app
            for app in apps
            if provider in (None, app.provider, app.provider_id)
            and client_id in (None, app.client_id)
        ]

    def get_app(self, request: HttpRequest, provider: str, client_id: str | None = None) -> Any:
        if not self.list_apps(request, provider):
            raise Http404("No such provider is set")
        return super().get_app(request, provider, client_id)

    def populate_user(self, request: HttpRequest, sociallogin: SocialLogin, data: Any) -> User:
        """Take over nothing but the address."""
        user: User = super().populate_user(request, sociallogin, {"email": data.get("email")})
        return user

    def pre_social_login(self, request: HttpRequest, sociallogin: SocialLogin) -> None:
        """Forget tokens and unproved addresses; refuse what would be a second account."""
        sociallogin.token = None  # an unfinished sign-up would keep it in the session
        sociallogin.email_addresses = [
            one for one in sociallogin.email_addresses if str(one.verified).lower() == "true"
        ]
        proved = [one.email for one in sociallogin.email_addresses]
        connects = sociallogin.state.get("process") == AuthProcess.CONNECT
        if sociallogin.is_existing or connects or not any(map(filter_users_by_email, proved)):
            return
        messages.error(request, self.error_messages["email_taken"] % sociallogin.provider.name)
        after = urlencode({"next": resolve_url("socialaccount_connections")})
        raise ImmediateHttpResponse(redirect(f"{resolve_url('account_login')}?{after}"))

    def on_authentication_error(
        self, request: HttpRequest, provider: Any, error: str = "", exception: Any = None, **_: Any
    ) -> None:
        """Log a failure; allauth's views catch some themselves, so silence is noticed here."""
        if isinstance(exception, Timeout | ConnectionFailure):
            cache.set(f"silent:{provider.sub_id}", True, REST)
        if error != AuthError.CANCELLED:
            reason = f"{provider.sub_id}: {type(exception).__name__ if exception else error}"
            log.warning("login elsewhere failed", reason=reason)


class ElsewhereSignupForm(SignupForm):  # type: ignore[misc]
    """allauth's form: the name at the table, and an address unless the provider has proved one."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if self.sociallogin.email_addresses:
            self.initial["email"] = self.sociallogin.email_addresses[0].email
            self.fields["email"].disabled = True

    def try_save(self, request: HttpRequest) -> tuple[User | None, HttpResponse | None]:
        """Sign up within the limits of sign-ups, each of which may send a letter to a stranger."""
        if limited := ratelimit.consume_or_429(request, app=APP, action="signup"):
            return None, limited
        saved: tuple[User | None, HttpResponse | None] = super().try_save(request)
        return saved


def at_provider(kind: str, view: View) -> View:
    """Wrap allauth's view of a login elsewhere: its limits, its failures, and its way out.

    A provider may be down, slow or wrong: then a page says so. One that does not answer is left
    alone for a while, since each wait takes up a thread of the few that answer pages.
    """

    @wraps(view)
    def wrapped(request: HttpRequest, **named: str) -> HttpResponse:
        name, adapter = named.get("provider_id", kind), get_adapter()
        apps = adapter.list_apps(request, name)
        if [(app.provider, app.provider_id or app.provider) for app in apps] != [(kind, name)]:
            raise Http404  # `name` may also be the kind of several
        provider = adapter.get_provider(request, name)
        page: HttpResponse | None = ratelimit.consume_or_429(
            request, app=APP, action="login_elsewhere"
        )
        if page is not None:
            return page
        try:
            if cache.get(f"silent:{provider.sub_id}"):
                raise ConnectionError("not asked again so soon")
            response = view(request, **named)
        except FAILURES as error:
            failed: HttpResponse = render_authentication_error(request, provider, exception=error)
            failed.status_code = 502
            return failed
        to = urlsplit(response.get("Location", "")).netloc
        if request.method == "POST" and to not in ("", request.get_host()):
            # The policy `form-action 'self'` also covers where the answer to a form leads
            context = {"provider": provider, "url": response["Location"]}
            return render(request, "socialaccount/leaving.html", context)
        return response

    return wrapped


@receiver(pre_save, sender=SocialAccount)
def keep_no_profile(instance: SocialAccount, **_kwargs: Any) -> None:
    """Keep nothing of what a provider says about somebody but the account's number there."""
    instance.extra_data = {}


@receiver(password_reset)
def remove_strangers(request: HttpRequest, user: User, **_kwargs: Any) -> None:
    """Remove the ways in of whoever made an account with somebody else's address.

    Its owner, who has just proved it by a mail, did not set them up.
    """
    if not EmailAddress.objects.filter(user=user, verified=True).exists():
        SocialAccount.objects.filter(user=user).delete()
        Authenticator.objects.filter(user=user, type=Authenticator.Type.WEBAUTHN).delete()
