"""Filtering of log lines: only safe values, and repeated causes only once a minute."""

import logging
import re
import sys
import time
import traceback
from collections.abc import Iterator, Mapping, MutableMapping
from textwrap import indent
from typing import Any, Final

#: Seconds for which a repeated cause is counted instead of logged.
WINDOW: Final = 60.0
#: Maximum number of remembered causes.
MAX_LOGGED: Final = 500
#: Loggers that report every retry.
RETRYING: Final = ("psycopg.pool", "celery.beat", "celery.worker", "kombu")
#: Those of them that only report errors of servers.
SERVER_LOGGERS: Final = ("psycopg.pool", "celery.beat", "kombu")
#: Django's logger of requests whose host is not in ALLOWED_HOSTS.
UNKNOWN_HOST: Final = "django.security.DisallowedHost"
#: Fields of Celery's messages about tasks that may contain cards or texts of people.
TASK_VALUES: Final = frozenset({"args", "exc", "kwargs", "return_value", "traceback"})

#: The keys whose values may be logged: the line's form, what happened, primary keys of rows, and
#: the network addresses of people who log in. Never cards, texts or names of people; of any other
#: key only the value's type is logged.
LOGGED: Final = frozenset(
    {
        "event", "level", "logger", "timestamp", "again", "reason",
        "exc_info", "exception", "stack", "stack_info", "positional_args",
        "account", "act", "address", "answer", "attempts", "ban", "began", "by", "club", "daily",
        "daily_try", "device", "error", "event_id", "exit_code", "game", "game_id", "host", "kind",
        "letter", "match", "matches", "matter", "of_event", "part", "place", "player", "pool",
        "port", "quick_games", "seconds", "state", "step", "steps", "table", "tables", "takeaway",
        "tries", "webhook", "what", "why",
    }
)  # fmt: skip
#: Keys whose values may be the message of an error.
REASONS: Final = frozenset({"error", "reason"})
#: Maximum length of a reason; only its first line is logged, as others may contain values.
REASON_LENGTH: Final = 300
#: Errors whose messages are about the code, never about values.
CODE_ERRORS: Final = (AttributeError, ImportError, NameError, RecursionError, TypeError)
#: Keys that may differ between two lines about the same error.
VARYING_KEYS: Final = frozenset({"exc_info", "timestamp"})
#: Texts that differ in each line about the same error: UUIDs and addresses in memory.
VARYING_TEXT: Final = re.compile(r"\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b|\b0x[0-9a-f]+\b")


#: Secrets in paths: of invitations, calendars, screens, score cards, walk-ins, check-in codes, and
#: links in mails that confirm an address, set a password or stop mails; and all that follows in the
#: addresses of webhooks at Discord and Slack, which let anybody post there.
SECRET_PARTS: Final = re.compile(
    r"(/t/|/claim/|/here/|/join/|/screen/|/invited/|/calendar/|/confirm-email/|/unsubscribe/"
    r"|/password/reset/key/)"
    r"[^/\s\"'?#]+"
    r"|(/api/webhooks/|/services/)[^\s\"'?#]+"
)


def without_secret_paths(
    _logger: Any, _method: str, event: MutableMapping[str, Any]
) -> MutableMapping[str, Any]:
    """Remove the secrets of paths from all texts; a structlog processor."""
    for key, value in event.items():
        if isinstance(value, str):
            event[key] = SECRET_PARTS.sub(r"\1\2***", value)
    return event


class WithoutTracesOfOthers(logging.Filter):
    """Logs invalid socket messages of clients as INFO, without a traceback."""

    def filter(self, record: logging.LogRecord) -> bool:
        if str(record.msg).startswith("Invalid UTF-8"):
            record.exc_info, record.levelno, record.levelname = None, logging.INFO, "INFO"
        return True


def only_known_keys(
    _logger: Any, _method: str, event: MutableMapping[str, Any]
) -> MutableMapping[str, Any]:
    """Replace values of keys not in `LOGGED` by their types, and shorten reasons.

    So no log leaks a hand or a message, whatever code logs in future. A structlog processor.
    """
    for key in event.keys() - LOGGED:
        if not key.startswith("_"):  # structlog's own, which it removes
            event[key] = f"<{type(event[key]).__name__}>"
    for key in REASONS & event.keys():
        if isinstance(event[key], str):
            event[key] = _first_line(event[key])
    return event


class Causes(logging.Filter):
    """Logs the same cause at most once a minute, with the number of repetitions.

    A cause is an unavailable server, a full disk, or the `reason` of a line. These are logged
    without a traceback, which would say nothing, and so are refused requests (4xx). Any other error
    is identified by its line and where it was raised, and logged with its traceback.
    """

    def __init__(self, name: str = "") -> None:
        super().__init__(name)
        self._logged: dict[tuple[str, ...], tuple[float, int]] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        if 400 <= getattr(record, "status_code", 0) < 500:
            record.exc_info = None
        if record.name == UNKNOWN_HOST:  # anybody can send one; nothing is wrong
            record.levelno, record.levelname = logging.WARNING, "WARNING"
        if isinstance(record.msg, str) and not record.name.startswith(SERVER_LOGGERS):
            _remove_values(record)
        cause = _cause_of(record)
        if cause is None:
            return True
        now = time.monotonic()
        since, more = self._logged.get(cause, (-WINDOW, 0))
        if now - since < WINDOW:
            self._logged[cause] = (since, more + 1)
            return False
        if len(self._logged) >= MAX_LOGGED:
            self._logged.clear()
        self._logged[cause] = (now, 0)
        if more:
            _add(record, "again", more)
        return True


