#!/usr/bin/env python3
"""Verify, on your own computer, a game of euchre that was played on a Bower site.

    python3 bower_verify.py record.json
    python3 bower_verify.py record.json --log log.ndjson

Download the record from the game's page and the log from the site's public log: all of it, or the
lines of one match. Needs only Python 3.9 or newer, and sends nothing anywhere.

What this proves: the server's secret and the players' numbers are the ones they had committed to;
every pack follows from them; the cards played are the cards dealt, and tricks and points are those
of the cards played; and the record has not been altered since the site published its seal in the
log.
What this does not prove: that nobody who runs the server looked at the secret, and so at the cards,
during the game. Only the browsers that contributed numbers can check that the commitments were
fixed before the numbers were revealed, on the page "Verify this match". Nor is it checked whether
every play was legal: a replay shows that.

Exit status: 0 everything is right, 1 something is wrong, 2 a file cannot be read.

The terms are those of the document "Fairness": H is SHA-256, HMAC is HMAC-SHA-256, and all tags are
ASCII. The functions are in the order of that document.
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
#: Games that a line about shared deals lists at most.
LISTED = 63
SEATS = {2: ["North", "South"], 4: ["North", "East", "South", "West"]}
RANKS, JOKERS = "789TJQKA", ("Jo", "2S")


class UnreadableError(Exception):
    """A file that is not a valid record or log; the message says why."""


class Fault(NamedTuple):
    """A place in a file, and what is wrong there."""

    place: str
    what: str


class Step(NamedTuple):
    """A check: a claim that holds unless there are faults."""

    claim: str
    faults: list[Fault]


# The shuffle --------------------------------------------------------------------------------


def h(tag: str, *parts: bytes) -> bytes:
    """Return H of the tag and the parts, concatenated."""
    return hashlib.sha256(tag.encode() + b"".join(parts)).digest()


def keyed(key: bytes, message: bytes) -> bytes:
    """Return HMAC(key, message)."""
    return hmac.new(key, message, hashlib.sha256).digest()


def byte_stream(key: bytes) -> Iterator[int]:
    """Yield the bytes of HMAC(key, 0), HMAC(key, 1), …; the counter has four bytes."""
    block = 0
    while True:
        yield from keyed(key, block.to_bytes(4, "big"))
        block += 1


def draw(stream: Iterator[int], below: int) -> int:
    """Draw a uniform number from 0 to below - 1, by rejection sampling."""
    limit = 256 - 256 % below
    return next(byte for byte in stream if byte < limit) % below


def pack_in_order(rules: Record) -> list[str]:
    """Return clubs, diamonds, hearts, spades, each from low to high, and a joker if size is odd.

    The joker is the two of spades where the rules have the Benny.
    """
    size, joker = rules["pack"], "2S" if rules.get("benny") else "Jo"
    ranks = RANKS[-(size // 4) :]
    return [rank + suit for suit in "CDHS" for rank in ranks] + [joker] * (size % 2)


def shuffled(rules: Record, secret: bytes, mix: bytes, deal: int) -> tuple[list[str], int]:
    """Return a deal's pack, top first and before the cut, and the automatic cut.

    Deals are counted from 0.
    """
    stream = byte_stream(keyed(secret, b"EUF1.deal" + mix + deal.to_bytes(4, "big")))
    pack = pack_in_order(rules)
    for i in range(len(pack) - 1, 0, -1):
        j = draw(stream, i + 1)
        pack[i], pack[j] = pack[j], pack[i]
    return pack, 4 + draw(stream, len(pack) - 7) if rules["cut"] else 0


def check_commitment(record: Record) -> Iterator[Fault]:
    """Check that C = H("EUF1.commit", match, secret)."""
    shuffle = record["shuffle"]
    commitment = h("EUF1.commit", match_of(record), *numbers(shuffle["secret"]))
    if commitment.hex() != shuffle["commitment"]:
        place = "shuffle.commitment or shuffle.secret or game.id"
        yield Fault(place, "The secret is not the one promised.")


def check_seats(record: Record) -> Iterator[Fault]:
    """Check that k = H("EUF1.client", match, C, seat, r), or else r is zero and flagged."""
    shuffle = record["shuffle"]
    for seat, threw_in in enumerate(who_threw_in(record)):
        if not threw_in and shuffle["contributions"][seat] != NOTHING.hex():
            place = f"shuffle.contributions[{seat}]"
            yield Fault(place, "This is not the number that the seat had promised.")
        elif threw_in == bool(flags_of(record) >> seat & 1):
            found = "contributed a number" if threw_in else "contributed nothing"
            yield Fault(
                "shuffle.flags", f"{seat_name(record, seat)} {found}; the flags say otherwise."
            )


def who_threw_in(record: Record) -> list[bool]:
    """Return for each seat whether its number matches its commitment."""
    shuffle = record["shuffle"]
    (commitment,) = numbers(shuffle["commitment"])
    return [
        h("EUF1.client", match_of(record), commitment, bytes([seat]), numbers(number)[0]).hex()
        == shuffle["commitments"][seat]
        for seat, number in enumerate(shuffle["contributions"])
    ]


def check_mix(record: Record) -> Iterator[Fault]:
    """Check that T = H("EUF1.mix", match, C, number of seats, every k, every r, flags)."""
    shuffle = record["shuffle"]
    mixed = h(
        "EUF1.mix",
        match_of(record),
        *numbers(shuffle["commitment"]),
        bytes([len(shuffle["commitments"])]),
        *numbers(*shuffle["commitments"]),
        *numbers(*shuffle["contributions"]),
        flags_of(record).to_bytes((len(shuffle["commitments"]) + 7) // 8, "big"),
    )
    if mixed.hex() != shuffle["mixed"]:
        yield Fault("shuffle.mixed", "The numbers contributed do not produce this mix.")


def check_first_dealer(record: Record) -> Iterator[Fault]:
    """Check the draw from the stream of HMAC(secret, "EUF1.dealer", T)."""
    secret, mix = numbers(record["shuffle"]["secret"], record["shuffle"]["mixed"])
    seats = seats_of(record)
    dealer = seats[draw(byte_stream(keyed(secret, b"EUF1.dealer" + mix)), len(seats))]
    if dealer != record["shuffle"]["first_dealer"]:
        yield Fault("shuffle.first_dealer", f"By the shuffle {dealer} deals first.")


def match_id(record: Record) -> str:
    """Return the id under which the shuffle was promised: the game's, unless deals are shared."""
    shared: str = record["shuffle"].get("match", record["game"]["id"])
    return shared


