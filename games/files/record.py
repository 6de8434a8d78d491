"""Bower's own record of a game: all stored data, so that anybody can check it.

The JSON holds each event with its seat, time and actor, and the commitments, contributions and
secret of the shuffle, from which every pack follows (``games.engine.shuffle``). Derived data (the
mix, the packs, results, scores) is included too, with digests of all parts and a seal
(``sealing``); ``read_record`` checks it.
"""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Final, NamedTuple

from games.engine import shuffle
from games.engine.actions import CUT, NEXT_DEAL, UNDO, Action, action_text, parse_action
from games.engine.deal import Deal
from games.engine.errors import EngineError, RuleSetError
from games.engine.game import Game
from games.engine.game_notation import cards_text
from games.engine.rules import RuleSet, rules_from_data, rules_to_data
from games.engine.seats import compass
from games.files.played import PlayedDeal, PlayedGame, standings
from games.files.sealing import DIGESTS, OF_DEALS, alterations, sealed
from games.files.strict_json import FileError, FileNode, load, shown
from games.files.writing import write_json

FORMAT: Final = "Bower game record"
VERSION: Final = 2
#: Who acts: the seat's person, a house player in their place, or the table's clock.
CLOCK: Final = "clock"
ACTORS: Final = ("person", "house", CLOCK)
#: Kinds of players.
KINDS: Final = ("person", "house", "program")
OVER: Final = "over"
ABANDONED: Final = "abandoned"
RESIGNED: Final = "resigned"


class RecordedSitter(NamedTuple):
    name: str
    kind: str


class RecordedEvent(NamedTuple):
    """One event of a game; `seat` is -1 for a next hand dealt by the table, `at` is in UTC."""

    seat: int
    by: str
    action: Action
    at: datetime


class RecordedGame(NamedTuple):
    """The stored data of a game that has ended.

    Attributes:
        game_id: also the match of the shuffle, unless the deals are shared.
        number: 1 for the first game at its table.
        state: ``OVER``, ``RESIGNED`` by a side, or ``ABANDONED`` by all.
        commitment, mixed, secret: of the shuffle, 32 bytes each.
        commitments, contributions: by seat, 32 bytes each; zeros for a seat that sent none.
        resigned: the side that resigned, or -1.
        shared: the match of the shuffle that several tables share, and which of them this is, from
            1. Commitments and contributions are then those of all tables, four seats each.
    """

    game_id: uuid.UUID
    title: str
    number: int
    state: str
    started: datetime
    ended: datetime
    rules: RuleSet
    sitters: tuple[RecordedSitter, ...]
    commitment: bytes
    commitments: tuple[bytes, ...]
    contributions: tuple[bytes, ...]
    mixed: bytes
    secret: bytes
    events: tuple[RecordedEvent, ...]
    resigned: int = -1
    shared: tuple[uuid.UUID, int] | None = None

    @property
    def match(self) -> uuid.UUID:
        """Return the id under which the shuffle was promised."""
        return self.shared[0] if self.shared else self.game_id

    @property
    def flags(self) -> int:
        """Return the seats without a valid contribution, bit i for seat i."""
        return shuffle.flags(
            self.match.bytes, self.commitment, self.commitments, self.contributions
        )

    @property
    def first_dealer(self) -> int:
        return shuffle.first_dealer(self.secret, self.mixed, self.rules.players)

    def pack(self, deal: int) -> tuple[int, ...]:
        """Return the pack of a deal, numbered from 0, top first and before the cut."""
        return shuffle.shuffled(self.rules, self.secret, self.mixed, deal)[0]

    def cut(self, deal: int) -> int:
        return shuffle.shuffled(self.rules, self.secret, self.mixed, deal)[1]


def play(record: RecordedGame) -> PlayedGame:
    _, deals = replay(record)
    standing_pairs = standings(record.rules, deals)
    return PlayedGame(
        rules=record.rules,
        players=tuple(sitter.name for sitter in record.sitters),
        deals=tuple(
            PlayedDeal(deal, before, after)
            for deal, (before, after) in zip(deals, standing_pairs, strict=True)
        ),
        game_id=str(record.game_id),
        title=record.title,
        date=time_text(record.started),
        resigned=record.resigned,
    )


