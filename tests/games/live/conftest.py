"""Tables at which nothing happens by itself."""

from typing import Any

import pytest

from games.sockets import hub


@pytest.fixture
def announced(monkeypatch: pytest.MonkeyPatch, settings: Any) -> list[int]:
    """The tables announced to have changed; nothing else happens at them by itself."""
    settings.HOUSE_PAUSE = (600.0, 600.0)
    settings.NEXT_DEAL_PAUSE = 600.0
    tables: list[int] = []
    monkeypatch.setattr(hub, "announce", tables.append)
    return tables
