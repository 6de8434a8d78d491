"""One drawing of a page for all visitors who ask within the same moment."""

import hashlib
from collections.abc import Callable
from functools import wraps
from typing import Concatenate, Final, ParamSpec

from django.core.cache import caches
from django.http import HttpRequest, HttpResponse
from django.utils.cache import patch_vary_headers

P = ParamSpec("P")

#: Seconds for which a page is kept: its socket, if it has one, tells what has changed since.
KEPT: Final = 1


def shared_with_visitors(
    view: Callable[Concatenate[HttpRequest, P], HttpResponse],
) -> Callable[Concatenate[HttpRequest, P], HttpResponse]:
    """Draw a page once a second for all who bring no cookie.

    Nobody is known without one, so the page is the same for each; the first 60 visitors of a final
    then cost little more than one. An answer that gives a cookie, with a session or a form, or that
    is not a page, is never kept.
    """

    @wraps(view)
    def answer(request: HttpRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponse:
        if request.COOKIES or request.method != "GET" or "HX-Request" in request.headers:
            return view(request, *args, **kwargs)
        pages = caches["pages"]
        key = hashlib.sha256(request.build_absolute_uri().encode()).hexdigest()
        kept: HttpResponse | None = pages.get(key)
        if kept is not None:
            return kept
        response = view(request, *args, **kwargs)
        own = request.session.modified or "CSRF_COOKIE_NEEDS_UPDATE" in request.META
        if response.status_code == 200 and not own:
            patch_vary_headers(response, ["Cookie"])  # the one kept never asks the session
            pages.set(key, response, KEPT)
        return response

    return answer
