"""Limits on the size and duration of request bodies.

A body is read completely before Django sees the request: nothing of a refused one is stored, not
even in a temporary file. Django renders the refusal, like any other page.
"""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from typing import Any, Final, NamedTuple

from asgiref.sync import iscoroutinefunction, sync_to_async
from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.urls import reverse
from django.utils.decorators import sync_and_async_middleware

from games.answers import by_script
from games.api import problems
from games.api.gate import PREFIX
from games.people.addresses import address_of
from games.sockets import metrics

Scope = dict[str, Any]
Message = Mapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[dict[str, Any]], Awaitable[None]]

#: Timeouts in seconds: without receiving a byte, and for a whole body.
IDLE: Final = 10.0
WHOLE: Final = 60.0
#: Files read at the same time in one process; each may take `FILE_LIMIT` of memory.
FILES_AT_ONCE: Final = 32
#: Of these from one address, or a few slow connections would lock everybody else out.
FILES_OF_ADDRESS: Final = 4
#: How much of a refused body is still read, in bytes and seconds: if the connection is closed
#: while data is in flight, the browser may lose the answer (RFC 9112, 9.6).
LINGER_BYTES: Final = 512 * 1024
LINGER: Final = 1.0
#: Error codes for the API, and headings for pages.
CODES: Final = {408: "too slow", 413: "too large", 503: "busy"}
HEADINGS: Final = {408: "That took too long", 413: "That is too large", 503: "One moment, please"}
#: The key of the `RefusedBody` in the ASGI scope.
REFUSED: Final = "refused_body"


class RefusedBody(NamedTuple):
    """A refused body: the HTTP status, and the number of bytes allowed."""

    status: int
    most: int

    @property
    def words(self) -> str:
        if self.status == 413:
            size = f"{self.most // 1024} KiB" if self.most < 1024**2 else f"{self.most >> 20} MiB"
            return f"At most {size} can be sent here at once. Nothing was saved."
        if self.status == 408:
            return "It took too long to arrive, and nothing was saved. Send it again."
        return "Many files are arriving just now. Nothing was saved; try again in a minute."


class BodyLimit:
    """ASGI middleware that reads request bodies within the limits for their paths.

    app: receives the request with its whole body. pages: Django, which answers refused ones.
    idle, whole: timeouts, see `IDLE` and `WHOLE`.
    """

    def __init__(self, app: Any, pages: Any, *, idle: float = IDLE, whole: float = WHOLE) -> None:
        self.app, self.pages = app, pages
        self.idle, self.whole = idle, whole
        self.file_paths = {reverse("replay_file")}
        self.files: Counter[str] = Counter()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = dict(scope["headers"])
        has_body = b"content-length" in headers or b"transfer-encoding" in headers
        if not has_body and scope["method"] in {"GET", "HEAD"}:
            await self.app(scope, receive, send)
        elif scope["path"] not in self.file_paths:
            await self._within(settings.BODY_LIMIT, scope, receive, send)
        else:
            await self._file(scope, receive, send)

    async def _file(self, scope: Scope, receive: Receive, send: Send) -> None:
        forwarded = dict(scope["headers"]).get(b"x-forwarded-for", b"").decode("latin-1")
        peer, *_port = scope.get("client") or [""]
        sender = address_of(forwarded, peer)
        if self.files.total() >= FILES_AT_ONCE or self.files[sender] >= FILES_OF_ADDRESS:
            await self._refuse(503, scope, receive, send)
            return
        self.files[sender] += 1
        try:
            await self._within(settings.FILE_LIMIT, scope, receive, send)
        finally:
            self.files[sender] -= 1
            self.files += Counter()  # drops zero counts

    async def _within(self, most: int, scope: Scope, receive: Receive, send: Send) -> None:
        length = dict(scope["headers"]).get(b"content-length", b"")
        if length.isdigit() and int(length[:20]) > most:
            await self._refuse(413, scope, receive, send, most)
            return
        try:
            body = await self._read(most, receive)
        except TimeoutError:
            await self._refuse(408, scope, receive, send)
            return
        except ConnectionResetError:
            return  # the client has disconnected
        if body is None:
            await self._refuse(413, scope, receive, send, most)
        else:
            await self.app(scope, _given(body, receive), send)

    async def _read(self, most: int, receive: Receive) -> bytes | None:
        body = bytearray()
        async with asyncio.timeout(self.whole):
            more = True
            while more:
                async with asyncio.timeout(self.idle):
                    message = await receive()
                if message["type"] == "http.disconnect":
                    raise ConnectionResetError
                body += message.get("body", b"")
                if len(body) > most:
                    return None
                more = message.get("more_body", False)
        return bytes(body)

    async def _refuse(
        self, status: int, scope: Scope, receive: Receive, send: Send, most: int = 0
    ) -> None:
        """Let Django answer, read what is in flight, and close the connection."""
        metrics.refuse("body")
        last: dict[str, Any] | None = None

        async def hold_last(message: dict[str, Any]) -> None:
            nonlocal last
            if message["type"] == "http.response.start":
                close = (b"connection", b"close")
                message = {**message, "headers": [*message["headers"], close]}
            elif not message.get("more_body", False):
                last = {**message, "body": b""}
                message = {**message, "more_body": True}
            await send(message)

        refused = {**scope, REFUSED: RefusedBody(status, most)}
        await self.pages(refused, _given(b"", _never), hold_last)
        if last is not None:
            if status != 408:
                await _linger(receive)
            await send(last)


def _given(body: bytes, then: Receive) -> Receive:
    first: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def receive() -> Message:
        return first.pop() if first else await then()

    return receive


async def _never() -> Message:
    nothing: asyncio.Future[Message] = asyncio.get_running_loop().create_future()
    return await nothing


async def _linger(receive: Receive) -> None:
    left, more = LINGER_BYTES, True
    with suppress(TimeoutError):
        async with asyncio.timeout(LINGER):
            while more and left > 0:
                message = await receive()
                left -= len(message.get("body", b""))
                more = message.get("more_body", False)


@sync_and_async_middleware
def answer_refused_bodies(get_response: Callable[[HttpRequest], Any]) -> Any:
    """Answer requests whose body `BodyLimit` has refused; a Django middleware."""

    def answer(request: HttpRequest) -> HttpResponseBase:
        refusal = _refusal(request)
        return _answer(request, refusal) if refusal else get_response(request)

    async def aanswer(request: HttpRequest) -> HttpResponseBase:
        refusal = _refusal(request)
        if refusal is None:
            answered: HttpResponseBase = await get_response(request)
            return answered
        return await sync_to_async(_answer)(request, refusal)

    return aanswer if iscoroutinefunction(get_response) else answer


def _refusal(request: HttpRequest) -> RefusedBody | None:
    scope: Scope = getattr(request, "scope", {})
    return scope.get(REFUSED)


def _answer(request: HttpRequest, refusal: RefusedBody) -> HttpResponse:
    status, words = refusal.status, refusal.words
    if request.path_info.startswith(PREFIX):
        response: HttpResponse = problems.answer(status, CODES[status], words)
    elif by_script(request):
        response = HttpResponse(words, status=status, content_type="text/plain")
    else:
        context = {"code": status, "heading": HEADINGS[status], "words": words}
        response = render(request, "site/refused_body.html", context, status=status)
    response["Content-Length"] = str(len(response.content))
    if status == 503:
        response["Retry-After"] = "60"
    return response