def match_of(record: Record) -> bytes:
    """Return the id of the shuffle as 16 bytes."""
    return uuid.UUID(match_id(record)).bytes


def flags_of(record: Record) -> int:
    """Return the flags, bit i for seat i; those of more than eight seats are hexadecimal digits."""
    flags = record["shuffle"]["flags"]
    return int(flags, 16) if isinstance(flags, str) else int(flags)


def seat_name(record: Record, seat: int) -> str:
    """Return the name of a seat; tables that share their deals have four seats each, in order."""
    table, at = divmod(seat, len(seats_of(record)))
    name = seats_of(record)[at]
    return f"{name} at table {table + 1}" if "match" in record["shuffle"] else name


def seats_of(record: Record) -> list[str]:
    """Return the names of the seats, clockwise."""
    return SEATS[record["rules"]["players"]]


def numbers(*texts: str) -> list[bytes]:
    """Decode hexadecimal texts."""
    return [bytes.fromhex(text) for text in texts]


# The hands ----------------------------------------------------------------------------------


class Hand(NamedTuple):
    """A hand as recorded, with the pack and the automatic cut that the shuffle gives."""

    number: int
    deal: Record
    events: list[tuple[str, Record]]  # each with its place in the record
    pack: list[str]
    cut: int

    @property
    def place(self) -> str:
        """The place of the hand in the record."""
        return f"deals[{self.number - 1}]"

    @property
    def recorded_pack(self) -> list[str]:
        """The pack that the record names."""
        cards: list[str] = self.deal["pack"].split(" ")
        return cards

    @property
    def cutting(self) -> tuple[str, Record] | None:
        """The hand's first action with its place, if it is a cut."""
        done = [one for one in self.events if one[1]["action"] != "next"][:1]
        return done[0] if done and done[0][1]["action"].startswith("cut ") else None


def hands_of(record: Record) -> list[Hand]:
    """Return all hands of a record, in order."""
    secret, mix = numbers(record["shuffle"]["secret"], record["shuffle"]["mixed"])
    place, hands = 0, []
    for number, events in enumerate(events_by_hand(record["events"])):
        placed = [(f"events[{place + at}]", event) for at, event in enumerate(events)]
        place += len(events)
        given = shuffled(record["rules"], secret, mix, number)
        hands.append(Hand(number + 1, record["deals"][number], placed, *given))
    return hands


def events_by_hand(events: list[Record]) -> list[list[Record]]:
    """Return the events of each hand; "next" deals a hand and is the first of its events."""
    hands: list[list[Record]] = [[]]
    for event in events:
        if event["action"] == "next":
            hands.append([])
        hands[-1].append(event)
    return hands


def check_packs(record: Record) -> Iterator[Fault]:
    """Check that every pack and every automatic cut is the one that the shuffle gives."""
    hands = hands_of(record)
    wrong = [hand for hand in hands if hand.recorded_pack != hand.pack]
    if len(wrong) == len(hands) > 1:
        yield Fault("deals", "None of the packs matches the shuffle.")
        wrong = []
    for hand in wrong:
        yield Fault(f"{hand.place}.pack", f"The shuffle gives {' '.join(hand.pack)}.")
    for hand in hands:
        yield from check_cut(record, hand)


