"""Computes the rating changes of games in order."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from django.db.models import Count, F, OuterRef, Q, Subquery

from games.models import Player
from tournaments import rating_formula as formula
from tournaments.models import Pool, RatingChange
from tournaments.rating_formula import ENOUGH, START, Skill
from tournaments.ratings.units import Unit

DAY = 86_400  # seconds


@dataclass(slots=True)
class HeldRating:
    skill: Skill = START
    games: int = 0
    latest: datetime | None = None
    opponents: int = 0
    met: set[int] = field(default_factory=set)
    club: int | None = None

    def play_in(self, club: int | None) -> None:
        """Record a game in a club, if it was in one; call it before the game is counted."""
        if self.games == 0:
            self.club = club
        elif self.club != club:
            self.club = None

    def meet(self, others: Iterable[int]) -> None:
        if self.opponents < ENOUGH:
            self.met.update(others)
            self.opponents = min(len(self.met), ENOUGH)

    def rested(self, at: datetime) -> Skill:
        """Return the rating before a game at this time."""
        if self.latest is None:
            return self.skill
        return formula.after_rest(self.skill, (at - self.latest).total_seconds() / DAY)


class SkillChange(NamedTuple):
    position: int
    pairing_id: int | None
    game_id: UUID | None
    number: int
    player_id: int
    side: int
    winner: int
    expected: float
    weight: float
    mu_before: float
    sigma_before: float
    mu_after: float
    sigma_after: float
    opponents: int
    at: datetime


class Replay:
    """Rates games one after another, starting from the stored ratings before them."""

    def __init__(self, pool: Pool, first: int = 1) -> None:
        """Start with the change at position `first`, keeping the stored ones before it."""
        self.pool = pool
        self.first = first
        self.position = first - 1
        self.games = 0
        self.held: dict[int, HeldRating] = {}

    def rate(self, units: Iterable[Unit]) -> list[SkillChange]:
        """Return the changes of the next games in the pool's order."""
        played = list(units)
        self.meet({player for unit in played for side in unit.sides for player in side})
        return [change for unit in played for change in self._rate(unit)]

    def meet(self, players: Collection[int]) -> None:
        """Read the ratings of new players, as they were before the first game."""
        new = [player for player in players if player not in self.held]
        stored = ratings_before(self.pool, new, self.first) if new and self.first > 1 else {}
        for player in new:
            self.held[player] = stored.get(player) or HeldRating()

    def _rate(self, unit: Unit) -> Iterator[SkillChange]:
        players = [[self.held[one] for one in side] for side in unit.sides]
        before = (
            [mine.rested(unit.at) for mine in players[0]],
            [mine.rested(unit.at) for mine in players[1]],
        )
        after = formula.updated(before, unit.winner)
        chance = formula.expected(before)
        self.games += 1
        for side in (0, 1):
            expected = chance if side == 0 else 1 - chance
            for player, share, mine, old, whole in zip(
                unit.sides[side], unit.shares[side], players[side], before[side], after[side],
                strict=True,
            ):  # fmt: skip
                weight = share.gained if whole.mu > old.mu else share.lost
                new = formula.weighted(old, whole, weight)
                mine.skill, mine.latest = new, unit.at
                mine.play_in(unit.club)
                mine.games += 1
                mine.meet(unit.sides[1 - side])
                self.position += 1
                yield SkillChange(
                    self.position, unit.pairing_id, unit.game_id, unit.number, player, side,
                    unit.winner, expected, weight, *old, *new, mine.opponents, unit.at,
                )  # fmt: skip


def ratings_before(pool: Pool, players: Collection[int], position: int) -> dict[int, HeldRating]:
    """Return the players' ratings before a position in the pool's order, if any."""
    earlier = RatingChange.objects.filter(
        pool=pool, player=OuterRef("pk"), position__lt=position
    ).order_by("-position")
    count = earlier.order_by().values("player").annotate(count=Count("pk")).values("count")
    rows = Player.objects.filter(pk__in=players).annotate(
        mu=Subquery(earlier.values("mu_after")[:1]),
        sigma=Subquery(earlier.values("sigma_after")[:1]),
        latest=Subquery(earlier.values("at")[:1]),
        games=Subquery(count),
        opponents=Subquery(earlier.values("opponents")[:1]),
    )
    held = {
        player: HeldRating(Skill(mu, sigma), games, latest, opponents)
        for player, mu, sigma, games, latest, opponents in rows.values_list(
            "pk", "mu", "sigma", "games", "latest", "opponents"
        )
        if games
    }
    clubs: dict[int, set[int | None]] = defaultdict(set)
    changes = RatingChange.objects.filter(pool=pool, player__in=held, position__lt=position)
    where = changes.order_by().values_list("player", "pairing__round__event__club").distinct()
    for player, club in where:
        clubs[player].add(club)
    for player, one in held.items():
        one.club = next(iter(clubs[player])) if len(clubs[player]) == 1 else None
    few = [player for player, one in held.items() if one.opponents < ENOUGH]
    if few:
        # The opponents of each before this position.
        theirs = f"{'game' if formula.is_quick(pool.key) else 'pairing'}__rating_changes"
        mine = RatingChange.objects.filter(pool=pool, player__in=few, position__lt=position)
        against = ~Q(side=F(f"{theirs}__side"))
        games = mine.filter(against, **{f"{theirs}__number": F("number")})
        for player, other in games.order_by().values_list("player", f"{theirs}__player").distinct():
            held[player].met.add(other)
    return held
