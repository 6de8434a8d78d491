"""Another database than the site's own, for a moment, under an alias of its own."""

import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from django.db import connections


@contextmanager
def sqlite_opened(file: Path) -> Iterator[str]:
    """Let a file of SQLite be asked under the alias that this gives, as it is."""
    config = {"ENGINE": "django.db.backends.sqlite3", "NAME": str(file), "OPTIONS": {}}
    with _opened(config) as alias:
        yield alias


@contextmanager
def postgres_opened(name: str) -> Iterator[str]:
    """Let another database of the site's PostgreSQL server be asked under the alias given."""
    options = dict(connections.databases["default"]["OPTIONS"])
    options.pop("pool", None)
    with _opened({"NAME": name, "OPTIONS": options}) as alias:
        yield alias


@contextmanager
def _opened(config: dict[str, Any]) -> Iterator[str]:
    alias = f"scratch-{uuid.uuid4()}"
    connections.databases[alias] = connections.databases["default"] | config
    try:
        connection = connections[alias]
    finally:
        del connections.databases[alias]  # only this thread knows of it
    try:
        yield alias
    finally:
        connection.close()
        del connections[alias]