def _remove_values(record: logging.LogRecord) -> None:
    """Replace error messages by the error's class, and the values of tasks, in a library's line.

    Only the first line is kept: asyncio describes tasks with their arguments in further lines.
    """
    error = _error_of(record)
    kind = type(error).__name__ if error is not None else "…"
    if isinstance(record.args, Mapping):
        record.args = {
            key: kind if key in TASK_VALUES else value for key, value in record.args.items()
        }
    elif record.args:
        record.args = tuple(
            _Unquoted(type(one).__name__) if isinstance(one, BaseException) else one
            for one in record.args
        )
    if error is not None:
        said = text = record.getMessage()
        for words in filter(None, (repr(error), str(error))):
            text = text.replace(words, kind)
        if _first_line(text) != said:
            record.msg, record.args = _first_line(text), ()


class _Unquoted(str):
    """A string whose repr has no quotation marks."""

    __slots__ = ()
    __repr__ = str.__str__


def _cause_of(record: logging.LogRecord) -> tuple[str, ...] | None:
    """Return what identifies the cause of a line; None if each such line is logged."""
    said = record.msg if isinstance(record.msg, dict) else {}
    event = str(said.get("event") or record.msg)
    error = _error_of(record)
    if error is not None and _is_server_error(error):
        reason = f"{type(error).__name__}: {_first_line(str(error))}"
        record.exc_info = None
        if said:
            record.msg = {key: said[key] for key in said if key != "exc_info"}
        _add(record, "reason", reason)
    elif record.name.startswith(RETRYING):
        reason = ""
        if error is not None:
            record.msg, record.args, record.exc_info = _first_line(record.getMessage()), (), None
    elif error is not None:
        values = " ".join(f"{key}={said[key]}" for key in sorted(said.keys() - VARYING_KEYS))
        fault = f"{type(error).__name__} {_place_of(error)} {values or record.getMessage()}"
        return record.name, event, VARYING_TEXT.sub("", fault)
    elif record.name == UNKNOWN_HOST:
        return (record.name,)  # whatever the host
    elif 400 <= getattr(record, "status_code", 0) < 500:
        reason = record.getMessage()
    elif isinstance(said.get("reason"), str):
        reason = said["reason"]
    else:
        return None
    return record.name, event, re.sub(r"\d+", "", reason)


def _first_line(text: str) -> str:
    return (text.splitlines() or [""])[0][:REASON_LENGTH]


def _place_of(error: BaseException) -> str:
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    return f"{trace.tb_frame.f_code.co_filename}:{trace.tb_lineno}" if trace is not None else ""


def _error_of(record: logging.LogRecord) -> BaseException | None:
    info: Any = record.msg.get("exc_info") if isinstance(record.msg, dict) else record.exc_info
    if info is True:
        info = sys.exc_info()
    if isinstance(info, tuple):
        info = info[1]
    return info if isinstance(info, BaseException) else None


def _is_server_error(error: BaseException) -> bool:
    import psycopg
    from django.db import InterfaceError, OperationalError
    from kombu.exceptions import OperationalError as BrokerError
    from redis import RedisError

    server_errors = (
        OperationalError, InterfaceError, psycopg.OperationalError, RedisError, BrokerError,
        ConnectionError, TimeoutError,
    )  # fmt: skip
    return isinstance(error, server_errors) or type(error) is OSError


def _add(record: logging.LogRecord, key: str, value: object) -> None:
    if isinstance(record.msg, dict):
        record.msg = {**record.msg, key: value}
    else:
        record.msg, record.args = f"{record.getMessage()} ({key}: {value})", ()


# Traces -----------------------------------------------------------------------------------------


def trace_of(exc_info: Any) -> str:
    """Return a traceback without local variables and without most errors' messages.

    Messages may contain cards, addresses or texts of people. Those of the database are cut before
    the details, which contain the row.
    """
    error = exc_info[1]
    return "" if error is None else "\n".join(_trace_lines(error, set()))


def _trace_lines(error: BaseException, seen: set[int]) -> Iterator[str]:
    seen.add(id(error))
    before = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    if before is not None and id(before) not in seen:
        yield from _trace_lines(before, seen)
        how = "It caused this one:" if before is error.__cause__ else "While it was handled:"
        yield f"\n{how}\n"
    yield "Traceback (most recent call last):"
    yield "".join(traceback.format_tb(error.__traceback__)).rstrip("\n")
    kind = type(error)
    module = "" if kind.__module__ == "builtins" else f"{kind.__module__}."
    words = _words_of(error)
    yield f"{module}{kind.__qualname__}: {words}" if words else f"{module}{kind.__qualname__}"
    if isinstance(error, BaseExceptionGroup):
        for one in error.exceptions:
            yield indent("\n".join(_trace_lines(one, seen)), "  | ")


def _words_of(error: BaseException) -> str:
    from django.core.exceptions import ImproperlyConfigured
    from django.db import DatabaseError, DataError
    from django.template import TemplateDoesNotExist, TemplateSyntaxError
    from psycopg import Error as PostgresError

    safe = (
        *CODE_ERRORS, DatabaseError, ImproperlyConfigured, PostgresError, TemplateDoesNotExist,
        TemplateSyntaxError,
    )  # fmt: skip
    if isinstance(error, OSError):
        return error.strerror or ""  # without the file name
    if isinstance(error, safe) and not isinstance(error, DataError):
        return _first_line(str(error))
    return ""
