"""What may stand in a log line, and how often the same cause is told."""

import logging
import re
import sys
import time
import traceback
from collections.abc import Iterator, Mapping, MutableMapping
from textwrap import indent
from typing import Any, Final

#: Seconds for which the same cause is counted and not told again.
WINDOW: Final = 60.0
#: Causes that are remembered at most.
MOST: Final = 500
#: Loggers that tell again and again of what they wait for.
PATIENT: Final = ("psycopg.pool", "celery.beat", "celery.worker", "kombu")
#: Those of them whose errors are only ever of a server.
OF_SERVERS: Final = ("psycopg.pool", "celery.beat", "kombu")
#: Django's logger of requests that name a host which is not in ALLOWED_HOSTS.
UNKNOWN_HOST: Final = "django.security.DisallowedHost"
#: What Celery says of a task that may name what somebody holds or wrote.
OF_TASKS: Final = frozenset({"args", "exc", "kwargs", "return_value", "traceback"})

#: What a line may tell, by key: how it is written, what happened, numbers of rows, and the network
#: address of who comes in. Never what somebody holds, writes or is called; of a value under any
#: other key only the type is told.
LOGGED: Final = frozenset(
    {
        "event", "level", "logger", "timestamp", "again", "reason",
        "exc_info", "exception", "stack", "stack_info", "positional_args",
        "account", "act", "address", "answer", "attempts", "ban", "began", "by", "error",
        "event_id", "game", "game_id", "host", "kind", "letter", "match", "matches", "matter",
        "of_event", "part", "place", "player", "pool", "port", "seconds", "state", "steps",
        "table", "takeaway", "tries", "webhook", "what", "why",
    }
)  # fmt: skip
#: The keys of what may be an error's own words.
REASONS: Final = frozenset({"error", "reason"})
#: The most characters of a reason; what follows its first line may name values.
REASON_LENGTH: Final = 300
#: Errors whose words tell of the program, never of a value.
OF_CODE: Final = (AttributeError, ImportError, NameError, RecursionError, TypeError)
#: What two lines of one fault need not have in common.
UNLIKE: Final = frozenset({"exc_info", "timestamp"})
#: What is different in each line of one and the same fault.
PASSING: Final = re.compile(r"\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b|\b0x[0-9a-f]+\b")


#: Parts of paths that let whoever has them in, wherever they stand in what is logged: invitations,
#: calendars, and the keys that mails bring to confirm an address or to set a password.
SECRET_PARTS: Final = re.compile(
    r"(/join/|/calendar/|/confirm-email/|/password/reset/key/)[^/\s\"'?#]+"
)


def without_secret_paths(
    _logger: Any, _method: str, event: MutableMapping[str, Any]
) -> MutableMapping[str, Any]:
    """Leave the secret words of paths out, in the message and in every other text.

    A structlog processor, as `only_known_keys` is.
    """
    for key, value in event.items():
        if isinstance(value, str):
            event[key] = SECRET_PARTS.sub(r"\1***", value)
    return event


class WithoutTracesOfOthers(logging.Filter):
    """Keeps the server's word for what a browser sent wrongly, and leaves out where it was read."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Let every record through; one of a text that is none without its trace."""
        if str(record.msg).startswith("Invalid UTF-8"):
            record.exc_info, record.levelno, record.levelname = None, logging.INFO, "INFO"
        return True


def only_known_keys(
    _logger: Any, _method: str, event: MutableMapping[str, Any]
) -> MutableMapping[str, Any]:
    """Replace what stands under any other key than `LOGGED` by its type, and keep reasons short.

    So no log ever leaks a hand or a chat, whatever is logged one day. A structlog processor: takes
    the logger, the method's name and the event, returns the event.
    """
    for key in event.keys() - LOGGED:
        if not key.startswith("_"):  # structlog's own, which are taken out before it writes
            event[key] = f"<{type(event[key]).__name__}>"
    for key in REASONS & event.keys():
        if isinstance(event[key], str):
            event[key] = _first_line(event[key])
    return event


