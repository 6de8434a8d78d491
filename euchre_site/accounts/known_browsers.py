"""Browsers in which somebody has logged in before: they keep a signed cookie that says to whom.

Wrong passwords typed elsewhere do not keep their owner out of them.
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
#: Accounts that one browser is known to; the earliest is forgotten.
MOST: Final = 5


def remember(request: HttpRequest, response: HttpResponse, user: User) -> None:
    """Let the browser of a request be known to an account that has just logged in by it."""
    known = {pk: word for pk, word in _known(request).items() if pk != str(user.pk)}
    known[str(user.pk)] = secrets.token_hex(8)
    kept = dict(list(known.items())[-MOST:])
    response.set_cookie(
        COOKIE,
        signing.dumps(kept, salt=SALT),
        max_age=SECONDS,
        secure=settings.HTTPS,
        httponly=True,
        samesite="Lax",
    )


def word_of(request: HttpRequest, email: str) -> str:
    """Return the word by which an account knows the browser of a request; empty: it does not."""
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
