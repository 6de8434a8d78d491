"""The games of a standing table, and how often its people have won, alone and as partners."""

from collections import Counter
from dataclasses import dataclass
from datetime import datetime
from itertools import combinations
from typing import Final
from uuid import UUID

from django.db.models import Prefetch, Q

from games.models import Game, GameSeat, Player, StandingTable
from games.records import WON
from games.records.outcomes import PRACTICE, outcome_of

#: The latest games that are counted, and how many of them are listed.
COUNTED: Final = 500
LISTED: Final = 20


@dataclass(frozen=True, slots=True)
class GameLine:
    """A game that is over; winner: 0 or 1, or -1 for none."""

    game_id: UUID
    ended: datetime | None
    sides: tuple[str, str]
    score: tuple[int, int]
    winner: int
    practice: bool


@dataclass(frozen=True, slots=True)
class WonLine:
    """A person's games, or those of two partners."""

    names: str
    won: int
    played: int


@dataclass(frozen=True, slots=True)
class Score:
    games: tuple[GameLine, ...]
    people: tuple[WonLine, ...]
    partners: tuple[WonLine, ...]
    counted: int


def score_of(standing: StandingTable, people: list[Player]) -> Score:
    """Add up the latest games; those of practice and those given up are listed, but not counted."""
    games = Game.objects.filter(
        Q(state=Game.State.OVER) | Q(ruling__isnull=False), table__standing=standing
    )
    rows = games.select_related("table").defer("secret").order_by("-ended", "-pk")
    seats = GameSeat.objects.select_related("player").order_by("position")
    won: Counter[tuple[int, ...]] = Counter()
    played: Counter[tuple[int, ...]] = Counter()
    lines: list[GameLine] = []
    counted = 0
    ours = {one.pk: one.name for one in people}
    for game in rows.prefetch_related(Prefetch("seats", seats))[:COUNTED]:
        outcome = outcome_of(game)
        sides: tuple[list[Player], list[Player]] = ([], [])
        for seat in game.seats.all():
            sides[game.rules.side_of(seat.position)].append(seat.player)
        if len(lines) < LISTED:
            first, second = (" and ".join(one.name for one in side) for side in sides)
            lines.append(
                GameLine(
                    game_id=game.pk,
                    ended=game.ended,
                    sides=(first, second),
                    score=outcome.score,
                    winner=outcome.winner,
                    practice=outcome.how == PRACTICE,
                )
            )
        if not outcome.counts:
            continue
        counted += 1
        for side, result in zip(sides, outcome.results, strict=True):
            known = sorted(one.pk for one in side if one.pk in ours)
            for group in ((key,) for key in known), combinations(known, 2):
                for key in group:
                    played[key] += 1
                    won[key] += result == WON
    found = [
        (key, WonLine(" and ".join(ours[one] for one in key), won[key], times))
        for key, times in played.items()
    ]
    found.sort(key=lambda one: (-one[1].won, one[1].played, one[1].names))
    return Score(
        games=tuple(lines),
        people=tuple(line for key, line in found if len(key) == 1),
        partners=tuple(line for key, line in found if len(key) == 2),
        counted=counted,
    )
