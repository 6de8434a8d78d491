"""Rates the games of finished events, and quick games, once each and always in the same order.

If an event ended before one that has been rated, or its results were corrected, it and everything
after it are rated again, so that the ratings always follow from all results in order. Quick games
have pools of their own, in which the order is that of their ends.
`docs/ratings.md` explains the method and its cost.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import NamedTuple

from django.db.models import F, Q

from tournaments.models import Event, Pool, Rating
from tournaments.rating_formula import (
    MODEL,
    START,
    Skill,
    is_quick,
    keys_of,
    kind_and_place,
    pool_key,
)
from tournaments.ratings import holds, quick_units, vouching
from tournaments.ratings import units as rating_units
from tournaments.ratings.claims import PoolBusyError, PoolClaim, claimed
from tournaments.ratings.quick_units import QuickGame
from tournaments.ratings.replay import DAY, Replay
from tournaments.ratings.store import (
    Difference,
    batches,
    difference,
    fingerprint,
    ranked_until,
)
from tournaments.ratings.units import RatedEvent, Unit

__all__ = [
    "DAY", "PoolBusyError", "catch_up", "fingerprint", "inconsistent_pools", "pool_key",
    "queue_rating", "ranked_until", "recompute", "skills_for", "strengths",
]  # fmt: skip

#: Called with progress: the pool, and the number of its games rated so far.
Report = Callable[[str, int], None]


def skills_for(event: Event, players: Collection[int]) -> dict[int, Skill]:
    """Return what is known of players before an event, each after their latest rated game.

    For an event in the room it is their rating there, otherwise the one online. Who has none of
    these is taken by the other one, as the game is the same; without either they are left out.
    """
    in_room = event.place == Event.Place.ROOM
    first, other = (pool_key(event.rules, in_room=place) for place in (in_room, not in_room))
    found: dict[str, dict[int, Skill]] = {first: {}, other: {}}
    rows = Rating.objects.filter(pool__key__in=found, player__in=players)
    for key, player, mu, sigma in rows.values_list("pool__key", "player", "mu", "sigma"):
        found[key][player] = Skill(mu, sigma)
    return {**found[other], **found[first]}


def strengths(event: Event) -> dict[int, float]:
    """Return the sum of the ratings of each entry's players, by entry."""
    entered = event.entered_players.filter(active=True).values_list("entry", "player")
    players = list(entered)
    rated = skills_for(event, [player for _entry, player in players])
    sums: dict[int, float] = {}
    for entry, player in players:
        sums[entry] = sums.get(entry, 0.0) + rated.get(player, START).mu
    return sums


def queue_rating(event: Event) -> None:
    """Queue a finished event for (re)rating; does nothing if it is unrated.

    The event's version is increased, so that a worker rating it now notices the change.
    """
    if event.rated:
        Event.objects.filter(pk=event.pk).update(to_rate=True, version=F("version") + 1)


class PoolWork(NamedTuple):
    """Events to rate in a claimed pool, whose first change has the position `first`."""

    claim: PoolClaim
    events: Sequence[RatedEvent]
    first: int

    def chunks(self) -> Iterator[Iterable[Unit]]:
        _kind, in_room = kind_and_place(self.claim.pool.key)
        for chunk in rating_units.chunks(self.events):
            yield rating_units.units(chunk, in_room=in_room)


class QuickWork(NamedTuple):
    """Quick games to rate in a claimed pool, whose first change has the position `first`."""

    claim: PoolClaim
    games: Sequence[QuickGame]
    first: int

    def chunks(self) -> Iterator[Iterable[Unit]]:
        return (quick_units.units(chunk) for chunk in quick_units.chunks(self.games))


def catch_up() -> int:
    """Rate the queued events and quick games; return how many there were.

    Safe to run twice, late, or on several workers at once: a kind of game of which another worker
    has claimed a pool is skipped. A pool rated by an earlier model is rated again from its first
    game.
    """
    outdated = Pool.objects.exclude(model=MODEL).values_list("key", flat=True)
    old_kinds = {kind_and_place(key)[0] for key in outdated if not is_quick(key)}
    rated = 0
    for kind in sorted({*rating_units.waiting_kinds(), *old_kinds}):
        rated += _repeated(_catch_up, kind)
    quick_units.forget_abandoned()
    for key in sorted({*quick_units.waiting(), *filter(is_quick, outdated)}):
        rated += _repeated(_catch_up_quick, key)
    return rated


def _repeated(rate: Callable[[str], int], of: str) -> int:
    """Call a function until it rates nothing more, or another worker does it."""
    rated = 0
    try:
        while done := rate(of):
            rated += done
    except PoolBusyError:
        pass
    return rated


def _catch_up(kind: str) -> int:
    """Rate the queued events of a kind of game once; raise PoolBusyError if another worker does."""
    waiting = rating_units.waiting(kind)
    with _claimed(rating_units.pools_for(kind, waiting)) as claims:
        work = [one for claim in claims if (one := _pending(claim, waiting))]
        for event in waiting:
            holds.hold_suspicious(event.pk)
        _rate(work, waiting)
    return len({event.pk for one in work for event in one.events})


def _catch_up_quick(key: str) -> int:
    """Rate the waiting games of a quick pool once; raise PoolBusyError if another worker does."""
    with _claimed([key]) as (claim,):
        waiting = quick_units.waiting().get(key, [])
        holds.hold_suspicious_games([game.pk for game in waiting])
        work = _pending_quick(claim, waiting)
        if work is None:
            return 0
        _rate_quick(work, waiting)
    return len(work.games)


