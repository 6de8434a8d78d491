"""Penalties in points, as they change a score."""

from __future__ import annotations

from typing import Final

Points = tuple[int, int]

RENEGE, LONE_RENEGE, TABLE_TALK = "renege", "lone renege", "talk"
WARNING, OTHER = "warning", "other"

#: The points to the other side for each offence.
POINTS: Final = {RENEGE: 2, LONE_RENEGE: 4, TABLE_TALK: 1, WARNING: 0}
WORDS: Final = {
    RENEGE: "renege",
    LONE_RENEGE: "renege on a lone hand",
    TABLE_TALK: "table talk",
    WARNING: "warning",
    OTHER: "penalty",
}


def applied(score: Points, points: Points, target: int | None = None) -> Points:
    """Return a score with the points of a penalty; no side falls below 0.

    target: of a game that has been won, which stays so: its winner keeps at least that many, and
    its loser gets fewer.
    """
    new = [max(0, one + given) for one, given in zip(score, points, strict=True)]
    if target is not None and max(score) >= target:
        winner = int(score[1] > score[0])
        new[winner] = max(new[winner], target)
        new[1 - winner] = min(new[1 - winner], target - 1)
    return new[0], new[1]


def in_words(offence: str, side: int, points: Points) -> str:
    """Return a penalty in words: "renege by east–west, 2 points to north–south"."""
    names = ("north–south", "east–west")
    said = f"{WORDS[offence]} {'for' if offence in (WARNING, OTHER) else 'by'} {names[side]}"
    given, own = points[1 - side], points[side]
    if given:
        said += f", {given} point{'s' * (given != 1)} to {names[1 - side]}"
    if own:
        said += f", {-own} point{'s' * (own != -1)} off"
    return said
