"""The verifiable shuffle "EUF1".

Every pack and cut follows from the server's secret and the seats' contributions, so that anybody
can check them once the secret is published. All numbers are bytes of SHA-256 and HMAC-SHA-256;
``match`` is the match's UUID as 16 raw bytes. Tables that share their deals have one match, and
their seats are counted through: table 1 has seats 0 to 3, table 2 seats 4 to 7. A draw below n
takes bytes until one is below 256 - (256 mod n), so that every result is equally likely.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Iterator, Sequence
from typing import Final

from games.engine.deal import MIN_CUT
from games.engine.rules import RuleSet

SECRET_SIZE: Final = 32
#: The contribution and the commitment of a seat that sent none.
NOTHING: Final = bytes(32)


def _digest(tag: bytes, *parts: bytes) -> bytes:
    return hashlib.sha256(tag + b"".join(parts)).digest()


def _keyed(key: bytes, message: bytes) -> bytes:
    return hmac.digest(key, message, "sha256")


def commit(match: bytes, secret: bytes) -> bytes:
    """Return the server's commitment C, published before any seat contributes."""
    return _digest(b"EUF1.commit", match, secret)


def commit_seat(match: bytes, commitment: bytes, seat: int, contribution: bytes) -> bytes:
    """Return the commitment k_i of a seat's browser to its 32 random bytes."""
    return _digest(b"EUF1.client", match, commitment, bytes([seat]), contribution)


def mix(
    match: bytes,
    commitment: bytes,
    seat_commitments: Sequence[bytes],
    contributions: Sequence[bytes],
) -> bytes:
    """Return the mix T of all contributions.

    seat_commitments: k_i by seat, ``NOTHING`` for a seat that never committed. contributions: r_i
    by seat; wrong or missing ones count as ``NOTHING`` and are flagged.
    """
    flagged = flags(match, commitment, seat_commitments, contributions)
    count = len(seat_commitments)
    kept = [NOTHING if flagged >> seat & 1 else number for seat, number in enumerate(contributions)]
    return _digest(
        b"EUF1.mix", match, commitment, bytes([count]), *seat_commitments, *kept,
        _flag_bytes(flagged, count),
    )  # fmt: skip


def flags(
    match: bytes,
    commitment: bytes,
    seat_commitments: Sequence[bytes],
    contributions: Sequence[bytes],
) -> int:
    """Return the seats whose contribution does not count, bit i for seat i; see ``mix``."""
    flagged = 0
    for seat, number in enumerate(contributions):
        promised = commit_seat(match, commitment, seat, number) == seat_commitments[seat]
        if not promised or len(number) != len(NOTHING):
            flagged |= 1 << seat
    return flagged


def _flag_bytes(flagged: int, seats: int) -> bytes:
    """Return the flags as one byte for every eight seats, the last seats first."""
    return flagged.to_bytes((seats + 7) // 8, "big")


def written_flags(flagged: int, seats: int) -> int | str:
    """Return the flags as records and the public log write them: a number, or hexadecimal digits.

    Those of more than eight seats, as of tables that share their deals, may be beyond the numbers
    that every reader of JSON can hold.
    """
    return flagged if seats <= 8 else _flag_bytes(flagged, seats).hex()


def _stream(key: bytes) -> Iterator[int]:
    block = 0
    while True:
        yield from _keyed(key, block.to_bytes(4, "big"))
        block += 1


def _draw(stream: Iterator[int], below: int) -> int:
    limit = 256 - 256 % below
    return next(byte for byte in stream if byte < limit) % below


def first_dealer(secret: bytes, mixed: bytes, seats: int) -> int:
    return _draw(_stream(_keyed(secret, b"EUF1.dealer" + mixed)), seats)


def shuffled(rules: RuleSet, secret: bytes, mixed: bytes, deal: int) -> tuple[tuple[int, ...], int]:
    """Return the pack of a deal, top first, and how many cards the automatic cut lifts.

    `mixed` is the mix T; `deal` counts from 0, thrown-in deals included.
    """
    stream = _stream(_keyed(secret, b"EUF1.deal" + mixed + deal.to_bytes(4, "big")))
    pack = list(rules.pack_in_order())
    for last in range(len(pack) - 1, 0, -1):
        other = _draw(stream, last + 1)
        pack[last], pack[other] = pack[other], pack[last]
    cut = MIN_CUT + _draw(stream, len(pack) - 2 * MIN_CUT + 1) if rules.cut else 0
    return tuple(pack), cut
