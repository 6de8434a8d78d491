"""How much work the database does for a page, in steps of SQLite's virtual machine.

The number of queries says little of a page that reads few rows but has the database look through
many. Steps are the same on every machine.
"""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from django.db import connection


class Steps:
    """The steps taken so far."""

    taken = 0

    def count(self) -> int:
        self.taken += 1
        return 0  # go on


@contextmanager
def steps() -> Iterator[Steps]:
    """Count the steps taken inside; the test is skipped on other databases than SQLite."""
    if connection.vendor != "sqlite":
        pytest.skip("steps are SQLite's")
    connection.ensure_connection()
    counted = Steps()
    connection.connection.set_progress_handler(counted.count, 1)
    try:
        yield counted
    finally:
        connection.connection.set_progress_handler(None, 0)
