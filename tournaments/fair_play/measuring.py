"""Measures finished games of events, from their logs, for the fair-play signs.

Running games are never read, and no card is stored: only sums over calls, turns and hands.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Final

import structlog
from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet

from games.engine.actions import parse_action
from games.engine.game import Game as EngineGame
from games.engine.scoring import DealResult
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
#: Games that ended longer ago are no longer read, so that no query scans all games.
LOOKED_BACK: Final = timedelta(days=14)
#: How long to wait before reading a game again that could not be read.
AGAIN: Final = timedelta(days=1)


def to_measure(now: datetime) -> QuerySet[Game]:
    """Return the finished games of events that have not been read yet, the oldest first."""
    looked = FairPlayLook.objects.filter(game=OuterRef("pk"))
    persons = GameSeat.objects.filter(game=OuterRef("pk")).exclude(player__kind=Player.Kind.HOUSE)
    done = looked.exclude(failed=True, at__lt=now - AGAIN)
    games = Game.objects.filter(
        ~Exists(done), Exists(persons), ended__gt=now - LOOKED_BACK, noted=True,
        table__pairing__state=Pairing.State.DECIDED,
    )  # fmt: skip
    return games.exclude(state=Game.State.PLAYING).order_by("ended", "pk")


def measure_ended(now: datetime, most: int = AT_ONCE) -> int:
    """Measure up to `most` finished games that are still to be read; return how many.

    Safe to run twice, late, or in several workers at once. A game that cannot be read is logged,
    counted on the club's page and tried again after a day, and does not delay the others.
    """
    games = to_measure(now).select_related("table__pairing__round")
    waiting = list(games.prefetch_related("seats__player")[:most])
    for game in waiting:
        event = game.table.pairing.round.event_id
        try:
            rows = measures_of(game, event)
        except Exception as error:  # noqa: BLE001 - one bad log must not stop the others
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
    """Return an unsaved row for each person in a finished game."""
    seats = {seat.position: seat.player for seat in game.seats.all()}
    measures = _Reader(game, seats).read()
    outcome, rules = outcome_of(game), game.rules
    rows = []
    for position, player in seats.items():
        if player.kind == Player.Kind.HOUSE:
            continue
        opposite = rules.partner_of(position)
        partner = seats[opposite] if opposite is not None else None
        person = partner is not None and partner.kind != Player.Kind.HOUSE
        row = measures[position]
        row.game, row.event_id, row.player = game, event, player
        row.partner = partner if person else None
        row.ended = game.ended or game.moved
        row.lost = outcome.results[rules.side_of(position)] == LOST
        rows.append(row)
    return rows


class _Reader:
    """Replays a game's log and adds up each seat's measures."""

    def __init__(self, game: Game, seats: dict[int, Player]) -> None:
        self.game = game
        self.seats = seats
        self.engine = EngineGame(game.rules, game.first_dealer, packs_of(game))
        self.measures = [FairPlayMeasure() for _ in range(game.rules.players)]
        self.call: SeenCall | None = None
        #: Seats a house player acts for now, and whether their side was behind when that began.
        self.away: dict[int, bool] = {}
        self.moved = game.started

    def read(self) -> list[FairPlayMeasure]:
        for seat, player, by, action, at in self.game.line_of_play(
            "seat", "player", "by", "action", "at"
        ):
            if seat >= 0 and seat == self.engine.turn:
                self._turn(seat, player, by, action, at)
            self.engine.push(parse_action(action))
            result = self.engine.deal.result
            if result is not None and self.call is not None:
                self._add_call(self.call, result)
                self.call = None
            self.moved = at
        for seat, behind in self.away.items():
            self.measures[seat].left_behind = behind
        return self.measures

    def _add_call(self, call: SeenCall, result: DealResult) -> None:
        mine = self.measures[call.seat]
        gained = points_of(result, self.game.rules.side_of(call.seat)) - call.promised
        mine.calls += 1
        mine.held += call.held
        mine.held_squares += call.held**2
        mine.gained += gained
        mine.gained_squares += gained**2

    def _turn(self, seat: int, player: int | None, by: str, text: str, at: datetime) -> None:
        """Count a turn, before its action is applied."""
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
            mine = self.measures[seat]
            for field, more in ((f"turns_{kind}", 1), (f"late_{kind}", late)):
                setattr(mine, field, getattr(mine, field) + more)

    def _score(self, seat: int) -> tuple[int, int]:
        score, side = self.engine.standing.score, self.game.rules.side_of(seat)
        return score[side], score[1 - side]


def unread(now: datetime, events: Q) -> int:
    """Return the number of games still to be read; events: a condition on their pairings."""
    rounds = Pairing.objects.filter(events).values("table")
    return to_measure(now).filter(table__in=rounds).count()
