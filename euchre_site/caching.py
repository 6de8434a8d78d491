"""A cache in Redis that falls back to memory while Redis is unavailable."""

import time
from functools import partialmethod
from typing import Any, ClassVar, Final

import structlog
from django.core.cache.backends.locmem import LocMemCache
from django.core.cache.backends.redis import RedisCache
from redis import RedisError

log = structlog.get_logger(__name__)

#: Seconds before Redis is tried again after an error.
RETRY_AFTER: Final = 3.0
MEMORY: Final = {"OPTIONS": {"MAX_ENTRIES": 10_000}}


class RedisOrMemoryCache(RedisCache):
    """Django's Redis cache, or one in this process's memory while Redis is unavailable.

    Rate limits are then counted by each process for itself, starting at zero. Nothing in the cache
    needs to survive.
    """

    away_until: ClassVar[float] = 0.0

    def __init__(self, server: str, params: dict[str, Any]) -> None:
        super().__init__(server, params)
        self._memory = LocMemCache("while-redis-is-away", MEMORY)

    def either(self, verb: str, *args: Any, **named: Any) -> Any:
        if time.monotonic() >= RedisOrMemoryCache.away_until:
            try:
                return getattr(super(), verb)(*args, **named)
            except (RedisError, OSError) as error:
                RedisOrMemoryCache.away_until = time.monotonic() + RETRY_AFTER
                log.warning("cache in memory", reason=f"Redis: {error}")
        return getattr(self._memory, verb)(*args, **named)


#: The methods that work on either cache.
VERBS: Final = (
    *("add", "get", "set", "touch", "delete", "has_key", "incr", "clear"),
    *("get_many", "set_many", "delete_many"),
)
for verb in VERBS:
    setattr(RedisOrMemoryCache, verb, partialmethod(RedisOrMemoryCache.either, verb))
