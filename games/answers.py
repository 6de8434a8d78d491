"""Responses of pages and of form actions, with and without scripts."""

import copy
from collections.abc import Callable
from functools import wraps
from typing import Any, Final, NamedTuple, TypeAlias
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
from django.utils.cache import get_conditional_response, patch_vary_headers
from django.utils.http import quote_etag, url_has_allowed_host_and_scheme
from django_htmx.http import HttpResponseClientRedirect
from django_htmx.middleware import HtmxDetails

from games.numbers import parse_number
from games.people import limits, traces
from games.people.addresses import client_address
from games.people.traces import Origin
from games.refusals import Remedy, VerbError

View: TypeAlias = Callable[..., HttpResponse]

SAFE = ("GET", "HEAD")
TOO_HASTY: Final = "Too much at once; wait a moment, then go on."


class SeeOther(HttpResponseRedirect):
    status_code = 303


def to_form(request: HttpRequest, otherwise: str) -> HttpResponse:
    """Return to the page of this site that has the form, or to the path `otherwise`."""
    page = urlsplit(request.headers.get("Referer", ""))
    here = page.netloc == request.get_host() and url_has_allowed_host_and_scheme(page.path, None)
    return SeeOther(page.path if here else otherwise)


def number_in(request: HttpRequest, field: str) -> int | None:
    """Return the number that a form sent in a field, or None."""
    return parse_number(request.POST.get(field, ""))


def by_script(request: HttpRequest) -> bool:
    return bool(HtmxDetails(request))


def throws_in(request: HttpRequest) -> bool:
    """Return True if the browser can contribute to shuffles; `able.js` sets the cookie."""
    return request.COOKIES.get("throws_in") == "1"


def origin_of(request: HttpRequest) -> Origin:
    """Return the browser and address of a request, to prevent one person from seeing two hands."""
    return Origin(traces.browser_of(request.session), client_address(request))


def page_or_part(
    request: HttpRequest, page: str, part: str, context: dict[str, Any]
) -> HttpResponse:
    response = render(request, part if by_script(request) else page, context)
    patch_vary_headers(response, ["HX-Request"])
    return response


def unless_known(request: HttpRequest, response: HttpResponse, etag: str) -> HttpResponse:
    """Return the response with an entity tag, given without quotes; 304 if the reader has it."""
    response.headers["ETag"] = quoted = quote_etag(etag)
    return get_conditional_response(request, etag=quoted, response=response) or response


def done(request: HttpRequest, table_id: int) -> HttpResponse:
    """Answer a successful action: 204 to a script, which has a socket, else the table."""
    if by_script(request):
        return HttpResponse(status=204)
    return SeeOther(resolve_url("table", table_id))


def gone(request: HttpRequest, _table_id: int) -> HttpResponse:
    home = resolve_url("home")
    return HttpResponseClientRedirect(home) if by_script(request) else SeeOther(home)


class RefusedVerb(NamedTuple):
    """A refused action, shown on the page with its form, whose action is `path`."""

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
    """Answer a refused action with status 4xx and a sentence that says why.

    A script gets only the sentence. Otherwise the page that has the form is rendered again, whose
    templates find the `RefusedVerb` on the request. Without a Referer this is the page at `back`.
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


def refused_at(page: str, *names: str) -> Callable[[View], View]:
    """Answer the `VerbError` of a view with `refused`; without a Referer at the named page.

    `names` are the view's arguments that this page's address takes.
    """

    def decorate(view: View) -> View:
        @wraps(view)
        def answered(request: HttpRequest, **arguments: Any) -> HttpResponse:
            try:
                return view(request, **arguments)
            except VerbError as error:
                back = resolve_url(page, *(arguments[name] for name in names))
                return refused(request, error.message, error.status, back, error.remedy)

        return answered

    return decorate


def refusal_at(request: HttpRequest) -> RefusedVerb | None:
    return getattr(request, "refusal", None)


def typed(request: HttpRequest, path: str) -> QueryDict | None:
    refusal = refusal_at(request)
    return refusal.typed if refusal is not None and refusal.path == path else None


def _came_from(request: HttpRequest) -> str:
    """Return the path and query of this site's page with the form; empty without a Referer."""
    if request.method in SAFE:
        return ""
    page = urlsplit(request.headers.get("Referer", ""))
    if page.netloc != request.get_host():
        return ""
    return f"{page.path}?{page.query}" if page.query else page.path


def _shown(request: HttpRequest, path: str, refusal: RefusedVerb) -> HttpResponse | None:
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
    """Limit an action's view to the rate of a socket's messages; return 429 beyond it."""
    if iscoroutinefunction(view):

        @wraps(view)
        async def apaced(request: HttpRequest, table_id: int, **more: Any) -> Any:
            refusal = await sync_to_async(_refused_for_haste)(request, table_id)
            return refusal or await view(request, table_id=table_id, **more)

        return apaced

    @wraps(view)
    def paced(request: HttpRequest, table_id: int, **more: Any) -> Any:
        return _refused_for_haste(request, table_id) or view(request, table_id=table_id, **more)

    return paced


def _refused_for_haste(request: HttpRequest, table_id: int) -> HttpResponse | None:
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
    """Mark a page as free of secrets, to be compressed; see ``euchre_site.guards.compression``."""
    vars(page)["no_secret"] = True


def holds_no_secret(page: HttpResponse) -> bool:
    return bool(vars(page).get("no_secret"))
