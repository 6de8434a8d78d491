"""Answers that go on: a line of JSON each time there is something to tell."""

from collections.abc import AsyncIterator
from typing import Final

from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase

MEDIA_TYPE: Final = "application/x-ndjson"
HEADERS: Final = {"Cache-Control": "no-store"}


def streamed(request: HttpRequest, lines: AsyncIterator[bytes]) -> HttpResponseBase:
    """Answer with lines as they come; a request for the head alone (HEAD) begins no stream."""
    if request.META["REQUEST_METHOD"] == "HEAD":
        return HttpResponse(content_type=MEDIA_TYPE, headers=HEADERS)
    return StreamingHttpResponse(lines, content_type=MEDIA_TYPE, headers=HEADERS)
