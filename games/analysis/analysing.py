"""Valuing positions that people ask about: asking, and the work on those asked for.

A position is a row that a worker takes up (`games.review.claims`) for one step of a few hundred
deals at a time, and then puts behind the others that wait. So many who ask share the time, and
after a worker that died another goes on with the last step stored.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any, Final

import structlog
from django.core.cache import cache
from django.db import transaction
from django.utils import timezone

from games.analysis.completing import PositionError
from games.analysis.positions import BoardPosition
from games.analysis.valuing import STEPS, Sums, Worth, key_of, step_after, value_as_data, worth
from games.engine.observation import Observation
from games.models import Analysis
from games.review import claims
from games.sockets import metrics
from games.subprocesses.client import Worker, WorkerLostError

log = structlog.get_logger(__name__)

#: How long a worker may take for one step before another may take the position up.
LEASE: Final = timedelta(minutes=1)
#: Seconds after which a step, about a third of a second's work, ends a position as failed.
STEP_LIMIT: Final = 40.0
#: How far the work stands back for other processes: behind the reviews of games.
NICENESS: Final = 15
#: Tries that end with an error until a position counts as failed.
MAX_TRIES: Final = 3
FAILED: Final = "It could not be worked out."
#: How long a position is kept.
KEPT: Final = timedelta(days=1)
#: Seconds for which it is remembered what somebody asked last.
_REMEMBERED: Final = 3600

Clock = Callable[[], datetime]


def find(seen: Observation) -> Analysis | None:
    return Analysis.objects.filter(key=key_of(seen)).first()


def worth_of(seen: Observation, row: Analysis | None) -> Worth | None:
    """Return what the choices are worth so far; None before the first step."""
    if row is None or row.sums is None:
        return None
    return worth(seen.legal, Sums.from_data(row.sums))


def ask(position: BoardPosition, seen: Observation, who: str) -> Analysis:
    """Ask for what the choices of a position are worth, or for the rest of the work.

    One position is at work for each person: `who` stops asking for the one before.
    """
    key = key_of(seen)
    with transaction.atomic():
        row, new = Analysis.objects.get_or_create(key=key, defaults={"position": position.text})
        if not new:
            row = Analysis.objects.select_for_update().get(key=key)
        idle = new or (row.due is None and row.made is None)
        if idle:
            row.asked = row.due = timezone.now()
            row.tries, row.error = 0, ""
            row.save(update_fields=["asked", "due", "tries", "error"])
            metrics.analyses.labels("asked").inc()
        askers = {who} if idle else {who, *_askers(key)}
        cache.set(_asked_by(key), askers, _REMEMBERED)
    last = cache.get(_last_of(who))
    if last not in (None, key):
        stop(last, who)
    cache.set(_last_of(who), key, _REMEMBERED)
    return row


def asks(key: str, who: str) -> bool:
    """Return True if somebody asked for a position that is at work."""
    return who in _askers(key)


def stop(key: str, who: str) -> bool:
    """End somebody's asking, and the work if nobody else asks; return False if they did not ask.

    What is there stays, and `ask` goes on.
    """
    with transaction.atomic():
        row = Analysis.objects.select_for_update().filter(key=key).first()
        askers = _askers(key)
        if row is None or who not in askers:
            return False
        cache.set(_asked_by(key), askers - {who}, _REMEMBERED)
        if row.due is not None and askers == {who}:
            row.due = None
            row.save(update_fields=["due"])
            metrics.analyses.labels("stopped").inc()
    return True


def _askers(key: str) -> set[str]:
    found: set[str] = cache.get(_asked_by(key), set())
    return found


def _last_of(who: str) -> str:
    return f"analysis-of:{who}"


def _asked_by(key: str) -> str:
    return f"analysis-by:{key}"


def forget_old(now: datetime) -> None:
    Analysis.objects.filter(asked__lt=now - KEPT).delete()


def analyse_due(clock: Clock = timezone.now) -> int:
    """Do the work that is due; return how many steps were done."""
    done = 0
    worker: Worker | None = None
    try:
        while (row := claims.claim(Analysis.objects.all(), clock(), LEASE)) is not None:
            try:
                worker = worker or Worker(value_as_data, NICENESS)
                done += _step(row, worker, clock)
            except PositionError:
                _fail(row)
            except WorkerLostError as error:  # or one that took too long, and is ended
                log.warning("analysis's worker lost", reason=str(error))
                if worker is not None:
                    worker.end()
                    worker = None
                _try_again(row, clock())
            except Exception:
                log.exception("analysis failed", tries=row.tries + 1)
                _try_again(row, clock())
    finally:
        if worker is not None:
            worker.end()
    return done


def _step(row: Analysis, worker: Worker, clock: Clock) -> bool:
    """Value one step more; return False if the work was stopped or taken over meanwhile."""
    seen = BoardPosition.parse(row.position).seen()
    data: dict[str, Any] = worker.ask(STEP_LIMIT, seen, step_after(row.worlds))
    sums = Sums.from_data(data)
    if row.sums is not None:
        sums += Sums.from_data(row.sums)
    now = clock()
    if sums.worlds < STEPS[-1]:
        return claims.store(row, now, sums=sums.to_data())
    if not claims.store(row, None, sums=sums.to_data(), made=now):
        return False
    metrics.analyses.labels("made").inc()
    metrics.analysis_seconds.observe((now - row.asked).total_seconds())
    return True


def _try_again(row: Analysis, now: datetime) -> None:
    """Let a position that failed be tried again, or end it after the last try."""
    if row.tries + 1 >= MAX_TRIES:
        _fail(row)
    else:
        claims.store(row, now, tries=row.tries + 1)


def _fail(row: Analysis) -> None:
    if claims.store(row, None, error=FAILED):
        metrics.analyses.labels("failed").inc()
