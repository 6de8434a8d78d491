"""How many people came on each evening of a season, as a bar chart."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Final, NamedTuple

from tournaments.events.event_words import plural
from tournaments.seasons.seasons import HeldEvening

#: The chart in SVG units: its size, and the top and the foot of the bars.
WIDTH, HEIGHT, TOP, FOOT = 320, 112, 20, 92
#: The most bars with their numbers beside them; of more, only some evenings are numbered.
NUMBERED: Final = 15
#: The most room for an evening.
WIDEST: Final = 40


class EveningBar(NamedTuple):
    """An evening's bar; `came` is empty where there is no room for it, as is `number`.

    `coming`: still to be played.
    """

    x: float
    y: float
    width: float
    height: float
    middle: float
    came: str
    number: str
    words: str
    coming: bool = False


@dataclass(frozen=True, slots=True)
class AttendanceChart:
    """The bars in the order of the evenings; `words` says the same in a sentence."""

    words: str
    bars: tuple[EveningBar, ...]
    width: int = WIDTH
    height: int = HEIGHT


def chart(evenings: Sequence[HeldEvening], coming: Collection[date]) -> AttendanceChart | None:
    """Return the chart of a season's evenings and those to come; None before the first."""
    if not evenings:
        return None
    counts = [one.players for one in evenings]
    columns = len(counts) + len(coming)
    most, step, every = max(*counts, 1), min(WIDEST, WIDTH / columns), -(-columns // NUMBERED)
    bars = []
    for at, players in enumerate([*counts, *(None for _day in coming)]):
        height = (FOOT - TOP) * (1 if players is None else players / most)
        named = at % every == 0
        what = "to come" if players is None else plural(players, "player")
        bars.append(
            EveningBar(
                round((at + 0.1) * step, 1),
                round(FOOT - height, 1),
                round(0.8 * step, 1),
                round(height, 1),
                round((at + 0.5) * step, 1),
                "" if players is None or not named else str(players),
                str(at + 1) if named else "",
                f"Night {at + 1}: {what}",
                players is None,
            )
        )
    mean = sum(counts) / len(counts)
    words = (
        f"Players a night: {mean:.0f} on average, {min(counts)} at least and {max(counts)} at"
        f" most in {plural(len(counts), 'night')}"
    )
    return AttendanceChart(words, tuple(bars))
