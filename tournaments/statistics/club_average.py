"""A player's figures compared with the average of one of their clubs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any, Final, TypeAlias

from django.core.cache import cache
from django.db.models import Count, Q, Sum
from django.utils.http import urlencode

from games.models import Performance
from games.records import LOST, TIED, WON
from games.records.selection import Selection
from games.records.sums import (
    DealTotals,
    GamesScore,
    Mean,
    PlayedRow,
    ShareOfGames,
    score_of,
    totals_of,
)
from tournaments.models import Club

#: With fewer members an average would reveal single players' figures.
MIN_MEMBERS: Final = 3
#: Seconds for which a club's figures are cached, as a large club's take long to add up.
KEPT: Final = 600
#: Filters for the games behind a figure; see `games.records.selection.CALLS`.
CALLS: Final = {"calls": "called", "lone hands": "alone"}


#: The results of some games, and what was done in their deals.
Figures: TypeAlias = tuple[GamesScore, DealTotals]


@dataclass(frozen=True, slots=True)
class Comparison:
    """A figure of the player and of the club; None without data.

    `few` marks an uncertain value of the player, which is from `number` games, hands or calls.
    `call` is the filter for the games behind it (`games.records.selection.CALLS`), or empty.
    """

    name: str
    unit: str
    digits: int
    mine: float | None
    average: float | None
    few: bool
    number: int
    of: str
    call: str

    @property
    def difference(self) -> float | None:
        """The player's value minus the average; None if either is missing."""
        if self.mine is None or self.average is None:
            return None
        return self.mine - self.average


def compare(rows: Sequence[PlayedRow], club: Club, asked: Selection) -> dict[str, Any]:
    """Compare a player's games with those of all members of a club, including the player's.

    There are no lines for fewer than `MIN_MEMBERS` public records. The club's figures are cached
    for `KEPT` seconds.
    """
    wanted = {"rules": asked.rules, "since": asked.since, "until": asked.until}
    # Increase the number with every change of the cached type: old entries may still be there.
    key = f"club-average-3:{club.pk}:{urlencode({k: str(v) for k, v in wanted.items()})}"
    kept: tuple[int, Figures] | None = cache.get(key)
    if kept is None:
        kept = _add_up(club, asked)
        cache.set(key, kept, KEPT)
    members, theirs = kept
    lines = _lines((score_of(rows), totals_of(rows)), theirs) if members >= MIN_MEMBERS else []
    return {"members": members, "games": theirs[0].games, "lines": lines}


def _add_up(club: Club, asked: Selection) -> tuple[int, Figures]:
    done = Performance.objects.filter(player__memberships__club=club, player__private=False)
    if asked.rules:
        done = done.filter(rules=asked.rules)
    if asked.since:
        done = done.filter(ended__gte=asked.since)
    if asked.until:
        done = done.filter(ended__lt=asked.until)
    decided = Q(result__isnull=False)
    sums = done.aggregate(
        members=Count("player", distinct=True),
        games=Count("pk"),
        won=Count("pk", filter=Q(result=WON)),
        tied=Count("pk", filter=Q(result=TIED)),
        lost=Count("pk", filter=Q(result=LOST)),
        points=Sum("points", filter=decided),
        against=Sum("against", filter=decided),
        **{f"sum_{field.name}": Sum(field.name) for field in fields(DealTotals)},
    )
    score = GamesScore(*(sums[name] or 0 for name in GamesScore._fields))
    totals = DealTotals(
        **{field.name: sums[f"sum_{field.name}"] or 0 for field in fields(DealTotals)}
    )
    return sums["members"], (score, totals)


def _lines(mine: Figures, theirs: Figures) -> list[Comparison]:
    (one, did), (all_, do) = mine, theirs
    return [
        _share("Games won", one.wins, all_.wins, "games"),
        _mean("Points per game", one.points_a_game, all_.points_a_game, "games"),
        _mean("Points against, per game", one.against_a_game, all_.against_a_game, "games"),
        _share("Hands called", did.calls, do.calls, "hands"),
        _share("Calls made", did.successes, do.successes, "calls"),
        _share("Calls with a march", did.marches, do.marches, "calls"),
        _share("Calls euchred", did.failures, do.failures, "calls"),
        _share("Calls alone", did.loners, do.loners, "calls"),
        _share("Lone hands with a march", did.lone_marches, do.lone_marches, "lone hands"),
        _mean("Trumps held at a call", did.trumps, do.trumps, "calls", digits=2),
        _share("Callers euchred in defence", did.defences, do.defences, "hands"),
        _mean("Luck, tricks a hand", did.luck, do.luck, "hands", digits=2),
    ]


def _share(name: str, mine: ShareOfGames, theirs: ShareOfGames, of: str) -> Comparison:
    values = (mine.percent, theirs.percent)
    return Comparison(name, "%", 1, *values, mine.few, mine.whole, of, CALLS.get(of, ""))


def _mean(name: str, mine: Mean, theirs: Mean, of: str, *, digits: int = 1) -> Comparison:
    values = (mine.value, theirs.value)
    return Comparison(name, "", digits, *values, mine.few, mine.number, of, CALLS.get(of, ""))
