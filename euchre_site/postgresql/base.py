"""Connections to PostgreSQL, taken from a pool and known to work."""

from typing import Any

import psycopg
from django.db.backends.postgresql import base
from psycopg_pool import ConnectionPool


class DatabaseWrapper(base.DatabaseWrapper):
    """Django's, but for what happens when the server has dropped the pool's connections.

    The pool itself (`CONN_HEALTH_CHECKS`) tries one dead connection after another and waits
    twice as long after each: with six of them nobody gets a connection for 30 seconds.
    """

    def get_new_connection(self, conn_params: dict[str, Any]) -> Any:
        """Take a connection from the pool; if it is dead, have all of them replaced and wait.

        Raises:
            psycopg.OperationalError: the server cannot be reached.
        """
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
