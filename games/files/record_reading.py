"""Reads Bower's own record of a game, and checks whatever in it follows from the rest."""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from games.engine import shuffle
from games.engine.actions import action_text, parse_action
from games.engine.errors import EngineError, RuleSetError
from games.engine.refusals import compass
from games.engine.rules import RuleSet, rules_from_data, rules_to_data
from games.files.reading import Node, shown
from games.files.record import (
    ABANDONED,
    ACTORS,
    FORMAT,
    KINDS,
    OVER,
    VERSION,
    Event,
    Record,
    Sitter,
    record_data,
    replay,
    time_text,
)

MOST_EVENTS: Final = 10_000


def read_record(file: Node) -> Record:
    """Read a record and check all of it: the shuffle, every event, the results and scores.

    Args:
        file: the whole file, from ``reading.load``.

    Raises:
        FileError: it is no record, or something in it cannot be so.
    """
    said = file.fields(
        ("format", "version", "game", "rules", "players", "shuffle", "deals", "events", "result")
    )
    said["format"].choice((FORMAT,))
    said["version"].number(VERSION, VERSION)
    about = said["game"].fields(("id", "title", "number", "state", "started", "ended"))
    rules = _read_rules(said["rules"])
    proof = said["shuffle"].fields(("method", "commitment", "mixed", "secret", "first_dealer"))
    proof["method"].choice(("EUF1",))
    record = Record(
        game_id=_read_id(about["id"]),
        title=about["title"].words(150),
        number=about["number"].number(1, 1_000_000),
        state=about["state"].choice((OVER, ABANDONED)),
        started=_read_time(about["started"]),
        ended=_read_time(about["ended"]),
        rules=rules,
        sitters=tuple(
            _read_sitter(sitter, compass(rules.players, seat))
            for seat, sitter in enumerate(said["players"].items(rules.players, rules.players))
        ),
        commitment=proof["commitment"].hexadecimal(32),
        mixed=proof["mixed"].hexadecimal(32),
        secret=proof["secret"].hexadecimal(32),
        events=tuple(_read_event(node, rules) for node in said["events"].items(0, MOST_EVENTS)),
    )
    if shuffle.commit(record.game_id.bytes, record.secret) != record.commitment:
        proof["commitment"].refuse("The secret is not the one that was committed to.")
    game, deals = replay(record)
    if (record.state == OVER) != game.standing.over:
        told = "is over" if game.standing.over else "is not over"
        about["state"].refuse(f"After its events the game {told}.")
    _compare(said, record_data(record, game, deals), ("shuffle", "deals", "result"))
    return record


def _compare(said: Mapping[str, Node], found: Mapping[str, Any], keys: Sequence[str]) -> None:
    """Refuse whatever differs from what the engine finds."""
    for key in keys:
        _compare_value(said[key], found[key])


def _compare_value(node: Node, found: Any) -> None:
    if isinstance(found, dict):
        _compare(node.fields(tuple(found)), found, tuple(found))
    elif isinstance(found, list):
        for one, value in zip(node.items(len(found), len(found)), found, strict=True):
            _compare_value(one, value)
    elif type(node.value) is not type(found) or node.value != found:
        node.refuse(f"Playing the events again makes this {shown(found)}.")


def _read_rules(node: Node) -> RuleSet:
    try:
        rules = rules_from_data(node.value)
    except RuleSetError as why:
        field, reason = next(iter(why.problems.items()))
        node.refuse(f"{shown(field)} {reason}")
    _compare_value(node, rules_to_data(rules))
    return rules


def _read_id(node: Node) -> uuid.UUID:
    text = node.text(36)
    try:
        found = uuid.UUID(text)
    except ValueError:
        node.refuse("This must be a game’s id, a UUID.")
    if str(found) != text:
        node.refuse(f"This id must be written {found}.")
    return found


def _read_sitter(node: Node, seat: str) -> Sitter:
    said = node.fields(("seat", "name", "kind"))
    said["seat"].choice((seat,))
    return Sitter(said["name"].text(100), said["kind"].choice(KINDS))


def _read_event(node: Node, rules: RuleSet) -> Event:
    said = node.fields(("at", "seat", "by", "action"))
    seats = [compass(rules.players, seat) for seat in range(rules.players)]
    seat = -1 if said["seat"].value is None else seats.index(said["seat"].choice(seats))
    try:
        action = parse_action(said["action"].text(40))
    except EngineError as why:
        said["action"].refuse(str(why))
    if seat < 0 and action_text(action) != "next":
        said["seat"].refuse("Only the next hand is dealt by nobody in particular.")
    return Event(seat, said["by"].choice(ACTORS), action, _read_time(said["at"]))


def _read_time(node: Node) -> datetime:
    text = node.text(40)
    try:
        at = datetime.fromisoformat(text)
        canonical = at.tzinfo is not None and time_text(at) == text
    except (ValueError, OverflowError):
        canonical = False
    if not canonical:
        node.refuse("This must be a time such as 2026-11-19T20:23:05.000000Z.")
    return at
