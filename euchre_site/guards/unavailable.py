"""What is answered while the site cannot: its database is away, or too many ask at once."""

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

#: Seconds after which to ask again.
AGAIN: Final = 3
BUSY: Final = "Very many people are here at this moment. Games go on meanwhile."
AWAY: Final = "The database cannot be reached just now. Nothing you have played is lost."


def busy(request: HttpRequest) -> HttpResponse:
    """Answer a request whose turn has not come."""
    metrics.refuse("turns")
    log.warning("pages refused", reason="too many wait for their turn")
    return answer(request, BUSY)


def answer(request: HttpRequest, why: str) -> HttpResponse:
    """Say that it cannot be done now (503), in the shape in which the asker reads answers.

    why: sentences for people. Nothing is asked of the database.
    """
    if request.path_info.startswith(gate.PREFIX) or not request.accepts("text/html"):
        response: HttpResponse = problems.answer(503, "unavailable", f"{why} Try again soon.")
    elif by_script(request):
        response = HttpResponse(f"{why} Try again soon.", "text/plain", status=503)
    else:
        again = request.get_full_path() if request.method in {"GET", "HEAD"} else ""
        page = render_to_string("503.html", {"why": why, "again": again})
        response = HttpResponse(page, status=503)
    setattr(response, "_has_been_logged", True)  # noqa: B010 - as Django marks it: no line for each
    response["Retry-After"] = str(AGAIN)
    response["Cache-Control"] = "no-store"
    return response


def failed(request: HttpRequest) -> HttpResponse:
    """Answer a request that ended in an error: 503 if the database could not be asked, else 500."""
    error = sys.exc_info()[1]
    if isinstance(error, OperationalError | InterfaceError):
        response = answer(request, AWAY)
        lines = str(error).splitlines()
        log.error("database away", reason=lines[0] if lines else type(error).__name__)
        return response
    return server_error(request)
