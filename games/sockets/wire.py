"""Connections that take a text as bytes and at once (`euchre_site.run.wire`).

Through ASGI a text goes to each socket as a message of its own, which is encoded and framed each
time. A table's frame is mostly the same for all its sockets, and made as bytes.
"""

from collections.abc import Mapping
from typing import Any, Final, Protocol

#: Under this name a connection's scope has its `Wire` among its extensions.
EXTENSION: Final = "bower.wire"


class Wire(Protocol):
    @property
    def open(self) -> bool:
        """Whether a text can be written now: connected, not congested, and not compressed."""

    def write(self, text: bytes) -> None: ...


def wire_of(scope: Mapping[str, Any]) -> Wire | None:
    """Return a connection's wire; None if its server has none."""
    wire: Wire | None = scope.get("extensions", {}).get(EXTENSION)
    return wire
