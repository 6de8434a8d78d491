"""Remembers, in a signed cookie, which accounts have logged in from this browser.

Wrong passwords typed elsewhere do not lock the owner out of a known browser.
"""

import secrets
from typing import Final

from django.conf import settings
from django.core import signing
from django.http import HttpRequest, HttpResponse

from games.models import User

COOKIE: Final = "bower_known"
SALT: Final = "known browser"
SECONDS: Final = 60 * 60 * 24 * 365
#: Maximum number of accounts in a cookie; the oldest is dropped.
MAX_BROWSERS: Final = 5


def remember(request: HttpRequest, response: HttpResponse, user: User) -> None:
    known = {pk: browser for pk, browser in _known(request).items() if pk != str(user.pk)}
    known[str(user.pk)] = secrets.token_hex(8)
    kept = dict(list(known.items())[-MAX_BROWSERS:])
    response.set_cookie(
        COOKIE,
        signing.dumps(kept, salt=SALT),
        max_age=SECONDS,
        secure=settings.HTTPS,
        httponly=True,
        samesite="Lax",
    )


def id_of(request: HttpRequest, email: str) -> str:
    """Return an account's id of this browser; empty if it is not known."""
    known = _known(request)
    if not known:
        return ""
    pk = User.objects.filter(email=User.objects.normalize_email(email)).values_list("pk", flat=True)
    return known.get(str(pk.first()), "")


def _known(request: HttpRequest) -> dict[str, str]:
    try:
        known: dict[str, str] = signing.loads(
            request.COOKIES.get(COOKIE, ""), salt=SALT, max_age=SECONDS
        )
    except signing.BadSignature:
        return {}
    return known
