"""Limits on open sockets and streams per client in this process.

A slot is reserved before the connection is set up, so that simultaneous attempts cannot exceed the
limit.
"""

from typing import Final, Self
from weakref import WeakSet, WeakValueDictionary


class OpenPlace:
    """A reserved slot for one socket or stream; a context manager that releases it.

    A slot that is garbage-collected is released too: a response whose client has gone may never be
    iterated.
    """

    def __init__(self, taken: WeakSet["OpenPlace"]) -> None:
        self._taken = taken
        taken.add(self)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_raised: object) -> None:
        self.give_back()

    def give_back(self) -> None:
        self._taken.discard(self)


#: Slots by opener; an entry disappears with its last slot.
_taken: Final[WeakValueDictionary[str, WeakSet[OpenPlace]]] = WeakValueDictionary()


def take(opener: str, most: int) -> OpenPlace | None:
    """Reserve a slot; None if `opener` has `most` already. Call on the event loop."""
    taken = _taken.setdefault(opener, WeakSet())
    return OpenPlace(taken) if len(taken) < most else None
