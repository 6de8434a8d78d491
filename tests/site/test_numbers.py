"""Numbers that no column of the database holds: of every address of pages, API and sockets."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.urls import URLResolver, get_resolver
from django.urls.converters import IntConverter

from games import routing as games
from games.numbers import MAX_BIGINT, parse_number
from tests.api.asking import ask
from tournaments import routing as tournaments

#: Addresses of libraries, which look their numbers up as primary keys.
OF_LIBRARIES = ("accounts/", "admin/")


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("0", 0),
        ("007", 7),
        (str(MAX_BIGINT), MAX_BIGINT),
        (str(MAX_BIGINT + 1), None),
        ("9" * 5000, None),
        ("", None),
        ("-1", None),
        ("1e3", None),
        ("٣", None),
        ("²", None),
    ],
)
def test_a_number_is_parsed_if_a_column_can_hold_it(text: str, number: int | None) -> None:
    assert parse_number(text) == number


def converters(patterns: Any, before: str = "") -> Iterator[tuple[str, object]]:
    for entry in patterns:
        route = f"{before}{entry.pattern}"
        if isinstance(entry, URLResolver):
            yield from converters(entry.url_patterns, route)
        else:
            yield from ((route, one) for one in entry.pattern.converters.values())


def test_no_address_takes_a_number_of_any_size() -> None:
    sockets = [*games.websocket_urlpatterns, *tournaments.websocket_urlpatterns]
    found = [*converters(get_resolver().url_patterns), *converters(sockets)]
    unbounded = {route for route, one in found if isinstance(one, IntConverter)}
    assert {route for route in unbounded if not route.startswith(OF_LIBRARIES)} == set()


@pytest.mark.django_db
def test_the_api_has_nothing_at_a_number_that_no_column_holds() -> None:
    for path in (
        "/tables/{}",
        "/events/{}/entries",
        "/players/{}/record",
        "/clubs/mill/seasons/{}",
    ):
        answer = ask(path.format(MAX_BIGINT + 1))
        assert answer.status_code == 404, path
        assert answer.headers["Content-Type"] == "application/problem+json"


def test_a_socket_of_a_number_that_no_column_holds_is_not_routed() -> None:
    table, event = games.websocket_urlpatterns[0], tournaments.websocket_urlpatterns[0]
    for number, routed in ((MAX_BIGINT, True), (MAX_BIGINT + 1, False)):
        assert (table.pattern.match(f"ws/tables/{number}/") is not None) is routed
        assert (event.pattern.match(f"ws/events/{number}/") is not None) is routed