def replay(record: RecordedGame) -> tuple[Game, list[Deal]]:
    """Return the game after all events and its deals; raise FileError for an impossible event."""
    game = Game(record.rules, record.first_dealer, record.pack)
    deals = [game.deal]
    for number, event in enumerate(record.events):
        try:
            game.push(event.action, event.seat if event.seat >= 0 else None)
        except EngineError as why:
            raise FileError(f"events[{number}]", str(why)) from None
        if game.deal is not deals[-1]:
            deals.append(game.deal)
    return game, deals


# Writing ----------------------------------------------------------------------------------


def write_record(record: RecordedGame) -> bytes:
    return write_json(record_data(record, *replay(record)))


def record_data(record: RecordedGame, game: Game, deals: Sequence[Deal]) -> dict[str, Any]:
    """Return a record as sealed JSON data; the game and deals are those of ``replay``."""
    players = record.rules.players
    won = 1 - record.resigned if record.resigned >= 0 else game.standing.winner
    winner = won if won >= 0 else None
    return sealed(
        {
            "format": FORMAT,
            "version": VERSION,
            "game": {
                "id": str(record.game_id),
                "number": record.number,
                "state": record.state,
                "started": time_text(record.started),
                "ended": time_text(record.ended),
            },
            "table": {"title": record.title},
            "rules": rules_to_data(record.rules),
            "players": [
                {"seat": compass(players, seat), "name": sitter.name, "kind": sitter.kind}
                for seat, sitter in enumerate(record.sitters)
            ],
            "shuffle": {
                "method": "EUF1",
                **(
                    {"match": str(record.shared[0]), "table": record.shared[1]}
                    if record.shared
                    else {}
                ),
                "commitment": record.commitment.hex(),
                "commitments": [one.hex() for one in record.commitments],
                "contributions": [one.hex() for one in record.contributions],
                "flags": shuffle.written_flags(record.flags, len(record.commitments)),
                "mixed": record.mixed.hex(),
                "secret": record.secret.hex(),
                "first_dealer": compass(players, record.first_dealer),
            },
            "deals": [
                {
                    "number": number,
                    "dealer": compass(players, deal.dealer),
                    "pack": cards_text(deal.pack),
                    "result": {
                        "outcome": deal.result.outcome,
                        "makers": deal.result.makers if deal.result.makers >= 0 else None,
                        "tricks": list(deal.result.tricks),
                        "side": deal.result.side if deal.result.side >= 0 else None,
                        "points": deal.result.points,
                    }
                    if deal.result
                    else None,
                    "score": list(after.score),
                }
                for number, (deal, (_, after)) in enumerate(
                    zip(deals, standings(record.rules, deals), strict=True), start=1
                )
            ],
            "events": [
                {
                    "at": time_text(event.at),
                    "seat": compass(players, event.seat) if event.seat >= 0 else None,
                    "by": event.by,
                    "action": action_text(event.action),
                }
                for event in record.events
            ],
            "result": {"score": list(game.standing.score), "winner": winner},
        }
    )


