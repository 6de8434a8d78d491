"""Log lines about accounts: logins, failed logins, and changes of credentials.

Accounts are logged by primary key and clients by network address, never by an e-mail address or
anything else that was typed. A failed login costs the same query whether the account exists or not.
"""

from typing import Any, Final

import structlog
from allauth.account import signals as account
from allauth.account.internal.flows.login import AUTHENTICATION_METHODS_SESSION_KEY
from allauth.mfa import signals as mfa
from allauth.mfa.models import Authenticator
from allauth.socialaccount import signals as social
from django.contrib.auth.signals import user_logged_out, user_login_failed
from django.dispatch import receiver
from django.http import HttpRequest

from games.models import User
from games.people import two_steps
from games.people.addresses import client_address

log = structlog.get_logger(__name__)

#: The log line for each of allauth's signals.
DONE: Final = {
    account.password_changed: "password changed",
    account.password_set: "password set",
    account.password_reset: "password set by mail",
    account.email_changed: "address changed",
    account.email_confirmed: "address confirmed",
    account.user_signed_up: "signed up",
}


@receiver(account.user_logged_in)
def logged_in(request: HttpRequest, user: User, **_more: Any) -> None:
    """Log a login, with the last way in: a password, a factor, or a provider."""
    steps = 2 if two_steps.has_second(user) else 1
    used = (request.session.get(AUTHENTICATION_METHODS_SESSION_KEY) or [{}])[-1]
    kind = used.get("provider") or used.get("type") or used.get("method")
    log.info("logged in", account=user.pk, address=client_address(request), steps=steps, kind=kind)


@receiver(user_logged_out)
def logged_out(request: HttpRequest | None, user: User | None, **_more: Any) -> None:
    if request is not None and user is not None:
        log.info("logged out", account=user.pk, address=client_address(request))


@receiver(user_login_failed)
def login_failed(
    credentials: dict[str, Any], request: HttpRequest | None = None, **_more: Any
) -> None:
    """Log a failed login, with the account if it exists."""
    email = User.objects.normalize_email(credentials.get("email"))
    found = User.objects.filter(email=email).values_list("pk", flat=True).first()
    address = client_address(request) if request is not None else ""
    log.warning("login failed", account=found, address=address)


def changed(signal: Any, request: HttpRequest | None = None, **more: Any) -> None:
    user = more.get("user") or getattr(more.get("email_address"), "user", None)
    address = client_address(request) if request is not None else ""
    log.info(DONE[signal], account=getattr(user, "pk", None), address=address)


for one in DONE:
    one.connect(changed)


@receiver([mfa.authenticator_added, mfa.authenticator_removed, mfa.authenticator_reset])
def second_step(
    signal: Any, request: HttpRequest, user: User, authenticator: Authenticator, **_more: Any
) -> None:
    changes = {mfa.authenticator_added: "added", mfa.authenticator_reset: "renewed"}
    kind, what = authenticator.type, changes.get(signal, "removed")
    log.info("second step", account=user.pk, address=client_address(request), kind=kind, what=what)


@receiver([social.social_account_added, social.social_account_removed])
def login_elsewhere(signal: Any, request: HttpRequest, **changed: Any) -> None:
    account = changed.get("socialaccount") or changed["sociallogin"].account
    user, kind = account.user_id, account.provider
    what = "added" if signal is social.social_account_added else "removed"
    log.info("login elsewhere", account=user, address=client_address(request), kind=kind, what=what)
