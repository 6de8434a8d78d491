#!/usr/bin/env python3
"""Checks a game of euchre that was played at a Bower site, on your own computer.

    python3 bower_verify.py record.json
    python3 bower_verify.py record.json --log log.ndjson

The record is downloaded from the game's page, the log from the site's public log (all of it, or the
lines of one match). Python 3.9 or newer is all it takes. Nothing is sent anywhere.

What is proven: the server's secret and the players' numbers are those they had promised; every pack
follows from them; the cards played are those that were dealt; and no byte of the record has been
altered since the site published its seal in the log.
What is not: that nobody who runs the server looked at the secret, and so at the cards, during the
game. That the promises were fixed before the numbers were told is seen by the browsers that threw
in numbers, on the page "Verify this match"; this script has only what was published later. Whether
each play kept to the rules of euchre is not looked at here: a replay shows it.

Exit status: 0 all is right, 1 something is wrong, 2 a file cannot be read.

How it works, in the words of the site's document "Fairness": H is SHA-256, HMAC is HMAC-SHA-256,
and all tags are ASCII. The functions below follow the document from top to bottom.
"""

from __future__ import annotations

import argparse
import hashlib
import hmac
import io
import json
import re
import sys
import uuid
from collections import Counter
from collections.abc import Iterable, Iterator
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

Record = dict[str, Any]
NOTHING = bytes(32)
SEATS = {2: ["North", "South"], 4: ["North", "East", "South", "West"]}


class UnreadableError(Exception):
    """A file that is not what it should be; the message says why."""


class Fault(NamedTuple):
    """Something that is wrong: where, and what."""

    place: str
    what: str


class Step(NamedTuple):
    """Something that was checked: a sentence that is true unless there are faults."""

    claim: str
    faults: list[Fault]


# The shuffle --------------------------------------------------------------------------------


def h(tag: str, *parts: bytes) -> bytes:
    """H(tag, parts joined)."""
    return hashlib.sha256(tag.encode() + b"".join(parts)).digest()


def keyed(key: bytes, message: bytes) -> bytes:
    """HMAC(key, message)."""
    return hmac.new(key, message, hashlib.sha256).digest()


def byte_stream(key: bytes) -> Iterator[int]:
    """HMAC(key, 0), HMAC(key, 1), … one byte after the other; the counter has four bytes."""
    block = 0
    while True:
        yield from keyed(key, block.to_bytes(4, "big"))
        block += 1


def draw(stream: Iterator[int], below: int) -> int:
    """A number from 0 to below - 1, each equally likely: too large bytes are passed over."""
    limit = 256 - 256 % below
    return next(byte for byte in stream if byte < limit) % below