def time_text(at: datetime) -> str:
    """Return a time in the form of records: ``2026-11-19T20:23:05.000000Z``."""
    return at.astimezone(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")


MAX_EVENTS: Final = 10_000
#: The keys of a record, in their order.
PARTS: Final = (
    *("format", "version", "game", "table", "rules", "players", "shuffle", "deals", "events"),
    *("result", "digests", "seal"),
)


def read_record(data: bytes) -> RecordedGame:
    """Read a record and check its bytes, digests and seal, the shuffle, every event and result."""
    file = load(data)
    about = file.fields(PARTS[:2], PARTS[2:])
    about["format"].choice((FORMAT,))
    about["version"].number(VERSION, VERSION)
    record = _read_form(file.ordered(*PARTS))
    _check_bytes(file, data)
    for place, reason in alterations(file.value):
        raise FileError(place, reason)
    _check_shuffle(file["shuffle"], record)
    _check_clock(file["events"].items(), record)
    game, deals = replay(record)
    if (record.state == OVER) != game.standing.over:
        ending = "is over" if game.standing.over else "is not over"
        file["game"]["state"].refuse(f"After its events the game {ending}.")
    found = record_data(record, game, deals)
    _compare(file["deals"], found["deals"])
    _compare(file["result"], found["result"])
    return record


# Form -------------------------------------------------------------------------------------


def _read_form(fields: Mapping[str, FileNode]) -> RecordedGame:
    about = fields["game"].ordered("id", "number", "state", "started", "ended")
    rules = _read_rules(fields["rules"])
    seats = [compass(rules.players, seat) for seat in range(rules.players)]
    shared = _read_shared(fields["shuffle"], rules)
    proof = fields["shuffle"].ordered(
        *("method", *(("match", "table") if shared else ())),
        *("commitment", "commitments", "contributions", "flags", "mixed", "secret"),
        "first_dealer",
    )
    proof["method"].choice(("EUF1",))
    commitments = _read_numbers(proof["commitments"], shared, rules)
    _read_flags(proof["flags"], len(commitments))
    proof["first_dealer"].choice(seats)
    for deal in fields["deals"].items(1, MAX_EVENTS):
        _read_deal(deal, seats)
    sitters = []
    for node, seat in zip(fields["players"].items(len(seats), len(seats)), seats, strict=True):
        sitter = node.ordered("seat", "name", "kind")
        sitter["seat"].choice((seat,))
        sitters.append(RecordedSitter(sitter["name"].text(100), sitter["kind"].choice(KINDS)))
    result = fields["result"].ordered("score", "winner")
    _read_pair(result["score"])
    _read_side(result["winner"])
    state, winner = about["state"].choice((OVER, RESIGNED, ABANDONED)), result["winner"].value
    if state == RESIGNED and winner is None:
        result["winner"].refuse("A game that one side resigned is won by the other.")
    for part, digests in fields["digests"].ordered(*DIGESTS).items():
        for one in digests.items(1, MAX_EVENTS) if part in OF_DEALS else [digests]:
            one.hexadecimal(32)
    fields["seal"].hexadecimal(32)
    return RecordedGame(
        game_id=_read_id(about["id"]),
        title=fields["table"].ordered("title")["title"].words(150),
        number=about["number"].number(1, 1_000_000),
        state=state,
        started=_read_time(about["started"]),
        ended=_read_time(about["ended"]),
        rules=rules,
        sitters=tuple(sitters),
        commitment=proof["commitment"].hexadecimal(32),
        commitments=commitments,
        contributions=tuple(
            one.hexadecimal(32)
            for one in proof["contributions"].items(len(commitments), len(commitments))
        ),
        mixed=proof["mixed"].hexadecimal(32),
        secret=proof["secret"].hexadecimal(32),
        events=tuple(_read_event(node, seats) for node in fields["events"].items(0, MAX_EVENTS)),
        resigned=1 - winner if state == RESIGNED else -1,
        shared=shared,
    )


#: The most tables that can share their deals: the number of seats is written in one byte.
MAX_TABLES: Final = 255 // 4


def _read_shared(node: FileNode, rules: RuleSet) -> tuple[uuid.UUID, int] | None:
    """Read the match of a shuffle shared by several tables, and which of them this is."""
    if not isinstance(node.value, dict) or "match" not in node.value:
        return None
    if rules.players != 4:
        node["match"].refuse("Only tables of four share their deals.")
    if "table" not in node.value:
        node.refuse("The key table is missing.")
    return _read_id(node["match"]), node["table"].number(1, MAX_TABLES)


def _read_numbers(
    node: FileNode, shared: tuple[uuid.UUID, int] | None, rules: RuleSet
) -> tuple[bytes, ...]:
    """Read a number for each seat, of all tables if they share the shuffle."""
    seats = rules.players
    found = node.items(seats * (shared[1] if shared else 1), seats * (MAX_TABLES if shared else 1))
    if len(found) % seats:
        node.refuse(f"Each table has {seats} seats; these are {len(found)}.")
    return tuple(one.hexadecimal(32) for one in found)


def _read_flags(node: FileNode, seats: int) -> None:
    if seats <= 8:
        node.number(0, 2**seats - 1)
    else:
        node.hexadecimal((seats + 7) // 8)


def _read_deal(node: FileNode, seats: Sequence[str]) -> None:
    fields = node.ordered("number", "dealer", "pack", "result", "score")
    fields["number"].number(1, MAX_EVENTS)
    fields["dealer"].choice(seats)
    fields["pack"].text()
    _read_pair(fields["score"])
    if fields["result"].value is not None:
        result = fields["result"].ordered("outcome", "makers", "tricks", "side", "points")
        result["outcome"].text()
        _read_side(result["makers"])
        _read_pair(result["tricks"])
        _read_side(result["side"])
        result["points"].number(0, MAX_EVENTS)


def _read_pair(node: FileNode) -> None:
    for one in node.items(2, 2):
        one.number(0, MAX_EVENTS)


def _read_side(node: FileNode) -> None:
    if node.value is not None:
        node.number(0, 1)


def _read_rules(node: FileNode) -> RuleSet:
    try:
        rules = rules_from_data(node.value)
    except RuleSetError as why:
        field, reason = next(iter(why.problems.items()))
        node.refuse(f"{shown(field)} {reason}")
    node.ordered(*rules_to_data(rules))
    return rules


def _read_id(node: FileNode) -> uuid.UUID:
    text = node.text(36)
    try:
        found = uuid.UUID(text)
    except ValueError:
        node.refuse("This must be a game’s id, a UUID.")
    if str(found) != text:
        node.refuse(f"This id must be written {found}.")
    return found


def _read_event(node: FileNode, seats: Sequence[str]) -> RecordedEvent:
    fields = node.ordered("at", "seat", "by", "action")
    seat = -1 if fields["seat"].value is None else seats.index(fields["seat"].choice(seats))
    try:
        action = parse_action(fields["action"].text(40))
    except EngineError as why:
        fields["action"].refuse(str(why))
    if action.kind == UNDO:
        fields["action"].refuse("A record has no actions that were undone.")
    if seat < 0 and action_text(action) != "next":
        fields["seat"].refuse("Only the action next may be without a seat.")
    return RecordedEvent(seat, fields["by"].choice(ACTORS), action, _read_time(fields["at"]))


def _read_time(node: FileNode) -> datetime:
    text = node.text(40)
    try:
        at = datetime.fromisoformat(text)
        canonical = at.tzinfo is not None and time_text(at) == text
    except (ValueError, OverflowError):
        canonical = False
    if not canonical:
        node.refuse("This must be a time such as 2026-11-19T20:23:05.000000Z.")
    return at


# Derived data -------------------------------------------------------------------------------


def _check_bytes(file: FileNode, data: bytes) -> None:
    """Refuse a file that is not byte for byte what ``write_json`` would write."""
    text, right = data.decode(), write_json(file.value).decode()
    if text == right:
        return
    pairs = enumerate(zip(text, right, strict=False))
    alike = next((at for at, (one, two) in pairs if one != two), min(len(text), len(right)))
    line, column = 1 + text.count("\n", 0, alike), alike - text.rfind("\n", 0, alike)
    reason = "Records are not written like this; white space and escapes count too."
    raise FileError(f"line {line}, column {column}", reason)


def _check_shuffle(proof: FileNode, record: RecordedGame) -> None:
    match, commitments = record.match.bytes, record.commitments
    if shuffle.commit(match, record.secret) != record.commitment:
        proof["commitment"].refuse("The secret is not the one that was committed to.")
    for seat, number in enumerate(proof["contributions"].items()):
        if record.flags >> seat & 1 and record.contributions[seat] != shuffle.NOTHING:
            number.refuse("This is not the number this seat committed to.")
    proof_found = {
        "flags": shuffle.written_flags(record.flags, len(commitments)),
        "mixed": shuffle.mix(match, record.commitment, commitments, record.contributions).hex(),
        "first_dealer": compass(record.rules.players, record.first_dealer),
    }
    for key, found in proof_found.items():
        if proof[key].value != found:
            proof[key].refuse(f"The numbers contributed give {found}.")


def _check_clock(events: Sequence[FileNode], record: RecordedGame) -> None:
    """Refuse events of the table's clock other than dealing and the shuffle's own cut."""
    deal = 0
    for node, event in zip(events, record.events, strict=True):
        deal += event.action == NEXT_DEAL
        if event.by == CLOCK and event.action.kind == CUT:
            cut = record.cut(deal)
            if event.action.value != cut:
                node.refuse(f"The table’s own cut of this hand is {cut}.")
        elif event.by == CLOCK and event.action != NEXT_DEAL:
            node.refuse("The table itself only cuts and deals.")


def _compare(node: FileNode, found: Any) -> None:
    if isinstance(found, dict):
        for key, one in node.fields(found).items():
            _compare(one, found[key])
    elif isinstance(found, list):
        for one, value in zip(node.items(len(found), len(found)), found, strict=True):
            _compare(one, value)
    elif type(node.value) is not type(found) or node.value != found:
        node.refuse(f"Playing the events again makes this {shown(found)}.")
