"""Bower's own record of a game: everything that is stored of it, to be checked by anybody.

The JSON says of each event who did what and when, and of the shuffle the commitments, what the
seats threw in and the secret, from which every pack follows (``games.engine.shuffle``). What
follows from these (the mix, the packs, results, scores) is written out as well, with digests of
all parts and a seal (``sealing``); ``record_reading`` checks it.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import Any, Final, NamedTuple

from games.engine import shuffle
from games.engine.actions import Action, action_text
from games.engine.deal import Deal
from games.engine.errors import EngineError
from games.engine.game import Game
from games.engine.notation import cards_text
from games.engine.observation import Standing
from games.engine.refusals import compass
from games.engine.rules import RuleSet, rules_to_data
from games.engine.scoring import DealResult
from games.files.played import PlayedDeal, PlayedGame, standings
from games.files.problems import FileError
from games.files.sealing import sealed
from games.files.writing import write_json

FORMAT: Final = "Bower game record"
VERSION: Final = 2
#: Who does things: the seat's person, a house player for him, or the table's clock.
CLOCK: Final = "clock"
ACTORS: Final = ("person", "house", CLOCK)
#: Who has a seat.
KINDS: Final = ("person", "house", "program")
OVER: Final = "over"
ABANDONED: Final = "abandoned"


class RecordedSitter(NamedTuple):
    """Who had a seat: his name, and one of ``KINDS``."""

    name: str
    kind: str


class RecordedEvent(NamedTuple):
    """One thing that happened.

    Attributes:
        seat: whose action it is, or -1 where the next hand was dealt by nobody in particular.
        by: one of ``ACTORS``.
        action: what was done.
        at: when, in UTC.
    """

    seat: int
    by: str
    action: Action
    at: datetime


class GameRecord(NamedTuple):
    """A game that has ended, as it is stored.

    Attributes:
        game_id: which; the shuffle is bound to it.
        title: what its table was called, or empty.
        number: 1 for the first game at its table.
        state: ``OVER``, or ``ABANDONED`` when it was given up.
        started, ended: when, in UTC.
        rules: the rule set.
        sitters: by seat.
        commitment, mixed, secret: of the shuffle, 32 bytes each.
        commitments, contributions: by seat, 32 bytes each; zeros for a seat that sent none.
        events: all that was done, in order.
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

    @property
    def flags(self) -> int:
        """Which seats threw in nothing: bit i is set for seat i."""
        return shuffle.flags(
            self.game_id.bytes, self.commitment, self.commitments, self.contributions
        )

    @property
    def first_dealer(self) -> int:
        """The seat that dealt first."""
        return shuffle.first_dealer(self.secret, self.mixed, self.rules.players)

    def pack(self, deal: int) -> tuple[int, ...]:
        """The pack of a deal, numbered from 0, top first and before the cut."""
        return shuffle.shuffled(self.rules, self.secret, self.mixed, deal)[0]

    def cut(self, deal: int) -> int:
        """How many cards the automatic cut of a deal lifts, or 0 where nobody cuts."""
        return shuffle.shuffled(self.rules, self.secret, self.mixed, deal)[1]


def play(record: GameRecord) -> PlayedGame:
    """The game that a record tells, played again.

    Raises:
        FileError: an event that could not have happened.
    """
    _, deals = replay(record)
    stood = standings(record.rules, deals)
    return PlayedGame(
        rules=record.rules,
        players=tuple(sitter.name for sitter in record.sitters),
        deals=tuple(
            PlayedDeal(deal, before, after)
            for deal, (before, after) in zip(deals, stood, strict=True)
        ),
        game_id=str(record.game_id),
        title=record.title,
        date=time_text(record.started),
    )


def replay(record: GameRecord) -> tuple[Game, list[Deal]]:
    """The game after all events of a record, and its deals.

    Raises:
        FileError: an event that could not have happened.
    """
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


def write_record(record: GameRecord) -> bytes:
    """A record as a JSON file.

    Raises:
        FileError: an event that could not have happened.
    """
    return write_json(record_data(record, *replay(record)))


def record_data(record: GameRecord, game: Game, deals: Sequence[Deal]) -> dict[str, Any]:
    """A record as JSON data, sealed, with what ``replay`` finds."""
    return sealed(_write_parts(record, game, deals))


def _write_parts(record: GameRecord, game: Game, deals: Sequence[Deal]) -> dict[str, Any]:
    players = record.rules.players
    return {
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
            "commitment": record.commitment.hex(),
            "commitments": [one.hex() for one in record.commitments],
            "contributions": [one.hex() for one in record.contributions],
            "flags": record.flags,
            "mixed": record.mixed.hex(),
            "secret": record.secret.hex(),
            "first_dealer": compass(players, record.first_dealer),
        },
        "deals": list(_write_deals(record.rules, deals)),
        "events": [
            {
                "at": time_text(event.at),
                "seat": compass(players, event.seat) if event.seat >= 0 else None,
                "by": event.by,
                "action": action_text(event.action),
            }
            for event in record.events
        ],
        "result": _write_standing(game.standing),
    }


def _write_deals(rules: RuleSet, deals: Sequence[Deal]) -> Iterator[dict[str, Any]]:
    for number, (deal, (_, after)) in enumerate(
        zip(deals, standings(rules, deals), strict=True), start=1
    ):
        yield {
            "number": number,
            "dealer": compass(rules.players, deal.dealer),
            "pack": cards_text(deal.pack),
            "result": _write_result(deal.result),
            "score": list(after.score),
        }


def _write_result(result: DealResult | None) -> dict[str, Any] | None:
    if result is None:
        return None
    return {
        "outcome": result.outcome,
        "makers": result.makers if result.makers >= 0 else None,
        "tricks": list(result.tricks),
        "side": result.side if result.side >= 0 else None,
        "points": result.points,
    }


def _write_standing(standing: Standing) -> dict[str, Any]:
    winner = standing.winner if standing.winner >= 0 else None
    return {"score": list(standing.score), "winner": winner}


def time_text(at: datetime) -> str:
    """A moment as records write it: ``2026-11-19T20:23:05.000000Z``."""
    return at.astimezone(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")
