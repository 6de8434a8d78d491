"""The script that checks records, logs for it to check, and records altered in one place."""

from __future__ import annotations

import copy
import hashlib
import importlib.util
import json
import re
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import count, pairwise
from pathlib import Path
from random import Random
from typing import Any, Final

from games.engine.actions import FOLD, NAME
from games.engine.rules import DEALER_MAKES, NO_FACE, RULE_SETS, RuleSet
from games.fairness.views import SCRIPT
from games.files.record import write_record
from games.files.sealing import sealed
from games.files.writing import write_json
from tests.chance import random_club_rules, random_record


def loaded() -> Any:
    """The script as a module."""
    spec = importlib.util.spec_from_file_location(SCRIPT.stem, SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


script: Final = loaded()


def faults(data: bytes) -> list[tuple[str, str]]:
    """The places that the script finds wrong in a record, with its words; as it prints them."""
    try:
        record, text = script.read_record(data)
    except script.UnreadableError as why:
        place, _, words = str(why).partition(": ")
        return [(place, words)]
    return [fault for step in script.check(record, text) for fault in step.faults]


def faults_with_log(data: bytes, log: bytes) -> list[str]:
    """The places that are wrong in a record and in lines of the log."""
    record, text = script.read_record(data)
    matches = record["game"]["id"], script.match_id(record)
    log_read, lines = script.Log(*matches), log.splitlines(keepends=True)
    steps = [*script.check(record, text), *script.check_with_log(record, log_read, lines)]
    return [fault.place for step in steps for fault in step.faults]


def log_of(data: bytes, *, others: int = 0) -> bytes:
    """The log's lines of a record's game, between lines of so many other games."""
    record = json.loads(data)
    told, match = record["shuffle"], record["game"]["id"]
    started = {key: told[key] for key in ("commitments", "contributions", "flags", "mixed")}
    revealed = {
        "state": record["game"]["state"],
        "secret": told["secret"],
        "seal": record["seal"],
    }
    promised = told.get("match", match)
    tells: list[tuple[str, str, dict[str, Any]]] = [
        (promised, "created", {"commitment": told["commitment"]}),
        (promised, "started", started),
        (match, "revealed", revealed),
    ]
    if promised != match:
        tells.insert(2, (promised, "opened", {"secret": told["secret"], "games": [match]}))
    for other in range(others):
        name = f"00000000-0000-4000-8000-{other:012}"
        tells.insert(other % 4, (name, "created", {"commitment": "0" * 64}))
    return chained(tells)


def chained(
    tells: list[tuple[str, str, dict[str, Any]]], *, times: Sequence[str] = (), first: int = 1
) -> bytes:
    """Lines of the log, each with the hash of the one before.

    times: of the lines; without them all are of one moment. first: the place of the first.
    """
    lines, before = [], bytes(32)
    for number, (match, kind, data) in enumerate(tells):
        at = times[number] if times else "2026-11-19T20:23:05.000000Z"
        line = {"place": first + number, "at": at, "kind": kind, "match": match}
        text = json.dumps({**line, **data, "previous": before.hex()}, separators=(",", ":"))
        before = hashlib.sha256(b"EUF1.log" + text.encode()).digest()
        lines.append(text.encode() + b"\n")
    return b"".join(lines)


def run(*arguments: Path | str) -> subprocess.CompletedProcess[str]:
    """Run the script as a visitor does, with nothing of the project in sight."""
    command = [sys.executable, "-I", "-W", "error", SCRIPT, *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)


LETTERS: Final = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
DIGITS: Final = b"0123456789"
PRINTABLE: Final = bytes(range(32, 127))
WHITE: Final = b" \t\r\n"


@dataclass(frozen=True, slots=True)
class Altered:
    """A record's file after one alteration.

    Attributes:
        original, data: the file before and after it.
        kind: what was done, in a few words.
        part: the key of the record inside of which it was done; empty for the outermost braces.
        entry: the entry of that part's list that was changed, or None where no single one was.
    """

    original: bytes
    data: bytes
    kind: str
    part: str
    entry: int | None = None

    @property
    def line(self) -> int:
        """The line at which the two files begin to differ, from 1."""
        pairs = zip(self.original, self.data, strict=False)
        same = next((at for at, (one, two) in enumerate(pairs) if one != two), None)
        ends = min(len(self.original), len(self.data))
        return 1 + self.original.count(b"\n", 0, ends if same is None else same)

    def is_named_by(self, place: str, words: str) -> bool:
        """Return True if this place and these words point at the part that was changed.

        Args:
            place: such as ``deals[2].pack``, ``events of hand 3``, ``line 12, column 4``.
            words: what is said to be wrong there.
        """
        number = re.match(r"line (\d+)", place)
        if number is not None:
            return self._is_near(int(number[1]))
        if place == "the file" or place.startswith("byte "):
            return "UTF-8" in words or self._is_key(words)
        return any(self._is_in(one) for one in place.split(" or "))

    def _is_near(self, line: int) -> bool:
        """Broken JSON is noticed where it was broken, or later where its part ends."""
        return line in range(self.line, self.line + 4) or self.part in (
            part_of(self.data, line),
            part_of(self.data, line - 1),
            part_of(self.data, line - 2),
        )

    def _is_key(self, words: str) -> bool:
        """Whether a key that is new, missing or out of its order is named."""
        named = re.search(r'[Kk]ey "?([^" ]+)', words)
        line = self.data.splitlines()[self.line - 1].decode(errors="replace")
        return named is None or named[1] in (self.part, f"{self.part}s", *line.split('"'))

    def _is_in(self, place: str) -> bool:
        hand = re.match(r"events of hand (\d+)", place)
        if hand is not None:
            return self.part == "events" and self.entry in (None, *self._events(int(hand[1])))
        key, entry = re.match(r"(\w*)(?:\[(\d+)\])?", place, re.ASCII).groups()  # type: ignore[union-attr]
        at_entry = entry is None or self.entry in (None, int(entry))
        return bool(key) and key == self.part and at_entry

    def _events(self, hand: int) -> list[int]:
        """The places of a hand's events."""
        events, number, found = json.loads(self.original)["events"], 1, []
        for at, event in enumerate(events):
            number += event["action"] == "next"
            if number == hand:
                found.append(at)
        return found


def part_of(data: bytes, line: int) -> str:
    """The key of the record to which a line of its file belongs, from 1; empty for none."""
    part = ""
    for text in data.splitlines()[:line]:
        if text.startswith(b'"'):
            part = text.split(b'"')[1].decode(errors="replace")
    return part


@cache
def originals() -> tuple[bytes, ...]:
    """Games of all rule sets and of club rules, played out and given up, with and without cuts.

    None of them shares its deals with other tables.
    """
    offered = [
        write_record(random_record(rules, f"{number}", events=events))
        for rules in RULE_SETS.values()
        for number, events in enumerate((None, None, 0, 1, 33, 70))
    ]
    clubs = [club_record(number) for number in range(18)]
    return (*offered, *[one for one in clubs if b'"match": ' not in one][:6])


def club_record(number: int) -> bytes:
    """A game by chance of rules that only some clubs play by, often with what is rare."""
    tried = (random_club_rules(Random(f"club {number} {at}")) for at in range(1000))
    wanted: Callable[[RuleSet], bool] = (
        lambda _rules: True,
        lambda rules: rules.farmers_hand and rules.defend_alone,
        lambda rules: rules.pack > 30 and rules.fold == NO_FACE,
        lambda rules: (
            (rules.joker_turned_up, rules.fold, rules.cut) == (DEALER_MAKES, NO_FACE, False)
            and rules.pack > 30
        ),
    )[number % 4]
    rules, seed = next(filter(wanted, tried)), f"club {number}"
    if number % 4 == 3:
        seeds = (f"{seed} {at}" for at in count())
        seed = next(one for one in seeds if is_folded_after_naming(rules, one))
    return write_record(random_record(rules, seed))


def is_folded_after_naming(rules: RuleSet, seed: str) -> bool:
    """Whether a joker is turned up in a game's first hand, and the hand folded all the same."""
    begun = random_record(rules, seed, events=1 + rules.players)
    first, *answers = [event.action.kind for event in begun.events]
    return first == NAME and FOLD in answers


#: Changes of a game of club rules that follow neither from the deal nor from the rules: how an
#: event or a deal is changed, or None where the change does not apply to it.
def _acted(kind: str, change: Callable[[dict[str, Any], dict[str, Any]], str | None]) -> Any:
    def changed(data: dict[str, Any]) -> bool:
        for event in data["events"]:
            if event["action"].split(" ")[0] == kind:
                found = change(event, data)
                if found is not None:
                    event["action"] = found
                    return True
        return False

    return changed


def _ended(outcome: str, change: Callable[[dict[str, Any], dict[str, Any]], object]) -> Any:
    def changed(data: dict[str, Any]) -> bool:
        for deal, after in pairwise(data["deals"]):
            if deal["result"]["outcome"] == outcome:
                change(deal, after)
                return True
        return False

    return changed


def _not_held(event: dict[str, Any], data: dict[str, Any]) -> str:
    """The same action with a card that the seat did not hold: none has that of another suit."""
    *words, card = event["action"].split(" ")
    hand = next(
        at
        for at, events in enumerate(script.events_by_hand(data["events"]))
        if any(one is event for one in events)
    )
    one = script.hands_of(data)[hand]
    held = script.dealt(data, one)[0]
    other = next(seat for seat in held if seat != event["seat"])
    strange = next(iter(sorted(held[other] - {card})))
    return " ".join([*words, strange])


def _points(deal: dict[str, Any], _after: dict[str, Any]) -> None:
    deal["result"]["points"] = 1 + deal["result"]["points"] % 10


def _other_dealer(deal: dict[str, Any], after: dict[str, Any]) -> None:
    after["dealer"] = "North" if deal["dealer"] != "North" else "South"


CLUB_FORGERIES: Final[dict[str, Callable[[dict[str, Any]], bool]]] = {
    "a card swapped that was not held": _acted("swap", _not_held),
    "a card given away that was not held": _acted("give", _not_held),
    "a best card that the partner did not hold": _acted("best", _not_held),
    "a swap that was none": _acted("swap", lambda _event, _data: "decline"),
    "a best card that was none": _acted("best", lambda _event, _data: "decline"),
    "a lone defender who was none": _acted("defend", lambda _event, _data: "decline"),
    "a folded hand that was none": _acted("fold", lambda _event, _data: "decline"),
    "a folded hand called thrown in": _ended(
        "folded", lambda deal, _after: deal["result"].update(outcome="thrown in")
    ),
    "another dealer after a folded hand": _ended("folded", _other_dealer),
    "other points of a lone hand": _ended("alone", _points),
    "other points of a euchre": _ended("euchre", _points),
    "tricks that were not taken": _ended(
        "made", lambda deal, _after: deal["result"]["tricks"].reverse()
    ),
}


@cache
def club_forgery(kind: str) -> tuple[bytes, bytes]:
    """A game of club rules, and the same with one change and with a seal that fits it."""
    for number in range(1000):
        original = club_record(number)
        data = json.loads(original)
        if CLUB_FORGERIES[kind](data):
            return original, write_json(sealed(data))
    raise AssertionError(kind)


def alterations(count: int, seed: str) -> Iterator[Altered]:
    """So many records altered in one place; the same for the same seed."""
    for number in range(count):
        chance = Random(f"{seed} {number}")
        original = chance.choice(originals())
        found = None
        while found is None or found.data == original:
            found = chance.choice(KINDS)(original, chance)
        yield found


# A byte, anywhere -----------------------------------------------------------------------------


def _at_byte(original: bytes, at: int, removed: int, put: bytes, kind: str) -> Altered:
    """The file with so many bytes removed at a place and others put there."""
    data = original[:at] + put + original[at + removed :]
    line = 1 + original.count(b"\n", 0, at)
    part = "" if line == 1 or at >= len(original) - 2 else part_of(original, line)
    text = original.splitlines()[line - 1]
    first = next((n for n in range(line, 0, -1) if original.splitlines()[n - 1][:1] != b" "), 0)
    entry = line - first - 1 if text.startswith(b" ") else None
    return Altered(original, data, kind, part, entry)


def _one_of(original: bytes, chance: Random, wanted: bytes) -> int:
    """The place of some byte that is one of those wanted."""
    return chance.choice([at for at, byte in enumerate(original) if byte in wanted])


def flip_digit(original: bytes, chance: Random) -> Altered:
    """Another digit for one."""
    at = _one_of(original, chance, DIGITS)
    return _at_byte(original, at, 1, bytes([chance.choice(DIGITS)]), "digit")


def flip_letter(original: bytes, chance: Random) -> Altered:
    """Another letter for one."""
    at = _one_of(original, chance, LETTERS)
    return _at_byte(original, at, 1, bytes([chance.choice(LETTERS)]), "letter")


def flip_byte(original: bytes, chance: Random) -> Altered:
    """Any byte for one."""
    return _at_byte(original, chance.randrange(len(original)), 1, chance.randbytes(1), "byte")


def remove_byte(original: bytes, chance: Random) -> Altered:
    """One byte less."""
    return _at_byte(original, chance.randrange(len(original)), 1, b"", "byte removed")


def insert_byte(original: bytes, chance: Random) -> Altered:
    """One byte more."""
    at = chance.randrange(len(original))
    return _at_byte(original, at, 0, bytes([chance.choice(PRINTABLE)]), "byte inserted")


def change_white_space(original: bytes, chance: Random) -> Altered:
    """White space added, changed or taken out, mostly where JSON does not mind."""
    at = _one_of(original, chance, WHITE)
    put = bytes(chance.choice(WHITE) for _ in range(chance.randrange(3)))
    return _at_byte(original, at, 1, put, "white space")


def rewrite_number(original: bytes, chance: Random) -> Altered | None:
    """A whole number written otherwise."""
    found = [*re.finditer(rb"(?<=[ \[])\d+(?=[,\]}\n])", original)]
    number = chance.choice(found)
    other = chance.choice((b"%d.0", b"0%d", b"%de0", b"-%d", b'"%d"')) % int(number[0])
    return _at_byte(original, number.start(), len(number[0]), other, "number")


def escape_letter(original: bytes, chance: Random) -> Altered:
    """A letter of a text or a key written as an escape."""
    texts = [*re.finditer(rb'"[^"\n]*[a-zA-Z][^"\n]*"', original)]
    text = chance.choice(texts)
    at = next(at for at in range(text.start(), text.end()) if original[at] in LETTERS)
    return _at_byte(original, at, 1, b"\\u%04x" % original[at], "escape")


def double_key(original: bytes, chance: Random) -> Altered:
    """A key and its value twice in one object."""
    found = chance.choice([*re.finditer(rb'(?<=[{ ])"\w+": [^,}\[{]+(?=[,}])', original)])
    return _at_byte(original, found.start(), 0, found[0] + b", ", "key doubled")


# A value, in every part -----------------------------------------------------------------------


def _rewritten(
    original: bytes, kind: str, data: dict[str, Any], part: str, entry: int | None = None
) -> Altered:
    return Altered(original, write_json(data), kind, part, entry)


def _leaves(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The paths of all values that are no list and no object."""
    if isinstance(value, dict):
        for key in value:
            yield from _leaves(value[key], (*path, key))
    elif isinstance(value, list):
        for at, one in enumerate(value):
            yield from _leaves(one, (*path, at))
    else:
        yield path


def _other(value: Any, chance: Random) -> Any:
    """A value much like another."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + chance.choice((-1, 1, 1))
    if value is None:
        return chance.choice((0, 1, "North"))
    if not value:
        return "x"
    at = chance.randrange(len(value))
    digit = DIGITS if value[at].encode() in DIGITS else LETTERS
    return f"{value[:at]}{chr(chance.choice(digit))}{value[at + 1 :]}"


def change_value(original: bytes, chance: Random) -> Altered:
    """Another value somewhere; each part as often as any other."""
    data = json.loads(original)
    part = chance.choice([key for key in data if data[key] not in ([], {})])
    path = chance.choice([*_leaves(data[part], (part,))])
    holder = data
    for key in path[:-1]:
        holder = holder[key]
    holder[path[-1]] = _other(holder[path[-1]], chance)
    entry = path[1] if len(path) > 1 and isinstance(path[1], int) else None
    return _rewritten(original, "value", data, part, entry)


def _lists(data: dict[str, Any]) -> list[tuple[str, list[Any]]]:
    """Every list in a record with entries, with its part."""
    nested = [("digests", data["digests"][key]) for key in ("deals", "events")]
    nested += [("shuffle", data["shuffle"][key]) for key in ("commitments", "contributions")]
    outer = [(key, data[key]) for key in ("players", "deals", "events")]
    return [one for one in [*nested, *outer, ("rules", data["rules"]["packets"])] if one[1]]


def _in_list(kind: str, change: Callable[[list[Any], Random], None]) -> Any:
    def altered(original: bytes, chance: Random) -> Altered:
        data = json.loads(original)
        part, entries = chance.choice(_lists(data))
        change(entries, chance)
        return _rewritten(original, kind, data, part)

    return altered


def _swap(entries: list[Any], chance: Random) -> None:
    one, other = chance.randrange(len(entries)), chance.randrange(len(entries))
    entries[one], entries[other] = entries[other], entries[one]


def _remove(entries: list[Any], chance: Random) -> None:
    del entries[chance.randrange(len(entries))]


def _double(entries: list[Any], chance: Random) -> None:
    at = chance.randrange(len(entries))
    entries.insert(at, copy.deepcopy(entries[at]))


def change_keys(original: bytes, chance: Random) -> Altered:
    """A key renamed, removed or moved to the end."""
    data = json.loads(original)
    inner = [(key, value) for key, value in data.items() if isinstance(value, dict)]
    part, holder = chance.choice([*inner, ("", data)])
    key = chance.choice([*holder])
    value = holder.pop(key)
    if chance.random() < 0.7:
        holder[chance.choice((key, f"{key}s"))] = value
    return _rewritten(original, "key", data, part or key)


def change_seal(original: bytes, chance: Random) -> Altered:
    """Another digit in a digest or in the seal."""
    data = json.loads(original)
    paths = [path for path in _leaves(data) if path[0] in ("digests", "seal")]
    *path, last = chance.choice(paths)
    holder: Any = data
    for key in path:
        holder = holder[key]
    at = chance.randrange(64)
    digit = chance.choice([one for one in "0123456789abcdef" if one != holder[last][at]])
    holder[last] = f"{holder[last][:at]}{digit}{holder[last][at + 1 :]}"
    return _rewritten(original, "seal", data, path[0] if path else last)


KINDS: Final[tuple[Callable[[bytes, Random], Altered | None], ...]] = (
    flip_digit,
    flip_letter,
    flip_byte,
    remove_byte,
    insert_byte,
    change_white_space,
    rewrite_number,
    escape_letter,
    double_key,
    change_value,
    change_value,
    change_value,
    change_keys,
    change_seal,
    _in_list("entries swapped", _swap),
    _in_list("entry removed", _remove),
    _in_list("entry doubled", _double),
)


# Forgeries ------------------------------------------------------------------------------------


def forgeries(count: int, seed: str) -> Iterator[Altered]:
    """So many records with a value changed, and with digests and seal made to fit it."""
    made = 0
    for number in range(100 * count):
        if made == count:
            return
        altered = change_value_of(Random(f"{seed} {number}"))
        if altered is not None:
            made += 1
            yield altered


def change_value_of(chance: Random) -> Altered | None:
    """Such a forgery, or None where chance has changed a digest or nothing."""
    altered = change_value(chance.choice(originals()), chance)
    changed = altered.data != altered.original
    if not changed or altered.part in ("digests", "seal", "format", "version"):
        return None
    data = json.loads(altered.data)
    again = sealed({key: data[key] for key in data if key not in ("digests", "seal")})
    return Altered(altered.original, write_json(again), "forged", altered.part, altered.entry)
