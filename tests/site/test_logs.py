"""Logs tell what happened, never what somebody holds or wrote."""

import json
import logging
import re
from collections.abc import Iterator
from io import StringIO
from logging.config import dictConfig
from typing import Any

import pytest
import structlog
from django.conf import settings
from django.db import OperationalError
from django.test import Client
from django.urls import get_resolver

from euchre_site.logs import without_private_values


def test_private_values_become_their_type() -> None:
    event: dict[str, Any] = {
        "event": "played",
        "table": 7,
        "card": "JH",
        "hands": [1],
    }
    assert without_private_values(None, "info", event) == {
        "event": "played", "table": 7, "card": "<str>", "hands": "<list>"
    }  # fmt: skip


@pytest.fixture
def lines() -> Iterator[StringIO]:
    """What the site's own logging writes, as JSON."""
    written = StringIO()
    logging_settings: dict[str, Any] = settings.LOGGING
    formatter = logging_settings["formatters"]["line"] | {
        "processors": [
            structlog.stdlib.ProcessorFormatter.remove_processors_meta,
            structlog.processors.format_exc_info,
            structlog.processors.JSONRenderer(),
        ]
    }
    handler = logging_settings["handlers"]["stderr"] | {"stream": written}
    config = logging_settings | {"formatters": {"line": formatter}, "handlers": {"stderr": handler}}
    dictConfig(config)
    yield written
    dictConfig(logging_settings)


def test_our_events_are_one_line_each_without_cards(lines: StringIO) -> None:
    structlog.get_logger("games.test").info("played", table=7, card="JH")
    (line,) = told(lines)
    assert (line["event"], line["table"], line["card"]) == ("played", 7, "<str>")
    assert {"level", "logger", "timestamp"} <= line.keys()


def test_a_trace_shows_no_local_variables(lines: StringIO) -> None:
    def fail(hand: str) -> None:
        del hand
        raise ValueError("broken")

    try:
        fail("jack-of-hearts-and-more")
    except ValueError:
        logging.getLogger("django.request").exception("failed")
    assert "ValueError: broken" in lines.getvalue()
    assert lines.getvalue().count("jack-of-hearts-and-more") <= 1  # the source line of the call


def told(lines: StringIO) -> list[dict[str, Any]]:
    """The lines written so far."""
    return [json.loads(line) for line in lines.getvalue().splitlines()]


def fail(error: Exception, **told_with: object) -> None:
    """Log an error as a table does whose action could not be stored."""
    try:
        raise error
    except type(error):
        structlog.get_logger("games.test").exception("action not stored", **told_with)


def test_a_cause_is_told_once_and_then_with_how_often(
    lines: StringIO, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = [100.0]
    monkeypatch.setattr("euchre_site.logs.time.monotonic", lambda: clock[0])
    for table in range(172):
        fail(OperationalError("database or disk is full\nmore"), table=table)
    fail(OperationalError("connection refused"), table=1)
    first, other = told(lines)
    assert first["reason"] == "OperationalError: database or disk is full"
    assert other["reason"] == "OperationalError: connection refused"
    assert "exception" not in first
    clock[0] += 60
    fail(OperationalError("database or disk is full"), table=5)
    assert told(lines)[2]["again"] == 171


def test_a_fault_of_the_program_is_told_each_time_with_its_trace(lines: StringIO) -> None:
    fail(ValueError("broken"))
    fail(ValueError("broken"))
    assert ["ValueError: broken" in line["exception"] for line in told(lines)] == [True, True]


def test_a_reason_without_an_error_counts_as_a_cause(lines: StringIO) -> None:
    for port in (50123, 50124):
        structlog.get_logger("games.sockets.news").warning(
            "news not heard", reason=f"refused by {port}"
        )
    logging.getLogger("psycopg.pool").warning("error connecting in %r", "pool-1")
    logging.getLogger("psycopg.pool").warning("error connecting in %r", "pool-2")
    assert [line["logger"] for line in told(lines)] == ["games.sockets.news", "psycopg.pool"]


def test_a_refused_request_has_no_trace(lines: StringIO) -> None:
    Client(headers={"Host": "elsewhere.example"}).get("/")
    (line,) = told(lines)
    assert "exception" not in line
    assert "elsewhere.example" in line["event"]


SECRET = "s3cr3t-word"


def secret_paths() -> Iterator[str]:
    """An address for every route that takes a secret word."""
    for route in routes(get_resolver().url_patterns):
        if re.search(r"token\b|key\b", re.sub(r"<int:\w+>", "", route)):
            filled = re.sub(r"<int:\w+>", "7", route)
            filled = re.sub(r"<slug:slug>", "mill", filled)
            filled = re.sub(r"\(\?P<uidb36>[^)]*\)", "1x", filled)
            filled = re.sub(r"<\w+:(?:token|key)>|\(\?P<key>[^)]*\)", SECRET, filled)
            yield filled.replace("^", "").replace("$", "")


def routes(patterns: Any, before: str = "/") -> Iterator[str]:
    for one in patterns:
        route = before + str(one.pattern)
        yield from routes(one.url_patterns, route) if hasattr(one, "url_patterns") else [route]


def test_no_secret_word_of_a_path_is_logged(lines: StringIO) -> None:
    paths = [path for path in secret_paths() if SECRET in path]
    assert len(paths) == 5
    for path in paths:
        logging.getLogger("django.request").warning("Not Found: %s", path)
        structlog.get_logger("games.test").info("refused", path=f"https://here{path}?x=1")
    assert SECRET not in lines.getvalue()
    assert "/tables/7/join/***/" in lines.getvalue()


@pytest.mark.django_db
def test_nor_when_it_is_refused(lines: StringIO) -> None:
    assert Client().get(f"/tables/7/join/{SECRET}/").status_code == 404
    assert Client().get(f"/calendar/{SECRET}.ics").status_code == 404
    assert lines.getvalue().count("Not Found") == 2
    assert SECRET not in lines.getvalue()


def test_what_a_browser_sends_wrongly_leaves_no_trace_of_ours(lines: StringIO) -> None:
    try:
        b"\xff".decode()
    except UnicodeDecodeError:
        logging.getLogger("uvicorn.error").exception("Invalid UTF-8 sequence received from client.")
    (line,) = lines.getvalue().splitlines()
    assert "exception" not in json.loads(line)
