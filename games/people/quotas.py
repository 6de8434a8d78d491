"""How many requests one caller may make in a minute, counted in the cache."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from django.core.cache import cache

#: Seconds in which requests are counted together.
WINDOW: Final = 60


@dataclass(frozen=True, slots=True)
class Quota:
    """How far a caller's quota is used up.

    limit: requests in a window. left: how many more may come in this one. resets: seconds until
    the next. exceeded: whether the request just counted was one too many.
    """

    limit: int
    left: int
    resets: int
    exceeded: bool


def count(caller: str, limit: int, now: datetime) -> Quota:
    """Count one more request.

    Args:
        caller: a word that tells callers apart.
        limit: requests a window.
        now: the present moment.
    """
    window, past = divmod(int(now.timestamp()), WINDOW)
    key = f"quota:{caller}:{window}"
    cache.add(key, 0, 2 * WINDOW)
    try:
        made = cache.incr(key)
    except ValueError:  # the cache has dropped it in between
        made = 1
    return Quota(limit, max(0, limit - made), WINDOW - past, made > limit)
