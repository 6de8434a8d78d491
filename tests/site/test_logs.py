"""Logs never contain cards, or texts and names of people."""

import ast
import json
import logging
import re
from collections.abc import Iterator
from io import StringIO
from logging.config import dictConfig
from pathlib import Path
from typing import Any

import httpx
import pytest
import structlog
from django.conf import settings
from django.db import IntegrityError, OperationalError
from django.test import Client
from django.urls import get_resolver

from euchre_site.logs import LOGGED, only_known_keys, trace_of

ROOT = Path(__file__).parents[2]
LEVELS = {"debug", "info", "warning", "error", "exception", "critical"}
#: What people hold, write and are called, by the names that the code has for it.
PRIVATE = {
    "action", "body", "card", "cards", "code", "email", "frame", "hand", "hands", "html", "key",
    "message", "name", "password", "secret", "text", "token", "url",
}  # fmt: skip


def test_values_of_unknown_keys_become_types() -> None:
    event: dict[str, Any] = {
        "event": "played",
        "table": 7,
        "card": "JH",
        "hands": [1],
        "not_thought_of": "JH",
        "_record": "structlog's own",
    }
    assert only_known_keys(None, "info", event) == {
        "event": "played", "table": 7, "card": "<str>", "hands": "<list>",
        "not_thought_of": "<str>", "_record": "structlog's own",
    }  # fmt: skip


def test_no_private_key_is_logged() -> None:
    assert PRIVATE.isdisjoint(LOGGED)


def test_every_key_in_the_code_is_logged() -> None:
    assert {key: where for key, where in logged_keys() if key not in LOGGED} == {}


def logged_keys() -> Iterator[tuple[str, str]]:
    """Return every key in calls of the log, and the file."""
    for folder in ("euchre_site", "games", "tournaments"):
        for path in (ROOT / folder).rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.Call) and _logs(node.func):
                    for keyword in node.keywords:
                        yield str(keyword.arg), f"{path.relative_to(ROOT)}:{node.lineno}"


def _logs(function: ast.expr) -> bool:
    match function:
        case ast.Attribute(ast.Name("log"), level):
            return level in LEVELS
        case ast.Name(name):
            return name == "failing_alone"
    return False


def test_reasons_are_shortened_without_values() -> None:
    said = "duplicate key\nDETAIL: Key (email)=(maeve@example.org) already exists."
    event = only_known_keys(None, "error", {"event": "failed", "reason": said})
    assert event["reason"] == "duplicate key"
    assert len(only_known_keys(None, "error", {"reason": "x" * 9000})["reason"]) == 300


