"""What the home page has for members: the rating, puzzles of their games."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any, Final, NamedTuple

from games.models import Player
from games.puzzles import own
from tournaments.models import Rating, RatingChange
from tournaments.ratings.words import present

#: Rated games before the rating has a line.
SETTLED_AFTER: Final = 10
#: The time that the line covers, and the size of its picture.
LATELY: Final = timedelta(days=30)
WIDTH, HEIGHT, MARGIN = 180, 44, 4


class OwnRating(NamedTuple):
    """A member's rating in the pool with most games.

    line: points of an SVG polyline of the last month, empty for fewer than two. change: of that
    month, in points. more: rated games until it is no longer provisional.
    """

    rating: Rating
    points: int
    deviation: int
    change: int
    line: str
    last: tuple[str, str]
    more: int


def for_member(player: Player, now: datetime) -> dict[str, Any]:
    return {
        "own_rating": own_rating(player, now),
        "own_puzzle": own.own_set(player, now).after(0) is not None,
    }


def own_rating(player: Player, now: datetime) -> OwnRating | None:
    ratings = Rating.objects.filter(player=player).select_related("pool")
    best = ratings.order_by("-games", "pool").first()
    if best is None:
        return None
    skill, more = present(best, now), max(0, SETTLED_AFTER - best.games)
    curve: list[float] = []
    if not more:
        changes = RatingChange.objects.filter(
            player=player, pool=best.pool, at__gt=now - LATELY
        ).order_by("position")
        for before, after in changes.values_list("mu_before", "mu_after"):
            curve = curve or [before]
            curve.append(after)
    places = _places(curve) if len(curve) > 1 else []
    return OwnRating(
        rating=best,
        points=round(skill.mu),
        deviation=round(skill.sigma),
        change=round(curve[-1]) - round(curve[0]) if places else 0,
        line=" ".join(f"{x},{y}" for x, y in places),
        last=places[-1] if places else ("", ""),
        more=more,
    )


def _places(curve: Sequence[float]) -> list[tuple[str, str]]:
    low, high = min(curve), max(curve)
    across = (WIDTH - 2 * MARGIN) / (len(curve) - 1)
    down = (HEIGHT - 2 * MARGIN) / (high - low or 1)
    return [
        (f"{MARGIN + across * at:.1f}", f"{HEIGHT - MARGIN - down * (value - low):.1f}")
        for at, value in enumerate(curve)
    ]
