"""How many sockets and streams somebody may have open in this process.

A place is taken when one is asked for, not when it begins: however many are asked for at once, no
more are let in than there are places.
"""

from typing import Final, Self
from weakref import WeakSet, WeakValueDictionary


class OpenPlace:
    """A place for one socket or stream, for as long as somebody holds on to it.

    As a context it is given back at its end. One that is dropped is given back by itself: of an
    answer whose client has gone nobody may ever have read the first line.
    """

    def __init__(self, taken: WeakSet["OpenPlace"]) -> None:
        self._taken = taken
        taken.add(self)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_raised: object) -> None:
        self.give_back()

    def give_back(self) -> None:
        """Let somebody else have it."""
        self._taken.discard(self)


#: The places of each opener, which goes with the last of them.
_taken: Final[WeakValueDictionary[str, WeakSet[OpenPlace]]] = WeakValueDictionary()


def take(opener: str, most: int) -> OpenPlace | None:
    """Take a place, or return None if `opener` has `most` of them; call it on the event loop."""
    taken = _taken.setdefault(opener, WeakSet())
    return OpenPlace(taken) if len(taken) < most else None
