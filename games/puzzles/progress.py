"""How somebody fares with the set of puzzles: kept with the account, or in the session.

What a visitor or guest has solved, and their rush, move from the session to the account at the
next login.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Final

from django.contrib.sessions.backends.base import SessionBase
from django.db import transaction
from django.http import HttpRequest

from games.models import PuzzleProgress, User
from games.puzzles.attempts import Attempt, PuzzleSet
from games.puzzles.collection import SetPuzzle, collection

#: In the session: the fields of `PuzzleProgress` by name.
SESSION_KEY: Final = "puzzle_set"
_FIELDS: Final = ("attempts", "rush", "best")


def progress_of(request: HttpRequest) -> PuzzleProgress:
    """Return the progress of the account, or of the browser where nobody has logged in."""
    user = request.user
    if not isinstance(user, User):
        return PuzzleProgress(**request.session.get(SESSION_KEY, {}))
    return PuzzleProgress.objects.filter(pk=user.pk).first() or PuzzleProgress(user=user)


@contextmanager
def changing(request: HttpRequest) -> Iterator[PuzzleProgress]:
    """Lock the progress, and store how it was changed.

    Of two answers that an account sends at once the second sees what the first has done.
    """
    user = request.user
    if isinstance(user, User):
        with _locked(user) as row:
            yield row
        return
    row = progress_of(request)
    yield row
    request.session[SESSION_KEY] = {name: getattr(row, name) for name in _FIELDS}


@contextmanager
def _locked(user: User) -> Iterator[PuzzleProgress]:
    with transaction.atomic():
        PuzzleProgress.objects.get_or_create(user=user)
        row = PuzzleProgress.objects.select_for_update().get(user=user)
        yield row
        row.save(update_fields=_FIELDS)


def keep(session: SessionBase, user: User) -> None:
    """Move what the session has to the account, beside what is there; repeating it is harmless."""
    known: Mapping[str, Any] = session.get(SESSION_KEY, {})
    if not known:
        return
    with _locked(user) as row:
        for key, attempt in known["attempts"].items():
            before = row.attempts.get(key)
            if before is None or not Attempt(*before).answered:
                row.attempts[key] = attempt
        row.best = max(row.best, known["best"])
        row.rush = max(row.rush, known["rush"], key=lambda rush: rush.get("started", 0))
    del session[SESSION_KEY]


def set_of(row: PuzzleProgress) -> PuzzleSet[SetPuzzle]:
    """Return the set of puzzles with somebody's attempts at them."""
    attempts = {int(key): Attempt(*attempt) for key, attempt in row.attempts.items()}
    return PuzzleSet(collection(), attempts)
