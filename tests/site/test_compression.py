"""Pages are compressed unless they contain a secret or the visitor's input."""

import gzip
from typing import Any

import pytest
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.test import RequestFactory

from euchre_site.guards.compression import compressed
from games.answers import say_no_secret
from tests.factories import cast, logged_in, player, table

TEXT = "all the same " * 200


def answer(method: str = "GET", path: str = "/", **headers: str) -> HttpResponse:
    """Return a page as a browser that accepts gzip gets it."""
    request: HttpRequest = RequestFactory().generic(
        method, path, headers={"Accept-Encoding": "gzip, br"}
    )
    response = HttpResponse(TEXT, headers=headers)
    assert compressed(request, response) is response
    return response


def test_a_page_is_compressed() -> None:
    page = answer(ETag='"one"')
    assert gzip.decompress(page.content).decode() == TEXT
    assert page.headers["Content-Length"] == str(len(page.content))
    assert (page.headers["Vary"], page.headers["ETag"]) == ("Accept-Encoding", 'W/"one"')


def test_the_compressed_length_varies() -> None:
    assert len({len(answer().content) for _time in range(30)}) > 1


@pytest.mark.parametrize(
    ("method", "path", "headers"),
    [
        ("POST", "/", {}),
        ("GET", "/?q=all", {}),
        ("GET", "/", {"Cache-Control": "max-age=0, no-store, private"}),
        ("GET", "/", {"Content-Type": "application/json"}),
        ("GET", "/", {"Content-Encoding": "br"}),
    ],
)
def test_other_answers_are_not_compressed(method: str, path: str, headers: dict[str, str]) -> None:
    assert answer(method, path, **headers).content.decode() == TEXT


def test_a_page_with_a_session_is_not_compressed(settings: Any) -> None:
    request = RequestFactory().get("/", headers={"Accept-Encoding": "gzip"})
    request.COOKIES[settings.SESSION_COOKIE_NAME] = "mine"
    page = HttpResponse(TEXT)
    compressed(request, page)
    assert page.content.decode() == TEXT
    say_no_secret(page)
    compressed(request, page)
    assert gzip.decompress(page.content).decode() == TEXT


def test_streams_and_other_clients_are_not_compressed() -> None:
    plain = compressed(RequestFactory().get("/"), HttpResponse(TEXT))
    assert isinstance(plain, HttpResponse)
    assert (plain.content.decode(), plain.headers["Vary"]) == (TEXT, "Accept-Encoding")
    stream: Any = StreamingHttpResponse([TEXT])
    request = RequestFactory().get("/", headers={"Accept-Encoding": "gzip"})
    assert compressed(request, stream) is stream
    assert "Vary" not in stream.headers


@pytest.mark.django_db
def test_hands_are_not_compressed_but_spectators_pages_are() -> None:
    at = table(*cast())
    gzip_please = {"Accept-Encoding": "gzip"}
    own = logged_in(at.host).get(f"/tables/{at.pk}/", headers=gzip_please)
    assert "Content-Encoding" not in own
    watched = logged_in(player("Otto")).get(f"/tables/{at.pk}/", headers=gzip_please)
    assert watched.headers["Content-Encoding"] == "gzip"
    assert {"no-cache", "private"} == set(watched.headers["Cache-Control"].split(", "))