class Causes(logging.Filter):
    """Tells of a cause once, and then at most once a minute with how often it came meanwhile.

    A cause is a server that is away, a full disk, or what a line names as its `reason`. It needs
    no trace: where it was noticed says nothing. Nor does a request that was refused (4xx). Every
    other error is a cause of its own, by its line and the place where it was raised, and is told
    with its trace.
    """

    def __init__(self, name: str = "") -> None:
        super().__init__(name)
        self._told: dict[tuple[str, ...], tuple[float, int]] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether to write the line; what is wrong with a server replaces its trace."""
        if 400 <= getattr(record, "status_code", 0) < 500:
            record.exc_info = None
        if record.name == UNKNOWN_HOST:  # anybody can send one, and nothing is wrong here
            record.levelno, record.levelname = logging.WARNING, "WARNING"
        if isinstance(record.msg, str) and not record.name.startswith(OF_SERVERS):
            _leave_values_out(record)
        cause = _cause_of(record)
        if cause is None:
            return True
        now = time.monotonic()
        since, more = self._told.get(cause, (-WINDOW, 0))
        if now - since < WINDOW:
            self._told[cause] = (since, more + 1)
            return False
        if len(self._told) >= MOST:
            self._told.clear()
        self._told[cause] = (now, 0)
        if more:
            _add(record, "again", more)
        return True


def _leave_values_out(record: logging.LogRecord) -> None:
    """Put an error's name for its words in what a library says, and leave a task's values out.

    asyncio tells of a task or a callback in further lines, with what it was given.
    """
    error = _error_of(record)
    kind = type(error).__name__ if error is not None else "…"
    if isinstance(record.args, Mapping):
        record.args = {
            key: kind if key in OF_TASKS else value for key, value in record.args.items()
        }
    elif record.args:
        record.args = tuple(
            _Named(type(one).__name__) if isinstance(one, BaseException) else one
            for one in record.args
        )
    if error is not None:
        said = text = record.getMessage()
        for words in filter(None, (repr(error), str(error))):
            text = text.replace(words, kind)
        if _first_line(text) != said:
            record.msg, record.args = _first_line(text), ()


class _Named(str):
    """A word that is written without quotation marks, however it is asked for."""

    __slots__ = ()
    __repr__ = str.__str__


def _cause_of(record: logging.LogRecord) -> tuple[str, ...] | None:
    """What a line is the same as another one by; None if each stands for itself."""
    said = record.msg if isinstance(record.msg, dict) else {}
    event = str(said.get("event") or record.msg)
    error = _error_of(record)
    if error is not None and _is_of_a_server(error):
        reason = f"{type(error).__name__}: {_first_line(str(error))}"
        record.exc_info = None
        if said:
            record.msg = {key: said[key] for key in said if key != "exc_info"}
        _add(record, "reason", reason)
    elif record.name.startswith(PATIENT):
        reason = ""
        if error is not None:
            record.msg, record.args, record.exc_info = _first_line(record.getMessage()), (), None
    elif error is not None:
        told = " ".join(f"{key}={said[key]}" for key in sorted(said.keys() - UNLIKE))
        fault = f"{type(error).__name__} {_place_of(error)} {told or record.getMessage()}"
        return record.name, event, PASSING.sub("", fault)
    elif record.name == UNKNOWN_HOST:
        return (record.name,)  # whichever host it names
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
    """Where an error was raised."""
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


def _is_of_a_server(error: BaseException) -> bool:
    """Whether an error is that of a server that is away, or of a disk, and not the program's."""
    import psycopg
    from django.db import InterfaceError, OperationalError
    from kombu.exceptions import OperationalError as BrokerError
    from redis import RedisError

    of_servers = (
        OperationalError, InterfaceError, psycopg.OperationalError, RedisError, BrokerError,
        ConnectionError, TimeoutError,
    )  # fmt: skip
    return isinstance(error, of_servers) or type(error) is OSError


def _add(record: logging.LogRecord, key: str, value: object) -> None:
    if isinstance(record.msg, dict):
        record.msg = {**record.msg, key: value}
    else:
        record.msg, record.args = f"{record.getMessage()} ({key}: {value})", ()


# Traces -----------------------------------------------------------------------------------------


def trace_of(exc_info: Any) -> str:
    """Return where an error was raised and what it was caused by, as the interpreter shows it.

    Without local variables, and without the words of most errors: these name a card, an address or
    what somebody wrote. A database's words are cut before the row that it tells of.

    exc_info: type, error and trace, as structlog hands them to an exception formatter.
    """
    error = exc_info[1]
    return "" if error is None else "\n".join(_trace_lines(error, set()))


def _trace_lines(error: BaseException, told: set[int]) -> Iterator[str]:
    told.add(id(error))
    before = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    if before is not None and id(before) not in told:
        yield from _trace_lines(before, told)
        how = "It caused this one:" if before is error.__cause__ else "While it was handled:"
        yield f"\n{how}\n"
    yield "Traceback (most recent call last):"
    yield "".join(traceback.format_tb(error.__traceback__)).rstrip("\n")
    kind = type(error)
    room = "" if kind.__module__ == "builtins" else f"{kind.__module__}."
    words = _words_of(error)
    yield f"{room}{kind.__qualname__}: {words}" if words else f"{room}{kind.__qualname__}"
    if isinstance(error, BaseExceptionGroup):
        for one in error.exceptions:
            yield indent("\n".join(_trace_lines(one, told)), "  | ")


def _words_of(error: BaseException) -> str:
    from django.core.exceptions import ImproperlyConfigured
    from django.db import DatabaseError, DataError
    from django.template import TemplateDoesNotExist, TemplateSyntaxError
    from psycopg import Error as PostgresError

    telling = (
        *OF_CODE, DatabaseError, ImproperlyConfigured, PostgresError, TemplateDoesNotExist,
        TemplateSyntaxError,
    )  # fmt: skip
    if isinstance(error, OSError):
        return error.strerror or ""  # not of which file
    if isinstance(error, telling) and not isinstance(error, DataError):
        return _first_line(str(error))
    return ""
