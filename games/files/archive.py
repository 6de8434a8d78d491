"""The archived form of a finished game: its events and the numbers of its shuffle, compressed.

The first byte is the version of the form, 1. The rest is compact JSON, compressed with zlib, which
knows `DICTIONARY` in advance. It has the keys ``secret``, ``commitments`` and ``contributions``, in
hexadecimal, and ``events``, in which each column is a list: ``seq`` and ``at`` as differences from
the event before, ``at`` in microseconds since 1970, the others as they were stored.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from itertools import accumulate, pairwise
from typing import Final, NamedTuple

VERSION: Final = 1
#: What zlib knows in advance. Never to be changed: archives of version 1 cannot be read without it.
DICTIONARY: Final = (
    '{"secret":"","commitments":"","contributions":"","events":{"seq":[1,1,1,1,1,1,1,1,1,1,1,1,1,1,'
    '1,1],"seat":[-1,0,1,2,3,0,1,2,3],"player":[null,null,null,null],"by":["clock","house","house",'
    '"house","house","person","person","person","person"],"action":["next","order alone",'
    '"make C alone","make D","make H","make S","discard 9C","pass","pass","pass","pass","order",'
    + ",".join(f'"play {rank}{suit}"' for suit in "CDHS" for rank in "9TJQKA")
    + '],"at":[}}'
).encode()
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND: Final = timedelta(microseconds=1)


class ArchivedEvent(NamedTuple):
    """An event of a game with the columns of `GameEvent`, without the browser's key."""

    seq: int
    seat: int
    player: int | None
    by: str
    action: str
    at: datetime


class ArchivedGame(NamedTuple):
    """What an archive holds. The numbers of the shuffle are those of `Game`, `secret` in clear."""

    secret: bytes
    commitments: bytes
    contributions: bytes
    events: tuple[ArchivedEvent, ...]


class ArchiveError(Exception):
    """Raised for an archive that this version cannot read."""


def pack(game: ArchivedGame) -> bytes:
    events = {
        name: [getattr(event, name) for event in game.events] for name in ArchivedEvent._fields
    }
    events["seq"] = _differences(events["seq"])
    events["at"] = _differences((at - _EPOCH) // _MICROSECOND for at in events["at"])
    data = {
        "secret": game.secret.hex(),
        "commitments": game.commitments.hex(),
        "contributions": game.contributions.hex(),
        "events": events,
    }
    text = json.dumps(data, separators=(",", ":")).encode()
    packer = zlib.compressobj(9, memLevel=9, zdict=DICTIONARY)
    return bytes([VERSION]) + packer.compress(text) + packer.flush()


def unpack(stored: bytes | memoryview) -> ArchivedGame:
    """Return the game of an archive; raise ArchiveError if it is none of a known version."""
    packed = bytes(stored)
    if packed[:1] != bytes([VERSION]):
        raise ArchiveError(f"The archive of a game has the unknown version {packed[:1].hex()}.")
    unpacker = zlib.decompressobj(zdict=DICTIONARY)
    try:
        data = json.loads(unpacker.decompress(packed[1:]) + unpacker.flush())
    except (zlib.error, ValueError):
        raise ArchiveError("The archive of a game is damaged.") from None
    events = data["events"]
    events["seq"] = accumulate(events["seq"])
    events["at"] = (_EPOCH + number * _MICROSECOND for number in accumulate(events["at"]))
    return ArchivedGame(
        bytes.fromhex(data["secret"]),
        bytes.fromhex(data["commitments"]),
        bytes.fromhex(data["contributions"]),
        tuple(ArchivedEvent(*row) for row in zip(*events.values(), strict=True)),
    )


def _differences(numbers: Iterable[int]) -> list[int]:
    return [after - before for before, after in pairwise((0, *numbers))]
