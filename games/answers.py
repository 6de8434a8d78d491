"""The shapes in which pages and verbs answer."""

import copy
from collections.abc import Callable
from functools import wraps
from typing import Any, Final, NamedTuple
from urllib.parse import urlsplit

from asgiref.sync import async_to_sync, iscoroutinefunction, sync_to_async
from django.core.exceptions import PermissionDenied
from django.http import (
    Http404,
    HttpRequest,
    HttpResponse,
    HttpResponseRedirect,
    JsonResponse,
    QueryDict,
)
from django.shortcuts import render, resolve_url
from django.urls import Resolver404, resolve
from django.utils.cache import patch_vary_headers
from django_htmx.http import HttpResponseClientRedirect
from django_htmx.middleware import HtmxDetails

from games.people import limits, traces
from games.people.addresses import asker
from games.people.traces import Origin
from games.refusals import Remedy

SAFE = ("GET", "HEAD")
TOO_HASTY: Final = "That was very much at once; wait a moment, then go on."


class SeeOther(HttpResponseRedirect):
    """After a form: go and look there."""

    status_code = 303


def by_script(request: HttpRequest) -> bool:
    """Whether htmx asks, on behalf of a page that is already there."""
    return bool(HtmxDetails(request))


def throws_in(request: HttpRequest) -> bool:
    """Whether the browser throws a number into shuffles, as `able.js` says by a cookie."""
    return request.COOKIES.get("throws_in") == "1"


def origin_of(request: HttpRequest) -> Origin:
    """From where somebody asks, so that nobody sees two hands of one game."""
    return Origin(traces.browser_of(request.session), asker(request))


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
    """Answer a verb by which somebody has left the table: they go home."""
    home = resolve_url("home")
    return HttpResponseClientRedirect(home) if by_script(request) else SeeOther(home)


class RefusedVerb(NamedTuple):
    """Why a verb was not done, told on the page from which it was asked for.

    message: the sentence. path: where its form was sent. typed: the form's fields as they came.
    remedy: the page that helps, if there is one.
    """

    message: str
    path: str
    typed: QueryDict
    remedy: Remedy | None = None


def refused(
    request: HttpRequest,
    message: str,
    status: int,
    back: str = "",
    remedy: Remedy | None = None,
) -> HttpResponse:
    """Answer a verb that was not done, with one sentence that says why.

    A script is given the sentence alone. Else it is told on the page that the form was sent from,
    whose templates find the `RefusedVerb` at the request; where it cannot be shown, on `back`.

    status: 4xx. back: the path of a page that has the form; empty if there is none. remedy: a page
    that helps, linked after the sentence.
    """
    if by_script(request):
        return HttpResponse(message, status=status, content_type="text/plain")
    refusal = RefusedVerb(message, request.path, request.POST, remedy)
    if refusal_at(request) is None:
        for path in (_came_from(request), back):
            page = _shown(request, path, refusal) if path else None
            if page is not None:
                page.status_code = status
                return page
    context = {"message": message, "back": back, "remedy": remedy}
    return render(request, "refused.html", context, status=status)


def refusal_at(request: HttpRequest) -> RefusedVerb | None:
    """Return why what was asked for from this page was refused, if it has just been."""
    return getattr(request, "refusal", None)


def typed(request: HttpRequest, path: str) -> QueryDict | None:
    """Return what was typed into the form sent to `path`, if it has just been refused."""
    refusal = refusal_at(request)
    return refusal.typed if refusal is not None and refusal.path == path else None


def _came_from(request: HttpRequest) -> str:
    """The path and query of our page from which a form was sent; empty if the browser hides it."""
    if request.method in SAFE:
        return ""
    page = urlsplit(request.headers.get("Referer", ""))
    if page.netloc != request.get_host():
        return ""
    return f"{page.path}?{page.query}" if page.query else page.path


def _shown(request: HttpRequest, path: str, refusal: RefusedVerb) -> HttpResponse | None:
    """The page at a path as this asker sees it, with a refusal; None if they are shown none."""
    plain, _, query = path.partition("?")
    asked = copy.copy(request)
    try:
        found = resolve(plain)
        asked.method, asked.path, asked.path_info = "GET", plain, plain
        asked.GET = QueryDict(query)
        asked.resolver_match = found
        asked.refusal = refusal  # type: ignore[attr-defined]
        view = found.func
        if iscoroutinefunction(view):
            view = async_to_sync(view)
        page: HttpResponse = view(asked, *found.args, **found.kwargs)
    except (Resolver404, Http404, PermissionDenied):
        return None
    is_page = page.status_code == 200 and page.headers["Content-Type"].startswith("text/html")
    return page if is_page else None


def at_a_pace(view: Callable[..., Any]) -> Callable[..., Any]:
    """Let a verb at a table be asked for no oftener than a socket may send messages; else 429.

    view: takes the request and the table's number.
    """
    if iscoroutinefunction(view):

        @wraps(view)
        async def apaced(request: HttpRequest, table_id: int) -> Any:
            refusal = await sync_to_async(_refused_for_haste)(request, table_id)
            return refusal or await view(request, table_id)

        return apaced

    @wraps(view)
    def paced(request: HttpRequest, table_id: int) -> Any:
        return _refused_for_haste(request, table_id) or view(request, table_id)

    return paced


def _refused_for_haste(request: HttpRequest, table_id: int) -> HttpResponse | None:
    """What is answered to who asks too often: little, for it may be asked for again and again."""
    if limits.may_act(request):
        return None
    response: HttpResponse
    if by_script(request):
        response = HttpResponse(TOO_HASTY, status=429, content_type="text/plain")
    elif not request.accepts("text/html"):
        response = JsonResponse({"kind": "slow down", "message": TOO_HASTY}, status=429)
    else:
        context = {"message": TOO_HASTY, "back": resolve_url("table", table_id)}
        response = render(request, "refused.html", context, status=429)
    response["Retry-After"] = str(limits.A_WHILE)
    return response


def say_no_secret(page: HttpResponse) -> None:
    """Note that a page holds nothing secret, so that it may be compressed."""
    vars(page)["no_secret"] = True


def holds_no_secret(page: HttpResponse) -> bool:
    """Whether the view that made a page has said so; see ``euchre_site.guards.compression``."""
    return bool(vars(page).get("no_secret"))
