"""Rates the games of finished events, once each and always in the same order.

If an event ended before one that has been rated, or its results were corrected, it and everything
after it are rated again, so that the ratings always follow from all results in order.
`docs/ratings.md` explains the method and its cost.
"""

from collections.abc import Callable, Sequence

from django.db.models import F, Q

from games.engine.rules import RuleSet
from games.models import Player
from tournaments.models import Event, Pool, Rating
from tournaments.rating_formula import MODEL, START, Skill, pool_key
from tournaments.ratings import rating_holds, rating_units
from tournaments.ratings.rating_claims import Claim, OvertakenError, PoolBusyError, claimed
from tournaments.ratings.rating_replay import DAY, Replay
from tournaments.ratings.rating_store import (
    Difference,
    batches,
    difference,
    fingerprint,
    ranked_until,
)
from tournaments.ratings.rating_units import RatedEvent

__all__ = [
    "DAY", "PoolBusyError", "catch_up", "fingerprint", "inconsistent_pools", "pool_key",
    "queue_rating", "ranked_until", "rating_of", "recompute", "strengths",
]  # fmt: skip

#: Called with progress: the pool, and the number of its games rated so far.
Report = Callable[[str, int], None]


def rating_of(player: Player, rules: RuleSet) -> Skill:
    """Return a player's rating for a rule set after their latest rated game, or START."""
    stored = Rating.objects.filter(player=player, pool__key=pool_key(rules)).first()
    return Skill(stored.mu, stored.sigma) if stored else START


def strengths(event: Event) -> dict[int, float]:
    """Return the sum of the ratings of each entry's players, by entry."""
    players = event.entered_players.filter(active=True)
    pool = Rating.objects.filter(pool__key=pool_key(event.rules))
    rated = dict(pool.filter(player__in=players.values("player")).values_list("player", "mu"))
    sums: dict[int, float] = {}
    for entry, player in players.values_list("entry", "player"):
        sums[entry] = sums.get(entry, 0.0) + rated.get(player, START.mu)
    return sums


def queue_rating(event: Event) -> None:
    """Queue a finished event for (re)rating; does nothing if it is unrated.

    The event's version is increased, so that a worker rating it now notices the change.
    """
    if event.rated:
        Event.objects.filter(pk=event.pk).update(to_rate=True, version=F("version") + 1)


def catch_up() -> int:
    """Rate the queued events; return how many there were.

    Safe to run twice, late, or on several workers at once: a pool that another worker has claimed
    is skipped. A pool rated by an earlier model is rated again from its first game.
    """
    outdated = Pool.objects.exclude(model=MODEL).values_list("key", flat=True)
    rated = 0
    for key in sorted({*rating_units.waiting_keys(), *outdated}):
        with claimed(key) as claim:
            while claim and (work := _pending(claim.pool)):
                for event in rating_units.waiting(key):
                    rating_holds.hold_suspicious(event.pk)
                try:
                    _rate(claim, *work)
                except OvertakenError:
                    break
                rated += len(work[0])
    return rated


def _pending(pool: Pool) -> tuple[Sequence[RatedEvent], int] | None:
    """Return the events to rate and the position of their first change, or None."""
    if pool.model != MODEL:
        return rating_units.events(pool.key), 1
    first = next(iter(rating_units.waiting(pool.key)), None)
    if first is None:
        return None
    # The position of the event's first change in the pool's order.
    same = Q(pairing__round__event__ended=first.ended, pairing__round__event__lt=first.pk)
    earlier = pool.changes.filter(same | Q(pairing__round__event__ended__lt=first.ended))
    last = earlier.order_by("-position").values_list("position", flat=True).first()
    return rating_units.events(pool.key, since=first), (last or 0) + 1


def _rate(
    claim: Claim, events: Sequence[RatedEvent], first: int, report: Report | None = None
) -> None:
    replay = Replay(claim.pool, first)
    with difference(replay) as changes:
        differs = _go_through(claim, events, replay, changes, report)
        with claim.storing():
            if differs:
                changes.store()
            _done(events)
            if first == 1:
                claim.note_model()


def _go_through(
    claim: Claim,
    events: Sequence[RatedEvent],
    replay: Replay,
    changes: Difference,
    report: Report | None = None,
) -> bool:
    """Rate events without storing; return whether anything differs from what is stored."""
    for chunk in rating_units.chunks(events):
        claim.renew()
        changes.add(replay.rate(rating_units.units(chunk)))
        if report:
            report(claim.pool.key, replay.games)
    return changes.find()


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
    stored = Pool.objects.values_list("key", flat=True)
    for key in sorted({*stored, *rating_units.keys()}):
        with claimed(key) as claim:
            if claim is None:
                raise PoolBusyError(f"Another process is rating the pool “{key}”.")
            for event in rating_units.waiting(key):
                rating_holds.hold_suspicious(event.pk)
            _rate(claim, rating_units.events(key), first=1, report=report)
    return {pool.key: fingerprint(pool) for pool in Pool.objects.all()}


def inconsistent_pools() -> list[str]:
    """Return the pools whose stored ratings differ from those computed from the results.

    Pools with a queued event, and pools being rated, are left out.
    """
    inconsistent = []
    for key in Pool.objects.values_list("key", flat=True):
        with claimed(key) as claim:
            if claim is None or _pending(claim.pool):
                continue
            replay = Replay(claim.pool)
            with difference(replay) as changes:
                differs = _go_through(claim, rating_units.events(key), replay, changes)
            if differs and not rating_units.waiting(key):
                inconsistent.append(key)
    return inconsistent