def check_cut(record: Record, hand: Hand) -> Iterator[Fault]:
    """Check that the pack is cut once and first, if the rules have a cut, and leaves four cards."""
    cuts = [one for one in hand.events if one[1]["action"].startswith("cut ")]
    for place, event in cuts[1:] if hand.cutting and record["rules"]["cut"] else cuts:
        yield Fault(place, f"Hand {hand.number} has no cut here ({event['action']}).")
    if not (hand.cutting and record["rules"]["cut"]):
        return
    place, event = hand.cutting
    lifted = int(event["action"][4:])
    if not 4 <= lifted <= len(hand.pack) - 4:
        yield Fault(place, "A cut must leave at least four cards in each part.")
    elif event["by"] == "clock" and lifted != hand.cut:
        yield Fault(place, f"By the shuffle the automatic cut is {hand.cut}.")


def check_dealers(record: Record) -> Iterator[Fault]:
    """Check that the deal passes clockwise; the rules may keep it after a hand not played."""
    rules, seats = record["rules"], seats_of(record)
    dealer = seats.index(record["shuffle"]["first_dealer"])
    for number, deal in enumerate(record["deals"], start=1):
        if deal["number"] != number:
            yield Fault(f"deals[{number - 1}].number", f"This is hand {number}.")
        if deal["dealer"] != seats[dealer]:
            yield Fault(f"deals[{number - 1}].dealer", f"{seats[dealer]} should have dealt.")
        outcome = deal["result"] and deal["result"]["outcome"]
        may_stay = rules["dealer_stays"] or rules["deals"] is not None
        stays = outcome == "folded" or (outcome == "thrown in" and may_stay)
        stays = stays and not rules.get("thrown_in_counts")
        dealer = (seats.index(deal["dealer"]) + (not stays)) % len(seats)


def dealt(record: Record, hand: Hand) -> tuple[dict[str, set[str]], list[str]] | None:
    """Return the hands by seat and the other cards from the turn-up on.

    None if not dealt or not a complete pack.
    """
    seats = seats_of(record)
    if sorted(hand.recorded_pack) != sorted(pack_in_order(record["rules"])):
        return None
    if record["rules"]["cut"] and hand.cutting is None:
        return None
    lifted = int(hand.cutting[1]["action"][4:]) if hand.cutting else 0
    cards = iter(hand.recorded_pack[lifted:] + hand.recorded_pack[:lifted])
    left = seats.index(hand.deal["dealer"]) + 1
    hands: dict[str, set[str]] = {seat: set() for seat in seats}
    for packet in packets_of(record["rules"], left - 1):
        for seat in seats[left:] + seats[:left]:
            hands[seat].update(next(cards) for _ in range(packet))
    return hands, list(cards)


def packets_of(rules: Record, dealer: int) -> list[int]:
    """Return the packets that the dealer deals; some dealers deal them in reverse order."""
    packets: list[int] = rules["packets"]
    return packets[::-1] if rules.get("reversed_by", 0) >> dealer & 1 else packets


def contract(record: Record, hand: Hand, turn_up: str) -> tuple[str | None, str, bool]:
    """Return who made trump, what is trump, and whether the maker plays alone; None: nobody."""
    maker, trump, alone = None, turn_up[1], False
    for _, event in hand.events:
        verb, *words = event["action"].split(" ")
        if verb == "name" and record["rules"]["joker_turned_up"] == "dealer_makes":
            maker = hand.deal["dealer"]
        elif verb in ("order", "make"):
            maker, alone = event["seat"], words[-1:] == ["alone"]
        elif verb == "fold":  # the dealer who named the joker's suit makes trump only after it
            maker = None
        if verb in ("name", "make"):
            trump = words[0]
    return maker, trump, alone


#: The actions that move cards.
MOVES = ("play", "discard", "swap", "give", "best")


def check_cards(record: Record) -> Iterator[Fault]:
    """Check that each card that a seat played or put away was held by it, and moved once."""
    seats = seats_of(record)
    for hand in hands_of(record):
        moved = [one for one in hand.events if one[1]["action"].split(" ")[0] in MOVES]
        deal = dealt(record, hand)
        if deal is None:
            if moved:
                yield Fault(moved[0][0], f"No cards were dealt in hand {hand.number}.")
            continue
        (held, (turn_up, *kitty)), dealer = deal, hand.deal["dealer"]
        maker, taken = contract(record, hand, turn_up)[0], {turn_up}
        partner = seats[(seats.index(maker) + 2) % len(seats)] if maker else None
        movers = {"discard": dealer, "give": maker, "best": partner}
        for place, event in moved:
            seat, (verb, *cards) = event["seat"], event["action"].split(" ")
            if verb == "discard":
                held[dealer], taken = held[dealer] | taken, set()
            own = held.get(seat, set()) if seat == movers.get(verb, seat) else set()
            if len(own.intersection(cards)) < len(cards):
                what = f"did not hold {' '.join(cards)} in hand {hand.number}."
                yield Fault(place, f"{seat or 'Nobody'} {what}")
                continue
            own.difference_update(cards)
            if verb == "swap":
                own.update(kitty)
                kitty = []
            elif verb == "best":
                held[str(maker)].update(cards)


def check_results(record: Record) -> Iterator[Fault]:
    """Check that tricks and points follow from the cards played, by the rules."""
    for hand in hands_of(record):
        deal, result = dealt(record, hand), hand.deal["result"]
        right = result_of(record, hand, deal[1][0]) if deal and result else {}
        for key in [key for key in right if right[key] != result[key]]:
            words = f"By the cards played this is {json.dumps(right[key])}."
            yield Fault(f"{hand.place}.result.{key}", words)


