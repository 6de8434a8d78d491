"""Puzzles from somebody's own games, asked when the game is forgotten."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Final

from django.db.models import QuerySet
from django.utils import timezone

from games.models import Player, Puzzle
from games.puzzles.attempts import Attempt, PuzzleSet

#: How long after a game its puzzles are asked, so that its cards are forgotten.
FORGOTTEN: Final = timedelta(days=3)


def of(player: Player, now: datetime) -> QuerySet[Puzzle]:
    """Return a player's puzzles that may be asked, the oldest first."""
    asked = Puzzle.objects.filter(player=player, game__ended__lte=now - FORGOTTEN)
    return asked.select_related("game__table").order_by("game__ended", "pk")


def next_due(player: Player, now: datetime) -> datetime | None:
    """Return when the next puzzle of a player that may not be asked yet can be."""
    later = Puzzle.objects.filter(player=player, game__ended__gt=now - FORGOTTEN)
    ended = later.order_by("game__ended").values_list("game__ended", flat=True).first()
    return None if ended is None else ended + FORGOTTEN


def own_set(player: Player, now: datetime) -> PuzzleSet[Puzzle]:
    puzzles = {one.pk: one for one in of(player, now)}
    attempts = {
        key: Attempt(one.tries, one.solved is not None, one.shown is not None)
        for key, one in puzzles.items()
    }
    return PuzzleSet(puzzles, attempts)


def note(puzzle: Puzzle, attempt: Attempt) -> None:
    """Store how a puzzle's player has fared with it."""
    now = timezone.now()
    puzzle.tries = attempt.tries
    if attempt.solved and puzzle.solved is None:
        puzzle.solved = now
    if attempt.shown and puzzle.shown is None:
        puzzle.shown = now
    puzzle.save(update_fields=["tries", "solved", "shown"])
