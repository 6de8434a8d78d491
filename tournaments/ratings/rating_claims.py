"""One at a time rates the games of a pool, without a lock that anybody else would wait for.

A claim is a line in the pool's row. It lasts for a while and is renewed as long as it is needed;
that of a process which died runs out. Whoever was overtaken so can store nothing any more.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import F, Q, QuerySet
from django.utils import timezone

from tournaments.models import Pool
from tournaments.rating_formula import MODEL

#: For how long a claim lasts without being renewed.
LASTS = timedelta(minutes=3)


class PoolBusyError(Exception):
    """Another process is rating the games of a pool."""


class OvertakenError(PoolBusyError):
    """The claim had run out, and another process has taken the pool since."""


class Claim:
    """The right to rate the games of a pool.

    Attributes:
        pool: which.
    """

    def __init__(self, pool: Pool) -> None:
        self.pool = pool

    def renew(self, now: datetime | None = None) -> None:
        """Let the claim last on; nothing is written before half of its time has passed.

        Raises OvertakenError.
        """
        now = now or timezone.now()
        if self.pool.busy_until is None or self.pool.busy_until - now < LASTS / 2:
            self.pool.busy_until = now + LASTS
            self._write(self.pool.busy_until)

    @contextmanager
    def storing(self) -> Iterator[None]:
        """Store what was rated in one transaction, in which nobody else can claim the pool.

        Raises OvertakenError; nothing is stored.
        """
        self.renew()
        with transaction.atomic():
            self._write(self.pool.busy_until)
            yield

    def note_model(self) -> None:
        """Note that all of the pool's games have been rated by the model of today."""
        self.pool.model = MODEL
        self._mine().update(model=MODEL)

    def give_up(self) -> None:
        """Leave the pool to others."""
        self._mine().update(busy_until=None)

    def _write(self, until: datetime | None) -> None:
        if not self._mine().update(busy_until=until):
            raise OvertakenError(f"{self.pool} is being rated by another process.")

    def _mine(self) -> QuerySet[Pool]:
        return Pool.objects.filter(pk=self.pool.pk, revision=self.pool.revision)


@contextmanager
def claimed(key: str, now: datetime | None = None) -> Iterator[Claim | None]:
    """Claim a pool for as long as this is open; None if somebody else has claimed it."""
    now = now or timezone.now()
    pool, _made = Pool.objects.get_or_create(key=key)
    free = Pool.objects.filter(Q(busy_until=None) | Q(busy_until__lte=now), pk=pool.pk)
    with transaction.atomic():
        taken = free.update(busy_until=now + LASTS, revision=F("revision") + 1)
        if taken:
            pool.refresh_from_db()
    claim = Claim(pool) if taken else None
    try:
        yield claim
    finally:
        if claim is not None:
            claim.give_up()
