"""Tables of these tests are played by the tests alone."""

from collections.abc import Iterator

import pytest

from games.live import state as live
from games.sockets import hub


@pytest.fixture(autouse=True)
def _quiet(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(hub, "announce", lambda _table_id: None)
    yield
    live.forget_all()
