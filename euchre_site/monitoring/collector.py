"""Metrics measured on each scrape: open sockets, database connections, length and age of queues.

A scrape runs in a thread of the metrics server. Queues are rows, so every process reports the same
lengths; where several answers differ, the greatest is the latest.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from typing import Any, Final, NamedTuple

from django.db import Error, connection
from django.db.models import Count, Min, QuerySet
from django.utils import timezone
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from games.live import journal
from games.models import Analysis, Game, Heartbeat, Review, Seeker, Table
from games.play.outages import WEB
from games.sockets import hub
from games.sockets.heartbeats import PARTS
from tournaments.changes import live
from tournaments.models import Delivery, Event, Letter
from tournaments.outbox import pushes
from tournaments.outbox.letters import to_be_sent
from tournaments.running.clock import AT_REST

#: Seconds for which counted rows are reused.
MAX_AGE: Final = 1.0
#: Number of this database's statements that wait for a lock.
LOCKED: Final = (
    "SELECT count(*) FROM pg_stat_activity "
    "WHERE wait_event_type = 'Lock' AND datname = current_database()"
)
#: Connections of a pool by state, with `psycopg_pool`'s names.
CONNECTIONS: Final = (("open", "pool_size"), ("idle", "pool_available"))
SUMS: Final = {
    "bower_pool_waits": ("requests_queued", "Requests that waited for a connection", 1),
    "bower_pool_wait_seconds": ("requests_wait_ms", "Waiting for connections", 1000),
    "bower_pool_errors": ("requests_errors", "Requests that got no connection", 1),
}


class Waiting(NamedTuple):
    rows: int
    since: datetime | None


class Rows(NamedTuple):
    """What was read from the database at one moment.

    waiting: by queue. beats: the last heartbeat of each service. locked: the number of PostgreSQL
    statements that wait for a lock.
    """

    at: datetime
    waiting: Mapping[str, Waiting]
    beats: Mapping[str, datetime]
    locked: int | None


class SiteCollector(Collector):
    """A collector for a `prometheus_client` registry."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._rows: Rows | None = None
        self._read_at = float("-inf")
        self._rating_since: datetime | None = None

    def describe(self) -> Iterable[Metric]:
        return []

    def collect(self) -> Iterator[Metric]:
        yield from _sockets()
        yield from _pools()
        yield from self._database()

    def _database(self) -> Iterator[Metric]:
        with self._lock:  # one query for simultaneous scrapes
            if time.monotonic() - self._read_at >= MAX_AGE:
                self._rows = self._query()
                self._read_at = time.monotonic()
            rows = self._rows
        up = GaugeMetricFamily("bower_database_answers", "Whether the database can be queried")
        up.add_metric([], float(rows is not None))
        yield up
        if rows is not None:
            yield from _metrics_of(rows)

    def _query(self) -> Rows | None:
        try:
            rows = _rows()
        except Error:
            return None
        finally:
            connection.close()  # the thread ends with this scrape
        rating = rows.waiting["ratings"]
        self._rating_since = (self._rating_since or rows.at) if rating.rows else None
        waiting = {**rows.waiting, "ratings": Waiting(rating.rows, self._rating_since)}
        return rows._replace(waiting=waiting)


def _sockets() -> Iterator[Metric]:
    sockets = GaugeMetricFamily("bower_sockets", "Open sockets and streams", labels=["page"])
    watched = {
        "table": hub.sockets,
        "event": live.events,
        "console": live.consoles,
        "calls": live.callers,
    }
    for page, those in watched.items():
        sockets.add_metric([page], those.total())
    yield sockets


def _pools() -> Iterator[Metric]:
    if connection.vendor != "postgresql":
        return  # SQLite has no pools
    from euchre_site.postgresql.base import DatabaseWrapper

    pools = DatabaseWrapper.pool_stats()
    for stats in journal.pool_stats():
        pools["journal"] = stats
    held = GaugeMetricFamily(
        "bower_pool_connections", "Connections to the database", labels=["pool", "state"]
    )
    waiting = GaugeMetricFamily(
        "bower_pool_waiting", "Requests waiting for a connection now", labels=["pool"]
    )
    sums = {
        key: CounterMetricFamily(name, words, labels=["pool"])
        for name, (key, words, _unit) in SUMS.items()
    }
    for pool, stats in pools.items():
        for state, key in CONNECTIONS:
            held.add_metric([pool, state], stats.get(key, 0))
        waiting.add_metric([pool], stats.get("requests_waiting", 0))
        for key, _words, unit in SUMS.values():
            sums[key].add_metric([pool], stats.get(key, 0) / unit)
    yield from (held, waiting, *sums.values())


def _rows() -> Rows:
    now = timezone.now()
    events = Event.objects.filter(due__lte=now).exclude(state__in=AT_REST)
    due = {
        "tables": Game.objects.filter(state=Game.State.PLAYING, due__lte=now),
        "events": events,
        "letters": Letter.objects.filter(to_be_sent(now), due__lte=now),
        "pushes": pushes.waiting(now),
        "deliveries": Delivery.objects.filter(due__lte=now, webhook__paused=False),
        "quick_games": Seeker.objects.filter(due__lte=now, rated=False),
        "reviews": Review.objects.filter(due__lte=now),
        "analyses": Analysis.objects.filter(due__lte=now),
    }
    waiting = {queue: _waiting(rows) for queue, rows in due.items()}
    to_rate = Event.objects.filter(to_rate=True, ended__isnull=False).count()
    quick = Table.objects.filter(rating_due__gt=0, games__state=Game.State.OVER).count()
    waiting["ratings"] = Waiting(to_rate + quick, None)  # no row says since when
    beats = dict(Heartbeat.objects.filter(name__in=(*PARTS, WEB)).values_list("name", "at"))
    return Rows(now, waiting, beats, _locked())


def _waiting(rows: QuerySet[Any]) -> Waiting:
    found = rows.order_by().aggregate(rows=Count("pk"), since=Min("due"))
    return Waiting(found["rows"], found["since"])


def _locked() -> int | None:
    if connection.vendor != "postgresql":
        return None
    with connection.cursor() as cursor:
        cursor.execute(LOCKED)
        return int(cursor.fetchone()[0])


def _metrics_of(rows: Rows) -> Iterator[Metric]:
    count = GaugeMetricFamily("bower_due", "Rows that are due", labels=["queue"])
    age = GaugeMetricFamily("bower_due_age_seconds", "Age of the first due row", labels=["queue"])
    for queue, (number, since) in rows.waiting.items():
        count.add_metric([queue], number)
        age.add_metric([queue], _seconds(since, rows.at))
    seen = GaugeMetricFamily(
        "bower_part_age_seconds", "Time since the last heartbeat of a part", labels=["part"]
    )
    for part, at in rows.beats.items():
        seen.add_metric([part], _seconds(at, rows.at))
    yield from (count, age, seen)
    if rows.locked is not None:
        locks = GaugeMetricFamily("bower_lock_waits", "Statements waiting for a lock now")
        locks.add_metric([], rows.locked)
        yield locks


def _seconds(since: datetime | None, now: datetime) -> float:
    return max(0.0, (now - since).total_seconds()) if since is not None else 0.0
