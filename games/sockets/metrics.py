"""Metrics of this process, exported by ``euchre_site.monitoring``.

No label identifies a person, a table or a card, and each has few values, so that no series traces
one person. Counters may be used in any thread, except those without a lock that every action
updates: only the loop with the sockets, or the journal, may do that.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import Final

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    Summary,
    disable_created_metrics,
)
from prometheus_client.core import (
    CounterMetricFamily,
    HistogramMetricFamily,
    Metric,
    SummaryMetricFamily,
)
from prometheus_client.registry import Collector
from prometheus_client.utils import floatToGoString

disable_created_metrics()  # type: ignore[no-untyped-call]
registry: Final = CollectorRegistry()

#: Histogram buckets in seconds for fast and for slow operations.
QUICK_BUCKETS: Final = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10)
SLOW_BUCKETS: Final = (0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15)

# What every action counts ---------------------------------------------------------------------


class PlainSum(Collector):
    """A metric without a lock; only one thread may update it."""

    def __init__(self, name: str, documentation: str) -> None:
        self.name = name
        self.documentation = documentation
        registry.register(self)

    def describe(self) -> Iterator[Metric]:
        return iter(self.collect())


class ActionCounter(PlainSum):
    def __init__(self, name: str, documentation: str) -> None:
        self.by = dict.fromkeys(("person", "house", "clock"), 0)
        super().__init__(name, documentation)

    def collect(self) -> Iterator[Metric]:
        told = CounterMetricFamily(self.name, self.documentation, labels=["by"])
        for by, count in self.by.items():
            told.add_metric([by], count)
        yield told


class PlainHistogram(PlainSum):
    """Histogram of seconds; `bounds` are upper bounds, ascending."""

    def __init__(self, name: str, documentation: str, bounds: Sequence[float]) -> None:
        self.bounds = bounds
        self.counts = [0] * (len(bounds) + 1)
        self.total = 0.0
        super().__init__(name, documentation)

    def observe(self, seconds: float) -> None:
        self.counts[bisect_left(self.bounds, seconds)] += 1
        self.total += seconds

    def collect(self) -> Iterator[Metric]:
        names = [*map(floatToGoString, self.bounds), "+Inf"]
        buckets = list(zip(names, accumulate(self.counts), strict=True))
        yield HistogramMetricFamily(
            self.name, self.documentation, buckets=buckets, sum_value=self.total
        )


class FrameBytes(PlainSum):
    count = total = 0

    def collect(self) -> Iterator[Metric]:
        yield SummaryMetricFamily(
            self.name, self.documentation, count_value=self.count, sum_value=self.total
        )


actions: Final = ActionCounter(
    "bower_actions", "Actions stored: of persons and programs, house players, tables' clocks"
)
action_seconds: Final = PlainHistogram(
    "bower_action_seconds",
    "From the receipt of an action of a person or program to its stored answer",
    QUICK_BUCKETS,
)
store_seconds: Final = PlainHistogram(
    "bower_store_seconds",
    "Storing of actions: on SQLite of all that were queued, else of one",
    QUICK_BUCKETS,
)
lock_wait_seconds: Final = PlainHistogram(
    "bower_lock_wait_seconds", "Waiting of the journal for SQLite's one write lock", QUICK_BUCKETS
)
frame_bytes: Final = FrameBytes("bower_frame_bytes", "Frames sent to sockets, and their bytes")

# Play -----------------------------------------------------------------------------------------

actions_refused: Final = Counter(
    "bower_actions_refused", "Actions of persons and programs that were not done, by the answer",
    ["answer"], registry=registry,
)  # fmt: skip

house_choices: Final = Counter(
    "bower_house_choices",
    "Choices of strong house players: by a worker, or here with fewer guesses of the hidden hands; "
    "alike are those at solo tables, which are the same wherever they are made",
    ["where"], registry=registry,
)  # fmt: skip
house_alike_seconds: Final = Summary(
    "bower_house_alike_seconds",
    "Choices of house players at solo tables, which wait for a worker, and their time",
    registry=registry,
)
house_workers_lost: Final = Counter(
    "bower_house_workers_lost",
    "Workers of house players that did not start, ended, failed or hung",
    registry=registry,
)
house_answers_late: Final = Counter(
    "bower_house_answers_late",
    "Answers of house players' workers that came too late and were dropped",
    registry=registry,
)

# Sockets --------------------------------------------------------------------------------------

resyncs: Final = Counter(
    "bower_resyncs", "Whole pictures sent to sockets that were behind", ["page"], registry=registry
)
connections_refused: Final = Counter(
    "bower_connections_refused", "Sockets, pages and API requests that were not let in, by why",
    ["reason"], registry=registry,
)  # fmt: skip

# Pages ----------------------------------------------------------------------------------------

page_turns: Final = Gauge(
    "bower_page_turns", "Pages being answered now, and those waiting for their turn",
    ["state"], registry=registry,
)  # fmt: skip
turn_wait_seconds: Final = Summary(
    "bower_turn_wait_seconds", "Waiting of pages whose turn did not come at once", registry=registry
)
requests: Final = Counter(
    "bower_requests", "Requests answered by Django, by the name of their address and status",
    ["route", "status"], registry=registry,
)  # fmt: skip
request_seconds: Final = Histogram(
    "bower_request_seconds", "From a request to the head of its answer, its turn included",
    buckets=SLOW_BUCKETS, registry=registry,
)  # fmt: skip

# Work -----------------------------------------------------------------------------------------

task_seconds: Final = Summary(
    "bower_task_seconds", "Tasks done by this worker, and their time", ["task"], registry=registry
)
tasks_failed: Final = Counter(
    "bower_tasks_failed", "Tasks that ended with an error", ["task"], registry=registry
)
letters: Final = Counter(
    "bower_letters", "Tries to send a letter, by what became of it", ["outcome"], registry=registry
)
deliveries: Final = Counter(
    "bower_deliveries", "Tries to tell a webhook, by what became of it",
    ["outcome"], registry=registry,
)  # fmt: skip
pushes: Final = Counter(
    "bower_pushes",
    "Tries to send a push message, by what became of it",
    ["outcome"],
    registry=registry,
)
reviews: Final = Counter(
    "bower_reviews", "Reviews of games that were asked for, made and failed",
    ["state"], registry=registry,
)  # fmt: skip
review_seconds: Final = Summary(
    "bower_review_seconds", "Reviews made, and the time from asking for them", registry=registry
)
analyses: Final = Counter(
    "bower_analyses", "Positions of the analysis board: asked for, made, stopped, failed, refused",
    ["state"], registry=registry,
)  # fmt: skip
analysis_seconds: Final = Summary(
    "bower_analysis_seconds", "Positions valued, and the time from asking for them",
    registry=registry,
)  # fmt: skip

#: Label values known beforehand, so that each is exported as 0 before it first occurs.
KNOWN: Final = {
    actions_refused: (
        "stale", "illegal", "malformed", "out of turn", "not seated", "failed", "slow down",
    ),
    house_choices: ("worker", "here", "alike", "alike here"),
    resyncs: ("table", "event"),
    connections_refused: (
        "origin", "rate", "full", "not open", "database", "turns", "body", "head", "api quota",
    ),
    page_turns: ("taken", "waiting"),
    letters: ("sent", "failed", "given up"),
    deliveries: ("arrived", "failed", "given up"),
    pushes: ("sent", "failed", "given up", "gone"),
    reviews: ("asked", "made", "failed"),
    analyses: ("asked", "made", "stopped", "failed", "refused"),
}  # fmt: skip
for _sum, _values in KNOWN.items():
    for _value in _values:
        _sum.labels(_value)


def count_frame(text: str | bytes) -> None:
    frame_bytes.count += 1
    if isinstance(text, str) and not text.isascii():
        text = text.encode()
    frame_bytes.total += len(text)


def refuse(reason: str) -> None:
    """Count a refused connection by one of the known reasons of `connections_refused`."""
    connections_refused.labels(reason).inc()
