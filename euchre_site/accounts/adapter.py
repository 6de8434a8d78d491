"""allauth's adapter: limits of login attempts, links in mails, and players for new accounts."""

from types import SimpleNamespace
from typing import Any, ClassVar, Final
from urllib.parse import urlsplit

from allauth.account.adapter import DefaultAccountAdapter
from allauth.core.internal import ratelimit
from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone

from euchre_site.accounts import known_browsers
from euchre_site.accounts.accounts import finish_sign_up
from games.models import Deletion, User
from games.people import bans, limits, traces
from games.people.addresses import client_address, full_address_of

APP: Final = "allauth.account"
#: Limits of wrong passwords: from an address for all accounts, from it for one account, from
#: everywhere for one account (NIST SP 800-63B, 5.2.2, allows a hundred), and in a browser in which
#: the account has logged in before, to which only this limit applies.
FROM_ADDRESS: Final = {"login_failed": "10/m/key"}
FROM_ADDRESS_FOR_ACCOUNT: Final = {"login_failed": "5/5m/key"}
FOR_ACCOUNT: Final = {"login_failed": "100/h/key"}
IN_KNOWN_BROWSER: Final = {"login_failed": "10/5m/key"}


class Usages(list[ratelimit.RateLimitUsage]):
    """The rate limits that an attempt counts towards."""

    def rollback(self) -> None:
        """Do not count the attempt, as the password was right."""
        for usage in self:
            usage.rollback()


class AccountAdapter(DefaultAccountAdapter):  # type: ignore[misc]
    error_messages: ClassVar = DefaultAccountAdapter.error_messages | {
        "too_many_login_attempts": "Too many wrong passwords. Wait five minutes, log in with a "
        "browser that you have used here before, or reset your password.",
    }

    def logout(self, request: HttpRequest) -> None:
        """End the session, but remember which players' cards this browser has shown."""
        browser = request.session.get(traces.BROWSER)
        super().logout(request)
        if browser is not None:
            request.session[traces.BROWSER] = browser

    def get_client_ip(self, request: HttpRequest) -> str:
        forwarded = request.headers.get("X-Forwarded-For", "")
        return full_address_of(forwarded, request.META.get("REMOTE_ADDR", ""))

    def send_mail(self, template_prefix: str, email: str, context: dict[str, Any]) -> None:
        """Send a mail with links to SITE_URL, as the client chooses the request's host and port."""
        site = SimpleNamespace(name=settings.SITE_NAME, domain=urlsplit(settings.SITE_URL).netloc)
        ours = {}
        for name, url in context.items():
            if name.endswith("_url"):
                parts = urlsplit(url)
                query = f"?{parts.query}" if parts.query else ""
                ours[name] = f"{settings.SITE_URL}{parts.path}{query}"
        super().send_mail(template_prefix, email, {"current_site": site} | context | ours)

    def send_account_already_exists_mail(self, email: str) -> None:
        """Hash a password, then send the mail about a second sign-up.

        Otherwise the response time of signing up would reveal which addresses have accounts.
        """
        User().set_password(email)
        super().send_account_already_exists_mail(email)

    def pre_authenticate(self, request: HttpRequest, **credentials: Any) -> None:
        self._login_failed_rl_usage = Usages()
        for config, key in _limits_of(request, credentials.get("email", "")):
            usage = ratelimit.consume(
                request, app=APP, action="login_failed", config=config, key=key
            )
            if usage is None:
                limits.record_refusal(client_address(request))
                raise self.validation_error("too_many_login_attempts")
            self._login_failed_rl_usage.append(usage)

    def _delete_login_attempts_cached_email(self, request: HttpRequest, **credentials: Any) -> None:
        """Reset the counts after a password reset; called by allauth."""
        for config, key in _limits_of(request, credentials.get("email", "")):
            ratelimit.clear(request, app=APP, action="login_failed", config=config, key=key)

    def login(self, request: HttpRequest, user: User) -> None:
        super().login(request, user)
        finish_sign_up(request, user)

    def respond_user_inactive(self, request: HttpRequest, user: User) -> HttpResponse:
        """Say how long and why an account is closed, as the password was right."""
        words = bans.in_words(bans.standing(user))
        return render(request, "site/office/closed.html", {"words": words}, status=403)

    def post_login(self, request: HttpRequest, user: User, **details: Any) -> HttpResponse:
        """Complete a login, and remember the browser as known."""
        response: HttpResponse = super().post_login(request, user, **details)
        asked = Deletion.objects.filter(user=user).first()
        if asked is not None:
            day = f"{timezone.localtime(asked.due):%d %B %Y}".lstrip("0")
            words = "To keep it, open “You” and “Delete your account”."
            messages.warning(request, f"Your account will be deleted on {day}. {words}")
        known_browsers.remember(request, response, user)
        return response


def _limits_of(request: HttpRequest, email: str) -> list[tuple[dict[str, str], str]]:
    account, address = User.objects.normalize_email(email), client_address(request)
    browser = known_browsers.id_of(request, account)
    if browser:
        return [(IN_KNOWN_BROWSER, f"browser {browser}")]
    return [
        (FROM_ADDRESS, f"address {address}"),
        (FROM_ADDRESS_FOR_ACCOUNT, f"address {address} for {account}"),
        (FOR_ACCOUNT, f"account {account}"),
    ]
