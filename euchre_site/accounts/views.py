"""Account pages that differ from allauth's."""

from typing import Any

from allauth.account import app_settings
from allauth.account.models import EmailAddress
from allauth.account.utils import get_login_redirect_url
from allauth.account.views import ConfirmEmailView
from django.contrib import messages
from django.core import signing
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, resolve_url
from django.views.csrf import csrf_failure as form_expired


class ConfirmAddress(ConfirmEmailView):  # type: ignore[misc]
    """Confirm an address by the link of a letter; a second time the same is said again."""

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        address = _confirmed_by(kwargs["key"])
        if address is None:
            response: HttpResponse = super().dispatch(request, *args, **kwargs)
            return response
        messages.success(request, f"{address.email} is confirmed.")
        return redirect("account_email" if address.user == request.user else "account_login")


def _confirmed_by(key: str) -> EmailAddress | None:
    """Return the address that a link has confirmed already."""
    max_age = app_settings.EMAIL_CONFIRMATION_EXPIRE_DAYS * 24 * 60 * 60
    try:
        pk = signing.loads(key, max_age=max_age, salt=app_settings.SALT)
    except signing.BadSignature:
        return None
    return EmailAddress.objects.filter(pk=pk, verified=True).select_related("user").first()


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    """Go on where a log-in form leads that was opened before somebody logged in elsewhere.

    Logging in changes the token of all forms: that of a second log-in page is refused.
    """
    entrances = (resolve_url("account_login"), resolve_url("account_signup"))
    if request.user.is_authenticated and request.path in entrances:
        return redirect(get_login_redirect_url(request))
    response: HttpResponse = form_expired(request, reason)
    return response