def _pending_quick(claim: PoolClaim, waiting: Sequence[QuickGame]) -> QuickWork | None:
    pool = claim.pool
    if pool.model != MODEL:
        return QuickWork(claim, quick_units.games(pool.key), 1)
    if not waiting:
        return None
    first = waiting[0]
    earlier = pool.changes.filter(Q(at__lt=first.ended) | Q(at=first.ended, game__lt=first.pk))
    last = earlier.order_by("-position").values_list("position", flat=True).first()
    return QuickWork(claim, quick_units.games(pool.key, since=first), (last or 0) + 1)


def _rate_quick(
    work: QuickWork, waiting: Sequence[QuickGame], report: Report | None = None
) -> None:
    with _changes(work, report) as (changes, differs), work.claim.storing():
        _store(work, changes, differs=differs)
        quick_units.done(waiting)


@contextmanager
def _claimed(keys: Sequence[str]) -> Iterator[list[PoolClaim]]:
    """Claim all these pools for the duration of the context, or raise PoolBusyError."""
    with ExitStack() as stack:
        claims = []
        for key in keys:
            claim = stack.enter_context(claimed(key))
            if claim is None:
                raise PoolBusyError(f"Another process is rating the pool “{key}”.")
            claims.append(claim)
        yield claims


def _pending(claim: PoolClaim, waiting: Sequence[RatedEvent]) -> PoolWork | None:
    """Return what is to be rated in a pool if events of its kind of game are waiting."""
    pool = claim.pool
    if pool.model != MODEL:
        return PoolWork(claim, rating_units.events(pool.key), 1)
    if not waiting:
        return None
    first = waiting[0]
    # The position of the event's first change in the pool's order.
    same = Q(pairing__round__event__ended=first.ended, pairing__round__event__lt=first.pk)
    earlier = pool.changes.filter(same | Q(pairing__round__event__ended__lt=first.ended))
    last = earlier.order_by("-position").values_list("position", flat=True).first()
    return PoolWork(claim, rating_units.events(pool.key, since=first), (last or 0) + 1)


def _rate(
    work: Sequence[PoolWork], waiting: Sequence[RatedEvent], report: Report | None = None
) -> None:
    """Rate events pool by pool; with the last pool those that were waiting are marked as rated."""
    for number, one in enumerate(work, start=1):
        with _changes(one, report) as (changes, differs), one.claim.storing():
            _store(one, changes, differs=differs)
            if kind_and_place(one.claim.pool.key)[1]:
                vouching.review(one.claim.pool)
            if number == len(work):
                _done(waiting)


def _store(work: PoolWork | QuickWork, changes: Difference, *, differs: bool) -> None:
    if differs:
        changes.store()
    if work.first == 1:
        work.claim.note_model()


@contextmanager
def _changes(
    work: PoolWork | QuickWork, report: Report | None = None
) -> Iterator[tuple[Difference, bool]]:
    """Rate games without storing; give the changes, and whether any differs from what is stored."""
    replay = Replay(work.claim.pool, work.first)
    with difference(replay) as changes:
        for units in work.chunks():
            work.claim.renew()
            changes.add(replay.rate(units))
            if report:
                report(work.claim.pool.key, replay.games)
        yield changes, changes.find()


def _done(events: Sequence[RatedEvent]) -> None:
    """Mark events as rated, except those that have changed since they were read."""
    read = {event.pk: event.version for event in events}
    marked = Event.objects.select_for_update().filter(to_rate=True, ended__isnull=False)
    versions = marked.order_by("ended", "pk").values_list("pk", "version")
    done = [pk for pk, version in versions if read.get(pk) == version]
    for some in batches(done):
        Event.objects.filter(pk__in=some).update(to_rate=False)


def recompute(report: Report | None = None) -> dict[str, str]:
    """Recompute all ratings from the results, pool by pool; return each pool's hash.

    Only differences are stored. Raises PoolBusyError.
    """
    stored = list(Pool.objects.values_list("key", flat=True))
    stored_kinds = {kind_and_place(key)[0] for key in stored if not is_quick(key)}
    for kind in sorted({*rating_units.kinds(), *stored_kinds}):
        waiting = rating_units.waiting(kind)
        every = rating_units.events(keys_of(kind)[0])
        with _claimed(rating_units.pools_for(kind, every)) as claims:
            for event in waiting:
                holds.hold_suspicious(event.pk)
            work = [PoolWork(one, rating_units.events(one.pool.key), 1) for one in claims]
            _rate(work, waiting, report)
    for key in sorted({*quick_units.pools(), *filter(is_quick, stored)}):
        with _claimed([key]) as (claim,):
            to_rate = quick_units.waiting().get(key, [])
            holds.hold_suspicious_games([game.pk for game in to_rate])
            _rate_quick(QuickWork(claim, quick_units.games(key), 1), to_rate, report)
    return {pool.key: fingerprint(pool) for pool in Pool.objects.all()}


def inconsistent_pools() -> list[str]:
    """Return the pools whose stored ratings differ from those computed from the results.

    Pools with a queued event or game, and pools being rated, are left out.
    """
    inconsistent = []
    for key in Pool.objects.values_list("key", flat=True):
        with claimed(key) as claim:
            if claim is None or claim.pool.model != MODEL or _is_waiting(key):
                continue
            work = (
                QuickWork(claim, quick_units.games(key), 1)
                if is_quick(key)
                else PoolWork(claim, rating_units.events(key), 1)
            )
            with _changes(work) as (_, differs):
                pass
            if differs and not _is_waiting(key):
                inconsistent.append(key)
    return inconsistent


def _is_waiting(key: str) -> bool:
    if is_quick(key):
        return key in quick_units.waiting()
    return bool(rating_units.waiting(kind_and_place(key)[0]))
