"""Digests of the parts of a record and the seal over them, which reveal alterations.

A part's digest is the SHA-256 of ``EUF1.record.``, the part's name and its value as compact JSON:
keys in their order, no white space, no needless escapes, in UTF-8. The seal is the SHA-256 of
``EUF1.record`` and the digests of ``game``, ``rules`` and ``shuffle``, of every deal, of every
deal's events and of ``result``, in this order. It does not cover names: they may change.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

#: The parts that have one digest each.
SINGLE: Final = ("game", "table", "rules", "players", "shuffle", "result")
#: The parts that have a digest for each deal.
OF_DEALS: Final = ("deals", "events")
#: The parts under the seal, in its order.
SEALED: Final = ("game", "rules", "shuffle", "deals", "events", "result")
#: The keys of a record's digests, in their order.
DIGESTS: Final = ("game", "table", "rules", "players", "shuffle", "deals", "events", "result")


class Alteration(NamedTuple):
    place: str
    reason: str


def digest(part: str, value: Any) -> bytes:
    """Return the digest of a part, or of one entry of it. The JSON data must not hold floats."""
    compact = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(f"EUF1.record.{part}{compact}".encode()).digest()


def by_deal(events: Sequence[Mapping[str, Any]]) -> list[list[Mapping[str, Any]]]:
    """Return the events of each deal; a deal after the first begins with its ``next``."""
    deals: list[list[Mapping[str, Any]]] = [[]]
    for event in events:
        if event["action"] == "next":
            deals.append([])
        deals[-1].append(event)
    return deals


def digests_of(data: Mapping[str, Any]) -> dict[str, Any]:
    lists = {"deals": data["deals"], "events": by_deal(data["events"])}
    return {
        part: [digest(part, entry).hex() for entry in lists[part]]
        if part in lists
        else digest(part, data[part]).hex()
        for part in DIGESTS
    }


def seal_over(digests: Mapping[str, Any]) -> bytes:
    parts = (digests[part] for part in SEALED)
    joined = "".join("".join(one) if isinstance(one, list) else one for one in parts)
    return hashlib.sha256(b"EUF1.record" + bytes.fromhex(joined)).digest()


def sealed(data: Mapping[str, Any]) -> dict[str, Any]:
    digests = digests_of(data)
    return {**data, "digests": digests, "seal": seal_over(digests).hex()}


def alterations(data: Mapping[str, Any]) -> Iterator[Alteration]:
    """Yield each place where a record, of checked types, contradicts its digests or seal."""
    counts = {
        "deals": len(data["deals"]),
        "events": len(by_deal(data["events"])),
        "digests.deals": len(data["digests"]["deals"]),
        "digests.events": len(data["digests"]["events"]),
    }
    usual = Counter(counts.values()).most_common(1)[0][0]
    uneven = [
        Alteration(place, f"There are {count} deals here, but {usual} elsewhere in the record.")
        for place, count in counts.items()
        if count != usual
    ]
    if uneven:
        yield from uneven
        return
    stated, found = data["digests"], digests_of(data)
    kept, right = (seal_over(one).hex() == data["seal"] for one in (stated, found))
    differ = [
        (part, number)
        for part in DIGESTS
        for number in (range(len(found[part])) if part in OF_DEALS else [-1])
        if _of(stated[part], number) != _of(found[part], number)
    ]
    for part, number in differ:
        yield _altered(part, number, kept=kept, right=right)
    if not kept and (not right or not differ):
        yield Alteration("seal", "This is not the seal over the digests.")


def _of(digests: Any, number: int) -> Any:
    return digests[number] if number >= 0 else digests


def _altered(part: str, number: int, *, kept: bool, right: bool) -> Alteration:
    """Return what was altered where a part and its digest differ.

    `number` is that of the deal, from 0, or -1 for a part with one digest. The seal matches the
    digests stated in the record (`kept`), or those computed from it (`right`).
    """
    place = f"{part}[{number}]" if part == "deals" else part
    place = f"events of hand {number + 1}" if part == "events" else place
    digest_place = f"digests.{part}[{number}]" if number >= 0 else f"digests.{part}"
    if part in SEALED and kept:
        return Alteration(place, "This was altered: its digest, which is sealed, is another.")
    if part in SEALED and right:
        return Alteration(digest_place, "This digest was altered: it is not the one sealed.")
    return Alteration(f"{place} or {digest_place}", "One of these was altered: they do not agree.")
