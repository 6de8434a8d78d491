"""The cache in Redis, which goes on in memory while Redis is away."""

import time
from typing import Any, ClassVar, Final

import structlog
from django.core.cache.backends.locmem import LocMemCache
from django.core.cache.backends.redis import RedisCache
from redis import RedisError

log = structlog.get_logger(__name__)

#: Seconds after which Redis is tried again when it did not answer.
REST: Final = 3.0
MEMORY: Final = {"OPTIONS": {"MAX_ENTRIES": 10_000}}


class RedisOrMemoryCache(RedisCache):
    """Django's cache in Redis; without an answer of Redis, one in the memory of this process.

    What is counted there (limits) is then counted by each process for itself, from nothing.
    Everything that is kept in the cache may be lost at any moment anyway.
    """

    _away_until: ClassVar[float] = 0.0

    def __init__(self, server: str, params: dict[str, Any]) -> None:
        super().__init__(server, params)
        self._memory = LocMemCache("while-redis-is-away", MEMORY)

    def _either(self, verb: str, *args: Any, **named: Any) -> Any:
        if time.monotonic() >= RedisOrMemoryCache._away_until:
            try:
                return getattr(super(), verb)(*args, **named)
            except (RedisError, OSError) as error:
                RedisOrMemoryCache._away_until = time.monotonic() + REST
                log.warning("cache in memory", reason=f"Redis: {error}")
        return getattr(self._memory, verb)(*args, **named)

    def add(self, *args: Any, **named: Any) -> Any:
        """As Django's."""
        return self._either("add", *args, **named)

    def get(self, *args: Any, **named: Any) -> Any:
        """As Django's."""
        return self._either("get", *args, **named)

    def set(self, *args: Any, **named: Any) -> Any:
        """As Django's."""
        return self._either("set", *args, **named)

    def touch(self, *args: Any, **named: Any) -> Any:
        """As Django's."""
        return self._either("touch", *args, **named)

    def delete(self, *args: Any, **named: Any) -> Any:
        """As Django's."""
        return self._either("delete", *args, **named)

    def get_many(self, *args: Any, **named: Any) -> Any:
        """As Django's."""
        return self._either("get_many", *args, **named)

    def has_key(self, *args: Any, **named: Any) -> Any:
        """As Django's."""
        return self._either("has_key", *args, **named)

    def incr(self, *args: Any, **named: Any) -> Any:
        """As Django's."""
        return self._either("incr", *args, **named)

    def set_many(self, *args: Any, **named: Any) -> Any:
        """As Django's."""
        return self._either("set_many", *args, **named)

    def delete_many(self, *args: Any, **named: Any) -> Any:
        """As Django's."""
        return self._either("delete_many", *args, **named)

    def clear(self) -> Any:
        """As Django's."""
        return self._either("clear")
