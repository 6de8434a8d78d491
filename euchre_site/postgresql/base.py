"""A PostgreSQL backend whose pooled connections are checked before use."""

import time
from typing import Any, ClassVar, Final

import psycopg
from django.db.backends.postgresql import base
from psycopg_pool import ConnectionPool

from games.sockets import loop

#: Seconds after a failed attempt in which others fail at once.
RETRY_AFTER: Final = 1.0


class DatabaseWrapper(base.DatabaseWrapper):
    """Django's wrapper with a separate pool for play, which fails fast during an outage.

    Threads that serve tables in play (``games.sockets.loop``) use a pool of their own, so that
    pages and tasks cannot exhaust their connections.

    After a restart of the server the pool's own check (`CONN_HEALTH_CHECKS`) tries one dead
    connection after another, and waits twice as long after each: with six of them nobody gets a
    connection for 30 seconds. During an outage every request would wait for the pool's timeout;
    here, requests soon after a failed one fail at once, and for the same reason, so that the log
    says it once.
    """

    #: The pools by alias, for threads of play (True) and all others.
    _pools: ClassVar[dict[bool, dict[str, ConnectionPool]]] = {True: {}, False: {}}
    #: Monotonic time and reason of the last failure, for play and for all others.
    _failed: ClassVar[dict[bool, tuple[float, str]]] = {}

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._plays = loop.on_play_thread()
        self._connection_pools = self._pools[self._plays]

    @classmethod
    def pool_stats(cls) -> dict[str, dict[str, int]]:
        """Return `psycopg_pool`'s statistics of the pools ``play`` and ``pages`` (and tasks)."""
        return {
            "play" if plays else "pages": pool.get_stats()
            for plays, pools in cls._pools.items()
            for pool in list(pools.values())
        }

    def close_pool(self) -> None:
        for pools in self._pools.values():
            pool = pools.pop(self.alias, None)
            if pool is not None:
                pool.close()

    def get_new_connection(self, conn_params: dict[str, Any]) -> Any:
        """Take a connection from the pool; if it is dead, replace all of them."""
        failed, reason = self._failed.get(self._plays, (-RETRY_AFTER, ""))
        if time.monotonic() - failed < RETRY_AFTER:
            raise psycopg.OperationalError(reason)
        try:
            connection = self._working_connection(conn_params)
        except psycopg.OperationalError as error:
            self._failed[self._plays] = (time.monotonic(), str(error))
            raise
        self._failed.pop(self._plays, None)
        return connection

    def _working_connection(self, conn_params: dict[str, Any]) -> Any:
        connection = super().get_new_connection(conn_params)
        if self.pool is None:
            return connection
        try:
            ConnectionPool.check_connection(connection)
        except psycopg.OperationalError:
            self.pool.putconn(connection)
            self.pool.drain()
            connection = super().get_new_connection(conn_params)
        return connection
