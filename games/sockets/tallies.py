"""What happens, counted: sums that this process keeps for whoever watches the site.

They are told by ``euchre_site.watching``. No label names a person, a table or a card, and each
has few values, so that a sum is never one person's doing. Counting may be done in any thread.
"""

from __future__ import annotations

from typing import Final

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    Summary,
    disable_created_metrics,
)

disable_created_metrics()  # type: ignore[no-untyped-call]
registry: Final = CollectorRegistry()

#: Upper bounds in seconds of what should take milliseconds, and of what may take seconds.
QUICK: Final = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10)
SLOW: Final = (0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15)

# Play -----------------------------------------------------------------------------------------

actions: Final = Counter(
    "bower_actions", "Actions stored: of persons and programs, house players, tables' clocks",
    ["by"], registry=registry,
)  # fmt: skip
action_seconds: Final = Histogram(
    "bower_action_seconds",
    "From the receipt of an action of a person or program to its stored answer",
    buckets=QUICK, registry=registry,
)  # fmt: skip
actions_refused: Final = Counter(
    "bower_actions_refused", "Actions of persons and programs that were not done, by the answer",
    ["answer"], registry=registry,
)  # fmt: skip
store_seconds: Final = Histogram(
    "bower_store_seconds", "Storing of actions: on SQLite of all that were queued, else of one",
    buckets=QUICK, registry=registry,
)  # fmt: skip
lock_wait_seconds: Final = Histogram(
    "bower_lock_wait_seconds", "Waiting of the journal for SQLite's one write lock",
    buckets=QUICK, registry=registry,
)  # fmt: skip

# Sockets --------------------------------------------------------------------------------------

frame_bytes: Final = Summary(
    "bower_frame_bytes", "Frames sent to sockets, and their bytes", registry=registry
)
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
    buckets=SLOW, registry=registry,
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

#: The values that are known beforehand, so that each is told as 0 before it first happens.
KNOWN: Final = {
    actions: ("person", "house", "clock"),
    actions_refused: (
        "stale", "illegal", "malformed", "out of turn", "not seated", "failed", "slow down",
    ),
    resyncs: ("table", "event"),
    connections_refused: (
        "origin", "rate", "full", "not open", "database", "turns", "body", "head", "api quota",
    ),
    page_turns: ("taken", "waiting"),
    letters: ("sent", "failed", "given up"),
    deliveries: ("arrived", "failed", "given up"),
}  # fmt: skip
for _sum, _values in KNOWN.items():
    for _value in _values:
        _sum.labels(_value)


def note_frame(text: str) -> None:
    """Count a frame that is sent to a socket."""
    frame_bytes.observe(len(text) if text.isascii() else len(text.encode()))


def refuse(reason: str) -> None:
    """Count somebody who is not let in.

    reason: one of the known ones of `connections_refused`.
    """
    connections_refused.labels(reason).inc()