def pack_in_order(size: int) -> list[str]:
    """Clubs, diamonds, hearts, spades, each from low to high; an odd pack has a joker, last."""
    ranks = "789TJQKA"[-(size // 4) :]
    return [rank + suit for suit in "CDHS" for rank in ranks] + ["Jo"] * (size % 2)


def shuffled(rules: Record, secret: bytes, mix: bytes, deal: int) -> tuple[list[str], int]:
    """The pack of a deal, numbered from 0, top first and before the cut; and the automatic cut."""
    stream = byte_stream(keyed(secret, b"EUF1.deal" + mix + deal.to_bytes(4, "big")))
    pack = pack_in_order(rules["pack"])
    for i in range(len(pack) - 1, 0, -1):
        j = draw(stream, i + 1)
        pack[i], pack[j] = pack[j], pack[i]
    return pack, 4 + draw(stream, len(pack) - 7) if rules["cut"] else 0


def check_commitment(record: Record) -> Iterator[Fault]:
    """C = H("EUF1.commit", match, secret)."""
    told = record["shuffle"]
    if h("EUF1.commit", match_of(record), *numbers(told["secret"])).hex() != told["commitment"]:
        place = "shuffle.commitment or shuffle.secret or game.id"
        yield Fault(place, "The secret is not the one promised.")


def check_seats(record: Record) -> Iterator[Fault]:
    """k = H("EUF1.client", match, C, seat, r); where that is not so, r is zero and flagged."""
    told = record["shuffle"]
    for seat, threw_in in enumerate(who_threw_in(record)):
        if not threw_in and told["contributions"][seat] != NOTHING.hex():
            place = f"shuffle.contributions[{seat}]"
            yield Fault(place, "This number is not the one that the seat had promised.")
        elif threw_in == bool(told["flags"] >> seat & 1):
            said = "threw in a number" if threw_in else "threw in nothing"
            yield Fault("shuffle.flags", f"{seats_of(record)[seat]} {said}; the flags deny it.")


def who_threw_in(record: Record) -> list[bool]:
    """By seat, whether its number is the one it had committed itself to."""
    told = record["shuffle"]
    (commitment,) = numbers(told["commitment"])
    return [
        h("EUF1.client", match_of(record), commitment, bytes([seat]), numbers(number)[0]).hex()
        == told["commitments"][seat]
        for seat, number in enumerate(told["contributions"])
    ]


def check_mix(record: Record) -> Iterator[Fault]:
    """T = H("EUF1.mix", match, C, number of seats, every k, every r, flags)."""
    told = record["shuffle"]
    mixed = h(
        "EUF1.mix",
        match_of(record),
        *numbers(told["commitment"]),
        bytes([len(told["commitments"])]),
        *numbers(*told["commitments"]),
        *numbers(*told["contributions"]),
        bytes([told["flags"]]),
    )
    if mixed.hex() != told["mixed"]:
        yield Fault("shuffle.mixed", "The numbers thrown in do not give this mix.")


def check_first_dealer(record: Record) -> Iterator[Fault]:
    """A draw from the stream of HMAC(secret, "EUF1.dealer", T)."""
    secret, mix = numbers(record["shuffle"]["secret"], record["shuffle"]["mixed"])
    seats = seats_of(record)
    dealer = seats[draw(byte_stream(keyed(secret, b"EUF1.dealer" + mix)), len(seats))]
    if dealer != record["shuffle"]["first_dealer"]:
        yield Fault("shuffle.first_dealer", f"By the shuffle {dealer} deals first.")


def match_of(record: Record) -> bytes:
    """The game's id as 16 bytes."""
    return uuid.UUID(record["game"]["id"]).bytes


def seats_of(record: Record) -> list[str]:
    """The names of the seats, clockwise."""
    return SEATS[record["rules"]["players"]]


def numbers(*texts: str) -> list[bytes]:
    """What is written in hexadecimal, as bytes."""
    return [bytes.fromhex(text) for text in texts]


# The hands ----------------------------------------------------------------------------------


class Hand(NamedTuple):
    """One deal: what the record says of it, and what the shuffle gives."""

    number: int
    deal: Record
    events: list[tuple[str, Record]]  # each with its place
    pack: list[str]
    cut: int

    @property
    def place(self) -> str:
        """Where it stands in the record."""
        return f"deals[{self.number - 1}]"

    @property
    def said(self) -> list[str]:
        """The pack as the record says it."""
        cards: list[str] = self.deal["pack"].split(" ")
        return cards

    @property
    def cutting(self) -> tuple[str, Record] | None:
        """The first thing done in the hand, if it is a cut."""
        done = [one for one in self.events if one[1]["action"] != "next"][:1]
        return done[0] if done and done[0][1]["action"].startswith("cut ") else None


def hands_of(record: Record) -> list[Hand]:
    """All hands of a record, in order."""
    secret, mix = numbers(record["shuffle"]["secret"], record["shuffle"]["mixed"])
    place, hands = 0, []
    for number, events in enumerate(events_by_hand(record["events"])):
        placed = [(f"events[{place + at}]", event) for at, event in enumerate(events)]
        place += len(events)
        given = shuffled(record["rules"], secret, mix, number)
        hands.append(Hand(number + 1, record["deals"][number], placed, *given))
    return hands


def events_by_hand(events: list[Record]) -> list[list[Record]]:
    """The events of each hand; "next" has a hand dealt and is the first of its events."""
    hands: list[list[Record]] = [[]]
    for event in events:
        if event["action"] == "next":
            hands.append([])
        hands[-1].append(event)
    return hands


def check_packs(record: Record) -> Iterator[Fault]:
    """Every pack is the one that the shuffle gives, and so is every cut that the table made."""
    hands = hands_of(record)
    wrong = [hand for hand in hands if hand.said != hand.pack]
    if len(wrong) == len(hands) > 1:
        yield Fault("deals", "None of the packs is the one that the shuffle gives.")
        wrong = []
    for hand in wrong:
        yield Fault(f"{hand.place}.pack", f"The shuffle gives {' '.join(hand.pack)}.")
    for hand in hands:
        yield from check_cut(record, hand)


def check_cut(record: Record, hand: Hand) -> Iterator[Fault]:
    """The pack is cut once and first, where the rules say so; each part keeps four cards."""
    cuts = [one for one in hand.events if one[1]["action"].startswith("cut ")]
    for place, event in cuts[1:] if hand.cutting and record["rules"]["cut"] else cuts:
        yield Fault(place, f"The pack of hand {hand.number} is not cut here ({event['action']}).")
    if not (hand.cutting and record["rules"]["cut"]):
        return
    place, event = hand.cutting
    lifted = int(event["action"][4:])
    if not 4 <= lifted <= len(hand.pack) - 4:
        yield Fault(place, "At least four cards must lie in each part.")
    elif event["by"] == "clock" and lifted != hand.cut:
        yield Fault(place, f"The cut made by the table is {hand.cut} by the shuffle.")


def check_dealers(record: Record) -> Iterator[Fault]:
    """The deal goes round clockwise; after a hand thrown in it may stay, where the rules say so."""
    rules, seats = record["rules"], seats_of(record)
    dealer = seats.index(record["shuffle"]["first_dealer"])
    for number, deal in enumerate(record["deals"], start=1):
        if deal["number"] != number:
            yield Fault(f"deals[{number - 1}].number", f"This is hand {number}.")
        if deal["dealer"] != seats[dealer]:
            yield Fault(f"deals[{number - 1}].dealer", f"It is {seats[dealer]} who deals here.")
        thrown_in = deal["result"] is not None and deal["result"]["outcome"] == "thrown in"
        stays = thrown_in and (rules["dealer_stays"] or rules["deals"] is not None)
        dealer = (seats.index(deal["dealer"]) + (not stays)) % len(seats)


def dealt(record: Record, hand: Hand) -> tuple[dict[str, set[str]], str] | None:
    """The hands by seat and the turn-up; None where the cards were not dealt or are no pack."""
    seats = seats_of(record)
    if sorted(hand.said) != sorted(pack_in_order(record["rules"]["pack"])):
        return None
    if record["rules"]["cut"] and hand.cutting is None:
        return None
    lifted = int(hand.cutting[1]["action"][4:]) if hand.cutting else 0
    cards = iter(hand.said[lifted:] + hand.said[:lifted])
    left = seats.index(hand.deal["dealer"]) + 1
    hands: dict[str, set[str]] = {seat: set() for seat in seats}
    for packet in packets_of(record["rules"], left - 1):
        for seat in seats[left:] + seats[:left]:
            hands[seat].update(next(cards) for _ in range(packet))
    return hands, next(cards)


def packets_of(rules: Record, dealer: int) -> list[int]:
    """How many cards each seat is given in each round, by the way in which the dealer deals."""
    packets: list[int] = rules["packets"]
    return packets[::-1] if rules.get("reversed_by", 0) >> dealer & 1 else packets


def check_cards(record: Record) -> Iterator[Fault]:
    """Every card played or discarded was held by the seat that did so, and is played once."""
    for hand in hands_of(record):
        moved = [one for one in hand.events if one[1]["action"].startswith(("play ", "discard "))]
        cards = dealt(record, hand)
        if cards is None:
            if moved:
                yield Fault(moved[0][0], f"No cards were dealt in hand {hand.number}.")
            continue
        held, turn_up = cards
        if any(event["action"].startswith("discard ") for _, event in moved):
            held[hand.deal["dealer"]].add(turn_up)
        for place, event in moved:
            seat, (verb, card) = event["seat"], event["action"].split(" ")
            if card not in held.get(seat, ()) or (
                verb == "discard" and seat != hand.deal["dealer"]
            ):
                yield Fault(place, f"{seat or 'Nobody'} did not hold {card} in hand {hand.number}.")
            else:
                held[seat].remove(card)


def check_scores(record: Record) -> Iterator[Fault]:
    """The points of the hands add up to the scores."""
    score = [0, 0]
    for number, deal in enumerate(record["deals"]):
        if deal["result"] is not None and deal["result"]["side"] is not None:
            score[deal["result"]["side"]] += deal["result"]["points"]
        if deal["score"] != score:
            yield Fault(f"deals[{number}].score", f"The points add up to {score}.")
        score = list(deal["score"])
    if record["result"]["score"] != score:
        yield Fault("result.score", f"The last hand left {score}.")
    winner = winner_by(record, score)
    if record["game"]["state"] == "resigned":
        if winner is not None or record["result"]["winner"] is None:
            yield Fault(
                "result.winner", "A game is resigned before its end, and the other side wins."
            )
    elif record["result"]["winner"] != winner:
        said = "nobody" if winner is None else f"side {winner}"
        yield Fault("result.winner", f"At {score[0]} to {score[1]} it is {said} that has won.")


def winner_by(record: Record, score: list[int]) -> int | None:
    """The side that a final score lets win; None for a tie, and where the game is not over."""
    rules, results = record["rules"], [deal["result"] for deal in record["deals"]]
    counted = sum(1 for one in results if one is not None and one["outcome"] != "thrown in")
    over = counted == rules["deals"] if rules["target"] is None else max(score) >= rules["target"]
    return None if not over or score[0] == score[1] else int(score[1] > score[0])


# The file -----------------------------------------------------------------------------------

HEX = re.compile("[0-9a-f]{64}")
TIME = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{6}Z")
CARD = "(?:[789TJQKA][CDHS]|Jo)"
ACTION = re.compile(
    "pass|next|cut [0-9]{1,2}|order(?: alone)?|make [CDHS](?: alone)?|name [CDHS]"
    f"|(?:discard|play) {CARD}"
)
BOOL, SCORE, SIDE, SEAT = (True, False), [range(10_000)], (None, 0, 1), tuple(SEATS[4])
POINTS, TEXT, MANY = range(1, 11), re.compile("(?s).{0,150}"), range(1, 1_000_001)
PACK = re.compile(f"{CARD}(?: {CARD})*")
OUTCOME = ("made", "march", "alone", "lone march", "euchre", "skunk", "thrown in")
RESULT = {"outcome": OUTCOME, "makers": SIDE, "tricks": SCORE, "side": SIDE, "points": range(11)}


class Optional(NamedTuple):
    """What a key holds that is left out where it says nothing."""

    shape: Any


#: What a record looks like: an object has these keys in this order, a list has entries like the
#: one here, a text matches the pattern, a whole number lies in the range, or it is one of several.
#: An optional key may be missing.
SHAPE: dict[str, Any] = {
    "format": "Bower game record",
    "version": 2,
    "game": {
        "id": re.compile("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"), "number": MANY,
        "state": ("over", "abandoned", "resigned"), "started": TIME, "ended": TIME,
    },
    "table": {"title": TEXT},
    "rules": {
        "key": TEXT, "name": TEXT, "players": (2, 4), "pack": (24, 25, 28, 29, 32, 33),
        "cut": BOOL, "packets": [range(1, 6)], "stick_the_dealer": BOOL, "alone": BOOL,
        "dealer_stays": BOOL, "joker_turned_up": ("dealer_names", "dealer_makes"),
        "lay_down": BOOL, "made": POINTS, "march": POINTS, "alone_made": POINTS,
        "alone_march": POINTS, "euchre": POINTS, "skunk": POINTS,
        "target": (None, range(1, 51)), "deals": (None, range(1, 101)),
        "packets_by_dealer": Optional(True), "calls": Optional("pick_up"),
        "reversed_by": Optional(range(1, 16)), "stuck_after": Optional(range(1, 4)),
    },
    "players": [{"seat": SEAT, "name": TEXT, "kind": ("person", "house", "program")}],
    "shuffle": {
        "method": "EUF1", "commitment": HEX, "commitments": [HEX], "contributions": [HEX],
        "flags": range(16), "mixed": HEX, "secret": HEX, "first_dealer": SEAT,
    },
    "deals": [
        {"number": MANY, "dealer": SEAT, "pack": PACK, "result": (None, RESULT), "score": SCORE}
    ],
    "events": [
        {"at": TIME, "seat": (None, *SEAT), "by": ("person", "house", "clock"), "action": ACTION}
    ],
    "result": {"score": SCORE, "winner": SIDE},
    "digests": {
        "game": HEX, "table": HEX, "rules": HEX, "players": HEX, "shuffle": HEX,
        "deals": [HEX], "events": [HEX], "result": HEX,
    },
    "seal": HEX,
}  # fmt: skip


def read_record(data: bytes) -> tuple[Any, str]:
    """A file's data and its text; raise UnreadableError if it is no record at all."""
    try:
        text = data.decode()
        record = json.loads(text)
    except UnicodeDecodeError as why:
        raise UnreadableError(f"byte {why.start}: This is not text in UTF-8.") from None
    except json.JSONDecodeError as why:
        place = f"line {why.lineno}, column {why.colno}"
        raise UnreadableError(f"{place}: This is not JSON ({why.msg}).") from None
    except (ValueError, RecursionError):
        raise UnreadableError("the file: This is not JSON that can be read.") from None
    if not isinstance(record, dict):
        raise UnreadableError("the file: A record is a JSON object.")
    for key in ("format", "version"):
        if record.get(key) != SHAPE[key]:
            raise UnreadableError(f"{key}: Only a {SHAPE['format']} of version 2 is read here.")
    return record, text


def check_shape(value: Any, shape: Any, place: str = "") -> Iterator[Fault]:
    """Every value is of the kind that belongs there; see SHAPE."""
    if isinstance(shape, tuple) and isinstance(value, dict):
        shape = shape[-1]
    if isinstance(shape, dict) and isinstance(value, dict):
        dot = "." if place else ""
        for key in [key for key in value if key not in shape]:
            yield Fault(f"{place}{dot}{key}", "There is no such key in a record.")
        needed = {key for key, kind in shape.items() if not isinstance(kind, Optional)}
        for key in [key for key in shape if key in needed and key not in value]:
            yield Fault(f"{place}{dot}{key}", "This key is missing.")
        ordered = [key for key in shape if key in value]
        if needed <= value.keys() <= shape.keys() and list(value) != ordered:
            yield Fault(place or "the file", f"The keys stand in the order {', '.join(ordered)}.")
        for key in ordered:
            kind = shape[key].shape if isinstance(shape[key], Optional) else shape[key]
            yield from check_shape(value[key], kind, f"{place}{dot}{key}")
    elif isinstance(shape, list) and isinstance(value, list):
        for at, entry in enumerate(value):
            yield from check_shape(entry, shape[0], f"{place}[{at}]")
    elif not fits(value, shape):
        told = "This" if isinstance(value, (dict, list)) else json.dumps(value)[:40]
        yield Fault(place, f"{told} cannot stand here.")


def fits(value: Any, shape: Any) -> bool:
    """Whether a value that is no list and no object is of its kind."""
    if isinstance(shape, re.Pattern):
        return isinstance(value, str) and shape.fullmatch(value) is not None
    if isinstance(shape, range):
        return type(value) is int and value in shape
    if isinstance(shape, tuple):
        return any(fits(value, one) for one in shape)
    return type(value) is type(shape) and bool(value == shape)


def check_sizes(record: Record) -> Iterator[Fault]:
    """The parts speak of as many seats and hands as each other; the one that differs is named."""
    told, digests, rules = record["shuffle"], record["digests"], record["rules"]
    yield from odd_one_out(
        {
            "rules.players": rules["players"],
            "players": len(record["players"]),
            "shuffle.commitments": len(told["commitments"]),
            "shuffle.contributions": len(told["contributions"]),
        }
    )
    yield from odd_one_out(
        {
            "deals": len(record["deals"]),
            "events": len(events_by_hand(record["events"])),
            "digests.deals": len(digests["deals"]),
            "digests.events": len(digests["events"]),
        }
    )
    pairs = [(f"deals[{at}].score", deal["score"]) for at, deal in enumerate(record["deals"])]
    for place, pair in [*pairs, ("result.score", record["result"]["score"])]:
        if len(pair) != 2:
            yield Fault(place, "A score has two numbers.")
    if sum(rules["packets"]) != 5:
        yield Fault("rules.packets", "Each player is given five cards.")
    reverses = rules.get("reversed_by", 0)
    if reverses and (not rules.get("packets_by_dealer") or reverses >> rules["players"]):
        yield Fault("rules.reversed_by", "By these rules no such seat may reverse the packets.")


def odd_one_out(counts: dict[str, int]) -> Iterator[Fault]:
    """Those of several counts that are not like most of them."""
    usual = Counter(counts.values()).most_common(1)[0][0]
    for place, count in counts.items():
        if count != usual:
            yield Fault(place, f"There are {count} here, but elsewhere {usual}.")


def check_seat_names(record: Record) -> Iterator[Fault]:
    """Only the seats there are, and each player in his."""
    seats = seats_of(record)
    named = [("shuffle.first_dealer", record["shuffle"]["first_dealer"])]
    named += [(f"deals[{at}].dealer", deal["dealer"]) for at, deal in enumerate(record["deals"])]
    named += [(f"events[{at}].seat", one["seat"]) for at, one in enumerate(record["events"])]
    for place, seat in named:
        if seat is not None and seat not in seats:
            yield Fault(place, f"Nobody sits there when {len(seats)} play.")
    for at, player in enumerate(record["players"]):
        if player["seat"] != seats[at]:
            yield Fault(f"players[{at}].seat", f"This must be {seats[at]}.")


def check_bytes(record: Record, text: str) -> Iterator[Fault]:
    """The text is what Bower writes: a line for each field and each entry of a list."""
    fields = [f'"{key}": {as_written(value)}' for key, value in record.items()]
    right = "{\n" + ",\n".join(fields) + "\n}\n"
    if text != right:
        pairs = enumerate(zip(text, right))
        at = next((at for at, (one, two) in pairs if one != two), min(len(text), len(right)))
        line, column = 1 + text.count("\n", 0, at), at - text.rfind("\n", 0, at)
        yield Fault(f"line {line}, column {column}", "Bower does not write records so.")


def as_written(value: Any) -> str:
    """A field of a record as Bower writes it."""
    if isinstance(value, list) and value:
        lines = [" " + json.dumps(entry, ensure_ascii=False) for entry in value]
        return "[\n" + ",\n".join(lines) + "\n]"
    return json.dumps(value, ensure_ascii=False)


# Digests and seal ---------------------------------------------------------------------------

#: The parts that are under the seal; names are not, since they may change later.
SEALED = ("game", "rules", "shuffle", "deals", "events", "result")


def compact(value: Any) -> bytes:
    """JSON without white space, as digests and the log are made of it."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return text.encode("utf-8", "surrogatepass")


def digest(part: str, value: Any) -> str:
    """H("EUF1.record.", the part's name, its compact JSON), in hexadecimal."""
    return h("EUF1.record." + part, compact(value)).hex()


def digests_of(record: Record) -> Record:
    """The digests of all parts: of deals and of events one for each hand."""
    lists = {"deals": record["deals"], "events": events_by_hand(record["events"])}
    return {
        part: [digest(part, entry) for entry in lists[part]]
        if part in lists
        else digest(part, record[part])
        for part in SHAPE["digests"]
    }


def seal_over(digests: Record) -> str:
    """H("EUF1.record", the digests of the sealed parts in their order), in hexadecimal."""
    parts: list[str] = []
    for part in SEALED:
        parts += digests[part] if isinstance(digests[part], list) else [digests[part]]
    return h("EUF1.record", *numbers(*parts)).hex()


def check_seal(record: Record) -> Iterator[Fault]:
    """Every part has its digest, and the seal is that over the digests.

    Where a part and its digest differ, the seal tells which of the two was altered.
    """
    told, found, seal = record["digests"], digests_of(record), record["seal"]
    kept, right = seal_over(told) == seal, seal_over(found) == seal
    places = list(places_that_differ(told, found))
    for part, place, digest_place in places:
        if part in SEALED and kept:
            yield Fault(place, "This was altered: the digest that is sealed is another.")
        elif part in SEALED and right:
            yield Fault(digest_place, "This digest was altered: it is not the one sealed.")
        else:
            yield Fault(f"{place} or {digest_place}", "One of these was altered.")
    if not kept and not (right and places):
        yield Fault("seal", "This is not the seal over the digests.")


def places_that_differ(told: Record, found: Record) -> Iterator[tuple[str, str, str]]:
    """The parts that do not have their digest: name, place, and place of the digest."""
    for part, right in found.items():
        if isinstance(right, str):
            if told[part] != right:
                yield part, part, f"digests.{part}"
            continue
        for at, one in enumerate(right):
            if told[part][at] != one:
                place = f"deals[{at}]" if part == "deals" else f"events of hand {at + 1}"
                yield part, place, f"digests.{part}[{at}]"


# The public log -----------------------------------------------------------------------------


class LogLine(NamedTuple):
    """One line of the public log: its text and what it says."""

    text: bytes
    says: Record

    @property
    def place(self) -> str:
        """How faults call it."""
        return f"line {self.says['place']} of the log"


def read_log(lines: Iterable[bytes]) -> Iterator[LogLine]:
    """The lines of a log; raise UnreadableError where one is none."""
    for number, line in enumerate(lines, start=1):
        text = line.rstrip(b"\n")
        try:
            says = json.loads(text.decode())
        except (ValueError, RecursionError):
            raise UnreadableError(f"line {number} of the log’s file: This is not JSON.") from None
        kinds = {"place": int, "at": str, "kind": str, "match": str, "previous": str}
        if not isinstance(says, dict) or any(
            type(says.get(key)) is not kind for key, kind in kinds.items()
        ):
            raise UnreadableError(f"line {number} of the log’s file: This is no line of a log.")
        yield LogLine(text, says)


class Log:
    """The chain of the log, looked at line by line: each holds the hash of the one before, and is
    not older.

    The lines of one match alone have gaps between them; in any other file none may be missing, the
    first included.
    """

    def __init__(self, match: str) -> None:
        self.match = match
        self.mine: list[LogLine] = []
        self.last: LogLine | None = None
        self.gaps: list[Fault] = []
        self.latest = ""
        self.others = False

    def follow(self, line: LogLine) -> Iterator[Fault]:
        """Go on to the next line."""
        place, expected = line.says["place"], self.last.says["place"] + 1 if self.last else 1
        if compact(line.says) != line.text:
            yield Fault(line.place, "The log does not write its lines so.")
        if place < expected:
            yield Fault(line.place, "The lines are not in their order.")
        elif place > expected:
            self.gaps.append(Fault(line.place, f"Line {expected} is missing before it."))
        elif line.says["previous"] != hash_of(self.last):
            yield Fault(line.place, "It does not hold the hash of the line before.")
        if not is_time(line.says["at"]):
            yield Fault(f"at in {line.place}", "This is no time.")
        elif self.latest > line.says["at"]:
            yield Fault(f"at in {line.place}", f"A line before it is of {self.latest}.")
        else:
            self.latest = line.says["at"]
        if line.says["match"] == self.match:
            self.mine.append(line)
        else:
            self.others = True
        self.last = line


def is_time(text: str) -> bool:
    """Whether a text is a moment, written as the log writes them: so, earlier ones sort first."""
    try:
        return TIME.fullmatch(text) is not None and bool(datetime.fromisoformat(text[:-1]))
    except ValueError:
        return False


def hash_of(line: LogLine | None) -> str:
    """H("EUF1.log", the line's bytes): what the next must hold; zeros if there is none before."""
    return h("EUF1.log", line.text).hex() if line else NOTHING.hex()


def check_log(lines: list[LogLine], record: Record) -> Iterator[Fault]:
    """The log says the same as the record, in this order: promise, beginning, end.

    lines: those of this match; whether their times are in order is for `Log.follow`. A game older
    than the log has only its end there; but then no seat promised a number.
    """
    told = record["shuffle"]
    start = {key: told[key] for key in ("commitments", "contributions", "flags", "mixed")}
    end = {
        "state": record["game"]["state"],
        "secret": told["secret"],
        "seal": record["seal"],
    }
    wanted: dict[str, Record] = {
        "created": {"commitment": told["commitment"]},
        "started": start,
        "revealed": end,
    }
    kinds = [line.says["kind"] for line in lines]
    older = kinds == ["revealed"] and set(told["commitments"]) == {NOTHING.hex()}
    if kinds != list(wanted) and not older:
        found = ", ".join(kinds) or "nothing"
        yield Fault("the log", f"Of this game it must tell {', '.join(wanted)}; it tells {found}.")
    for line in lines:
        for key, value in wanted.get(line.says["kind"], {}).items():
            if line.says.get(key) != value:
                yield Fault(f"{key} in {line.place}", "The log tells this otherwise.")


# All of it ----------------------------------------------------------------------------------

FORM = "The file has the form of a record."
STEPS = [
    ("Every part of it agrees with its digest, and the digests with the seal.", check_seal),
    ("The server’s secret is the one it promised.", check_commitment),
    ("The seats’ numbers are the ones they promised.", check_seats),
    ("These numbers give the mix.", check_mix),
    ("Secret and mix give the first dealer.", check_first_dealer),
    ("They give every pack, and every cut that the table made.", check_packs),
    ("The deal went round as it should.", check_dealers),
    ("Every card played or discarded was dealt to the hand it came from.", check_cards),
    ("The points add up.", check_scores),
]


def check(record: Record, text: str) -> Iterator[Step]:
    """Check a record step by step; one that has not even the form ends after the first."""
    faults = list(check_shape(record, SHAPE)) or list(check_sizes(record))
    faults = faults or list(check_seat_names(record))
    yield Step(FORM, faults)
    if faults:
        return
    yield Step("It is written as Bower writes records, to the byte.", [*check_bytes(record, text)])
    for claim, checker in STEPS:
        yield Step(claim, list(checker(record)))


def check_with_log(record: Record, log: Log, lines: Iterable[bytes]) -> Iterator[Step]:
    """Check a record that has the form against lines of the public log."""
    faults = [fault for line in read_log(lines) for fault in log.follow(line)]
    faults += log.gaps if log.others else []
    yield Step("Each line of the log holds the hash of the one before, and is not older.", faults)
    yield Step(
        "The log says of this game what the record says: promise, beginning, end.",
        list(check_log(log.mine, record)),
    )


def say(text: str) -> None:
    """Print a line; what a file made invisible or unprintable is shown as a question mark."""
    print("".join(one if one.isprintable() else "?" for one in text))


def tell(steps: Iterable[Step]) -> bool:
    """Print steps; whether all is right."""
    right = True
    for claim, faults in steps:
        say(f"{'WRONG' if faults else 'ok   '}  {claim}")
        for place, what in faults:
            say(f"       {place}: {what}")
        right = right and not faults
    return right


def tell_players(record: Record) -> None:
    """Print who threw in a number."""
    for player, threw_in in zip(record["players"], who_threw_in(record)):
        what = "threw in a number" if threw_in else "threw in nothing"
        say(f"       {player['seat']} ({player['name']}) {what}.")


def tell_log(log: Log) -> None:
    """Print how far the log was looked at."""
    if [line.says["kind"] for line in log.mine] == ["revealed"]:
        say("       It tells the end alone: the game is older than the log, or that is hidden.")
    if log.mine and not log.others:
        say("       Only this game's lines were given: the chain is seen in the whole log.")
    if log.last:
        say(f"       The last line is {log.last.says['place']}, with hash {hash_of(log.last)}.")


def verify(record_path: Path, log_path: Path | None) -> bool:
    """Check files and print what is found; whether all is right.

    Raises UnreadableError or OSError.
    """
    record, text = read_record(record_path.read_bytes())
    steps = list(check(record, text))
    right = tell(steps)
    if steps[0].faults:
        return False
    tell_players(record)
    if log_path is not None:
        log = Log(record["game"]["id"])
        with log_path.open("rb") as lines:
            right = tell(check_with_log(record, log, lines)) and right
        tell_log(log)
    return right


def main() -> int:
    """Read the command line, check, and return the exit status."""
    parser = argparse.ArgumentParser(description="Check a game played at a Bower site.")
    parser.add_argument("record", type=Path, help="the game's record, record.json")
    parser.add_argument("--log", type=Path, help="lines of the public log, log.ndjson")
    arguments = parser.parse_args()
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")
    try:
        right = verify(arguments.record, arguments.log)
    except (UnreadableError, OSError) as why:
        say(f"Cannot be read. {why}")
        return 2
    say("All of this is right." if right else "Something is wrong: see above.")
    if right and arguments.log is None:
        say("That the seal is the one published was not checked: give --log for that.")
    if right:
        say("Not proven, since it cannot be: that nobody who runs the server looked at the cards.")
    return 0 if right else 1


if __name__ == "__main__":
    sys.exit(main())