def result_of(record: Record, hand: Hand, turn_up: str) -> Record:
    """Return the result of a hand that was played, folded or thrown in."""
    rules, seats = record["rules"], seats_of(record)
    maker, trump, alone = contract(record, hand, turn_up)
    actions = [event["action"] for _, event in hand.events]
    if maker is None:
        outcome = "folded" if "fold" in actions else "thrown in"
        return {"outcome": outcome, "makers": None, "tricks": [0, 0], "side": None, "points": 0}
    plays = [
        (seats.index(event["seat"]), event["action"][5:])
        for _, event in hand.events
        if event["seat"] and event["action"].startswith("play ")
    ]
    tricks, makers, defended = [0, 0], seats.index(maker) % 2, "defend" in actions
    size = max(len(seats) - alone - defended, 1)
    for at in range(0, len(plays), size):
        tricks[trick_winner(plays[at : at + size], trump) % 2] += 1
    taken, side = tricks[makers], makers if tricks[makers] > 2 else 1 - makers
    if side != makers:
        euchre = rules.get("alone_euchre", rules["euchre"]) if alone else rules["euchre"]
        euchre = rules.get("lone_defence", 4) if defended else euchre
        skunk = taken == 0 and rules["skunk"] > euchre
        outcome, points = ("skunk", rules["skunk"]) if skunk else ("euchre", euchre)
    elif alone:
        key = "alone_march" if taken == 5 else "alone_made"
        outcome, points = ("lone march" if taken == 5 else "alone"), rules[key]
    else:
        outcome = "march" if taken == 5 else "made"
        points = rules[outcome]
    found = {"outcome": outcome, "makers": makers, "tricks": tricks}
    return {**found, "side": side, "points": points}


def trick_winner(plays: list[tuple[int, str]], trump: str) -> int:
    """Return the seat that takes a trick; trump is a suit, NT (no trump) or LNT (low)."""
    other = {"C": "S", "S": "C", "D": "H", "H": "D"}.get(trump, "")

    def suit(card: str) -> str:
        return trump if other and (card in JOKERS or card == "J" + other) else card[1]

    def strength(play: tuple[int, str]) -> int:
        card = play[1]
        if suit(card) not in (trump, suit(plays[0][1])):
            return 0
        if card in JOKERS:
            return 30
        rank = 8 - RANKS.index(card[0]) if trump == "LNT" else 1 + RANKS.index(card[0])
        if suit(card) != trump:
            return rank
        return 10 + rank if card[0] != "J" else 20 + (card[1] == trump)

    return max(plays, key=strength)[0]


def check_scores(record: Record) -> Iterator[Fault]:
    """Check that the points add up to the scores, and who won."""
    score = [0, 0]
    for number, deal in enumerate(record["deals"]):
        if deal["result"] is not None and deal["result"]["side"] is not None:
            score[deal["result"]["side"]] += deal["result"]["points"]
        if deal["score"] != score:
            yield Fault(f"deals[{number}].score", f"The points add up to {score}.")
        score = list(deal["score"])
    if record["result"]["score"] != score:
        yield Fault("result.score", f"After the last hand the score was {score}.")
    winner = winner_by(record, score)
    if record["game"]["state"] == "resigned":
        if winner is not None or record["result"]["winner"] is None:
            yield Fault(
                "result.winner", "A side resigns before the game is over, and the other wins."
            )
    elif record["result"]["winner"] != winner:
        who = "nobody" if winner is None else f"side {winner}"
        yield Fault("result.winner", f"At {score[0]} to {score[1]} {who} has won.")


def winner_by(record: Record, score: list[int]) -> int | None:
    """Return the side that has won at a score; None for a tie, and before the game is over."""
    rules, results = record["rules"], [deal["result"] for deal in record["deals"]]
    counts = rules.get("thrown_in_counts", False)
    scored = sum(one is not None and (counts or one["makers"] is not None) for one in results)
    over = scored == rules["deals"] if rules["target"] is None else max(score) >= rules["target"]
    return None if not over or score[0] == score[1] else int(score[1] > score[0])


# The file -----------------------------------------------------------------------------------

