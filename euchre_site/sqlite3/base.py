"""An SQLite backend in which the threads of a process take turns to write."""

import threading
from collections import defaultdict
from collections.abc import Callable, Iterable
from typing import Any, ClassVar, Final, TypeVar

from django.db import OperationalError
from django.db.backends.sqlite3 import base

Result = TypeVar("Result")
#: How statements begin that write; outside a transaction each is one of its own.
WRITING: Final = ("INSERT", "UPDATE", "DELETE", "REPLACE")


class DatabaseWrapper(base.DatabaseWrapper):
    """Django's wrapper with one lock for all that write to a database, in the order they come.

    SQLite has one writer at a time. Whoever finds it taken sleeps, up to a tenth of a second, and
    looks again, so that under many writers a waiting one is overtaken again and again: actions at
    tables waited for seconds while few people sat down elsewhere. Here a thread waits for the one
    before it, and for other processes as before. Both end after the `timeout` of the options.
    """

    #: The locks by the name of the database.
    _locks: ClassVar[dict[str, threading.Lock]] = defaultdict(threading.Lock)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._writes = False

    def _start_transaction_under_autocommit(self) -> None:
        self._take_turn()
        try:
            super()._start_transaction_under_autocommit()  # type: ignore[misc]
        except BaseException:
            self._end_turn()
            raise

    def _commit(self) -> None:
        super()._commit()  # type: ignore[misc]
        self._end_turn()

    def _rollback(self) -> None:
        try:
            super()._rollback()  # type: ignore[misc]
        finally:
            self._end_turn()

    def _close(self) -> None:
        try:
            super()._close()  # type: ignore[misc]
        finally:
            self._end_turn()

    def create_cursor(self, name: str | None = None) -> "Cursor":
        cursor: Cursor = self.connection.cursor(factory=Cursor)
        cursor.in_turn = self.in_turn
        return cursor

    def in_turn(self, query: str, run: Callable[[], Result]) -> Result:
        """Run a statement, in a turn of its own if it writes outside a transaction."""
        alone = not self.connection.in_transaction and query.lstrip().startswith(WRITING)
        if not alone or self._writes:
            return run()
        self._take_turn()
        try:
            return run()
        finally:
            self._end_turn()

    def _take_turn(self) -> None:
        seconds = self.settings_dict["OPTIONS"].get("timeout", 5.0)
        if not self._lock.acquire(timeout=seconds):
            raise OperationalError("database is locked by another thread")
        self._writes = True

    def _end_turn(self) -> None:
        if self._writes:
            self._writes = False
            self._lock.release()

    @property
    def _lock(self) -> threading.Lock:
        return self._locks[str(self.settings_dict["NAME"])]


class Cursor(base.SQLiteCursorWrapper):
    """Django's cursor, whose statements outside a transaction take turns, too."""

    in_turn: Callable[[str, Callable[[], Any]], Any]

    def execute(self, query: str, params: Any = None) -> Any:
        return self.in_turn(query, lambda: super(Cursor, self).execute(query, params))

    def executemany(self, query: str, param_list: Iterable[Any]) -> Any:
        return self.in_turn(query, lambda: super(Cursor, self).executemany(query, param_list))
