"""Digests of the parts of a record, and the seal over them, by which an alteration is found.

A part's digest is SHA-256 of ``EUF1.record.``, the part's name and its value as compact JSON: keys
in their order, no white space, nothing escaped that need not be, in UTF-8. The seal is SHA-256 of
``EUF1.record`` and the digests of ``game``, ``rules`` and ``shuffle``, of every deal, of every
deal's events and of ``result``, in this order. Names are outside of it: they may change.
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
    """A place of a record that does not agree with the digests and the seal, and why not."""

    place: str
    reason: str


def digest(part: str, value: Any) -> bytes:
    """The digest of a part, or of one entry of it.

    Args:
        part: the part's name, such as ``deals``.
        value: JSON data: texts, whole numbers, true, false, null, lists and objects.
    """
    compact = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(f"EUF1.record.{part}{compact}".encode()).digest()


def by_deal(events: Sequence[Mapping[str, Any]]) -> list[list[Mapping[str, Any]]]:
    """The events of each deal; the ``next`` that has a deal dealt is the first of its events."""
    deals: list[list[Mapping[str, Any]]] = [[]]
    for event in events:
        if event["action"] == "next":
            deals.append([])
        deals[-1].append(event)
    return deals


def digests_of(data: Mapping[str, Any]) -> dict[str, Any]:
    """The digests of a record's parts, in hexadecimal and by name."""
    lists = {"deals": data["deals"], "events": by_deal(data["events"])}
    return {
        part: [digest(part, entry).hex() for entry in lists[part]]
        if part in lists
        else digest(part, data[part]).hex()
        for part in DIGESTS
    }


def seal_over(digests: Mapping[str, Any]) -> bytes:
    """The seal over the digests of a record."""
    told = (digests[part] for part in SEALED)
    joined = "".join("".join(one) if isinstance(one, list) else one for one in told)
    return hashlib.sha256(b"EUF1.record" + bytes.fromhex(joined)).digest()


def sealed(data: Mapping[str, Any]) -> dict[str, Any]:
    """A record with its digests and its seal."""
    digests = digests_of(data)
    return {**data, "digests": digests, "seal": seal_over(digests).hex()}


def alterations(data: Mapping[str, Any]) -> Iterator[Alteration]:
    """Every place of a record that does not agree with its digests or its seal.

    Args:
        data: a record, each value of the right kind.
    """
    # Lists that speak of more or fewer deals than the others.
    counts = {
        "deals": len(data["deals"]),
        "events": len(by_deal(data["events"])),
        "digests.deals": len(data["digests"]["deals"]),
        "digests.events": len(data["digests"]["events"]),
    }
    usual = Counter(counts.values()).most_common(1)[0][0]
    uneven = [
        Alteration(place, f"The deals told here are {count}, but elsewhere in the record {usual}.")
        for place, count in counts.items()
        if count != usual
    ]
    if uneven:
        yield from uneven
        return
    told, found = data["digests"], digests_of(data)
    kept, right = (seal_over(one).hex() == data["seal"] for one in (told, found))
    differ = [
        (part, number)
        for part in DIGESTS
        for number in (range(len(found[part])) if part in OF_DEALS else [-1])
        if _of(told[part], number) != _of(found[part], number)
    ]
    for part, number in differ:
        yield _altered(part, number, kept=kept, right=right)
    if not kept and (not right or not differ):
        yield Alteration("seal", "This is not the seal over the digests.")


def _of(digests: Any, number: int) -> Any:
    return digests[number] if number >= 0 else digests


def _altered(part: str, number: int, *, kept: bool, right: bool) -> Alteration:
    """What was altered where a part and its digest differ.

    Args:
        part: its name.
        number: of the deal, from 0, or -1 where the part has one digest.
        kept: whether the seal is that over the digests told.
        right: whether it is that over the digests found.
    """
    place = f"{part}[{number}]" if part == "deals" else part
    place = f"events of hand {number + 1}" if part == "events" else place
    digest_place = f"digests.{part}[{number}]" if number >= 0 else f"digests.{part}"
    if part in SEALED and kept:
        return Alteration(place, "This was altered: its digest, which is sealed, is another.")
    if part in SEALED and right:
        return Alteration(digest_place, "This digest was altered: it is not the one sealed.")
    return Alteration(f"{place} or {digest_place}", "One of these was altered: they do not agree.")
