"""Compression of pages without secrets.

The length of a compressed page can reveal a secret in it to an attacker who also controls text in
it (BREACH). So a page is compressed only for visitors without a session, who have no secrets, or if
its view declares that it contains none; and never with a query string, which the page may repeat.
"""

from collections.abc import Callable
from typing import Any, Final

from asgiref.sync import iscoroutinefunction
from django.conf import settings
from django.http import HttpRequest
from django.http.response import HttpResponse, HttpResponseBase
from django.utils.cache import patch_vary_headers
from django.utils.decorators import sync_and_async_middleware
from django.utils.text import compress_string

from games.answers import holds_no_secret

#: Bytes below which compression saves no packet.
MIN_LENGTH: Final = 1000
#: Maximum random bytes added to blur the length, as in Django's GZipMiddleware.
NOISE: Final = 100


@sync_and_async_middleware
def compress_pages(get_response: Callable[[HttpRequest], Any]) -> Any:
    if not iscoroutinefunction(get_response):
        return lambda request: compressed(request, get_response(request))

    async def answer(request: HttpRequest) -> HttpResponseBase:
        return compressed(request, await get_response(request))

    return answer


def compressed(request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
    if not isinstance(response, HttpResponse) or not is_free_of_secrets(request, response):
        return response
    patch_vary_headers(response, ("Accept-Encoding",))
    if "gzip" in request.headers.get("Accept-Encoding", "") and len(response.content) >= MIN_LENGTH:
        response.content = compress_string(response.content, max_random_bytes=NOISE)
        response.headers["Content-Length"] = str(len(response.content))
        response.headers["Content-Encoding"] = "gzip"
        if (etag := response.headers.get("ETag", "")).startswith('"'):
            response.headers["ETag"] = f"W/{etag}"
    return response


def is_free_of_secrets(request: HttpRequest, response: HttpResponse) -> bool:
    """Return whether a response is a page without secrets, requested without a query."""
    return (
        request.method in ("GET", "HEAD")
        and not request.META.get("QUERY_STRING")
        and response.status_code == 200
        and response.headers.get("Content-Type", "").startswith("text/html")
        and not response.has_header("Content-Encoding")
        and "no-store" not in response.headers.get("Cache-Control", "")
        and (settings.SESSION_COOKIE_NAME not in request.COOKIES or holds_no_secret(response))
    )