@pytest.fixture
def lines() -> Iterator[StringIO]:
    """The output of the site's own logging, as JSON."""
    written = StringIO()
    logging_settings: dict[str, Any] = settings.LOGGING
    formatter = logging_settings["formatters"]["line"] | {
        "processors": [
            structlog.stdlib.ProcessorFormatter.remove_processors_meta,
            structlog.processors.ExceptionRenderer(trace_of),
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


def test_a_traceback_shows_no_values(lines: StringIO) -> None:
    def fail(hand: str) -> None:
        raise ValueError(hand)

    try:
        fail("jack-of-hearts-and-more")
    except ValueError:
        logging.getLogger("django.request").exception("failed")
    (line,) = told(lines)
    trace = line["exception"]
    assert trace.startswith("Traceback (most recent call last):\n  File ")
    assert trace.endswith("\nValueError")
    assert lines.getvalue().count("jack-of-hearts-and-more") <= 1  # the source line of the call


def test_a_traceback_shows_error_and_cause(lines: StringIO) -> None:
    row = IntegrityError("duplicate key\nDETAIL: Key (email)=(maeve@example.com) exists.")
    try:
        try:
            raise row
        except IntegrityError as error:
            raise ExceptionGroup("Of JH", [AttributeError("no “pk”"), KeyError("JH")]) from error
    except ExceptionGroup:
        logging.getLogger("django.request").exception("failed")
    (line,) = told(lines)
    for words in (
        "django.db.utils.IntegrityError: duplicate key\n", "\nIt caused this one:\n",
        "\nExceptionGroup\n", "  | AttributeError: no “pk”", "  | KeyError",
    ):  # fmt: skip
        assert words in f"{line['exception']}\n"
    assert "maeve" not in line["exception"]
    assert not re.search(r"KeyError:|Group:", line["exception"])


def test_a_line_without_an_error_has_no_traceback(lines: StringIO) -> None:
    logging.getLogger("django.request").error("odd", exc_info=True)  # noqa: LOG014 - as libraries do
    (line,) = told(lines)
    assert (line["event"], line.get("exception", "")) == ("odd", "")


def told(lines: StringIO) -> list[dict[str, Any]]:
    """Return the lines written so far."""
    return [json.loads(line) for line in lines.getvalue().splitlines()]


def fail(error: Exception, **told_with: object) -> None:
    """Log an error as a table does if an action cannot be stored."""
    try:
        raise error
    except type(error):
        structlog.get_logger("games.test").exception("action not stored", **told_with)


def test_a_cause_is_logged_once_and_then_counted(
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


def test_program_errors_are_logged_with_tracebacks(
    lines: StringIO, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = [100.0]
    monkeypatch.setattr("euchre_site.logs.time.monotonic", lambda: clock[0])
    for _second in range(60):
        fail(ValueError("broken"), table=1)
        clock[0] += 1
    fail(ValueError("broken"), table=2)
    fail(LookupError("broken"), table=1)
    fail(ValueError("broken"), table=1)
    seen = told(lines)
    assert [line["table"] for line in seen] == [1, 2, 1, 1]
    assert all(line["exception"].endswith("Error") for line in seen)
    assert seen[-1]["again"] == 59


def test_a_repeatedly_failing_task_is_one_cause(lines: StringIO) -> None:
    for number in range(5):
        try:
            raise ValueError("broken")
        except ValueError:
            uuid = f"0b0e52a6-68a3-4ed1-9b4c-00000000000{number}"
            logging.getLogger("celery.app.trace").exception("Task %s[%s] raised", "sweep", uuid)
    assert len(told(lines)) == 1


def test_library_lines_contain_no_error_messages(lines: StringIO) -> None:
    given = {
        "name": "sweep", "id": "7", "description": "raised unexpected",
        "exc": "ValueError('jack-of-hearts')", "traceback": "jack-of-hearts", "args": "('AC',)",
    }  # fmt: skip
    error = ValueError("jack-of-hearts")
    celery, of_tasks = logging.getLogger("celery.app.trace"), "Task %(name)s[%(id)s] %(exc)s"
    celery.error(of_tasks, given, exc_info=error)
    celery.error("%(traceback)s of %(args)s", given)
    lost = f"Task exception was never retrieved\nfuture: <Task {error!r}>"
    logging.getLogger("asyncio").error(lost, exc_info=error)
    logging.getLogger("celery.worker.request").error("Handler raised: %r, %s", error, error)
    logging.getLogger("library").error("Failed: %s", str(error), exc_info=error)
    assert [line["event"] for line in told(lines)] == [
        "Task sweep[7] ValueError", "… of …", "Task exception was never retrieved",
        "Handler raised: ValueError, ValueError", "Failed: ValueError",
    ]  # fmt: skip
    assert "jack-of-hearts" not in lines.getvalue()


def test_an_unavailable_broker_is_logged_in_one_line(lines: StringIO) -> None:
    for task in ("sweep", "events", "rate"):
        try:
            raise LookupError(f"Couldn't apply scheduled task {task}: connection refused")
        except LookupError as error:
            stack = ["File one", "File two"]
            logging.getLogger("celery.beat").exception("Message Error: %s\n%s", error, stack)
    (line,) = told(lines)
    assert line["event"] == "Message Error: Couldn't apply scheduled task sweep: connection refused"
    assert "exception" not in line


def test_info_lines_have_causes_too(lines: StringIO) -> None:
    for place in range(4000):  # a network that goes away with everybody who plays
        structlog.get_logger("games.sockets.watching").info(
            "picture not delivered", place=place, reason="ClientDisconnected"
        )
    structlog.get_logger("games.test").info("metrics told", port=1)
    structlog.get_logger("games.test").info("metrics told", port=2)
    assert len(told(lines)) == 3


def test_a_refused_address_is_logged_once(lines: StringIO) -> None:
    for path in ("/wp-login.php", "/wp-login.php", "/.env"):
        Client().get(path, headers={"Host": "elsewhere.example"})
    assert len(told(lines)) == 1


def test_unknown_hosts_are_one_warning_a_minute(
    lines: StringIO, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = [1000.0]
    monkeypatch.setattr("euchre_site.logs.time.monotonic", lambda: clock[0])
    for number in range(20):
        Client().get(f"/{number}", headers={"Host": f"host{number}.example"})
    clock[0] += 61
    Client().get("/", headers={"Host": "last.example"})
    first, second = told(lines)
    assert [first["level"], second["level"]] == ["warning", "warning"]
    assert "host0.example" in first["event"]
    assert "last.example" in second["event"]
    assert "again: 19" in second["event"]


def test_a_reason_without_an_error_counts_as_a_cause(lines: StringIO) -> None:
    for port in (50123, 50124):
        structlog.get_logger("games.sockets.news").warning(
            "Redis subscription failed", reason=f"refused by {port}"
        )
    logging.getLogger("psycopg.pool").warning("error connecting in %r", "pool-1")
    logging.getLogger("psycopg.pool").warning("error connecting in %r", "pool-2")
    assert [line["logger"] for line in told(lines)] == ["games.sockets.news", "psycopg.pool"]


def test_a_refused_request_has_no_traceback(lines: StringIO) -> None:
    Client(headers={"Host": "elsewhere.example"}).get("/")
    (line,) = told(lines)
    assert "exception" not in line
    assert "elsewhere.example" in line["event"]


SECRET = "s3cr3t-word"


def secret_paths() -> Iterator[str]:
    """Return a path for every route with a secret."""
    for route in routes(get_resolver().url_patterns):
        if re.search(r"(token|key|code)\b", re.sub(r"<num:\w+>", "", route)):
            filled = re.sub(r"<num:\w+>", "7", route)
            filled = re.sub(r"<slug:slug>", "mill", filled)
            filled = re.sub(r"\(\?P<uidb36>[^)]*\)", "1x", filled)
            filled = re.sub(
                r"<\w+:(?:token|key|code|table_code)>|\(\?P<key>[^)]*\)", SECRET, filled
            )
            yield filled.replace("^", "").replace("$", "")


def routes(patterns: Any, before: str = "/") -> Iterator[str]:
    for one in patterns:
        route = before + str(one.pattern)
        yield from routes(one.url_patterns, route) if hasattr(one, "url_patterns") else [route]


def test_secrets_in_paths_are_not_logged(lines: StringIO) -> None:
    paths = {path for path in secret_paths() if SECRET in path}
    assert len(paths) == 15
    for path in paths:
        logging.getLogger("django.request").warning("Not Found: %s", path)
        structlog.get_logger("games.test").info("refused", path=f"https://here{path}?x=1")
    assert SECRET not in lines.getvalue()
    assert "/tables/7/join/***/" in lines.getvalue()


@pytest.mark.django_db
def test_secrets_in_refused_paths_are_not_logged(lines: StringIO) -> None:
    assert Client().get(f"/tables/7/join/{SECRET}/").status_code == 404
    assert Client().get(f"/calendar/{SECRET}.ics").status_code == 404
    assert lines.getvalue().count("Not Found") == 2
    assert SECRET not in lines.getvalue()


def test_addresses_of_webhooks_are_not_logged(lines: StringIO) -> None:
    answering = httpx.MockTransport(lambda _request: httpx.Response(204))
    with httpx.Client(transport=answering) as sender:
        sender.post(f"https://example.org/{SECRET}")
    log = logging.getLogger("django.request")
    for place in ("discord.com/api/webhooks/123", "hooks.slack.com/services/T1/B2"):
        log.warning("Not posted: https://%s/%s", place, SECRET)
    assert SECRET not in lines.getvalue()
    assert "https://discord.com/api/webhooks/***" in lines.getvalue()


def test_invalid_socket_messages_have_no_traceback(lines: StringIO) -> None:
    try:
        b"\xff".decode()
    except UnicodeDecodeError:
        logging.getLogger("uvicorn.error").exception("Invalid UTF-8 sequence received from client.")
    (line,) = lines.getvalue().splitlines()
    assert "exception" not in json.loads(line)
