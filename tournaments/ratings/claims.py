"""Claims on pools: only one process at a time rates a pool, without locks that block others.

A claim is stored in the pool's row. It expires unless renewed, so that the claim of a process that
died runs out. A process that has lost its claim cannot store anything.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import F, Q, QuerySet
from django.utils import timezone

from tournaments.models import Pool
from tournaments.rating_formula import MODEL

#: The lifetime of a claim without renewal.
LASTS = timedelta(minutes=3)


class PoolBusyError(Exception):
    """Another process is rating the games of a pool."""


class OvertakenError(PoolBusyError):
    """The claim has expired, and another process has claimed the pool."""


class PoolClaim:
    def __init__(self, pool: Pool) -> None:
        self.pool = pool

    def renew(self, now: datetime | None = None) -> None:
        """Extend the claim, at most every half of its lifetime; may raise OvertakenError."""
        now = now or timezone.now()
        if self.pool.busy_until is None or self.pool.busy_until - now < LASTS / 2:
            self.pool.busy_until = now + LASTS
            self._write(self.pool.busy_until)

    @contextmanager
    def storing(self) -> Iterator[None]:
        """Open a transaction for storing ratings, in which nobody else can claim the pool.

        Raises OvertakenError, and stores nothing, if the claim was lost.
        """
        self.renew()
        with transaction.atomic():
            self._write(self.pool.busy_until)
            yield

    def note_model(self) -> None:
        self.pool.model = MODEL
        self._mine().update(model=MODEL)

    def give_up(self) -> None:
        self._mine().update(busy_until=None)

    def _write(self, until: datetime | None) -> None:
        if not self._mine().update(busy_until=until):
            raise OvertakenError(f"{self.pool} is being rated by another process.")

    def _mine(self) -> QuerySet[Pool]:
        return Pool.objects.filter(pk=self.pool.pk, revision=self.pool.revision)


@contextmanager
def claimed(key: str, now: datetime | None = None) -> Iterator[PoolClaim | None]:
    """Claim a pool for the duration of the context; None if another process has."""
    now = now or timezone.now()
    pool, _made = Pool.objects.get_or_create(key=key)
    free = Pool.objects.filter(Q(busy_until=None) | Q(busy_until__lte=now), pk=pool.pk)
    with transaction.atomic():
        taken = free.update(busy_until=now + LASTS, revision=F("revision") + 1)
        if taken:
            pool.refresh_from_db()
    claim = PoolClaim(pool) if taken else None
    try:
        yield claim
    finally:
        if claim is not None:
            claim.give_up()
