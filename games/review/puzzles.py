"""Puzzles: decisions that a player did not make best, asked again when they are forgotten."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, Final, NamedTuple

from django.contrib.sessions.backends.base import SessionBase
from django.db.models import QuerySet
from django.utils import timezone

from games.models import Game, Player, Puzzle
from games.review.reports import Judged, from_data

#: Points between the best option and the second, and standard errors of the points lost, from
#: which a question has one answer.
MIN_GAP: Final = 0.25
MIN_ERRORS: Final = 2.0
#: How long after a game its puzzles are asked, so that its cards are forgotten.
FORGOTTEN: Final = timedelta(days=3)
#: Puzzles in the set for visitors.
FOR_VISITORS: Final = 12
#: Wrong answers after which looking up the answer is offered first.
TRIES: Final = 2
#: In the session: tries, solved and shown by puzzle, for the visitors' set.
SESSION_KEY: Final = "puzzles"


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


# Answers ------------------------------------------------------------------------------------


class Attempt(NamedTuple):
    """How somebody has fared with a puzzle."""

    tries: int = 0
    solved: bool = False
    shown: bool = False

    @property
    def answered(self) -> bool:
        return self.solved or self.shown


class PuzzleSet(NamedTuple):
    """The puzzles somebody is asked, in order, and how they have fared with each."""

    puzzles: Sequence[Puzzle]
    attempts: Mapping[int, Attempt]
    own: bool

    @property
    def solved(self) -> int:
        return sum(self.attempts[puzzle.pk].solved for puzzle in self.puzzles)

    def number(self, puzzle: Puzzle) -> int:
        """Return a puzzle's place in the set, from 1."""
        return [one.pk for one in self.puzzles].index(puzzle.pk) + 1

    def find(self, number: int) -> Puzzle | None:
        return next((puzzle for puzzle in self.puzzles if puzzle.pk == number), None)

    def after(self, number: int) -> Puzzle | None:
        """Return the next puzzle to be asked after one, those whose answer was shown last."""
        keys = [puzzle.pk for puzzle in self.puzzles]
        start = keys.index(number) + 1 if number in keys else 0
        in_turn = [*self.puzzles[start:], *self.puzzles[:start]]
        open_ = [one for one in in_turn if not self.attempts[one.pk].solved and one.pk != number]
        return min(open_, key=lambda one: self.attempts[one.pk].shown, default=None)


def own_set(player: Player, now: datetime) -> PuzzleSet:
    puzzles = list(of(player, now))
    attempts = {
        one.pk: Attempt(one.tries, one.solved is not None, one.shown is not None) for one in puzzles
    }
    return PuzzleSet(puzzles, attempts, own=True)


def visitors_set(session: SessionBase, now: datetime) -> PuzzleSet:
    """Return the set for visitors; how they have fared is kept in their session."""
    puzzles, known = for_visitors(now), session.get(SESSION_KEY, {})
    attempts = {one.pk: Attempt(*known.get(str(one.pk), ())) for one in puzzles}
    return PuzzleSet(puzzles, attempts, own=False)


def note(session: SessionBase, asked: PuzzleSet, puzzle: Puzzle, attempt: Attempt) -> None:
    """Store how somebody has fared with a puzzle of a set."""
    if not asked.own:
        attempts = {str(one.pk): list(asked.attempts[one.pk]) for one in asked.puzzles}
        session[SESSION_KEY] = attempts | {str(puzzle.pk): list(attempt)}
        return
    now = timezone.now()
    puzzle.tries = attempt.tries
    if attempt.solved and puzzle.solved is None:
        puzzle.solved = now
    if attempt.shown and puzzle.shown is None:
        puzzle.shown = now
    puzzle.save(update_fields=["tries", "solved", "shown"])
