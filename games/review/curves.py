"""Drawings of the points that could be expected in a hand, as SVG path data.

One drawing for wide pages and one for phones; both have the calls at the left and five tricks of
equal width, so that only the line differs from hand to hand.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from games.engine.actions import PLAY
from games.engine.rules import HAND
from games.files.played import PlayedDeal
from games.review.sums import CurvePoint


class Frame(NamedTuple):
    """A drawing's size, and the area for the line in it."""

    width: int
    height: int
    left: float
    right: float
    top: float
    bottom: float

    @property
    def zero(self) -> float:
        return (self.top + self.bottom) / 2


WIDE: Final = Frame(720, 190, 46, 706, 22, 160)
PHONE: Final = Frame(350, 180, 40, 340, 20, 152)
#: The share of the width that the calls take.
CALLS: Final = 0.278
#: Points at the top and the bottom; a lone hand needs more.
USUAL: Final = 2
LONE: Final = 4


def span(points: Sequence[CurvePoint]) -> int:
    """Return how many points the drawing must show above and below zero."""
    return USUAL if all(abs(point.value) <= USUAL for point in points) else LONE


def across(frame: Frame, played: PlayedDeal) -> list[float]:
    """Return where each step of a hand is, from left to right."""
    actions = played.deal.actions
    calls = sum(action.kind != PLAY for action in actions)
    size = played.deal.rules.players - len(played.deal.sitting_out)
    width = frame.right - frame.left
    trick = width * (1 - CALLS) / HAND
    places = []
    for step in range(played.steps + 1):
        if step <= calls:
            at = width * CALLS * (step / calls if calls else 1)
        else:
            at = width * CALLS + trick * (step - calls) / size
        places.append(round(frame.left + at, 1))
    return places


def up(frame: Frame, value: float, most: int) -> float:
    """Return the height of a value; those beyond the drawing stay at its edge."""
    kept = max(-most, min(most, value))
    return round(frame.zero - kept / most * (frame.bottom - frame.top) / 2, 1)


def line(frame: Frame, points: Sequence[CurvePoint], places: Sequence[float], most: int) -> str:
    """Return the path of the steps, from the first step of the hand to the last point."""
    if not points:
        return ""
    start = f"M{places[0]} {up(frame, points[0].value, most)}"
    steps = [f"H{places[point.step]}V{up(frame, point.value, most)}" for point in points]
    return start + "".join(steps)


def area(frame: Frame, points: Sequence[CurvePoint], places: Sequence[float], most: int) -> str:
    """Return the path of the area between the line and zero."""
    if not points:
        return ""
    return f"{line(frame, points, places, most)}V{frame.zero:g}H{places[0]}z"
