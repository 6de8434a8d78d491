"""The curve of a player's rating in a pool: a line with a band of one standard deviation.

The player's rating page has it for wide and for narrow screens, with points that link to events.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import groupby
from typing import Final, NamedTuple

from django.db.models import QuerySet
from django.urls import reverse
from django.utils import timezone

from games.models import Player
from tournaments import charts
from tournaments import rating_formula as formula
from tournaments.models import Club, Pairing, Pool, RatingChange
from tournaments.rating_formula import Skill
from tournaments.ratings.rating_games import DAY

#: Stretches of time; in each the first, lowest, highest and last rating are drawn.
STRETCHES: Final = 75
#: Margins for the labels of the axes, and for the current rating above.
LEFT, RIGHT, TOP, BOTTOM = 46, 14, 22, 28
#: The least width and height for a label on an axis.
WIDE, HIGH = 72, 34
#: Sizes on the rating page, by CSS class.
FOR_WIDE: Final = "for-wide"
SIZES: Final = {FOR_WIDE: (900, 300), "for-narrow": (360, 260)}
#: The least distance between points that can be tapped.
APART: Final = 20.0


class Point(NamedTuple):
    """A rating at a time, and the match that changed it, if any."""

    at: datetime
    skill: Skill
    pairing_id: int | None = None


class Dot(NamedTuple):
    """A point of the curve for a match; no `words` for events that the reader may not see."""

    x: str
    y: str
    pairing_id: int
    words: str = ""
    path: str = ""


@dataclass(frozen=True, slots=True)
class Curve:
    """A curve in SVG units, rounded for the template.

    `band` and `line` are points of the polygon and of the polyline; `dots` are the last points of
    each match; `x` and `y` are the position of the current rating.
    """

    width: int
    height: int
    left: int
    right: int
    top: int
    bottom: int
    values: tuple[tuple[str, str], ...]
    times: tuple[tuple[str, str], ...]
    band: str
    line: str
    dots: tuple[Dot, ...]
    now: Skill
    x: str
    y: str
    words: str

    @property
    def below(self) -> int:
        """The vertical position of the labels of the time axis."""
        return self.height - 6

    @property
    def number(self) -> str:
        return str(round(self.now.mu))


def curve_of(
    player: Player, pool: Pool, width: int, height: int, now: datetime | None = None
) -> Curve | None:
    """Return the curve from a player's first rated game until now, or None, in one query.

    The caller checks that the reader may see it.
    """
    points = points_of(player, pool, now or timezone.now())
    return draw(points, width, height) if points else None


def points_of(player: Player, pool: Pool, now: datetime) -> list[Point]:
    """Return the points to draw in order: at most 300, and the rating as of now.

    Each game also has a point just before it, with the deviation grown by rest.
    """
    changes = RatingChange.objects.filter(player=player, pool=pool).order_by("position")
    rows = changes.values_list(
        "at", "mu_before", "sigma_before", "mu_after", "sigma_after", "pairing"
    )
    every: list[Point] = []
    for at, mu_before, sigma_before, mu, sigma, pairing in rows:
        every.append(Point(at, Skill(mu_before, sigma_before)))
        every.append(Point(at, Skill(mu, sigma), pairing))
    if not every:
        return []
    last = every[-1]
    rest = max(timedelta(), now - last.at)
    rested = formula.after_rest(last.skill, rest.total_seconds() / DAY)
    return [*thinned(every), Point(last.at + rest, rested)]


def thinned(points: Sequence[Point]) -> list[Point]:
    """Thin out points: keep the first, last, lowest and highest in equal stretches of time."""
    if len(points) <= 4 * STRETCHES:
        return list(points)
    first, span = points[0].at, points[-1].at - points[0].at

    def stretch(numbered: tuple[int, Point]) -> int:
        share = (numbered[1].at - first) / span if span else 0.0
        return min(STRETCHES - 1, int(STRETCHES * share))

    def rating(numbered: tuple[int, Point]) -> float:
        return numbered[1].skill.mu

    kept: list[Point] = []
    for _number, group in groupby(enumerate(points), key=stretch):
        part = list(group)
        ends = part[0], part[-1], min(part, key=rating), max(part, key=rating)
        kept.extend(points[at] for at in sorted({number for number, _point in ends}))
    return kept


def draw(points: Sequence[Point], width: int, height: int) -> Curve:
    """Return the curve of at least two points, in order, at this size."""
    field = _Field(points, width, height)
    upper = [field.at(point, point.skill.mu + point.skill.sigma) for point in points]
    lower = [field.at(point, point.skill.mu - point.skill.sigma) for point in points]
    line = [field.at(point, point.skill.mu) for point in points]
    last = {point.pairing_id: spot for point, spot in zip(points, line, strict=True)}
    x, y = line[-1]
    oldest, newest = points[0].skill, points[-1].skill
    ratings_drawn = [round(point.skill.mu) for point in points]
    return Curve(
        width=width,
        height=height,
        left=LEFT,
        right=width - RIGHT,
        top=TOP,
        bottom=height - BOTTOM,
        values=tuple((field.y(value), str(value)) for value in field.values),
        times=tuple((field.x(at), words) for at, words in field.times),
        band=" ".join(f"{x},{y}" for x, y in [*upper, *reversed(lower)]),
        line=" ".join(f"{x},{y}" for x, y in line),
        dots=tuple(Dot(*spot, pairing) for pairing, spot in last.items() if pairing is not None),
        now=points[-1].skill,
        x=x,
        y=y,
        words=f"Rating from {round(oldest.mu)} ± {round(oldest.sigma)} at first to "
        f"{round(newest.mu)} ± {round(newest.sigma)} now, "
        f"lowest {min(ratings_drawn)}, highest {max(ratings_drawn)}",
    )


class _Field:
    def __init__(self, points: Sequence[Point], width: int, height: int) -> None:
        self.width, self.height = width - LEFT - RIGHT, height - TOP - BOTTOM
        least = min(point.skill.mu - point.skill.sigma for point in points)
        most = max(point.skill.mu + point.skill.sigma for point in points)
        self.values = charts.numbers(least, most, max(2, self.height // HIGH))
        self.first = points[0].at
        self.span = points[-1].at - self.first
        self.times = charts.times(self.first, points[-1].at, max(2, self.width // WIDE))

    def x(self, at: datetime) -> str:
        share = (at - self.first) / self.span if self.span else 1.0
        return f"{LEFT + self.width * share:.1f}"

    def y(self, rating: float) -> str:
        least, most = self.values[0], self.values[-1]
        return f"{TOP + self.height * (most - rating) / (most - least):.1f}"

    def at(self, point: Point, rating: float) -> tuple[str, str]:
        return self.x(point.at), self.y(rating)


def pictures(
    player: Player, pool: Pool, clubs: QuerySet[Club], now: datetime
) -> list[tuple[str, Curve, list[Dot]]]:
    """Return the curves of a player's rating in two queries; none before the first game.

    Each comes with the CSS class of its screens and with the dots of events, linked if they are of
    `clubs`.
    """
    points = points_of(player, pool, now)
    if not points:
        return []
    curves = {kind: draw(points, *size) for kind, size in SIZES.items()}
    drawn = {point.pairing_id for point in points if point.pairing_id is not None}
    matches = Pairing.objects.filter(pk__in=drawn, round__event__club__in=clubs)
    events = {
        match: (event, name)
        for match, event, name in matches.values_list("pk", "round__event", "round__event__name")
    }
    return [
        (kind, curve, _events_on(curve, events, links=kind == FOR_WIDE))
        for kind, curve in curves.items()
    ]


def _events_on(curve: Curve, events: dict[int, tuple[int, str]], *, links: bool) -> list[Dot]:
    """Return the last point of each event; of points too close together the later one."""
    last = {events[dot.pairing_id]: dot for dot in curve.dots if dot.pairing_id in events}
    kept: list[Dot] = []
    at = float("inf")
    latest_first = sorted(last.items(), key=lambda one: float(one[1].x), reverse=True)
    for (event, name), dot in latest_first:
        if at - float(dot.x) >= APART:
            at = float(dot.x)
            path = reverse("event", args=[event]) if links else ""
            kept.append(dot._replace(words=name, path=path))
    return kept[::-1]
