"""The shapes in which pages and verbs answer."""

from typing import Any

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render, resolve_url
from django.utils.cache import patch_vary_headers
from django_htmx.http import HttpResponseClientRedirect


class SeeOther(HttpResponseRedirect):
    """After a form: go and look there."""

    status_code = 303


def by_script(request: HttpRequest) -> bool:
    """Whether htmx asks, on behalf of a page that is already there."""
    return request.headers.get("HX-Request") == "true"


def throws_in(request: HttpRequest) -> bool:
    """Whether the browser throws a number into shuffles, as `able.js` says by a cookie."""
    return request.COOKIES.get("throws_in") == "1"


def page_or_part(
    request: HttpRequest, page: str, part: str, context: dict[str, Any]
) -> HttpResponse:
    """Answer with a whole page, or for htmx only with the part of it that changes.

    page, part: template names.
    """
    response = render(request, part if by_script(request) else page, context)
    patch_vary_headers(response, ["HX-Request"])
    return response


def done(request: HttpRequest, table_id: int) -> HttpResponse:
    """Answer a verb that was done: nothing for a script (its socket shows it), else the table."""
    if by_script(request):
        return HttpResponse(status=204)
    return SeeOther(resolve_url("table", table_id))


def gone(request: HttpRequest, _table_id: int) -> HttpResponse:
    """Answer a verb by which somebody has left the table: he goes home."""
    home = resolve_url("home")
    return HttpResponseClientRedirect(home) if by_script(request) else SeeOther(home)


def refused(
    request: HttpRequest, message: str, status: int, table_id: int | None = None
) -> HttpResponse:
    """Answer a verb that was not done, with one sentence that says why.

    status: 4xx. table_id: where to go back to, if it was at a table.
    """
    if by_script(request):
        return HttpResponse(message, status=status, content_type="text/plain")
    context = {"message": message, "table_id": table_id}
    return render(request, "games/refused.html", context, status=status)
