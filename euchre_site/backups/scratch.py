"""Temporary connections to databases other than the site's own."""

import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from django.db import connections


@contextmanager
def open_sqlite(file: Path) -> Iterator[str]:
    """Connect to a SQLite file; yield the alias of the connection."""
    config = {"ENGINE": "django.db.backends.sqlite3", "NAME": str(file), "OPTIONS": {}}
    with _open(config) as alias:
        yield alias


@contextmanager
def open_postgres(name: str) -> Iterator[str]:
    """Connect to another database on the site's PostgreSQL server; yield the alias."""
    options = dict(connections.databases["default"]["OPTIONS"])
    options.pop("pool", None)
    with _open({"NAME": name, "OPTIONS": options}) as alias:
        yield alias


@contextmanager
def _open(config: dict[str, Any]) -> Iterator[str]:
    alias = f"scratch-{uuid.uuid4()}"
    connections.databases[alias] = connections.databases["default"] | config
    try:
        connection = connections[alias]
    finally:
        del connections.databases[alias]  # so that other threads do not see it
    try:
        yield alias
    finally:
        connection.close()
        del connections[alias]
