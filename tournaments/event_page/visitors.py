"""Caches pages for visitors without cookies."""

import hashlib
from collections.abc import Callable
from functools import wraps
from typing import Concatenate, Final, ParamSpec

from django.core.cache import caches
from django.http import HttpRequest, HttpResponse
from django.utils.cache import patch_vary_headers

P = ParamSpec("P")

#: Seconds for which a page is cached; its socket, if it has one, sends what has changed since.
KEPT: Final = 1


def shared_with_visitors(
    view: Callable[Concatenate[HttpRequest, P], HttpResponse],
) -> Callable[Concatenate[HttpRequest, P], HttpResponse]:
    """Render a page at most once a second for all requests without cookies.

    Without a cookie nobody is known, so the page is the same for everybody, and the first 60
    visitors of a final cost little more than one. Responses that are not pages, or that set a
    cookie for a session or form, are not cached.
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
            patch_vary_headers(response, ["Cookie"])  # the cached page does not touch the session
            pages.set(key, response, KEPT)
        return response

    return answer
