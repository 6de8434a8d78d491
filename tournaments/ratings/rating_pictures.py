"""The curve of a player's rating page, for wide and for narrow screens, with links to events."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from django.db.models import QuerySet
from django.urls import reverse

from games.models import Player
from tournaments.models import Club, Pairing, Pool
from tournaments.ratings import rating_curve
from tournaments.ratings.rating_curve import Curve

WIDE: Final = "for-wide"
#: The sizes by the class of each.
SIZES: Final = {WIDE: (900, 300), "for-narrow": (360, 260)}
#: Points nearer to each other than this could not be pressed apart.
APART: Final = 20.0


@dataclass(frozen=True, slots=True)
class PictureDot:
    """The rating after an event: where it is drawn, the event's page and its name.

    On narrow screens no finger could hit it, and the path is empty.
    """

    x: str
    y: str
    path: str
    words: str


@dataclass(frozen=True, slots=True)
class CurvePicture:
    """A drawing for one kind of screen."""

    kind: str
    curve: Curve
    dots: tuple[PictureDot, ...]


def pictures(
    player: Player, pool: Pool, clubs: QuerySet[Club], now: datetime
) -> list[CurvePicture]:
    """Return the drawings of a player's rating, in two queries; none before his first game.

    clubs: those the reader may see; events of others are no links.
    """
    points = rating_curve.points_of(player, pool, now)
    if not points:
        return []
    curves = {kind: rating_curve.draw(points, *size) for kind, size in SIZES.items()}
    drawn = {point.pairing_id for point in points if point.pairing_id is not None}
    matches = Pairing.objects.filter(pk__in=drawn, round__event__club__in=clubs)
    events = {
        match: (event, name)
        for match, event, name in matches.values_list("pk", "round__event", "round__event__name")
    }
    return [
        CurvePicture(kind, curve, _dots(curve, events, links=kind == WIDE))
        for kind, curve in curves.items()
    ]


def _dots(
    curve: Curve, events: dict[int, tuple[int, str]], *, links: bool
) -> tuple[PictureDot, ...]:
    """The last point of each event; of points too near to each other the later one."""
    last = {events[dot.pairing_id]: dot for dot in curve.dots if dot.pairing_id in events}
    kept: list[PictureDot] = []
    at = float("inf")
    latest_first = sorted(last.items(), key=lambda one: float(one[1].x), reverse=True)
    for (event, name), dot in latest_first:
        if at - float(dot.x) >= APART:
            at = float(dot.x)
            path = reverse("event", args=[event]) if links else ""
            kept.append(PictureDot(dot.x, dot.y, path, name))
    return tuple(reversed(kept))