HEX = re.compile("[0-9a-f]{64}")
ID = re.compile("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
TIME = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{6}Z")
CARD = "(?:[789TJQKA][CDHS]|Jo|2S)"
ACTION = re.compile(
    "pass|next|cut [0-9]{1,2}|order(?: alone)?|make (?:[CDHS]|L?NT)(?: alone)?|name [CDHS]"
    f"|decline|fold|defend|(?:discard|give|best|play) {CARD}|swap {CARD} {CARD} {CARD}"
)
BOOL, SCORE, SIDE, SEAT = (True, False), [range(10_000)], (None, 0, 1), tuple(SEATS[4])
POINTS, TEXT, MANY = range(1, 11), re.compile("(?s).{0,150}"), range(1, 1_000_001)
PACK = re.compile(f"{CARD}(?: {CARD})*")
OUTCOME = ("made", "march", "alone", "lone march", "euchre", "skunk", "thrown in", "folded")
RESULT = {"outcome": OUTCOME, "makers": SIDE, "tricks": SCORE, "side": SIDE, "points": range(11)}


class Optional(NamedTuple):
    """The shape of a key that is left out when it does not apply."""

    shape: Any


#: The schema of a record. A dict gives an object's keys in their order, a list the shape of its
#: entries, a pattern a text, a range an integer, a tuple alternatives.
SHAPE: dict[str, Any] = {
    "format": "Bower game record",
    "version": 2,
    "game": {
        "id": ID, "number": MANY,
        "state": ("over", "abandoned", "resigned"), "started": TIME, "ended": TIME,
    },
    "table": {"title": TEXT},
    "rules": {
        "key": TEXT, "name": TEXT, "players": (2, 4), "pack": (24, 25, 28, 29, 32, 33),
        "cut": BOOL, "packets": [range(1, 6)], "stick_the_dealer": BOOL, "alone": BOOL,
        "dealer_stays": BOOL, "joker_turned_up": ("dealer_names", "dealer_makes"),
        "lay_down": BOOL, "made": POINTS, "march": POINTS, "alone_made": range(11),
        "alone_march": POINTS, "euchre": POINTS, "skunk": POINTS,
        "target": (None, range(1, 51)), "deals": (None, range(1, 101)),
        "packets_by_dealer": Optional(True), "calls": Optional("pick_up"),
        "reversed_by": Optional(range(1, 16)), "stuck_after": Optional(range(1, 4)),
        "thrown_in_counts": Optional(True), "old_words": Optional(True),
        "no_trump": Optional(("high", "high_or_low")), "defend_alone": Optional(True),
        "alone_euchre": Optional(POINTS), "lone_defence": Optional((range(1, 4), range(5, 11))),
        "partners_best": Optional(True), "dealers_partner_alone": Optional(True),
        "own_trump": Optional(True), "no_lone_near_end": Optional(True),
        "lone_lead": Optional(("makers_left", "maker")), "farmers_hand": Optional(True),
        "fold": Optional(("no_face", "no_face_or_suit")), "benny": Optional(True),
    },
    "players": [{"seat": SEAT, "name": TEXT, "kind": ("person", "house", "program")}],
    "shuffle": {
        "method": "EUF1", "match": Optional(ID), "table": Optional(range(1, 64)),
        "commitment": HEX, "commitments": [HEX], "contributions": [HEX],
        "flags": (range(256), re.compile("([0-9a-f]{2}){2,32}")),
        "mixed": HEX, "secret": HEX, "first_dealer": SEAT,
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
    """Parse a record; return its data and its text.

    Raises UnreadableError if it is not a record at all.
    """
    try:
        text = data.decode()
        record = json.loads(text)
    except UnicodeDecodeError as why:
        raise UnreadableError(f"byte {why.start}: This is not UTF-8 text.") from None
    except json.JSONDecodeError as why:
        place = f"line {why.lineno}, column {why.colno}"
        raise UnreadableError(f"{place}: This is not JSON ({why.msg}).") from None
    except (ValueError, RecursionError):
        raise UnreadableError("the file: This JSON cannot be read.") from None
    if not isinstance(record, dict):
        raise UnreadableError("the file: A record is a JSON object.")
    for key in ("format", "version"):
        if record.get(key) != SHAPE[key]:
            raise UnreadableError(f"{key}: Only a {SHAPE['format']} of version 2 can be read.")
    return record, text


def check_shape(value: Any, shape: Any, place: str = "") -> Iterator[Fault]:
    """Check every value against the schema, see SHAPE."""
    if isinstance(shape, tuple) and isinstance(value, dict):
        shape = shape[-1]
    if isinstance(shape, dict) and isinstance(value, dict):
        dot = "." if place else ""
        for key in [key for key in value if key not in shape]:
            yield Fault(f"{place}{dot}{key}", "A record has no such key.")
        needed = {key for key, kind in shape.items() if not isinstance(kind, Optional)}
        for key in [key for key in shape if key in needed and key not in value]:
            yield Fault(f"{place}{dot}{key}", "This key is missing.")
        ordered = [key for key in shape if key in value]
        if needed <= value.keys() <= shape.keys() and list(value) != ordered:
            yield Fault(place or "the file", f"The keys must be in the order {', '.join(ordered)}.")
        for key in ordered:
            kind = shape[key].shape if isinstance(shape[key], Optional) else shape[key]
            yield from check_shape(value[key], kind, f"{place}{dot}{key}")
    elif isinstance(shape, list) and isinstance(value, list):
        for at, entry in enumerate(value):
            yield from check_shape(entry, shape[0], f"{place}[{at}]")
    elif not fits(value, shape):
        found = "This" if isinstance(value, (dict, list)) else json.dumps(value)[:40]
        yield Fault(place, f"{found} is not allowed here.")


def fits(value: Any, shape: Any) -> bool:
    """Return whether a scalar matches its shape."""
    if isinstance(shape, re.Pattern):
        return isinstance(value, str) and shape.fullmatch(value) is not None
    if isinstance(shape, range):
        return type(value) is int and value in shape
    if isinstance(shape, tuple):
        return any(fits(value, one) for one in shape)
    return type(value) is type(shape) and bool(value == shape)


def check_sizes(record: Record) -> Iterator[Fault]:
    """Check that all parts have the same number of seats and hands."""
    shuffle, digests, rules = record["shuffle"], record["digests"], record["rules"]
    tables = len(shuffle["commitments"]) // 4 if "match" in shuffle else 1
    yield from odd_one_out(
        {
            "rules.players": rules["players"] * tables,
            "players": len(record["players"]) * tables,
            "shuffle.commitments": len(shuffle["commitments"]),
            "shuffle.contributions": len(shuffle["contributions"]),
        }
    )
    yield from check_shared(shuffle, tables)
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
        yield Fault("rules.reversed_by", "Under these rules that seat may not reverse the packets.")


def check_shared(shuffle: Record, tables: int) -> Iterator[Fault]:
    """Check which table this is, and the size of the flags; see `flags_of`."""
    if ("match" in shuffle) != ("table" in shuffle):
        yield Fault("shuffle", "Only a shuffle shared by tables has the keys match and table.")
    elif not 1 <= shuffle.get("table", 1) <= tables <= 63:
        yield Fault("shuffle.table", f"There are {tables} tables.")
    seats, flags = len(shuffle["commitments"]), shuffle["flags"]
    size = 2 * ((seats + 7) // 8)
    fits = len(flags) == size if isinstance(flags, str) else flags < 2**seats
    if isinstance(flags, str) != (seats > 8) or not fits:
        yield Fault("shuffle.flags", f"This is not a flag for each of {seats} seats.")


def odd_one_out(counts: dict[str, int]) -> Iterator[Fault]:
    """Report the counts that differ from the most common one."""
    usual = Counter(counts.values()).most_common(1)[0][0]
    for place, count in counts.items():
        if count != usual:
            yield Fault(place, f"There are {count} here, but {usual} elsewhere.")


def check_seat_names(record: Record) -> Iterator[Fault]:
    """Check that seats exist at this table, and that players are in the order of seats."""
    seats = seats_of(record)
    named = [("shuffle.first_dealer", record["shuffle"]["first_dealer"])]
    named += [(f"deals[{at}].dealer", deal["dealer"]) for at, deal in enumerate(record["deals"])]
    named += [(f"events[{at}].seat", one["seat"]) for at, one in enumerate(record["events"])]
    for place, seat in named:
        if seat is not None and seat not in seats:
            yield Fault(place, f"There is no such seat with {len(seats)} players.")
    for at, player in enumerate(record["players"]):
        if player["seat"] != seats[at]:
            yield Fault(f"players[{at}].seat", f"This must be {seats[at]}.")


def check_bytes(record: Record, text: str) -> Iterator[Fault]:
    """Check that the text is what Bower writes: a line per field and per entry of a list."""
    fields = [f'"{key}": {as_written(value)}' for key, value in record.items()]
    right = "{\n" + ",\n".join(fields) + "\n}\n"
    if text != right:
        pairs = enumerate(zip(text, right))
        at = next((at for at, (one, two) in pairs if one != two), min(len(text), len(right)))
        line, column = 1 + text.count("\n", 0, at), at - text.rfind("\n", 0, at)
        yield Fault(f"line {line}, column {column}", "Bower would write this differently.")


def as_written(value: Any) -> str:
    """Return the text of a field as Bower writes it."""
    if isinstance(value, list) and value:
        lines = [" " + json.dumps(entry, ensure_ascii=False) for entry in value]
        return "[\n" + ",\n".join(lines) + "\n]"
    return json.dumps(value, ensure_ascii=False)


# Digests and seal ---------------------------------------------------------------------------

#: The sealed parts; names are not sealed, since they may change later.
SEALED = ("game", "rules", "shuffle", "deals", "events", "result")


def compact(value: Any) -> bytes:
    """Return JSON without white space, the form that digests and the log use."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return text.encode("utf-8", "surrogatepass")


def digest(part: str, value: Any) -> str:
    """Return H("EUF1.record.", the part's name, its compact JSON) in hexadecimal."""
    return h("EUF1.record." + part, compact(value)).hex()


def digests_of(record: Record) -> Record:
    """Return the digests of all parts; deals and events have one for each hand."""
    lists = {"deals": record["deals"], "events": events_by_hand(record["events"])}
    return {
        part: [digest(part, entry) for entry in lists[part]]
        if part in lists
        else digest(part, record[part])
        for part in SHAPE["digests"]
    }


def seal_over(digests: Record) -> str:
    """Return H("EUF1.record", the digests of the sealed parts in order) in hexadecimal."""
    parts: list[str] = []
    for part in SEALED:
        parts += digests[part] if isinstance(digests[part], list) else [digests[part]]
    return h("EUF1.record", *numbers(*parts)).hex()


def check_seal(record: Record) -> Iterator[Fault]:
    """Check that every part matches its digest, and the digests match the seal.

    If a part and its digest differ, the seal shows which of the two was altered.
    """
    stated, computed, seal = record["digests"], digests_of(record), record["seal"]
    digests_intact, parts_intact = seal_over(stated) == seal, seal_over(computed) == seal
    places = list(mismatches(stated, computed))
    for part, place, digest_place in places:
        if part in SEALED and digests_intact:
            yield Fault(place, "This was altered: it does not match its sealed digest.")
        elif part in SEALED and parts_intact:
            yield Fault(digest_place, "This digest was altered: it is not the one sealed.")
        else:
            yield Fault(f"{place} or {digest_place}", "One of these was altered.")
    if not digests_intact and not (parts_intact and places):
        yield Fault("seal", "This seal does not match the digests.")


def mismatches(stated: Record, computed: Record) -> Iterator[tuple[str, str, str]]:
    """Yield the parts that do not match their digest: name, place, place of the digest."""
    for part, right in computed.items():
        if isinstance(right, str):
            if stated[part] != right:
                yield part, part, f"digests.{part}"
            continue
        for at, one in enumerate(right):
            if stated[part][at] != one:
                place = f"deals[{at}]" if part == "deals" else f"events of hand {at + 1}"
                yield part, place, f"digests.{part}[{at}]"


# The public log -----------------------------------------------------------------------------


class LogLine(NamedTuple):
    """A line of the public log: its text, and the data in it."""

    text: bytes
    data: Record

    @property
    def place(self) -> str:
        """The place of the line, as used in faults."""
        return f"line {self.data['place']} of the log"


def read_log(lines: Iterable[bytes]) -> Iterator[LogLine]:
    """Parse the lines of a log; raises UnreadableError for an invalid one."""
    for number, line in enumerate(lines, start=1):
        text = line.rstrip(b"\n")
        try:
            data = json.loads(text.decode())
        except (ValueError, RecursionError):
            raise UnreadableError(f"line {number} of the log’s file: This is not JSON.") from None
        kinds = {"place": int, "at": str, "kind": str, "match": str, "previous": str}
        if not isinstance(data, dict) or any(
            type(data.get(key)) is not kind for key, kind in kinds.items()
        ):
            raise UnreadableError(
                f"line {number} of the log’s file: This is not a line of the log."
            )
        yield LogLine(text, data)


class Log:
    """The hash chain of the log, checked line by line; `matches` are a game and its shuffle.

    A file with the lines of a single match has gaps; in any other file no line may be missing, not
    even the first.
    """

    def __init__(self, *matches: str) -> None:
        self.matches = matches
        self.mine: list[LogLine] = []
        self.last: LogLine | None = None
        self.gaps: list[Fault] = []
        self.latest = ""
        self.others = False

    def follow(self, line: LogLine) -> Iterator[Fault]:
        """Check the next line."""
        place, expected = line.data["place"], self.last.data["place"] + 1 if self.last else 1
        if compact(line.data) != line.text:
            yield Fault(line.place, "The log would write this line differently.")
        if place < expected:
            yield Fault(line.place, "The lines are not in order.")
        elif place > expected:
            self.gaps.append(Fault(line.place, f"Line {expected} is missing before it."))
        elif line.data["previous"] != hash_of(self.last):
            yield Fault(line.place, "It does not contain the hash of the previous line.")
        if not is_time(line.data["at"]):
            yield Fault(f"at in {line.place}", "This is not a valid time.")
        elif self.latest > line.data["at"]:
            yield Fault(f"at in {line.place}", f"An earlier line has a later time, {self.latest}.")
        else:
            self.latest = line.data["at"]
        if line.data["match"] in self.matches:
            self.mine.append(line)
        else:
            self.others = True
        self.last = line


def is_time(text: str) -> bool:
    """Return whether a text is a time as the log writes it; such texts sort by time."""
    try:
        return TIME.fullmatch(text) is not None and bool(datetime.fromisoformat(text[:-1]))
    except ValueError:
        return False


def hash_of(line: LogLine | None) -> str:
    """Return H("EUF1.log", the line's bytes), which the next line contains; zeros for None."""
    return h("EUF1.log", line.text).hex() if line else NOTHING.hex()


def check_log(lines: list[LogLine], record: Record) -> Iterator[Fault]:
    """Check that the log agrees with the record and has promise, start and end in this order.

    lines: those of this match, whose times `Log.follow` has checked. A game that began before the
    log existed has only its end there, and no seat commitments.
    """
    shuffle = record["shuffle"]
    start = {key: shuffle[key] for key in ("commitments", "contributions", "flags", "mixed")}
    end = {
        "state": record["game"]["state"],
        "secret": shuffle["secret"],
        "seal": record["seal"],
    }
    wanted: dict[str, Record] = {
        "created": {"commitment": shuffle["commitment"]},
        "started": start,
        "opened": {"secret": shuffle["secret"]},
        "revealed": end,
    }
    if "match" not in shuffle:
        del wanted["opened"]
    kinds = [line.data["kind"] for line in lines]
    older = kinds == ["revealed"] and set(shuffle["commitments"]) == {NOTHING.hex()}
    if kinds != list(wanted) and not older:
        found = ", ".join(kinds) or "nothing"
        yield Fault("the log", f"It must have {', '.join(wanted)} for this game, not {found}.")
    if "match" in shuffle:
        yield from check_shared_lines(lines, record)
    for line in lines:
        for key, value in wanted.get(line.data["kind"], {}).items():
            if line.data.get(key) != value:
                yield Fault(f"{key} in {line.place}", "The log and the record differ here.")


def check_shared_lines(lines: list[LogLine], record: Record) -> Iterator[Fault]:
    """Check that a shared shuffle was opened for this game, and each line is about one of both."""
    for line in lines:
        own = record["game"]["id"] if line.data["kind"] == "revealed" else match_id(record)
        if line.data["match"] != own:
            yield Fault(line.place, "This line is about another match.")
        games = line.data.get("games", [])
        every = len(games) < LISTED or line.data.get("tables", LISTED) == LISTED
        if line.data["kind"] == "opened" and every and record["game"]["id"] not in games:
            yield Fault(f"games in {line.place}", "The deals were not opened for this game.")


# Everything ----------------------------------------------------------------------------------

FORM = "The file has the form of a record."
STEPS = [
    ("Every part matches its digest, and the digests match the seal.", check_seal),
    ("The server’s secret is the one it promised.", check_commitment),
    ("The seats’ numbers are the ones they promised.", check_seats),
    ("These numbers produce the mix.", check_mix),
    ("Secret and mix determine the first dealer.", check_first_dealer),
    ("They determine every pack and every automatic cut.", check_packs),
    ("The deal passed as it should.", check_dealers),
    ("Every card played or put away was dealt to the hand it came from.", check_cards),
    ("Tricks and points follow from the cards played.", check_results),
    ("The points add up.", check_scores),
]


def check(record: Record, text: str) -> Iterator[Step]:
    """Check a record step by step; stop after the first step if the form is wrong."""
    faults = list(check_shape(record, SHAPE)) or list(check_sizes(record))
    faults = faults or list(check_seat_names(record))
    yield Step(FORM, faults)
    if faults:
        return
    yield Step("It is byte for byte what Bower writes.", [*check_bytes(record, text)])
    for claim, checker in STEPS:
        yield Step(claim, list(checker(record)))


def check_with_log(record: Record, log: Log, lines: Iterable[bytes]) -> Iterator[Step]:
    """Check a well-formed record against lines of the public log."""
    faults = [fault for line in read_log(lines) for fault in log.follow(line)]
    faults += log.gaps if log.others else []
    yield Step(
        "Each line of the log contains the hash of the previous line, and is not older.", faults
    )
    yield Step(
        "The log agrees with the record: promise, start, end.",
        list(check_log(log.mine, record)),
    )


def say(text: str) -> None:
    """Print a line, with a question mark for each unprintable character of a file."""
    print("".join(one if one.isprintable() else "?" for one in text))


def report(steps: Iterable[Step]) -> bool:
    """Print steps; return whether everything is right."""
    right = True
    for claim, faults in steps:
        say(f"{'WRONG' if faults else 'ok   '}  {claim}")
        for place, what in faults:
            say(f"       {place}: {what}")
        right = right and not faults
    return right


def report_players(record: Record) -> None:
    """Print who contributed a number."""
    seats = len(record["players"])
    first = seats * (record["shuffle"].get("table", 1) - 1)
    mine = who_threw_in(record)[first : first + seats]
    for player, threw_in in zip(record["players"], mine):
        what = "contributed a number" if threw_in else "contributed nothing"
        say(f"       {player['seat']} ({player['name']}) {what}.")


def report_log(log: Log) -> None:
    """Print how much of the log was checked."""
    if [line.data["kind"] for line in log.mine] == ["revealed"]:
        say("       It has only the end: the game is older than the log, or lines are withheld.")
    if log.mine and not log.others:
        say("       Only this game's lines were given: checking the chain needs the whole log.")
    if log.last:
        say(f"       The last line is {log.last.data['place']}, with hash {hash_of(log.last)}.")


def verify(record_path: Path, log_path: Path | None) -> bool:
    """Check files and print the results; return whether everything is right.

    Raises UnreadableError or OSError.
    """
    record, text = read_record(record_path.read_bytes())
    steps = list(check(record, text))
    right = report(steps)
    if steps[0].faults:
        return False
    report_players(record)
    if log_path is not None:
        log = Log(record["game"]["id"], match_id(record))
        with log_path.open("rb") as lines:
            right = report(check_with_log(record, log, lines)) and right
        report_log(log)
    return right


def main() -> int:
    """Run the command; return the exit status."""
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
    say("Everything is right." if right else "Something is wrong: see above.")
    if right and arguments.log is None:
        say("The seal was not compared with the published one: use --log for that.")
    if right:
        say("What cannot be proven: that nobody who runs the server looked at the cards.")
    return 0 if right else 1


if __name__ == "__main__":
    sys.exit(main())
