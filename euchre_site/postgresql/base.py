"""Connections to PostgreSQL, taken from a pool and known to work."""

import time
from typing import Any, ClassVar, Final

import psycopg
from django.db.backends.postgresql import base
from psycopg_pool import ConnectionPool

from games.sockets import loop

#: Seconds after a connection could not be had for which nobody tries again.
REST: Final = 1.0


class DatabaseWrapper(base.DatabaseWrapper):
    """Django's, with a pool that only play uses, and a quick answer while the server is away.

    The threads that ask for the tables in play (``games.sockets.loop``) take connections from a
    pool of their own: what pages and tasks hold cannot keep a table waiting.

    The pool itself (`CONN_HEALTH_CHECKS`) tries one dead connection after another and waits
    twice as long after each: with six of them nobody gets a connection for 30 seconds. And while
    the server is away each of those who want a connection would wait for as long as the pool
    tries; here, whoever comes soon after somebody has waited in vain is refused at once.
    """

    #: The pools by alias: of threads of play, and of all others.
    _pools: ClassVar[dict[bool, dict[str, ConnectionPool]]] = {True: {}, False: {}}
    #: When a connection could not be had, in monotonic seconds, for play and for all else.
    _failed: ClassVar[dict[bool, float]] = {}

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._plays = loop.in_thread_of_play()
        self._connection_pools = self._pools[self._plays]

    @classmethod
    def pool_stats(cls) -> dict[str, dict[str, int]]:
        """What the pools of this process tell of themselves, in the names of `psycopg_pool`.

        By whom they serve: ``play``, or ``pages``, which are tasks too.
        """
        return {
            "play" if plays else "pages": pool.get_stats()
            for plays, pools in cls._pools.items()
            for pool in list(pools.values())
        }

    def close_pool(self) -> None:
        """Close the pools of this database."""
        for pools in self._pools.values():
            pool = pools.pop(self.alias, None)
            if pool is not None:
                pool.close()

    def get_new_connection(self, conn_params: dict[str, Any]) -> Any:
        """Take a connection from the pool; if it is dead, have all of them replaced and wait.

        Raises:
            psycopg.OperationalError: the server cannot be reached.
        """
        failed = self._failed.get(self._plays)
        if failed is not None and time.monotonic() - failed < REST:
            raise psycopg.OperationalError("the server could not be reached a moment ago")
        try:
            connection = self._working_connection(conn_params)
        except psycopg.OperationalError:
            self._failed[self._plays] = time.monotonic()
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
