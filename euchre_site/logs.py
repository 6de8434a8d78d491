"""What may stand in a log line, and how often the same cause is told."""

import logging
import re
import sys
import time
from collections.abc import MutableMapping
from typing import Any, Final

#: Seconds for which the same cause is counted and not told again.
WINDOW: Final = 60.0
#: Causes that are remembered at most.
MOST: Final = 500
#: Loggers that tell again and again of what they wait for.
PATIENT: Final = ("psycopg.pool", "celery.beat", "celery.worker", "kombu")

PRIVATE = frozenset(
    {
        "action",
        "body",
        "card",
        "cards",
        "email",
        "frame",
        "hand",
        "hands",
        "html",
        "message",
        "text",
    }
)


#: Parts of paths that let whoever has them in, wherever they stand in what is logged: invitations,
#: calendars, and the keys that mails bring to confirm an address or to set a password.
SECRET_PARTS: Final = re.compile(
    r"(/join/|/calendar/|/confirm-email/|/password/reset/key/)[^/\s\"'?#]+"
)


def without_secret_paths(
    _logger: Any, _method: str, event: MutableMapping[str, Any]
) -> MutableMapping[str, Any]:
    """Leave the secret words of paths out, in the message and in every other text.

    A structlog processor, as `without_private_values` is.
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


def without_private_values(
    _logger: Any, _method: str, event: MutableMapping[str, Any]
) -> MutableMapping[str, Any]:
    """Replace what players hold or write by its type, so that no log ever leaks a hand or a chat.

    A structlog processor: takes the logger, the method's name and the event, returns the event.
    """
    for key in PRIVATE & event.keys():
        event[key] = f"<{type(event[key]).__name__}>"
    return event


class Causes(logging.Filter):
    """Tells of a cause once, and then at most once a minute with how often it came meanwhile.

    A cause is a server that is away, a full disk, or what a line names as its `reason`. It needs
    no trace: where it was noticed says nothing. Nor does a request that was refused (4xx). Every
    other error is told each time, with its trace.
    """

    def __init__(self, name: str = "") -> None:
        super().__init__(name)
        self._told: dict[tuple[str, ...], tuple[float, int]] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether to write the line; what is wrong with a server replaces its trace."""
        if 400 <= getattr(record, "status_code", 0) < 500:
            record.exc_info = None
        cause = _cause_of(record)
        if cause is None or record.levelno < logging.WARNING:
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


def _cause_of(record: logging.LogRecord) -> tuple[str, ...] | None:
    """What a line is the same as another one by; None if each stands for itself."""
    said = record.msg if isinstance(record.msg, dict) else {}
    event = str(said.get("event") or record.msg)
    error = _error_of(record)
    if error is not None and _is_of_a_server(error):
        lines = str(error).splitlines() or [""]
        reason = f"{type(error).__name__}: {lines[0]}"
        record.exc_info = None
        if said:
            record.msg = {key: said[key] for key in said if key != "exc_info"}
        _add(record, "reason", reason)
    elif isinstance(said.get("reason"), str) and error is None:
        reason = said["reason"]
    elif record.name.startswith(PATIENT):
        reason = ""
    else:
        return None
    return record.name, event, re.sub(r"\d+", "", reason)


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
