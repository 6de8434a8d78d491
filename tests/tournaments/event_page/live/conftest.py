"""Every test of live pages starts without sockets and drawings, on a loop of its own."""

from collections.abc import Iterator

import pytest

from tests.games.conftest import _nothing_kept, _web_loop
from tournaments.changes import live

__all__ = ["_nothing_kept", "_web_loop"]


@pytest.fixture(autouse=True)
def _nothing_drawn() -> Iterator[None]:
    yield
    live.end()
    live.events.forget_all()
    live.callers.forget_all()
