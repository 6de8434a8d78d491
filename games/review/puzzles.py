"""Puzzles: decisions that a player did not make best, asked again when they are forgotten."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from datetime import datetime, timedelta
from typing import Any, Final

from django.db.models import QuerySet

from games.models import Game, Player, Puzzle
from games.review.reports import Judged, from_data

#: Points between the best option and the second, from which a question has one answer.
MIN_GAP: Final = 0.25
#: How long after a game its puzzles are asked, so that its cards are forgotten.
FORGOTTEN: Final = timedelta(days=3)
#: Puzzles in the set for visitors.
FOR_VISITORS: Final = 12
#: Wrong answers after which looking up the answer is offered first.
TRIES: Final = 2


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
        if one.mark and not one.stood_in and one.seat in people and gap(one) >= MIN_GAP
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


def gap(one: Judged) -> float:
    """Return how many points lie between the best option and the second."""
    best, *others = [option.value for option in one.judgement.options]
    return best - max(others)


def of(player: Player, now: datetime) -> QuerySet[Puzzle]:
    """Return a player's puzzles that may be asked, the oldest first."""
    asked = Puzzle.objects.filter(player=player, game__ended__lte=now - FORGOTTEN)
    return asked.select_related("game__table").order_by("game__ended", "pk")


def for_visitors(now: datetime) -> list[Puzzle]:
    """Return the set that everybody may try: from games at open tables whose secret is public."""
    published = Puzzle.objects.filter(
        game__table__open=True, game__published=True, game__ended__lte=now - FORGOTTEN
    )
    newest = published.select_related("game__table").order_by("-game__ended", "-gap", "pk")
    return list(newest[:FOR_VISITORS])
