"""A player's rating in a pool as a drawing: the line, and the band of how sure it is.

On the player's rating page, drawn for wide and for narrow screens, its points lead to events.
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
from tournaments import axes
from tournaments import rating_formula as formula
from tournaments.models import Club, Pairing, Pool, RatingChange
from tournaments.rating_formula import Skill
from tournaments.ratings.rating import DAY

#: Stretches of time of which only the first, the least, the best and the last rating are drawn.
STRETCHES: Final = 75
#: Room beside the drawing for what is written on its axes, and above for the present rating.
LEFT, RIGHT, TOP, BOTTOM = 46, 14, 22, 28
#: The least width for a number or a time on an axis, and the least height.
WIDE, HIGH = 72, 34
#: The sizes on a player's rating page, by the class of each.
FOR_WIDE: Final = "for-wide"
SIZES: Final = {FOR_WIDE: (900, 300), "for-narrow": (360, 260)}
#: Points nearer to each other than this could not be pressed apart.
APART: Final = 20.0


class Point(NamedTuple):
    """A rating at a time; `pairing_id` is the match that led to it, None where none did."""

    at: datetime
    skill: Skill
    pairing_id: int | None = None


class Dot(NamedTuple):
    """A drawn point that stands for a match.

    Attributes:
        x, y: where.
        pairing_id: the match.
        words, path: the event's name and its page; both empty where no event is told, and the
            path on narrow screens, where no finger could hit it.
    """

    x: str
    y: str
    pairing_id: int
    words: str = ""
    path: str = ""


@dataclass(frozen=True, slots=True)
class Curve:
    """A drawing in SVG's units; all numbers are ready to be written.

    Attributes:
        width, height: of the whole.
        left, right, top, bottom: of the field inside its axes.
        values: ratings on the upright axis, each where it stands. times: those of the level one.
        band, line: points of the polygon and of the polyline.
        dots: the last point of each match that is drawn, from left to right.
        now: the rating at the end of the line.
        x, y: where that is.
        words: what a screen reader says of the whole.
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
        """Where the words below the level axis stand."""
        return self.height - 6

    @property
    def number(self) -> str:
        """The present rating as a whole number."""
        return str(round(self.now.mu))


def curve_of(
    player: Player, pool: Pool, width: int, height: int, now: datetime | None = None
) -> Curve | None:
    """Draw a player's rating from their first rated game until now; None if they have played none.

    It takes one query and thins out what it draws. Whether the asker may see it is to be checked
    before.
    """
    points = points_of(player, pool, now or timezone.now())
    return draw(points, width, height) if points else None


def points_of(player: Player, pool: Pool, now: datetime) -> list[Point]:
    """Return what is to be drawn, in order: at most 300 points, and the rating as it is now.

    Before a game stands the rating that has become less sure by rest.
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
    rested = formula.rested(last.skill, rest.total_seconds() / DAY)
    return [*thinned(every), Point(last.at + rest, rested)]


def thinned(points: Sequence[Point]) -> list[Point]:
    """Return the points in order without those that nobody would see.

    The time is cut into equal stretches; of each are kept the first, the last, the least and the
    best.
    """
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
    """Draw ratings, at least two in the order of time, into a drawing of this size."""
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
        times=tuple((field.x(tick.at), tick.words) for tick in field.times),
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
    """Where ratings and times lie in a drawing."""

    def __init__(self, points: Sequence[Point], width: int, height: int) -> None:
        self.width, self.height = width - LEFT - RIGHT, height - TOP - BOTTOM
        least = min(point.skill.mu - point.skill.sigma for point in points)
        most = max(point.skill.mu + point.skill.sigma for point in points)
        self.values = axes.numbers(least, most, max(2, self.height // HIGH))
        self.first = points[0].at
        self.span = points[-1].at - self.first
        self.times = axes.times(self.first, points[-1].at, max(2, self.width // WIDE))

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
    """Return the drawings of a player's rating, in two queries; none before the first game.

    Each comes with the kind of screen it is for and with the events' dots on it.

    clubs: those the reader may see; events of others are no links.
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
    """The last point of each event; of points too near to each other the later one."""
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
