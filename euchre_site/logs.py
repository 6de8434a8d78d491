"""What may stand in a log line."""

from collections.abc import MutableMapping
from typing import Any

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


def without_private_values(
    _logger: Any, _method: str, event: MutableMapping[str, Any]
) -> MutableMapping[str, Any]:
    """Replace what players hold or write by its type, so that no log ever leaks a hand or a chat.

    A structlog processor: takes the logger, the method's name and the event, returns the event.
    """
    for key in PRIVATE & event.keys():
        event[key] = f"<{type(event[key]).__name__}>"
    return event
