"""Logs tell what happened, never what somebody holds or wrote."""

import json
import logging
from collections.abc import Iterator
from io import StringIO
from logging.config import dictConfig
from typing import Any

import pytest
import structlog
from django.conf import settings

from euchre_site.logs import without_private_values


def test_private_values_become_their_type() -> None:
    event: dict[str, Any] = {
        "event": "played",
        "table": 7,
        "card": "JH",
        "hands": [1],
    }
    assert without_private_values(None, "info", event) == {
        "event": "played", "table": 7, "card": "<str>", "hands": "<list>"
    }  # fmt: skip


@pytest.fixture
def lines() -> Iterator[StringIO]:
    """What the site's own logging writes, as JSON."""
    written = StringIO()
    logging_settings: dict[str, Any] = settings.LOGGING
    formatter = logging_settings["formatters"]["line"] | {
        "processors": [
            structlog.stdlib.ProcessorFormatter.remove_processors_meta,
            structlog.processors.format_exc_info,
            structlog.processors.JSONRenderer(),
        ]
    }
    config = logging_settings | {
        "formatters": {"line": formatter},
        "handlers": {
            "stderr": {"class": "logging.StreamHandler", "formatter": "line", "stream": written}
        },
    }
    dictConfig(config)
    yield written
    dictConfig(logging_settings)


def test_our_events_are_one_line_each_without_cards(lines: StringIO) -> None:
    structlog.get_logger("games.test").info("played", table=7, card="JH")
    told = json.loads(lines.getvalue())
    assert (told["event"], told["table"], told["card"]) == ("played", 7, "<str>")
    assert {"level", "logger", "timestamp"} <= told.keys()


def test_a_trace_shows_no_local_variables(lines: StringIO) -> None:
    def fail(hand: str) -> None:
        del hand
        raise ValueError("broken")

    try:
        fail("jack-of-hearts-and-more")
    except ValueError:
        logging.getLogger("django.request").exception("failed")
    assert "ValueError: broken" in lines.getvalue()
    assert lines.getvalue().count("jack-of-hearts-and-more") <= 1  # the source line of the call
