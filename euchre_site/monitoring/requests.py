"""Request counters by URL name, of which there are few."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable
from typing import Final

from asgiref.sync import iscoroutinefunction, markcoroutinefunction
from django.http import HttpRequest
from django.http.response import HttpResponseBase

from games.sockets import metrics

#: The label of requests without a route: unknown URLs, and answers given before routing.
NO_ROUTE: Final = "none"
UNNAMED: Final = "unnamed"


class CountedRequests:
    """Middleware that counts and times all answers; it comes before every other middleware."""

    async_capable = sync_capable = True

    def __init__(self, get_response: Callable[[HttpRequest], Awaitable[HttpResponseBase]]) -> None:
        self.get_response = get_response
        self._is_async = iscoroutinefunction(get_response)
        if self._is_async:
            markcoroutinefunction(self)

    def __call__(self, request: HttpRequest) -> HttpResponseBase | Awaitable[HttpResponseBase]:
        began = time.perf_counter()
        if self._is_async:
            return self._answer(request, began)
        response: HttpResponseBase = self.get_response(request)  # type: ignore[assignment]
        _count(request, response, began)
        return response

    async def _answer(self, request: HttpRequest, began: float) -> HttpResponseBase:
        response = await self.get_response(request)
        _count(request, response, began)
        return response


def _count(request: HttpRequest, response: HttpResponseBase, began: float) -> None:
    found = request.resolver_match
    route = NO_ROUTE if found is None else found.view_name or UNNAMED
    metrics.requests.labels(route, f"{response.status_code // 100}xx").inc()
    metrics.request_seconds.observe(time.perf_counter() - began)
