"""Limits on open sockets and streams per client in this process.

A slot is reserved before the connection is set up, so that simultaneous attempts cannot exceed the
limit.
"""

from typing import Final, Self
from weakref import WeakSet, WeakValueDictionary


class ConnectionSlot:
    """A reserved slot for one socket or stream; a context manager that releases it.

    A slot that is garbage-collected is released too: a response whose client has gone may never be
    iterated.
    """

    def __init__(self, taken: WeakSet["ConnectionSlot"]) -> None:
        self._taken = taken
        taken.add(self)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_raised: object) -> None:
        self.release()

    def release(self) -> None:
        self._taken.discard(self)


#: Slots by client; an entry disappears with its last slot.
_taken: Final[WeakValueDictionary[str, WeakSet[ConnectionSlot]]] = WeakValueDictionary()


def take(client: str, limit: int) -> ConnectionSlot | None:
    """Reserve a slot; None if `client` has `limit` already. Call on the event loop."""
    taken = _taken.setdefault(client, WeakSet())
    return ConnectionSlot(taken) if len(taken) < limit else None
