"""The cache in Redis, which goes on in memory while Redis is away."""

import time
from functools import partialmethod
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

    def either(self, verb: str, *args: Any, **named: Any) -> Any:
        """Ask Redis for what Django's method of this name does, or memory."""
        if time.monotonic() >= RedisOrMemoryCache._away_until:
            try:
                return getattr(super(), verb)(*args, **named)
            except (RedisError, OSError) as error:
                RedisOrMemoryCache._away_until = time.monotonic() + REST
                log.warning("cache in memory", reason=f"Redis: {error}")
        return getattr(self._memory, verb)(*args, **named)


#: All that a cache is asked for is asked of either.
VERBS: Final = (
    *("add", "get", "set", "touch", "delete", "has_key", "incr", "clear"),
    *("get_many", "set_many", "delete_many"),
)
for verb in VERBS:
    setattr(RedisOrMemoryCache, verb, partialmethod(RedisOrMemoryCache.either, verb))
