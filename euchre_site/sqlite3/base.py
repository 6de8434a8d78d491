"""An SQLite backend in which the threads of a process take turns to write."""

import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any, ClassVar, Final, TypeVar

from django.db import OperationalError
from django.db.backends.sqlite3 import base

Result = TypeVar("Result")
#: How statements begin that write; outside a transaction each is one of its own.
WRITING: Final = ("INSERT", "UPDATE", "DELETE", "REPLACE")


class Turns:
    """Who writes next: threads in the order they come, but the journal's before all others.

    waiting: how many threads wait now.
    """

    def __init__(self) -> None:
        lock = threading.Lock()
        self._first, self._others = threading.Condition(lock), threading.Condition(lock)
        self._taken = False
        self._first_waiting = 0
        self.waiting = 0

    def take(self, seconds: float, *, first: bool = False) -> bool:
        """Wait for a turn, `first` as the journal; return False if it has not come in time."""
        line = self._first if first else self._others
        with line:
            self._first_waiting += first
            self.waiting += 1
            try:
                came = line.wait_for(lambda: self._may_come(first), seconds)
                self._taken = self._taken or came
            finally:
                self._first_waiting -= first
                self.waiting -= 1
        return came

    def end(self) -> None:
        with self._first:
            self._taken = False
            (self._first if self._first_waiting else self._others).notify()

    def _may_come(self, first: bool) -> bool:
        return not self._taken and (first or not self._first_waiting)


class DatabaseWrapper(base.DatabaseWrapper):
    """Django's wrapper in which all threads that write to a database take turns.

    SQLite has one writer at a time. Whoever finds it taken sleeps, up to a tenth of a second, and
    looks again, so that under many writers a waiting one is overtaken again and again: actions at
    tables waited for seconds while few people sat down elsewhere. Here a thread waits for the one
    before it, and for other processes as before. Both end after the `timeout` of the options.
    """

    #: By the name of the database.
    _all_turns: ClassVar[dict[str, Turns]] = {}
    _turns: Turns

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._writes = False

    def get_new_connection(self, conn_params: dict[str, Any]) -> Any:
        self._turns = self._all_turns.setdefault(str(conn_params["database"]), Turns())
        return super().get_new_connection(conn_params)

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

    @contextmanager
    def first(self) -> Iterator[Any]:
        """Give SQLite's own connection for one transaction, before all others who wait.

        Django's `atomic` and cursor take longer than SQLite does for an action.
        """
        self.ensure_connection()
        own = self.connection
        self._take_turn(first=True)
        try:
            own.execute("BEGIN IMMEDIATE")
            try:
                yield own
                own.commit()
            except BaseException:
                try:
                    own.rollback()
                except self.Database.Error:
                    self.close()  # as Django does: the next transaction could not begin
                raise
        finally:
            self._end_turn()

    def _take_turn(self, *, first: bool = False) -> None:
        seconds = self.settings_dict["OPTIONS"].get("timeout", 5.0)
        if not self._turns.take(seconds, first=first):
            raise OperationalError("database is locked by another thread")
        self._writes = True

    def _end_turn(self) -> None:
        if self._writes:
            self._writes = False
            self._turns.end()


class Cursor(base.SQLiteCursorWrapper):
    """Django's cursor, whose statements outside a transaction take turns, too."""

    in_turn: Callable[[str, Callable[[], Any]], Any]

    def execute(self, query: str, params: Any = None) -> Any:
        return self.in_turn(query, lambda: super(Cursor, self).execute(query, params))

    def executemany(self, query: str, param_list: Iterable[Any]) -> Any:
        return self.in_turn(query, lambda: super(Cursor, self).executemany(query, param_list))
