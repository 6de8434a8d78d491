"""Reads the log of a finished game of an event once, and stores what the signs are made of.

A running game is never read. Nothing that is stored is a card: sums over calls, turns and hands.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Final

import structlog
from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet

from games.engine.actions import parse_action
from games.engine.game import Game as EngineGame
from games.models import Game, GameEvent, GameSeat, Player
from games.records import LOST
from games.records.outcomes import outcome_of
from games.shuffle.dealing import packs_of
from tournaments.fair_play import figures
from tournaments.fair_play.calls import SeenCall, points_of, seen_call
from tournaments.models import FairPlayLook, FairPlayMeasure, Pairing

log = structlog.get_logger(__name__)

#: Games read in one run, so that a long backlog does not hold up play.
AT_ONCE: Final = 25
#: Games that ended longer ago are not read any more, so that no look goes through all there are.
LOOKED_BACK: Final = timedelta(days=14)
#: When a game that could not be read is tried again.
AGAIN: Final = timedelta(days=1)


@dataclass(slots=True)
class Deeds:
    """What somebody did in a game, as the columns of `FairPlayMeasure` name it."""

    held: list[float] = field(default_factory=list)
    gained: list[float] = field(default_factory=list)
    left_behind: bool = False
    turns: dict[str, int] = field(default_factory=dict)

    def columns(self) -> dict[str, Any]:
        """The columns of the row."""
        return {
            "calls": len(self.held),
            "held": sum(self.held),
            "held_squares": sum(one * one for one in self.held),
            "gained": sum(self.gained),
            "gained_squares": sum(one * one for one in self.gained),
            "left_behind": self.left_behind,
            **self.turns,
        }


def to_measure(now: datetime) -> QuerySet[Game]:
    """Return the finished games of events that are to be read, the oldest first."""
    looked = FairPlayLook.objects.filter(game=OuterRef("pk"))
    persons = GameSeat.objects.filter(game=OuterRef("pk")).exclude(player__kind=Player.Kind.HOUSE)
    done = looked.exclude(failed=True, at__lt=now - AGAIN)
    games = Game.objects.filter(
        ~Exists(done), Exists(persons), ended__gt=now - LOOKED_BACK, noted=True,
        table__pairing__state=Pairing.State.DECIDED,
    )  # fmt: skip
    return games.exclude(state=Game.State.PLAYING).order_by("ended", "pk")


def measure_ended(now: datetime, most: int = AT_ONCE) -> int:
    """Read games that have ended and are not read yet; return how many.

    Twice, late or in several workers at once it does the same. One that cannot be read is logged,
    told on the club's page, and tried again after a day; it keeps no other waiting.
    """
    games = to_measure(now).select_related("table__pairing__round")
    waiting = list(games.prefetch_related("seats__player")[:most])
    for game in waiting:
        event = game.table.pairing.round.event_id
        try:
            rows = measures_of(game, event)
        except Exception as error:  # noqa: BLE001 - whatever one log has, the others are read
            log.error("game not read", game=str(game.pk), error=type(error).__name__)
            _store(game, event, [], now, failed=True)
        else:
            _store(game, event, rows, now, failed=False)
    return len(waiting)


@transaction.atomic
def _store(
    game: Game, event: int, rows: list[FairPlayMeasure], now: datetime, *, failed: bool
) -> None:
    FairPlayLook.objects.update_or_create(
        game=game, defaults={"event_id": event, "at": now, "failed": failed}
    )
    FairPlayMeasure.objects.bulk_create(rows, ignore_conflicts=True)


def measures_of(game: Game, event: int) -> list[FairPlayMeasure]:
    """Return a row for each person in a game that has ended; nothing is stored.

    game: with its table, and its seats with their players. event: the key of its event.
    """
    seats = {seat.position: seat.player for seat in game.seats.all()}
    deeds = _Reader(game, seats).read()
    outcome, rules = outcome_of(game), game.rules
    rows = []
    for position, player in seats.items():
        if player.kind == Player.Kind.HOUSE:
            continue
        opposite = rules.partner_of(position)
        partner = seats[opposite] if opposite is not None else None
        person = partner is not None and partner.kind != Player.Kind.HOUSE
        rows.append(
            FairPlayMeasure(
                game=game,
                event_id=event,
                player=player,
                partner=partner if person else None,
                ended=game.ended or game.moved,
                lost=outcome.results[rules.side_of(position)] == LOST,
                **deeds[position].columns(),
            )
        )
    return rows


class _Reader:
    """Goes through a game's log once."""

    def __init__(self, game: Game, seats: dict[int, Player]) -> None:
        self.game = game
        self.seats = seats
        self.engine = EngineGame(game.rules, game.first_dealer, packs_of(game))
        self.deeds = [Deeds() for _ in range(game.rules.players)]
        self.call: SeenCall | None = None
        #: For whom a house player acts now, and whether they were behind when that began.
        self.away: dict[int, bool] = {}
        self.moved = game.started

    def read(self) -> list[Deeds]:
        """What everybody did, by seat."""
        for seat, player, by, action, at in self.game.line_of_play(
            "seat", "player", "by", "action", "at"
        ):
            if seat >= 0 and seat == self.engine.turn:
                self._turn(seat, player, by, action, at)
            self.engine.push(parse_action(action))
            result = self.engine.deal.result
            if result is not None and self.call is not None:
                mine = self.deeds[self.call.seat]
                side = self.game.rules.side_of(self.call.seat)
                mine.held.append(self.call.held)
                mine.gained.append(points_of(result, side) - self.call.promised)
                self.call = None
            self.moved = at
        for seat, behind in self.away.items():
            self.deeds[seat].left_behind = behind
        return self.deeds

    def _turn(self, seat: int, player: int | None, by: str, text: str, at: datetime) -> None:
        """Note whose turn it was, before the action is done."""
        ours, theirs = self._score(seat)
        if by == GameEvent.By.HOUSE:
            if self.seats[seat].kind != Player.Kind.HOUSE:
                self.away.setdefault(seat, ours < theirs)
            return
        if by != GameEvent.By.PERSON or player != self.seats[seat].pk:
            return
        self.away.pop(seat, None)
        seen = seen_call(self.engine.deal, parse_action(text), self.engine.standing)
        if seen is not None:
            self.call = seen
        limit = self.game.table.turn_seconds
        if limit is not None:
            kind = "behind" if ours < theirs else "ahead" if ours > theirs else "level"
            late = (at - self.moved).total_seconds() >= figures.LATE * limit
            turns = self.deeds[seat].turns
            turns[f"turns_{kind}"] = turns.get(f"turns_{kind}", 0) + 1
            turns[f"late_{kind}"] = turns.get(f"late_{kind}", 0) + late

    def _score(self, seat: int) -> tuple[int, int]:
        score, side = self.engine.standing.score, self.game.rules.side_of(seat)
        return score[side], score[1 - side]


def unread(now: datetime, events: Q) -> int:
    """Return how many games of some events are still to be read.

    events: which, as a condition on rounds.
    """
    rounds = Pairing.objects.filter(events).values("table")
    return to_measure(now).filter(table__in=rounds).count()
