"""What happens at tables is counted, and nobody is named by it."""

import re
from collections.abc import Iterator
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from django.test import Client
from django.urls import get_resolver
from prometheus_client.parser import text_string_to_metric_families

from euchre_site.monitoring import metrics_server
from games.engine.cards import card_text
from games.play import consumers, play
from games.play.play import Decision
from games.sockets import hub, metrics
from tests.counted import value
from tests.factories import room
from tests.tabs import new_tab

pytestmark = pytest.mark.django_db(transaction=True)

#: The values that labels may have, beside names of addresses and what Python tells of itself.
BOUNDED = {
    "by": {"person", "house", "clock"},
    "answer": {"stale", "illegal", "malformed", "out of turn", "not seated", "failed", "slow down"},
    "page": {"table", "event", "calls"},
    "reason": {
        "origin", "rate", "full", "not open", "database", "turns", "body", "head", "api quota",
    },
    "state": {"taken", "waiting", "open", "idle", "asked", "made", "failed", "stopped", "refused"},
    "where": {"worker", "here"},
    "status": {"2xx", "3xx", "4xx", "5xx"},
    "outcome": {"sent", "arrived", "failed", "given up", "gone"},
    "queue": {
        "tables", "events", "letters", "deliveries", "ratings", "reviews", "quick_games", "pushes",
        "analyses",
    },
    "part": {"schedule", "ticks", "work", "web"},
    "pool": {"pages", "play", "journal"},
}  # fmt: skip


async def test_an_action_is_counted_and_timed() -> None:
    table = await room()
    before = value("bower_actions_total", by="person"), value("bower_action_seconds_count")
    stored = value("bower_store_seconds_count")
    answer = await table.step()
    assert answer.kind == play.DONE
    after = value("bower_actions_total", by="person"), value("bower_action_seconds_count")
    assert after == (before[0] + 1, before[1] + 1)
    assert value("bower_store_seconds_count") == stored + 1


async def test_a_refused_action_is_counted_by_its_answer() -> None:
    table = await room()
    before = value("bower_actions_refused_total", answer=play.OUT_OF_TURN)
    timed = value("bower_action_seconds_count")
    await table.act((await table.turn() + 1) % 4, "pass")
    assert value("bower_actions_refused_total", answer=play.OUT_OF_TURN) == before + 1
    await play.act(table.table_id, None, Decision("pass", "1.0", "k" * 99))
    assert value("bower_action_seconds_count") == timed


def test_a_frame_is_counted_in_bytes() -> None:
    frames, size = value("bower_frame_bytes_count"), value("bower_frame_bytes_sum")
    metrics.count_frame("Zoë")
    metrics.count_frame("Ben")
    assert value("bower_frame_bytes_count") == frames + 2
    assert value("bower_frame_bytes_sum") == size + 7


async def test_what_a_page_is_sent_again_is_counted() -> None:
    table = await room()
    one = await new_tab(table.table_id)
    await one.connect()
    before, sent = value("bower_resyncs_total", page="table"), value("bower_frame_bytes_count")
    await table.act(await table.turn(), "pass")
    await one.until("1.1")
    assert value("bower_resyncs_total", page="table") == before, "it has followed"
    assert value("bower_frame_bytes_count") == sent + 1
    await one.send(have="3f0a92bc.41")
    assert (await one.frame())["from"] == 0
    assert value("bower_resyncs_total", page="table") == before + 1


async def test_sockets_are_counted_while_they_are_open(settings: Any) -> None:
    table = await room()
    settings.SOCKETS_PER_ADDRESS = 1
    full = value("bower_connections_refused_total", reason="full")
    one, other = await new_tab(table.table_id), await new_tab(table.table_id)
    await one.connect()
    assert hub.sockets.total() == 1
    assert await other.connect() == consumers.CROWDED
    assert value("bower_connections_refused_total", reason="full") == full + 1
    await one.close()
    assert hub.sockets.total() == 0


async def test_no_label_names_a_person_a_table_or_a_card() -> None:
    before = await series()  # a test before this one may have had addresses of its own
    table = await room()
    await table.play_out()
    await sync_to_async(Client().get)(f"/tables/{table.table_id}/")
    counted = [one for one, value in (await series()).items() if before.get(one) != value]
    assert {"bower_actions_total", "bower_requests_total"} <= {name for name, _ in counted}
    cards = {card_text(card) for card in range(33)}
    names = set(route_names(get_resolver().url_patterns)) | {"none", "unnamed"}
    for name, labels in counted:
        for label, word in labels:
            assert word not in cards
            if label == "route":
                assert word in names or "." in word, word  # a view without a name has its module's
            elif label == "le":
                assert re.fullmatch(r"[\d.]+(e-?\d+)?|\+Inf", word)
            elif label == "task":
                assert word.replace("_", "").isalpha()
            else:
                assert word in BOUNDED[label], (name, label, word)


async def series() -> dict[tuple[str, tuple[tuple[str, str], ...]], float]:
    """Everything that is counted, by its name and labels, but what Python tells of itself."""
    text = await sync_to_async(metrics_server.as_text)()
    return {
        (sample.name, tuple(sample.labels.items())): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
        if not family.name.startswith("python_")
    }


def route_names(patterns: Any, space: str = "") -> Iterator[str]:
    for one in patterns:
        if hasattr(one, "url_patterns"):
            inner = f"{space}{one.namespace}:" if one.namespace else space
            yield from route_names(one.url_patterns, inner)
        elif one.name:
            yield f"{space}{one.name}"
