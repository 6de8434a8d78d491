"""Decisions that a player did not make best, kept as puzzles (`games.puzzles.own` asks them)."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, Final

from games.models import Game, Player, Puzzle
from games.review.reports import Judged, from_data

#: Points between the best option and the second, and standard errors of the points lost, from
#: which a question has one answer.
MIN_GAP: Final = 0.25
MIN_ERRORS: Final = 2.0


def make(game: Game, result: Collection[Mapping[str, Any]]) -> None:
    """Store the puzzles that a review yields; of an earlier review only those it still yields."""
    people = {
        seat.position: seat.player
        for seat in game.seats.select_related("player")
        if seat.player.kind == Player.Kind.PERSON
    }
    found = {
        (one.hand, one.step): one
        for one in from_data(result).decisions
        if one.mark and not one.stood_in and one.seat in people and has_one_answer(one)
    }
    for puzzle in game.puzzles.all():
        if found.pop((puzzle.hand, puzzle.step), None) is None:
            puzzle.delete()
    Puzzle.objects.bulk_create(
        Puzzle(
            game=game,
            player=people[one.seat],
            hand=one.hand,
            step=one.step,
            position=one.seat,
            gap=round(gap(one), 3),
        )
        for one in found.values()
    )


def has_one_answer(one: Judged) -> bool:
    return gap(one) >= max(MIN_GAP, MIN_ERRORS * one.judgement.error)


def gap(one: Judged) -> float:
    """Return how many points lie between the best option and the second."""
    best, *others = [option.value for option in one.judgement.options]
    return best - max(others)
