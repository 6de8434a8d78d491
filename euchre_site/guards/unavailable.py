"""Responses while the database is unavailable or there are too many requests."""

import sys
from typing import Final

import structlog
from django.db import InterfaceError, OperationalError
from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string
from django.views.defaults import server_error

from games.answers import by_script
from games.api import gate, problems
from games.sockets import metrics

log = structlog.get_logger(__name__)

#: Value of Retry-After, in seconds.
RETRY_AFTER: Final = 3
BUSY: Final = "The site is very busy at the moment. Games in progress are not affected."
AWAY: Final = "The database cannot be reached just now. Nothing you have played is lost."


def busy(request: HttpRequest) -> HttpResponse:
    metrics.refuse("turns")
    log.warning("pages refused", reason="too many requests are waiting")
    return answer(request, BUSY)


def answer(request: HttpRequest, why: str) -> HttpResponse:
    """Return a 503 response as a page, plain text or an API problem, without database queries."""
    if request.path_info.startswith(gate.PREFIX) or not request.accepts("text/html"):
        response: HttpResponse = problems.answer(503, "unavailable", f"{why} Try again soon.")
    elif by_script(request):
        response = HttpResponse(f"{why} Try again soon.", "text/plain", status=503)
    else:
        again = request.get_full_path() if request.method in {"GET", "HEAD"} else ""
        page = render_to_string("503.html", {"why": why, "again": again})
        response = HttpResponse(page, status=503)
    setattr(response, "_has_been_logged", True)  # noqa: B010 - Django's mark against a log line for each
    response["Retry-After"] = str(RETRY_AFTER)
    response["Cache-Control"] = "no-store"
    return response


def failed(request: HttpRequest) -> HttpResponse:
    """Answer a request that raised an error: 503 if the database is unavailable, else 500."""
    error = sys.exc_info()[1]
    if isinstance(error, OperationalError | InterfaceError):
        response = answer(request, AWAY)
        lines = str(error).splitlines()
        log.error("database unavailable", reason=lines[0] if lines else type(error).__name__)
        return response
    return server_error(request)
